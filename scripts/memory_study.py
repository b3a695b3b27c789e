#!/usr/bin/env python3
"""Whether memory of other tasks' campaigns makes campaigns better.

usage: scripts/memory_study.py FOLDER TASK... [--seeds N|M-N] [--budget N]
           [--leave task|family|both] [--jobs N] [--seconds S]
           [--program FILE] [--report] [OPTION=VALUE...]

With each seed, each task is searched without memory; then again with memory of
this seed's campaigns of all *other* tasks (leave one task out), or of those of
other operations only (leave one family out).  So seeds tell nothing of each
other.  A campaign is a database of its own below FOLDER, and one that is
finished is not run again, so that the study goes on where it was stopped.
After S seconds none is begun, and those that run are stopped.  --report runs
nothing.

TASK is what `coppice run` takes; level:1 is all built-in tasks in C++ of that
level.  OPTION=VALUE is passed to each run: threads=1.

It prints, over the pairs of task and seed, the geometric mean of
  (best speedup with memory) / (best speedup without)
with a 95 % interval: 10,000 bootstrap samples of pairs, and of tasks, whose
seeds belong together; the same after the first attempts of these campaigns;
then each family's mean, the worst first, with an interval over its pairs.
Last, what no memory could be better than: the best that any of a task's
campaigns came to, over what those without memory came to.
"""

import argparse
import collections
import concurrent.futures
import json
import math
import pathlib
import random
import sqlite3
import subprocess
import sys
import time

from processors import one_of, parted

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESAMPLES = 10_000
EARLY = (1, 2, 3, 5)  # Attempts.
ARMS = {"task": "without_task", "family": "without_family"}


def seeds(text):
    """From 1, or from that before the dash."""
    first, dash, last = text.rpartition("-")
    return range(int(first) if dash else 1, int(last) + 1)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("words", nargs="+", metavar="TASK|OPTION=VALUE")
    parser.add_argument("--seeds", type=seeds, default=seeds("3"))
    parser.add_argument("--budget", type=int, default=10)
    parser.add_argument("--leave", choices=[*ARMS, "both"], default="task")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--program", default=ROOT / "build/release/coppice",
                        type=pathlib.Path)
    return parser.parse_intermixed_args()


def definition_of(task):
    file = ROOT / "data" / "cpu" / task / "definition.json"
    return json.loads(file.read_text()) if file.exists() else None


def tasks_of(words):
    """The tasks that the words name, in order, each once."""
    tasks = []
    for word in words:
        if not word.startswith("level:"):
            tasks.append(word)
            continue
        for folder in sorted((ROOT / "data" / "cpu").iterdir()):
            definition = definition_of(folder.name)
            if definition and word in definition["tags"]:
                tasks.append(folder.name)
    return list(dict.fromkeys(tasks))


def ask(database, sql):
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return connection.execute(sql).fetchall()


def is_finished(database):
    try:
        return database.exists() and ask(
            database, "SELECT state FROM campaigns") == [("finished",)]
    except sqlite3.OperationalError:  # Stopped before it was made.
        return False


def best_of(database, attempts=None):
    """Its best speedup, or that after so many attempts; None: no root."""
    if attempts is None:
        rows = ask(database, "SELECT speedup FROM leaderboard WHERE rank = 1")
    else:
        rows = ask(database, "SELECT max(best_speedup) FROM best_so_far"
                             f" WHERE attempts <= {attempts}")
    return rows[0][0] if rows else None


