"""Policies compared at equal budget: what `coppice compare --json` says, by types.

A number that there is not is None, as where a policy has but one campaign.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from . import runs
from ._typed import decode

Names = str | Sequence[str]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval over seeds, if there are several."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class PolicySummary:
    """One policy over all its campaigns; speedups are over the root."""

    policy: str
    campaigns: int
    success: float | None  # Shares, from 0 to 1.
    fast_1: float | None
    undecided: int | None  # Campaigns of which fast_1 cannot be told.
    compiled: float | None  # Of attempts.
    passed: float | None
    mean_speedup: float | None
    geometric_mean_speedup: float | None
    mean_log_speedup: Estimate
    interquartile_mean_log_speedup: Estimate


@dataclass(frozen=True, slots=True)
class Difference:
    """How a policy differs from the baseline, in pairs of equal task and seed."""

    policy: str
    pairs: int
    log_speedup: Estimate
    tasks: int
    log_speedup_over_tasks: Estimate
    families: int
    log_speedup_over_families: Estimate
    standard_deviation: float | None
    p: float | None
    p_holm: float | None
    probability_of_improvement: float | None
    finding: Literal["better", "worse", "cannot_tell"]
    more_seeds: int | None  # About so many would tell; None: nobody knows.


@dataclass(frozen=True, slots=True)
class KnownPolicy:
    """One policy, where the fastest kernel is known."""

    policy: str
    share_of_optimum: Estimate
    over_random_search: Estimate
    difference_of_share_over_tasks: Estimate
    difference_of_share_over_families: Estimate


@dataclass(frozen=True, slots=True)
class Known:
    """Tasks whose fastest kernel is known: landscapes."""

    tasks: int
    open_tasks: int
    families: int
    random_share_of_optimum: float | None
    policies: tuple[KnownPolicy, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """The share of races in which a policy is within a factor of the fastest."""

    policy: str
    at_factors: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Profiles:
    """Performance profiles."""

    factors: tuple[float, ...]
    races: int
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The best kernel so far, when so much of the budget is spent."""

    spent: float
    mean_log_speedup: Estimate
    interquartile_mean_log_speedup: Estimate


@dataclass(frozen=True, slots=True)
class Curve:
    """The best kernels of one policy so far, along the budget."""

    policy: str
    points: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What policies came to, and which can be told apart."""

    policies: tuple[PolicySummary, ...]
    baseline: str | None
    differences: tuple[Difference, ...]
    known: Known | None
    profiles: Profiles
    curves: tuple[Curve, ...]
    budget: float
    # A file of campaigns has these; in memory there is a landscape, or None for all.
    budget_kind: str | None = None
    tasks: tuple[str, ...] = ()
    campaigns: int | None = None
    unproven: int | None = None  # Their best kernel was not measured again.
    missing: tuple[Mapping[str, Any], ...] = ()  # Not at the end of their budget.
    landscape: str | None = None
    source: str | None = None
    seeds: tuple[int, ...] = field(default=())

    def __getitem__(self, policy: str) -> PolicySummary:
        for one in self.policies:
            if one.policy == policy:
                return one
        raise KeyError(policy)

    def difference(self, policy: str) -> Difference:
        for one in self.differences:
            if one.policy == policy:
                return one
        raise KeyError(policy)

    def _repr_html_(self) -> str:
        from . import _html

        return _html.comparison(self)


def compare(
    db: str | os.PathLike[str],
    policies: Names | None = None,
    *,
    tasks: Names | None = None,
    progress: runs.ProgressTo = "auto",
    **options: runs.Option,
) -> Comparison:
    """What a file of campaigns says of its policies.

    With `policies`, `tasks` or other options of `coppice compare`, runs what is
    missing first, or goes on with it: ^C drains.
    """
    is_report = policies is None and tasks is None and not options
    said = _said(
        [os.fspath(db)],
        {"policies": policies, "tasks": tasks, "report": is_report, **options},
        progress,
    )
    return decode(Comparison, said)


def compare_in_memory(
    policies: Names,
    tasks: Names,
    *,
    progress: runs.ProgressTo = "auto",
    **options: runs.Option,
) -> tuple[Comparison, ...]:
    """On landscapes, thousands of campaigns: one for each budget over all of
    them, and for each landscape where there are several."""
    given = {"policies": policies, "tasks": tasks, "in_memory": True, **options}
    said = _said([], given, progress)
    return tuple(decode(Comparison, part) for part in said["parts"])


def _said(
    files: Sequence[str],
    options: Mapping[str, runs.Option],
    progress: runs.ProgressTo,
) -> Mapping[str, Any]:
    shown = "none" if progress == "none" else "plain"
    arguments = ["compare", *files, "--json", "--progress", shown]
    flags = runs._flags(options)
    db = runs._db_of((*files, "memory")[0])
    child = runs.Run([*arguments, *flags], db, detach=False)
    return runs._attended(child, progress).report
