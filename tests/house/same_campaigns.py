#!/usr/bin/env python3
"""Whether two programs decide and tell alike: 30 campaigns by each.

usage: same_campaigns.py BEFORE AFTER [--budget N]

BEFORE and AFTER are two builds of `coppice`, each with its data folder beside
it.  Six presets run five simulated tasks with seeds of their own.  Compared
are the fingerprint of each campaign, what `coppice replay` prints of it, and
the rows of every view.  What differs between two runs of BEFORE itself, as
times and uuids do, is no difference.  The exit code is 1 if there is one.
"""

import argparse
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

PRESETS = ["xei", "stark", "multi_agent", "search", "reflexion", "sampling"]
TASKS = ["sim:basic", "sim:hill/1", "sim:nk/2", "sim:ladder/3",
         "sim:deceptive/1"]


def coppice(program, folder, *words):
    done = subprocess.run([program, *words], cwd=folder, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL,
                          check=False)
    if done.returncode not in (0, 3):  # 3: no kernel was faster.
        sys.exit(f"{program} {' '.join(words)}: exit code {done.returncode}: "
                 + done.stderr)
    return done.stdout


def campaigns():
    """Each with a seed of its own."""
    return [(preset, task, 100 + number) for number, (preset, task) in
            enumerate((preset, task) for preset in PRESETS for task in TASKS)]


def view_rows(database):
    """{view: (columns, rows)}, of those that need no function of ours."""
    connection = sqlite3.connect(database)
    views = [name for name, in connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY 1")]
    read = {}
    for view in views:
        try:
            cursor = connection.execute(f'SELECT * FROM "{view}"')
            rows = cursor.fetchall()
        except sqlite3.OperationalError:
            continue
        read[view] = ([column[0] for column in cursor.description], rows)
    connection.close()
    return read


def run_all(program, folder, budget):
    """What each campaign came to, and the views over all of them."""
    folder.mkdir()
    told = {}
    for preset, task, seed in campaigns():
        name = f"{preset}.{task}.{seed}"
        coppice(program, folder, "run", task, "--preset", preset, "--seed",
                str(seed), "--budget", str(budget), "--name", name,
                "--db", "all.db", "--progress", "none")
        told[name] = (
            coppice(program, folder, "db", "fingerprint", "all.db",
                    "--campaign", name),
            coppice(program, folder, "replay", "--db", "all.db",
                    "--campaign", name))
    return told, view_rows(folder / "all.db")


def columns_of(view):
    columns, rows = view
    return {column: [row[at] for row in rows]
            for at, column in enumerate(columns)}


def differences(before, again, after):
    """Lines; `again` is a second run of what `before` is."""
    for name, (fingerprint, decisions) in before[0].items():
        if again[0][name] != (fingerprint, decisions):
            yield f"{name}: differs from run to run of the program before"
        if after[0][name][0] != fingerprint:
            yield f"{name}: another fingerprint"
        if after[0][name][1] != decisions:
            yield f"{name}: other decisions"
    for view in sorted(before[1].keys() | after[1].keys()):
        if view not in before[1] or view not in after[1]:
            yield f"view {view}: only in one"
            continue
        old, same, new = (columns_of(one[1][view])
                          for one in (before, again, after))
        for column in sorted(old.keys() | new.keys()):
            if column not in old or column not in new:
                yield f"view {view}: column {column} is only in one"
            elif old[column] == same[column] != new[column]:
                yield f"view {view}: other values of {column}"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1]
                                     .split("\n", maxsplit=1)[0])
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--budget", type=int, default=60)
    options = parser.parse_args()
    before, after = options.before.resolve(), options.after.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        first = run_all(before, folder / "before", options.budget)
        again = run_all(before, folder / "again", options.budget)
        other = run_all(after, folder / "after", options.budget)
    found = list(differences(first, again, other))
    print("\n".join(found))
    compared = sum(len(rows) for _, rows in first[1].values())
    print(f"{len(first[0])} campaigns of {options.budget} attempts, "
          f"{len(first[1])} views with {compared} rows: "
          f"{len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
