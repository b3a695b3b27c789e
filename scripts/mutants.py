#!/usr/bin/env python3
"""Whether tests would notice if the code was changed.

usage: mutants.py [--build DIR] [--since COMMIT] [--draw N] [--seed N]
                  [--jobs N] [--also FOLDER] PATH...

Each PATH is a source (search/tree.cc) or a folder (search).  One small change
at a time is made to a source: another comparison, another sign, a condition
that is turned round, a number that is one more, a statement that is left out,
or the like in a text of SQL.  The changed source is compiled, and linked into
the test program of its library in place of the one that is there.  A change
that a test fails on, crashes on or takes ten times as long for is killed.  The
tests of X.cc's own X_test.cc run first, then those of all in its folder, and in
those that --also names (search/policies for search/indexes).

Prints the changes that survived, and for each folder how many of those that
compile were killed, and how many of these by the file's own test.  With TMPDIR
in memory (/dev/shm) tests of the store take a third of the time.

--since takes only lines that have changed since a commit.  --draw takes so
many changes of all, drawn by a hash of the change and --seed: the same, then,
after code elsewhere has changed.  DIR (build/dev) is brought up to date for
each library that is met.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

import include_graph

ROOT = pathlib.Path(__file__).resolve().parent.parent


def one_more(match):
    value = match[0]
    return str(float(value) + 1 if "." in value else int(value) + 1)


NUMBER = r"(?<![\w.\"'?])\d+(?:\.\d+)?(?![\w.\"'])"


def signs(*pairs):
    """A sign has spaces around it, as clang-format leaves it."""
    return [(rf"(?<= ){re.escape(old)}(?= |$)", new) for old, new in pairs]


# What is changed into what, outside of comments and texts.
CODE = signs(
    ("<", "<="), ("<=", "<"), (">", ">="), (">=", ">"), ("==", "!="),
    ("!=", "=="), ("&&", "||"), ("||", "&&"), ("+", "-"), ("-", "+"),
    ("*", "/"), ("/", "*"), ("+=", "-="), ("-=", "+=")) + [
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"\bstd::min\b", "std::max"), (r"\bstd::max\b", "std::min"),
    (r"(?<=[( ])!(?=[\w(])", ""), (r"(?<=[( ])\+\+", "--"),
    # A whole condition, where it is one name or call.
    (r"(?<=if \()(?!const |auto )([\w.>()-]+)(?=\) )", r"!(\1)"),
    (r"\bcontinue;", "break;"), (r"^ +break;$", " ;"),
    (NUMBER, one_more),
    # A call whose value nobody takes, and a value that is given.
    (r"^  +[a-z]\w*(?:(?:\.|->)\w+)+\([^;]*\);$", " ;"),
    (r"^  +[A-Z]\w+\([^;]*\);$", " ;"),
    (r"^  +(?!return )[\w.>\[\]-]+ = [^;]*;$", " ;")]

# The same in SQL, whose words are large and whose functions are small.
SQL_WORDS = re.compile(
    r"\b(SELECT|FROM|WHERE|AND|OR|ORDER|GROUP|JOIN|SET|CASE|WHEN|LIMIT|UNION|"
    r"EXISTS|NULL|ON|HAVING|VALUES)\b")
SQL = signs(("<", "<="), ("<=", "<"), (">", ">="), (">=", ">"), ("+", "-"),
            ("-", "+"), ("<>", "="), ("AND", "OR"), ("OR", "AND")) + [
    (r"(?<=WHERE )([\w.]+) = ", r"\1 <> "), (r" DESC\b", ""),
    (r"(ORDER BY [\w.]+)(?! DESC)\b(?![\w.])", r"\1 DESC"),
    (r"\bIS NULL\b", "IS NOT NULL"), (r"\bIS NOT NULL\b", "IS NULL"),
    (r"\bNOT (?=EXISTS|IN\b)", ""), (r"\bLEFT JOIN\b", "JOIN"),
    (r"\bDISTINCT ", ""), (r"\bUNION ALL\b", "UNION"),
    (r"\bmin(?=\()", "max"), (r"\bmax(?=\()", "min"),
    (rf"(?<!SELECT ){NUMBER}", one_more)]

QUOTED = re.compile(r'"(?:\\.|[^"\\])*"|//.*|\'(?:\\.|[^\'\\])*\'')
RAW = re.compile(r'R"(\w*)\(')


def blank(text):
    return "~" * len(text)


def code_and_sql(text):
    """(row, its code, its SQL) of each row, other characters being ~."""
    ends = None  # The text in which we are, of many rows.
    for row in text.splitlines():
        begins = RAW.search(row)
        if ends:
            code, sql = blank(row), row if ends == ')sql"' else ""
            ends = None if ends in row else ends
        elif begins and f"){begins[1]}\"" not in row:
            ends = f"){begins[1]}\""
            code, sql = row[:begins.start()], ""
        else:
            code = QUOTED.sub(lambda match: blank(match[0]), row)
            sql = blank(row)
            for match in QUOTED.finditer(row):
                if match[0][0] == '"' and SQL_WORDS.search(match[0]):
                    inside = slice(match.start() + 1, match.end() - 1)
                    sql = sql[:inside.start] + row[inside] + sql[inside.stop:]
        yield row, code, sql


def mutants(text, lines=None):
    """(line, what is changed, the changed text) for each in `lines`."""
    rows = text.splitlines(keepends=True)
    for number, (row, code, sql) in enumerate(code_and_sql(text), 1):
        if row.lstrip().startswith(("#", "static_assert")) or (
                lines is not None and number not in lines):
            continue
        for view, changes in ((code, CODE), (sql, SQL)):
            for pattern, new in changes:
                for match in re.finditer(pattern, view):
                    put = new(match) if callable(new) else match.expand(new)
                    changed = row[:match.start()] + put + row[match.end():]
                    yield (number, f"{row.strip()}  ->  {changed.strip()}",
                           "".join([*rows[:number - 1], changed + "\n",
                                    *rows[number:]]))


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


def drawn(files, since, most, seed):
    """[(file, line, what, changed text)], those first that are drawn first."""
    found = []
    for file in files:
        lines = changed_lines(file, since) if since else None
        alike = collections.Counter()
        for number, what, text in mutants((ROOT / file).read_text(), lines):
            alike[what] += 1
            key = f"{seed} {file} {what} {alike[what]}"
            found.append((hashlib.sha256(key.encode()).hexdigest(),
                          file, number, what, text))
    return [rest for _, *rest in sorted(found)[:most]]


def modules():
    """The library of each source that is in a coppice_module."""
    found = {}
    for lists in ROOT.glob("*/**/CMakeLists.txt"):
        folder = pathlib.PurePosixPath(lists.relative_to(ROOT)).parent
        for name, sources in re.findall(
                r"coppice_module\((\w+)\s+SOURCES(.*?)(?:TESTS|DEPS|\))",
                lists.read_text(), re.DOTALL):
            found.update({folder / source: name for source in sources.split()
                          if source.endswith(".cc")})
    return found


class Bench:
    """Compiles sources of one library, and runs its test program with them."""

    def __init__(self, build, library, files, folder, jobs=2):
        self.build, self.library, self.folder = build, library, folder
        self.run(["ninja", f"{library}_test"])
        entries = json.loads((build / "compile_commands.json").read_text())
        self.flags = self.words_of(
            next(entry["command"] for entry in entries
                 if f"/{library}_test.dir/" in entry["command"]))
        link = self.run(["ninja", "-t", "commands", f"{library}_test"])
        self.link = self.words_of(
            link.splitlines()[-1].partition("&& ")[2].partition(" && ")[0])
        self.precompile(files)
        # Where calls within what was compiled together may be bound for good,
        # each source has to be an object of its own.
        is_bound = any("-fno-semantic-interposition" in entry["command"]
                       for entry in entries
                       if f"/{library}.dir/" in entry["command"])
        alone = files if is_bound else []
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            self.objects = dict(zip(alone, pool.map(
                self.compile, [ROOT / file for file in alone],
                [f"{number}.o" for number in range(len(alone))]), strict=True))
        if None in self.objects.values():
            raise SystemExit(self.said)

    def run(self, words):
        done = subprocess.run(words, cwd=self.build, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise SystemExit(f"{shlex.join(words)}\n{done.stdout[-2000:]}")
        return done.stdout

    def words_of(self, command):
        """What a command consists of, less what it makes and of what."""
        words = shlex.split(command)
        at = words.index("-o")
        return [word for word in words[:at] + words[at + 2:]
                if word not in ("-c", "-g1") and
                not word.endswith((".cxx", "/ccache"))]

    def precompile(self, files):
        """What `files` include is read once: that is most of the work."""
        lines = {line for file in files
                 for line in (ROOT / file).read_text().splitlines()
                 if line.startswith("#include")}
        whole = self.folder / "whole.h"
        whole.write_text("\n".join(sorted(lines)) + "\n")
        self.flags += ["-w", "-I", str(ROOT)]
        self.run([*self.flags, "-x", "c++-header", str(whole), "-o",
                  str(whole) + ".gch"])
        self.flags += ["-include", str(whole)]

    def compile(self, source, name):
        """The object, or none, of which `said` says why."""
        made = self.folder / name
        done = subprocess.run([*self.flags, "-c", str(source), "-o", str(made)],
                              cwd=self.build, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            self.said = done.stderr[-2000:]
            return None
        return made

    def program(self, objects, name):
        """The test program with `objects` before what the library has."""
        made = self.folder / name
        libraries = next(at for at, word in enumerate(self.link)
                         if word.endswith(".a"))
        self.run([*self.link[:libraries], *map(str, objects.values()),
                  *self.link[libraries:], "-Wl,-S",
                  "-Wl,--allow-multiple-definition", "-o", str(made)])
        return made

    def passes(self, program, tests, limit):
        with open_folder(self.folder) as scratch:
            try:
                return subprocess.run(
                    [program, "--gtest_brief=1", "--gtest_fail_fast",
                     f"--gtest_filter={tests}"], cwd=self.build, timeout=limit,
                    env=os.environ | {"TMPDIR": scratch}, check=False,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL).returncode == 0
            except subprocess.TimeoutExpired:
                return False

    def unchanged_s(self, tests):
        """The seconds that they take if nothing is changed."""
        began = time.monotonic()
        if not self.passes(self.program(self.objects, "whole"), tests, 600):
            raise SystemExit(f"{self.library}_test fails as it is: {tests}")
        return time.monotonic() - began

    def fate(self, file, text, name, tests, limit):
        """Who killed it: "own", "other", or "" for nobody; none: it does not
        compile."""
        source = self.folder / f"{name}.cc"
        source.write_text(text)
        made = self.compile(source, name + ".o")
        if made is None:
            return None
        program = self.program(self.objects | {file: made}, name)
        own = filter_of([ROOT / file.with_name(file.stem + "_test.cc")])
        if own and not self.passes(program, own, limit):
            who = "own"
        else:
            who = "" if self.passes(program, tests, limit) else "other"
        program.unlink()
        made.unlink()
        return who


@contextlib.contextmanager
def open_folder(parent=None):
    """A folder for a while, into which a test may look as another user."""
    with tempfile.TemporaryDirectory(dir=parent) as name:
        os.chmod(name, 0o755)
        yield name


def filter_of(files):
    """For gtest, the tests of these files; empty: there are none."""
    suites = {suite for file in files if file.exists() for suite in re.findall(
        r"^(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+)", file.read_text(),
        re.MULTILINE)}
    return ":".join(f"{suite}.*:{suite}/*:*/{suite}.*"
                    for suite in sorted(suites))


def judge(library, files, chosen, options):
    """[(file, line, what, who killed it)] of the changes of one library."""
    with open_folder() as name:
        bench = Bench(options.build.resolve(), library, files,
                      pathlib.Path(name), options.jobs)
        folders = {file.parent for file, *_ in chosen}
        tests = {folder: filter_of([
            test for each in {folder, *options.also}
            for test in (ROOT / each).glob("*_test.cc")])
            for folder in folders}
        limit = 10 * bench.unchanged_s(":".join(tests.values())) + 5

        def fate(number):
            file, line, what, text = chosen[number]
            return (file, line, what, bench.fate(
                file, text, f"mutant{number}", tests[file.parent], limit))

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            return list(pool.map(fate, range(len(chosen))))


def report(fates):
    counts = collections.defaultdict(collections.Counter)
    for file, line, what, who in sorted(fates, key=lambda fate: fate[:2]):
        if who is not None:
            counts[str(file.parent)][who] += 1
            counts["all"][who] += 1
        if who == "":
            print(f"{file}:{line}: {what}")
    print("| folder | changes that compile | killed | by the own test | share |"
          "\n|---|---|---|---|---|")
    for folder, who in counts.items():
        whole = who.total()
        killed = whole - who[""]
        print(f"| {folder} | {whole} | {killed} | {who['own']} |"
              f" {100 * killed / whole:.0f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path,
                        default=ROOT / "build" / "dev")
    parser.add_argument("--since", metavar="COMMIT")
    parser.add_argument("--draw", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--also", action="append", default=[], metavar="FOLDER",
                        type=pathlib.PurePosixPath)
    parser.add_argument("paths", nargs="+", metavar="PATH",
                        type=pathlib.PurePosixPath)
    options = parser.parse_args()
    by_library = collections.defaultdict(list)
    for file, library in sorted(modules().items()):
        if (not include_graph.is_test(file) and (ROOT / file).exists() and
                any(file.is_relative_to(path) for path in options.paths)):
            by_library[library].append(file)
    if not by_library:
        raise SystemExit("no source of a library is there")
    chosen = collections.defaultdict(list)
    for change in drawn(sum(by_library.values(), []), options.since,
                        options.draw, options.seed):
        chosen[change[0]].append(change)
    fates = []
    for library, files in by_library.items():
        changes = [change for file in files for change in chosen[file]]
        if changes:
            fates += judge(library, files, changes, options)
    report(fates)
    return 0


if __name__ == "__main__":
    sys.exit(main())
