#!/usr/bin/env python3
"""python_schema: what comments and names of columns say."""

import unittest

import python_schema

SQL = """\
-- What a campaign came to.
-- A row for each.
--   campaign, name  as it was named
--   best_s          seconds of the best,
--                   if there is one
-- It ends here.
--                   and this is of no column
CREATE VIEW campaigns AS
SELECT 1;
-- Nothing of columns.
CREATE TABLE hidden (a);
CREATE VIEW bare AS
"""


class PythonSchemaTest(unittest.TestCase):
    def test_a_view_has_the_sentences_above_it_and_meanings_of_columns(self):
        said = python_schema.comments(SQL)
        self.assertEqual(said["campaigns"], (
            "What a campaign came to. A row for each. It ends here.",
            {"campaign": "as it was named", "name": "as it was named",
             "best_s": "seconds of the best, if there is one"}))

    def test_comments_of_a_table_are_not_the_next_views(self):
        said = python_schema.comments(SQL)
        self.assertEqual(said["bare"], ("", {}))
        self.assertNotIn("hidden", said)

    def test_a_type_that_is_declared_wins_over_the_name(self):
        for view, column, declared, its_type in (
                ("v", "trials", "TEXT", "TEXT"),
                ("v", "trials", "", "INTEGER"),
                ("v", "uuid", "", "TEXT"),
                ("v", "is_told", "", "INTEGER"),
                ("v", "source_blob", "", "INTEGER"),
                ("v", "speedup", "", "REAL"),
                ("fast_p", "fast", "", "INTEGER"),  # Of that view alone.
                ("v", "fast", "", "REAL")):
            with self.subTest(view=view, column=column, declared=declared):
                self.assertEqual(
                    python_schema.type_of(view, column, declared), its_type)

    def test_units_are_in_the_names_of_numbers(self):
        for column, its_type, text in (
                ("cost_usd", "REAL", "cost_usd REAL USD"),
                ("runtime_s", "REAL", "runtime_s REAL s"),
                ("input_tokens", "INTEGER", "input_tokens INTEGER tokens"),
                # A rate, whose name ends as one of seconds does.
                ("bytes_per_s", "REAL", "bytes_per_s REAL B/s"),
                ("note_s", "TEXT", "note_s TEXT"),
                ("speedup", "REAL", "speedup REAL")):
            with self.subTest(column=column):
                self.assertEqual(
                    python_schema.column_text("v", column, its_type), text)

    def test_long_meanings_go_on_indented(self):
        lines = python_schema.wrapped("a REAL", "word " * 30)
        self.assertTrue(lines[0].startswith("a REAL: word word"))
        self.assertTrue(all(line.startswith("  word") for line in lines[1:]))
        self.assertLessEqual(max(map(len, lines)), 88)
        self.assertEqual(" ".join(" ".join(lines).split()).count("word"), 30)

    def test_quotes_and_backslashes_are_escaped(self):
        self.assertEqual(python_schema.quoted('a "b" \\'), '"a \\"b\\" \\\\"')


if __name__ == "__main__":
    unittest.main()
