#!/usr/bin/env python3
"""What mutants.py changes, and what it leaves alone."""

import unittest

import mutants


def changes(text, lines=None):
    """What each mutant of `text` has in place of its line."""
    return [what.partition("  ->  ")[2]
            for _, what, _ in mutants.mutants(text, lines)]


class MutantsTest(unittest.TestCase):
    def test_each_sign_is_changed_by_itself(self):
        self.assertEqual(sorted(changes("if (a < b && !c) return d + 1;\n")),
                         sorted(["if (a <= b && !c) return d + 1;",
                                 "if (a < b || !c) return d + 1;",
                                 "if (a < b && c) return d + 1;",
                                 "if (a < b && !c) return d - 1;",
                                 "if (a < b && !c) return d + 2;"]))

    def test_a_call_whose_value_nobody_takes_is_left_out(self):
        self.assertIn(";", changes("  items_.clear();\n"))
        self.assertEqual(changes("  return items_.empty();\n"), [])

    def test_comments_texts_templates_and_includes_are_left_alone(self):
        self.assertEqual(changes('#include <a + b>\n'
                                 '// if (a < b) 1\n'
                                 'Say("a < b && 1");\n'
                                 'std::vector<int> v;\n'), [])

    def test_only_lines_that_are_asked_for_are_changed(self):
        self.assertEqual(changes("a == b;\nc == d;\n", {2}), ["c != d;"])

    def test_the_rest_of_the_file_stays(self):
        [(number, _, text)] = mutants.mutants("one;\na == b;\ntwo;\n", None)
        self.assertEqual((number, text), (2, "one;\na != b;\ntwo;\n"))


if __name__ == "__main__":
    unittest.main()
