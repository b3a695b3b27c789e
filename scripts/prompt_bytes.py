#!/usr/bin/env python3
"""Prints how many bytes each part of a campaign's prompts has.

usage: scripts/prompt_bytes.py DATABASE [VERSION...]

For each of the first ten campaigns of DATABASE, by name, it asks the coppice in
PATH what the plan agent would be told about the best node now, by each version
of the prompts (v1 and v2), and adds the bytes up by the headings.
"""

import json
import re
import sqlite3
import subprocess
import sys

CAMPAIGNS = 10

# How the headings of each part begin.  What stands before the first that is
# named here is the same in all prompts of a campaign.
PARTS = [("table", ("# Attempts so far", "# What other searches found")),
         ("latest", ("# Latest attempt",)),
         ("fastest", ("# Fastest of",)),
         ("others", ("# Other attempts", "# Earlier attempts")),
         ("role", ("# Your role", "# What to do"))]
COLUMNS = ["system", "same", *(name for name, _ in PARTS), "all"]


def part_of(line):
    for name, beginnings in PARTS:
        if line.startswith(beginnings):
            return name
    return None


def parts(prompt):
    """{part: text} of what `coppice prompt --json` prints, without "all"."""
    found = dict.fromkeys(COLUMNS[:-1], "")
    found["system"] = prompt["system"]
    user = prompt["user"].encode()
    found["same"] = user[:prompt["stable_bytes"]].decode()
    part, fence = None, None
    for line in user[prompt["stable_bytes"]:].decode().splitlines(True):
        ticks = re.match("`{3,}", line)
        if fence is None and ticks:
            fence = ticks[0]
        elif fence is not None and line.rstrip("\n") == fence:
            fence = None
        elif fence is None and line.startswith("# "):
            part = part_of(line) or part
        if part is None:
            raise SystemExit(f"a part without a known heading: {line}")
        found[part] += line
    return found


def sizes(prompt):
    found = {name: len(text.encode()) for name, text in parts(prompt).items()}
    found["all"] = sum(found.values())
    return found


def ask(database, campaign, node, role, version):
    """What `coppice prompt --json` prints."""
    command = ["coppice", "prompt", node, "--db", database, "--campaign",
               campaign, "--role", role, "--prompts", version, "--json"]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                          check=True)
    return json.loads(done.stdout)


def campaigns(connection):
    return [name for name, in connection.execute(
        "SELECT name FROM campaign ORDER BY name LIMIT ?", (CAMPAIGNS,))]


def main(database, *versions):
    versions = versions or ("v1", "v2")
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        names = campaigns(connection)
    width = max(len(name) for name in names)
    print("bytes of".ljust(width + 4)
          + "".join(column.rjust(9) for column in COLUMNS))
    sums = {version: dict.fromkeys(COLUMNS, 0) for version in versions}
    for name in names:
        for version in versions:
            row = sizes(ask(database, name, "best", "plan", version))
            for column in COLUMNS:
                sums[version][column] += row[column]
            print(f"{name.ljust(width)}  {version}"
                  + "".join(str(row[column]).rjust(9) for column in COLUMNS))
    for version in versions:
        print(f"{'mean'.ljust(width)}  {version}"
              + "".join(str(round(sums[version][column] / len(names))).rjust(9)
                        for column in COLUMNS))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
