#!/usr/bin/env python3
"""same_campaigns: what counts as a difference."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import same_campaigns  # pylint: disable=wrong-import-position


def told(fingerprint="f", decisions="d", **columns):
    """One campaign, and a view of one row."""
    return ({"stark": (fingerprint, decisions)},
            {"nodes": (list(columns), [tuple(columns.values())])})


class DifferencesTest(unittest.TestCase):
    def found(self, before, again, after):
        return list(same_campaigns.differences(before, again, after))

    def test_equal_campaigns_have_none(self):
        one = told(score=1)
        self.assertEqual(self.found(one, one, told(score=1)), [])

    def test_what_varies_by_itself_is_none(self):
        self.assertEqual(
            self.found(told(time=1), told(time=2), told(time=3)), [])

    def test_what_never_varied_is_one(self):
        self.assertEqual(
            self.found(told(score=1), told(score=1), told(score=2)),
            ["view nodes: other values of score"])

    def test_a_column_that_is_gone_is_one(self):
        self.assertEqual(self.found(told(a=1), told(a=1), told()),
                         ["view nodes: column a is only in one"])

    def test_another_tree_or_decision_is_one_each(self):
        self.assertEqual(self.found(told(), told(), told("g", "e")),
                         ["stark: another fingerprint",
                          "stark: other decisions"])


if __name__ == "__main__":
    unittest.main()
