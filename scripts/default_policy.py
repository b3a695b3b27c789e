#!/usr/bin/env python3
"""The tables of docs/policies.md that hold the default policy against others.

usage: scripts/default_policy.py [--program FILE] [--db FILE] [--seeds N]

FILE is a coppice, by default build/release/coppice; the database, by default
build/default_policy.db, keeps the scores, so a run that was stopped goes on.
It asks for 200 campaigns of each policy on each landscape, whose seeds, from
80001 on, nothing was chosen with: two minutes on 2 cores that do nothing else.

Intervals are over landscapes, Student's of the means on each, so they say what
other landscapes of the kind would show.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = {"sim:all": "simulated", "recorded:train": "recorded, to tune on",
        "recorded:test": "recorded, to test on",
        "recorded:own": "measured by the authors",
        "recorded:unseen": "of kernels not tuned on"}
BASELINE = "stark"
POLICIES = (BASELINE, "xei_hint", "puct")
BUDGETS = (30, 100, 300, 1000)
FIRST_SEED = 80001


def compare(options, *arguments):
    command = [options.program, "compare", options.db, "--in-memory",
               *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    return done.stdout


def play(options):
    options.db.parent.mkdir(parents=True, exist_ok=True)
    compare(options, "--policies", ",".join(POLICIES), "--tasks",
            ",".join(SETS), "--budget", ",".join(map(str, BUDGETS)), "--seed",
            str(FIRST_SEED), "--seeds", str(options.seeds))


def row_of(rows, policy):
    return next((row for row in rows if row["policy"] == policy), None)


def ranged(interval):
    """`*` tells that the interval leaves zero out."""
    value, low, high = (interval[key] for key in ("value", "low", "high"))
    star = "*" if low > 0 or high < 0 else ""
    return f"{value:+.3f}{star} ± {(high - low) / 2:.3f}"


def print_table(title, lines):
    head = [title, *(f"{budget:,} attempts" for budget in BUDGETS)]
    for cells in [head, ["---"] * len(head), *lines]:
        print("| " + " | ".join(cells) + " |")
    print()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--program", type=pathlib.Path,
                        default=ROOT / "build" / "release" / "coppice")
    parser.add_argument("--db", type=pathlib.Path,
                        default=ROOT / "build" / "default_policy.db")
    parser.add_argument("--seeds", type=int, default=200)
    options = parser.parse_args()
    if not options.program.is_file():
        sys.exit(f"default_policy.py: {options.program}: no such program")
    play(options)
    speeds, shares = [], []
    for tasks, title in SETS.items():
        report = json.loads(compare(options, "--report", "--json", "--tasks",
                                    tasks))
        whole = [next(part for part in report["parts"]
                      if part["budget"] == budget and not part["landscape"])
                 for budget in BUDGETS]
        name = f"`{tasks}`, {len(report['landscapes'])} {title}"
        for policy in POLICIES:
            known = [part["known"] for part in whole]
            if policy == BASELINE:
                means = [row_of(part["policies"], policy)["mean_log_speedup"]
                         for part in whole]
                speeds.append([f"{name}: `{policy}`",
                               *(f"{mean['value']:.3f}" for mean in means)])
            else:
                speeds.append([f"`{policy}`", *(
                    ranged(row_of(part["differences"], policy)
                           ["log_speedup_over_tasks"]) for part in whole)])
            if not all(known):
                continue
            if policy == BASELINE:
                random = ["random search", *(
                    f"{each['random_share_of_optimum']:.3f}"
                    for each in known)]
            rows = [row_of(each["policies"], policy) for each in known]
            if policy == BASELINE:
                shares.append([f"{name}: `{policy}`", *(
                    f"{row['share_of_optimum']['value']:.3f}"
                    for row in rows)])
            else:
                shares.append([f"`{policy}`", *(
                    ranged(row["difference_of_share_over_tasks"])
                    for row in rows)])
            if policy == POLICIES[-1]:
                shares.append(random)
    print_table("mean log speedup, and differences", speeds)
    print_table("share of the fastest's log speedup, and differences", shares)


if __name__ == "__main__":
    main()
