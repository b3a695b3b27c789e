"""Transcripts of sessions at a terminal: what was typed, what came.

    # Who this is, and what they want: up to the first command.

    $ coppice run sim:basic --budget 100000
    basic.xei_hint.s1: root runs in {time}
    {...}
    @ until attempts
    @ key C-c
    stopped; continue with: coppice resume --db coppice.db
    @ exit 130

`$ COMMAND` is typed and entered; lines that begin with `> ` go on with it, as
at bash's second prompt.  What the screen then shows up to the next prompt must
be what the transcript shows up to the next command.  Where things vary:

    {time} {speedup} {number} {percent} {clock} {date} {hash} {path} {word}
    {one|other}  either word
    {...}       any text; on a line of its own, any number of lines
    two spaces  two spaces or more, since columns follow their contents
    [60] LINE   a line that is shown at 60 columns only; likewise [120]

Lines that begin with `@ ` do something else, in the order in which they stand:

    @ until TEXT     wait until the screen has it, since this command
    @ key NAME       press a key by tmux's name: Enter, Tab, Up, C-c
    @ type TEXT      type it and enter nothing: begins a command, too
    @ reply TEXT     type and enter it: to the program that runs
    @ kill SIGNAL    send that signal to the coppice that runs
    @ exit CODE      how the command ended; 0 where it is not said.  `0 or 3`
                     where that hangs on what is measured
    @ colours        the command's lines are coloured; else none may be
    @ note TEXT      for who reads the transcript
"""

import dataclasses
import difflib
import re

PLACEHOLDERS = {
    "time": r"\d+(?:\.\d+)?(?:e[+-]?\d+)? (?:ns|us|ms|s|min)",
    "speedup": r"\d+(?:\.\d+)?x(?: \((?:\?|[\d.]+-[\d.]+)\))?",
    "percent": r"\d+(?:\.\d+)? %",
    "clock": r"\d+:\d\d(?::\d\d)?",
    "date": r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?Z?",
    "hash": r"[0-9a-f]{7,64}",
    "path": r"/[\w./-]+",
    "number": r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?",
    "word": r"\S+",
    "...": r".*?",
}
ANY_LINES = "{...}"
PLACEHOLDER = "{(?:" + "|".join(map(re.escape, PLACEHOLDERS)) + r"|\w+\|\w+)}"
_PARTS = re.compile(f"({PLACEHOLDER}|  +)")
_WIDTH = re.compile(r"\[(\d+)\] ?(.*)")
_ACTIONS = ("until", "key", "type", "reply", "kill")

ENDING_KEYS = ("Enter", "C-c")  # After which what was typed is no more.


class Malformed(Exception):
    """The transcript cannot be read."""


@dataclasses.dataclass
class Turn:
    """From one prompt to the next."""
    first_line: int
    actions: list = dataclasses.field(default_factory=list)  # (verb, text)
    written: list = dataclasses.field(default_factory=list)  # As in the file.
    expected: list = dataclasses.field(default_factory=list)
    exits: tuple = (0,)  # One of these.
    coloured: bool = False

    def expected_at(self, columns):
        """The lines that are to be shown at that width."""
        lines = []
        for line in self.expected:
            only = _WIDTH.fullmatch(line)
            if only is None:
                lines.append(line)
            elif int(only[1]) == columns:
                lines.append(only[2])
        return without_blank_ends(lines)


@dataclasses.dataclass
class Transcript:
    head: list
    turns: list


def without_blank_ends(lines):
    lines = list(lines)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def parse(text):
    transcript = Transcript([], [])
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("$ ") or (line.startswith("@ type ")
                                     and not _is_open(transcript.turns)):
            transcript.turns.append(Turn(number))
        if not transcript.turns:
            if line and not line.startswith("#"):
                raise Malformed(f"{number}: before the first command only "
                                "lines that begin with # may stand")
            transcript.head.append(line)
            continue
        _add(transcript.turns[-1], line, number)
    return transcript


# Nothing that was typed was entered or given up yet.
def _is_open(turns):
    return bool(turns) and not any(
        verb == "enter" or (verb == "key" and text in ENDING_KEYS)
        for verb, text in turns[-1].actions)


def _add(turn, line, number):
    if line.startswith("$ "):
        turn.actions.append(("enter", line[2:]))
    elif (line == ">" or line.startswith("> ")) and not turn.expected:
        turn.actions.append(("enter", line[2:]))
    elif line.startswith("@ "):
        verb, _, rest = line[2:].partition(" ")
        if verb in _ACTIONS:
            turn.actions.append((verb, rest))
        elif verb == "exit":
            turn.exits = tuple(int(code) for code in rest.split(" or "))
        elif verb == "colours":
            turn.coloured = True
        elif verb != "note":
            raise Malformed(f"{number}: there is no '@ {verb}'")
    else:
        turn.expected.append(line)
        turn.written.append(("expected", line))
        return
    kind = line[2:].partition(" ")[0] if line.startswith("@ ") else ""
    turn.written.append((kind if kind in ("exit", "colours") else "said", line))


