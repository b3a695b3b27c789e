#!/usr/bin/env python3
"""Measures what `coppice serve --stdio` does in a second, and prints a table.

A row for each goal: what was measured, the goal, and how much of it that is.
Candidates differ in one function, so that none is known from before.

usage: service_figures.py [--program build/release/coppice] [--task TASK]
                          [--seconds 10]
"""

import argparse
import contextlib
import ctypes
import json
import os
import pathlib
import platform
import resource
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
        while result["state"] != "done":  # On a busy machine.
            when, result = service.wait(service.send(
                "get_job", job=result["job"], wait_s=55))
        if result.get("verdict") != "passed":
            sys.exit(f"{tier}: {result}")
        done += 1
    return done / (when - start)


PR_SET_CHILD_SUBREAPER = 36


def reap():
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()


def spent_s(program, cache, task, tier, count, first):
    """Seconds of the processors that a service takes for so many judgements,
    with all that it starts: what its sandboxes leave comes to this process."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    reap()  # What a service before this one has left.
    begun = resource.getrusage(resource.RUSAGE_CHILDREN)
    service = Service(program, cache)
    root = service.ask("describe_task", task=task, part="root")["text"]
    for number in range(first, first + count):
        service.ask("evaluate_kernel", task=task, tier=tier, wait_s=55,
                    source=source_of(root, number))
    service.process.stdin.close()
    service.process.wait()
    reap()
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (ended.ru_utime + ended.ru_stime) - (begun.ru_utime
                                                + begun.ru_stime)


def processor_s(program, cache, task, tier, few=4, many=24):
    """Of one judgement, without what the start of a service takes."""
    first = 3_000_000 if tier == "check" else 4_000_000
    begun_s = spent_s(program, cache, task, tier, few, first)
    whole_s = spent_s(program, cache, task, tier, many, first + few)
    return (whole_s - begun_s) / (many - few)


def duplicate_s(service, task, root, number):
    times = []
    for _ in range(200):
        start = time.monotonic()
        service.ask("evaluate_kernel", task=task, tier="check",
                    source=source_of(root, number))
        times.append(time.monotonic() - start)
    return statistics.median(times)


def measure(program, task, seconds):
    """(what, measured, goal, share of the goal)."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
        service = Service(program, cache)
        root = service.ask("describe_task", task=task, part="root")["text"]
        for tier in ("check", "fast"):  # The task is adopted.
            rate(service, task, root, tier, 2.0,
                 1_000_000 if tier == "check" else 2_000_000)
        checks = rate(service, task, root, "check", seconds, 1)
        timed = rate(service, task, root, "fast", seconds, 1)
        again_s = duplicate_s(service, task, root, 1)
        start = time.monotonic()
        service.process.stdin.close()
        service.process.wait()
        end_s = time.monotonic() - start
        check_s = processor_s(program, cache, task, "check")
        timed_s = processor_s(program, cache, task, "fast")
    return [("checks a second", checks, 30.0, checks / 30.0),
            ("CPU of a check, ms", check_s * 1e3, 2e3 / 30.0,
             2.0 / 30.0 / check_s),
            ("timed judgements a second", timed, 5.0, timed / 5.0),
            ("CPU of a timed judgement, ms", timed_s * 1e3, 2e3 / 5.0,
             2.0 / 5.0 / timed_s),
            ("duplicate, ms", again_s * 1e3, 1.0, 1e-3 / again_s),
            ("end of input to exit, s", end_s, 2.0, 2.0 / end_s)]


def machine():
    model = next((line.split(":")[1].strip()
                  for line in pathlib.Path("/proc/cpuinfo").read_text()
                  .splitlines() if line.startswith("model name")),
                 platform.machine())
    return (f"{model}, {len(os.sched_getaffinity(0))} cores, load "
            f"{os.getloadavg()[0]:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=ROOT / "build/release/coppice")
    parser.add_argument("--task", default="gelu_tanh")
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    rows = measure(options.program, options.task, options.seconds)
    print(f"{machine()}; task {options.task}")
    print(f"{'':28}{'measured':>10}{'goal':>8}{'of goal':>9}")
    for name, measured, goal, share in rows:
        print(f"{name:28}{measured:10.2f}{goal:8.2f}{share:9.2f}")


if __name__ == "__main__":
    main()
