#!/usr/bin/env python3
"""Holds the default policy against stark and puct on live catalogue campaigns.

usage: scripts/live_policies.py [--program FILE] [--folder DIR] [--budget N]
                                [--seeds N] [--tasks TASK,...]

Needs a machine that does nothing else.  Each four processors do some of the
tasks, in a database of their own in DIR, by default build/live_policies; a run
that was stopped goes on.  Eight tasks, two seeds and 30 attempts are 48
campaigns: about twelve minutes on 16 cores.

Prints the mean log speedup of each policy, and by how much the others differ
from stark, with 95 % over tasks (Student's of the mean on each).
"""

import argparse
import concurrent.futures
import csv
import math
import os
import pathlib
import statistics
import subprocess
import sys

from processors import one_of, parted

ROOT = pathlib.Path(__file__).resolve().parent.parent
BASELINE = "stark"
POLICIES = (BASELINE, "xei_hint", "puct")
TASKS = ("gemm_square,softmax_rows,conv2d_3x3,histogram,gemv,layernorm_rows,"
         "cumsum_rows,transpose")
CORES = 4  # Of each process.

# 97.5 % quantiles of Student's distribution, of 1 to 13 degrees of freedom.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
           2.228, 2.201, 2.179, 2.160)


def compare(options, tasks, part, number):
    command = [options.program, "compare", options.folder / f"{number}.db",
               "--policies", ",".join(POLICIES), "--tasks", ",".join(tasks),
               "--seeds", str(options.seeds), "--budget", str(options.budget),
               "--csv", options.folder / str(number), "--progress", "none"]
    log = options.folder / f"{number}.log"
    with open(log, "w", encoding="utf-8") as said:
        if subprocess.run(part.kept(command), stdout=said, stderr=said,
                          check=False).returncode:
            sys.exit(f"live_policies.py: {log} says why "
                     f"{' '.join(map(str, command))} failed")


def scores_of(folder):
    """{policy: {task: [log speedup of each seed]}}"""
    scores = {policy: {} for policy in POLICIES}
    for file in sorted(folder.glob("*/campaigns.csv")):
        with open(file, encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                scores[row["policy"]].setdefault(row["task"], []).append(
                    float(row["log_speedup"]))
    return scores


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path,
                        default=ROOT / "build" / "release" / "coppice")
    parser.add_argument("--folder", type=pathlib.Path,
                        default=ROOT / "build" / "live_policies")
    parser.add_argument("--budget", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--tasks", default=TASKS)
    options = parser.parse_args()
    tasks = options.tasks.split(",")
    if not 2 <= len(tasks) <= len(STUDENT) + 1:
        sys.exit(f"live_policies.py: --tasks: expected 2 to {len(STUDENT) + 1}")
    options.folder.mkdir(parents=True, exist_ok=True)

    count = min(max(len(os.sched_getaffinity(0)) // CORES, 1), len(tasks))

    def some(number):
        with one_of(parts) as part:
            compare(options, tasks[number::count], part, number)

    with (parted(count) as parts,
          concurrent.futures.ThreadPoolExecutor(count) as pool):
        list(pool.map(some, range(count)))

    scores = scores_of(options.folder)
    for policy in POLICIES:
        means = [statistics.mean(scores[policy][task]) for task in tasks]
        line = f"{policy:10} {statistics.mean(means):6.3f}"
        if policy != BASELINE:
            apart = [mean - statistics.mean(scores[BASELINE][task])
                     for mean, task in zip(means, tasks)]
            half = (STUDENT[len(tasks) - 2] * statistics.stdev(apart)
                    / math.sqrt(len(tasks)))
            line += f"  {statistics.mean(apart):+.3f} ± {half:.3f}"
        print(line)


if __name__ == "__main__":
    main()
