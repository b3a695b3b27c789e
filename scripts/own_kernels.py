#!/usr/bin/env python3
"""Makes a task of each kernel in tests/own_kernels and searches on it.

usage: own_kernels.py PROGRAM [KERNEL...]

Prints the table of docs/your_own_kernel.md: what was typed, how long it took
until the campaign's end, what was shown, and what the campaign found.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests/own_kernels"
# What cannot be read off the loops.
OPTIONS = {
    "fir.cc": "--size taps=32",
    "floyd_warshall.c": "--input path=integers:1..1000",
    "nbody.cc": "--input mass=positive",
    "spmv.c": "--shape x=n",
}


def run(words, where):
    start = time.monotonic()
    done = subprocess.run(words, cwd=where, capture_output=True, text=True)
    return done, time.monotonic() - start


def row(program, kernel, where):
    options = OPTIONS.get(kernel.name, "")
    made, made_s = run([program, "new", str(kernel), kernel.stem,
                        *options.split()], where)
    if made.returncode != 0:
        return f"| {kernel.name} | {made.stderr.strip() or made.stdout} |"
    ran, ran_s = run([program, "run", f"./{kernel.stem}", "--budget", "5",
                      "--db", f"{kernel.stem}.db"], where)
    best, _ = run([program, "best", "--db", f"{kernel.stem}.db", "--json"],
                  where)
    found = json.loads(best.stdout)[0] if best.stdout else {}
    speedup = found.get("speedup")
    root = re.search(r"the function takes (.*)", made.stdout)[1]
    shown = made.stdout.split("shapes:")[0].strip().splitlines()
    lines = len([line for line in kernel.read_text().splitlines() if line])
    gain = f"{speedup:.2f}" if isinstance(speedup, (int, float)) else "-"
    code = f"`{options}`" if options else "-"
    return (f"| {kernel.stem} | {lines} | {code} | {len(shown) - 1} | "
            f"{made_s / 60:.1f} | {ran_s / 60:.1f} | {root} | {gain} |")


def main(program, *names):
    program = os.path.abspath(program)
    print("| kernel | lines | options | assumptions | minutes to the task "
          "| minutes of 5 attempts | root | best |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as where:
        for kernel in sorted(FOLDER.glob("*.c*")):
            if names and kernel.stem not in names:
                continue
            print(row(program, kernel, where), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
