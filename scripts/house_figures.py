#!/usr/bin/env python3
"""Measures the house: how much there is in each room, and how it hangs
together.

usage: house_figures.py [--at COMMIT]... [--json]

Without --at the tree as it lies is measured; with it each commit named, in a
column.  Of a folder are given the lines of source, of tests beside it, and
these by those.  Prints Markdown, or JSON.

Functions are counted by lizard (of PyPI); where it is not installed their row
says so.
"""

import argparse
import collections
import io
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile

import check_prose
import include_graph

ROOT = pathlib.Path(__file__).resolve().parent.parent

SOURCE = {".cc", ".h", ".cu", ".py", ".sql", ".in", ".ts", ".svelte", ".js",
          ".mjs"}
# Not counted: fixtures and tasks, and what others wrote or a program made.
LEFT_OUT = ("data/", "docs/", "page/dist/", "page/node_modules/")
# What was not there when the house was first measured, so that what became of
# the rest can be told.
SINCE = ("page", "python", "packaging", "engine/assistant", "engine/http",
         "engine/inspector", "engine/mcp", "engine/outside", "engine/own",
         "engine/python_policy", "engine/service", "engine/steering")

LONG_FUNCTION = 60  # Lines.
MANY_HEADERS = 40  # Those of ours that a source reaches.

# A type's definition that is indented by nothing, as those of namespaces are.
TYPE = re.compile(
    r"^(?:enum class|enum|class|struct|union)\s+(?:\[\[\w+\]\]\s+)?([A-Z]\w*)"
    r"(?:\s+final)?\s*(?::[^:;{][^;{]*)?\{", re.MULTILINE)
FRAGMENT = re.compile(r"(Of|That|Likewise)\b")


class Tree:
    """The sources and documents of one state of the tree."""

    def __init__(self, root, names):
        self.root = root
        self.sources, self.documents = [], []
        for name in sorted(names):
            path = pathlib.PurePosixPath(name)
            if path.suffix == ".md" and (path.parts[0] == "docs" or
                                         len(path.parts) == 1):
                self.documents.append(path)
            if (path.suffix in SOURCE and (root / path).is_file() and
                    not name.startswith(LEFT_OUT)):
                self.sources.append(path)

    def text(self, path):
        return (self.root / path).read_text()

    def product(self, suffixes=SOURCE):
        return [path for path in self.sources
                if path.suffix in suffixes and not is_test(path)]


def is_test(path):
    return (include_graph.is_test(path) or path.parts[0] == "tests" or
            path.parts[:2] in (("python", "tests"), ("page", "test")))


def room(path):
    """Its folder; of what is no C++ only the first."""
    if path.parts[0] in include_graph.FOLDERS and path.parts[0] != "tests":
        return str(path.parent)
    return path.parts[0]


