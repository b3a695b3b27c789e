import asyncio
import pathlib
import sys
import tempfile
import threading
import time
import unittest

import coppice_kernels as ck

COMMAND = [sys.executable, str(pathlib.Path(__file__).with_name("fake_service.py"))]


class EvaluationTest(unittest.TestCase):
    def setUp(self) -> None:
        self.evaluator = ck.Evaluator(command=COMMAND)
        self.addCleanup(self.evaluator.close)

    def taken_back(self) -> list[int]:
        return list(self.evaluator.service.ask("cancelled", {})["ids"])

    def test_a_kernel_that_passes_has_its_speedup_and_interval(self) -> None:
        r = self.evaluator.evaluate("gemv", "pass 2.0")
        self.assertEqual(
            (r.passed, r.verdict, r.speedup, r.interval),
            (True, "passed", 2.0, (1.5, 2.5)),
        )
        # 1 s of the root over 0.5 s.
        (workload,) = r.workloads
        self.assertEqual((workload.name, workload.speedup), ("n=8", 2.0))
        self.assertIs(r.raise_for_verdict(), r)

    def test_a_kernel_that_fails_is_a_result(self) -> None:
        r = self.evaluator.evaluate("gemv", "fail")
        self.assertFalse(r.passed)
        self.assertIsNone(r.speedup)
        self.assertEqual(r.log, "kernel.cc:1: <error>")
        with self.assertRaisesRegex(
            ck.KernelFailed, r"^gemv: compile_failed: kernel.cc:1: <error>$"
        ):
            r.raise_for_verdict()

    def test_a_job_that_takes_longer_is_asked_for_again(self) -> None:
        stages: list[str] = []
        r = self.evaluator.evaluate(
            "gemv", "slow", progress=lambda p: stages.append(p.stage)
        )
        self.assertEqual((r.speedup, r.job, stages), (3.0, "7", ["timing"]))

    def test_a_file_is_given_as_a_path(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".cc") as file:
            file.write("pass 4.0")
            file.flush()
            r = self.evaluator.evaluate("gemv", pathlib.Path(file.name))
            self.assertEqual((r.speedup, r.name), (4.0, file.name))
            with self.assertRaisesRegex(ck.UsageError, "pathlib.Path"):
                self.evaluator.evaluate("gemv", file.name)
        with self.assertRaisesRegex(ck.NotFound, r"^no/such.cc: no such file$"):
            self.evaluator.evaluate("gemv", pathlib.Path("no/such.cc"))

    def test_map_keeps_the_order_and_as_completed_does_not(self) -> None:
        sources = ["later 0.5", "pass 5.0"]
        speedups = [r.speedup for r in self.evaluator.map("gemv", sources)]
        self.assertEqual(speedups, [2.0, 5.0])
        indices = [i for i, _ in self.evaluator.as_completed("gemv", sources)]
        self.assertEqual(indices, [1, 0])

    def test_more_kernels_than_are_in_flight_are_all_judged(self) -> None:
        sources = (f"pass {i}" for i in range(100))
        speedups = [r.speedup for r in self.evaluator.map("gemv", sources)]
        self.assertEqual(speedups, [float(i) for i in range(100)])

    def test_who_leaves_the_loop_takes_back_what_is_not_done(self) -> None:
        # Request 0 is the greeting, so these are 1, 2 and 3.
        sources = ["never", "pass 5.0", "never"]
        for index, _ in self.evaluator.as_completed("gemv", sources):
            self.assertEqual(index, 1)
            break
        self.assertEqual(self.taken_back(), [1, 3])

    def test_an_error_has_its_class_and_its_hint(self) -> None:
        with self.assertRaises(ck.NotFound) as caught:
            self.evaluator.evaluate("x", "refuse")
        self.assertEqual(caught.exception.hint, "gemv, gemm")
        self.assertEqual(str(caught.exception), "task: no such task 'x'; gemv, gemm")

    def test_a_service_that_dies_says_what_it_said(self) -> None:
        with self.assertRaisesRegex(ck.ServiceDied, "ended with 3: a reason"):
            self.evaluator.evaluate("gemv", "die")
        with self.assertRaises(ck.ServiceDied):  # And goes on saying it.
            self.evaluator.evaluate("gemv", "pass 1.0")
        self.assertFalse(self.evaluator.service.alive)

    def test_closing_takes_back_what_is_waited_for(self) -> None:
        judging = self.evaluator.submit("gemv", "never")
        threading.Timer(0.1, self.evaluator.close).start()
        while not judging.done():
            time.sleep(0.01)
        self.assertTrue(judging.cancelled())

    def test_awaiting_runs_side_by_side_and_cancels(self) -> None:
        async def both() -> list[float | None]:
            async with ck.aio.Evaluator(command=COMMAND) as e:
                results = await asyncio.gather(
                    e.evaluate("gemv", "later 0.2"), e.evaluate("gemv", "pass 6.0")
                )
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(e.evaluate("gemv", "never"), 0.1)
                inner = e._evaluator
                assert inner is not None
                self.assertEqual(inner.service.ask("cancelled", {})["ids"], [3])
                return [r.speedup for r in results]

        self.assertEqual(asyncio.run(both()), [2.0, 6.0])


class ErrorsTest(unittest.TestCase):
    def test_they_are_those_of_the_program(self) -> None:
        header = (
            pathlib.Path(__file__).parents[2] / "store" / "records" / "result.h"
        ).read_text()
        enum = header.partition("enum class Errc")[2].partition("};")[0]
        names = [
            line.split(",")[0].strip()[1:]
            for line in enum.splitlines()
            if line.strip().startswith("k")
        ]
        # kNotFound is "not_found".
        codes = {
            "".join("_" + c.lower() if c.isupper() else c for c in name)[1:]
            for name in names
        }
        from coppice_kernels import _errors

        self.assertEqual(set(_errors.BY_CODE), codes)


if __name__ == "__main__":
    unittest.main()
