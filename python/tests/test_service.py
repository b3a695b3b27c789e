"""The client of the service: what it waits for, takes back and survives."""

import contextlib
import os
import pathlib
import queue
import signal
import subprocess
import sys
import threading
import unittest
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar
from unittest import mock

import coppice_kernels as ck
from coppice_kernels import evaluation
from coppice_kernels._service import Call, Progress, Service

COMMAND = [sys.executable, str(pathlib.Path(__file__).with_name("fake_service.py"))]
STUCK_S = 60  # Whatever takes so long waits for ever.

T = TypeVar("T")


def ignore(_: Progress) -> None:
    pass


class ServiceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.evaluator = ck.Evaluator(command=COMMAND)
        self.service = self.evaluator.service
        self.addCleanup(self.service.close)

    def ended(self, work: Callable[[], T]) -> T:
        """What `work` returns or raises, unless it waits for ever."""
        future: Future[T] = Future()

        def run() -> None:
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=run, daemon=True).start()
        return future.result(STUCK_S)

    def jobs(self, what: str) -> list[str]:
        return list(self.service.ask("jobs", {})[what])

    def until(self, is_so: Callable[[], bool]) -> None:
        for _ in range(10_000):
            if is_so():
                return
        self.fail("it does not come")

    def evaluate(self, source: str, **more: Any) -> ck.Evaluation:
        return self.ended(lambda: self.evaluator.evaluate("gemv", source, **more))

    def test_who_writes_to_a_full_pipe_keeps_nobody_from_reading(self) -> None:
        # The fake reads on when its megabyte of lines is read.
        spilt = self.service.start("spill", {}, ignore)
        r = self.evaluate("pass 2.0" + " " * 300_000)
        self.assertEqual(r.speedup, 2.0)
        self.assertEqual(spilt.result(STUCK_S), {})

    def test_more_than_is_held_is_written_after_all(self) -> None:
        # Five of 4 MiB, where 16 MiB are held.
        for _ in range(5):
            self.assertEqual(self.evaluate("pass 2.0" + " " * (4 << 20)).speedup, 2.0)

    def test_what_cannot_be_read_is_not_sent(self) -> None:
        for source, why in (
            ("// \ud83d", "no JSON in UTF-8"),
            ("x" * (8 << 20), "more than 8388608"),
            (float("nan"), "no JSON in UTF-8"),
            (object(), "no JSON in UTF-8"),
        ):
            with self.assertRaisesRegex(ck.UsageError, "evaluate_kernel: .*" + why):
                self.service.start("evaluate_kernel", {"source": source})
        self.assertEqual(self.evaluate("pass 2.0").speedup, 2.0)

    def test_a_file_of_another_encoding_is_refused(self) -> None:
        path = mock.Mock(spec=pathlib.Path)
        path.read_text.side_effect = lambda encoding: b"\xff".decode(encoding)
        path.__fspath__ = lambda _: "a.cc"
        with (
            mock.patch("pathlib.Path", return_value=path),
            self.assertRaisesRegex(ck.UsageError, "is no UTF-8"),
        ):
            self.evaluator.submit("gemv", path)

    def test_an_answer_to_nobody_ends_all(self) -> None:
        waiting = self.service.start("evaluate_kernel", self.request("never"))
        with self.assertRaisesRegex(ck.ServiceDied, "not read a request: no JSON"):
            self.ended(lambda: self.service.ask("unreadable", {}))
        self.assertIsInstance(waiting.exception(STUCK_S), ck.ServiceDied)

    def request(self, source: str) -> dict[str, Any]:
        return {"task": "gemv", "source": source, "tier": "fast"}

    def test_a_progress_function_that_raises_fails_its_call_alone(self) -> None:
        other = self.evaluator.submit("gemv", "later 0.5", progress=ignore)

        def broken(_: Progress) -> None:
            raise ValueError("a bar that was closed")

        # Request 0 is the greeting, and 1 the other.
        with self.assertRaisesRegex(ValueError, "a bar"):
            self.evaluate("never", progress=broken)
        self.assertEqual(self.service.ask("cancelled", {})["ids"], [2])
        with self.assertRaisesRegex(ValueError, "a bar"):
            self.evaluate("long 8", progress=broken)
        self.assertEqual(self.jobs("taken_back"), ["8"])
        self.assertEqual(other.result(STUCK_S).speedup, 2.0)

    def test_a_progress_function_may_ask_but_not_wait_for_itself(self) -> None:
        found: list[float | None] = []
        refused: list[str] = []

        def curious(_: Progress) -> None:
            found.append(self.evaluator.evaluate("gemv", "pass 5.0").speedup)
            found.extend(r.speedup for r in self.evaluator.map("gemv", ["pass 6.0"]))
            try:
                self.evaluator.evaluate("gemv", "pass 5.0", progress=ignore)
            except ck.UsageError as error:
                refused.append(str(error))

        self.assertEqual(self.evaluate("slow", progress=curious).speedup, 3.0)
        self.assertEqual(found, [5.0, 6.0])
        self.assertIn("would wait for itself", refused[0])

    def test_who_waits_where_answers_are_read_is_refused(self) -> None:
        refused: queue.SimpleQueue[BaseException] = queue.SimpleQueue()

        def ask(_: Future[ck.Evaluation]) -> None:
            for wait in (
                lambda: self.evaluator.evaluate("gemv", "pass 5.0"),
                lambda: self.service.ask("jobs", {}),
                lambda: list(self.evaluator.map("gemv", ["pass 5.0"])),
                lambda: self.evaluator.do(ck.operations.GetJob(job="7")),
            ):
                try:
                    wait()
                except ck.UsageError as error:
                    refused.put(error)

        self.evaluator.submit("gemv", "later 0.5").add_done_callback(ask)
        for _ in range(4):
            self.assertIn("would wait for itself", str(refused.get(timeout=STUCK_S)))

    def test_a_job_goes_with_whoever_waits_for_it(self) -> None:
        judging = self.evaluator.submit("gemv", "long 8")
        self.until(lambda: self.jobs("asked") == ["8"])
        self.assertTrue(judging.cancel())
        self.assertTrue(judging.cancel())  # It is taken back once.
        self.assertEqual(self.jobs("taken_back"), ["8"])

    def test_a_job_whose_answer_was_on_its_way_goes_too(self) -> None:
        judging = self.evaluator.submit("gemv", "late 9")
        self.until(lambda: "late 9" in self.service.ask("asked", {})["sources"])
        judging.cancel()
        self.until(lambda: self.jobs("taken_back") == ["9"])

    def test_who_leaves_the_loop_takes_back_jobs_too(self) -> None:
        for _ in self.evaluator.as_completed("gemv", ["long 8", "later 0.5"]):
            break
        self.until(lambda: self.jobs("taken_back") == ["8"])

    def test_an_interrupt_takes_jobs_back(self) -> None:
        main = threading.main_thread().ident
        assert main is not None

        def interrupt(_: Progress) -> None:
            while sys._current_frames()[main].f_code.co_name != "wait":
                pass
            signal.pthread_kill(main, signal.SIGINT)

        asked = ck.operations.EvaluateKernel(task="gemv", source="long 9", tier="fast")
        with self.assertRaises(KeyboardInterrupt):
            self.evaluator.evaluate("gemv", "long 8", progress=interrupt)
        with self.assertRaises(KeyboardInterrupt):
            self.evaluator.do(asked, progress=interrupt)
        self.assertEqual(self.jobs("taken_back"), ["8", "9"])

    def test_closing_wakes_who_waits_for_many(self) -> None:
        waiting = self.evaluator.as_completed("gemv", ["never", "pass 2.0"])
        self.assertEqual(next(waiting)[0], 1)
        threading.Timer(0.1, self.service.close).start()
        with self.assertRaisesRegex(ck.Cancelled, "the service was closed"):
            self.ended(lambda: next(waiting))

    def test_after_it_died_all_who_ask_are_told_so(self) -> None:
        told: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()

        def ask_again(_: Future[Any]) -> None:
            try:
                call: Call | None = self.service.start("jobs", {})
            except ck.Error as error:
                told.put(error)
            else:
                assert call is not None
                call.add_done_callback(lambda done: told.put(done.exception()))

        for source in ("never", "die"):
            self.evaluator.submit("gemv", source).add_done_callback(ask_again)
        for _ in range(2):
            error = told.get(timeout=STUCK_S)
            self.assertIsInstance(error, ck.ServiceDied)
            self.assertIn("ended with 3: a reason", str(error))
        self.service.close()
        with self.assertRaisesRegex(ck.ServiceDied, "a reason"):
            self.evaluator.submit("gemv", "pass 1.0")

    def test_another_shared_service_leaves_those_of_the_dead_one_alone(self) -> None:
        real = evaluation.Evaluator
        with (
            mock.patch.object(evaluation, "_shared", None),
            mock.patch.object(evaluation, "Evaluator", lambda: real(command=COMMAND)),
        ):
            first = evaluation.shared()
            self.addCleanup(first.close)
            waiting = [first.submit("gemv", "never") for _ in range(3)]
            os.kill(first.service._process.pid, signal.SIGKILL)
            while first.service.alive:
                pass
            second = evaluation.shared()
            self.addCleanup(second.close)
        self.assertIsNot(first, second)
        for judging in waiting:
            self.assertIsInstance(judging.exception(STUCK_S), ck.ServiceDied)
        with self.assertRaises(ck.ServiceDied):
            first.evaluate("gemv", "pass 1.0")
        self.assertEqual(second.evaluate("gemv", "pass 1.0").speedup, 1.0)

    def test_a_forked_child_keeps_no_service_alive(self) -> None:
        ours, theirs = os.pipe()
        child = os.fork()
        if child == 0:
            code = 1
            with contextlib.suppress(BaseException):
                os.close(theirs)
                os.read(ours, 1)  # Until the parent has closed its service.
                try:
                    self.service.start("jobs", {})
                except ck.UsageError:
                    self.service.close()  # Which is none of its own.
                    with ck.Evaluator(command=COMMAND) as e:
                        code = int(e.evaluate("gemv", "pass 2.0").speedup != 2.0)
            os._exit(code)
        os.close(ours)
        self.service.close()
        os.close(theirs)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        # It ended by the end of its input, and was not killed.
        self.assertEqual(self.service._process.returncode, 0)

    def test_a_child_that_closes_what_it_forked_with_ends_nothing(self) -> None:
        child = os.fork()
        if child == 0:
            self.service.close()
            os._exit(0)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(self.evaluate("pass 2.0").speedup, 2.0)

    def test_who_is_refused_at_the_greeting_is_ended(self) -> None:
        begun: list[subprocess.Popen[bytes]] = []
        popen = subprocess.Popen

        def begin(*arguments: Any, **more: Any) -> Any:
            begun.append(popen(*arguments, **more))
            return begun[-1]

        refusal = (
            "import json, sys\n"
            "for line in sys.stdin:\n"
            "    answer = {'id': json.loads(line)['id']}\n"
            "    answer['error'] = {'code': -32600, 'message': 'another protocol'}\n"
            "    print(json.dumps(answer), flush=True)\n"
        )
        with (
            mock.patch("subprocess.Popen", begin),
            self.assertRaisesRegex(ck.UsageError, "another protocol"),
        ):
            Service(command=[sys.executable, "-c", refusal])
        self.assertEqual(begun[0].returncode, 0)


if __name__ == "__main__":
    unittest.main()
