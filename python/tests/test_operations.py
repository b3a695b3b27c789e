"""The service's operations by types, and what else is decoded by them."""

import importlib.util
import json
import pathlib
import sys
import tempfile
import unittest
from collections.abc import Mapping
from typing import Any
from unittest import mock

import coppice_kernels as ck
from coppice_kernels._typed import decode, encode

from . import program

ROOT = pathlib.Path(__file__).parents[2]
FAKE = [sys.executable, str(pathlib.Path(__file__).with_name("fake_service.py"))]


def script() -> Any:
    path = ROOT / "scripts" / "python_operations.py"
    spec = importlib.util.spec_from_file_location("python_operations", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with mock.patch.object(sys, "path", [str(path.parent), *sys.path]):
        spec.loader.exec_module(module)
    return module


class TypedTest(unittest.TestCase):
    def test_arguments_that_are_not_given_are_left_out(self) -> None:
        told = ck.operations.Tell(
            ticket="t", usage=ck.operations.Usage(input_tokens=3), wait_s=0
        )
        self.assertEqual(
            encode(told), {"ticket": "t", "usage": {"input_tokens": 3}, "wait_s": 0}
        )
        pair = (ck.operations.NamedKernel(name="a", source="x"),)
        asked = ck.operations.CompareKernels(task="gemv", sources=pair)
        self.assertEqual(encode(asked)["sources"], [{"name": "a", "source": "x"}])

    def test_an_answer_has_types_and_may_have_more(self) -> None:
        raw = {
            "job": None,
            "state": "done",
            "interval": [1, 2.5],
            "workloads": [
                {
                    "workload": "n=8",
                    "verdict": "passed",
                    "error_ratio": None,
                    "runtime_s": 1,
                    "root_runtime_s": 2,
                    "floor_s": None,
                }
            ],
            "later": 1,
        }
        result = decode(ck.operations.EvaluateKernelResult, raw)
        self.assertEqual(result.interval, (1.0, 2.5))
        assert result.workloads is not None
        self.assertIsInstance(result.workloads[0].runtime_s, float)
        self.assertIsNone(result.verdict)

    def test_an_answer_without_what_it_must_have_is_an_error(self) -> None:
        with self.assertRaisesRegex(
            ck.Error, "EvaluateKernelResult: there is no state"
        ):
            decode(ck.operations.EvaluateKernelResult, {"job": None})

    def test_a_job_is_waited_for(self) -> None:
        request = ck.operations.EvaluateKernel(task="gemv", source="slow", tier="check")
        stages: list[str] = []
        with ck.Evaluator(command=FAKE) as e:
            result = e.do(request, progress=lambda p: stages.append(p.stage))
        self.assertEqual((result.speedup, stages), (3.0, ["timing"]))


@program.needed
class OfTheProgramTest(unittest.TestCase):
    def test_types_are_those_of_the_service(self) -> None:
        module = script()
        self.assertEqual(
            module.TARGET.read_text(),
            module.generate(program.PROGRAM),
            "run scripts/python_operations.py PROGRAM",
        )

    def known_alone(self, kind: type[Any], raw: Mapping[str, Any]) -> None:
        """An answer has no member that its type does not know."""
        self.assertEqual(set(raw) - set(kind.__dataclass_fields__), set())

    def test_answers_are_as_their_types_say(self) -> None:
        o = ck.operations
        with tempfile.TemporaryDirectory() as folder:
            db = f"{folder}/a.db"
            ck.run("sim:hill/1", db=db, budget=3, progress="none")
            with ck.Evaluator(arguments=["--db", db]) as e:
                tasks = e.do(o.ListTasks(query="gemv", device="cpu")).tasks
                self.assertIn("gemv", [one.task for one in tasks])
                task = e.do(o.DescribeTask(task="gemv", part="root"))
                self.assertEqual(len(task.workloads[0].axes), 2)
                (campaign,) = e.do(o.Status()).campaigns
                self.assertEqual((campaign.attempts, campaign.budget), (3, 3))
                asked = e.do(o.Query(sql="SELECT node, 1.5 AS a_s FROM nodes"))
                self.assertEqual(asked.rows[3], (3, 1.5))
                self.assertEqual(asked.columns[1].unit, "s")
                node = e.do(o.GetNode(node=1, part="diff"))
                self.assertIn("+++ node 1", node.text)
                for request in (o.ListTasks(), o.Status(), o.DescribeTask(task="gemv")):
                    raw = e.service.ask(request.operation, encode(request))
                    self.known_alone(request.result, raw)
                with self.assertRaises(ck.UsageError):
                    e.do(o.Query(sql="DELETE FROM node"))


@program.needed
class DoctorTest(unittest.TestCase):
    def test_it_says_what_is_there_and_what_to_do(self) -> None:
        machine = ck.doctor()
        for part in ("program", "sandbox", "C++ compiler", "torch", "page", "pandas"):
            self.assertTrue(machine[part].text, part)
        self.assertTrue(machine.can_run)
        self.assertIn("C++ compiler", str(machine))
        self.assertIn("<td>sandbox</td>", machine._repr_html_())

    def test_without_a_program_it_says_so(self) -> None:
        from unittest import mock

        with mock.patch.dict("os.environ", CK_PROGRAM="/no/such"):
            machine = ck.doctor()
        self.assertFalse(machine.can_run)
        self.assertEqual(
            machine["program"].text, "CK_PROGRAM=/no/such: cannot be executed"
        )


@program.needed
class CompareTest(unittest.TestCase):
    def test_policies_are_run_and_read_again(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            db = f"{folder}/lab.db"
            ran = ck.compare(
                db,
                ["stark", "greedy"],
                tasks="sim:hill/1",
                seeds=2,
                budget=4,
                progress="none",
            )
            self.assertEqual(ck.compare(db), ran)
            raw = json.loads(program.output("compare", db, "--report", "--json"))
        self.assertEqual((ran.baseline, ran.campaigns, ran.budget), ("stark", 4, 4.0))
        self.assertEqual(ran["greedy"].campaigns, 2)
        self.assertEqual(ran.difference("greedy").pairs, 2)
        self.assertEqual(ran.curves[0].points[-1].spent, 4.0)
        self.assertIn("the baseline", ran._repr_html_())
        # The types know all that the verb says.
        for kind, said in (
            (ck.comparison.Comparison, raw),
            (ck.comparison.PolicySummary, raw["policies"][0]),
            (ck.comparison.Difference, raw["differences"][0]),
            (ck.comparison.CurvePoint, raw["curves"][0]["points"][0]),
        ):
            self.assertEqual(set(said) - set(kind.__dataclass_fields__), set())

    def test_in_memory_each_budget_has_one(self) -> None:
        parts = ck.compare_in_memory(
            ["stark", "greedy"], "sim:hill/1", budget="4,8", seeds=20, progress="none"
        )
        self.assertEqual([part.budget for part in parts], [4.0, 8.0])
        self.assertEqual(parts[0]["stark"].campaigns, 20)

    def test_a_file_without_a_comparison_is_an_error(self) -> None:
        with self.assertRaisesRegex(ck.UsageError, "no such file"):
            ck.compare("/no/such.db")


if __name__ == "__main__":
    unittest.main()
