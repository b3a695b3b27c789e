#!/usr/bin/env python3
"""How well does the time of a wrong kernel tell that of the right one?

usage: tests/hint_study.py PROGRAM DATABASE [--sources N] [--minutes M]
       [--seed S] [--raw FILE]

Takes kernels of DATABASE's C++ campaigns that pass, N of each task (2) spread
over their speedups; plants one fault of each kind at a random place of each;
judges both with `PROGRAM eval` in the fast tier; and compares the hint of
those that compute wrong with the speedup of the kernel without the fault.  The
order is random, so what M minutes (10) allow is a sample of the whole.

Prints, by kind of fault and for all, the correlations of the logarithms, the
standard deviation of their difference, and the share of hints that look
faster by more than 30 %.  With --raw each pair is appended to FILE as CSV.
"""

import argparse
import collections
import json
import math
import pathlib
import random
import re
import statistics
import subprocess
import tempfile
import time

NAME = r"[A-Za-z_]\w*"


def replace_one(source, pattern, by, rng):
    """At one random match; none: the fault does not apply."""
    places = list(re.finditer(pattern, source))
    if not places:
        return None
    place = rng.choice(places)
    return source[: place.start()] + place.expand(by) + source[place.end():]


# Each a pattern and what stands there instead.
FAULTS = {
    "bound off by one": (
        rf"(for \(int64_t {NAME} = [^;]+; {NAME} < )([^;]+);", r"\1(\2) - 1;"),
    "remainder dropped": (
        rf"for \(int64_t ({NAME}) = ([^;]*/[^;]*);([^;]*);",
        r"for (int64_t \1 = \2; false &&\3;"),
    "wrong constant": (r"\b(\d+\.\d+)f\b", r"(\1f + 0.5f)"),
    "not initialised": (rf"float ({NAME}) = [^;]+;", r"float \1;"),
    "work skipped": (rf"\+\+({NAME})\) \{{", r"\1 += 2) {"),
    "accumulation dropped": (r" \+= ", " = "),
    "wrong index": (rf"\[([^\[\]]*\b{NAME}\b[^\[\]]*)\](?! = )",
                    r"[\1 + 1]"),
    "wrong operator": (r"\] \* (?=[A-Za-z_])", "] - "),
}


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True,
                          text=True, timeout=300)
    return done.stdout


def sources_of(program, database, count):
    """[(task, node, source)], spread over the speedups of each task."""
    rows = json.loads(run(
        program, "sql", "--json", "--db", database,
        "SELECT task, campaign, node, blob_text(source_blob) AS source "
        "FROM nodes WHERE verdict = 'passed' AND same_as IS NULL "
        "AND node > 0 AND language = 'cpp' ORDER BY task, speedup"))
    rows = rows if isinstance(rows, list) else rows["rows"]
    by_task = collections.defaultdict(list)
    for row in rows:
        by_task[row["task"]].append(row)
    chosen = []
    for task, nodes in by_task.items():
        most = min(count, len(nodes))
        for i in range(most):
            at = (2 * i + 1) * len(nodes) // (2 * most)
            chosen.append((task, nodes[at]["node"], nodes[at]["source"]))
    return chosen


def judge(program, task, source, folder):
    path = folder / "kernel.cc"
    path.write_text(source)
    # On one processor, whose time alone counts: whoever shares the machine
    # delays threads that wait for each other.
    text = run(program, "eval", task, str(path), "--json", "--threads", "1",
               "--quiet-wait-s", "0")
    return json.loads(text) if text else {"verdict": "not judged"}


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    rank = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for k in range(at, end):
            rank[order[k]] = (at + end - 1) / 2
        at = end
    return rank


def correlation(a, b):
    if len(a) < 3 or len(set(a)) < 2 or len(set(b)) < 2:
        return math.nan
    return statistics.correlation(a, b)


def print_row(name, pairs):
    hints = [hint for hint, _ in pairs]
    rights = [right for _, right in pairs]
    apart = [hint - right for hint, right in pairs]
    spread = statistics.stdev(apart) if len(apart) > 1 else math.nan
    middle = statistics.median(apart) if apart else math.nan
    # The deviation of the half nearest to the middle, as a normal's would be.
    core = (statistics.median(abs(x - middle) for x in apart) * 1.4826
            if apart else math.nan)
    false = sum(x > math.log(1.3) for x in apart) / len(apart) if apart else 0
    print(f"{name:22} {len(pairs):5} {correlation(ranks(hints), ranks(rights)):9.2f}"
          f" {correlation(hints, rights):8.2f} {middle:+8.3f} {spread:7.3f}"
          f" {core:7.3f} {100 * false:9.0f} %")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("database")
    parser.add_argument("--sources", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--raw")
    options = parser.parse_args()

    rng = random.Random(options.seed)
    work = []
    for task, node, source in sources_of(options.program, options.database,
                                         options.sources):
        for kind, (pattern, by) in FAULTS.items():
            wrong = replace_one(source, pattern, by, rng)
            if wrong is not None and wrong != source:
                work.append((task, node, source, kind, wrong))
    rng.shuffle(work)

    end = time.monotonic() + 60 * options.minutes
    verdicts = collections.Counter()
    rights = {}
    pairs = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for task, node, source, kind, wrong in work:
            if time.monotonic() > end:
                break
            found = judge(options.program, task, wrong, folder)
            verdicts[found["verdict"]] += 1
            if not found.get("hint"):
                continue
            if (task, node) not in rights:
                rights[task, node] = judge(options.program, task, source, folder)
            speedup = rights[task, node].get("speedup")
            if not speedup:
                continue
            pair = (math.log(found["hint"]["factor"]), math.log(speedup))
            pairs[kind].append(pair)
            if options.raw:
                with open(options.raw, "a") as raw:
                    raw.write(f"{task},{node},{kind},{pair[0]:.4f},"
                              f"{pair[1]:.4f},{found['timing_s']:.3f}\n")

    judged = sum(verdicts.values())
    print(f"{judged} of {len(work)} faulty kernels judged: " + ", ".join(
        f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    print(f"{'fault':22} {'count':>5} {'Spearman':>9} {'Pearson':>8}"
          f" {'median':>8} {'sd':>7} {'core sd':>7} {'> 30 % fast':>11}")
    for kind in FAULTS:
        if pairs[kind]:
            print_row(kind, pairs[kind])
    print_row("all", [pair for kind in FAULTS for pair in pairs[kind]])


if __name__ == "__main__":
    main()
