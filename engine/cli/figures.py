"""Draws what `coppice compare --figures DIRECTORY`, or `coppice report visualize
--output DIRECTORY`, wrote there.

usage: figures.py DIRECTORY

Reads policies.csv, differences.csv, curves.csv and campaigns.csv, and draws
speed, curves, differences, profiles and tasks, each as .svg and .png; the last
two not where campaigns.csv is empty.  Or fast_p.csv and win_at_p.csv, and draws
these.
Equal numbers give equal files.  Exit code 3: there is no matplotlib.
"""

import csv
import math
import pathlib
import sys

try:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot, ticker
except ImportError:
    sys.exit(3)

# Okabe and Ito 2008: told apart by the colour-blind, too.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9",
           "#7f7f7f", "#000000"]
STYLES = ["-", "--", ":"]

matplotlib.rcParams.update({
    "svg.hashsalt": "coppice", "svg.fonttype": "none", "font.size": 10,
    "axes.spines.top": False, "axes.spines.right": False,
    "axes.titlesize": 11, "axes.titlelocation": "left",
    "figure.constrained_layout.use": True})


def read(directory, name):
    with open(directory / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def looks(policies):
    """{policy: how its lines are drawn}"""
    return {policy: {"color": COLOURS[i % len(COLOURS)],
                     "linestyle": STYLES[i // len(COLOURS) % len(STYLES)]}
            for i, policy in enumerate(policies)}


def as_factors(axis):
    """Labels an axis of log speedups with at most eight round speedups."""
    low, high = (math.exp(end) for end in axis.get_view_interval())
    seen = [digit * 10.0 ** power for power in range(-9, 10)
            for digit in (1, 2, 5) if low <= digit * 10.0 ** power <= high]
    if high / low < 6:
        for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10):
            seen = [k * step for k in range(math.ceil(low / step),
                                            math.floor(high / step) + 1)]
            if len(seen) <= 8:
                break
    axis.set_ticks([math.log(tick) for tick in seen],
                   [f"{tick:.3g}x" for tick in seen])


def save(figure, directory, name):
    figure.savefig(directory / f"{name}.svg", metadata={"Date": None})
    figure.savefig(directory / f"{name}.png", dpi=144)
    pyplot.close(figure)


def of_policy(rows, policy):
    return [row for row in rows if row["policy"] == policy]


def label_ends(axes, ends):
    """Names lines at their right ends, moved apart where they would overlap."""
    axes.figure.canvas.draw()  # Only now it is known where the points are.
    height = axes.bbox.height
    gap = 1.35 * 9 * axes.figure.dpi / 72 / height  # Of a line of text.
    low, high = axes.get_ylim()
    to_share = axes.transData + axes.transAxes.inverted()
    places = sorted((to_share.transform((x, y))[1], x, y, text, colour)
                    for x, y, text, colour in ends)
    groups = []  # Of labels that touch: [their middle, how many].
    for wanted, *_ in places:
        groups.append([wanted, 1])
        while len(groups) > 1:
            (below, many), (above, more) = groups[-2:]
            if above - below >= (many + more) / 2 * gap:
                break
            groups[-2:] = [[(below * many + above * more) / (many + more),
                            many + more]]
    shares = [middle + (i - (many - 1) / 2) * gap
              for middle, many in groups for i in range(many)]
    for share, (_, x, y, text, colour) in zip(shares, places):
        axes.annotate(text, xy=(x, y), xycoords="data", xytext=(1.03, share),
                      textcoords="axes fraction", color=colour, fontsize=9,
                      va="center", annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": colour,
                                  "lw": 0.6, "shrinkA": 0, "shrinkB": 2})
    axes.set_ylim(low, high)


def draw_curves(directory, rows, look):
    if not rows:
        return
    unit = list(rows[0])[1]
    figure, axes = pyplot.subplots(figsize=(7.5, 4.2))
    has_bands = len(look) <= 4  # More would hide each other.
    ends = []
    for policy, style in look.items():
        own = of_policy(rows, policy)
        if not own:
            continue
        spent = [float(row[unit]) for row in own]
        mean = [float(row["mean_log_speedup"]) for row in own]
        end = spent[-1] * 1.02  # So that the last step is seen.
        axes.plot(spent + [end], mean + mean[-1:], drawstyle="steps-post",
                  lw=1.8, **style)
        if has_bands and all(row["mean_low"] for row in own):
            low = [float(row["mean_low"]) for row in own]
            high = [float(row["mean_high"]) for row in own]
            axes.fill_between(spent + [end], low + low[-1:], high + high[-1:],
                              step="post", color=style["color"], alpha=0.13,
                              lw=0)
        ends.append((end, mean[-1], policy, style["color"]))
    if spent[-1] > 60 or unit != "attempts":
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(ticker.FuncFormatter(
            lambda value, _: f"{value:g}"))
    axes.set_xlim(spent[0], end)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(unit.replace("_", " "))
    axes.set_ylabel("geometric mean of speedups over the root")
    as_factors(axes.yaxis)
    axes.set_title("Best kernel so far; bands are 95 % intervals of the mean"
                   if has_bands else "Best kernel so far")
    axes.grid(alpha=0.25)
    label_ends(axes, ends)
    save(figure, directory, "curves")


def draw_speed(directory, rows, look):
    """Each policy's mean and interquartile mean, with intervals."""
    rows = sorted(rows, key=lambda row: float(row["mean_log_speedup"]))
    figure, axes = pyplot.subplots(figsize=(7.5, 1.3 + 0.42 * len(rows)))
    for y, row in enumerate(rows):
        colour = look[row["policy"]]["color"]
        for kind, low, high, marker, shift in (
                ("mean_log_speedup", "mean_low", "mean_high", "o", 0.13),
                ("iqm_log_speedup", "iqm_low", "iqm_high", "D", -0.13)):
            at = float(row[kind])
            if row[low]:
                axes.plot([float(row[low]), float(row[high])],
                          [y + shift] * 2, color=colour, lw=2.2, alpha=0.45,
                          solid_capstyle="butt")
            axes.plot(at, y + shift, marker, color=colour, ms=5.5,
                      mfc=colour if marker == "o" else "white")
    axes.set_yticks(range(len(rows)), [row["policy"] for row in rows])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlabel("speedup over the root, with 95 % intervals")
    axes.set_title("Geometric mean (disc) and that of the middle half "
                   "(diamond)")
    as_factors(axes.xaxis)
    axes.grid(axis="x", alpha=0.25)
    save(figure, directory, "speed")


def draw_differences(directory, rows):
    if not rows:
        return
    rows = sorted(rows, key=lambda row: float(row["log_speedup"]))
    figure, axes = pyplot.subplots(figsize=(7.5, 1.3 + 0.42 * len(rows)))
    axes.axvline(0, color="black", lw=0.8)
    colours = {"better": "#009E73", "worse": "#D55E00",
               "cannot_tell": "#7f7f7f"}
    for y, row in enumerate(rows):
        colour = colours[row["finding"]]
        if row["low"]:
            axes.plot([float(row["low"]), float(row["high"])], [y, y],
                      color=colour, lw=2.2, alpha=0.6, solid_capstyle="butt")
        axes.plot(float(row["log_speedup"]), y, "o", color=colour, ms=6)
        finding = row["finding"].replace("_", " ")
        axes.annotate(f"{finding}, p = {float(row['p_holm']):.3g}",
                      xy=(1.02, y), xycoords=("axes fraction", "data"),
                      va="center", fontsize=9, color=colour,
                      annotation_clip=False)
    axes.set_yticks(range(len(rows)), [row["policy"] for row in rows])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlabel("speedup over that of the baseline, with 95 % interval")
    as_factors(axes.xaxis)
    axes.set_title(f"Against {rows[0]['baseline']}, in pairs of equal task and "
                   "seed; p after Holm")
    axes.grid(axis="x", alpha=0.25)
    save(figure, directory, "differences")


def behind(rows, policies):
    """{policy: how many times as long as the fastest its kernels take, sorted},
    of the races that every policy ran"""
    races = {}
    for row in rows:
        race = races.setdefault((row["task"], row["seed"]), {})
        race[row["policy"]] = float(row["log_speedup"])
    whole = [race for race in races.values() if len(race) == len(policies)]
    return {policy: sorted(math.exp(max(race.values()) - race[policy])
                           for race in whole) for policy in policies}


def draw_profiles(directory, rows, look):
    ratios = behind(rows, list(look))
    farthest = max((each[-1] for each in ratios.values() if each), default=0)
    if len(look) < 2 or farthest == 0:
        return
    most = max(1.2, farthest * 1.05)
    figure, axes = pyplot.subplots(figsize=(7.5, 4.2))
    for policy, style in look.items():
        own = ratios[policy]
        shares = [(i + 1) / len(own) for i in range(len(own))]
        wins = sum(ratio < 1 + 1e-9 for ratio in own) / len(own)
        axes.plot([1.0] + own + [most], [0.0] + shares + [1.0],
                  drawstyle="steps-post", lw=1.8, label=f"{policy}: fastest "
                  f"in {wins:.0%}", **style)
    axes.set_xscale("log")
    axes.set_xlim(1, most)
    low, high = 0.0, math.log(most)
    ticks = [t for t in (1, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100)
             if low <= math.log(t) <= high]
    axes.set_xticks(ticks, [f"{t:g}x" for t in ticks])
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_ylim(0, 1.02)
    axes.yaxis.set_major_formatter(ticker.PercentFormatter(1))
    axes.set_xlabel("runtime over that of the race's fastest kernel")
    axes.set_ylabel("share of races at most so far behind")
    axes.set_title("Performance profiles; a race is a task with a seed")
    axes.grid(alpha=0.25)
    axes.legend(loc="lower right", frameon=False)
    save(figure, directory, "profiles")


def draw_tasks(directory, rows, look):
    """Every campaign's log speedup, by task."""
    if not rows:
        return
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    figure, axes = pyplot.subplots(figsize=(7.5, 1.5 + 0.5 * len(tasks)))
    step = 0.8 / max(1, len(look))
    for i, (policy, style) in enumerate(look.items()):
        own = of_policy(rows, policy)
        ys = [len(tasks) - 1 - tasks.index(row["task"]) +
              (len(look) - 1) / 2 * step - i * step for row in own]
        axes.plot([float(row["log_speedup"]) for row in own], ys, "o", ms=4.5,
                  alpha=0.6, color=style["color"], mew=0, label=policy)
    axes.set_yticks(range(len(tasks)), reversed(tasks))
    axes.set_ylim(-0.6, len(tasks) - 0.4)
    for y in range(len(tasks) - 1):
        axes.axhline(y + 0.5, color="black", alpha=0.08, lw=0.8)
    axes.set_xlabel("speedup over the root; a dot is a campaign")
    as_factors(axes.xaxis)
    axes.set_title("By task")
    axes.grid(axis="x", alpha=0.25)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False,
                handletextpad=0.1)
    save(figure, directory, "tasks")


