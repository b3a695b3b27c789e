"""What a machine is said to have, by a program that says so."""

import contextlib
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import coppice_kernels as ck
from coppice_kernels import _errors, _program, machine

from .fake_program import fake_program

SAID = {
    "can_run": True,
    "machine": [
        {"part": "sandbox", "well": True, "text": "our own"},
        {"part": "compiler", "well": False, "text": "g++ is missing; install it"},
    ],
}


def saying(said: object, code: int = 0) -> str:
    """A program that prints this, and its version where it is asked for that."""
    return (
        "if arguments == ['--version']: print('coppice 9.9')\n"
        f"else: print({json.dumps(said)!r}); sys.exit({code})"
    )


class DoctorTest(unittest.TestCase):
    def test_what_the_program_finds_is_between_what_python_is(self) -> None:
        with fake_program(saying(SAID)) as path:
            found = ck.doctor()
        self.assertTrue(found.can_run)
        self.assertEqual(found["program"].text, f"coppice 9.9 at {path}")
        names = [part.part for part in found.parts]
        self.assertEqual(names[:4], ["program", "Python", "sandbox", "compiler"])
        self.assertEqual(set(names[4:]), set(machine._PACKAGES))
        self.assertIn(found["compiler"], found.missing)
        self.assertNotIn(found["sandbox"], found.missing)
        with self.assertRaises(KeyError):
            found["moon"]

    def test_that_no_campaign_can_run_is_no_failure_of_asking(self) -> None:
        with fake_program(saying({**SAID, "can_run": False}, code=1)):
            found = ck.doctor()
        self.assertFalse(found.can_run)
        self.assertTrue(found["sandbox"].well)

    def test_a_program_that_fails_is_a_part_that_is_not_well(self) -> None:
        for body, said in (
            (saying(SAID, code=4), "said nothing"),
            ("print('no json')", "Expecting value"),
            (saying({"can_run": True}), "there is no machine"),
        ):
            with fake_program(body):
                found = ck.doctor()
            self.assertFalse(found.can_run)
            self.assertFalse(found["program"].well)
            self.assertIn(said, found["program"].text)

    def test_what_is_absent_is_told_from_what_is_not_well(self) -> None:
        parts = (
            machine.Part("program", True, "here"),
            machine.Part("sandbox", False, "none"),
            machine.Part("tqdm", False, "is for bars"),
        )
        self.assertEqual(
            str(machine.Machine(False, parts)),
            "ok      program  here\n"
            "not ok  sandbox  none\n"
            "absent  tqdm     is for bars",
        )

    def test_a_missing_package_says_what_for_and_how_to_get_it(self) -> None:
        with mock.patch.object(importlib.util, "find_spec", lambda _: None):
            parts = {part.part: part for part in machine._of_packages()}
        self.assertEqual(
            parts["polars"].text, "is for .pl(); pip install 'coppice-kernels[frames]'"
        )
        self.assertEqual(
            parts["numpy"].text,
            "is for inputs of tasks from functions; pip install numpy",
        )
        self.assertFalse(any(part.well for part in parts.values()))

    def test_an_old_sqlite_reads_no_history(self) -> None:
        with (
            mock.patch("sqlite3.sqlite_version_info", (3, 37, 2)),
            mock.patch("sqlite3.sqlite_version", "3.37.2"),
        ):
            part = machine._of_python()
        self.assertFalse(part.well)
        self.assertIn("its SQLite 3.37.2 reads no history", part.text)

    def test_the_command_ends_with_whether_a_campaign_can_run(self) -> None:
        for can_run, code, said in ((True, 0, ""), (False, 1, "no kernel is judged")):
            out, err = io.StringIO(), io.StringIO()
            with (
                mock.patch.object(
                    machine,
                    "doctor",
                    lambda can_run=can_run: machine.Machine(
                        can_run, (machine.Part("a", True, "b"),)
                    ),
                ),
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(err),
            ):
                self.assertEqual(machine.main(), code)
            self.assertEqual(out.getvalue(), "ok      a  b\n")
            self.assertIn(said, err.getvalue())


class ProgramPathTest(unittest.TestCase):
    def test_the_one_that_is_named_counts_if_it_can_be_executed(self) -> None:
        with fake_program("") as path:
            self.assertEqual(_program.path(), str(path))
            path.chmod(0o644)
            with (
                mock.patch("os.access", lambda *_: False),
                self.assertRaisesRegex(ck.Unavailable, f"CK_PROGRAM={path}: cannot"),
            ):
                _program.path()

    def test_else_it_is_that_of_the_package(self) -> None:
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.dict(os.environ, {"CK_PROGRAM": ""}),
            mock.patch.object(_program, "_HERE", pathlib.Path(folder)),
        ):
            with self.assertRaises(ck.Unavailable) as caught:
                _program.path()
            self.assertIn("name one in CK_PROGRAM", caught.exception.hint)
            packed = pathlib.Path(folder) / "_prefix" / "bin" / "coppice"
            packed.parent.mkdir(parents=True)
            packed.touch(0o755)
            self.assertEqual(_program.path(), str(packed))

    def test_its_exit_code_says_the_class_and_its_last_line_why(self) -> None:
        for code, stderr, kind, said in (
            (2, "usage: ...\nno such option\n\n", _errors.UsageError, "no such option"),
            (130, "stopped", _errors.Cancelled, "stopped"),
            (1, "", _errors.Error, "said nothing"),
            (-11, "x", _errors.Error, "the program was killed by signal 11"),
        ):
            error = _program.error_of(code, stderr)
            self.assertIs(type(error), kind)
            self.assertEqual(str(error), said)

    def test_what_it_prints_counts_only_with_a_code_that_is_expected(self) -> None:
        with fake_program("print(arguments); sys.exit(len(arguments))"):
            self.assertEqual(_program.output_of(), "[]\n")
            self.assertEqual(_program.output_of("a", codes=(0, 1)), "['a']\n")
            with self.assertRaises(ck.UsageError):
                _program.output_of("a", "b")

    def test_the_module_becomes_the_program(self) -> None:
        with fake_program("print(arguments); sys.exit(7)"):
            done = subprocess.run(
                [sys.executable, "-m", "coppice_kernels", "run", "--help"],
                capture_output=True,
                text=True,
                cwd=pathlib.Path(__file__).parents[1],
            )
        self.assertEqual((done.returncode, done.stdout), (7, "['run', '--help']\n"))

    def test_without_a_program_the_module_says_so_in_a_line(self) -> None:
        with mock.patch.dict(os.environ, {"CK_PROGRAM": "/no/where"}):
            done = subprocess.run(
                [sys.executable, "-m", "coppice_kernels", "run"],
                capture_output=True,
                text=True,
                cwd=pathlib.Path(__file__).parents[1],
            )
        self.assertEqual(done.returncode, 1)
        self.assertEqual(
            done.stderr, "coppice: CK_PROGRAM=/no/where: cannot be executed\n"
        )


if __name__ == "__main__":
    unittest.main()
