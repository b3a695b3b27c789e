"""Tests of device_calls.py beside the keeper that reads what it says.

On a processor, with a file in the place of the device's memory.
"""

import ctypes
import mmap
import os
import struct
import unittest
import warnings
from typing import Any
from unittest import mock

import device_calls
import torch
from device_calls import DeviceCalls
from keeper import Keeper
from worker import NOTES_BYTES, PLACES_AT, Refusal

CPU = torch.device("cpu")
SETS = 3
FOUND = struct.Struct("<4Q")  # As device_memory.cc has it.


class SharedMemory:
    """Tensors of it are found by their address, as torch's on a device are."""

    def __init__(self) -> None:
        self.descriptor = os.memfd_create("piece")
        os.truncate(self.descriptor, 4096)
        self.memory = mmap.mmap(self.descriptor, 4096)
        self.rows = torch.frombuffer(self.memory, dtype=torch.float32)
        self.rows = self.rows.view(-1, 4)

    def find(self, address: int, into: int) -> int:
        offset = address - self.rows.data_ptr()
        if not 0 <= offset < 4096:
            return 0
        words = FOUND.pack(offset, 4096, 1, self.descriptor)
        memory = (ctypes.c_char * FOUND.size).from_address(into)
        memory[:] = words
        return 1


class CallTest(unittest.TestCase):
    """Calls on inputs [0] * 4, [1] * 4 and [2] * 4."""

    def setUp(self) -> None:
        row = torch.zeros(4)
        self.keeper = Keeper([row], [row], CPU, 1 << 20, SETS, 1)
        descriptor = os.memfd_create("notes")
        os.truncate(descriptor, NOTES_BYTES)
        self.notes = mmap.mmap(descriptor, NOTES_BYTES)
        self.keeper.watch(0, descriptor)
        self.calls = DeviceCalls(None, self.notes, PLACES_AT)
        inputs, outputs = self.keeper.orders([row], [row])
        self.calls.map(os.dup(inputs["descriptor"]), inputs)
        self.calls.lend(os.dup(outputs["descriptor"]), outputs)
        self.shared = SharedMemory()
        self.calls.find = self.shared.find
        for index in range(SETS):
            self.keeper.draw(index, [torch.full((4,), float(index))])
        self.keeper.stage(0, SETS)

    def call(self, run: Any, copies: bool = False) -> list[float]:
        """The first number of what each returned, as the keeper sees it."""
        self.calls.call(run, lambda result: [result], SETS, copies)
        self.keeper.choose(0, SETS)
        self.found = self.keeper.take(
            0, SETS, lambda _: os.dup(self.shared.descriptor)
        )
        return [float(outputs[0][0]) for outputs in self.keeper.taken[0]]

    def test_what_is_in_memory_of_its_own_is_read_there(self) -> None:
        rows = iter(self.shared.rows)

        def run(x: torch.Tensor) -> torch.Tensor:
            return torch.add(x, 10, out=next(rows))

        self.assertEqual(self.call(run), [10, 11, 12])
        self.assertFalse(self.found["reuses"])
        self.assertTrue(self.found["attached"])
        self.assertTrue((self.calls.lent[0][0].isnan()).all())

    def test_one_buffer_for_all_has_to_be_copied(self) -> None:
        def run(x: torch.Tensor) -> torch.Tensor:
            return torch.add(x, 10, out=self.shared.rows[5])

        # The last is what is left of all.
        self.assertEqual(self.call(run), [12, 12, 12])
        self.assertTrue(self.found["reuses"])
        self.assertEqual(self.call(run, copies=True), [10, 11, 12])
        self.assertFalse(self.found["reuses"])

    def test_what_is_not_found_is_copied(self) -> None:
        buffer = torch.empty(4)
        self.assertEqual(
            self.call(lambda x: torch.add(x, 10, out=buffer)), [10, 11, 12]
        )
        self.assertFalse(self.found["reuses"])
        self.assertFalse(self.found["attached"])

    def test_an_input_is_read_where_it_is(self) -> None:
        self.assertEqual(self.call(lambda x: x), [0, 1, 2])
        self.assertTrue((self.calls.lent[0][0].isnan()).all())

    def test_another_shape_is_nothing(self) -> None:
        found = self.call(lambda x: torch.zeros(2))
        self.assertTrue(all(one != one for one in found), found)

    def test_more_than_there_should_be_is_left(self) -> None:
        self.calls.call(
            lambda x: x, lambda x: [x, torch.zeros(4)], SETS, False
        )
        self.assertEqual(len(self.calls.kept[0]), 2)
        self.keeper.choose(0, SETS)
        self.keeper.take(0, SETS, lambda _: None)
        self.assertEqual(
            [float(one[0][0]) for one in self.keeper.taken[0]], [0, 1, 2]
        )

    def test_another_device_is_refused(self) -> None:
        meta = torch.zeros(4, device="meta")
        with self.assertRaisesRegex(Refusal, "not on the device"):
            self.call(lambda x: meta)

    def test_a_rehearsal_leaves_as_many(self) -> None:
        for launches in range(3):
            with mock.patch.object(
                device_calls, "_zero", side_effect=torch.Tensor.zero_
            ) as empty:
                self.calls.nothing(lambda result: result, SETS, launches)
            self.assertEqual(empty.call_count, launches)
            self.assertEqual(len(self.calls.kept), SETS)


if __name__ == "__main__":
    warnings.filterwarnings("ignore", "The given buffer is not writable")
    unittest.main()
