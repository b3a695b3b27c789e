"""A program in the place of coppice, of which a test writes what it does."""

import contextlib
import os
import pathlib
import sys
import tempfile
from collections.abc import Iterator
from unittest import mock


@contextlib.contextmanager
def fake_program(body: str) -> Iterator[pathlib.Path]:
    """Statements of Python, which have `arguments`; CK_PROGRAM names it."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "coppice"
        path.write_text(
            f"#!{sys.executable} -IS\n"
            "import json, os, signal, sys, time\n"
            f"arguments = sys.argv[1:]\n{body}\n"
        )
        path.chmod(0o755)
        with mock.patch.dict(os.environ, {"CK_PROGRAM": str(path)}):
            yield path