def draw_shares(directory, name, across, forwards):
    """The share of workloads of each author, a step function of p."""
    rows = read(directory, name)
    figure, axes = pyplot.subplots(figsize=(7.5, 4.2))
    most = 1.05 * max([float(row["p"]) for row in rows] + [1.0])
    for author, style in looks(sorted({row["author"] for row in rows})).items():
        steps = [(float(row["p"]), float(row[name])) for row in rows
                 if row["author"] == author]
        steps.append((most if forwards else 0.0, steps[-1][1]))
        axes.plot(*zip(*steps), drawstyle="steps-post", lw=1.8, label=author,
                  **style)
    axes.set_xlim(0.0, most if forwards else 1.0)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel(across)
    axes.set_ylabel("share of workloads")
    if rows:
        axes.legend(frameon=False)
    save(figure, directory, name)


def draw_traces(directory):
    draw_shares(directory, "fast_p", "p: faster than the baseline by more than "
                "this factor", True)
    draw_shares(directory, "win_at_p", "p: of the fastest author's speed at "
                "least this part", False)


def main():
    directory = pathlib.Path(sys.argv[1])
    if (directory / "fast_p.csv").exists():
        draw_traces(directory)
        return
    policies = read(directory, "policies")
    look = looks([row["policy"] for row in policies])
    draw_speed(directory, policies, look)
    draw_curves(directory, read(directory, "curves"), look)
    draw_differences(directory, read(directory, "differences"))
    campaigns = read(directory, "campaigns")
    draw_profiles(directory, campaigns, look)
    draw_tasks(directory, campaigns, look)


if __name__ == "__main__":
    main()
