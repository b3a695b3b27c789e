"""Tests of trusted_tensors.py's reading of what kernel workers say of their memory.

On a processor, where memory is a file's instead of a device's.
"""

import contextlib
import os
import struct
import unittest
import warnings
from typing import Any
from unittest import mock

import trusted_tensors
import torch
from device_calls import INPUTS, LENT
from trusted_tensors import TrustedTensors
from worker import NOTES_BYTES, PLACE_BYTES, PLACES_AT

CPU = torch.device("cpu")
SETS = 2
ROW = 4 * 4  # Bytes of an output: float32 x 4.


class OneRow(TrustedTensors):
    """Two sets of an input and an output of four numbers each."""

    def __init__(self) -> None:
        row = torch.zeros(4)
        super().__init__([row], [row], CPU, 1 << 20, SETS, 1)

    def taken_rows(self) -> list[list[float]]:
        return [outputs[0].tolist() for outputs in self.taken[0]]


class KernelWorker:
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
        self.kernel_worker = KernelWorker()
        self.trusted_tensors = self.watching(OneRow())

    def watching(self, trusted_tensors: OneRow) -> OneRow:
        trusted_tensors.watch(0, os.dup(self.kernel_worker.notes))
        trusted_tensors.stage(0, SETS)
        return trusted_tensors

    def take(self, *places: tuple[int, int, int, int]) -> dict[str, bool]:
        self.kernel_worker.says(*places)
        self.trusted_tensors.choose(0, SETS)
        return self.trusted_tensors.take(0, SETS, self.kernel_worker.fetch)

    def test_outputs_are_read_where_they_are(self) -> None:
        one = self.kernel_worker
        found = self.take(one.at(3), one.at(1))
        # Row 3 has 12 to 15, row 1 has 4 to 7.
        self.assertEqual(
            self.trusted_tensors.taken_rows(), [[12, 13, 14, 15], [4, 5, 6, 7]]
        )
        self.assertEqual(
            found, {"was_there": True, "attached": True, "reuses": False}
        )

    def test_memory_is_attached_once(self) -> None:
        one = self.kernel_worker
        self.assertTrue(self.take(one.at(0), one.at(1))["attached"])
        self.assertFalse(self.take(one.at(2), one.at(3))["attached"])
        self.assertTrue(self.take(one.at(2), one.at(3, 2))["attached"])
        self.trusted_tensors.watch(0, os.dup(one.notes))  # Another kernel worker.
        self.assertTrue(self.take(one.at(2), one.at(3))["attached"])

    def test_memory_that_no_sample_is_of_is_attached_too(self) -> None:
        with mock.patch.object(trusted_tensors, "SAMPLES", 0):
            found = self.take(self.kernel_worker.at(0), self.kernel_worker.at(1))
        self.assertTrue(found["attached"])

    def test_kernel_workers_leave_no_descriptors(self) -> None:
        def held() -> int:
            return len(os.listdir("/proc/self/fd"))

        before = held()
        for serial in range(10):
            self.trusted_tensors.watch(0, os.dup(self.kernel_worker.notes))
            self.take(self.kernel_worker.at(0, serial), (0, 0, LENT, 0))
        # Each mapping of notes holds one of its own, until it is forgotten.
        self.assertLessEqual(held(), before + 1)

    def test_what_is_held_is_bounded(self) -> None:
        one = self.kernel_worker
        for serial in range(1, 200):
            self.take(one.at(0, serial), one.at(1, serial))
        self.assertEqual(len(self.trusted_tensors.pieces[0]), 64)

    def test_what_is_held_is_bounded_by_bytes(self) -> None:
        one = self.kernel_worker
        # Ten pieces of 4096 bytes; twice its outputs, of 2 * 512, are no more.
        with mock.patch.object(trusted_tensors, "MOST_BYTES", 10 * 4096):
            for serial in range(1, 30):
                self.take(one.at(0, serial), one.at(1, serial))
        self.assertEqual(list(self.trusted_tensors.pieces[0]), list(range(20, 30)))

    def test_what_a_request_used_is_held(self) -> None:
        one = self.kernel_worker
        with mock.patch.object(trusted_tensors, "MOST_BYTES", 0):
            self.take(one.at(0, 1), one.at(1, 2))
            self.assertEqual(list(self.trusted_tensors.pieces[0]), [1, 2])
            self.assertFalse(self.take(one.at(0, 1), one.at(1, 2))["attached"])
            self.take(one.at(0, 3), one.at(1, 3))
            self.assertEqual(list(self.trusted_tensors.pieces[0]), [3])

    def test_any_call_may_be_looked_at_first(self) -> None:
        many = TrustedTensors([torch.zeros(4)], [torch.zeros(4)], CPU, 1 << 20, 16, 1)
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
        one = self.kernel_worker
        self.assertTrue(self.take(one.at(1), one.at(1))["reuses"])
        half = (ROW // 2, 4096, 1, one.piece)
        self.assertTrue(self.take(one.at(0), half)["reuses"])
        self.assertTrue(self.take(half, one.at(0))["reuses"])
        self.assertFalse(self.take(one.at(0), one.at(1))["reuses"])
        self.assertFalse(self.take(one.at(0), one.at(0, 2))["reuses"])
        lent = (0, 0, LENT, 0)
        self.assertFalse(self.take(lent, lent)["reuses"])

    def test_an_input_and_what_is_lent(self) -> None:
        self.trusted_tensors.draw(1, [torch.tensor([5.0, 6.0, 7.0, 8.0])])
        self.trusted_tensors.stage(0, SETS)
        self.trusted_tensors.lent[0][0][0].copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]))
        second_input = self.trusted_tensors.layouts[0].stride
        found = self.take((0, 0, LENT, 0), (second_input, 0, INPUTS, 0))
        self.assertEqual(
            self.trusted_tensors.taken_rows(), [[1, 2, 3, 4], [5, 6, 7, 8]]
        )
        self.assertFalse(found["attached"])

    def test_a_lie_is_nothing(self) -> None:
        one = self.kernel_worker
        lies = [
            (4096 - ROW + 1, 4096, 1, one.piece),  # A byte beyond.
            ((1 << 64) - 1, 4096, 1, one.piece),
            (0, 4096, 2, 12345),  # No descriptor of its.
            (0, 0, 0, 0),
        ]
        for lie in lies:
            with self.subTest(lie=lie):
                found = self.take(one.at(0), lie)
                right, wrong = self.trusted_tensors.taken_rows()
                self.assertEqual(right, [0, 1, 2, 3])
                self.assertTrue(all(x != x for x in wrong), wrong)
                self.assertTrue(found["was_there"])

    def test_what_changes_meanwhile_was_not_there(self) -> None:
        one = self.kernel_worker

        class Late(OneRow):
            def sample(self, seen: Any) -> Any:
                samples = super().sample(seen)
                os.pwrite(one.piece, struct.pack("<4f", 9, 9, 9, 9), 0)
                return samples

        self.trusted_tensors = self.watching(Late())
        # Both as they were, and row 0 changes afterwards.
        self.assertTrue(self.take(one.at(2), one.at(3))["was_there"])
        os.pwrite(one.piece, struct.pack("<4f", 0, 1, 2, 3), 0)
        self.assertFalse(self.take(one.at(0), one.at(1))["was_there"])

    def test_what_was_shown_can_be_drawn_again(self) -> None:
        own = self.trusted_tensors
        own.draw(0, [torch.tensor([1.0, 2.0, 3.0, 4.0])])
        own.draw(1, [torch.tensor([5.0, 6.0, 7.0, 8.0])])
        own.shown[0][0][0].fill_(9.0)
        own.shown[0][1][0].zero_()
        own.lent[0][0][0].fill_(9.0)
        own.lent[0][1][0].fill_(9.0)
        own.stage(0, 1)  # Of one call alone.
        self.assertEqual(own.shown[0][0][0].tolist(), [1, 2, 3, 4])
        self.assertEqual(own.shown[0][1][0].tolist(), [0, 0, 0, 0])
        # Nothing right is in place: it is no number, until it is written.
        self.assertTrue(bool(own.lent[0][0][0].isnan().all()))
        self.assertEqual(own.lent[0][1][0].tolist(), [9, 9, 9, 9])

    def test_a_device_forgets_what_it_has_in_its_cache(self) -> None:
        self.trusted_tensors.driver = mock.Mock()
        self.trusted_tensors.flush = torch.zeros(3)
        self.trusted_tensors.stage(0, 1)
        self.trusted_tensors.driver.forget_persistence.assert_called_once_with()
        self.assertEqual(self.trusted_tensors.flush.tolist(), [1, 1, 1])

    def test_beside_another_kernel_worker_it_is_looked_how_fast_it_is(self) -> None:
        device_contention = self.trusted_tensors.device_contention = mock.Mock()
        self.trusted_tensors.watch(0, os.dup(self.kernel_worker.notes))
        device_contention.look_alone.assert_called_once_with()

    def test_parts_are_within_outputs_and_as_large_as_a_sample(self) -> None:
        # The smaller output, of 12 bytes, is sampled whole; the larger one, of 5000, at
        # 4096 from anywhere.
        small, large = torch.zeros(3), torch.zeros(5000, dtype=torch.int8)
        own = TrustedTensors([small], [small, large], CPU, 1 << 20, 4, 1)
        begins = set()
        for _ in range(50):
            own.choose(0, 4)
            self.assertEqual(len(own.parts), 8)
            for which, part in own.parts:
                self.assertIn(which, range(8))
                if which % 2 == 0:
                    self.assertEqual(part, slice(0, 12))
                else:
                    self.assertEqual(part.stop - part.start, 4096)
                    self.assertLessEqual(part.stop, 5000)
                    begins.add(part.start)
        self.assertGreater(len(begins), 20)

    def test_of_one_call_it_is_that_one(self) -> None:
        for _ in range(20):
            self.trusted_tensors.choose(0, 1)
            self.assertEqual({which for which, _ in self.trusted_tensors.parts}, {0})