def pattern(line):
    """A regular expression for one line, without its end."""
    text = ""
    for part in _PARTS.split(line):
        if part.startswith("  "):
            text += "  +"
        elif part.startswith("{") and re.fullmatch(PLACEHOLDER, part):
            text += PLACEHOLDERS.get(part[1:-1], f"(?:{part[1:-1]})")
        else:
            text += re.escape(part)
    return text


def matches(expected, got):
    whole = "".join(r"(?:.*\n)*?" if line == ANY_LINES else pattern(line) + r"\n"
                    for line in expected)
    return re.fullmatch(whole, "".join(line + "\n" for line in got)) is not None


def difference(expected, got):
    """Both, line by line: `-` is expected and did not come, `+` came."""

    def steps(i, j):  # What they gain, where they lead, what they show.
        if i < len(expected) and expected[i] == ANY_LINES:
            yield 0, i + 1, j, None
            if j < len(got):
                yield 1, i, j + 1, "  " + got[j]
        elif i < len(expected):
            if j < len(got) and re.fullmatch(pattern(expected[i]), got[j]):
                yield 2, i + 1, j + 1, "  " + got[j]
            yield 0, i + 1, j, "- " + expected[i]
        if j < len(got):
            yield 0, i, j + 1, "+ " + got[j]

    best = {(len(expected), len(got)): (0, None)}  # The gain, and the step.
    for i in range(len(expected), -1, -1):
        for j in range(len(got), -1, -1):
            for step in steps(i, j):
                gain = step[0] + best[step[1], step[2]][0]
                if (i, j) not in best or gain > best[i, j][0]:
                    best[i, j] = gain, step
    shown = []
    _, step = best[0, 0]
    while step is not None:
        if step[3] is not None:
            shown.append(step[3])
        _, step = best[step[1], step[2]]
    return shown


# What a campaign's live line looks like while and after it is rewritten.
_LIVE = re.compile(r"(\S+: )?\d+/\d+ (?:attempts|campaigns)\b")


def dead_lines(rows, columns):
    """Lines of the live display that it failed to rewrite.

    `rows` are those of one command.  One that fills its row was wrapped, and
    what is wrapped stays; one of a campaign that is shown again below was left,
    unless Ctrl-C was typed after it: what the program says of that is below.
    """
    live = [(match[1], row) for row in rows if (match := _LIVE.match(row))]
    seen, dead = set(), []
    for campaign, row in reversed(live):
        left = campaign in seen and not row.endswith("^C")
        if left or len(row) >= columns:
            dead.append(row)
        seen.add(campaign)
    return dead[::-1]


def _with_placeholders(line):
    for name in ("date", "time", "speedup", "percent", "clock", "hash", "path"):
        # None within a word, where letters and digits are something else.
        line = re.sub(r"(?<![\w./{-])" + PLACEHOLDERS[name] + r"(?![\w}])",
                      "{" + name + "}", line)
    return line


def merged(shown, known=()):
    """The lines to expect, from those that came at each width.

    A line that came everywhere is kept, in the words of `known` where these fit
    it.  One that differs in times and the like gets placeholders, any other its
    width.
    """
    def general(line):
        for expected in known:
            if re.fullmatch(pattern(expected), line):
                return expected
        return _with_placeholders(re.sub("  +", "  ", line))

    (narrow, at_narrow), (wide, at_wide) = sorted(shown.items())
    of_narrow = [general(line) for line in at_narrow]
    of_wide = [general(line) for line in at_wide]
    lines = []
    matcher = difflib.SequenceMatcher(None, of_narrow, of_wide, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            for left, right, line in zip(at_narrow[a:b], at_wide[c:d],
                                         of_narrow[a:b]):
                same = left == right and line not in known
                lines.append(left if same else line)
        else:
            lines += [f"[{narrow}] {line}".rstrip() for line in at_narrow[a:b]]
            lines += [f"[{wide}] {line}".rstrip() for line in at_wide[c:d]]
    return lines


def recorded(turn, shown, code, coloured):
    """The turn as it is to be written, after what came at each width."""
    if all(matches(turn.expected_at(columns), got)
           for columns, got in shown.items()):
        kinds = ("said", "expected")
    else:
        kinds = ("said",)
    lines = without_blank_ends(
        [line for kind, line in turn.written if kind in kinds])
    if "expected" not in kinds:
        known = [line for line in turn.expected
                 if line != ANY_LINES and re.search(PLACEHOLDER, line)]
        lines += merged(shown, known)
    if coloured:
        lines.append("@ colours")
    if code in turn.exits:
        lines += [line for kind, line in turn.written if kind == "exit"]
    elif code != 0:
        lines.append(f"@ exit {code}")
    return lines + [""]
