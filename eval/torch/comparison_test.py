"""Tests of comparison.py, with tensors whose errors are worked out by hand.

That it finds what verdicts.cc finds on a host: tests/comparison_twins_test.cc.
"""

import math
import unittest
from typing import Any
from unittest import mock

import comparison
import torch
from comparison import are_same_bits, compare, compare_all
from worker import DTYPES

INF, NAN = math.inf, math.nan


def rule(tolerance: float, scale: float | None = 1.0) -> dict[str, Any]:
    return {
        "tolerances": [tolerance] * len(DTYPES),
        "is_exact": False,
        "matching": None,
        "scale": scale,
    }


def row(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32)


class SameBitsTest(unittest.TestCase):
    def test_zeros_of_both_signs_differ_and_a_nan_is_itself(self) -> None:
        nan = row(NAN, 1.0)
        self.assertTrue(are_same_bits([(nan, nan.clone())]))
        self.assertFalse(are_same_bits([(row(0.0), row(-0.0))]))

    def test_one_pair_of_many_suffices_to_differ(self) -> None:
        alike = (row(1.0, 2.0), row(1.0, 2.0))
        self.assertTrue(are_same_bits([alike] * 3))
        self.assertFalse(are_same_bits([alike, (row(1.0), row(2.0)), alike]))

    def test_what_is_no_multiple_of_eight_bytes(self) -> None:
        three = torch.tensor([1, 2, 3], dtype=torch.uint8)
        self.assertTrue(are_same_bits([(three, three.clone())]))
        self.assertFalse(are_same_bits([(three, three + 1)]))

    def test_nothing_is_the_same_as_nothing(self) -> None:
        self.assertTrue(are_same_bits([]))
        self.assertTrue(are_same_bits([(row(), row())]))