class SharedTest(unittest.TestCase):
    """Memory of both sides, and what they are told of it."""

    def trusted_tensors(
        self, memory: int = 1 << 20, most: int = 4, sides: int = 2, outputs: int = 1
    ) -> TrustedTensors:
        # An input of 1000 bytes takes 1024, an output of 16 takes 512.
        return TrustedTensors(
            [torch.zeros(1000, dtype=torch.int8)],
            [torch.zeros(4)] * outputs,
            CPU,
            memory,
            most,
            sides,
        )

    def test_there_are_as_many_sets_as_fit(self) -> None:
        # Two sides hold 3 * 1024 of inputs and 6 * 512 of outputs for each set, and 2 *
        # 512 to rehearse with.
        whole = 3 * 1024 + 6 * 512
        for memory, sets in (
            (3 * whole + 1024, 3),
            (3 * whole + 1023, 2),
            (0, 1),  # At least one, whatever it takes.
            (1 << 30, 4),
        ):
            self.assertEqual(self.trusted_tensors(memory).sets, sets)
        self.assertEqual(self.trusted_tensors(2 * (2048 + 1536) + 512, sides=1).sets, 2)

    def test_there_are_no_more_sets_than_rows_to_tell_of(self) -> None:
        with mock.patch.object(trusted_tensors, "MOST_TENSORS", 6):
            self.assertEqual(self.trusted_tensors(outputs=2).sets, 3)

    def test_tensors_begin_at_multiples_of_512(self) -> None:
        layout = trusted_tensors.Layout(
            [torch.zeros(0), torch.zeros(128), torch.zeros(129), torch.zeros(1)]
        )
        self.assertEqual(layout.offsets, [0, 512, 1024, 2048])
        self.assertEqual(layout.stride, 2560)

    def test_sides_are_told_of_memory_of_their_own(self) -> None:
        own = self.trusted_tensors()
        orders = own.orders([torch.zeros(1000, dtype=torch.int8), 7], [torch.zeros(4)])
        descriptors = [one.pop("descriptor") for one in orders]
        self.assertEqual(len(set(descriptors)), 4)
        inputs = {
            "device": "cpu",
            "bytes": 2 << 20,
            "stride": 1024,
            "sets": 4,
            "tensors": [
                {"offset": 0, "bytes": 1000, "dtype": 9, "shape": [1000]},
                {"value": 7},
            ],
        }
        outputs = {
            "device": "cpu",
            "bytes": 2 << 20,
            "stride": 512,
            "sets": 4,
            "tensors": [{"offset": 0, "bytes": 16, "dtype": 0, "shape": [4]}],
        }
        self.assertEqual(orders, [inputs, inputs, outputs, outputs])

    def test_what_one_side_does_the_other_does_not_see(self) -> None:
        own = self.trusted_tensors()
        own.draw(0, [torch.ones(1000, dtype=torch.int8)])
        own.stage(1, 1)
        self.assertEqual(int(own.shown[1][0][0].sum()), 1000)
        self.assertEqual(int(own.shown[0][0][0].sum()), 0)

    def test_nothing_is_left_of_it(self) -> None:
        own = self.trusted_tensors()
        piece = mock.Mock()
        own.pieces[1][3] = piece
        own.release()
        piece.release.assert_called_once_with()
        for arena in own.input_arenas + own.lent_arenas:
            self.assertEqual(arena.descriptor, -1)
        self.assertEqual((own.shown, own.lent), ([], []))

    def on_a_device(self, free: int, cache: int) -> TrustedTensors:
        """The device "meta" stands for one; its memory is a file's."""
        meta = torch.device("meta")
        create = trusted_tensors.Arena.create
        patches = (
            mock.patch.object(trusted_tensors, "SAMPLES", 0),  # Pinned, they would be.
            mock.patch.object(trusted_tensors, "driver"),
            mock.patch.object(
                trusted_tensors, "DeviceContention", lambda memory: memory
            ),
            mock.patch.object(
                trusted_tensors.Arena, "create", lambda size, _: create(size, CPU)
            ),
            mock.patch("torch.cuda.mem_get_info", return_value=(free, 1 << 40)),
            mock.patch(
                "torch.cuda.get_device_properties",
                return_value=mock.Mock(L2_cache_size=cache),
            ),
        )
        with contextlib.ExitStack() as stack:
            for patch in patches:
                stack.enter_context(patch)
            row = torch.zeros(128)  # Of 512 bytes.
            return TrustedTensors([row], [row], meta, 1 << 20, 8, 1)

    def test_of_a_device_a_quarter_of_what_is_free_is_taken(self) -> None:
        # A set takes (2 + 3) * 512 bytes, and 512 are to rehearse with.
        for free, sets in (
            (4 * (3 * 2560 + 512), 3),
            (4 * (3 * 2560 + 512) - 4, 2),
            (1 << 30, 8),
        ):
            self.assertEqual(self.on_a_device(free, 0).sets, sets)

    def test_what_is_written_over_is_twice_its_cache(self) -> None:
        for cache, size in (
            (0, 256 << 20),
            (128 << 20, 256 << 20),
            (200 << 20, 400 << 20),
        ):
            own = self.on_a_device(1 << 30, cache)
            self.assertEqual(own.flush.numel(), size)
            self.assertIs(own.device_contention, own.flush)
            self.assertIsNotNone(own.driver)

    def test_what_is_drawn_is_waited_for(self) -> None:
        own = self.on_a_device(1 << 30, 0)
        with mock.patch("torch.cuda.synchronize") as wait:
            own.draw(0, [torch.ones(128)])
            wait.assert_called_once_with(torch.device("meta"))
            own.stage(0, 1)
            self.assertEqual(wait.call_count, 2)
            self.trusted_tensors().draw(0, [torch.ones(1000, dtype=torch.int8)])
            self.assertEqual(wait.call_count, 2)  # On a processor nobody waits.

    def rule(self) -> dict[str, Any]:
        return {
            "is_exact": False,
            "matching": None,
            "scale": 1.0,
            "tolerances": [0.5] * len(trusted_tensors.DTYPES),
        }

    def test_side_1_is_judged_by_side_0(self) -> None:
        own = self.trusted_tensors()
        for side in (0, 1):
            own.stage(side, 4)
        for index in range(4):
            own.drawn[index][0].zero_()
            own.shown[1][index][0].zero_()
            own.taken[0][index][0].fill_(1.0)
            own.taken[1][index][0].fill_(1.0)
        # Allowed are 0.5 * (1 + 1); judged the other way round, 0.5 * (1 + 3).
        own.taken[1][1][0].fill_(3.0)
        own.taken[1][3][0].fill_(9.0)  # Which was not called.
        found = own.judge(3, self.rule())
        self.assertFalse(found["changed_input"])
        self.assertEqual([one["wrong"] for one in found["findings"]], [0, 4, 0])
        self.assertEqual(found["findings"][1]["expected"], "1.0")
        own.shown[0][0][0][5] = 1  # The root's own affair.
        self.assertFalse(own.judge(3, self.rule())["changed_input"])
        own.shown[1][3][0][5] = 1
        self.assertFalse(own.judge(3, self.rule())["changed_input"])
        own.shown[1][2][0][5] = 1
        self.assertEqual(
            own.judge(3, self.rule()), {"changed_input": True, "findings": []}
        )


if __name__ == "__main__":
    warnings.filterwarnings("ignore", "The given buffer is not writable")
    unittest.main()
