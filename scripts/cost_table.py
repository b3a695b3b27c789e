#!/usr/bin/env python3
"""What the ways in cost, as one table of Markdown, each row with the command
that measures it by itself.

usage: cost_table.py [--program build/release/coppice] [--only PART ...]
                     [--task TASK ...] [--seconds 10] [--history FILE]
                     [--builder build/dev/tests/million_nodes_benchmark]
                     [--wheel FILE]

Parts are policies, service, mcp, imports, reading, rewards and wheel.  Without
--history one of 100,000 nodes is built, by --builder: a minute, and 150 MB in
the folder for temporary files.  Without --wheel it is that of scripts/wheel.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "python")]

import mcp_start  # noqa: E402
import policy_costs  # noqa: E402
import python_reading  # noqa: E402
import service_figures  # noqa: E402

import coppice_kernels as ck  # noqa: E402

NODES = 100_000
BATCH = 64


def ms(took_s):
    digits = 0 if took_s >= 0.1 else 1 if took_s >= 0.001 else 2
    return f"{1e3 * took_s:,.{digits}f} ms"


def policies(options):
    for where, used_us, took_us in policy_costs.measure(options.program):
        yield (f"a decision of `stark` {where}", f"{took_us:,.1f} us",
               f"{used_us:,.1f} us", "")


def service(options):
    """A rate has the CPU of one beside it."""
    for task in options.task:
        figures = {what: (value, goal) for what, value, goal, _ in
                   service_figures.measure(options.program, task,
                                           options.seconds)}
        for what, one in (("checks a second", "CPU of a check, ms"),
                          ("timed judgements a second",
                           "CPU of a timed judgement, ms")):
            value, goal = figures[what]
            yield (f"{what}, `{task}`", f"{value:.1f}",
                   ms(figures[one][0] / 1e3), f"{goal:.0f}")
        value, goal = figures["duplicate, ms"]
        yield (f"a kernel that is known, `{task}`", ms(value / 1e3), "",
               ms(goal / 1e3))


def mcp(options):
    times = 41
    with tempfile.TemporaryDirectory() as folder:
        begun_s = policy_costs.cpu_s()
        took = sorted(mcp_start.seconds(options.program, folder)
                      for _ in range(times))
        used_s = (policy_costs.cpu_s() - begun_s) / times
        call_s = mcp_start.call_s(options.program, folder, 101)
    yield ("`coppice mcp`, from its start to its first answer; CPU to its end",
           ms(took[times // 2]), ms(used_s), ms(mcp_start.GOAL_S))
    yield "a call of `describe_task` by MCP", ms(call_s), "", ""


def imports(_):
    for what, goal in (("import coppice_kernels", ms(0.05)),
                       ("import coppice_kernels.rl", ms(0.05)),
                       ("from coppice_kernels.rl import reward", "")):
        took_ms, used_ms = python_reading.importing(what, 21)
        yield f"`{what}`", ms(took_ms / 1e3), ms(used_ms / 1e3), goal


def reading(options):
    with tempfile.TemporaryDirectory() as folder:
        history = options.history or os.path.join(folder, "large.db")
        if not options.history:
            subprocess.run([options.builder, "--build", history, str(NODES)],
                           check=True)
        for reader, frame, took_ms, used_ms in python_reading.measure(history):
            yield (f"{NODES:,} nodes of 12 columns by {reader}, `.{frame}()`",
                   ms(took_ms / 1e3), ms(used_ms / 1e3), ms(0.3))


def rewards(options):
    """Of kernels that differ, of a task that was asked for before."""
    task = options.task[0]
    with tempfile.TemporaryDirectory() as cache:
        os.environ["COPPICE_CACHE_DIRECTORY"] = cache
        with ck.Evaluator(command=[options.program, "serve",
                                   "--stdio"]) as evaluator:
            root = evaluator.do(ck.operations.DescribeTask(
                task=task, part="root")).text
            for tier in ("check", "fast"):
                reward = ck.rl.reward(task=task, tier=tier,
                                      evaluator=evaluator)
                for first, batch in ((BATCH, 2), (0, BATCH)):
                    texts = [f"```cpp\n{source}```\n" for source in
                             (service_figures.source_of(root, first + i)
                              for i in range(batch))]
                    begun = time.perf_counter()
                    reward(completions=texts)
                    took_s = time.perf_counter() - begun
                yield (f"rewards a second of a batch of {BATCH}, `{task}`, "
                       f"tier `{tier}`", f"{BATCH / took_s:.1f}", "", "")


def wheel(options):
    file = options.wheel
    if file is None:
        file = next((ROOT / "build/wheel/dist").glob("*.whl"), None)
    if file is None:
        sys.exit("cost_table.py: no wheel: run scripts/wheel, or name one by "
                 "--wheel")
    yield "the wheel", f"{os.path.getsize(file) / 1e6:.1f} MB", "", ""


def main():
    parts = [policies, service, mcp, imports, reading, rewards, wheel]
    names = [part.__name__ for part in parts]
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--program", default=ROOT / "build/release/coppice")
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--task", nargs="+", default=["gelu_tanh", "row_sum"])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--history")
    parser.add_argument("--builder",
                        default=ROOT / "build/dev/tests/million_nodes_benchmark")
    parser.add_argument("--wheel")
    options = parser.parse_args()
    options.program = str(pathlib.Path(options.program).resolve())
    if not os.access(options.program, os.X_OK):
        sys.exit(f"cost_table.py: {options.program}: no such program: build "
                 "it, or name one by --program")
    print(f"{service_figures.machine()}\n")
    print("| what | by the clock | CPU | goal | part |")
    print("|---|---|---|---|---|")
    for part in parts:
        if part.__name__ not in options.only:
            continue
        for row in part(options):
            print("|", " | ".join(row), f"| `{part.__name__}` |",
                  flush=True)


if __name__ == "__main__":
    main()
