"""`coppice ...`, and `python -m coppice_kernels ...`: becomes the program."""

from __future__ import annotations

import os
import sys

from . import _program
from ._errors import Error


def main() -> int:
    try:
        program = _program.path()
        os.execve(program, [program, *sys.argv[1:]], _program.environment())
    except (Error, OSError) as error:
        print(f"coppice: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
