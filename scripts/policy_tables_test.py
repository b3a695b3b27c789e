#!/usr/bin/env python3
"""policy_tables: tables of what a comparison in memory says."""

import contextlib
import io
import unittest

import policy_tables


def difference(policy, value, p, deviation=1.0):
    return {"policy": policy, "p": p, "p_holm": 2 * p, "pairs": 100,
            "standard_deviation": deviation,
            "log_speedup": {"value": value, "low": value - 0.1,
                            "high": value + 0.1}}


def part(budget, landscape, base, value, p):
    """One budget, of a landscape or all, with a baseline and one policy."""
    return {"budget": budget, "landscape": landscape,
            "policies": [{"policy": "stark",
                          "mean_log_speedup": {"value": base}},
                         {"policy": "xei_b",
                          "mean_log_speedup": {"value": base + value}}],
            "differences": [difference("xei_b", value, p)]}


LANDSCAPES = ["sim:hill/1", "sim:hill/2", "recorded:gemm"]
TRIAL = policy_tables.Trial({
    "baseline": "stark", "budgets": [30, 100], "landscapes": LANDSCAPES,
    "policies": ["stark", "xei_b"],
    "parts": [part(budget, landscape, 1.0, value, p)
              for budget in (30, 100)
              for landscape, value, p in ((None, 0.25, 0.01),
                                          (LANDSCAPES[0], 0.5, 0.02),
                                          (LANDSCAPES[1], 0.3, 0.03),
                                          (LANDSCAPES[2], -0.2, 0.001))]})


def printed(function, *arguments):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        function(*arguments)
    return out.getvalue().splitlines()


class HolmTest(unittest.TestCase):
    def test_the_least_counts_so_many_times_and_none_less_than_before(self):
        # 3 x 0.01, 2 x 0.02, and 0.03, which is not less than 0.04.
        self.assertEqual(policy_tables.holm([0.03, 0.01, 0.02]),
                         [0.04, 0.03, 0.04])
        self.assertEqual(policy_tables.holm([0.9, 0.8]), [1.0, 1.0])
        self.assertEqual(policy_tables.holm([]), [])


class TablesTest(unittest.TestCase):
    def test_all_together_the_best_comes_first(self):
        self.assertEqual(printed(policy_tables.print_together, TRIAL), [
            "| policy | 30 | 100 | difference at 30 |", "|---|---|---|---|",
            "| `xei_b` | 1.250 | 1.250 | +0.250* (+0.150 to +0.350) |",
            "| `stark` | 1.000 | 1.000 |  |"])

    def test_landscapes_of_a_family_are_averaged(self):
        # The error of a mean of 100 pairs is 0.1; of two of them 0.1 / sqrt(2).
        self.assertEqual(printed(policy_tables.print_by_family, TRIAL, 30), [
            "| policy | `hill` | `gemm` |", "|---|---|---|",
            "| `xei_b` | +0.400 ± 0.139 | -0.200 ± 0.196 |"])

    def test_by_landscape_a_star_is_of_all_of_them_together(self):
        # By Holm 0.002 x 1.5 = 0.003, then 0.04 and 0.04.
        lines = printed(policy_tables.print_by_landscape, TRIAL, "xei_b", [30])
        self.assertEqual(lines[0], "| landscape | stark; xei_b, 30 |")
        self.assertEqual(lines[2:], [
            "| `sim:hill/1` | 1.000; +0.500* (+0.400 to +0.600) |",
            "| `sim:hill/2` | 1.000; +0.300* (+0.200 to +0.400) |",
            "| `recorded:gemm` | 1.000; -0.200* (-0.300 to -0.100) |"])


if __name__ == "__main__":
    unittest.main()
