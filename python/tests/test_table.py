"""Tables, dataclasses of JSON, and errors: what needs no program."""

import dataclasses
import json
import unittest

from coppice_kernels import _errors, _typed
from coppice_kernels._table import Column, Table


def table() -> Table:
    columns = [Column("node", "INTEGER"), Column("run_s", "REAL", "s")]
    return Table(columns, [[0, 1, 2], [4.0, None, 2.0]])


class TableTest(unittest.TestCase):
    def test_it_is_read_by_columns_and_by_rows(self) -> None:
        of = table()
        self.assertEqual(len(of), 3)
        self.assertEqual(of["run_s"], [4.0, None, 2.0])
        self.assertEqual(list(of)[1], {"node": 1, "run_s": None})
        self.assertEqual(repr(of), "<Table of 3 rows: node, run_s>")

    def test_a_column_that_is_not_there_is_a_key_error(self) -> None:
        with self.assertRaises(KeyError):
            table()["none"]

    def test_one_without_rows_or_columns_is_empty(self) -> None:
        self.assertEqual(list(Table([Column("node", "INTEGER")], [[]])), [])
        self.assertEqual(len(Table([], [])), 0)

    def test_columns_of_different_lengths_are_no_table(self) -> None:
        columns = [Column("a", "INTEGER"), Column("b", "INTEGER")]
        with self.assertRaises(ValueError):
            list(Table(columns, [[1, 2], [1]]))

    def test_a_stream_is_given_once_for_each_who_asks(self) -> None:
        of = table()
        self.assertIsNot(of.__arrow_c_stream__(), of.__arrow_c_stream__())


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    size: float
    note: str | None = None


@dataclasses.dataclass(frozen=True)
class Whole:
    parts: tuple[Part, ...]
    best: Part | None = None
    counts: tuple[int, ...] = ()


class TypedTest(unittest.TestCase):
    def test_what_was_encoded_is_decoded(self) -> None:
        whole = Whole((Part("a", 1.5), Part("b", 2.0, "so")), Part("b", 2.0))
        raw = json.loads(json.dumps(_typed.encode(whole)))
        self.assertEqual(_typed.decode(Whole, raw), whole)

    def test_an_argument_that_is_not_given_is_left_out(self) -> None:
        self.assertEqual(_typed.encode(Part("a", 1.5)), {"name": "a", "size": 1.5})

    def test_members_of_a_later_version_are_passed_over(self) -> None:
        raw = {"name": "a", "size": 1, "colour": "red"}
        part = _typed.decode(Part, raw)
        self.assertEqual(part, Part("a", 1.0))
        self.assertIs(type(part.size), float)  # JSON's 1 is a number, too.

    def test_null_is_none_where_a_field_may_be(self) -> None:
        raw = {"parts": [], "best": None, "counts": [1, 2]}
        self.assertEqual(_typed.decode(Whole, raw), Whole((), None, (1, 2)))

    def test_what_must_be_there_is_named_with_its_class(self) -> None:
        with self.assertRaisesRegex(_errors.Corrupt, "Part: there is no size"):
            _typed.decode(Whole, {"parts": [{"name": "a"}]})


class ErrorsTest(unittest.TestCase):
    def test_each_code_has_its_class(self) -> None:
        for code, kind in _errors.BY_CODE.items():
            error = _errors.make(code, "no such task", "see list_tasks")
            self.assertIs(type(error), kind)
            self.assertEqual(str(error), "no such task; see list_tasks")
            self.assertEqual(error.hint, "see list_tasks")

    def test_a_code_of_a_later_version_is_an_error_all_the_same(self) -> None:
        error = _errors.make("shy", "will not")
        self.assertIs(type(error), _errors.Error)
        self.assertEqual(str(error), "will not")

    def test_they_are_what_python_calls_them(self) -> None:
        for kind, of_python in (
            (_errors.UsageError, ValueError),
            (_errors.NotFound, LookupError),
            (_errors.Timeout, TimeoutError),
            (_errors.IoError, OSError),
        ):
            self.assertTrue(issubclass(kind, of_python))
            self.assertTrue(issubclass(kind, _errors.Error))


if __name__ == "__main__":
    unittest.main()
