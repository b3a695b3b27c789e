"""Tests of FlashInfer-Bench's comparison, with errors worked out by hand.

That it finds what matching.cc finds on a host: tests/comparison_twins_test.cc.
"""

import math
import unittest
from typing import Any
from unittest import mock

import comparison
import matching
import torch

INF, NAN = math.inf, math.nan


def rule(least: float = 1.0) -> dict[str, float]:
    return {"absolute": 0.5, "relative": 0.25, "least": least}


def row(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32)


def found(own: torch.Tensor, root: torch.Tensor, least: float = 1.0) -> Any:
    return matching.compare(own, root, rule(least))


class MatchingTest(unittest.TestCase):
    def test_what_is_off_by_little_in_one_way_is_right(self) -> None:
        # 0.4 is less than 0.5, though 0.4 of 1; 1 is more, but 0.1 of 10.
        seen = found(row(1.4, 11.0), row(1.0, 10.0))
        self.assertEqual(seen["wrong"], 0)
        self.assertNotIn("element", seen)
        self.assertAlmostEqual(float(seen["max_absolute_error"]), 1.0)
        self.assertAlmostEqual(float(seen["max_relative_error"]), 0.4)
        # The lesser of both: 0.4 / 0.5 of the first, 0.1 / 0.25 of the second.
        self.assertAlmostEqual(float(seen["worst_error_ratio"]), 0.8)

    def test_what_is_off_in_both_is_wrong(self) -> None:
        seen = found(row(1.0, 2.0, 3.0), row(1.0, 1.0, 1.0))
        self.assertEqual(seen["wrong"], 2)
        self.assertEqual(seen["element"], 1)
        self.assertEqual(seen["got"], "2.0")
        self.assertEqual(seen["expected"], "1.0")
        self.assertEqual(seen["allowed"], "0.5")  # Or 0.25 of 1.
        self.assertEqual(float(seen["worst_error_ratio"]), 4.0)  # 2 / 0.5.

    def test_just_what_is_allowed_is_right(self) -> None:
        self.assertEqual(found(row(0.5), row(0.0))["wrong"], 0)
        self.assertEqual(found(row(5.0), row(4.0))["wrong"], 0)
        self.assertEqual(found(row(0.51), row(0.0))["wrong"], 1)

    def test_of_a_large_number_a_share_is_allowed(self) -> None:
        seen = found(row(-20.0), row(-8.0))
        # 0.25 * (8 + 1e-8) in double precision.
        self.assertEqual(float(seen["allowed"]), 0.25 * (8.0 + 1e-8))

    def test_zero_has_a_share_too(self) -> None:
        # 1e-8 stands for it: 1 by 1e-8 is 1e8.
        seen = found(row(1.0), row(0.0))
        self.assertAlmostEqual(
            float(seen["max_relative_error"]) / 1e8, 1.0, places=5
        )

    def test_enough_that_match_are_enough(self) -> None:
        own, root = row(1.0, 1.0, 1.0, 9.0), row(1.0, 1.0, 1.0, 1.0)
        for least, wrong in ((0.75, 0), (0.76, 1)):
            seen = found(own, root, least)
            self.assertEqual(seen["wrong"], wrong)
            self.assertEqual("element" in seen, wrong > 0)
            self.assertEqual(float(seen["max_absolute_error"]), 8.0)

    def test_what_is_endless_is_wrong_however_many_match(self) -> None:
        for bad in (INF, -INF, NAN):
            seen = found(row(1.0, bad, bad, 9.0), row(1.0, 2.0, 3.0, 1.0), 0.1)
            self.assertEqual(seen["wrong"], 2)
            self.assertEqual(seen["element"], 1)
            self.assertEqual(seen["expected"], "2.0")
            self.assertEqual(seen["got"], repr(bad))
            for name in (
                "worst_error_ratio",
                "max_absolute_error",
                "max_relative_error",
            ):
                self.assertEqual(seen[name], "inf")

    def test_what_is_endless_in_the_reference_is_their_affair(self) -> None:
        # Theirs: inf is farther off than anything; NaN is compared with nothing.
        self.assertEqual(found(row(1.0), row(NAN))["wrong"], 0)
        seen = found(row(1.0, 1.5), row(NAN, 1.0))
        self.assertEqual(seen["max_absolute_error"], "0.0")

    def test_parts_are_of_one_whole(self) -> None:
        root = torch.zeros(10)
        own = root.clone()
        own[4], own[7] = 2.0, 3.0
        with mock.patch.object(matching, "CHUNK", 3):
            seen = found(own, root)
            self.assertEqual((seen["wrong"], seen["element"]), (2, 4))
            self.assertEqual(seen["max_absolute_error"], "3.0")
            self.assertEqual(found(own, root, 0.8)["wrong"], 0)
            own[8] = INF
            seen = found(own, root)
            self.assertEqual((seen["wrong"], seen["element"]), (1, 8))
            own[2] = NAN
            seen = found(own, root)
            self.assertEqual((seen["wrong"], seen["element"]), (2, 2))

    def test_shapes_and_types_do_not_matter(self) -> None:
        root = torch.tensor([[1, 2], [3, 4]])
        self.assertEqual(found(root.clone(), root)["wrong"], 0)
        self.assertEqual(found(root + 9, root)["wrong"], 4)
        half = torch.ones(2).half()
        self.assertEqual(found(half, half)["wrong"], 0)

    def test_nothing_matches_nothing(self) -> None:
        self.assertEqual(found(row(), row())["wrong"], 0)

    def test_a_task_that_asks_for_it_is_compared_so(self) -> None:
        by = {"matching": rule(0.5), "tolerances": [], "is_exact": False}
        pair = (row(1.0, 9.0), row(1.0, 1.0))
        self.assertEqual(comparison.compare(*pair, by)["wrong"], 0)
        (seen,) = comparison.compare_all([pair], by)
        self.assertEqual(seen["wrong"], 0)


class ErrorsTest(unittest.TestCase):
    def test_the_largest_counts_and_one_that_is_none_spoils_all(self) -> None:
        errors = matching.Errors()
        for part, text in (
            (row(1.0, 3.0), "3.0"),
            (row(2.0), "3.0"),
            (row(NAN, 9.0), "0.0"),
            (row(5.0), "0.0"),
        ):
            errors.add(part)
            self.assertEqual(errors.text(), text)


if __name__ == "__main__":
    unittest.main()
