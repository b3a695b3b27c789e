"""Tests of device_calls.py beside the trusted side that reads what it says.

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
from trusted_tensors import TrustedTensors
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
        self.trusted_tensors = TrustedTensors([row], [row], CPU, 1 << 20, SETS, 1)
        descriptor = os.memfd_create("notes")
        os.truncate(descriptor, NOTES_BYTES)
        self.notes = mmap.mmap(descriptor, NOTES_BYTES)
        self.trusted_tensors.watch(0, descriptor)
        self.calls = DeviceCalls(None, self.notes, PLACES_AT)
        inputs, outputs = self.trusted_tensors.orders([row], [row])
        self.calls.map(os.dup(inputs["descriptor"]), inputs)
        self.calls.lend(os.dup(outputs["descriptor"]), outputs)
        self.shared = SharedMemory()
        self.calls.find = self.shared.find
        for index in range(SETS):
            self.trusted_tensors.draw(index, [torch.full((4,), float(index))])
        self.trusted_tensors.stage(0, SETS)

    def call(self, run: Any, copies: bool = False) -> list[float]:
        """The first number of what each returned, as the trusted side sees it."""
        self.calls.call(run, lambda result: [result], SETS, copies)
        self.trusted_tensors.choose(0, SETS)
        self.found = self.trusted_tensors.take(
            0, SETS, lambda _: os.dup(self.shared.descriptor)
        )
        return [float(outputs[0][0]) for outputs in self.trusted_tensors.taken[0]]

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
        self.trusted_tensors.choose(0, SETS)
        self.trusted_tensors.take(0, SETS, lambda _: None)
        self.assertEqual(
            [float(one[0][0]) for one in self.trusted_tensors.taken[0]], [0, 1, 2]
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

    def test_a_view_of_an_input_is_read_where_the_input_is(self) -> None:
        found = self.call(lambda x: x.view(2, 2).view(4))
        self.assertEqual(found, [0, 1, 2])
        self.assertFalse(self.found["attached"])
        # The first byte of an input is one, the first behind all is none.
        first = self.calls.arena.bytes.data_ptr()
        size = self.calls.arena.bytes.numel()
        self.calls.find = lambda *_: 0
        self.assertTrue(self.calls.is_found(first, 0))
        self.assertTrue(self.calls.is_found(first + size - 1, 0))
        self.assertEqual(
            list(self.calls.places[:3:2]), [size - 1, device_calls.INPUTS]
        )
        self.assertFalse(self.calls.is_found(first + size, 0))
        self.assertFalse(self.calls.is_found(first - 1, 0))

    def test_without_a_finder_all_is_copied(self) -> None:
        self.calls.find = None
        self.assertFalse(self.calls.is_found(self.calls.arena.bytes.data_ptr(), 0))
        self.assertEqual(self.call(lambda x: x), [0, 1, 2])
        self.assertEqual(self.calls.lent[2][0].tolist(), [2, 2, 2, 2])

    def test_another_type_is_nothing(self) -> None:
        found = self.call(lambda x: torch.zeros(4, dtype=torch.int32))
        self.assertTrue(all(one != one for one in found), found)

    def test_places_are_told_call_by_call_and_output_by_output(self) -> None:
        self.calls.lent = [[torch.zeros(4)] * 2 for _ in range(SETS)]
        told: list[int] = []
        self.calls.find = lambda address, at: told.append(
            at - self.calls.address
        ) or 1
        self.calls.call(lambda x: x, lambda x: [x, x], SETS, False)
        # A place has 32 bytes, and each of three calls has two.
        self.assertEqual(told, [0, 32, 64, 96, 128, 160])

    def test_fewer_than_there_should_be_leave_the_places_of_others(self) -> None:
        self.calls.lent = [[torch.zeros(4)] * 2 for _ in range(SETS)]
        told: list[int] = []
        self.calls.find = lambda address, at: told.append(
            at - self.calls.address
        ) or 1
        self.calls.call(lambda x: x, lambda x: [x], SETS, False)
        self.assertEqual(told, [0, 64, 128])

    def test_a_single_call_is_timed_by_the_device(self) -> None:
        device = self.calls.device = mock.Mock()
        device.timed.side_effect = lambda run, values: (run(*values), 0.5)

        def one(result: Any) -> list[Any]:
            return [result]

        last, seconds = self.calls.call(lambda x: x + 1, one, 1, True)
        self.assertEqual((seconds, last[0].tolist()), (0.5, [1, 1, 1, 1]))
        device.synchronize.assert_called_once_with()
        device.timed.reset_mock()
        last, seconds = self.calls.call(lambda x: x + 1, one, 2, True)
        self.assertEqual((seconds, last[0].tolist()), (0.0, [2, 2, 2, 2]))
        device.timed.assert_not_called()

    def test_a_rehearsal_waits_between_its_launches(self) -> None:
        steps: list[str] = []
        device = self.calls.device = mock.Mock()
        device.synchronize.side_effect = lambda: steps.append("wait")
        with mock.patch.object(
            device_calls, "_zero", lambda _: steps.append("launch")
        ):
            self.calls.nothing(lambda result: result, SETS, 3)
        self.assertEqual(
            steps, ["launch", "wait", "launch", "wait", "launch", "wait"]
        )

    def test_nothing_of_the_keepers_is_held(self) -> None:
        arenas = [self.calls.arena, self.calls.room]
        self.call(lambda x: x)
        with mock.patch.object(
            device_calls.Arena, "release", autospec=True
        ) as release:
            self.calls.let_go()
        self.assertEqual([c.args[0] for c in release.call_args_list], arenas)
        for name in ("kept", "scratch", "inputs", "lent"):
            self.assertEqual(getattr(self.calls, name), [])
        self.assertIsNone(self.calls.arena)
        self.assertIsNone(self.calls.room)
        self.calls.let_go()  # Twice is once.

    def test_arguments_that_are_no_tensors_are_themselves(self) -> None:
        memory = device_calls.Arena.create(1, CPU)
        layout = {
            "device": "cpu",
            "bytes": memory.bytes.numel(),
            "stride": 512,
            "sets": 2,
            "tensors": [
                {"value": 7},
                {"offset": 8, "bytes": 8, "dtype": 7, "shape": [2]},
            ],
        }
        memory.bytes[8] = 1
        memory.bytes[512 + 12] = 2
        _, ((n, x), (m, y)) = DeviceCalls.take(
            os.dup(memory.descriptor), layout, False
        )
        self.assertEqual((n, m), (7, 7))
        self.assertEqual((x.tolist(), y.tolist()), ([1, 0], [0, 2]))
        self.assertEqual(x.dtype, torch.int32)

    def test_memory_of_a_device_is_found_by_a_library_beside_it(self) -> None:
        with mock.patch("ctypes.CDLL") as library:
            find = DeviceCalls.finder()
        (path,) = library.call_args.args
        self.assertEqual(os.path.basename(path), "device_memory.so")
        self.assertEqual(
            os.path.dirname(path), os.path.dirname(device_calls.__file__)
        )
        self.assertEqual(find.argtypes, (ctypes.c_uint64, ctypes.c_void_p))


if __name__ == "__main__":
    warnings.filterwarnings("ignore", "The given buffer is not writable")
    unittest.main()
