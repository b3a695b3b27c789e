#!/usr/bin/env python3
"""Measures what `coppice serve --stdio` does in a second, and prints a table.

A row for each goal: what was measured, the goal, and how much of it that is.
Candidates differ in one function, so that none is known from before.

usage: service_figures.py [--program build/release/coppice] [--task TASK]
                          [--seconds 10]
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Service:
    """Sends requests without waiting, and keeps when each was answered."""

    def __init__(self, program, cache):
        environment = {**os.environ, "COPPICE_CACHE_DIRECTORY": cache}
        self.process = subprocess.Popen(
            [program, "serve", "--stdio"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env=environment)
        self.answers = {}
        self.changed = threading.Condition()
        self.given = 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "id" not in message:
                continue
            with self.changed:
                self.answers[message["id"]] = (time.monotonic(), message)
                self.changed.notify_all()

    def send(self, method, **params):
        self.given += 1
        self.process.stdin.write(json.dumps(
            {"jsonrpc": "2.0", "id": self.given, "method": method,
             "params": params}) + "\n")
        self.process.stdin.flush()
        return self.given

    def wait(self, number):
        with self.changed:
            self.changed.wait_for(lambda: number in self.answers)
            when, message = self.answers.pop(number)
        if "error" in message:
            sys.exit(message["error"]["message"])
        return when, message["result"]

    def ask(self, method, **params):
        return self.wait(self.send(method, **params))[1]


def source_of(root, number):
    return f'{root}\nextern "C" int number() {{ return {number}; }}\n'


def rate(service, task, root, tier, seconds, first):
    """Judgements a second with 16 requests under way at any time."""
    number = first
    under_way = []
    start = time.monotonic()
    done = 0
    while time.monotonic() - start < seconds or under_way:
        while len(under_way) < 16 and time.monotonic() - start < seconds:
            under_way.append(service.send(
                "evaluate_kernel", task=task, tier=tier, wait_s=55,
                source=source_of(root, number)))
            number += 1
        when, result = service.wait(under_way.pop(0))
        if result.get("verdict") != "passed":
            sys.exit(f"{tier}: {result}")
        done += 1
    return done / (when - start)


def processor_s(service):
    """Counts the service and all that it has started and waited for."""
    fields = pathlib.Path(f"/proc/{service.process.pid}/stat").read_text()
    ticks = [int(field) for field in fields.rsplit(")", 1)[1].split()[11:15]]
    return sum(ticks) / os.sysconf("SC_CLK_TCK")


def duplicate_s(service, task, root, number):
    times = []
    for _ in range(200):
        start = time.monotonic()
        service.ask("evaluate_kernel", task=task, tier="check",
                    source=source_of(root, number))
        times.append(time.monotonic() - start)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=ROOT / "build/release/coppice")
    parser.add_argument("--task", default="gelu_tanh")
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        service = Service(options.program, cache)
        root = service.ask("describe_task", task=options.task,
                           part="root")["text"]
        for tier in ("check", "fast"):  # The task is adopted.
            rate(service, options.task, root, tier, 2.0,
                 1_000_000 if tier == "check" else 2_000_000)
        before_s = processor_s(service)
        checks = rate(service, options.task, root, "check", options.seconds, 1)
        check_s = (processor_s(service) - before_s) / (checks * options.seconds)
        timed = rate(service, options.task, root, "fast", options.seconds, 1)
        again_s = duplicate_s(service, options.task, root, 1)
        start = time.monotonic()
        service.process.stdin.close()
        service.process.wait()
        end_s = time.monotonic() - start
    rows = [("checks a second", checks, 30.0, checks / 30.0),
            ("processor time of one, ms", check_s * 1e3, 2e3 / 30.0,
             2.0 / 30.0 / check_s),
            ("timed judgements a second", timed, 5.0, timed / 5.0),
            ("duplicate, ms", again_s * 1e3, 1.0, 1e-3 / again_s),
            ("end of input to exit, s", end_s, 2.0, 2.0 / end_s)]
    model = next((line.split(":")[1].strip()
                  for line in pathlib.Path("/proc/cpuinfo").read_text()
                  .splitlines() if line.startswith("model name")),
                 platform.machine())
    print(f"{model}, {len(os.sched_getaffinity(0))} cores, load "
          f"{os.getloadavg()[0]:.1f}; task {options.task}")
    print(f"{'':28}{'measured':>10}{'goal':>8}{'of goal':>9}")
    for name, measured, goal, share in rows:
        print(f"{name:28}{measured:10.2f}{goal:8.2f}{share:9.2f}")


if __name__ == "__main__":
    main()