class Study:
    def __init__(self, options):
        self.program = options.program.resolve()
        self.folder = options.folder.resolve()
        self.passed_on = []
        words = []
        for word in options.words:
            name, is_option, value = word.partition("=")
            if is_option:
                self.passed_on += ["--" + name, value]
            else:
                words.append(word)
        self.tasks = tasks_of(words)
        self.seeds = options.seeds
        self.budget = options.budget
        self.leave = list(ARMS) if options.leave == "both" else [options.leave]
        self.jobs = options.jobs
        self.until = time.monotonic() + options.seconds

    def file(self, arm, task, seed):
        name = task.replace("/", "_").replace(":", "_")
        return self.folder / arm / f"{name}.s{seed}.db"

    def family(self, task):
        """The operation of its definition; of one that is not built in, as its
        first campaign keeps it."""
        definition = definition_of(task)
        if not definition:
            answer = subprocess.run(
                [self.program, "sql", "--json", "--db",
                 self.file("plain", task, self.seeds[0]),
                 "SELECT blob_text(task_json_blob) AS task FROM campaigns"],
                check=True, capture_output=True, text=True)
            task_json = json.loads(json.loads(answer.stdout)[0]["task"])
            definition = task_json["definition"]
        return definition["op_type"]

    def search(self, parts, arm, task, seed, memory):
        database = self.file(arm, task, seed)
        left = self.until - time.monotonic()
        if is_finished(database) or left <= 0:
            return
        database.parent.mkdir(parents=True, exist_ok=True)
        command = [self.program, "run", task, "--db", database,
                   "--seed", str(seed), "--budget", str(self.budget),
                   "--progress", "none", "--json", *self.passed_on]
        if memory:
            command += ["--memory", ",".join(map(str, memory))]
        print(f"{arm}: {task}, seed {seed}", file=sys.stderr, flush=True)
        try:
            with one_of(parts) as part:
                done = subprocess.run(part.kept(command), capture_output=True,
                                      text=True, timeout=min(left, 1e6))
        except subprocess.TimeoutExpired:
            return
        if done.returncode not in (0, 3):
            raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stderr}")

    def others(self, task, seed, leave):
        """Databases to learn from for a task."""
        own = self.family(task)
        return [file for other in self.tasks
                if other != task
                and not (leave == "family" and self.family(other) == own)
                and is_finished(file := self.file("plain", other, seed))]

    def search_all(self, parts, searches):
        """Side by side on processors of their own; the first that goes wrong
        ends the study."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for done in [pool.submit(self.search, parts, *one) for one in searches]:
                done.result()

    def run(self):
        with parted(self.jobs) as parts:
            for seed in self.seeds:
                self.search_all(parts, (("plain", task, seed, [])
                                        for task in self.tasks))
                self.search_all(parts, (
                    (ARMS[leave], task, seed, self.others(task, seed, leave))
                    for task in self.tasks for leave in self.leave))

    def pairs(self, leave, attempts=None):
        """{task: logarithms of ratios, of its seeds}"""
        pairs = collections.defaultdict(list)
        for task in self.tasks:
            for seed in self.seeds:
                files = [self.file(arm, task, seed)
                         for arm in (ARMS[leave], "plain")]
                if not all(map(is_finished, files)):
                    continue
                best = [best_of(file, attempts) for file in files]
                if None not in best:
                    pairs[task].append(math.log(best[0] / best[1]))
        return pairs

    def room(self):
        """{task: logarithms of the best that any campaign on it came to, over
        each without memory}"""
        room = {}
        for task in self.tasks:
            best = {arm: [best_of(file) for seed in self.seeds
                          if is_finished(file := self.file(arm, task, seed))]
                    for arm in ("plain", *ARMS.values())}
            most = max((one for arm in best.values() for one in arm),
                       default=None)
            if best["plain"]:
                room[task] = [math.log(most / one) for one in best["plain"]]
        return room


def mean(values):
    return sum(values) / len(values)


def interval(groups):
    """The interval of the mean of all values: by samples of whole groups."""
    stream = random.Random(1)
    means = sorted(
        mean([value for group in stream.choices(groups, k=len(groups))
              for value in group])
        for _ in range(RESAMPLES))
    return [math.exp(means[round(share * (RESAMPLES - 1))])
            for share in (0.025, 0.975)]


def line(pairs):
    values = [value for group in pairs.values() for value in group]
    by_pair = interval([[value] for value in values])
    by_task = interval(list(pairs.values()))
    return (f"{math.exp(mean(values)):.3f} over {len(values)} pairs of "
            f"{len(pairs)} tasks and seed; 95 % of pairs "
            f"{by_pair[0]:.3f}-{by_pair[1]:.3f}, of tasks "
            f"{by_task[0]:.3f}-{by_task[1]:.3f}")


def report(study, leave):
    pairs = study.pairs(leave)
    print(f"leave one {leave} out")
    if not pairs:
        print("  there is no pair yet")
        return
    print(f"  with memory / without: {line(pairs)}")
    for attempts in EARLY:
        if attempts < study.budget:
            early = study.pairs(leave, attempts)
            print(f"  after {attempts:2}: {line(early)}")
    families = collections.defaultdict(list)
    for task, group in pairs.items():
        families[study.family(task)] += group
    for family, group in sorted(families.items(),
                                key=lambda item: mean(item[1])):
        low, high = interval([[value] for value in group])
        print(f"  {family:20} {math.exp(mean(group)):.3f} "
              f"({low:.3f}-{high:.3f})  {len(group)} pairs, worst "
              f"{math.exp(min(group)):.3f}")


def main():
    options = arguments()
    study = Study(options)
    if not options.report:
        study.run()
    for leave in study.leave:
        report(study, leave)
    if room := study.room():
        print(f"best known / without: {line(room)}")


if __name__ == "__main__":
    main()
