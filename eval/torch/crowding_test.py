"""Tests of crowding.py, on a device of a given speed."""

import unittest
from unittest import mock

import torch
from crowding import ALONE, ALONE_SECONDS, LEAST_FILLS, Crowding


class Fake(Crowding):
    """On a device that takes `fill` seconds for each."""

    def __init__(self, fill: float):
        self.fill = fill
        self.asked: list[int] = []
        super().__init__(torch.empty(0))

    def write(self, fills: int) -> float:
        self.asked.append(fills)
        return self.fill


class CrowdingTest(unittest.TestCase):
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
        device.look_alone()  # Beside the next contestant.
        self.assertEqual(device.times(1e-3), 1.0)

    def test_it_is_never_none(self) -> None:
        device = Fake(1e-3)
        device.times(1e-6)
        self.assertEqual(device.asked[-1], LEAST_FILLS)


if __name__ == "__main__":
    unittest.main()
