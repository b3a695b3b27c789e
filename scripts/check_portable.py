#!/usr/bin/env python3
"""Holds programs to what any machine with glibc 2.36 or later has.

Reads what each needs to be loaded (readelf) and prints a line for every
library, or version of one, that is not to be expected elsewhere; exits 1 if
there is any.

usage: check_portable.py PROGRAM...
"""

import re
import subprocess
import sys

EXPECTED = {
    "ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6",
    "libcurl.so.4", "libsqlite3.so.0",
}
GLIBC = (2, 36)  # Debian 12's.


def breaches(dynamic, versions):
    """What is wrong with a program, by the output of readelf -d and readelf -V."""
    for library in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        if library not in EXPECTED:
            yield f"needs {library}"
    if re.search(r"\((RPATH|RUNPATH)\)", dynamic):
        yield "looks for libraries in a directory of its own"
    for version in sorted(set(re.findall(r"Name: GLIBC_([0-9.]+)", versions))):
        if tuple(map(int, version.split("."))) > GLIBC:
            yield f"needs glibc {version}"


def readelf(option, program):
    return subprocess.run(["readelf", "-W", option, program], check=True,
                          capture_output=True, text=True).stdout


def main(programs):
    found = [f"{program}: {breach}"
             for program in programs
             for breach in breaches(readelf("-d", program),
                                    readelf("-V", program))]
    for line in found:
        print(line)
    if not programs:
        sys.exit(__doc__)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
