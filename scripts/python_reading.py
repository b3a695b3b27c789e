#!/usr/bin/env python3
"""What it takes to read 100,000 nodes in 12 columns from Python.

  scripts/python_reading.py BIG.db [REPEATS]

of a database with so many; tests/million_nodes_benchmark builds one.  Prints
medians in milliseconds, for each reader and frame that is installed.
"""

import importlib.util
import pathlib
import statistics
import subprocess
import sys
import time

PACKAGE = pathlib.Path(__file__).resolve().parent.parent / "python"
sys.path.insert(0, str(PACKAGE))

import coppice_kernels as ck  # noqa: E402

COLUMNS = ("node parent verdict runtime_s speedup speedup_low speedup_high "
           "technique decision policy language committed_at_s").split()


def medians(work, repeats):
    """Milliseconds by the clock and of the processors."""
    took, used = [], []
    for _ in range(repeats):
        begin, before = time.perf_counter(), time.process_time()
        work()
        took.append(time.perf_counter() - begin)
        used.append(time.process_time() - before)
    return statistics.median(took) * 1e3, statistics.median(used) * 1e3


def importing(what, repeats):
    """Likewise, in processes of their own that have bytecode from before."""
    code = ("import time; a, b = time.perf_counter(), time.process_time(); "
            f"{what}; print(time.perf_counter() - a, time.process_time() - b)")
    pairs = [subprocess.run([sys.executable, "-c", code], cwd=PACKAGE,
                            capture_output=True, text=True,
                            check=True).stdout.split()
             for _ in range(repeats)]
    return [statistics.median(map(float, times)) * 1e3
            for times in zip(*pairs, strict=True)]


def measure(db, repeats=5):
    """(reader, frame, clock, processors) of 12 columns of its nodes, in ms."""
    readers = ["sqlite3"]
    if importlib.util.find_spec("adbc_driver_sqlite"):
        readers.append("adbc")
    frames = {"table": None, "df": "pandas", "pl": "polars",
              "arrow": "pyarrow"}
    for reader in readers:
        with ck.open(db, reader=reader) as h:
            for frame, package in frames.items():
                if package is None or importlib.util.find_spec(package):
                    view = h.nodes(COLUMNS)
                    yield reader, frame, *medians(getattr(view, frame),
                                                  repeats)


def main():
    db, repeats = sys.argv[1], int((*sys.argv, 5)[2])
    for what in ("import coppice_kernels", "import coppice_kernels.rl"):
        took, used = importing(what, repeats)
        print(f"{what} {took:.1f} ms, {used:.1f} of CPU")
    for reader, frame, took, used in measure(db, repeats):
        print(f"{reader} .{frame}() {took:.0f} ms, {used:.0f} of CPU")


if __name__ == "__main__":
    main()
