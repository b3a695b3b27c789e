"""What notebooks show.  No script, nothing from elsewhere, all of it escaped.

Notebooks on code hosts strip scripts and most styles, so it reads without.
Names, techniques, sources and logs come from models and strangers.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from .campaign import diff_of

if TYPE_CHECKING:
    from ._table import Table
    from .campaign import Campaign, Node, Tree
    from .comparison import Comparison
    from .evaluation import Evaluation
    from .history import History, View
    from .machine import Machine
    from .runs import Run

_ROWS = 10  # Of a table, from its start and from its end.
_NODES = 200  # Of a tree.
_TEXT = 20_000  # Characters of a source.


def _escaped(value: Any) -> str:
    return html.escape(str(value))


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, float):
        return f'<td style="text-align:right">{value:.4g}</td>'
    if isinstance(value, int):
        return f'<td style="text-align:right">{value}</td>'
    text = str(value)
    return f"<td>{_escaped(text[:80] + '...' if len(text) > 80 else text)}</td>"


def _rows(names: Iterable[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f"<th>{_escaped(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _pre(text: str) -> str:
    cut = len(text) - _TEXT
    shown = text if cut <= 0 else text[:_TEXT]
    more = "" if cut <= 0 else f"\n... and {cut} characters more"
    return f"<pre>{_escaped(shown + more)}</pre>"


def _folded(summary: str, content: str) -> str:
    return f"<details><summary>{_escaped(summary)}</summary>{content}</details>"


def _speedup(speedup: float | None, interval: tuple[float, float] | None = None) -> str:
    if speedup is None:
        return ""
    if interval is None:
        return f"{speedup:.3g}x"
    return f"{speedup:.3g}x ({interval[0]:.3g}-{interval[1]:.3g})"


def table(of: Table) -> str:
    names = [column.name for column in of.columns]
    columns = [of[name] for name in names]
    count = len(of)
    if count <= 2 * _ROWS:
        shown = list(range(count))
    else:
        shown = [*range(_ROWS), *range(count - _ROWS, count)]
    rows = [[column[i] for column in columns] for i in shown]
    cut = count - len(shown)
    note = f", {cut} of them not shown" if cut else ""
    return _rows(names, rows) + f"<p>{count} rows{note}</p>"


def view(of: View) -> str:
    rows = [(c.name, c.type, c.unit, c.doc) for c in of.columns]
    return f"<p><b>{_escaped(of.name)}</b>: {_escaped(of.doc)}</p>" + _rows(
        ("column", "type", "unit", "meaning"), rows
    )


def history(of: History) -> str:
    rows = of.sql(
        "SELECT campaign, task, policy, state, attempts, budget_attempts "
        "FROM campaigns ORDER BY updated_at_s DESC LIMIT 20"
    )
    return f"<p><b>{_escaped(of.path)}</b></p>" + table(rows)


def _sparkline(points: Sequence[float]) -> str:
    """Draws logarithms, from left to right."""
    if len(points) < 2:
        return ""
    width, height = 200.0, 30.0
    logs = [math.log(max(point, 1e-9)) for point in points]
    low, high = min(logs), max(logs)
    span = (high - low) or 1.0
    step = width / (len(logs) - 1)
    path = " ".join(
        f"{i * step:.1f},{height - 2 - (value - low) / span * (height - 4):.1f}"
        for i, value in enumerate(logs)
    )
    return (
        f'<svg width="{width:.0f}" height="{height:.0f}" role="img" '
        f'aria-label="best speedup so far"><polyline points="{path}" fill="none" '
        'stroke="#1f77b4" stroke-width="1.5"/></svg>'
    )


def _best_so_far(of: Campaign) -> list[float]:
    """At most a hundred points: the steps, spread over the attempts."""
    steps = of.history.rows(
        "SELECT node, best_speedup FROM best_so_far WHERE campaign = ? AND improved "
        "ORDER BY node",
        of.name,
    )
    count = len(of)
    points: list[float] = []
    position, value = 0, 1.0
    for i in range(min(count, 100)):
        number = i * (count - 1) // max(min(count, 100) - 1, 1)
        while position < len(steps) and steps[position][0] <= number:
            value = steps[position][1] or 1.0
            position += 1
        points.append(value)
    return points


def campaign(of: Campaign) -> str:
    row = of.row
    what = (
        f"{row['task']}, {row['policy']}, seed {row['seed']}: {row['state']}, "
        f"{row['attempts']} of {row['budget_attempts']} attempts"
    )
    leaders = [
        (
            leader["rank"],
            leader["node"],
            _speedup(
                leader["speedup"],
                None
                if leader["speedup_low"] is None
                else (leader["speedup_low"], leader["speedup_high"]),
            ),
            leader["technique"],
        )
        for leader in of.leaderboard
    ]
    return (
        f"<p><b>{_escaped(of.name)}</b> {_escaped(what)}</p>"
        + _sparkline(_best_so_far(of))
        + _rows(("rank", "node", "speedup (95 %)", "technique"), leaders)
    )


def _summary(of: Node) -> str:
    words = [
        f"node {of.node}",
        of.verdict,
        _speedup(of.speedup, of.interval),
        of.technique or "",
    ]
    return ", ".join(word for word in words if word)


def node(of: Node) -> str:
    parts = [f"<p><b>{_escaped(of.campaign.name)}</b> {_escaped(_summary(of))}</p>"]
    if of.advice:
        parts.append(f"<p>{_escaped(of.advice)}</p>")
    blobs = [of.source_blob, of.log_blob]
    parent = None if of.parent is None else of.campaign[of.parent]
    if parent is not None:
        blobs.append(parent.source_blob)
    wanted = [blob for blob in blobs if blob is not None]
    texts = dict(zip(wanted, of.campaign.history.texts(wanted), strict=True))
    source = texts.get(of.source_blob)
    if source is not None:
        parts.append(_pre(source))
    if parent is not None and source is not None:
        before = texts.get(parent.source_blob, "")
        lines = diff_of(parent.node, before, of.node, source)
        parts.append(_folded(f"diff to node {parent.node}", _pre(lines)))
    if texts.get(of.log_blob):
        parts.append(_folded("log", _pre(texts[of.log_blob])))
    return "".join(parts)


def tree(of: Tree) -> str:
    nodes = of.nodes(_NODES)
    below: dict[int | None, list[Node]] = {}
    for one in nodes:
        below.setdefault(one.parent, []).append(one)
    out: list[str] = []
    # Text to write, or a node whose children are to be opened.
    stack: list[str | Node] = [*reversed(below.get(None, []))]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        children = below.get(item.node, [])
        summary = _escaped(_summary(item))
        if not children:
            out.append(f"<div style='margin-left:1em'>{summary}</div>")
            continue
        out.append(
            f"<details open style='margin-left:1em'><summary>{summary}</summary>"
        )
        stack += ["</details>", *reversed(children)]
    more = len(of.campaign) - len(nodes)
    if more > 0:
        out.append(f"<p>... and {more} nodes more</p>")
    return "".join(out)


def evaluation(of: Evaluation) -> str:
    words = [of.verdict, _speedup(of.speedup, of.interval)]
    if of.cannot_tell:
        words.append("cannot tell whether it is faster")
    head = ", ".join(word for word in words if word)
    rows = [(w.name, w.verdict, w.speedup, w.runtime_s) for w in of.workloads]
    parts = [f"<p><b>{_escaped(of.task)}</b> {_escaped(head)}</p>"]
    if rows:
        parts.append(_rows(("workload", "verdict", "speedup", "runtime_s"), rows))
    if of.error:
        parts.append(_pre(of.error))
    return "".join(parts)


def comparison(of: Comparison) -> str:
    findings = {one.policy: one for one in of.differences}
    rows = []
    for one in of.policies:
        found = findings.get(one.policy)
        mean = one.mean_log_speedup
        row = (one.policy, one.campaigns, one.geometric_mean_speedup)
        finding = "the baseline" if one.policy == of.baseline else ""
        if found is not None:
            finding = found.finding.replace("_", " ")
        rows.append((*row, mean.value, mean.low, mean.high, finding))
    names = ("policy", "campaigns", "speedup", "log speedup", "low", "high", "finding")
    head = f"at {of.budget:g} {of.budget_kind or 'calls or attempts'} each"
    where = of.source or of.landscape or "all landscapes"
    return f"<p><b>{_escaped(where)}</b> {_escaped(head)}</p>" + _rows(names, rows)


def machine(of: Machine) -> str:
    rows = [(one.part, "yes" if one.well else "no", one.text) for one in of.parts]
    body = "".join(
        f"<tr>{''.join(f'<td>{_escaped(word)}</td>' for word in row)}</tr>"
        for row in rows
    )
    head = "<tr><th>part</th><th>well</th><th>what</th></tr>"
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


def run(of: Run) -> str:
    p = of.progress()
    state = "running" if of.running else f"ended with {of.returncode}"
    text = (
        f"{p.campaign or of.db}: {p.attempts} of {p.of} attempts, best "
        f"{_speedup(p.best_speedup, p.best_interval)} at node {p.best_node}, {state}"
    )
    return f"<p>{_escaped(text)}</p>"
