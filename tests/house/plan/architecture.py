#!/usr/bin/env python3
"""Run in the tree after all merges: leaves two pages in ARCHITECTURE.md, and moves the rest, as it is then, to docs/inside.md."""
import re, subprocess
s = open("ARCHITECTURE.md").read()
head, one = s.split("## One attempt\n", 1)
one, rest = one.split("## Two vocabularies that never mix\n", 1)
voc, rest = rest.split("## The seams\n", 1)
seams, evaluation = rest.split("## Evaluation\n", 1)
# The picture of "One attempt", what follows it, and why a kill changes nothing,
# stay.
parts = re.split(r"\n\n(?=\*\*)", one)
keep = [p for p in parts if not p.startswith("**") or p.startswith(("**Kill-anywhere", "**Side by side", "**Who works on it"))]
move = [p for p in parts if p not in keep]
# The five classes of the seams stay.
block = re.match(r"\n(?:    .*\n|\n)+", seams)[0]
seams_rest = seams[len(block):]
first = evaluation.strip().split("\n\n")
ev_keep = first[:1]
open("ARCHITECTURE.md", "w").write(
    head + "## One attempt\n" + "\n\n".join(keep).rstrip() + "\n\n## Two vocabularies that never mix\n" + voc.rstrip() +
    "\n\n## The seams\n" + block.rstrip() + "\n\n## Evaluation\n\n" + "\n\n".join(ev_keep) +
    "\n\nHow all else works, one paragraph a question: [inside](docs/inside.md).\n")
open("docs/inside.md", "w").write(
    "# Inside\n\nHow parts of the program work, for who changes them. [ARCHITECTURE](../ARCHITECTURE.md) has the rooms and their order.\n\n"
    "## Campaigns\n\n" + "\n\n".join(p.strip() for p in move) + "\n\n## Models, tasks and policies of others\n\n" + seams_rest.strip() +
    "\n\n## Evaluation\n\n" + "\n\n".join(first[1:]).rstrip() + "\n")
print(open("ARCHITECTURE.md").read().count("\n"), "and", open("docs/inside.md").read().count("\n"), "lines")
