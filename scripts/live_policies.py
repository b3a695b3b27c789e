#!/usr/bin/env python3
"""Holds the default policy against stark and puct on live catalogue campaigns.

usage: scripts/live_policies.py [--program FILE] [--folder DIR] [--budget N]
                                [--seeds N] [--tasks TASK,...] [--minutes M]

Needs a machine that does nothing else.  Each two processors do one campaign at
a time, in a database of its own in DIR, by default build/live_policies; a run
that was stopped goes on.  Twelve tasks with one seed and 300 attempts are 36
campaigns: about 25 minutes on 32 cores.

Prints how many of 30, 100 and 300 attempts were made before the catalogue had
nothing left to try, what each policy's best kernel had come to then, as mean
log speedup over the tasks on which all policies came so far, and by how much
the others differ from stark, with 95 % over tasks (Student's of the mean on
each).
"""

import argparse
import concurrent.futures
import csv
import itertools
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

from processors import one_of, parted
from student import half_width

ROOT = pathlib.Path(__file__).resolve().parent.parent
BASELINE = "stark"
POLICIES = (BASELINE, "xei_hint", "puct")
TASKS = ("convnet_small,mlp_block,attention_head,conv2d_relu_maxpool,"
         "layernorm_linear,dct8x8,heat2d,conv2d_3x3,gemm_square,softmax_rows,"
         "histogram,layernorm_rows")
AFTER = (30, 100, 300, 1000)
CORES = 2  # Of each process.


def name_of(policy, task):
    return f"{policy}.{task}"


def compare(options, policy, task, part):
    """Runs or continues one campaign a seed; False if time ran out first."""
    name = name_of(policy, task)
    command = [options.program, "compare", options.folder / f"{name}.db",
               "--policies", policy, "--tasks", task,
               "--seeds", str(options.seeds), "--budget", str(options.budget),
               "--progress", "none"]
    log = options.folder / f"{name}.log"
    left = options.deadline - time.monotonic()
    if left <= 0:
        return False
    with open(log, "a", encoding="utf-8") as said:
        child = subprocess.Popen(part.kept(command), stdout=said, stderr=said)
        try:
            status = child.wait(timeout=left)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            return False
    if status:
        sys.exit(f"live_policies.py: {log} says why "
                 f"{' '.join(map(str, command))} failed")
    return True


def score_of(options, policy, task, after):
    """Mean log speedup and attempts within so many, or None if not all came so
    far; one whose catalogue had nothing left to try did."""
    name = name_of(policy, task)
    database = options.folder / f"{name}.db"
    if not database.exists():
        return None
    numbers = options.folder / f"{name}.csv"
    subprocess.run([options.program, "compare", database, "--report",
                    "--budget", str(after), "--csv", numbers],
                   check=True, stdout=subprocess.DEVNULL)
    with open(numbers / "campaigns.csv", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    if len(rows) < options.seeds:
        return None
    return (statistics.mean(float(row["log_speedup"]) for row in rows),
            statistics.mean(int(row["attempts"]) for row in rows))


def report(options, tasks, after):
    scores = {(policy, task): score_of(options, policy, task, after)
              for policy in POLICIES for task in tasks}
    common = [task for task in tasks
              if all(scores[policy, task] is not None for policy in POLICIES)]
    if len(common) < 2:
        return
    print(f"after {after} attempts, on {len(common)} tasks")
    for policy in POLICIES:
        worth, made = map(statistics.mean, zip(
            *(scores[policy, task] for task in common)))
        line = f"  {policy:10} {made:5.0f} made  {worth:6.3f}"
        if policy != BASELINE:
            apart = [scores[policy, task][0] - scores[BASELINE, task][0]
                     for task in common]
            line += f"  {statistics.mean(apart):+.3f} ± {half_width(apart):.3f}"
        print(line)
    for task in common:
        print(f"    {task:20}" + "".join(
            f" {policy} {math.exp(scores[policy, task][0]):6.2f}x"
            for policy in POLICIES))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path,
                        default=ROOT / "build" / "release" / "coppice")
    parser.add_argument("--folder", type=pathlib.Path,
                        default=ROOT / "build" / "live_policies")
    parser.add_argument("--budget", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--tasks", default=TASKS)
    parser.add_argument("--minutes", type=float, default=math.inf,
                        help="stop then, and report what there is")
    options = parser.parse_args()
    options.deadline = time.monotonic() + 60 * options.minutes
    tasks = options.tasks.split(",")
    if len(tasks) < 2:
        sys.exit("live_policies.py: --tasks: expected 2 or more")
    options.folder.mkdir(parents=True, exist_ok=True)

    # A task's policies one beside the other, so that each has the same machine.
    pairs = list(itertools.product(tasks, POLICIES))
    count = min(max(len(os.sched_getaffinity(0)) // CORES, 1), len(pairs))

    def one(pair):
        with one_of(parts) as part:
            return compare(options, pair[1], pair[0], part)

    with (parted(count) as parts,
          concurrent.futures.ThreadPoolExecutor(count) as pool):
        ended = sum(pool.map(one, pairs))
    print(f"{ended} of {len(pairs)} campaigns came to {options.budget} attempts")

    for after in AFTER:
        if after <= options.budget:
            report(options, tasks, after)


if __name__ == "__main__":
    main()
