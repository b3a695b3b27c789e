#!/usr/bin/env python3
"""Writes what store/schema.sql says of its views down for the Python package.

  scripts/python_schema.py            writes python/coppice_kernels/_schema.py
  scripts/python_schema.py --check    exits with 1 if that is not up to date

A column's type is that of the table's column it shows.  Where it is computed,
SQLite knows none, and the name tells: see INTEGERS and TEXTS.  Anything else
is a real number.  python/tests/test_history.py holds recorded databases to it.
"""

import argparse
import itertools
import pathlib
import re
import sqlite3
import sys
import textwrap

import generated

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "python" / "coppice_kernels" / "_schema.py"

# Computed columns, by name, or by "view.column" where a name has two types.
INTEGERS = set("""
steered told rank generation improved shown decided quoted solved compiled
correct undecided trials campaigns calls answered failed outcome_unknown
in_flight input_tokens cached_input_tokens output_tokens improvements repaired
nodes candidates lines_inside lines_outside kept_inside passed beat_parent
chosen asked k evaluations samples directives.attempts
fast_tasks.fast fast_p.fast fast_p_over.fast
""".split())
TEXTS = set("""
uuid aspect refusal limited_by author bound origin_file origin_campaign
origin_uuid program rule failure note tier verdict agents template_hash
conversation role day definition
tickets.ticket tickets.roles tickets.state tickets.late_for
""".split())

UNITS = {"_s": "s", "_usd": "USD", "_bytes": "B", "_mhz": "MHz",
         "_tokens": "tokens"}
RATES = {"bytes_per_s": "B/s", "flops_per_s": "FLOP/s"}


def type_of(view: str, column: str, declared: str) -> str:
    if declared:
        return declared
    for names, its_type in ((INTEGERS, "INTEGER"), (TEXTS, "TEXT")):
        if column in names or f"{view}.{column}" in names:
            return its_type
    if column.startswith("is_") or column.endswith("_blob"):
        return "INTEGER"
    return "REAL"


def unit_of(column: str, its_type: str) -> str:
    if column in RATES:
        return RATES[column]
    if its_type == "TEXT":
        return ""
    return next((unit for end, unit in UNITS.items() if column.endswith(end)),
                "")


def comments(sql: str) -> dict[str, tuple[str, dict[str, str]]]:
    """By view: the sentences above it, and what it says of columns.

    The same form as store/read/schema_guide.cc reads.
    """
    found = {}
    sentences, columns, names = [], {}, []
    for line in sql.splitlines():
        if line.startswith("--   "):
            text = line[len("--   "):]
            if not text.startswith(" "):
                head, _, rest = text.partition("  ")
                names = [n.strip().split(" ")[0]
                         for n in head.split(",") if n.strip()]
                text = rest
            if text.strip():
                for name in names:
                    columns[name] = f"{columns.get(name, '')} {text.strip()}".strip()
        elif line.startswith("--"):
            sentences.append(line[2:].strip())
            names = []
        else:
            view = re.match(r"CREATE VIEW (\w+)", line)
            if view:
                found[view[1]] = (" ".join(sentences), columns)
            sentences, columns, names = [], {}, []
    return found


def generate() -> str:
    sql = (ROOT / "store" / "schema.sql").read_text()
    said = comments(sql)
    database = sqlite3.connect(":memory:")
    database.executescript(sql)
    version = database.execute("PRAGMA user_version").fetchone()[0]
    application = database.execute("PRAGMA application_id").fetchone()[0]
    lines = [
        '"""The views of a database.  Made by scripts/python_schema.py."""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Final",
        "",
        "# What the header of a database says.",
        f"FORMAT: Final = {version}",
        f"APPLICATION_ID: Final = {application}",
        "",
        "# By view: what it tells of, and its columns in their order, with type",
        "# and unit.  Those of one meaning share it; lines that are indented go on.",
        "VIEWS: Final[dict[str, tuple[str, str]]] = {",
    ]
    views = database.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY rowid")
    for (view,) in views.fetchall():
        sentences, meanings = said.get(view, ("", {}))
        lines += [f"    {quoted(view)}: (", f"        {quoted(sentences)},",
                  '        """\\']
        columns = database.execute(f"PRAGMA table_info({view})").fetchall()
        for meaning, those in itertools.groupby(
                columns, lambda row: meanings.get(row[1], "")):
            lines += wrapped(", ".join(
                column_text(view, row[1], row[2]) for row in those), meaning)
        lines += ['""",', "    ),"]
    return "\n".join([*lines, "}"]) + "\n"


def column_text(view: str, name: str, declared: str) -> str:
    its_type = type_of(view, name, declared)
    return f"{name} {its_type} {unit_of(name, its_type)}".rstrip()


def wrapped(columns: str, meaning: str) -> list[str]:
    text = quoted(f"{columns}: {meaning}" if meaning else columns)[1:-1]
    return textwrap.wrap(text, 88, subsequent_indent="  ",
                         break_long_words=False, break_on_hyphens=False)


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    return generated.settle(TARGET, generate(), check, "store/schema.sql",
                            "scripts/python_schema.py")


if __name__ == "__main__":
    sys.exit(main())
