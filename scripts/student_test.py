#!/usr/bin/env python3
"""student: intervals of means, worked out by hand."""

import math
import unittest

from student import half_width


class StudentTest(unittest.TestCase):
    def test_of_two_values_the_quantile_is_that_of_one_degree_of_freedom(self):
        # Their deviation is sqrt(2), over the root of 2: 1.
        self.assertAlmostEqual(half_width([1.0, 3.0]), 12.706)

    def test_of_three_values_it_is_that_of_two(self):
        # The deviation of 0, 1 and 2 is 1: 4.303 / sqrt(3).
        self.assertAlmostEqual(half_width([0.0, 1.0, 2.0]), 2.4843, places=4)

    def test_the_last_quantile_is_of_thirty_one_values(self):
        # 15 zeros, 15 twos and a one: the squares add up to 30, over 30
        # degrees of freedom, so the deviation is 1: 2.042 / sqrt(31).
        values = [0.0] * 15 + [2.0] * 15 + [1.0]
        self.assertAlmostEqual(half_width(values), 0.36675, places=4)

    def test_of_more_it_is_the_normals(self):
        # 16 zeros and 16 twos: sqrt(32 / 31), 1.98 times, over sqrt(32).
        values = [0.0] * 16 + [2.0] * 16
        self.assertAlmostEqual(half_width(values), 1.98 / math.sqrt(31))

    def test_one_value_tells_nothing(self):
        self.assertEqual(half_width([5.0]), math.inf)
        self.assertEqual(half_width([]), math.inf)


if __name__ == "__main__":
    unittest.main()
