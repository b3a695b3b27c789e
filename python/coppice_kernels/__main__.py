"""`coppice ...`, and `python -m coppice_kernels ...`: becomes the program.

`python -m coppice_kernels doctor` looks at this machine, and at this Python.
"""

from __future__ import annotations

import os
import sys

from . import _program
from ._errors import Error


def main() -> int:
    try:
        program = _program.path()
        os.execv(program, [program, *sys.argv[1:]])
    except (Error, OSError) as error:
        print(f"coppice: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    if sys.argv[1:] == ["doctor"]:
        from . import machine

        sys.exit(machine.main())
    sys.exit(main())
