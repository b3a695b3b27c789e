#!/usr/bin/env python3
"""Holds the documents to what a reader may expect of them.

usage: check_prose.py [--program COPPICE]

- README.md has at most 120 lines.
- Sentences have at most 18 words on average in each document, and paragraphs
  at most 100 words.
- Every relative link and its anchor lead somewhere, and so does every path of
  this tree in backticks.
- With --program: every `coppice VERB` and every option in code is one that the
  program has.

Prints a line for each breach, and exits 1 if there is any.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
README_LINES = 120
SENTENCE_WORDS = 18
PARAGRAPH_WORDS = 100

# Options of programs that are not coppice.
FOREIGN = {"--compile",  # exploit_corpus
           "--cli",  # the Inspector of the Model Context Protocol
           "--lines"}  # tests/mcp/raw_client_test.py

FENCE = re.compile(r"^```.*?^```[^\n]*\n", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"!?\[([^\]]*)\]\(([^)\s]+)\)")
ITEM = re.compile(r"^\s*([-*]|\d+\.)\s+")
PATH = re.compile(r"^(?:\.ci|agents|cmake|config|data|docs|engine|eval|scripts|"
                  r"search|store|tests)/[\w./-]+$|^[A-Z]+\.md$")


def paragraphs(text):
    """The prose of a document: no code, tables, headings or comments."""
    text = COMMENT.sub("", FENCE.sub("\n\n", text))
    found, lines, after_blank = [], [], True

    def end():
        if lines:
            found.append(" ".join(lines))
            lines.clear()

    in_code = False
    for line in text.splitlines():
        if not line.strip():
            end()
            after_blank = True
            continue
        indented = line.startswith("    ")
        in_code = indented and (after_blank or in_code)
        after_blank = False
        if in_code or line.startswith(("#", "|")):
            end()
            continue
        if ITEM.match(line):
            end()
        lines.append(ITEM.sub("", line).strip())
    end()
    return found


def plain(paragraph):
    """As it is read: a link is its words, and code is one word."""
    paragraph = LINK.sub(lambda match: match[1], paragraph)
    return CODE.sub("code", paragraph).replace("*", "")


def sentences(paragraph):
    """Its sentences.  A colon at the end is an end, too."""
    parts = re.split(r"(?<=[.!?:])[)\"']*\s+(?=[A-Z(\"'0-9]|code\b)",
                     plain(paragraph))
    return [part for part in parts if words(part)]


def words(text):
    return [word for word in text.split() if re.search(r"\w", word)]


def check_prose(name, text):
    if name == "README.md" and text.count("\n") > README_LINES:
        yield f"{name}: {text.count(chr(10))} lines; {README_LINES} are enough"
    lengths = []
    for paragraph in paragraphs(text):
        count = len(words(plain(paragraph)))
        if count > PARAGRAPH_WORDS:
            yield (f"{name}: a paragraph of {count} words: "
                   f"\"{plain(paragraph)[:50]}...\"")
        lengths += [len(words(part)) for part in sentences(paragraph)]
    mean = sum(lengths) / max(1, len(lengths))
    if mean > SENTENCE_WORDS:
        yield f"{name}: sentences have {mean:.1f} words on average"


def anchors(text):
    """A document's headings, as they are linked to."""
    found = set()
    for heading in re.findall(r"^#+ +(.*)$", FENCE.sub("", text), re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", plain(CODE.sub(r"\1", heading)).lower())
        found.add(slug.strip().replace(" ", "-"))
    return found


def check_links(name, text, root):
    for _, target in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (root / name).parent / path if path else root / name
        if not file.exists():
            yield f"{name}: links to {target}, which is not there"
        elif anchor and anchor not in anchors(file.read_text()):
            yield f"{name}: links to {target}, which has no such heading"
    for code in CODE.findall(FENCE.sub("", text)):
        if (PATH.match(code) and "NAME" not in code and
                not (root / code).exists()):
            yield f"{name}: names {code}, which is not there"


def code_of(text):
    """Every line of code, in blocks and in backticks."""
    prose = []
    for line in text.splitlines():
        if line.startswith("    "):
            yield line.strip()
        else:
            prose.append(line)
    text = "\n".join(prose)
    for block in FENCE.findall(text):
        for line in block.splitlines()[1:-1]:
            if line.startswith("$ "):
                yield line[2:]
    yield from CODE.findall(FENCE.sub("", text))


class Program:
    """What its own help says that it has."""

    def __init__(self, path):
        self.path = path
        # By verb, and by verb and action: ("db",), ("db", "doctor").
        self.helps = {}
        for verb in re.findall(r"^  ([a-z][a-z-]*)\b", self.ask("help"),
                               re.MULTILINE):
            text = self.ask(verb, "--help")
            if not text:
                continue
            self.helps[(verb,)] = text
            actions = text.partition("\nactions\n")[2].partition("\n\n")[0]
            for action in re.findall(r"^  ([a-z]+)\b", actions, re.MULTILINE):
                self.helps[(verb, action)] = self.ask(verb, action, "--help")

    def ask(self, *arguments):
        done = subprocess.run([self.path, *arguments], text=True, check=False,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        return done.stdout if done.returncode == 0 else ""

    def has_actions(self, verb):
        return any(len(place) == 2 and place[0] == verb for place in self.helps)

    def has(self, place, option):
        return re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])",
                         self.helps[place]) is not None


def check_commands(name, text, program):
    for code in code_of(text):
        code = code.partition(" # ")[0]
        for command in re.findall(r"(?:^|[\s(\"'|])coppice ([a-z][^|\"]*)",
                                  code):
            verb, *rest = command.replace(":", " ").split()
            if verb in ("help", "version"):
                continue
            place = (verb,)
            if place not in program.helps:
                yield f"{name}: `coppice {verb}` is no verb"
                continue
            action = rest[0] if rest else ""
            if program.has_actions(verb) and re.fullmatch("[a-z]+", action):
                place = (verb, action)
                if place not in program.helps:
                    yield f"{name}: `coppice {verb} {action}` is no action"
                    continue
            for option in re.findall(r"(?:^|\s)(--[a-z][a-z-]*)", command):
                if not program.has(place, option):
                    yield f"{name}: `coppice {' '.join(place)}` has no {option}"
        option = re.fullmatch(r"(--[a-z][a-z-]*)( .*)?", code)
        if (option and option[1] not in FOREIGN and
                not any(program.has(place, option[1])
                        for place in program.helps)):
            yield f"{name}: no verb has {option[1]}"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--program", type=pathlib.Path)
    program = parser.parse_args().program
    held = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md",
            "docs/data/README.md",
            *(f"docs/{path.name}"
              for path in sorted((ROOT / "docs").glob("*.md")))]
    others = ["data/README.md", "tests/gpu/README.md"]
    breaches = []
    program = program and Program(program)
    for name in held + others:
        text = (ROOT / name).read_text()
        if name in held:
            breaches += check_prose(name, text)
        breaches += check_links(name, text, ROOT)
        if program and name != "CHANGELOG.md":  # It names old ones, too.
            breaches += check_commands(name, text, program)
    for breach in breaches:
        print(breach)
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
