"""The program under test, if there is one: CK_PROGRAM names it."""

import os
import subprocess
import unittest

PROGRAM = os.environ.get("CK_PROGRAM", "")

needed = unittest.skipUnless(PROGRAM, "CK_PROGRAM names no program")


def output(*arguments: str) -> str:
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, check=True
    ).stdout
