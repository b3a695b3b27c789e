"""Runs the tests of this folder.  usage: run.py PROGRAM [PYTHON] [types]

PROGRAM is coppice; PYTHON the one that has what frames, plots and notebooks
need, if it is there.  Without it those tests skip themselves.  What checkers of
types say is asked for by the last word, and is the same of any program.
"""

import os
import pathlib
import sys
import unittest


def main() -> int:
    program, *more = sys.argv[1:]
    pythons = [word for word in more if word != "types"]
    for python in pythons:
        python = os.path.abspath(python)
        if os.path.exists(python) and os.path.abspath(sys.executable) != python:
            os.execv(python, [python, __file__, program, *more])
    os.environ["CK_PROGRAM"] = os.path.abspath(program)
    here = pathlib.Path(__file__).resolve().parent
    sys.path.insert(0, str(here.parent))
    names = [
        f"tests.{path.stem}"
        for path in sorted(here.glob("test_*.py"))
        if not path.stem.startswith("test_policy")  # These are run apart.
        and (path.stem == "test_types") == ("types" in more)
    ]
    tests = unittest.defaultTestLoader.loadTestsFromNames(names)
    result = unittest.TextTestRunner(verbosity=1).run(tests)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
