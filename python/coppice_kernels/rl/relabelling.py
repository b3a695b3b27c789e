"""Rewards that look too good, judged again, with what became of them.

A check that did not exist when a kernel was rewarded may refute it now.  Nodes
are judged by `coppice verify`, which writes down what it finds; kernels of a
file of verdicts by the tier "full", and the file keeps both answers.
"""

from __future__ import annotations

import dataclasses
import math
import os
import pathlib
import sqlite3
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _errors, _program
from ..evaluation import Evaluator, Solution, _evaluation_of, shared
from ..history import History
from .components import Components
from .schemes import Scheme, scalar
from .verdicts import APPLICATION_ID, Verdicts

_ROOF = 0.9  # See schemes.py.
_VERIFY_CODES = (0, 3)  # 3: one of them must go.


@dataclass(frozen=True, slots=True)
class Relabelled:
    """A kernel that was looked at again."""

    where: str  # A campaign, or the task in a file of verdicts.
    node: int | None
    why: str  # "above the roof", "leads", or "quarantined" before this.
    before: Components
    after: Components
    reward_before: float | None
    reward_after: float | None

    @property
    def changed(self) -> bool:
        """Whether the reward is another one, beyond what two measurements are
        apart by themselves."""
        if self.before.verdict != self.after.verdict:
            return True
        a, b = self.before.interval, self.after.interval
        if a is None or b is None:
            return self.reward_before != self.reward_after
        return a[1] < b[0] or b[1] < a[0]

    def __str__(self) -> str:
        node = "" if self.node is None else f" node {self.node}"
        return (
            f"{self.where}{node}: {self.why}: {_text(self.before)} "
            f"({_number(self.reward_before)}) is now {_text(self.after)} "
            f"({_number(self.reward_after)})"
        )


def _text(c: Components) -> str:
    return str(c.verdict) + ("" if c.speedup is None else f" {c.speedup:.3g}x")


def _number(reward: float | None) -> str:
    return "no reward" if reward is None else f"{reward:.3g}"


def _relabelled(
    where: str,
    node: int | None,
    why: str,
    before: Components,
    after: Components,
    scheme: Scheme,
) -> Relabelled:
    rewards = scalar(before, scheme), scalar(after, scheme)
    return Relabelled(where, node, why, before, after, *rewards)


def relabel(
    db: str | os.PathLike[str],
    *,
    top: int = 3,
    scheme: Scheme = "log",
    evaluator: Evaluator | None = None,
) -> list[Relabelled]:
    """Judges again what looks too good, and the `top` of each campaign or task.

    `db` is a database, or a file that `reward(replay=...)` has filled.  Returned
    is all that was looked at, or quarantined before: `changed` says of which the
    reward is another one.
    """
    path = pathlib.Path(db)
    if top < 1:
        raise _errors.UsageError(f"top: expected at least 1, not {top}")
    if _is_of_verdicts(path):
        return list(_relabel_verdicts(path, top, scheme, evaluator))
    with History(path) as history:
        before = _nodes_of(history)
        gone = [key for key, node in before.items() if node.quarantined]
        asked = _suspects(history, before, top)
        for campaign, depth in asked.items():
            try:
                _verify(path, campaign, depth)
            except _errors.Error as error:
                if "another process" not in str(error):
                    raise
                warnings.warn(f"{campaign}: left out: {error}", stacklevel=2)
        after = _nodes_of(history)
        judged = _further(history)
    found = []
    for key, node in before.items():
        why = "quarantined" if key in gone else node.why
        if key in gone or judged.get(key, 0) > node.further:
            now = after[key].now
            found.append(_relabelled(*key, why, node.told, now, scheme))
    return found


@dataclass(frozen=True, slots=True)
class _Node:
    told: Components  # What it was rewarded for,
    now: Components  # and what it counts for.
    rank: int  # In its campaign, by speed.
    further: int  # Evaluations.
    quarantined: bool

    @property
    def why(self) -> str:
        floor = self.now.floor_ratio
        return "above the roof" if floor is not None and floor < _ROOF else "leads"


_Key = tuple[str, int]

# What passed, or did until it was refuted, in the order of speed.
_NODES = """
SELECT n.campaign, n.node, n.verdict, n.speedup, n.speedup_low, n.speedup_high,
       n.quarantined_at_s IS NOT NULL AS is_gone,
       (SELECT max(coalesce(e.further, 0)) FROM evaluations e
        WHERE e.campaign = n.campaign AND e.node = n.node) AS further
FROM nodes n
WHERE n.node > 0 AND n.same_as IS NULL
  AND (n.verdict = 'passed' OR n.quarantined_at_s IS NOT NULL)
ORDER BY n.campaign, n.speedup DESC, n.node
"""