def at_rank(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def lines_by_room(tree):
    """{room: [source, tests beside]}"""
    rooms = collections.defaultdict(lambda: [0, 0])
    for path in tree.sources:
        rooms[room(path)][is_test(path)] += tree.text(path).count("\n")
    return {name: rooms[name] for name in sorted(rooms)}


def file_figures(tree):
    lengths = [tree.text(path).count("\n") for path in tree.product()]
    return {"files": len(lengths),
            "file lines, median": round(statistics.median(lengths)),
            "file lines, 95 %": at_rank(lengths, 0.95)}


def function_figures(tree):
    name = f"functions over {LONG_FUNCTION} lines"
    try:
        import lizard  # pylint: disable=import-outside-toplevel
    except ImportError:
        return {"functions": None, name: None}
    lengths = [function.length for file in lizard.analyze_files(
        [str(tree.root / path)
         for path in tree.product({".cc", ".h", ".cu", ".py"})], threads=2)
        for function in file.function_list]
    return {"functions": len(lengths),
            name: sum(length > LONG_FUNCTION for length in lengths)}


def include_figures(tree):
    files = {path: [header for header in headers if not is_test(header)]
             for path, headers in include_graph.includes(tree.root).items()
             if not is_test(path)}
    reached = {path: len(include_graph.reached(files, path))
               for path in files if path.suffix == ".cc"}
    graph = include_graph.neighbours(include_graph.directory_arrows(files))
    circles = include_graph.cycles(graph)
    return {"own headers a source reaches, median":
            round(statistics.median(reached.values())),
            "own headers a source reaches, 95 %":
            at_rank(reached.values(), 0.95),
            "own headers a source reaches, most": max(reached.values()),
            f"sources that reach over {MANY_HEADERS}":
            sum(count > MANY_HEADERS for count in reached.values()),
            "sources": len(reached),
            "floors of folders": 1 + max(include_graph.floors(graph).values()),
            "arrows between folders": sum(map(len, graph.values())),
            "cycles of folders": len(circles),
            "folders in cycles": sum(map(len, circles)),
            }, {"cycles": circles, "reaching many": {
                str(path): count for path, count in
                sorted(reached.items(), key=lambda row: -row[1])
                if count > MANY_HEADERS}}


def type_figures(tree):
    places = collections.defaultdict(set)
    for path in tree.product({".h"}):
        for name in TYPE.findall(tree.text(path)):
            places[name].add(str(path))
    twins = {name: sorted(files) for name, files in sorted(places.items())
             if len(files) > 1}
    return {"names of types": len(places),
            "names that stand for two types or more": len(twins)}, twins


def comment_figures(tree):
    """Blocks of comment lines, by the word that they begin with."""
    blocks, begins = 0, collections.Counter()
    for path in tree.sources:
        if path.suffix not in (".cc", ".h", ".cu", ".py"):
            continue
        mark = "#" if path.suffix == ".py" else "//"
        inside = False
        for line in tree.text(path).splitlines():
            comment = line.lstrip().startswith(mark)
            if comment and not inside:
                blocks += 1
                if match := FRAGMENT.match(line.lstrip().lstrip("#/ ")):
                    begins[match[1]] += 1
            inside = comment
    return {"comment blocks": blocks} | {
        f'that begin with "{word}"': begins[word]
        for word in ("Of", "That", "Likewise")}


def document_figures(tree):
    lengths, sections = [], 0
    for path in tree.documents:
        if path.name == "CHANGELOG.md":
            continue
        text = tree.text(path)
        sections += len(re.findall(r"^#+ ", check_prose.FENCE.sub("", text),
                                   re.MULTILINE))
        lengths += [len(check_prose.words(sentence))
                    for paragraph in check_prose.paragraphs(text)
                    for sentence in check_prose.sentences(paragraph)]
    return {"sections of documents": sections, "sentences": len(lengths),
            "words a sentence": round(statistics.fmean(lengths), 1)}


def measure(tree):
    rooms = lines_by_room(tree)
    had = {name: row for name, row in rooms.items() if name not in SINCE}
    graph, parts = include_figures(tree)
    types, twins = type_figures(tree)
    source = sum(row[0] for row in rooms.values())
    beside = sum(row[1] for name, row in rooms.items() if name != "tests")
    figures = {"source lines": source,
               "source lines, without folders that are new":
               sum(row[0] for row in had.values()),
               "lines of tests beside code": beside,
               "lines of tests/": rooms.get("tests", [0, 0])[1],
               "tests beside code by source": round(beside / source, 2)}
    for more in (file_figures(tree), function_figures(tree), graph, types,
                 comment_figures(tree), document_figures(tree)):
        figures |= more
    return {"rooms": rooms, "figures": figures, "twins": twins} | parts


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True,
                          stdout=subprocess.PIPE).stdout


def measure_commit(commit):
    with tempfile.TemporaryDirectory() as folder:
        archive = tarfile.open(fileobj=io.BytesIO(git("archive", commit)))
        archive.extractall(folder)
        names = [member.name for member in archive.getmembers()
                 if member.isfile()]
        return measure(Tree(pathlib.Path(folder), names))


def measure_as_it_lies():
    return measure(Tree(ROOT, git("ls-files", "-co", "--exclude-standard")
                        .decode().splitlines()))


def shown(value):
    return "not counted" if value is None else (
        f"{value:,}" if isinstance(value, int) else f"{value}")


def table(states):
    """Two tables, a column for each of {title: what was measured}."""
    def row(cells):
        return "| " + " | ".join(cells) + " |"

    titles = list(states)
    lines = [row(["figure", *titles]), "|" + "---|" * (1 + len(titles))]
    lines += [row([name] + [shown(states[title]["figures"][name])
                            for title in titles])
              for name in states[titles[0]]["figures"]]
    names = sorted({name for state in states.values()
                    for name in state["rooms"]} - {"tests"})
    lines += ["", row(["folder", *titles]), "|" + "---|" * (1 + len(titles))]
    for name in names:
        is_there = name in states[titles[-1]]["rooms"]
        cells = [(f"`{name}`" if is_there else name) +
                 (" (new)" if name in SINCE else "")]
        for title in titles:
            source, beside = states[title]["rooms"].get(name, (0, 0))
            cells.append(f"{source:,} + {beside:,}" + (
                f" = {beside / source:.2f}" if source else "")
                         if source + beside else "")
        lines.append(row(cells))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--at", action="append", default=[], metavar="COMMIT")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    states = {commit: measure_commit(commit) for commit in options.at}
    if not states:
        states["as it lies"] = measure_as_it_lies()
    if options.json:
        print(json.dumps(states, indent=1))
    else:
        print(table(states), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
