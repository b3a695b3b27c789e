#!/usr/bin/env python3
"""python_operations: schemas, and the Python that is made of them."""

import unittest

import python_operations


class PythonOperationsTest(unittest.TestCase):
    def setUp(self):
        self.module = python_operations.Module()

    def made(self):
        return self.module.text.removeprefix(python_operations.HEAD)

    def test_types_are_those_of_python(self):
        whole = {"type": "integer"}
        for schema, its_type in (
                ({"type": "string"}, "str"),
                ({"type": ["number", "null"]}, "float | None"),
                ({"type": "boolean"}, "bool"),
                ({"type": "string", "enum": ["a", "b"]}, 'Literal["a", "b"]'),
                ({"type": ["string", "null"], "enum": ["a"]},
                 'Literal["a"] | None'),
                ({"type": "array", "items": whole}, "tuple[int, ...]"),
                ({"type": "array", "items": whole, "minItems": 2,
                  "maxItems": 2}, "tuple[int, int]"),
                ({"type": "array", "items": whole, "minItems": 2},
                 "tuple[int, ...]"),
                ({"type": "array"}, "tuple[Any, ...]"),
                ({"type": "object"}, "Mapping[str, Any]"),
                ({"type": "object", "additionalProperties": whole},
                 "Mapping[str, int]"),
                ({}, "Any")):
            with self.subTest(schema=schema):
                self.assertEqual(self.module.type_of(schema), its_type)
        self.assertEqual(self.made(), "")  # None of them is a class.

    def test_an_object_with_a_title_is_a_class_which_is_made_once(self):
        point = {"type": "object", "title": "Point",
                 "properties": {"x": {"type": "integer"}}, "required": ["x"]}
        self.assertEqual(self.module.type_of(point), "Point")
        self.assertEqual(self.module.type_of(point), "Point")
        self.assertEqual(self.made(), """

@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    x: int
""")

    def test_one_title_for_two_things_is_refused(self):
        self.module.type_of({"type": "object", "title": "Point"})
        with self.assertRaisesRegex(AssertionError, "Point is two things"):
            self.module.type_of({"type": "object", "title": "Point",
                                 "properties": {"x": {"type": "string"}}})

    def test_what_may_be_left_out_is_none(self):
        field = self.module.field
        self.assertEqual(field("a", {"type": "string"}, True), "    a: str")
        self.assertEqual(field("a", {"type": "string"}, False),
                         "    a: str | None = None")
        self.assertEqual(field("a", {"type": ["string", "null"]}, False),
                         "    a: str | None = None")
        self.assertEqual(
            field("a", {"type": "integer", "description": "Seconds",
                        "default": 5}, False),
            "    # Seconds; 5 by default\n    a: int | None = None")

    def test_an_operation_is_a_request_and_its_result(self):
        self.module.add_operation({
            "name": "list_tasks", "description": "Lists tasks.",
            "inputSchema": {"properties": {"query": {"type": "string"}}},
            "outputSchema": {"properties": {"tasks": {"type": "integer"}},
                             "required": ["tasks"]}})
        self.assertEqual(self.made(), '''

@dataclass(frozen=True, slots=True, kw_only=True)
class ListTasksResult:
    tasks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTasks(Request[ListTasksResult]):
    """Lists tasks.
    """

    operation: ClassVar[str] = "list_tasks"
    result: ClassVar[type[ListTasksResult]] = ListTasksResult

    query: str | None = None
''')

    def test_what_is_made_is_python(self):
        self.module.add_operation({
            "name": "get_job", "description": "Waits for a job. " * 12,
            "inputSchema": {"properties": {"job": {
                "type": "string", "description": "What was given. " * 9}}},
            "outputSchema": {"properties": {"part": {
                "type": "object", "title": "Part",
                "properties": {"a": {"type": "integer"}}}}}})
        compile(self.module.text, "operations.py", "exec")
        self.assertLessEqual(max(map(len, self.made().splitlines())), 88)


if __name__ == "__main__":
    unittest.main()
