#!/usr/bin/env python3
"""How long `coppice mcp` takes from its start to its answer to a client's first
message, in an empty folder, beside the goal of 30 ms.

usage: scripts/mcp_start.py [--program COPPICE] [--times N]
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

GOAL_S = 0.030
HELLO = json.dumps({
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {},
               "clientInfo": {"name": "clock", "version": "1"}}}) + "\n"


def seconds(program, folder):
    begun = time.perf_counter()
    with subprocess.Popen([program, "mcp"], cwd=folder, text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as server:
        server.stdin.write(HELLO)
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())
        took = time.perf_counter() - begun
        server.stdin.close()
    assert answer["result"]["serverInfo"]["name"] == "coppice", answer
    return took


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--program", default="build/release/coppice")
    parser.add_argument("--times", type=int, default=101)
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).absolute())
    with tempfile.TemporaryDirectory() as folder:
        times = sorted(seconds(program, folder) for _ in range(options.times))
    median = statistics.median(times)
    print(f"from exec to the answer of initialize: {1e3 * median:.1f} ms, "
          f"{median / GOAL_S:.2f} of the goal of {1e3 * GOAL_S:.0f} ms; nine "
          f"in ten within {1e3 * times[len(times) * 9 // 10]:.1f} ms")


if __name__ == "__main__":
    main()
