#!/usr/bin/env python3
"""What mutants.py changes, and what it leaves alone."""

import pathlib
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

    def test_a_value_that_is_given_is_left_out(self):
        self.assertEqual(changes("  row.count_ = other;\n"), [";"])
        self.assertEqual(changes("  int count = other;\n"), [])

    def test_a_condition_of_one_name_or_call_is_turned_round(self):
        self.assertEqual(changes("  if (row.Step()) return;\n"),
                         ["if (!(row.Step())) return;"])

    def test_sql_is_changed_within_its_text(self):
        self.assertEqual(
            sorted(changes(
                '"SELECT max(n) WHERE a < ?1 AND b ORDER BY c DESC"\n')),
            sorted(['"SELECT min(n) WHERE a < ?1 AND b ORDER BY c DESC"',
                    '"SELECT max(n) WHERE a <= ?1 AND b ORDER BY c DESC"',
                    '"SELECT max(n) WHERE a < ?1 OR b ORDER BY c DESC"',
                    '"SELECT max(n) WHERE a < ?1 AND b ORDER BY c"']))

    def test_sql_may_have_many_lines(self):
        self.assertEqual(changes('Say(R"sql(\nWHERE a = b\n)sql");\n'
                                 'R"(\na < b\n)";\n'),
                         ["WHERE a <> b"])

    def test_comments_texts_templates_and_includes_are_left_alone(self):
        self.assertEqual(changes('#include <a + b>\n'
                                 '// if (a < b) 1\n'
                                 'Say("a < b && 1");\n'
                                 'std::vector<int> v;\n'), [])

    def test_only_lines_that_are_asked_for_are_changed(self):
        self.assertEqual(changes("a == b;\nc == d;\n", {2}), ["c != d;"])

    def test_the_rest_of_the_file_stays(self):
        [(number, _, text)] = mutants.mutants("one;\na == b;\ntwo;\n")
        self.assertEqual((number, text), (2, "one;\na != b;\ntwo;\n"))

    def test_all_that_was_drawn_of_few_is_drawn_of_more(self):
        def draw(most, seed):
            return [change[:3] for change in mutants.drawn(
                [pathlib.PurePosixPath("search/tree.cc")], None, most, seed)]
        self.assertEqual(draw(5, 1), draw(9, 1)[:5])
        self.assertNotEqual(draw(5, 1), draw(5, 2))


if __name__ == "__main__":
    unittest.main()
