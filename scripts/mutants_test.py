#!/usr/bin/env python3
"""What mutants.py changes, and what it leaves alone."""

import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

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


class TreeTest(unittest.TestCase):
    """Of files that each test writes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        there = mock.patch.object(mutants, "ROOT", self.root)
        there.start()
        self.addCleanup(there.stop)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def test_tests_of_files_are_told_by_their_suites(self):
        file = self.write("store/a_test.cc",
                          "TEST(OneTest, A) {}\nTEST_F( TwoTest, B) {}\n"
                          "TYPED_TEST(OneTest, C) {}\n// TEST(None, D)\n")
        self.assertEqual(mutants.filter_of([file, self.root / "gone.cc"]),
                         "OneTest.*:OneTest/*:*/OneTest.*:"
                         "TwoTest.*:TwoTest/*:*/TwoTest.*")
        self.assertEqual(mutants.filter_of([]), "")

    def test_a_source_is_of_the_library_that_lists_it(self):
        self.write("store/CMakeLists.txt",
                   "coppice_module(store\n  SOURCES\n    a.cc read/b.cc c.in\n"
                   "  TESTS a_test.cc\n  DEPS x)\n")
        self.assertEqual(mutants.modules(), {
            pathlib.PurePosixPath("store/a.cc"): "store",
            pathlib.PurePosixPath("store/read/b.cc"): "store"})

    def test_what_is_drawn_is_the_same_after_others_have_changed(self):
        a, b = (pathlib.PurePosixPath(f"{name}.cc") for name in "ab")
        self.write("a.cc", "x == 1;\ny == 2;\n")
        self.write("b.cc", "z < 3;\n")
        first = mutants.drawn([a], None, 2, seed=1)
        self.assertEqual(mutants.drawn([a], None, 2, seed=1), first)
        both = mutants.drawn([a, b], None, None, seed=1)
        ours = [change for change in both if change[0] == a]
        self.assertEqual(ours[:2], first)
        self.assertNotEqual(mutants.drawn([a], None, None, seed=2),
                            mutants.drawn([a], None, None, seed=1))

    def test_equal_changes_of_a_file_are_told_apart(self):
        a = pathlib.PurePosixPath("a.cc")
        self.write("a.cc", "x == y;\nx == y;\n")
        lines = [line for _, line, *_ in mutants.drawn([a], None, None, 1)]
        self.assertEqual(sorted(lines), [1, 2])

    def test_a_report_names_what_survived_and_counts_the_rest(self):
        a = pathlib.PurePosixPath("store/a.cc")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            mutants.report([(a, 3, "c  ->  d", ""), (a, 1, "x", "own"),
                            (a, 2, "y", "other"), (a, 4, "z", None)])
        self.assertEqual(out.getvalue().splitlines()[0], "store/a.cc:3: c  ->  d")
        self.assertIn("| store | 3 | 2 | 1 | 67 % |\n", out.getvalue())
        self.assertTrue(out.getvalue().endswith("| all | 3 | 2 | 1 | 67 % |\n"))


if __name__ == "__main__":
    unittest.main()
