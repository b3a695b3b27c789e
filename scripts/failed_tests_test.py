#!/usr/bin/env python3
"""failed_tests: what is said of tests that failed, of a log that is text."""

import importlib.machinery
import importlib.util
import pathlib
import unittest

PATH = pathlib.Path(__file__).with_name("failed_tests")
LOADER = importlib.machinery.SourceFileLoader("failed_tests", str(PATH))
failed_tests = importlib.util.module_from_spec(
    importlib.util.spec_from_loader(LOADER.name, LOADER))
LOADER.exec_module(failed_tests)

LOG = """\
1/3 Testing: quiet
all errors are handled here
Test Passed.
2/3 Testing: loud
Ran 2 tests
  AssertionError: 1 != 0
Test Failed.
3/3 Test: slow
waited
"""


class FailedTestsTest(unittest.TestCase):
    def said(self, *names, log=LOG):
        return list(failed_tests.told(log, list(names)))

    def test_lines_that_say_why_are_those_of_the_test(self):
        self.assertEqual(self.said("loud"), [
            "loud failed:", "  AssertionError: 1 != 0", "  Test Failed."])

    def test_a_test_that_said_nothing_is_named_all_the_same(self):
        self.assertEqual(self.said("slow", "never_begun"),
                         ["slow failed:", "never_begun failed:"])

    def test_of_many_lines_the_last_are_kept(self):
        log = "1/1 Testing: long\n" + "".join(
            f"error {number}\n" for number in range(20))
        self.assertEqual(self.said("long", log=log)[1:],
                         [f"  error {number}" for number in range(8, 20)])


if __name__ == "__main__":
    unittest.main()
