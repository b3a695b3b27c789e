"""Plots in matplotlib, which is needed for nothing else.

Each returns its Axes, takes `ax=`, and has the same data as a table:
`c.plot.best_so_far.data()`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._table import Table
    from .campaign import Campaign
    from .history import History


class Plot:
    """A plot of a table: called, it draws."""

    def __init__(
        self, data: Callable[[], Table], draw: Callable[[Table, Axes], None]
    ) -> None:
        self.data = data
        self._draw = draw

    def __call__(self, ax: Axes | None = None) -> Axes:
        if ax is None:
            ax = _new_axes()
        self._draw(self.data(), ax)
        return ax


def _new_axes() -> Axes:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "matplotlib is not installed: pip install 'coppice-kernels[plot]'"
        ) from error
    return pyplot.subplots()[1]


class CampaignPlots:
    """Plots of one campaign."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign

    @property
    def best_so_far(self) -> Plot:
        """The best speedup after each attempt, and what each node came to."""
        c = self._campaign
        return Plot(
            lambda: c.history.best_so_far(campaign=c.name).table(), _draw_best_so_far
        )

    @property
    def tree(self) -> Plot:
        """Nodes by number and speedup, with lines from their parents."""
        c = self._campaign
        columns = ["node", "parent", "verdict", "speedup"]
        return Plot(
            lambda: c.history.nodes(columns, campaign=c.name).table(), _draw_tree
        )


class HistoryPlots:
    """Plots of all campaigns of a database."""

    def __init__(self, history: History) -> None:
        self._history = history

    @property
    def curves(self) -> Plot:
        """The mean best speedup of each policy after so many attempts."""
        return Plot(lambda: self._history.policy_curve.table(), _draw_curves)


def _log_speedup(ax: Axes) -> None:
    ax.set_yscale("log", base=2)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}x")
    ax.set_ylabel("speedup")
    ax.grid(alpha=0.3)


def _draw_best_so_far(data: Table, ax: Axes) -> None:
    attempts, best, own = data["attempts"], data["best_speedup"], data["speedup"]
    known = [i for i, value in enumerate(best) if value is not None]
    ax.step([attempts[i] for i in known], [best[i] for i in known], where="post")
    passed = [i for i, value in enumerate(own) if value is not None]
    ax.plot(
        [attempts[i] for i in passed],
        [own[i] for i in passed],
        ".",
        color="grey",
        markersize=4,
    )
    ax.set_xlabel("attempts")
    ax.set_title(str(data["campaign"][0]) if len(data) else "")
    _log_speedup(ax)


def _draw_tree(data: Table, ax: Axes) -> None:
    # A node that did not pass is drawn at its parent's height.
    height: dict[int, float] = {}
    failed: list[tuple[int, float]] = []
    rows = zip(data["node"], data["parent"], data["speedup"], strict=True)
    for node, parent, speedup in rows:
        height[node] = speedup if speedup is not None else height.get(parent, 1.0)
        if speedup is None:
            failed.append((node, height[node]))
        if parent is not None:
            ax.plot(
                [parent, node],
                [height[parent], height[node]],
                color="grey",
                linewidth=0.6,
                zorder=1,
            )
    is_failed = {node for node, _ in failed}
    passed = [(n, h) for n, h in height.items() if n not in is_failed]
    for points, marker, label in ((passed, "o", "passed"), (failed, "x", "failed")):
        if points:
            x, y = zip(*points, strict=True)
            ax.scatter(x, y, marker=marker, s=16, zorder=2, label=label)
    ax.set_xlabel("node")
    ax.legend()
    _log_speedup(ax)


def _draw_curves(data: Table, ax: Axes) -> None:
    lines: dict[str, tuple[list[Any], list[Any]]] = {}
    several = len(set(data["task"])) > 1
    for row in data:
        name = f"{row['policy']}, {row['task']}" if several else str(row["policy"])
        if row["best_speedup"] is not None:
            x, y = lines.setdefault(name, ([], []))
            x.append(row["attempts"])
            y.append(row["best_speedup"])
    for name, (x, y) in lines.items():
        ax.step(x, y, where="post", label=name)
    ax.set_xlabel("attempts")
    if lines:
        ax.legend()
    _log_speedup(ax)
