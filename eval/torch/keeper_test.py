"""Tests of keeper.py's reading of what contestants say of their memory.

On a processor, where memory is a file's instead of a device's.
"""

import os
import struct
import unittest
import warnings
from typing import Any
from unittest import mock

import keeper
import torch
from device_calls import INPUTS, LENT
from keeper import Keeper
from worker import NOTES_BYTES, PLACE_BYTES, PLACES_AT

CPU = torch.device("cpu")
SETS = 2
ROW = 4 * 4  # Bytes of an output: float32 x 4.


class OneRow(Keeper):
    """Two sets of an input and an output of four numbers each."""

    def __init__(self) -> None:
        row = torch.zeros(4)
        super().__init__([row], [row], CPU, 1 << 20, SETS, 1)

    def taken_rows(self) -> list[list[float]]:
        return [outputs[0].tolist() for outputs in self.taken[0]]


class Contestant:
    """Its notes, and a piece of its memory: 0, 1, 2, ... as float32."""

    def __init__(self) -> None:
        self.notes = os.memfd_create("notes")
        os.truncate(self.notes, NOTES_BYTES)
        self.piece = os.memfd_create("piece")
        os.truncate(self.piece, 4096)
        os.pwrite(self.piece, struct.pack("<64f", *range(64)), 0)

    def says(self, *places: tuple[int, int, int, int]) -> None:
        """Offset, bytes of the piece, serial and descriptor, call by call."""
        for at, place in enumerate(places):
            words = struct.pack("<4Q", *place)
            os.pwrite(self.notes, words, PLACES_AT + at * PLACE_BYTES)

    def fetch(self, descriptor: int) -> int | None:
        return os.dup(self.piece) if descriptor == self.piece else None

    def at(self, row: int, serial: int = 1) -> tuple[int, int, int, int]:
        return (row * ROW, 4096, serial, self.piece)


