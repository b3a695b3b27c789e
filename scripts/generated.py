"""Files of the tree that scripts write."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def settle(target, wanted, check, source, command):
    """Writes `wanted`, or, to `check`, only looks: the exit status, 1 if it is
    not what `source` says, which `command` mends."""
    if not check:
        target.write_text(wanted)
        return 0
    if target.exists() and target.read_text() == wanted:
        return 0
    named = target.relative_to(ROOT) if target.is_relative_to(ROOT) else target
    print(f"{named} is not what {source} says: run {command}", file=sys.stderr)
    return 1
