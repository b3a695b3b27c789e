#!/usr/bin/env python3
"""figures: what is read of blocks in documents, and of tables that programs
print; and live_policies, which adds such up."""

import contextlib
import importlib.machinery
import importlib.util
import io
import math
import pathlib
import types
import unittest
from unittest import mock

import default_policy
import live_policies
import student

PATH = pathlib.Path(__file__).with_name("figures")
LOADER = importlib.machinery.SourceFileLoader("figures", str(PATH))
figures = importlib.util.module_from_spec(
    importlib.util.spec_from_loader(LOADER.name, LOADER))
LOADER.exec_module(figures)

TABLE = """\
$ coppice best
task    node   speedup (95 %)       technique
gemv    20 *   8.54x (8.1-8.9)      tile(i, 8)
softmax  7     12x                  math(exp)

task    node   speedup
later   1      2x
"""
BOX = """\
┌──────┬──────┬─────────┐
│ task │ node │ speedup │
├──────┼──────┼─────────┤
│ gemv │ 20   │ 8.5412  │
└──────┴──────┴─────────┘
"""


class WinnersTest(unittest.TestCase):
    def test_a_table_is_found_wherever_it_stands(self):
        self.assertEqual(figures.winners(TABLE), {"gemv": (20, "8.54"),
                                                  "softmax": (7, "12")})
        self.assertEqual(figures.winners(BOX), {"gemv": (20, "8.5412")})
        self.assertEqual(figures.winners("no table\n"), {})

    def test_speedups_are_the_same_to_the_digits_of_ours(self):
        for ours, theirs, same in (
                ((20, "8.5"), (20, "8.5412"), True),
                ((20, "8.6"), (20, "8.5412"), False),
                ((20, "8.54"), (20, "8.5412"), True),
                ((20, "8.5"), (21, "8.5"), False),
                ((20, "120"), (20, "124.9"), True),  # To tens.
                ((20, "120"), (20, "126"), False),
                (None, (20, "8.5"), False), ((20, "8.5"), None, False)):
            self.assertEqual(figures.is_same(ours, theirs), same,
                             (ours, theirs))

    def test_what_differs_from_readme_is_named(self):
        gemv_alone = TABLE.replace("softmax  7     12x", "gemv  20  8.54x")
        figures.hold_against_readme("docs/a.md", BOX, gemv_alone)
        with self.assertRaisesRegex(
                figures.Wrong, r"docs/a.md: of softmax it names None, and "
                               r"README's table \(7, '12'\)"):
            figures.hold_against_readme("docs/a.md", BOX, TABLE)
        with self.assertRaisesRegex(figures.Wrong, "shows no table"):
            figures.hold_against_readme("docs/a.md", BOX, "")


class CommandsTest(unittest.TestCase):
    def test_a_command_goes_on_where_it_is_not_ended(self):
        self.assertEqual(
            figures.commands_of('$ a b\nwhat it prints\n$ sqlite3 x "SELECT\n'
                                'a"\nout\n$ c \\\n  d\n'),
            ["a b", 'sqlite3 x "SELECT\na"', "c \\\n  d"])
        self.assertEqual(figures.commands_of("a $ b\n"), [])

    def test_cells_are_apart_by_two_spaces_or_a_line(self):
        self.assertEqual(figures.cells("a b  c   d\n"), ["a b", "c", "d"])
        self.assertEqual(figures.cells("│ a b │ c │\n"), ["a b", "c"])

    def test_a_command_that_fails_says_what_it_said(self):
        self.assertEqual(figures.run("echo $A", "/", {"A": "x"}), "x\n")
        with self.assertRaisesRegex(figures.Wrong,
                                    "exit status 3\nno such file"):
            figures.run("echo no such file >&2; exit 3", "/", {})
        with self.assertRaisesRegex(figures.Wrong, "exit status 1"):
            figures.run("false | true", "/", {"PATH": "/usr/bin:/bin"})

    def test_a_terminal_is_as_wide_as_it_is_said(self):
        self.assertEqual(
            figures.run_in_terminal("stty size; [ -t 1 ] && echo yes", "/",
                                    {"PATH": "/usr/bin:/bin"}),
            f"50 {figures.TERMINAL_COLUMNS}\nyes\n")


class StudyTest(unittest.TestCase):
    def test_an_interval_is_students(self):
        # 12.706 sqrt(2) / sqrt(2) of two that are 2 apart.
        self.assertAlmostEqual(student.half_width([1.0, 3.0]), 12.706, 2)

    def test_a_star_leaves_zero_out(self):
        for low, high, said in ((0.1, 0.3, "+0.200* ± 0.100"),
                                (-0.1, 0.5, "+0.200 ± 0.300"),
                                (-0.3, -0.1, "-0.200* ± 0.100")):
            value = (low + high) / 2
            self.assertEqual(default_policy.ranged(
                {"value": value, "low": low, "high": high}), said)

    def test_tasks_count_on_which_all_policies_came_so_far(self):
        scores = {("stark", "a"): (0.0, 30), ("stark", "b"): (0.0, 10),
                  ("xei_hint", "a"): (math.log(2), 30),
                  ("xei_hint", "b"): (math.log(2), 30),
                  ("puct", "a"): (0.0, 30), ("puct", "b"): (0.0, 30),
                  ("stark", "c"): (9.0, 30)}
        out = io.StringIO()
        with (mock.patch.object(live_policies, "score_of",
                                lambda _, policy, task, __:
                                scores.get((policy, task))),
              contextlib.redirect_stdout(out)):
            live_policies.report(types.SimpleNamespace(), ["a", "b", "c"], 30)
        lines = out.getvalue().splitlines()
        self.assertEqual(lines[0], "after 30 attempts, on 2 tasks")
        self.assertEqual(lines[1].split(), ["stark", "20", "made", "0.000"])
        self.assertEqual(lines[2].split(),
                         ["xei_hint", "30", "made", "0.693", "+0.693", "±",
                          "0.000"])
        self.assertIn("xei_hint   2.00x", lines[4])
        self.assertEqual(len(lines), 6)


if __name__ == "__main__":
    unittest.main()
