"""Where the program is, and short runs of it."""

from __future__ import annotations

import os
import pathlib
import subprocess
from collections.abc import Sequence

from . import _errors

_HERE = pathlib.Path(__file__).resolve().parent


def path() -> str:
    """The program of this package, or the one that CK_PROGRAM names."""
    named = os.environ.get("CK_PROGRAM")
    if named:
        if os.access(named, os.X_OK):
            return named
        raise _errors.Unavailable(f"CK_PROGRAM={named}: cannot be executed")
    packed = _HERE / "_prefix" / "bin" / "coppice"
    if os.access(packed, os.X_OK):
        return str(packed)
    raise _errors.Unavailable(
        f"{packed}: there is no program",
        "install a wheel of coppice-kernels, or name one in CK_PROGRAM",
    )


def last_line(stderr: str) -> str:
    lines = [line for line in stderr.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "said nothing"


# Exit codes of the program other than 1: see `coppice --help`.
_OF_EXIT: dict[int, type[_errors.Error]] = {
    2: _errors.UsageError,
    130: _errors.Cancelled,
}


def error_of(returncode: int, stderr: str) -> _errors.Error:
    if returncode < 0:
        return _errors.Error(f"the program was killed by signal {-returncode}")
    return _OF_EXIT.get(returncode, _errors.Error)(last_line(stderr))


def output_of(*arguments: str, codes: Sequence[int] = (0,)) -> str:
    """What the program prints; raises an Error with its last line if it ends with
    another code."""
    done = subprocess.run(
        [path(), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in codes:
        raise error_of(done.returncode, done.stderr)
    return done.stdout
