#!/usr/bin/env python3
"""Writes prompts by both versions of the templates side by side, as Markdown.

usage: prompt_pages.py DATABASE FOLDER

For each of the first ten campaigns of DATABASE, by name, it asks the coppice in
PATH what an agent would be told now, and writes FOLDER/TASK.ROLE.md.  A campaign
with a failed attempt gives the debug agent's prompt about the first such one.
The others give in turn the plan agent's about the best node, and the code
agent's about the node that was worked on last, with the plan for that.
"""

import pathlib
import re
import sqlite3
import sys

import prompt_bytes

VERSIONS = ("v1", "v2")
FAILED = ("SELECT node FROM nodes WHERE campaign = ? AND verdict NOT IN"
          " ('passed', 'inconclusive') ORDER BY node LIMIT 1")
WORKED_ON = ("SELECT parent FROM nodes WHERE campaign = ? AND advice != ''"
             " ORDER BY node DESC LIMIT 1")


def occasions(connection):
    """(campaign, node, role) of each page."""
    kinds = 0
    for name in prompt_bytes.campaigns(connection):
        failed = connection.execute(FAILED, (name,)).fetchone()
        if failed:
            yield name, str(failed[0]), "debug"
            continue
        if kinds % 2 == 0:
            yield name, "best", "plan"
        else:
            node, = connection.execute(WORKED_ON, (name,)).fetchone()
            yield name, str(node), "code"
        kinds += 1


def block(text):
    fence = "`" * max(4, *(len(ticks) + 1
                           for ticks in re.findall("`+", text + "`")))
    return f"{fence}text\n{text.rstrip()}\n{fence}\n"


def page(database, campaign, node, role):
    prompts = {version: prompt_bytes.parts(prompt_bytes.ask(
        database, campaign, node, role, version)) for version in VERSIONS}
    sizes = {version: [len(text.encode()) for text in parts.values()]
             for version, parts in prompts.items()}
    names = list(prompts[VERSIONS[0]])
    told = (f"# {campaign}: what the {role} agent is told\n\n"
            f"About node {node}, by `scripts/prompt_pages.py` from"
            " `docs/data/level1.db`. [Prompts](../prompts.md) says what the"
            " parts are.\n\n"
            f"| bytes of | {' | '.join(names)} | all |\n"
            f"|---|{'---|' * (len(names) + 1)}\n")
    for version, row in sizes.items():
        told += f"| {version} | {' | '.join(map(str, [*row, sum(row)]))} |\n"
    for name in names:
        for version in VERSIONS:
            text = prompts[version][name]
            told += f"\n## {name}, {version}\n\n"
            told += block(text) if text else "Nothing.\n"
    return told


def pages(database):
    """(name of a file, its text)."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        found = list(occasions(connection))
    for campaign, node, role in found:
        yield (f"{campaign.split('.')[0]}.{role}.md",
               page(database, campaign, node, role))


def main(database, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    for name, text in pages(database):
        (folder / name).write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
