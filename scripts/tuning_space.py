#!/usr/bin/env python3
"""Makes a table for `coppice run recorded:` of a brute-forced tuning space.

usage: scripts/tuning_space.py CACHE [--first PARAMETER=VALUE,...]... > NAME.csv

CACHE is a cache file of Kernel Tuner or results in the T4 format, as JSON,
compressed by gzip or not; "-" is the standard input.  A cache that was not
closed, since its tuning was not finished, is read as far as it goes.  --first
keeps what has one of these values, to cut out a part that is whole.

data/tuning_spaces/README.md says of which file each table there was made, and
split.txt the hash of what this prints.
"""

import argparse
import gzip
import json
import math
import pathlib
import sys

STATUSES = {
    "CompilationFailedConfig": "compile_failed",
    "compile": "compile_failed",
    "InvalidConfig": "invalid",
    "constraints": "invalid",
    "RuntimeFailedConfig": "runtime_failed",
    "runtime": "runtime_failed",
    "correctness": "wrong_output",
    "timeout": "timed_out",
}


def fail(what):
    sys.exit(f"tuning_space.py: {what}")


def read(path):
    try:
        data = (sys.stdin.buffer.read() if path == "-"
                else pathlib.Path(path).read_bytes())
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        text = data.decode().rstrip()
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{path}: {error}")
    # A cache is closed when its tuning ends.
    for ending in ("", "}}", "}\n}"):
        try:
            return json.loads(text.rstrip(",") + ending if ending else text)
        except json.JSONDecodeError:
            continue
    fail(f"{path}: no JSON; expected a cache of Kernel Tuner or T4 results")


def rows_of_cache(document):
    """(parameters, of each configuration its values, status and times in ms)"""
    names = document["tune_params_keys"]
    rows = []
    for entry in document["cache"].values():
        values = [entry[name] for name in names]
        # Kernel Tuner puts why there is no time in the time's place, or in that of
        # the objective.
        why = next((entry[key] for key in ("time", document.get("objective"))
                    if isinstance(entry.get(key), str)), None)
        if why is None and not (entry.get("time", math.inf) < 1e19):
            why = "RuntimeFailedConfig"
        rows.append((values, why, [] if why else entry.get("times", [entry["time"]])))
    return names, rows


def rows_of_t4(document):
    results = document["results"]
    names = list(results[0]["configuration"])
    rows = []
    for entry in results:
        values = [entry["configuration"][name] for name in names]
        why = None if entry["invalidity"] == "correct" else entry["invalidity"]
        rows.append((values, why, [] if why else entry["times"]["runtimes"]))
    return names, rows


def line(values, why, times):
    fields = [str(value) for value in values]
    if why:
        if why not in STATUSES:
            fail(f"status '{why}' is none of {' '.join(STATUSES)}")
        return fields + [STATUSES[why], "", "", ""]
    mean = math.fsum(times) / len(times)
    squares = math.fsum((time - mean) ** 2 for time in times)
    deviation = math.sqrt(squares / len(times))
    return fields + ["ok", f"{mean:.6g}", f"{deviation:.3g}", str(len(times))]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cache")
    parser.add_argument("--first", action="append", default=[],
                        metavar="PARAMETER=VALUE,...")
    arguments = parser.parse_args()
    document = read(arguments.cache)
    if "cache" in document:
        names, rows = rows_of_cache(document)
    elif "results" in document:
        names, rows = rows_of_t4(document)
    else:
        fail(f"{arguments.cache}: neither a cache of Kernel Tuner nor T4 results")
    for word in arguments.first:
        name, _, kept = word.partition("=")
        if name not in names or not kept:
            fail(f"--first {word}: expected one of {' '.join(names)}, '=' and its "
                 "values")
        at = names.index(name)
        rows = [row for row in rows if str(row[0][at]) in kept.split(",")]
    print(",".join(names + ["status", "time_ms", "stddev_ms", "samples"]))
    for row in rows:
        print(",".join(line(*row)))


if __name__ == "__main__":
    main()
