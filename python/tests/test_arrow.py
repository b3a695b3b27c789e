"""Our own Arrow streams, read as a library of frames would, by the standard's
structures alone: what needs no library."""

import ctypes
import struct
import unittest
from collections.abc import Callable
from typing import Any

from coppice_kernels import _arrow
from coppice_kernels._table import Column, Table

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Consumer:
    """Takes a stream as the C stream interface has it."""

    def __init__(self, capsule: object) -> None:
        self.capsule = capsule
        self.address = _pointer(capsule, b"arrow_array_stream")
        self.stream = _arrow._Stream.from_address(self.address)

    def schema(self) -> Any:
        out = _arrow._Schema()
        assert self.stream.get_schema(self.address, ctypes.addressof(out)) == 0
        return out

    def next(self) -> tuple[int, Any]:
        out = _arrow._Array()
        return self.stream.get_next(self.address, ctypes.addressof(out)), out

    def last_error(self) -> str:
        said = self.stream.get_last_error(self.address)
        return ctypes.string_at(said).decode() if said else ""


def children(of: Any) -> list[Any]:
    return [of.children[i].contents for i in range(of.n_children)]


def release(of: Any) -> None:
    _arrow._Release(of.release)(ctypes.addressof(of))


def buffer(of: Any, index: int, size: int) -> bytes:
    address = of.buffers[index]
    return ctypes.string_at(address, size) if address else b""


def values_of(column: Any, read: Callable[[int], Any]) -> list[Any]:
    """By its own account of which are none: a bit each, lowest first."""
    valid = buffer(column, 0, (column.length + 7) // 8)
    return [
        read(i) if not valid or valid[i // 8] >> i % 8 & 1 else None
        for i in range(column.length)
    ]


def numbers(column: Any, code: str) -> list[Any]:
    got = struct.unpack(f"{column.length}{code}", buffer(column, 1, 8 * column.length))
    return values_of(column, lambda i: got[i])


def texts(column: Any) -> list[Any]:
    ends = struct.unpack(
        f"{column.length + 1}q", buffer(column, 1, 8 * (column.length + 1))
    )
    joined = buffer(column, 2, ends[-1])
    return values_of(column, lambda i: joined[ends[i] : ends[i + 1]].decode())


def stream_of(*fields: tuple[str, str, list[Any]]) -> Consumer:
    return Consumer(_arrow.stream([_arrow.Field(*field) for field in fields]))


class StreamTest(unittest.TestCase):
    def test_a_schema_has_a_child_for_each_column(self) -> None:
        schema = stream_of(
            ("i", "INTEGER", [1]), ("r", "REAL", [1.0]), ("é", "TEXT", ["a"])
        ).schema()
        self.assertEqual(schema.format, b"+s")  # A struct is a batch of rows.
        self.assertEqual(
            [(c.name.decode(), c.format) for c in children(schema)],
            [("i", b"l"), ("r", b"g"), ("é", b"U")],
        )
        self.assertEqual([c.flags for c in children(schema)], [2, 2, 2])  # Nullable.
        release(schema)
        self.assertIsNone(schema.release)

    def test_values_come_as_they_are(self) -> None:
        # More than a byte of bits, the first and the last of which are none.
        whole = [None, *range(1, 9), -(2**63), None]
        real = [0.5, None, float("inf"), *[1.0] * 8]
        text = ["", None, "é\0x", *["ab"] * 7, "☃"]
        status, batch = stream_of(
            ("i", "INTEGER", whole), ("r", "REAL", real), ("t", "TEXT", text)
        ).next()
        self.assertEqual((status, batch.length, batch.null_count), (0, 11, 0))
        columns = children(batch)
        self.assertEqual([c.null_count for c in columns], [2, 1, 1])
        self.assertEqual(numbers(columns[0], "q"), whole)
        self.assertEqual(numbers(columns[1], "d"), real)
        self.assertEqual(texts(columns[2]), text)
        release(batch)

    def test_columns_without_none_have_no_bits(self) -> None:
        _, batch = stream_of(("i", "INTEGER", [7, 8]), ("t", "TEXT", ["a", ""])).next()
        for column in children(batch):
            self.assertIsNone(column.buffers[0])
        self.assertEqual(texts(children(batch)[1]), ["a", ""])
        release(batch)

    def test_a_table_is_one_batch(self) -> None:
        consumer = stream_of(("i", "INTEGER", [1]))
        release(consumer.next()[1])
        status, end = consumer.next()
        self.assertEqual(status, 0)
        self.assertIsNone(end.release)  # The standard's sign of the end.
        self.assertEqual(consumer.last_error(), "")

    def test_without_rows_or_columns_it_is_empty(self) -> None:
        for fields in ((), (("i", "INTEGER", []), ("t", "TEXT", []))):
            status, batch = stream_of(*fields).next()
            self.assertEqual((status, batch.length), (0, 0))
            self.assertEqual(batch.n_children, len(fields))
            release(batch)

    def test_what_does_not_fit_is_an_error_with_a_reason(self) -> None:
        for kind, values, said in (
            ("INTEGER", [2**63], "too large|format requires|out of range"),
            ("REAL", ["x"], "required argument is not a float"),
            ("TEXT", ["a", 1], "sequence item 1: expected str"),
        ):
            consumer = stream_of(("c", kind, values))
            status, _ = consumer.next()
            self.assertEqual(status, 22, kind)  # EINVAL.
            self.assertRegex(consumer.last_error(), said)

    def test_nothing_is_kept_once_all_was_released(self) -> None:
        before = len(_arrow._alive)
        consumer = stream_of(("i", "INTEGER", [1, None]), ("t", "TEXT", ["a", "b"]))
        schema, batch = consumer.schema(), consumer.next()[1]
        self.assertGreater(len(_arrow._alive), before)
        release(schema)
        release(batch)
        release(consumer.stream)
        self.assertEqual(len(_arrow._alive), before)

    def test_who_moves_a_child_away_releases_it_alone(self) -> None:
        before = len(_arrow._alive)
        consumer = stream_of(("i", "INTEGER", [1]), ("r", "REAL", [2.0]))
        _, batch = consumer.next()
        moved = _arrow._Array.from_buffer_copy(children(batch)[0])
        children(batch)[0].release = None  # As the standard has it.
        release(batch)
        self.assertEqual(numbers(moved, "q"), [1])
        release(moved)
        release(consumer.stream)
        self.assertEqual(len(_arrow._alive), before)

    def test_a_table_is_streamed_by_its_columns(self) -> None:
        table = Table([Column("n", "INTEGER"), Column("s", "REAL", "s")], [[3], [None]])
        consumer = Consumer(table.__arrow_c_stream__())
        names = [c.name for c in children(consumer.schema())]
        self.assertEqual(names, [b"n", b"s"])
        columns = children(consumer.next()[1])
        self.assertEqual(
            (numbers(columns[0], "q"), numbers(columns[1], "d")), ([3], [None])
        )


if __name__ == "__main__":
    unittest.main()
