#!/usr/bin/env python3
"""Whether files are found at the first guess, by their names alone.

usage: first_guess.py questions            what is looked for, to be handed out
       first_guess.py score ANSWERS        how many were found, and what was not
       first_guess.py sample COMMIT        draws the list anew

Who answers has seen these questions and what `git ls-files` prints, and
nothing else.  ANSWERS has a line for each question: its number, a tab, and the
one path where they would look first.  A header, its source and its test are
one place.

The list is first_guess.tsv: number, what is looked for, and where it is.
Nobody chose it.  One half are sentences of documents that name one file of the
sources, the other are first sentences of headers.  Each half is put in the
order of the SHA-256 of SEED and the sentence, and its first 20 are taken, of
each file once.  A document's comes with the one before it.  Dots stand for the
names of files, and nothing for those in brackets; a sentence of fewer than five
words is none.  When a file is renamed its row follows, and else
nothing in the list changes.
"""

import argparse
import hashlib
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIST = HERE / "first_guess.tsv"
SEED = "first guess"
EACH = 20
LEAST_WORDS = 5

sys.path.insert(0, str(ROOT / "scripts"))
import check_prose  # noqa: E402
import include_graph  # noqa: E402

SOURCE = re.compile(r"(?:agents|config|engine|eval|search|store|python|"
                    r"page/src)/[\w/.-]+\.(?:h|cc|py|sql|ts|svelte)")


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def place(path):
    """A header, its source and its test are one."""
    path = pathlib.PurePosixPath(path.strip().removeprefix("./"))
    return str(path.parent / path.stem.removesuffix("_test"))


def without_paths(sentence):
    """A sentence with dots for `path`, and nothing for (`path`)."""
    sentence = re.sub(r"`?[\w/-]+\.(h|cc|py|sql|ts|svelte)\b`?", "...",
                      sentence)
    return " ".join(re.sub(r"\s*\((\W*\.\.\.\W*)+\)", "", sentence).split())


def of_documents(text):
    """(sentence, file) where a sentence names one file."""
    for paragraph in check_prose.paragraphs(text):
        before = ""
        for sentence in re.split(r"(?<=[.!?:])\s+(?=[A-Z`\"(])", paragraph):
            files = {name for code in check_prose.CODE.findall(sentence)
                     for name in SOURCE.findall(code)}
            if len({place(name) for name in files}) == 1:
                yield without_paths(before + sentence), min(files)
            before = sentence + " "


def of_header(text):
    """The first sentence of its first comment."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("//") or not line.strip("/ "):
            break
        lines.append(line.strip("/ "))
    return re.split(r"(?<=\.)\s", " ".join(lines))[0]


def first_of(rows, taken):
    """EACH of (sentence, file) in the order that nobody chose."""
    found = []
    for sentence, file in sorted(rows, key=lambda row: hashlib.sha256(
            f"{SEED}\n{row[0]}".encode()).hexdigest()):
        if len(check_prose.words(sentence)) < LEAST_WORDS or \
                place(file) in taken:
            continue
        taken.add(place(file))
        found.append((sentence, file))
        if len(found) == EACH:
            break
    return found


def sample(commit):
    names = set(git("ls-tree", "-r", "--name-only", commit).splitlines())

    def text(name):
        return git("show", f"{commit}:{name}")

    documents = [row for name in sorted(names)
                 if re.fullmatch(r"(docs/)?\w+\.md", name) and
                 name != "CHANGELOG.md"
                 for row in of_documents(text(name)) if row[1] in names]
    headers = [(of_header(text(name)), name) for name in sorted(names)
               if name.endswith(".h") and SOURCE.fullmatch(name) and
               not include_graph.is_test(pathlib.PurePosixPath(name))]
    taken = set()
    return first_of(documents, taken) + first_of(headers, taken)


def questions():
    return [line.split("\t") for line in LIST.read_text().splitlines()]


def score(rows, answers):
    """The lines of a report: how many are found, then each that is not."""
    guesses = dict(line.split("\t")[:2] for line in answers if "\t" in line)
    missed = [(number, what, true, guesses.get(number, "no answer"))
              for number, what, true in rows
              if place(guesses.get(number, "")) != place(true)]
    folder = sum(pathlib.PurePosixPath(guess.strip()).parent ==
                 pathlib.PurePosixPath(true).parent
                 for _, _, true, guess in missed)
    return [f"{len(rows) - len(missed)} of {len(rows)} found; of "
            f"{len(missed)} that were not, {folder} in the right folder"] + [
        f"{number}  {what}\n    is {true}; guessed {guess.strip()}"
        for number, what, true, guess in missed]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    actions = parser.add_subparsers(dest="action", required=True)
    actions.add_parser("questions")
    actions.add_parser("score").add_argument("answers", type=pathlib.Path)
    actions.add_parser("sample").add_argument("commit")
    options = parser.parse_args()
    if options.action == "questions":
        print("\n".join(f"{number}\t{what}" for number, what, _ in questions()))
    elif options.action == "sample":
        for number, row in enumerate(sample(options.commit), 1):
            print(number, *row, sep="\t")
    else:
        print("\n".join(score(questions(),
                              options.answers.read_text().splitlines())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
