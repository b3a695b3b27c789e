"""What evaluations are made of, and who is refused before anything is asked."""

import asyncio
import json
import os
import pathlib
import sys
import tempfile
import unittest
from typing import Any
from unittest import mock

import coppice_kernels as ck
from coppice_kernels import _service, evaluation
from coppice_kernels.evaluation import _evaluation_of, _solution_of

COMMAND = [sys.executable, str(pathlib.Path(__file__).with_name("fake_service.py"))]


def answer(**more: Any) -> dict[str, Any]:
    """Of evaluate_kernel, as the service sends it."""
    return {"job": None, "state": "done", "verdict": "passed", "passed": True, **more}


def workload(**more: Any) -> dict[str, Any]:
    of = {"workload": "n=8", "verdict": "passed", "error_ratio": 0.5, "floor_s": None}
    return {**of, "runtime_s": None, "root_runtime_s": None, **more}


class AnswerTest(unittest.TestCase):
    def test_what_is_not_said_is_none_or_empty(self) -> None:
        r = _evaluation_of("gemv", "", answer())
        self.assertEqual((r.speedup, r.interval, r.runtime_s), (None, None, None))
        self.assertEqual((r.workloads, r.error, r.profile), ((), "", ""))
        self.assertEqual((r.cannot_tell, r.cached, r.log_file), (False, False, None))

    def test_all_that_is_said_is_there(self) -> None:
        said = answer(
            speedup=2,
            interval=[1.5, 2.5],
            cannot_tell=True,
            runtime_s=0.25,
            error_head="a warning",
            profile="memory bound",
            cached=True,
            job="7",
            later="?",
        )
        r = _evaluation_of("gemv", "k.cc", said)
        self.assertEqual((r.task, r.name, r.job), ("gemv", "k.cc", "7"))
        self.assertEqual((r.speedup, r.interval), (2.0, (1.5, 2.5)))
        self.assertTrue(r.cannot_tell and r.cached and r.passed)
        self.assertEqual((r.error, r.profile), ("a warning", "memory bound"))
        self.assertEqual(r.raw["later"], "?")
        self.assertNotIn("later", repr(r))

    def test_a_job_that_is_done_without_a_verdict_is_corrupt(self) -> None:
        with self.assertRaisesRegex(ck.Corrupt, "^gemv: a job is done, and has no"):
            _evaluation_of("gemv", "", answer(verdict=None))
        with self.assertRaisesRegex(ck.Corrupt, "there is no state"):
            _evaluation_of("gemv", "", {"job": None})

    def test_a_workload_has_a_speedup_where_both_were_timed(self) -> None:
        for times, speedup in (
            ({}, None),
            ({"runtime_s": 0.5}, None),
            ({"root_runtime_s": 1.0}, None),
            ({"runtime_s": 0.0, "root_runtime_s": 1.0}, None),
            ({"runtime_s": 0.5, "root_runtime_s": 1.0}, 2.0),
        ):
            (one,) = _evaluation_of(
                "gemv", "", answer(workloads=[workload(**times)])
            ).workloads
            self.assertEqual(one.speedup, speedup, times)
            self.assertEqual((one.name, one.error_ratio), ("n=8", 0.5))

    def test_the_log_is_its_file_as_long_as_that_is_there(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "log"
            r = _evaluation_of(
                "gemv", "", answer(error_head="line 1", log_file=str(file))
            )
            self.assertEqual(r.log, "line 1")
            file.write_bytes(b"line 1\nline \xff\n")
            self.assertEqual(r.log, "line 1\nline \ufffd\n")

    def test_who_asks_for_it_has_a_failure_raised(self) -> None:
        for error, said in (
            ("k.cc:1: no\nk.cc:2", "gemv: compile_failed: k.cc:1: no"),
            ("", "gemv: compile_failed"),
        ):
            raw = answer(verdict="compile_failed", passed=False, error_head=error)
            with self.assertRaises(ck.KernelFailed) as caught:
                _evaluation_of("gemv", "", raw).raise_for_verdict()
            self.assertEqual(str(caught.exception), said)


class SourceTest(unittest.TestCase):
    def test_a_text_is_a_kernel_and_a_path_is_its_file(self) -> None:
        self.assertEqual(_solution_of("int a;").source, "int a;")
        # A name at the end of more than a line is a comment.
        self.assertEqual(_solution_of("// a\n// k.cc").source, "// a\n// k.cc")
        given = ck.Solution("x", "cuda", "mine")
        self.assertIs(_solution_of(given), given)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "k.cu"
            file.write_text("é", encoding="utf-8")
            self.assertEqual(_solution_of(file), ck.Solution("é", name=str(file)))
            file.write_bytes(b"\xff")
            with self.assertRaisesRegex(ck.UsageError, r"k\.cu: is no UTF-8$"):
                _solution_of(file)
            with self.assertRaisesRegex(ck.IoError, "Is a directory$"):
                _solution_of(pathlib.Path(folder))

    def test_a_name_of_a_file_is_no_kernel(self) -> None:
        for name in ("k.cc", "k.cpp", "a b/k.cu", "k.py", "k.c"):
            with self.assertRaisesRegex(ck.UsageError, r"give pathlib\.Path"):
                _solution_of(name)


class ErrorTest(unittest.TestCase):
    def test_a_code_is_that_of_its_data_or_of_its_number(self) -> None:
        for error, kind, said in (
            ({"code": -32602, "message": "a"}, ck.UsageError, "a"),
            (
                {
                    "code": -32602,
                    "message": "a",
                    "data": {"code": "not_found", "hint": "b"},
                },
                ck.NotFound,
                "a; b",
            ),
            ({"code": 1, "message": "a", "data": None}, ck.Error, "a"),
            ({}, ck.Error, ""),
        ):
            made = _service._error_of(error)
            self.assertIs(type(made), kind, error)
            self.assertEqual(str(made), said)

    def test_a_line_is_json_in_utf_8_or_refused(self) -> None:
        line = _service._line_of(method="m", params={"a": "é"})
        self.assertTrue(line.endswith(b"\n"))
        self.assertEqual(
            json.loads(line), {"jsonrpc": "2.0", "method": "m", "params": {"a": "é"}}
        )
        for wrong in ("\ud800", object(), float("nan")):
            with self.assertRaisesRegex(ck.UsageError, "^m: is no JSON in UTF-8"):
                _service._line_of(method="m", params=wrong)
        with (
            mock.patch.object(_service, "_MOST_LINE", 20),
            self.assertRaisesRegex(ck.UsageError, "more than 20"),
        ):
            _service._line_of(method="m", params="x" * 20)

    def test_lines_are_whole_however_they_come(self) -> None:
        class Pipe:
            def __init__(self, *chunks: bytes) -> None:
                self.chunks = [*chunks, b""]

            def read(self, _: int) -> bytes:
                return self.chunks.pop(0)

        for chunks, lines in (
            ((b"ab\ncd\n",), [b"ab", b"cd"]),
            ((b"a", b"b\nc", b"d\n"), [b"ab", b"cd"]),
            ((b"ab\n\n", b"\n"), [b"ab", b"", b""]),
            ((b"ab\ncd",), [b"ab", b"cd"]),  # It ended without a newline.
            ((), []),
        ):
            got = list(_service._lines_of(Pipe(*chunks)))  # type: ignore[arg-type]
            self.assertEqual(got, lines, chunks)


class SharedTest(unittest.TestCase):
    """The evaluator that functions of the package share, and await."""

    def setUp(self) -> None:
        self.evaluator = ck.Evaluator(command=COMMAND)
        self.addCleanup(self.evaluator.close)
        of_this = (os.getpid(), self.evaluator)
        there = mock.patch.object(evaluation, "_shared", of_this)
        there.start()
        self.addCleanup(there.stop)

    def test_it_is_the_same_for_all_who_ask(self) -> None:
        self.assertIs(evaluation.shared(), self.evaluator)
        self.assertEqual(ck.evaluate("gemv", "pass 2.0").speedup, 2.0)
        r = asyncio.run(ck.aio.evaluate("gemv", "pass 3.0", tier="check"))
        self.assertEqual(r.speedup, 3.0)
        self.assertEqual(
            self.evaluator.service.ask("asked", {})["sources"], ["pass 2.0", "pass 3.0"]
        )

    def test_awaiting_needs_its_block(self) -> None:
        waiting = ck.aio.Evaluator(command=COMMAND)
        with self.assertRaisesRegex(RuntimeError, "use `async with` first"):
            asyncio.run(waiting.evaluate("gemv", "pass 2.0"))

    def test_a_task_may_be_named_in_any_way(self) -> None:
        task = ck.Task("x = 1\n", "mine")
        with tempfile.TemporaryDirectory() as folder:
            task.save(pathlib.Path(folder) / "mine.py")
            for given, named in (
                ("gemv", "gemv"),
                (pathlib.Path("tasks/gemv"), "tasks/gemv"),
                (task, f"kernelbench:{task.path}"),
            ):
                self.assertEqual(evaluation.argument_of(given), named)


if __name__ == "__main__":
    unittest.main()
