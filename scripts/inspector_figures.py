#!/usr/bin/env python3
"""Measures what the Inspector costs, beside its goals.

usage: scripts/inspector_figures.py FOLDER [--program FILE] [--maker FILE]
                                    [--pairs N] [--no-browser]

FOLDER gets databases of 10,000 and 1,000,000 nodes (1.3 GB), made by FILE, a
million_nodes_benchmark; those that are there are used again.  By default both
programs are those of build/release, with the page in them.  What browsers do is
measured by page/test/measure.mjs, where its packages and Chromium are there.

Prints a table: what, its goal, what came out, how many times of the goal that
is, and whether it is met.  With anything else at work on the machine the figures
say little, so its load stands above them.
"""

import argparse
import contextlib
import gzip
import http.client
import json
import math
import os
import pathlib
import random
import re
import selectors
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import uuid

from student import half_width

ROOT = pathlib.Path(__file__).resolve().parent.parent
CAMPAIGN = "large"  # tests/large_history.h calls it so.
SIZES = (10_000, 1_000_000)
VIEWERS = 200
COMMITS = 50
SEED = 20
PAGE_MS = 50.0
MB = 1e6
DECISION_MS = {10_000: 300.0, 1_000_000: 1000.0}
SIMULATED = "sim:hill/1"
BUDGET = 1500  # Attempts of a campaign that is watched or not.


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Server:
    """A `coppice serve` of some files, with a cookie to ask it by."""

    def __init__(self, program, files, *options):
        self.process = subprocess.Popen(
            [program, "serve", *map(str, files), "--port", "0", "--no-open",
             *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, start_new_session=True)
        self.entry = self.process.stdout.readline().strip()
        if not self.entry:
            raise SystemExit(f"{program} serve: printed no address")
        place = urllib.parse.urlsplit(self.entry)
        self.port = place.port
        self.host = f"localhost:{self.port}"
        connection = self.connect()
        connection.request("GET", f"/?{place.query}", headers={"Host": self.host})
        answer = connection.getresponse()
        answer.read()
        self.headers = {"Host": self.host,
                        "Cookie": answer.getheader("Set-Cookie").split(";")[0]}

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def get(self, path, connection):
        """Milliseconds, and the body."""
        start = time.perf_counter()
        connection.request("GET", path, headers=self.headers)
        answer = connection.getresponse()
        body = answer.read()
        took = 1000 * (time.perf_counter() - start)
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status} {body[:200]!r}")
        return took, body

    def post(self, path, document, connection):
        connection.request("POST", path, json.dumps(document), headers={
            **self.headers, "Origin": f"http://{self.host}", "X-Coppice": "1",
            "Content-Type": "application/json"})
        answer = connection.getresponse()
        body = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{path}: {answer.status} {body[:200]!r}")

    def cpu_s(self):
        stat = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
        after = stat.rsplit(")", 1)[1].split()
        return (int(after[11]) + int(after[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status)[1])

    def stop(self):
        """Milliseconds from Ctrl-C until it has ended."""
        start = time.perf_counter()
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(30)
        if code != 0:
            raise SystemExit(f"serve ended with {code}")
        return 1000 * (time.perf_counter() - start)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class Viewers:
    """Readers of /events, all by one thread; it notes when each heard of what."""

    def __init__(self, server, count):
        self.heard = []  # (seconds, viewer)
        self.over = threading.Event()
        self.selector = selectors.DefaultSelector()
        self.sockets = []
        head = "".join(f"{name}: {value}\r\n"
                       for name, value in server.headers.items())
        for number in range(count):
            peer = socket.create_connection(("127.0.0.1", server.port))
            peer.sendall(f"GET /events HTTP/1.1\r\n{head}\r\n".encode())
            self.selector.register(peer, selectors.EVENT_READ, number)
            self.sockets.append(peer)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        while not self.over.is_set():
            for key, _ in self.selector.select(0.2):
                try:
                    data = key.fileobj.recv(1 << 16)
                except OSError:
                    data = b""
                if not data:
                    self.selector.unregister(key.fileobj)
                elif b"event: change" in data:
                    self.heard.append((time.perf_counter(), key.data))

    def close(self):
        self.over.set()
        self.thread.join()
        for peer in self.sockets:
            peer.close()


class Table:
    def __init__(self):
        self.rows = []
        self.goals = 0
        self.short = []

    def sum_up(self):
        print(f"\n{self.goals - len(self.short)} of {self.goals} goals are met")
        for what in self.short:
            print(f"short: {what}")

    def add(self, what, goal, value, unit, digits=0, at_least=False):
        """None of a goal: there is none, and the figure is for who looks."""
        text = f"{value:.{digits}f} {unit}"
        if goal is None:
            self.show(what, "", text, "", "")
            return
        ratio = value / goal if goal else float("inf")
        is_met = value >= goal if at_least else value <= goal
        self.short += [] if is_met else [what]
        self.goals += 1
        sign = ">=" if at_least else "<="
        self.show(what, f"{sign} {goal:g} {unit}", text, f"{ratio:.2f}",
                  "met" if is_met else "short")

    def show(self, *cells):
        self.rows.append(cells)
        print("| " + " | ".join(cells) + " |", flush=True)


def make(maker, folder, nodes):
    file = folder / f"nodes_{nodes}.db"
    if file.exists():
        return file
    print(f"making {file}", file=sys.stderr)
    new = folder / "new.db"
    new.unlink(missing_ok=True)
    subprocess.run([maker, "--build", str(new), str(nodes)], check=True)
    new.rename(file)
    return file


def ask_pages(table, program, file, nodes):
    """What the server takes for single pages; the file is in the page cache."""
    chance = random.Random(SEED)
    some = [chance.randrange(nodes) for _ in range(200)]
    with Server(program, [file], "--read-only") as server:
        connection = server.connect()
        base = f"?c={CAMPAIGN}"
        for n in some[:20]:
            server.get(f"/api/node{base}&n={n}", connection)
        taken = [server.get(f"/api/node{base}&n={n}", connection)[0]
                 for n in [0, nodes - 1, *some]]
        table.add(f"/api/node, {nodes:,}: 99 of 100", PAGE_MS,
                  percentile(taken, 0.99), "ms", 1)
        table.add("the same, median", None, statistics.median(taken), "ms", 1)
        for path, goal in (
                ("/api/campaigns", None), (f"/api/campaign{base}", None),
                (f"/api/tree{base}", None), (f"/api/nodes{base}", None),
                (f"/api/nodes{base}&sort=speedup&desc=1", None),
                (f"/api/lineage{base}&n={nodes - 1}", PAGE_MS),
                (f"/api/calls{base}&n={nodes - 1}", PAGE_MS),
                (f"/api/samples{base}&n={nodes - 1}&ordinal=0", PAGE_MS),
                (f"/api/history{base}&n={nodes - 1}", PAGE_MS),
                (f"/api/decision{base}&d={nodes - 2}",
                 DECISION_MS[nodes]),
                (f"/api/failures{base}", None), ("/api/leaderboard", None),
                ("/api/spend", None), ("/api/compare", None)):
            first = server.get(path, connection)[0]
            warm = statistics.median(
                server.get(path, connection)[0] for _ in range(3))
            name = path.split("?")[0]
            if "sort=" in path:
                name += " by speedup"
            table.add(f"{name}, {nodes:,} (first {first:.0f} ms)", goal, warm,
                      "ms", 1)


def watch_commits(table, program, file, folder):
    copy = folder / "watched.db"
    shutil.copyfile(file, copy)
    with Server(program, [copy]) as server:
        viewers = Viewers(server, VIEWERS)
        time.sleep(2)
        seconds = 10.0
        before = server.cpu_s()
        time.sleep(seconds)
        share = 100 * (server.cpu_s() - before) / seconds
        table.add(f"{VIEWERS} viewers, idle: processor", 1.0, share, "%", 2)
        table.add(f"{VIEWERS} viewers, idle: resident", 32.0,
                  server.resident() / MB, "MB", 1)
        connection = server.connect()
        delays = []
        for number in range(COMMITS):
            begin = len(viewers.heard)
            start = time.perf_counter()
            server.post("/api/directives", {
                "c": CAMPAIGN, "uuid": str(uuid.uuid4()), "kind": "advise",
                "payload": {"text": f"Advice {number}."}}, connection)
            limit = start + 5
            while (len(viewers.heard) - begin < VIEWERS
                   and time.perf_counter() < limit):
                time.sleep(0.002)
            heard = viewers.heard[begin:]
            delays += [1000 * (at - start) for at, _ in heard]
            delays += [5000.0] * (VIEWERS - len(heard))
            time.sleep(random.Random(number).random() * 0.1)
        table.add(f"commit until {VIEWERS} viewers see it: 99 of 100", 250.0,
                  percentile(delays, 0.99), "ms")
        table.add(f"stop, with {VIEWERS} viewers", 200.0, server.stop(), "ms")
        viewers.close()


class Log:
    """The greatest size of a database's log, looked at while it is open."""

    def __init__(self, file):
        self.path = pathlib.Path(f"{file}-wal")
        self.greatest = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.look)

    def look(self):
        while not self.over.wait(0.05):
            with contextlib.suppress(OSError):
                self.greatest = max(self.greatest, self.path.stat().st_size)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def attempt(command):
    """Runs a campaign; 3: it found nothing faster, which is no fault."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr}")


def run_campaign(program, folder, viewers):
    """Attempts a second, the greatest size of the log, and the milliseconds of
    a processor that the server took for each attempt."""
    file = folder / "run.db"
    for end in ("", "-wal", "-shm"):
        pathlib.Path(f"{file}{end}").unlink(missing_ok=True)
    command = [program, "run", SIMULATED, "--db", str(file), "--progress", "none"]
    with contextlib.ExitStack() as stack:
        # The file has to be there before it is served.
        attempt([*command, "--budget", "1"])
        server = None
        if viewers:
            server = stack.enter_context(Server(program, [file]))
            watching = Viewers(server, viewers)
            stack.callback(watching.close)
            time.sleep(0.5)
        log = stack.enter_context(Log(file))
        used = server.cpu_s() if server else 0.0
        start = time.perf_counter()
        attempt([program, "resume", "--db", str(file), "--budget",
                 str(BUDGET), "--progress", "none"])
        took = time.perf_counter() - start
        used = server.cpu_s() - used if server else 0.0
    made = BUDGET - 1
    return made / took, log.greatest, 1000 * used / made


def share(log_ratio):
    """Percent of the attempts a second that are lost."""
    return 100 * (1 - math.exp(-log_ratio))


def slow_down(table, program, folder, pairs):
    alone, watched, logs, costs = [], [], [], []
    for number in range(pairs):
        # Who goes first alternates.
        for viewers in ((0, 20) if number % 2 == 0 else (20, 0)):
            rate, log, cost_ms = run_campaign(program, folder, viewers)
            (watched if viewers else alone).append(rate)
            if viewers:
                logs.append(log)
                costs.append(cost_ms)
    # By logarithms, for a ratio of rates; the goal is for the upper bound.
    ratios = [math.log(a / w) for a, w in zip(alone, watched)]
    half = half_width(ratios)
    low, high = statistics.mean(ratios) - half, statistics.mean(ratios) + half
    losses = sorted(100 * (1 - w / a) for a, w in zip(alone, watched))
    table.add(f"{SIMULATED}, attempts a second alone", None,
              statistics.median(alone), "1/s", 1)
    table.add("slowed by 20 viewers: median of "
              f"{pairs} pairs", None, statistics.median(losses), "%", 2)
    table.add("the same: upper bound of the 95 % interval of the mean, from "
              f"{share(low):.2f}", 1.0, share(high), "%", 2)
    cost_ms = statistics.median(costs)
    table.add("serving 20 viewers: processor time for an attempt", None, cost_ms,
              "ms", 2)
    table.add("all of it taken from a campaign of an attempt a second", 1.0,
              cost_ms / 10, "%", 3)
    table.add("the log, with 20 viewers", 8.0, max(logs) / MB, "MB", 2)


def sizes(table):
    dist = ROOT / "page" / "dist"
    if not (dist / "index.html").is_file():
        print("no page/dist: scripts/setup page", file=sys.stderr)
        return
    packed = {f.relative_to(dist).as_posix(): len(gzip.compress(f.read_bytes(), 9))
              for f in dist.rglob("*") if f.is_file()}
    index = (dist / "index.html").read_text()
    entry = ["index.html"] + [
        name for name in packed if name != "index.html" and f"/{name}" in index]
    table.add("entry, as gzip", 60.0, sum(packed[f] for f in entry) / 1000, "kB", 1)
    table.add("all of the page, as gzip", 350.0, sum(packed.values()) / 1000,
              "kB", 1)
    # The program holds these bytes, and a path and a type for each.
    table.add("added to the program", 400.0,
              sum(size + 100 for size in packed.values()) / 1000, "kB", 1)


def measurer():
    """The command that measures in a browser; None where there is none."""
    node = ROOT / "build" / "node" / "bin" / "node"
    node = str(node) if node.exists() else shutil.which("node")
    if (not node or not pathlib.Path("/usr/bin/chromium").exists()
            or not (ROOT / "page" / "node_modules").is_dir()):
        print("no browser: scripts/setup page", file=sys.stderr)
        return None
    return [node, ROOT / "page" / "test" / "measure.mjs"]


def measure(command, *options):
    done = subprocess.run([*command, *map(str, options)], check=True, text=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def report(table, program, file, folder, command):
    """What `coppice export report` makes of 10,000 nodes, opened offline."""
    page = folder / "report.html"
    start = time.perf_counter()
    subprocess.run([program, "export", "report", CAMPAIGN, "--db", str(file),
                    "--output", page], check=True, stdout=subprocess.DEVNULL)
    table.add(f"report of {SIZES[0]:,}: written in", 2000.0,
              1000 * (time.perf_counter() - start), "ms")
    table.add(f"report of {SIZES[0]:,}: size", 3.0, page.stat().st_size / MB,
              "MB", 2)
    if command:
        seen = measure(command, "--report", page)
        table.add(f"report of {SIZES[0]:,}: opened offline in", 1000.0,
                  seen["open_ms"], "ms")
        table.add("what it asked for, or said was wrong", 0, seen["wrong"],
                  "times")


def browse(table, program, files, command):
    with Server(program, files, "--read-only") as server:
        for number, nodes in enumerate(SIZES):
            seen = measure(command, "--server", server.entry, "--db", number,
                           "--campaign", CAMPAIGN)
            small = nodes == SIZES[0]
            table.add(f"first contentful paint, {nodes:,}",
                      150.0 if small else None, seen["paint_ms"], "ms")
            table.add(f"tree of {nodes:,} seen, warm", 300.0 if small else 1500.0,
                      seen["tree_ms"], "ms")
            if not small:
                table.add(f"tree of {nodes:,} seen, cold", 5000.0,
                          seen["cold_ms"], "ms")
            table.add(f"panning {nodes:,}, frames a second", 60.0,
                      1000 / seen["frame_ms"], "1/s", 1, at_least=True)
            table.add(f"panning {nodes:,}, frame: 95 of 100",
                      None if small else 16.0, seen["frame_95_ms"], "ms", 1)
            if small:
                table.add("tabs of one browser that load, of 8", 8,
                          seen["tabs"], "tabs", at_least=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    release = ROOT / "build" / "release"
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program", default=release / "coppice")
    parser.add_argument("--maker",
                        default=release / "tests" / "million_nodes_benchmark")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--no-browser", action="store_true")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    files = [make(asked.maker, asked.folder, nodes) for nodes in SIZES]
    print(f"{os.cpu_count()} processors; load {os.getloadavg()[0]:.1f} before\n")
    table = Table()
    table.show("what", "goal", "came out", "of the goal", "")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=asked.folder) as scratch:
        scratch = pathlib.Path(scratch)
        sizes(table)
        watch_commits(table, asked.program, files[0], scratch)
        slow_down(table, asked.program, scratch, asked.pairs)
        for nodes, file in zip(SIZES, files):
            ask_pages(table, asked.program, file, nodes)
        command = None if asked.no_browser else measurer()
        report(table, asked.program, files[0], scratch, command)
        if command:
            browse(table, asked.program, files, command)
    table.sum_up()
    print(f"\nload {os.getloadavg()[0]:.1f} after")


if __name__ == "__main__":
    main()
