"""Campaigns and nodes of a database."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from . import _errors
from ._table import Table

if TYPE_CHECKING:
    from .history import History
    from .plots import CampaignPlots

Verdict = Literal[
    "passed",
    "compile_failed",
    "crashed",
    "timed_out",
    "wrong_output",
    "rejected",
    "no_candidate",
    "inconclusive",
]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What an agent was asked for an attempt, and its answer, if one came."""

    role: str
    model: str
    system: str
    user: str
    answer: str | None


def diff_of(a: int, before: str, b: int, after: str, context: int = 3) -> str:
    lines = difflib.unified_diff(
        before.splitlines(),
        after.splitlines(),
        f"node {a}",
        f"node {b}",
        lineterm="",
        n=context,
    )
    return "\n".join(lines)


class Node:
    """A candidate kernel.  Columns of the view `nodes` are attributes."""

    __slots__ = ("_values", "campaign")

    # The columns that are used most, for checkers of types.
    node: int
    parent: int | None
    verdict: Verdict
    speedup: float | None
    speedup_low: float | None
    speedup_high: float | None
    runtime_s: float | None
    technique: str | None
    advice: str | None
    language: str | None
    policy: str | None
    decision: int | None

    def __init__(self, campaign: Campaign, values: dict[str, Any]) -> None:
        self.campaign = campaign
        self._values = values

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"a node has no {name!r}") from None

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *self._values])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and (self.campaign, self.node) == (
            other.campaign,
            other.node,
        )

    def __hash__(self) -> int:
        return hash((self.campaign, self.node))

    def __repr__(self) -> str:
        speedup = "" if self.speedup is None else f", {self.speedup:.3g}x"
        technique = f", {self.technique}" if self.technique else ""
        return f"<Node {self.node}: {self.verdict}{speedup}{technique}>"

    def _repr_html_(self) -> str:
        from . import _html

        return _html.node(self)

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 %, of the speedup."""
        if self.speedup_low is None or self.speedup_high is None:
            return None
        return self.speedup_low, self.speedup_high

    def _text(self, column: str) -> str | None:
        blob = self._values[column]
        return None if blob is None else self.campaign.history.text(blob)

    @property
    def source(self) -> str | None:
        return self._text("source_blob")

    @property
    def annotated_source(self) -> str | None:
        """Its parent's source, with the plan's marks."""
        return self._text("annotated_source_blob")

    @property
    def log(self) -> str | None:
        return self._text("log_blob")

    @property
    def profile(self) -> str | None:
        return self._text("profile_blob")

    @property
    def prompts(self) -> list[Prompt]:
        """What agents were asked for it, the catalogue among them."""
        history = self.campaign.history
        rows = history.rows(
            "SELECT role, model, system_prompt_blob, user_prompt_blob, answer_blob "
            "FROM calls WHERE campaign = ? AND decision = ? ORDER BY call_id",
            self.campaign.name,
            self.decision,
        )
        blobs = sorted({blob for row in rows for blob in row[2:] if blob is not None})
        texts = dict(zip(blobs, history.texts(blobs), strict=True))
        return [
            Prompt(
                role=str(row[0]),
                model=str(row[1]),
                system=texts.get(row[2], ""),
                user=texts.get(row[3], ""),
                answer=texts.get(row[4]),
            )
            for row in rows
        ]

    @property
    def children(self) -> list[Node]:
        return self.campaign._nodes("parent = ?", self.node)

    @property
    def lineage(self) -> list[Node]:
        """From the root to this node."""
        path: list[Node] = [self]
        while path[-1].parent is not None:
            path.append(self.campaign[path[-1].parent])
        return path[::-1]

    def diff(self, other: Node | None = None, *, context: int = 3) -> str:
        """What this source has that another, by default its parent's, has not."""
        if other is None:
            if self.parent is None:
                return ""
            other = self.campaign[self.parent]
        return diff_of(
            other.node, other.source or "", self.node, self.source or "", context
        )


class Tree:
    """The nodes of a campaign by their parents."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign

    def nodes(self, limit: int | None = None) -> list[Node]:
        return self.campaign._nodes("1", limit=limit)

    def _lines(self, limit: int) -> Iterator[str]:
        nodes = self.nodes(limit)
        below: dict[int | None, list[Node]] = {}
        for node in nodes:
            below.setdefault(node.parent, []).append(node)
        stack = [(node, 0) for node in reversed(below.get(None, []))]
        while stack:
            node, depth = stack.pop()
            yield "  " * depth + repr(node)[6:-1]
            stack += [(n, depth + 1) for n in reversed(below.get(node.node, []))]
        if len(self.campaign) > len(nodes):
            yield f"... and {len(self.campaign) - len(nodes)} more"

    def __str__(self) -> str:
        return "\n".join(self._lines(limit=200))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from . import _html

        return _html.tree(self)


class Campaign:
    """One search over one task; `campaign[7]` is its node 7."""

    def __init__(self, history: History, name: str) -> None:
        self.history = history
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Campaign) and (self.history.path, self.name) == (
            other.history.path,
            other.name,
        )

    def __hash__(self) -> int:
        return hash((self.history.path, self.name))

    @property
    def row(self) -> dict[str, Any]:
        """Its row of the view `campaigns`, as it is now."""
        return next(iter(self.history.campaigns(campaign=self.name)))

    @property
    def task(self) -> str:
        return str(self.row["task"])

    @property
    def state(self) -> str:
        return str(self.row["state"])

    def __len__(self) -> int:
        """How many nodes there are, with the root."""
        return int(self.row["nodes"])

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, number: int) -> Node:
        nodes = self._nodes("node = ?", number)
        if not nodes:
            raise _errors.NotFound(f"{self.name}: has no node {number}")
        return nodes[0]

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes("1"))

    def _nodes(self, test: str, *values: Any, limit: int | None = None) -> list[Node]:
        question = f"SELECT * FROM nodes WHERE campaign = ? AND {test} ORDER BY node"
        if limit is not None:
            question += f" LIMIT {limit}"
        table = self.history.sql(question, self.name, *values)
        return [Node(self, row) for row in table]

    @property
    def nodes(self) -> Table:
        return self.history.nodes(campaign=self.name).table()

    @property
    def root(self) -> Node:
        return self[0]

    @property
    def leaderboard(self) -> Table:
        return self.history.sql(
            "SELECT * FROM leaderboard WHERE campaign = ? ORDER BY rank LIMIT 5",
            self.name,
        )

    @property
    def best(self) -> Node:
        """The first of the leaderboard; the root while nothing beats it."""
        rows = self.history.rows(
            "SELECT node FROM leaderboard WHERE campaign = ? AND rank = 1", self.name
        )
        return self[int(rows[0][0])] if rows else self.root

    @property
    def tree(self) -> Tree:
        return Tree(self)

    @property
    def plot(self) -> CampaignPlots:
        from .plots import CampaignPlots

        return CampaignPlots(self)

    def __repr__(self) -> str:
        row = self.row
        return (
            f"<Campaign {self.name}: {row['attempts']} of {row['budget_attempts']} "
            f"attempts, {row['state']}>"
        )

    def _repr_html_(self) -> str:
        from . import _html

        return _html.campaign(self)