_LAST_PASSED = """
SELECT e.speedup, e.speedup_low, e.speedup_high FROM evaluations e
WHERE e.campaign = ? AND e.node = ? AND e.verdict = 'passed'
ORDER BY e.ordinal DESC LIMIT 1
"""

_FLOORS = """
SELECT campaign, node, min(median_s / floor_s) FROM workload_results
WHERE node > 0 AND floor_s > 0 AND median_s IS NOT NULL AND verdict = 'passed'
GROUP BY campaign, node
"""


def _components(verdict: str, speeds: Sequence[Any], floor: float | None) -> Components:
    speedup, low, high = speeds
    passed = verdict == "passed"
    return Components(
        verdict=verdict,  # type: ignore[arg-type]
        compiled=verdict not in ("compile_failed", "no_candidate"),
        correct_fraction=1.0 if passed else None,
        log_speedup=math.log(speedup) if passed and speedup else None,
        interval=None if not passed or low is None else (low, high),
        floor_ratio=floor if passed else None,
    )


def _nodes_of(history: History) -> dict[_Key, _Node]:
    floors = {(c, n): ratio for c, n, ratio in history.rows(_FLOORS)}
    nodes: dict[_Key, _Node] = {}
    ranks: dict[str, int] = {}
    for campaign, node, verdict, *speeds, is_gone, further in history.rows(_NODES):
        key = (str(campaign), int(node))
        now = told = _components(verdict, speeds, floors.get(key))
        if is_gone:
            passed = history.rows(_LAST_PASSED, *key)
            for row in passed:
                told = _components("passed", row, floors.get(key))
        else:
            ranks[key[0]] = ranks.get(key[0], 0) + 1
        rank = ranks.get(key[0], 0)
        nodes[key] = _Node(told, now, rank, int(further or 0), bool(is_gone))
    return nodes


def _further(history: History) -> dict[_Key, int]:
    rows = history.rows(
        "SELECT campaign, node, max(coalesce(further, 0)) FROM evaluations "
        "WHERE node > 0 GROUP BY campaign, node"
    )
    return {(str(campaign), int(node)): int(most) for campaign, node, most in rows}


def _suspects(
    history: History, nodes: Mapping[_Key, _Node], top: int
) -> dict[str, int]:
    """How many leaders of each campaign are to be judged: so many that all that
    are above the roof are among them."""
    depths: dict[str, int] = {}
    for (campaign, _), node in nodes.items():
        if node.quarantined:
            continue
        reach = node.rank if node.why == "above the roof" else 0
        depths[campaign] = max(depths.get(campaign, top), reach)
    return depths


def _verify(path: pathlib.Path, campaign: str, depth: int) -> None:
    _program.output_of(
        *("verify", "--db", str(path), "--campaign", campaign),
        *("--top", str(depth), "--json"),
        codes=_VERIFY_CODES,
    )


def _is_of_verdicts(path: pathlib.Path) -> bool:
    if not path.exists():
        raise _errors.NotFound(f"{path}: no such file")
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        with_id = connection.execute("PRAGMA application_id").fetchone()
        connection.close()
    except sqlite3.Error:
        return False  # Whoever reads it as a database says what it is.
    return bool(with_id[0] == APPLICATION_ID)


def _relabel_verdicts(
    path: pathlib.Path, top: int, scheme: Scheme, evaluator: Evaluator | None
) -> Iterator[Relabelled]:
    judge = evaluator or shared()
    with Verdicts(path, must_exist=True) as verdicts:
        leaders: dict[str, list[tuple[float, Any]]] = {}
        for kept in verdicts:
            one = Components.of(_evaluation_of(kept.task, "", kept.answer))
            if one.passed:
                speed = one.log_speedup or 0.0
                leaders.setdefault(kept.task, []).append((speed, kept))
        for task, all_kept in sorted(leaders.items()):
            all_kept.sort(key=lambda pair: -pair[0])
            for _, kept in all_kept[:top]:
                said = _evaluation_of(task, "", kept.answer)
                now = judge.evaluate(task, Solution(kept.source), tier="full")
                before, after = Components.of(said), Components.of(now)
                if after.is_known:
                    verdicts.keep(task, kept.tier, kept.source, now.raw, again=True)
                    after = dataclasses.replace(after, confirmed=after.passed)
                yield _relabelled(task, None, "leads", before, after, scheme)
