#!/usr/bin/env python3
"""Whether memory of other tasks' campaigns makes campaigns better.

usage: scripts/memory_study.py FOLDER TASK... [--seeds N] [--budget N]
           [--leave-family] [--program FILE] [--report] [OPTION=VALUE...]

Each task is searched with each seed, without memory; then again with memory of
the campaigns of all *other* tasks (leave one task out), or with --leave-family
of those of other operations only (leave one family out).  A campaign is a
database of its own below FOLDER, and one that is finished is not run again, so
that the study goes on where it was stopped.  --report runs nothing.

TASK is what `coppice run` takes; level:1 is all built-in tasks in C++ of that
level.  OPTION=VALUE is passed to each run: threads=1.

It prints, over the pairs of task and seed, the geometric mean of
  (best speedup with memory) / (best speedup without)
with a 95 % interval: 10,000 bootstrap samples of pairs, and of tasks, whose
seeds belong together; then each family's mean, the worst first.
"""

import argparse
import collections
import json
import math
import pathlib
import random
import sqlite3
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESAMPLES = 10_000


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("words", nargs="+", metavar="TASK|OPTION=VALUE")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--budget", type=int, default=10)
    parser.add_argument("--leave-family", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--program", default=ROOT / "build/release/coppice",
                        type=pathlib.Path)
    return parser.parse_intermixed_args()


def tasks_of(words):
    """The tasks that the words name, in order, each once."""
    tasks = []
    for word in words:
        if not word.startswith("level:"):
            tasks.append(word)
            continue
        for folder in sorted((ROOT / "data" / "cpu").iterdir()):
            definition = folder / "definition.json"
            if (definition.exists()
                    and word in json.loads(definition.read_text())["tags"]):
                tasks.append(folder.name)
    return list(dict.fromkeys(tasks))


def is_finished(database):
    if not database.exists():
        return False
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return connection.execute(
            "SELECT state FROM campaigns").fetchall() == [("finished",)]


def best_of(database):
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        row = connection.execute(
            "SELECT speedup FROM leaderboard WHERE rank = 1").fetchone()
    return row[0] if row else None


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
        self.seeds = range(1, options.seeds + 1)
        self.budget = options.budget
        self.leave_family = options.leave_family
        self.families = {}

    def file(self, arm, task, seed):
        name = task.replace("/", "_").replace(":", "_")
        return self.folder / arm / f"{name}.s{seed}.db"

    def family(self, task):
        """The operation of its definition, as its first campaign keeps it."""
        if task not in self.families:
            answer = subprocess.run(
                [self.program, "sql", "--json", "--db",
                 self.file("plain", task, 1),
                 "SELECT blob_text(task_json_blob) AS task FROM campaigns"],
                check=True, capture_output=True, text=True)
            task_json = json.loads(json.loads(answer.stdout)[0]["task"])
            self.families[task] = task_json["definition"]["op_type"]
        return self.families[task]

    def search(self, arm, task, seed, memory):
        database = self.file(arm, task, seed)
        if is_finished(database):
            return
        database.parent.mkdir(parents=True, exist_ok=True)
        command = [self.program, "run", task, "--db", database,
                   "--seed", str(seed), "--budget", str(self.budget),
                   "--progress", "none", "--json", *self.passed_on]
        if memory:
            command += ["--memory", ",".join(map(str, memory))]
        print(f"{arm}: {task}, seed {seed}", file=sys.stderr, flush=True)
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 3):
            sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")

    def others(self, task):
        """Databases to learn from for a task."""
        return [self.file("plain", other, seed)
                for other in self.tasks for seed in self.seeds
                if other != task and not (
                    self.leave_family
                    and self.family(other) == self.family(task))]

    def arm(self):
        return "without_family" if self.leave_family else "without_task"

    def run(self):
        for task in self.tasks:
            for seed in self.seeds:
                self.search("plain", task, seed, [])
        for task in self.tasks:
            for seed in self.seeds:
                self.search(self.arm(), task, seed, self.others(task))

    def pairs(self):
        """{task: logarithms of ratios, of its seeds}"""
        pairs = collections.defaultdict(list)
        for task in self.tasks:
            for seed in self.seeds:
                files = [self.file(arm, task, seed)
                         for arm in (self.arm(), "plain")]
                if not all(map(is_finished, files)):
                    print(f"not finished: {task}, seed {seed}")
                    continue
                best = [best_of(file) for file in files]
                if None in best:
                    print(f"nothing passed: {task}, seed {seed}")
                    continue
                pairs[task].append(math.log(best[0] / best[1]))
        return pairs


def mean(values):
    return sum(values) / len(values)


def interval(groups):
    """Of the mean of all values: percentiles of samples of whole groups."""
    stream = random.Random(1)
    means = sorted(
        mean([value for group in stream.choices(groups, k=len(groups))
              for value in group])
        for _ in range(RESAMPLES))
    return [math.exp(means[round(share * (RESAMPLES - 1))])
            for share in (0.025, 0.975)]


def report(study):
    pairs = study.pairs()
    values = [value for group in pairs.values() for value in group]
    if not values:
        sys.exit("there is no pair yet")
    by_pair = interval([[value] for value in values])
    by_task = interval(list(pairs.values()))
    print(f"with memory / without: {math.exp(mean(values)):.3f} over "
          f"{len(values)} pairs of {len(pairs)} tasks and seed; 95 % of pairs "
          f"{by_pair[0]:.3f}-{by_pair[1]:.3f}, of tasks "
          f"{by_task[0]:.3f}-{by_task[1]:.3f}")
    families = collections.defaultdict(list)
    for task, group in pairs.items():
        families[study.family(task)] += group
    for family, group in sorted(families.items(),
                                key=lambda item: mean(item[1])):
        print(f"{family:16} {math.exp(mean(group)):.3f}  {len(group)} pairs, "
              f"worst {math.exp(min(group)):.3f}")


def main():
    options = arguments()
    study = Study(options)
    if not options.report:
        study.run()
    report(study)


if __name__ == "__main__":
    main()
