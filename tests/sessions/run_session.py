#!/usr/bin/env python3
"""Types a session at a terminal, and holds what comes against its transcript.

usage: run_session.py --program COPPICE --columns 60|120 FILE.session
       run_session.py --program COPPICE --record FILE.session...

transcript.py has the form.  --record plays a session at both widths and writes
what came in place of what was expected and did not: for a person, to read the
change before it is committed.
With --where-all-is-tried it plays only if COPPICE_TEST_WHOLE=1 (../whole.h).
Exits 77, which ctest takes for "skipped", where it does not, or has no tmux.
"""

import argparse
import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile

import transcript
from terminal import Stuck, Terminal

SKIPPED = 77
SOURCES = pathlib.Path(__file__).resolve().parents[2]
WIDTHS = (60, 120)


def solid(text):
    """Without spaces, which wrapping adds and takes."""
    return re.sub(r"\s", "", text)


def enter(terminal, text, seen):
    terminal.type(text)
    typed = solid(text)
    lines = terminal.wait(
        lambda lines: solid("".join(lines[seen:])).endswith(typed),
        f"'{text}' as typed")
    terminal.press("Enter")
    return len(lines)


def play(terminal, turn):
    """Returns what the command showed: lines, rows, coloured lines, exit."""
    # The last line is the prompt.
    begun = len(terminal.lines()) - 1
    rows_begun = len(terminal.rows()) - 1
    seen = begun
    entering = [i for i, (verb, _) in enumerate(turn.actions)
                if verb == "enter"]
    for i, (verb, text) in enumerate(turn.actions):
        if verb == "enter":
            seen = enter(terminal, text, seen)
            if i != entering[-1]:  # Another line of the same command.
                terminal.wait(lambda lines: lines[-1] == ">"
                              and len(lines) > seen, "the second prompt")
        elif verb == "type":
            terminal.type(text)
        elif verb == "until":
            terminal.wait(lambda lines: text in "\n".join(lines[seen:]),
                          f"'{text}'")
        elif verb == "key":
            if text in transcript.ENDING_KEYS and not entering:
                seen = len(terminal.lines())
            terminal.press(text)
        elif verb == "reply":
            terminal.wait(lambda lines: lines[-1].endswith((">", "?", ":")),
                          "a question")
            terminal.type(text)
            terminal.press("Enter")
        elif verb == "kill":
            terminal.kill(signal.Signals[f"SIG{text}"], "coppice")
    lines, code = terminal.wait_for_prompt(seen)
    rows = terminal.rows()[rows_begun:]
    coloured = any("\033[" in line for line in terminal.coloured()[seen:])
    last = lines[-1].removesuffix("$").rstrip()
    shown = lines[seen:-1] + ([last] if last else [])
    return transcript.without_blank_ends(shown), rows, coloured, code


def at_terminal(program, columns, use):
    with tempfile.TemporaryDirectory(prefix="session.") as folder:
        with Terminal(pathlib.Path(folder), columns, program,
                      SOURCES) as terminal:
            terminal.wait_for_prompt(0)
            return use(terminal)


def complaints(turn, columns, lines, rows, coloured, code):
    """What is not as the transcript has it, in lines for a person."""
    expected = turn.expected_at(columns)
    if not transcript.matches(expected, lines):
        yield "the screen differs (- expected, + came):"
        yield from transcript.difference(expected, lines)
    if code not in turn.exits:
        wanted = " or ".join(map(str, turn.exits))
        yield f"exit code {wanted} was expected, {code} came"
    if coloured != turn.coloured:
        yield "is coloured" if coloured else "is not coloured"
    for row in transcript.dead_lines(rows, columns):
        yield f"the live line left this behind: {row}"


def check(path, program, columns):
    session = transcript.parse(path.read_text())

    def each(terminal):
        for turn in session.turns:
            found = list(complaints(turn, columns, *play(terminal, turn)))
            if found:
                command = " / ".join(text for _, text in turn.actions)
                print(f"{path}:{turn.first_line}: at {columns} columns: "
                      f"{command}", *found, sep="\n    ")
                return 1
        return 0

    return at_terminal(program, columns, each)


def record(path, program):
    session = transcript.parse(path.read_text())
    played = {columns: at_terminal(
        program, columns,
        lambda terminal: [play(terminal, turn) for turn in session.turns])
              for columns in WIDTHS}
    lines = list(session.head)
    for i, turn in enumerate(session.turns):
        shown = {columns: played[columns][i][0] for columns in WIDTHS}
        _, _, coloured, code = played[WIDTHS[0]][i]
        lines += transcript.recorded(turn, shown, code, coloured)
    path.write_text("\n".join(transcript.without_blank_ends(lines)) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--columns", type=int, choices=WIDTHS)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--where-all-is-tried", action="store_true")
    parser.add_argument("sessions", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    if args.record == (args.columns is not None):
        parser.error("give --columns or --record")
    if (args.where_all_is_tried
            and os.environ.get("COPPICE_TEST_WHOLE") != "1"):
        print("skipped: it is played at the other width; see tests/whole.h")
        return SKIPPED
    if shutil.which("tmux") is None:
        print("skipped: tmux is not installed; see scripts/setup")
        return SKIPPED
    program = args.program.resolve()
    failed = 0
    for path in args.sessions:
        try:
            if args.record:
                record(path, program)
            else:
                failed |= check(path, program, args.columns)
        except (Stuck, transcript.Malformed) as error:
            print(f"{path}: {error}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