class TakeTest(unittest.TestCase):
    def setUp(self) -> None:
        self.contestant = Contestant()
        self.keeper = self.watching(OneRow())

    def watching(self, keeper: OneRow) -> OneRow:
        keeper.watch(0, os.dup(self.contestant.notes))
        keeper.stage(0, SETS)
        return keeper

    def take(self, *places: tuple[int, int, int, int]) -> dict[str, bool]:
        self.contestant.says(*places)
        self.keeper.choose(0, SETS)
        return self.keeper.take(0, SETS, self.contestant.fetch)

    def test_outputs_are_read_where_they_are(self) -> None:
        one = self.contestant
        found = self.take(one.at(3), one.at(1))
        # Row 3 has 12 to 15, row 1 has 4 to 7.
        self.assertEqual(
            self.keeper.taken_rows(), [[12, 13, 14, 15], [4, 5, 6, 7]]
        )
        self.assertEqual(
            found, {"was_there": True, "attached": True, "reuses": False}
        )

    def test_memory_is_attached_once(self) -> None:
        one = self.contestant
        self.assertTrue(self.take(one.at(0), one.at(1))["attached"])
        self.assertFalse(self.take(one.at(2), one.at(3))["attached"])
        self.assertTrue(self.take(one.at(2), one.at(3, 2))["attached"])
        self.keeper.watch(0, os.dup(one.notes))  # Another contestant.
        self.assertTrue(self.take(one.at(2), one.at(3))["attached"])

    def test_memory_that_no_sample_is_of_is_attached_too(self) -> None:
        with mock.patch.object(keeper, "SAMPLES", 0):
            found = self.take(self.contestant.at(0), self.contestant.at(1))
        self.assertTrue(found["attached"])

    def test_contestants_leave_no_descriptors(self) -> None:
        def held() -> int:
            return len(os.listdir("/proc/self/fd"))

        before = held()
        for serial in range(10):
            self.keeper.watch(0, os.dup(self.contestant.notes))
            self.take(self.contestant.at(0, serial), (0, 0, LENT, 0))
        # Each mapping of notes holds one of its own, until it is forgotten.
        self.assertLessEqual(held(), before + 1)

    def test_what_is_held_is_bounded(self) -> None:
        one = self.contestant
        for serial in range(1, 200):
            self.take(one.at(0, serial), one.at(1, serial))
        self.assertEqual(len(self.keeper.pieces[0]), 64)

    def test_what_is_held_is_bounded_by_bytes(self) -> None:
        one = self.contestant
        # Ten pieces of 4096 bytes; twice its outputs, of 2 * 512, are no more.
        with mock.patch.object(keeper, "MOST_BYTES", 10 * 4096):
            for serial in range(1, 30):
                self.take(one.at(0, serial), one.at(1, serial))
        self.assertEqual(list(self.keeper.pieces[0]), list(range(20, 30)))

    def test_what_a_request_used_is_held(self) -> None:
        one = self.contestant
        with mock.patch.object(keeper, "MOST_BYTES", 0):
            self.take(one.at(0, 1), one.at(1, 2))
            self.assertEqual(list(self.keeper.pieces[0]), [1, 2])
            self.assertFalse(self.take(one.at(0, 1), one.at(1, 2))["attached"])
            self.take(one.at(0, 3), one.at(1, 3))
            self.assertEqual(list(self.keeper.pieces[0]), [3])

    def test_any_call_may_be_looked_at_first(self) -> None:
        many = Keeper([torch.zeros(4)], [torch.zeros(4)], CPU, 1 << 20, 16, 1)
        seen = set()
        for _ in range(100):
            many.choose(0, 16)
            calls = [which for which, _ in many.parts]
            self.assertEqual(calls[0], 15)
            self.assertTrue(all(call >= 12 for call in calls[:4]), calls)
            seen.update(calls[4:])
        # 400 of 16: each is missed once in 1e11 times.
        self.assertEqual(seen, set(range(16)))

    def test_memory_that_two_calls_returned(self) -> None:
        one = self.contestant
        self.assertTrue(self.take(one.at(1), one.at(1))["reuses"])
        half = (ROW // 2, 4096, 1, one.piece)
        self.assertTrue(self.take(one.at(0), half)["reuses"])
        self.assertTrue(self.take(half, one.at(0))["reuses"])
        self.assertFalse(self.take(one.at(0), one.at(1))["reuses"])
        self.assertFalse(self.take(one.at(0), one.at(0, 2))["reuses"])
        lent = (0, 0, LENT, 0)
        self.assertFalse(self.take(lent, lent)["reuses"])

    def test_an_input_and_what_is_lent(self) -> None:
        self.keeper.draw(1, [torch.tensor([5.0, 6.0, 7.0, 8.0])])
        self.keeper.stage(0, SETS)
        self.keeper.lent[0][0][0].copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]))
        second_input = self.keeper.layouts[0].stride
        found = self.take((0, 0, LENT, 0), (second_input, 0, INPUTS, 0))
        self.assertEqual(
            self.keeper.taken_rows(), [[1, 2, 3, 4], [5, 6, 7, 8]]
        )
        self.assertFalse(found["attached"])

    def test_a_lie_is_nothing(self) -> None:
        one = self.contestant
        lies = [
            (4096 - ROW + 1, 4096, 1, one.piece),  # A byte beyond.
            ((1 << 64) - 1, 4096, 1, one.piece),
            (0, 4096, 2, 12345),  # No descriptor of its.
            (0, 0, 0, 0),
        ]
        for lie in lies:
            with self.subTest(lie=lie):
                found = self.take(one.at(0), lie)
                right, wrong = self.keeper.taken_rows()
                self.assertEqual(right, [0, 1, 2, 3])
                self.assertTrue(all(x != x for x in wrong), wrong)
                self.assertTrue(found["was_there"])

    def test_what_changes_meanwhile_was_not_there(self) -> None:
        one = self.contestant

        class Late(OneRow):
            def sample(self, seen: Any) -> Any:
                samples = super().sample(seen)
                os.pwrite(one.piece, struct.pack("<4f", 9, 9, 9, 9), 0)
                return samples

        self.keeper = self.watching(Late())
        # Both as they were, and row 0 changes afterwards.
        self.assertTrue(self.take(one.at(2), one.at(3))["was_there"])
        os.pwrite(one.piece, struct.pack("<4f", 0, 1, 2, 3), 0)
        self.assertFalse(self.take(one.at(0), one.at(1))["was_there"])


if __name__ == "__main__":
    warnings.filterwarnings("ignore", "The given buffer is not writable")
    unittest.main()
