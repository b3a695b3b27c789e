"""Tests of output_reader.py: what a kernel worker says is only looked up."""

import array
import collections
import os
import unittest
import warnings
from typing import Any
from unittest import mock

import torch
from output_arena import Arena
from device_calls import INPUTS, LENT
from output_reader import OutputReader, bytes_of

CPU = torch.device("cpu")
PIECE = 4096
CALLS, OUTPUTS = 2, 2  # Of 16 bytes and of 8.


class OutputReaderTest(unittest.TestCase):
    """A kernel worker has one piece, whose bytes are 0 to 255 again and again."""

    def setUp(self) -> None:
        self.descriptor = os.memfd_create("piece")
        self.addCleanup(os.close, self.descriptor)
        os.pwrite(self.descriptor, bytes(range(256)) * (PIECE // 256), 0)
        self.inputs = Arena(torch.arange(64, dtype=torch.uint8), -1)
        self.lent = [
            [torch.zeros(4), torch.zeros(2)] for _ in range(CALLS)
        ]
        self.pieces: collections.OrderedDict[int, Arena] = (
            collections.OrderedDict()
        )
        self.fetched: list[int] = []

    def fetch(self, descriptor: int) -> int | None:
        self.fetched.append(descriptor)
        return os.dup(self.descriptor) if descriptor == 5 else None

    def sight(self, *places: tuple[int, int, int, int]) -> OutputReader:
        """Offset, bytes of the piece, serial and descriptor of each output."""
        words = array.array("Q", [word for place in places for word in place])
        return OutputReader(
            memoryview(words),
            self.inputs,
            self.lent,
            self.pieces,
            CPU,
            self.fetch,
        )

    def seen(self, *place: int) -> Any:
        """The bytes of the first output, if it is at this place."""
        found = self.sight(place).output(0)  # type: ignore[arg-type]
        return None if found is None else found.tolist()

    def test_an_output_is_at_its_offset_and_as_large_as_it_should_be(self) -> None:
        sight = self.sight((3, PIECE, 1, 5), (100, PIECE, 1, 5))
        self.assertEqual(sight.output(0).tolist(), list(range(3, 19)))
        self.assertEqual(sight.output(1).tolist(), list(range(100, 108)))
        self.assertTrue(sight.attached)
        self.assertEqual(self.fetched, [5])

    def test_the_last_bytes_of_a_piece_are_its_own_and_none_behind(self) -> None:
        self.assertEqual(self.seen(PIECE - 16, PIECE, 1, 5), list(range(240, 256)))
        for offset in (PIECE - 15, PIECE, 1 << 40, (1 << 64) - 1):
            self.assertIsNone(self.seen(offset, PIECE, 1, 5))

    def test_inputs_and_what_is_lent_have_no_descriptors(self) -> None:
        self.assertEqual(self.seen(48, 0, INPUTS, 9), list(range(48, 64)))
        self.assertIsNone(self.seen(49, 0, INPUTS, 9))
        self.lent[1][0].fill_(1.0)
        sight = self.sight(*[(0, 0, LENT, 0)] * 4)
        found = sight.output(2)
        self.assertEqual(found.data_ptr(), self.lent[1][0].data_ptr())
        self.assertFalse(sight.attached)
        self.assertEqual(self.fetched, [])

    def test_a_word_is_read_once(self) -> None:
        words = array.array("Q", [3, PIECE, 1, 5])
        sight = OutputReader(
            memoryview(words), self.inputs, self.lent, self.pieces, CPU, self.fetch
        )
        first = sight.output(0).tolist()
        words[0] = 64  # What it says afterwards is not heard.
        self.assertEqual(sight.output(0).tolist(), first)
        self.assertEqual(sight.serials(), {1})

    def test_what_it_does_not_have_is_asked_for_once(self) -> None:
        sight = self.sight((0, PIECE, 1, 7), (0, PIECE, 1, 5))
        self.assertIsNone(sight.output(0))
        self.assertIsNone(sight.output(1))  # The number is known for a lie.
        self.assertEqual(self.fetched, [7])
        self.assertTrue(sight.attached)
        self.assertEqual(len(self.pieces), 0)

    def test_memory_that_cannot_be_attached_is_none(self) -> None:
        for error in (RuntimeError, ValueError, OSError, OverflowError):
            with mock.patch.object(Arena, "take", side_effect=error):
                self.assertIsNone(self.seen(0, PIECE, 1, 5))
            self.assertEqual(len(self.pieces), 0)

    def test_memory_is_only_read(self) -> None:
        with mock.patch.object(Arena, "take", wraps=Arena.take) as take:
            self.seen(0, PIECE, 1, 5)
        _, size, device, writable = take.call_args.args
        self.assertEqual((size, device, writable), (PIECE, CPU, False))

    def test_what_was_used_last_is_last(self) -> None:
        self.seen(0, PIECE, 1, 5)
        self.seen(0, PIECE, 2, 5)
        self.assertEqual(list(self.pieces), [1, 2])
        self.seen(0, PIECE, 1, 9)  # It is there, whatever its descriptor.
        self.assertEqual(list(self.pieces), [2, 1])
        self.assertEqual(self.fetched, [5, 5])

    def reuses(self, *places: tuple[int, int]) -> bool:
        """By offset and serial of each output."""
        sight = self.sight(*((at, PIECE, serial, 5) for at, serial in places))
        for which in range(len(places)):
            sight.output(which)
        return sight.reuses()

    def test_calls_that_share_bytes_use_them_again(self) -> None:
        # Each call has two outputs: 16 and 8 bytes, from 0 and 16 for call 0.
        apart = [(0, 1), (16, 1), (24, 1), (40, 1)]
        self.assertFalse(self.reuses(*apart))
        self.assertTrue(self.reuses(*apart[:2], (23, 1), (40, 1)))
        self.assertTrue(self.reuses(*apart[:3], (0, 1)))
        self.assertFalse(self.reuses(*apart[:2], (23, 2), (40, 2)))

    def test_one_call_may_return_the_same_twice(self) -> None:
        self.assertFalse(self.reuses((0, 1), (0, 1), (24, 1), (24, 1)))
        # What began first may still go on: 0 to 16, and the next at 10.
        self.assertTrue(self.reuses((0, 1), (2, 1), (14, 1), (64, 1)))

    def test_what_is_lent_is_each_calls_own(self) -> None:
        for serial in (LENT, INPUTS):
            self.assertFalse(self.reuses(*[(0, serial)] * 4))

    def test_nothing_is_shared_of_nothing(self) -> None:
        self.lent = [[torch.zeros(0)], [torch.zeros(0)]]
        self.assertFalse(self.reuses((8, 1), (8, 1)))
        # Each call has an output of 16 bytes and one of none, which may be said to be
        # anywhere.
        self.lent = [[torch.zeros(4), torch.zeros(0)] for _ in range(2)]
        self.assertFalse(self.reuses((0, 1), (24, 1), (16, 1), (8, 1)))

    def test_what_is_there_already_is_not_attached(self) -> None:
        self.seen(0, PIECE, 0, 5)
        sight = self.sight((0, PIECE, 0, 5))
        self.assertFalse(sight.attached)
        sight.output(0)
        self.assertFalse(sight.attached)

    def test_bytes_are_those_of_its_numbers(self) -> None:
        one = torch.tensor([[1, 258]], dtype=torch.int16)
        self.assertEqual(bytes_of(one).tolist(), [1, 0, 2, 1])


if __name__ == "__main__":
    warnings.filterwarnings("ignore", "The given buffer is not writable")
    unittest.main()
