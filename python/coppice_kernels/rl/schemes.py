"""Rules that make one number of a reward's components.

No rule rewards noise or what no machine can do: a speedup that cannot be told
from 1 is no gain, and no time below nine tenths of the roof is believed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

from .. import _errors
from .components import Components

Scheme = Literal["log", "kevin", "kernrl"] | Callable[[Components], float | None]

_MARGIN = 1.005  # Within half a per cent nothing is claimed, as in store/.
_ROOF = 0.9  # Of the least time; a clock and a roof are both measured.
_FAILED = -1.0  # In "log",
_SLOWEST = -0.9  # where what is right is worth more than that.


def believed(c: Components) -> float:
    """The speedup that is rewarded; 1 of a kernel that was not timed."""
    speedup = c.speedup
    if speedup is None:
        return 1.0
    if c.floor_ratio is not None and c.floor_ratio < _ROOF:
        speedup *= c.floor_ratio / _ROOF
    return speedup


def _is_faster(c: Components) -> bool:
    return c.interval is not None and c.interval[0] > _MARGIN


def _is_slower(c: Components) -> bool:
    return c.interval is not None and c.interval[1] < 1 / _MARGIN


def log(c: Components) -> float:
    """The speedup's logarithm, 0 where its interval reaches 1; -1 if it failed."""
    if not c.passed:
        return _FAILED
    if not _is_faster(c) and not _is_slower(c):
        return 0.0
    return max(math.log(believed(c)), _SLOWEST)


def kevin(c: Components) -> float:
    """0.3 for what is right, and its speedup, as Kevin-32B was trained."""
    return 0.3 + believed(c) if c.passed else 0.0


def kernrl(c: Components) -> float:
    """0.1 if it compiles, 0.3 if it is right, 0.3 if it is faster, up to 0.3 for
    how much: all at 32 times.  What broke a rule has nothing of it."""
    if not c.compiled or c.verdict == "rejected":
        return 0.0
    if not c.passed:
        return 0.1
    if not _is_faster(c):
        return 0.4
    return 0.7 + 0.3 * min(max(math.log2(believed(c)) / 5, 0.0), 1.0)


_NAMED: dict[str, Callable[[Components], float]] = {
    "log": log,
    "kevin": kevin,
    "kernrl": kernrl,
}


def rule_of(scheme: Scheme) -> Callable[[Components], float | None]:
    if callable(scheme):
        return scheme
    rule = _NAMED.get(scheme)
    if rule is None:
        raise _errors.UsageError(
            f"scheme: there is no {scheme!r}", f"{', '.join(_NAMED)}, or a function"
        )
    return rule


def scalar(c: Components, scheme: Scheme) -> float | None:
    """None where nothing is known: no reward is not a bad reward."""
    rule = rule_of(scheme)
    return rule(c) if c.is_known else None


def discounted(
    rewards: Sequence[float | None], gamma: float = 0.4
) -> list[float | None]:
    """Each turn's reward with those that came after it, by `gamma` a turn less.

    One that is not known stays so, and adds nothing to others.
    """
    returns: list[float | None] = []
    later = 0.0
    for reward in reversed(rewards):
        later = (reward or 0.0) + gamma * later
        returns.append(None if reward is None else later)
    return returns[::-1]
