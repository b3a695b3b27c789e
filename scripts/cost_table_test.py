#!/usr/bin/env python3
"""cost_table and policy_costs: rows of figures that are given."""

import argparse
import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

import cost_table
import policy_costs


class CostTableTest(unittest.TestCase):
    def test_short_times_have_more_digits(self):
        for took_s, text in ((2.5, "2,500 ms"), (0.1, "100 ms"),
                             (0.0994, "99.4 ms"), (0.001, "1.0 ms"),
                             (0.0004, "0.40 ms")):
            with self.subTest(took_s=took_s):
                self.assertEqual(cost_table.ms(took_s), text)

    def test_a_rate_stands_beside_the_processor_time_of_one(self):
        measured = [("checks a second", 40.0, 30.0, 4 / 3),
                    ("CPU of a check, ms", 20.0, 66.7, 3.3),
                    ("timed judgements a second", 4.0, 5.0, 0.8),
                    ("CPU of a timed judgement, ms", 150.0, 400.0, 2.7),
                    ("duplicate, ms", 0.5, 1.0, 2.0)]
        options = argparse.Namespace(program="coppice", task=["row_sum"],
                                     seconds=1.0)
        with mock.patch("service_figures.measure", return_value=measured):
            self.assertEqual(list(cost_table.service(options)), [
                ("checks a second, `row_sum`", "40.0", "20.0 ms", "30"),
                ("timed judgements a second, `row_sum`", "4.0", "150 ms",
                 "5"),
                ("a kernel that is known, `row_sum`", "0.50 ms", "",
                 "1.0 ms")])

    def test_a_wheel_that_is_named_is_weighed_and_one_that_is_not_there_told(
            self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "a.whl"
            file.write_bytes(b"x" * 2_540_000)
            self.assertEqual(
                list(cost_table.wheel(argparse.Namespace(wheel=file))),
                [("the wheel", "2.5 MB", "", "")])
            with (mock.patch.object(cost_table, "ROOT", pathlib.Path(folder)),
                  self.assertRaisesRegex(SystemExit, "run scripts/wheel")):
                list(cost_table.wheel(argparse.Namespace(wheel=None)))

    def test_only_the_parts_that_are_named_are_measured(self):
        said = io.StringIO()
        with (mock.patch("sys.argv", ["cost_table.py", "--only", "imports",
                                      "--program", "/bin/sh"]),
              mock.patch("python_reading.importing", return_value=(20.0, 9.5)),
              contextlib.redirect_stdout(said)):
            cost_table.main()
        self.assertEqual(said.getvalue().splitlines()[4:], [
            "| `import coppice_kernels` | 20.0 ms | 9.5 ms | 50.0 ms |"
            " `imports` |",
            "| `import coppice_kernels.rl` | 20.0 ms | 9.5 ms | 50.0 ms |"
            " `imports` |",
            "| `from coppice_kernels.rl import reward` | 20.0 ms | 9.5 ms |"
            "  | `imports` |"])

    def test_a_program_that_is_not_there_is_named(self):
        with (mock.patch("sys.argv", ["cost_table.py", "--program", "/none"]),
              self.assertRaisesRegex(SystemExit, "/none: no such program")):
            cost_table.main()


class PolicyCostsTest(unittest.TestCase):
    def test_what_starting_takes_is_not_an_attempts(self):
        asked = []

        def seconds(_, __, policy, budget, seeds, *more):
            asked.append((policy.partition(":")[0], seeds, more))
            # 1 s to start; then a processor works 2 ms for each attempt, and
            # the clock goes on by 3.
            return 1.0 + 0.002 * budget * seeds, 1.0 + 0.003 * budget * seeds

        with (mock.patch.object(policy_costs, "seconds", seconds),
              mock.patch.object(policy_costs, "in_process",
                                return_value=(0.5, 1.0))):
            rows = list(policy_costs.measure("coppice", budget=10, seeds=5))
        for _, used_us, took_us in rows[:3]:
            self.assertAlmostEqual(used_us, 2000.0)
            self.assertAlmostEqual(took_us, 3000.0)
        # 50 attempts of one process, which has nothing to start.
        self.assertEqual(rows[3], ("Python alone: no program, no pipe",
                                   10_000.0, 20_000.0))
        self.assertEqual(asked[:2], [("stark", 2, ()), ("stark", 5, ())])
        self.assertEqual(asked[5], ("python", 5, ("--policy-check", "all")))

    def test_a_policy_in_this_process_decides_each_attempt(self):
        used_s, took_s = policy_costs.in_process(budget=3, seeds=2)
        self.assertGreater(took_s, 0.0)
        self.assertGreaterEqual(used_s, 0.0)


if __name__ == "__main__":
    unittest.main()
