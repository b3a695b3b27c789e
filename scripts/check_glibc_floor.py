#!/usr/bin/env python3
"""Holds programs to what the wheel's glibc 2.28 has, or cmake/glibc_floor.c.

Reads what each needs of a later glibc (objdump) and prints a line for every
function that is in neither; exits 1 if there is any.

usage: check_glibc_floor.py PROGRAM...
"""

import pathlib
import re
import subprocess
import sys

FLOOR = pathlib.Path(__file__).parent.parent / "cmake" / "glibc_floor.c"
OLDEST = 28
# A later glibc has these in another version or another place, and 2.28 has one,
# too.
ALSO_OLD = re.compile("""
    exp2?|log2?|pow|hypot | f?stat(64)?|lstat(64)? | __libc_start_main
    | dl(addr|close|error|info|open|sym) | timer_\\w+
    | pthread_(once|create|detach|join|sigmask|condattr_setclock) | __pthread_\\w+
    | pthread_mutex_trylock | pthread_rwlock_(rd|wr|un)lock
    """, re.VERBOSE)


def later(program):
    """(version, symbol) of each."""
    table = subprocess.run(["objdump", "-T", program], check=True,
                           capture_output=True, text=True).stdout
    for line in table.splitlines():
        found = re.search(r"\*UND\*.*\(?GLIBC_2\.(\d+)\)?\s+(\w+)$", line)
        if found and int(found[1]) > OLDEST:
            yield int(found[1]), found[2]


def main(programs):
    if not programs:
        sys.exit(__doc__)
    floor = FLOOR.read_text()
    lacking = [f"{program}: {symbol} is of glibc 2.{version}: write it in "
               f"cmake/{FLOOR.name}"
               for program in programs
               for version, symbol in sorted(later(program))
               if not ALSO_OLD.fullmatch(symbol)
               and not re.search(rf"^[a-z].*\b{symbol}( = |\()", floor,
                                 re.MULTILINE)]
    print("\n".join(lacking), end="\n" if lacking else "")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
