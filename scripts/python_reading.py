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


def median_ms(work, repeats):
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1e3


def main():
    db, repeats = sys.argv[1], int((*sys.argv, 5)[2])
    code = "import time; a = time.perf_counter(); import coppice_kernels; " \
        "print(time.perf_counter() - a)"
    importing = statistics.median(
        float(subprocess.run([sys.executable, "-c", code], cwd=PACKAGE,
                             capture_output=True, text=True,
                             check=True).stdout) * 1e3
        for _ in range(repeats))
    print(f"import {importing:.1f} ms")
    readers = ["sqlite3"]
    if importlib.util.find_spec("adbc_driver_sqlite"):
        readers.append("adbc")
    frames = {"table": None, "df": "pandas", "pl": "polars",
              "arrow": "pyarrow"}
    for reader in readers:
        with ck.open(db, reader=reader) as h:
            print(reader, len(h.nodes(["node"]).table()), "nodes")
            for frame, package in frames.items():
                if package is None or importlib.util.find_spec(package):
                    view = h.nodes(COLUMNS)
                    took = median_ms(getattr(view, frame), repeats)
                    print(f"  .{frame}() {took:.0f} ms")


if __name__ == "__main__":
    main()
