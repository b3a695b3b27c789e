#!/usr/bin/env python3
"""What scripts write of our sources: the forms that they read, and the texts
that they make of them."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import generated
import hidden_characters
import python_operations
import python_schema

SQL = """\
-- A table, which is no view.
CREATE TABLE a (b);

-- One row per campaign.
-- In the order of their start.
--   campaign, uuid          what users type
--   budget_s, elapsed_s REAL  allowed
--                             and used
--   best
CREATE VIEW campaigns AS SELECT 1;
-- Nothing of its columns.
CREATE VIEW bare AS SELECT 1;
"""


class SettleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.target = pathlib.Path(folder.name) / "a.py"

    def settled(self, wanted, check):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = generated.settle(self.target, wanted, check, "the source",
                                      "scripts/a")
        return status, said.getvalue()

    def test_a_look_writes_nothing(self):
        status, said = self.settled("x", check=True)
        self.assertEqual(status, 1)
        self.assertEqual(said, f"{self.target} is not what the source says: "
                               "run scripts/a\n")
        self.assertFalse(self.target.exists())

    def test_what_was_written_is_up_to_date(self):
        self.assertEqual(self.settled("x", check=False), (0, ""))
        self.assertEqual(self.settled("x", check=True), (0, ""))
        self.assertEqual(self.settled("y", check=True)[0], 1)
        self.assertEqual(self.target.read_text(), "x")

    def test_a_file_of_the_tree_is_named_from_its_root(self):
        self.target = generated.ROOT / "no such file"
        self.assertTrue(self.settled("x", check=True)[1]
                        .startswith("no such file is not"))


class SchemaTest(unittest.TestCase):
    def test_comments_above_a_view_are_of_it_and_its_columns(self):
        said = python_schema.comments(SQL)
        self.assertEqual(said["campaigns"], (
            "One row per campaign. In the order of their start.",
            {"campaign": "what users type", "uuid": "what users type",
             "budget_s": "allowed and used", "elapsed_s": "allowed and used"}))
        self.assertEqual(said["bare"], ("Nothing of its columns.", {}))
        self.assertEqual(set(said), {"campaigns", "bare"})

    def test_a_computed_column_has_the_type_that_its_name_tells(self):
        for view, column, declared, its_type in (
                ("nodes", "a", "TEXT", "TEXT"), ("nodes", "rank", "", "INTEGER"),
                ("nodes", "verdict", "", "TEXT"), ("nodes", "is_a", "", "INTEGER"),
                ("nodes", "log_blob", "", "INTEGER"), ("nodes", "b", "", "REAL"),
                # A name that has two types.
                ("fast_p", "fast", "", "INTEGER"), ("nodes", "fast", "", "REAL")):
            self.assertEqual(python_schema.type_of(view, column, declared),
                             its_type, f"{view}.{column}")

    def test_a_number_has_the_unit_of_its_names_end(self):
        for column, its_type, unit in (
                ("runtime_s", "REAL", "s"), ("cost_usd", "REAL", "USD"),
                ("bytes_per_s", "REAL", "B/s"), ("name_s", "TEXT", ""),
                ("input_tokens", "INTEGER", "tokens"), ("rank", "INTEGER", "")):
            self.assertEqual(python_schema.unit_of(column, its_type), unit)

    def test_columns_of_one_meaning_are_a_line_that_goes_on(self):
        self.assertEqual(python_schema.wrapped("a TEXT, b REAL s", ""),
                         ["a TEXT, b REAL s"])
        lines = python_schema.wrapped("a TEXT", 'a "b" \\ ' + "word " * 20)
        self.assertEqual(lines[0][:18], 'a TEXT: a \\"b\\" \\\\')
        self.assertTrue(all(len(line) <= 88 for line in lines))
        self.assertTrue(all(line.startswith("  ") for line in lines[1:]))
        self.assertGreater(len(lines), 1)


class HiddenCharactersTest(unittest.TestCase):
    def test_the_table_and_the_last_of_each_plane_are_hidden(self):
        spans = hidden_characters.spans(
            "kHidden[] = {{0x7F, 0x9F}, {0xAD, 0xAD}};\n"
            "kOther[] = {{0x1, 0x2}};\n"
            "return (character & 0xFFFEU) == 0xFFFE;\n")
        self.assertEqual(spans[:3],
                         [(0x7F, 0x9F), (0xAD, 0xAD), (0xFFFE, 0xFFFF)])
        self.assertEqual(spans[-1], (0x10FFFE, 0x10FFFF))
        self.assertEqual(len(spans), 2 + 17)

    def test_a_source_of_another_form_is_not_guessed_at(self):
        for source in ("", "kHidden[] = {{0x7F, 0x9F}};"):
            with self.assertRaisesRegex(SystemExit, "is not as this script"):
                hidden_characters.spans(source)


class OperationsTest(unittest.TestCase):
    def test_a_schema_is_a_type(self):
        module = python_operations.Module()
        for schema, its_type in (
                ({"type": "string"}, "str"), ({"type": "number"}, "float"),
                ({"type": ["integer", "null"]}, "int | None"),
                ({"type": "string", "enum": ["a", "b"]}, 'Literal["a", "b"]'),
                ({"type": ["string", "null"], "enum": ["a"]},
                 'Literal["a"] | None'),
                ({"type": "array", "items": {"type": "string"}},
                 "tuple[str, ...]"),
                ({"type": ["array", "null"], "items": {"type": "number"},
                  "minItems": 2, "maxItems": 2}, "tuple[float, float] | None"),
                ({}, "Any"),
                ({"type": "object", "additionalProperties":
                  {"type": "integer"}}, "Mapping[str, int]")):
            self.assertEqual(module.type_of(schema), its_type, schema)

    def test_an_object_with_a_title_is_a_class_that_is_made_once(self):
        module = python_operations.Module()
        part = {"type": "object", "title": "Part",
                "properties": {"name": {"type": "string"}},
                "required": ["name"]}
        self.assertEqual(module.type_of(part), "Part")
        self.assertEqual(module.type_of(part), "Part")
        self.assertEqual(module.text.count("class Part"), 1)
        self.assertIn("    name: str\n", module.text + "\n")

    def test_an_operation_is_its_request_and_its_result(self):
        module = python_operations.Module()
        module.add_operation({
            "name": "get_job", "description": "Asks after a job.",
            "inputSchema": {"type": "object", "properties": {
                "job": {"type": "string", "description": "Its number"},
                "wait_s": {"type": "number", "default": 50}},
                "required": ["job"]},
            "outputSchema": {"type": "object", "properties": {
                "state": {"type": "string"}}, "required": ["state"]}})
        for text in ("class GetJobResult:\n    state: str\n",
                     'class GetJob(Request[GetJobResult]):\n'
                     '    """Asks after a job.\n',
                     'operation: ClassVar[str] = "get_job"',
                     "    # Its number\n    job: str\n",
                     "    # 50 by default\n    wait_s: float | None = None"):
            self.assertIn(text, module.text)


if __name__ == "__main__":
    unittest.main()
