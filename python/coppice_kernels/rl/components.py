"""What is known of a kernel for a reward, each part by itself."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ..campaign import Verdict

if TYPE_CHECKING:
    from ..evaluation import Evaluation
    from .schemes import Scheme

_MOST_WORKLOADS = 16  # Of an evaluation; those that failed come first.


@dataclass(frozen=True, slots=True)
class Components:
    """The parts of a reward.  None: it cannot be told.

    Of an inconclusive kernel nothing can be told, so it has no reward either.
    """

    verdict: Verdict | None = None
    compiled: bool | None = None
    correct_fraction: float | None = None  # Of the workloads.
    log_speedup: float | None = None  # Natural, over the task's root,
    interval: tuple[float, float] | None = None  # and 95 % of the speedup itself.
    vs_parent: float | None = None  # Times as fast as its parent,
    vs_best: float | None = None  # and as the fastest before it.
    novel: bool | None = None  # Nobody wrote its tokens before.
    confirmed: bool | None = None  # By the full tier.
    floor_ratio: float | None = None  # Its time over the least that is possible.
    rule: str | None = None  # The rule that it broke, if it was rejected.

    @property
    def passed(self) -> bool:
        return self.verdict == "passed"

    @property
    def is_known(self) -> bool:
        """Whether there is a reward, good or bad."""
        return self.verdict is not None and self.verdict != "inconclusive"

    @property
    def speedup(self) -> float | None:
        return None if self.log_speedup is None else math.exp(self.log_speedup)

    def scalar(self, scheme: Scheme = "log") -> float | None:
        """One number: "log", "kevin", "kernrl", or what a function makes of it."""
        from .schemes import scalar

        return scalar(self, scheme)

    def bounds(self, scheme: Scheme = "log") -> tuple[float, float] | None:
        """The rewards of the ends of the interval, within which the true one is."""
        if self.interval is None or not self.is_known:
            return None
        low, high = (
            dataclasses.replace(self, log_speedup=math.log(end), interval=(end, end))
            for end in self.interval
        )
        ends = low.scalar(scheme), high.scalar(scheme)
        if ends[0] is None or ends[1] is None:
            return None
        return min(ends[0], ends[1]), max(ends[0], ends[1])

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def of(cls, evaluation: Evaluation) -> Components:
        """Takes what `evaluate` said, which knows of no parent and no campaign."""
        if evaluation.verdict == "inconclusive":
            return cls(verdict="inconclusive")
        speedup = evaluation.speedup
        return cls(
            verdict=evaluation.verdict,
            compiled=evaluation.verdict not in ("compile_failed", "no_candidate"),
            correct_fraction=_fraction(evaluation),
            log_speedup=math.log(speedup) if speedup else None,
            interval=evaluation.interval if speedup else None,
            rule=evaluation.raw.get("rule"),
        )

    @classmethod
    def of_receipt(cls, receipt: Mapping[str, Any]) -> Components:
        """Takes what the operation `tell` answers."""
        parts: Mapping[str, Any] = receipt.get("reward") or {}
        names = {field.name for field in dataclasses.fields(cls)}
        known = {name: value for name, value in parts.items() if name in names}
        interval = known.pop("interval", None)
        return cls(
            **{**known, "verdict": cast("Verdict | None", receipt.get("verdict"))},
            interval=(interval[0], interval[1]) if interval else None,
        )


def _fraction(evaluation: Evaluation) -> float | None:
    if evaluation.passed:
        return 1.0
    listed = evaluation.workloads
    if len(listed) >= _MOST_WORKLOADS:
        return None  # There may be more.
    if not listed:
        return 0.0
    return sum(one.verdict == "passed" for one in listed) / len(listed)


NO_CANDIDATE = Components(
    verdict="no_candidate", compiled=False, correct_fraction=0.0, novel=False
)
