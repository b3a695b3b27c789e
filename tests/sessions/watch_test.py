#!/usr/bin/env python3
"""Watches a campaign in a terminal: it moves, fits, ends, and leaves no trace.

usage: watch_test.py --program COPPICE

Exits 77, which ctest takes for "skipped", where there is no tmux.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from terminal import PATIENCE_S, Terminal

SKIPPED = 77
SOURCES = pathlib.Path(__file__).resolve().parents[2]


def check(condition, what, lines=()):
    if not condition:
        raise SystemExit("\n".join([f"watch: {what}; the screen:", *lines]))


def attempts(lines):
    """How many the picture says are done; None: there is no picture."""
    found = re.search(r"^attempts (\d+)", "\n".join(lines), re.MULTILINE)
    return int(found[1]) if found else None


class SanitizerOutput:
    """A campaign that runs until it is killed."""

    def __init__(self, program, database, environment):
        self.process = subprocess.Popen(
            [program, "run", "sim:hill/1", "--budget", "1000000", "--db",
             database, "--progress", "none"], env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + PATIENCE_S
        while True:
            seen = subprocess.run(
                [program, "status", "--db", database], env=environment,
                capture_output=True, text=True)
            if re.search(r"running +\d+/", seen.stdout):
                return
            check(time.monotonic() < end, "no campaign began")
            time.sleep(0.1)

    def kill(self):
        self.process.kill()
        self.process.wait()


def begin(terminal, command):
    """Returns how many lines there were before."""
    before = len(terminal.lines())
    terminal.type(command)
    terminal.press("Enter")
    return before


def see(terminal, is_there, what):
    """Waits for a picture: its rows, none of which goes on in the next."""
    return terminal.wait(is_there, what, terminal.rows)


def watch(terminal, database):
    before = begin(terminal, f"coppice watch --db {database}")
    see(terminal, lambda rows: attempts(rows) is not None
        and "leaders" in "\n".join(rows), "the picture")
    return before


def ends_with(terminal, before, code):
    lines, came = terminal.wait_for_prompt(before)
    check(came == code, f"exit code {code} was expected, {came} came", lines)
    check(attempts(lines) is None, "the picture stayed behind", lines)
    check(any("echo before" in line for line in lines),
          "what was on the screen is gone", lines)
    return lines


def echoes(terminal):
    """The terminal shows again what is typed, and takes whole lines."""
    begin(terminal, "echo typed")
    lines, _ = terminal.wait_for_prompt(0)
    check(any(line == "$ echo typed" for line in lines), "nothing is echoed",
          lines)


def moves_and_fits(terminal, database):
    before = watch(terminal, database)
    first = attempts(terminal.rows())
    see(terminal, lambda rows: (attempts(rows) or 0) > first + 10,
        "an attempt that is done meanwhile")
    check("echo before" not in "\n".join(terminal.rows()),
          "the picture shares the screen", terminal.rows())
    for columns, rows in ((60, 20), (120, 40), (30, 5), (80, 50)):
        terminal.resize(columns, rows)
        last = attempts(see(terminal, lambda rows: attempts(rows) is not None,
                            "the picture"))
        lines = see(terminal, lambda rows: (attempts(rows) or 0) > last,
                    "a picture of the new size")
        check(len(lines) <= rows and all(len(line) <= columns
                                         for line in lines),
              f"the picture is no {columns} by {rows}", lines)
    return before


def run(folder, program):
    with Terminal(folder, 80, program, SOURCES) as terminal:
        terminal.wait_for_prompt(0)
        begin(terminal, "echo before")
        terminal.wait_for_prompt(0)
        database = str(folder / "x.db")
        watched = SanitizerOutput(program, database, terminal.environment)
        try:
            before = moves_and_fits(terminal, database)
            watched.kill()
            see(terminal, lambda rows: "interrupted" in rows[0],
                "that it was killed")
        finally:
            watched.kill()
        terminal.press("q")
        ends_with(terminal, before, 0)
        echoes(terminal)

        before = watch(terminal, database)
        terminal.press("C-c")
        ends_with(terminal, before, 130)
        echoes(terminal)

        before = watch(terminal, database)
        terminal.press("C-z")
        terminal.wait(lambda lines: any("Stopped" in line for line in lines),
                      "that it is stopped")
        terminal.wait_for_prompt(before)
        begin(terminal, "fg")
        see(terminal, lambda rows: attempts(rows) is not None, "the picture")
        terminal.kill(15, "coppice")
        ends_with(terminal, before, 130)
        echoes(terminal)

        subprocess.run([program, "resume", "--db", database, "--budget",
                        str(1 + done(program, database, terminal))],
                       env=terminal.environment, capture_output=True)
        before = begin(terminal, f"coppice watch --db {database}")
        lines, code = terminal.wait_for_prompt(before)
        check(code == 0 and attempts(lines[before:]) is not None,
              "a finished campaign is not printed once", lines)


def done(program, database, terminal):
    """Attempts that were begun."""
    rows = subprocess.run(
        [program, "sql", "SELECT attempts FROM campaigns", "--csv", "--db",
         database], env=terminal.environment, capture_output=True, text=True,
        check=True).stdout.split()
    return int(rows[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True)
    args = parser.parse_args()
    if shutil.which("tmux") is None:
        print("skipped: tmux is not installed; see scripts/setup")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="watch.") as folder:
        run(pathlib.Path(folder), args.program.resolve())
    return 0


if __name__ == "__main__":
    sys.exit(main())
