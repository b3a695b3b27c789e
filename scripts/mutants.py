#!/usr/bin/env python3
"""Whether tests beside code notice when the code is changed.

usage: mutants.py [--build DIR] [--since COMMIT] [--most N] [--seed N]
                  [--jobs N] FILE...

Each FILE is a source (search/tree.cc) with a test beside it.  One small change
at a time is made to a copy: another comparison, another sign, a condition that
is turned round, a number that is one more, a call that is left out.  The copy
is compiled and linked before the library, so that its functions are the ones
called, and only the file's own test runs.  A change that it fails on, crashes
on or takes ten times as long for is killed.  Prints those that survived, and
what share of those that compile was killed.

--since takes only lines that have changed since a commit, --most that many
changes of each file, drawn by --seed.  DIR (build/dev) has the test built.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time

import include_graph

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What is changed into what, outside of comments, texts and templates: a sign
# has spaces around it, as clang-format leaves it.
CHANGES = [(rf"(?<= ){re.escape(old)}(?= )", new) for old, new in (
    ("<", "<="), ("<=", "<"), (">", ">="), (">=", ">"), ("==", "!="),
    ("!=", "=="), ("&&", "||"), ("||", "&&"), ("+", "-"), ("-", "+"),
    ("*", "/"), ("/", "*"), ("+=", "-="), ("-=", "+="))] + [
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"\bstd::min\b", "std::max"), (r"\bstd::max\b", "std::min"),
    (r"(?<=[( ])!(?=[\w(])", ""), (r"(?<=[( ])\+\+", "--"),
    (r"\bcontinue;", "break;"),
    (r"(?<![\w.\"'])\d+(?![\w.\"'])",
     lambda match: str(int(match[0]) + 1)),
    # A call whose value nobody takes.
    (r"^  +[a-z]\w*(?:(?:\.|->)\w+)+\([^;]*\);$", " ;")]
QUOTED = re.compile(r'"(?:\\.|[^"\\])*"|//.*|\'(?:\\.|[^\'\\])*\'')


def mutants(text, lines):
    """(line, what is changed, the changed text) for each in `lines`."""
    rows = text.splitlines(keepends=True)
    for number, row in enumerate(rows, 1):
        if row.lstrip().startswith(("#", "static_assert")) or (
                lines is not None and number not in lines):
            continue
        code = QUOTED.sub(lambda match: "~" * len(match[0]), row)
        for pattern, new in CHANGES:
            for match in re.finditer(pattern, code.rstrip("\n")):
                put = new(match) if callable(new) else new
                changed = row[:match.start()] + put + row[match.end():]
                yield (number, f"{row.strip()}  ->  {changed.strip()}",
                       "".join(rows[:number - 1] + [changed] + rows[number:]))


def changed_lines(file, commit):
    """Numbers of the lines of `file` that `commit` does not have."""
    diff = subprocess.run(["git", "diff", "-U0", commit, "--", file], cwd=ROOT,
                          check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    found = set()
    for start, count in re.findall(r"^@@ .* \+(\d+)(?:,(\d+))? @@", diff,
                                   re.MULTILINE):
        found |= set(range(int(start), int(start) + int(count or 1)))
    return found


class Bench:
    """Compiles and links one file's test, with the file as it is or not."""

    def __init__(self, build, file, folder):
        self.build, self.file, self.folder = build, file, folder
        self.library = self.library_of(file)
        self.flags = self.flags_of(self.library)
        test = file.with_name(file.stem + "_test.cc")
        graph = include_graph.includes(ROOT)
        helpers = sorted(
            source for header in include_graph.reached(graph, test)
            if include_graph.is_test(header)
            for source in [header.with_suffix(".cc")] if source in graph)
        self.objects = [self.compile(ROOT / source, f"{number}.o")
                        for number, source in enumerate([test, *helpers])]

    def library_of(self, file):
        """The module whose test is built from what is beside `file`."""
        lists = (ROOT / file.parts[0]).rglob("CMakeLists.txt")
        for path in sorted(lists, key=lambda path: -len(path.parts)):
            name = os.path.relpath(ROOT / file, path.parent)
            for module, body in re.findall(
                    r"coppice_module\((\w+)(.*?)\)\n", path.read_text(),
                    re.DOTALL):
                if name in body.split():
                    return module
        raise SystemExit(f"{file}: in no coppice_module")

    def flags_of(self, library):
        """Flags of the tests of `library`, which see what the library sees."""
        entries = json.loads(
            (self.build / "compile_commands.json").read_text())
        command = next(entry["command"] for entry in entries
                       if f"/{library}_test.dir/" in entry["command"])
        words = shlex.split(command)
        words = words[:words.index("-o")] + words[words.index("-o") + 2:]
        return [word for word in words if word != "-c" and
                not word.endswith((".cc", ".cxx"))] + ["-w", "-I", str(ROOT)]

    def compile(self, source, name):
        made = self.folder / name
        done = subprocess.run([*self.flags, "-c", str(source), "-o", str(made)],
                              cwd=self.build, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            made.unlink(missing_ok=True)
            self.said = done.stderr
            return None
        return made

    def link(self, object_file, name):
        line = subprocess.run(
            ["ninja", "-t", "commands", f"{self.library}_test"], check=True,
            cwd=self.build, text=True,
            stdout=subprocess.PIPE).stdout.splitlines()[-1]
        command = line.partition("&& ")[2].partition(" && ")[0]
        words = [word for word in shlex.split(command)
                 if f"{self.library}_test.dir/" not in word]
        at = words.index("-o")
        words[at + 1] = str(self.folder / name)
        words[at:at] = ["-Wl,--allow-multiple-definition", str(object_file),
                        *map(str, self.objects)]
        done = subprocess.run(words, cwd=self.build, check=False, text=True,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE)
        if done.returncode != 0:
            raise SystemExit(f"{self.file}: {done.stderr[-2000:]}")
        return self.folder / name

    def fate(self, source, name, limit):
        """"killed", "survived" or "not compiled"."""
        made = self.compile(source, name + ".o")
        if made is None:
            return "not compiled"
        program = self.link(made, name)
        try:
            code = subprocess.run([program, "--gtest_brief=1"], cwd=self.build,
                                  timeout=limit, check=False,
                                  stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL).returncode
        except subprocess.TimeoutExpired:
            code = 1
        program.unlink()
        made.unlink()
        return "survived" if code == 0 else "killed"


def judge(file, options, folder):
    """(killed, survivors) of one file."""
    bench = Bench(options.build.resolve(), file, folder)
    began = time.monotonic()
    if None in bench.objects or bench.fate(ROOT / file, "whole",
                                           600) != "survived":
        raise SystemExit(f"{file}: its test does not pass as it is: "
                         f"{getattr(bench, 'said', '')[-2000:]}")
    limit = 10 * (time.monotonic() - began) + 5
    lines = changed_lines(file, options.since) if options.since else None
    made = list(mutants((ROOT / file).read_text(), lines))
    random.Random(options.seed).shuffle(made)

    def run(number):
        copy = folder / f"{number}.cc"
        copy.write_text(made[number][2])
        return bench.fate(copy, f"mutant{number}", limit)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        chosen = range(min(len(made), options.most or len(made)))
        fates = list(pool.map(run, chosen))
    return fates.count("killed"), sorted(
        made[number][:2] for number, fate in zip(chosen, fates, strict=True)
        if fate == "survived")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path,
                        default=ROOT / "build" / "dev")
    parser.add_argument("--since", metavar="COMMIT")
    parser.add_argument("--most", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("files", nargs="+", metavar="FILE",
                        type=pathlib.PurePosixPath)
    options = parser.parse_args()
    all_killed = all_survived = 0
    for file in options.files:
        with tempfile.TemporaryDirectory() as folder:
            killed, survivors = judge(file, options, pathlib.Path(folder))
        for number, what in survivors:
            print(f"{file}:{number}: {what}")
        print(f"{file}: {killed} of {killed + len(survivors)} killed",
              flush=True)
        all_killed += killed
        all_survived += len(survivors)
    whole = all_killed + all_survived
    print(f"{100 * all_killed / max(1, whole):.0f} % of {whole} killed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