class CompareTest(unittest.TestCase):
    def found(self, y: torch.Tensor, r: torch.Tensor, by: Any) -> Any:
        """Alone; and among others it is the same."""
        alone = compare(y, r, by)
        others = (row(1.0), row(1.0))
        among = compare_all([others, (y, r), others], by)
        self.assertEqual(among[1], alone)
        self.assertEqual(among[0], among[2])
        return alone

    def test_errors_by_hand(self) -> None:
        # Allowed are 0.5 * (1 + |r|): 1 and 2.  Errors are 0.5 and 1; by what
        # is allowed 0.5 and 0.5; relative 0.5 and 1 / 3.
        found = self.found(row(1.5, -4.0), row(1.0, -3.0), rule(0.5))
        self.assertEqual(found["wrong"], 0)
        self.assertEqual(found["worst_error_ratio"], "0.5")
        self.assertEqual(found["max_absolute_error"], "1.0")
        self.assertEqual(found["max_relative_error"], "0.5")

    def test_the_first_wrong_element_is_told(self) -> None:
        # Allowed are 1 and 2; errors are 0.5, 3 and 4.
        found = self.found(row(1.5, 6.0, 7.0), row(1.0, 3.0, 3.0), rule(0.5))
        self.assertEqual(found["wrong"], 2)
        self.assertEqual(found["element"], 1)
        self.assertEqual(found["got"], "6.0")
        self.assertEqual(found["expected"], "3.0")
        self.assertEqual(found["allowed"], "2.0")

    def test_the_root_mean_square_is_the_scale(self) -> None:
        # The root mean square of 3, 4, 0, 0 is 2.5: an error of 1.25 where 0 is right
        # is just what 0.5 * 2.5 allows.
        r = row(3.0, 4.0, 0.0, 0.0)
        found = self.found(row(3.0, 4.0, 1.24, 0.0), r, rule(0.5, None))
        self.assertEqual(found["wrong"], 0)
        found = self.found(row(3.0, 4.0, 1.26, 0.0), r, rule(0.5, None))
        self.assertEqual(found["wrong"], 1)

    def test_where_nothing_is_tolerated(self) -> None:
        by = rule(0.0)
        alike = self.found(row(0.0, 2.0), row(-0.0, 2.0), by)
        self.assertEqual(alike["wrong"], 0)
        self.assertEqual(self.found(row(2.0), row(2.5), by)["wrong"], 1)

    def test_endless_numbers(self) -> None:
        for y, r, wrong in (
            (row(1.0, NAN), row(1.0, 2.0), 1),
            (row(1.0, 2.0), row(1.0, NAN), 1),
            (row(1.0, NAN), row(1.0, NAN), 0),
            (row(INF, 1.0), row(INF, 1.0), 0),
            (row(INF, 1.0), row(-INF, 1.0), 1),
            (row(INF, 1.0), row(3e38, 1.0), 1),
        ):
            with self.subTest(y=y, r=r):
                self.assertEqual(self.found(y, r, rule(0.5))["wrong"], wrong)
                found = self.found(y, r, rule(0.5, None))
                self.assertEqual(found["wrong"], wrong)

    def test_what_float32_cannot_add_allows_no_more(self) -> None:
        # 0.1 * (3e38 + 3e38) is allowed, and 1e38 is more; in float32 the sum
        # is infinite, by which any error is nothing.
        r = row(3e38, 3e38)
        found = self.found(row(3e38, 2e38), r, rule(0.1, None))
        self.assertEqual(found["wrong"], 1)

    def test_many_elements_are_looked_at_in_parts(self) -> None:
        r = torch.arange(10, dtype=torch.float32)
        y = r.clone()
        y[7] = 90.0
        for chunk in (1, 3, 10):
            with mock.patch.object(comparison, "CHUNK", chunk):
                found = self.found(y, r, rule(0.5))
                self.assertEqual((found["wrong"], found["element"]), (1, 7))
                self.assertEqual(found["max_absolute_error"], "83.0")

    def test_many_that_are_equal_are_right(self) -> None:
        r = torch.arange(10, dtype=torch.float32)
        with mock.patch.object(comparison, "MANY", 4):
            found = self.found(r.clone(), r, rule(0.5, None))
            self.assertEqual(found["worst_error_ratio"], "0.0")
            y = r.clone()
            y[9] = 90.0
            self.assertEqual(self.found(y, r, rule(0.5, None))["wrong"], 1)

    def test_nothing_is_right(self) -> None:
        self.assertEqual(self.found(row(), row(), rule(0.5, None))["wrong"], 0)

    def test_other_types(self) -> None:
        yes = torch.tensor([True, False])
        self.assertEqual(self.found(yes, yes.clone(), rule(0.0))["wrong"], 0)
        self.assertEqual(self.found(yes, ~yes, rule(0.0))["wrong"], 2)
        # The float16 after 1 is 1 + 2^-10; 0.01 allows it.
        half = torch.tensor([1.0], dtype=torch.float16)
        after = torch.tensor([1.0 + 2.0**-10], dtype=torch.float16)
        self.assertEqual(self.found(after, half, rule(0.01))["wrong"], 0)
        self.assertEqual(self.found(after, half, rule(1e-4))["wrong"], 1)

    def test_who_is_in_a_hurry_ends_with_the_first_part_that_is_wrong(self) -> None:
        r = torch.zeros(9)
        y = r.clone()
        y[4] = y[5] = y[8] = 9.0
        for to_the_end, wrong in ((False, 2), (True, 3)):
            found = compare(y, r, rule(0.5), 3, to_the_end)
            self.assertEqual((found["wrong"], found["element"]), (wrong, 4))

    def test_an_exact_rule_goes_by_both_and_takes_no_nan(self) -> None:
        by = rule(0.5, None) | {"is_exact": True}
        # 3 is wrong by 2, and 0.5 * (1 + 3) are allowed; where 0 is right, 0.9 is
        # allowed 0.5 * (1 + 0.9).
        for y, r, wrong in (
            (row(3.0), row(1.0), 0),
            (row(0.9), row(0.0), 0),
            (row(1.1), row(0.0), 1),
            (row(NAN), row(NAN), 1),
        ):
            self.assertEqual(self.found(y, r, by)["wrong"], wrong, (y, r))

    def test_just_what_is_allowed_is_right(self) -> None:
        for y, wrong in ((2.0, 0), (2.0001, 1)):
            found = self.found(row(y), row(1.0), rule(0.5))
            self.assertEqual(found["wrong"], wrong)

    def test_of_float8_all_numbers_are_compared(self) -> None:
        for dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
            r = row(1.0, 2.0).to(dtype)
            y = row(1.0, 3.0).to(dtype)
            self.assertEqual(self.found(y, r, rule(0.1))["wrong"], 1)
            self.assertEqual(self.found(r.clone(), r, rule(0.1))["wrong"], 0)

    def test_a_scale_that_float32_does_not_have_is_doubles(self) -> None:
        # 1e-8 of 1e38 is 1e30; 3e30 is more, and 5e29 is not.
        for off, wrong in ((3e30, 1), (5e29, 0)):
            found = compare(row(off), row(0.0), rule(1e-8, 1e38))
            self.assertEqual(found["wrong"], wrong)

    def test_of_what_is_not_finite_the_rest_is_the_scale(self) -> None:
        # The root mean square of 3 and 4 is 5 / sqrt(2).
        for part in (1, 1 << 24):
            with mock.patch.object(comparison, "CHUNK", part):
                found = comparison.root_mean_square(row(3.0, INF, NAN, 4.0))
                self.assertAlmostEqual(found, 5 / math.sqrt(2))
        self.assertEqual(comparison.root_mean_square(row(INF)), 0.0)
        self.assertEqual(comparison.root_mean_square(row()), 0.0)

    def test_doubt_is_left_to_double_precision(self) -> None:
        for seen, is_right in (
            ([0.9, 1.0, 1.0], True),
            ([1.0, 1.0, 1.0], False),
            ([1.0 - 1e-6, 1.0, 1.0], False),
            ([0.9, INF, 1.0], False),
            ([0.9, 1.0, NAN], False),
            (None, False),
        ):
            self.assertEqual(comparison.is_right(seen), is_right, seen)


if __name__ == "__main__":
    unittest.main()
