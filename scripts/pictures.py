#!/usr/bin/env python3
"""Draws the two pictures of ARCHITECTURE.md from the sources.

usage: pictures.py [--check]

Rooms: a line is a floor, the highest first.  A room is a directory, with the
highest ones below it on which it stands: what these stand on it may include as
well.

An attempt as data: its stages (store/records/attempt.h), and the tables whose
rows say which attempt they are of, or which row of such a table
(store/schema.sql).

--check exits 1 if what is drawn there is another.
"""

import argparse
import collections
import difflib
import pathlib
import re
import sqlite3
import sys
import textwrap

import include_graph

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "ARCHITECTURE.md"
BLOCK = re.compile(r"(<!-- made by scripts/pictures.py: (\w+) -->\n```text\n)"
                   r".*?(?=```\n)", re.DOTALL)
STAGE = re.compile(r"^  k(\w+) = \d,\s+// (.*)$", re.MULTILINE)
TABLE = re.compile(r"((?:^-- .*\n)*)^CREATE TABLE (\w+) \((?:  -- (.*))?$",
                   re.MULTILINE)
WIDTH = 118


def graph_of_rooms(root):
    files = include_graph.includes(root)
    arrows = include_graph.directory_arrows({
        path: [header for header in headers
               if not include_graph.is_test(header)]
        for path, headers in files.items()
        if not include_graph.is_test(path)})
    return {room: set(below)
            for room, below in include_graph.neighbours(arrows).items()}


def stands_on(graph, room):
    """Those of its targets to which no other of them leads."""
    below = graph.get(room, set())
    through = set().union(*(include_graph.reached(graph, other)
                            for other in below))
    return sorted(below - through)


def draw_rooms(graph):
    storeys = collections.defaultdict(list)
    for room, storey in include_graph.floors(graph).items():
        storeys[storey].append(room)
    lines = []
    for storey in sorted(storeys, reverse=True):
        rooms = "   ".join(
            room + (f"({' '.join(below)})" if below else "")
            for room in sorted(storeys[storey])
            for below in [stands_on(graph, room)])
        # A room's name and brackets stay together.
        rooms = rooms.replace(" ", "\0").replace("\0\0\0", "   ")
        lines += textwrap.wrap(rooms, WIDTH - 4, break_long_words=False,
                               break_on_hyphens=False,
                               initial_indent=f"{storey:2}  ",
                               subsequent_indent="    ")
    return "\n".join(lines).replace("\0", " ") + "\n"


def dependents(schema):
    """{table: those whose rows name one of its rows}."""
    database = sqlite3.connect(":memory:")
    database.executescript(schema)
    found = collections.defaultdict(list)
    for _, table, _ in TABLE.findall(schema):
        for row in database.execute(f"PRAGMA foreign_key_list({table})"):
            found[row[2]].append(table)
    return found


def about(schema):
    """{table: what its comment says first}."""
    found = {}
    for before, table, beside in TABLE.findall(schema):
        text = beside or " ".join(line.strip("- ")
                                  for line in before.splitlines())
        found[table] = re.split(r"(?<=[.:;])\s", text)[0].rstrip(".:;")
    return found


def draw_attempt(records, schema):
    """Stages in their order, then tables, each below one that it names."""
    stages = records.partition("enum class Stage")[2].partition("};")[0]
    lines = [f"stage {name.lower():<16} {what}"
             for name, what in STAGE.findall(stages)] + [""]
    said, below = about(schema), dependents(schema)
    drawn = set()

    def draw(table, depth):
        if table in drawn:
            return
        drawn.add(table)
        lines.append(f"{'  ' * depth + table:<22} {said[table]}"[:WIDTH]
                     .rstrip())
        for other in below[table]:
            draw(other, depth + 1)

    draw("attempt", 0)
    draw("plan", 0)
    return "\n".join(lines) + "\n"


def with_drawings(text, root):
    made = {"rooms": draw_rooms(graph_of_rooms(root)),
            "attempt": draw_attempt(
                (root / "store/records/attempt.h").read_text(),
                (root / "store/schema.sql").read_text())}
    return BLOCK.sub(lambda match: match[1] + made[match[2]], text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    old = DOCUMENT.read_text()
    new = with_drawings(old, ROOT)
    if not options.check:
        DOCUMENT.write_text(new)
        return 0
    print("".join(difflib.unified_diff(
        old.splitlines(True), new.splitlines(True), "ARCHITECTURE.md",
        "as scripts/pictures.py draws it")), end="")
    return 1 if new != old else 0


if __name__ == "__main__":
    sys.exit(main())
