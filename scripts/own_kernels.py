#!/usr/bin/env python3
"""Makes a task of each kernel in tests/own_kernels and searches on it.

usage: own_kernels.py PROGRAM [--docs] [KERNEL...]

Prints the table of docs/your_own_kernel.md: what was typed, how long it took
until the campaign's end, what was shown, and what the campaign and the expert
come to.  With --docs it writes that table into the document.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests/own_kernels"
# What cannot be read off the loops.
LIBRARY = "--expert {experts}/{stem}.cc --link openblas"
OPTIONS = {
    "atax.c": LIBRARY,
    "cgemv.c": LIBRARY,
    "gemm.c": LIBRARY,
    "fir.cc": "--size taps=32",
    "floyd_warshall.c": "--input path=integers:1..1000",
    "nbody.cc": "--input mass=positive",
    "spmv.c": "--shape x=n",
}


def run(words, where):
    start = time.monotonic()
    done = subprocess.run(words, cwd=where, capture_output=True, text=True)
    return done, time.monotonic() - start


def times(value):
    return f"{value:.2f}" if isinstance(value, (int, float)) else "-"


def searched(program, name, where):
    """Minutes of five attempts, and the best one's speedup."""
    _, ran_s = run([program, "run", f"./{name}", "--budget", "5",
                    "--db", f"{name}.db"], where)
    best, _ = run([program, "best", "--db", f"{name}.db", "--json"], where)
    found = json.loads(best.stdout)[0] if best.stdout else {}
    return f"{ran_s / 60:.1f}", times(found.get("speedup"))


def expert_of(program, name, where):
    if not (pathlib.Path(where) / name / "expert.cc").exists():
        return "-"
    judged, _ = run([program, "eval", f"./{name}", "--expert", "--json"], where)
    if not judged.stdout:
        return "-"
    ratios = [statistics.median(one["root_samples_s"]) /
              statistics.median(one["samples_s"])
              for one in json.loads(judged.stdout)["workloads"]
              if one["samples_s"]]
    return times(statistics.geometric_mean(ratios)) if ratios else "-"


def row(program, kernel, where):
    options = OPTIONS.get(kernel.name, "")
    options = options.format(experts=FOLDER / "experts", stem=kernel.stem)
    name = kernel.stem
    made, made_s = run([program, "new", str(kernel), name, *options.split()],
                       where)
    if made.returncode != 0:
        return f"| {kernel.name} | {made.stderr.strip() or made.stdout} |"
    root = re.search(r"the function takes ([^;\n]*)", made.stdout)[1]
    shown = re.split("shapes:|the function", made.stdout)[0].strip()
    lines = [line for line in kernel.read_text().splitlines() if line]
    # The catalogue writes no Python.
    is_python = kernel.suffix == ".py"
    ran, best = ("-", "-") if is_python else searched(program, name, where)
    short = options.replace(f"{FOLDER}/experts/", "")
    return (f"| {kernel.name} | {len(lines)} | "
            f"{f'`{short}`' if short else '-'} | "
            f"{len(shown.splitlines()) - 1} | {made_s / 60:.1f} | {ran} | "
            f"{root} | {best} | {expert_of(program, name, where)} |")


def write_docs(table):
    page = FOLDER.parent.parent / "docs/your_own_kernel.md"
    text = page.read_text()
    begin = text.index("| kernel | lines")
    end = text.index("\n\n", begin)
    page.write_text(text[:begin] + "\n".join(table) + text[end:])


def main(program, *names):
    program = os.path.abspath(program)
    table = ["| kernel | lines | options | assumptions | minutes to the task "
             "| minutes of 5 attempts | root | best | expert |",
             "|---|---|---|---|---|---|---|---|---|"]
    print("\n".join(table))
    with tempfile.TemporaryDirectory() as where:
        kernels = [*FOLDER.glob("*.c*"), *FOLDER.glob("*.py")]
        for kernel in sorted(kernels):
            if set(names) - {"--docs"} and kernel.stem not in names:
                continue
            table.append(row(program, kernel, where))
            print(table[-1], flush=True)
    if "--docs" in names:
        write_docs(table)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
