"""Runs a Python test by an interpreter that has PyTorch.

usage: with_pytorch.py PYTHON TEST

Exit code 77: PYTHON has none (scripts/setup test installs it in build/python).
"""

import subprocess
import sys


def main() -> int:
    python, test = sys.argv[1:]
    try:
        # Looked for and not imported, which takes as long as most of the tests.
        probe = subprocess.run(
            [python, "-c", "import importlib.util, sys; "
             "sys.exit(importlib.util.find_spec('torch') is None)"], check=False)
        has_torch = probe.returncode == 0
    except OSError:
        has_torch = False
    if not has_torch:
        print(f"skipped: {python} has no PyTorch")
        return 77
    return subprocess.run([python, test], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
