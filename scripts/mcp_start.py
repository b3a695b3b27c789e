#!/usr/bin/env python3
"""How long `coppice mcp` takes from its start to its answer to a client's first
message, in an empty folder, beside the goal of 30 ms; and to a call of a tool.

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
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {},
         "clientInfo": {"name": "clock", "version": "1"}}
CALL = {"name": "describe_task", "arguments": {"task": "row_sum"}}


def ask(server, method, params):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method,
                                   "params": params}) + "\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())["result"]


def start(program, folder):
    return subprocess.Popen([program, "mcp"], cwd=folder, text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)


def seconds(program, folder):
    begun = time.perf_counter()
    with start(program, folder) as server:
        answer = ask(server, "initialize", HELLO)
        took = time.perf_counter() - begun
        server.stdin.close()
    assert answer["serverInfo"]["name"] == "coppice", answer
    return took


def call_s(program, folder, times):
    """The median of a tool's calls that judge nothing, after a first one."""
    took = []
    with start(program, folder) as server:
        ask(server, "initialize", HELLO)
        for _ in range(times + 1):
            begun = time.perf_counter()
            answer = ask(server, "tools/call", CALL)
            took.append(time.perf_counter() - begun)
            assert not answer.get("isError"), answer
        server.stdin.close()
    return statistics.median(took[1:])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--program", default="build/release/coppice")
    parser.add_argument("--times", type=int, default=101)
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).absolute())
    with tempfile.TemporaryDirectory() as folder:
        times = sorted(seconds(program, folder) for _ in range(options.times))
        call = call_s(program, folder, options.times)
    median = statistics.median(times)
    print(f"from exec to the answer of initialize: {1e3 * median:.1f} ms, "
          f"{median / GOAL_S:.2f} of the goal of {1e3 * GOAL_S:.0f} ms; nine "
          f"in ten within {1e3 * times[len(times) * 9 // 10]:.1f} ms; a call of "
          f"describe_task {1e3 * call:.2f} ms")


if __name__ == "__main__":
    main()
