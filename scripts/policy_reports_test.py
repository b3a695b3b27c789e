#!/usr/bin/env python3
"""default_policy and live_policies: tables of what policies came to."""

import argparse
import contextlib
import io
import math
import pathlib
import tempfile
import unittest
from unittest import mock

import default_policy
import live_policies


def printed(work, *arguments):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        work(*arguments)
    return said.getvalue()


class DefaultPolicyTest(unittest.TestCase):
    def test_a_star_tells_that_the_interval_leaves_zero_out(self):
        for value, low, high, text in (
                (0.5, 0.25, 0.75, "+0.500* ± 0.250"),
                (-0.5, -0.75, -0.25, "-0.500* ± 0.250"),
                (0.1, -0.1, 0.3, "+0.100 ± 0.200"),
                (0.1, 0.0, 0.2, "+0.100 ± 0.100")):
            with self.subTest(value=value, low=low):
                self.assertEqual(default_policy.ranged(
                    {"value": value, "low": low, "high": high}), text)

    def test_a_row_is_found_by_its_policy(self):
        rows = [{"policy": "stark", "n": 1}, {"policy": "puct", "n": 2}]
        self.assertEqual(default_policy.row_of(rows, "puct")["n"], 2)
        self.assertIsNone(default_policy.row_of(rows, "xei"))

    def test_a_table_has_a_column_for_each_budget(self):
        self.assertEqual(
            printed(default_policy.print_table, "of", [["`a`", *"1234"]]),
            "| of | 30 attempts | 100 attempts | 300 attempts |"
            " 1,000 attempts |\n"
            "| --- | --- | --- | --- | --- |\n"
            "| `a` | 1 | 2 | 3 | 4 |\n\n")

    def test_a_program_that_fails_ends_the_study_with_its_status(self):
        options = argparse.Namespace(program="coppice", db="x.db")
        with mock.patch("subprocess.run") as run:
            run.return_value.returncode = 3
            with self.assertRaises(SystemExit) as ended:
                default_policy.compare(options, "--report")
        self.assertEqual(ended.exception.code, 3)
        self.assertEqual(run.call_args.args[0], [
            "coppice", "compare", "x.db", "--in-memory", "--report"])


class LivePoliciesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.options = argparse.Namespace(program="coppice", seeds=2, budget=30,
                                          folder=self.folder)

    def score(self, csv):
        """Of what the program would write."""
        (self.folder / "puct.gemm.db").touch()

        def write(command, **_):
            folder = command[command.index("--csv") + 1]
            folder.mkdir(exist_ok=True)
            (folder / "campaigns.csv").write_text(csv)

        with mock.patch("subprocess.run", write):
            return live_policies.score_of(self.options, "puct", "gemm", 30)

    def test_a_score_is_the_mean_of_all_seeds(self):
        self.assertEqual(self.score("log_speedup,attempts\n1.0,30\n2.0,20\n"),
                         (1.5, 25))

    def test_there_is_none_until_all_seeds_came_so_far(self):
        self.assertIsNone(self.score("log_speedup,attempts\n1.0,30\n"))

    def test_there_is_none_of_a_campaign_that_was_never_begun(self):
        self.assertIsNone(live_policies.score_of(self.options, "puct", "gemm",
                                                 30))

    def test_means_are_over_the_tasks_that_all_policies_have(self):
        # On c, xei_hint did not come so far.
        scores = {("stark", "a"): (0.0, 30), ("stark", "b"): (1.0, 20),
                  ("stark", "c"): (9.0, 30), ("xei_hint", "a"): (1.0, 30),
                  ("xei_hint", "b"): (2.0, 30), ("puct", "a"): (0.0, 30),
                  ("puct", "b"): (3.0, 30), ("puct", "c"): (9.0, 30)}
        with mock.patch.object(
                live_policies, "score_of",
                lambda _, policy, task, after: scores.get((policy, task))):
            said = printed(live_policies.report, self.options,
                           ["a", "b", "c"], 30).splitlines()
        # The differences of puct are 0 and 2: their half width is 12.706.
        self.assertEqual(said, [
            "after 30 attempts, on 2 tasks",
            "  stark         25 made   0.500",
            "  xei_hint      30 made   1.500  +1.000 ± 0.000",
            "  puct          30 made   1.500  +1.000 ± 12.706",
            f"    {'a':20} stark   1.00x xei_hint   2.72x puct   1.00x",
            f"    {'b':20} stark   2.72x xei_hint   7.39x puct"
            f" {math.exp(3.0):6.2f}x"])

    def test_one_task_is_too_few_to_report(self):
        with mock.patch.object(live_policies, "score_of",
                               lambda *_: (1.0, 30)):
            self.assertEqual(
                printed(live_policies.report, self.options, ["a"], 30), "")

    def test_when_time_is_over_none_is_begun(self):
        self.options.deadline = 0.0
        with mock.patch("subprocess.Popen") as popen:
            self.assertFalse(live_policies.compare(self.options, "puct",
                                                   "gemm", None))
        popen.assert_not_called()


if __name__ == "__main__":
    unittest.main()
