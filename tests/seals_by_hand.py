#!/usr/bin/env python3
"""Adds up the seals of a database by what store/sealed_row.h and
store/schema.sql say of them, without coppice, and compares them with those that
the file has; with --write, puts them into the file."""

import argparse
import hashlib
import re
import sqlite3
import struct
import sys
from pathlib import Path

SCHEMA = (Path(__file__).parent.parent / "store" / "schema.sql").read_text()
FILLED = set(re.findall(r"^INSERT INTO (\w+)", SCHEMA, re.M))
SUMS = {"call_sum", "improvement", "trial_sum"}


def sealed_bytes(value):
    if value is None:
        return b"n"
    if isinstance(value, int):
        return b"i" + struct.pack("<q", value)
    if isinstance(value, float):
        return b"r" + struct.pack("<d", value or 0.0)
    kind, value = (b"b", value) if isinstance(value, bytes) else (
        b"t", value.encode())
    return kind + struct.pack("<q", len(value)) + value


def add_up(file):
    seals = {}

    def add(block, table, row):
        data = b"".join(map(sealed_bytes, (table, *row)))
        digest = hashlib.sha256(data).digest()
        seals[block] = (seals.get(block, 0) +
                        int.from_bytes(digest[:8], "little")) % 2**64

    names = [name for name, in file.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table'"
        " AND name NOT LIKE 'sqlite!_%' ESCAPE '!'")]
    for table in names:
        if table in FILLED | SUMS or table == "seal":
            continue
        columns = file.execute(f"PRAGMA table_info({table})").fetchall()
        key = [c for c in sorted(columns, key=lambda c: c[5]) if c[5] > 0]
        has_campaign = len(key) > 1 and key[0][1] == "campaign_id"
        first = key[1 if has_campaign else 0]
        for row in file.execute("SELECT " + ", ".join(c[1] for c in columns) +
                                f" FROM {table}"):
            number = row[first[0]] if first[2] == "INTEGER" else 0
            add((table, row[key[0][0]] if has_campaign else 0, number // 64),
                table, row)
    for row in file.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"
                            " WHERE name NOT LIKE 'sqlite!_stat%' ESCAPE '!'"):
        add(("sqlite_schema", 0, 0), "sqlite_schema", row)
    return {block: sum - 2**64 if sum >= 2**63 else sum
            for block, sum in seals.items() if sum}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args()
    mode = "rw" if arguments.write else "ro&immutable=1"
    file = sqlite3.connect(f"file:{arguments.file}?mode={mode}", uri=True)
    seals = add_up(file)
    if arguments.write:
        with file:
            file.execute("DELETE FROM seal")
            file.executemany(
                "INSERT INTO seal (of_table, campaign_id, block, sum)"
                " VALUES (?, ?, ?, ?)",
                sorted((*block, sum) for block, sum in seals.items()))
    has = {(table, campaign, block): sum for table, campaign, block, sum in
           file.execute("SELECT of_table, campaign_id, block, sum FROM seal"
                        " WHERE sum <> 0")}
    if has != seals:
        sys.exit(f"{arguments.file}: has other seals than its rows give: "
                 f"{sorted(set(has.items()) ^ set(seals.items()))[:5]}")
    print(f"{arguments.file}: {len(seals)} seals are as its rows give them")


if __name__ == "__main__":
    main()
