#!/usr/bin/env python3
"""What an attempt costs, by where its policy runs, as a table of Markdown.

Of whole campaigns on a landscape in memory, without what starting takes, by the
processors' time of all processes and by the clock.

usage: policy_costs.py [--program FILE] [--budget N] [--seeds N]
"""

import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

TREE = pathlib.Path(__file__).resolve().parents[1]
STARK = TREE / "docs" / "policies" / "stark.py"


def cpu_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(program, folder, policy, budget, seeds, *more):
    """Of the processors, and by the clock."""
    words = ["compare", "--in-memory", "--tasks", "sim:hill/1", "--parallel", "1"]
    words += ["--policies", policy, "--seeds", str(seeds), "--budget", str(budget)]
    begun, used = time.perf_counter(), cpu_s()
    subprocess.run(
        [program, *words, *more], cwd=folder, check=True, capture_output=True
    )
    return cpu_s() - used, time.perf_counter() - begun


def in_process(budget, seeds):
    """Of one process in Python, which makes the nodes up."""
    sys.path.insert(0, str(TREE / "python"))
    from coppice_kernels import policy

    stark = policy.load(STARK.read_text(), str(STARK), "Stark")
    rule = policy.rule_of(stark)
    draws = policy.Stream(1, 9, 0)
    rows = [policy._random_row(draws, node, 0) for node in range(budget + 1)]
    begun, used = time.perf_counter(), time.process_time()
    for seed in range(seeds):
        seat = policy._Seat(stark, rule)
        for decision, row in enumerate(rows[1:]):
            seat.add(row if decision else rows[0])
            seat.select(policy.Stream(seed, 1, decision))
    return time.process_time() - used, time.perf_counter() - begun


def measure(program, budget=100, seeds=100):
    """Of each place where it may run: microseconds of an attempt, by the
    processors and by the clock."""
    python = f"python:{STARK}:Stark"
    with tempfile.TemporaryDirectory() as folder:
        for where, policy, more in (
            ("of the program", "stark", ()),
            ("in Python, each sixteenth decision asked again", python, ()),
            ("in Python, each asked again", python, ("--policy-check", "all")),
        ):
            few = 2
            start = seconds(program, folder, policy, budget, few, *more)
            whole = seconds(program, folder, policy, budget, seeds, *more)
            decisions = budget * (seeds - few)
            yield where, *(
                1e6 * (b - a) / decisions for a, b in zip(start, whole, strict=True)
            )
    alone = in_process(budget, seeds)
    yield (
        "Python alone: no program, no pipe",
        *(1e6 * each_s / (budget * seeds) for each_s in alone),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=TREE / "build" / "release" / "coppice")
    parser.add_argument("--budget", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=100)
    given = parser.parse_args()
    program = str(pathlib.Path(given.program).resolve())
    print("| `stark` | us of processors | us by the clock | attempts a second |")
    print("|---|---|---|---|")
    for where, used, took in measure(program, given.budget, given.seeds):
        print(f"| {where} | {used:,.1f} | {took:,.1f} | {1e6 / took:,.0f} |")
    script = TREE / "python" / "coppice_kernels" / "policy.py"
    checked = subprocess.run(
        [sys.executable, script, "check", f"{STARK}:Stark"],
        check=True,
        capture_output=True,
        text=True,
    )
    print()
    print(checked.stdout.strip().splitlines()[-1])


if __name__ == "__main__":
    main()
