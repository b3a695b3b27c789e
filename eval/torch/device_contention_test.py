"""Tests of device_contention.py, on a device of a given speed."""

import unittest
from unittest import mock

import torch
from device_contention import ALONE, ALONE_SECONDS, LEAST_FILLS, DeviceContention


class Fake(DeviceContention):
    """On a device that takes `fill` seconds for each."""

    def __init__(self, fill: float):
        self.fill = fill
        self.asked: list[int] = []
        super().__init__(torch.empty(0))

    def write(self, fills: int) -> float:
        self.asked.append(fills)
        return self.fill


class DeviceContentionTest(unittest.TestCase):
    def test_alone_it_is_one(self) -> None:
        device = Fake(60e-6)
        # 1 ms / 60 us = 16.7.
        self.assertEqual(device.asked, [LEAST_FILLS] + ALONE * [17])
        self.assertEqual(device.times(ALONE_SECONDS), 1.0)

    def test_it_is_how_much_longer_work_takes(self) -> None:
        device = Fake(50e-6)
        device.fill = 125e-6
        self.assertAlmostEqual(device.times(10e-3), 2.5)
        self.assertEqual(device.asked[-1], 200)  # 10 ms / 50 us.
        device.fill = 50e-6
        self.assertEqual(device.times(10e-3), 1.0)

    def test_the_shortest_look_alone_counts(self) -> None:
        device = Fake(80e-6)
        with mock.patch.object(device, "write") as write:
            # Somebody else was still there; the first tells how many fills.
            write.side_effect = [80e-6, 80e-6, 40e-6] + 6 * [80e-6]
            device.look_alone()
        self.assertAlmostEqual(device.times(1e-3), 2.0)
        device.look_alone()  # Beside the next kernel worker.
        self.assertEqual(device.times(1e-3), 1.0)

    def test_it_is_never_none(self) -> None:
        device = Fake(1e-3)
        device.times(1e-6)
        self.assertEqual(device.asked[-1], LEAST_FILLS)

    def test_fills_are_between_two_marks_of_the_devices_clock(self) -> None:
        steps: list[str] = []

        class Event:
            def __init__(self, enable_timing: bool):
                assert enable_timing

            def record(self) -> None:
                steps.append("mark")

            def synchronize(self) -> None:
                steps.append("wait")

            def elapsed_time(self, _: object) -> float:
                return 6.0  # Milliseconds.

        device_contention = DeviceContention.__new__(DeviceContention)
        device_contention.memory = mock.Mock()
        device_contention.memory.fill_.side_effect = lambda _: steps.append("fill")
        with mock.patch("torch.cuda.Event", Event):
            self.assertAlmostEqual(device_contention.write(3), 2e-3)
        self.assertEqual(steps, ["mark", "fill", "fill", "fill", "mark", "wait"])

    def test_fills_are_as_many_as_take_so_long(self) -> None:
        for seconds, count in (
            (4e-3, 4),
            (4.1e-3, 5),
            (3e-3, LEAST_FILLS),
            (20e-3, 20),
        ):
            self.assertEqual(DeviceContention.fills(seconds, 1e-3), count)


if __name__ == "__main__":
    unittest.main()
