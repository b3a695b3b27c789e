#!/usr/bin/env python3
"""Tells the page which characters nobody sees.

  scripts/hidden_characters.py            writes page/src/text/hidden.ts
  scripts/hidden_characters.py --check    exits with 1 if that is not up to date

The table is that of store/records/hidden_characters.cc, and so is the rule of
the last two of each plane, which are no characters.
"""

import argparse
import pathlib
import re
import sys

import generated

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "store" / "records" / "hidden_characters.cc"
TARGET = ROOT / "page" / "src" / "text" / "hidden.ts"
SPAN = re.compile(r"\{0x([0-9A-F]+), 0x([0-9A-F]+)\}")
LAST_OF_PLANES = "(character & 0xFFFEU) == 0xFFFE"
PLANES = 17
WIDTH = 100


def spans(source: str) -> list[tuple[int, int]]:
    table = re.search(r"kHidden\[\] = \{(.*?)\};", source, re.DOTALL)
    if table is None or LAST_OF_PLANES not in source:
        sys.exit(f"{SOURCE.relative_to(ROOT)} is not as this script reads it")
    found = [(int(first, 16), int(last, 16))
             for first, last in SPAN.findall(table.group(1))]
    return found + [(plane << 16 | 0xFFFE, plane << 16 | 0xFFFF)
                    for plane in range(PLANES)]


def generate() -> str:
    lines = [""]
    for first, last in spans(SOURCE.read_text()):
        span = f"\\\\u{{{first:x}}}" + (
            f"-\\\\u{{{last:x}}}" if last != first else "")
        if len(lines[-1]) + len(span) > WIDTH:
            lines.append("")
        lines[-1] += span
    return ("// Characters that nobody sees, for a class of a regular expression "
            "with flag u.\n"
            "// Made by scripts/hidden_characters.py.\n"
            "export const kHidden =\n  "
            + " +\n  ".join(f"'{line}'" for line in lines) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    return generated.settle(TARGET, generate(), check, SOURCE.relative_to(ROOT),
                            "scripts/hidden_characters.py")


if __name__ == "__main__":
    sys.exit(main())
