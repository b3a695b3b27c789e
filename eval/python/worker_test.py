"""Tests of which processors contestants leave to who waits for them awake."""

import unittest
from unittest import mock

import torch
from worker import divide


class DivideTest(unittest.TestCase):
    def divided(
        self, processors: int, device: str, devices: int
    ) -> tuple[int, list[int]]:
        """How many contestants have, the first ones, and what they leave."""
        with mock.patch("torch.cuda.device_count", return_value=devices):
            own, aside = divide(list(range(processors)), torch.device(device))
        self.assertEqual(own, list(range(len(own))))
        return len(own), aside

    def test_the_last_two_are_left(self) -> None:
        self.assertEqual(self.divided(16, "cuda", 1), (14, [14, 15]))
        self.assertEqual(self.divided(4, "cuda:0", 1), (2, [2, 3]))

    def test_two_are_left_to_each_device(self) -> None:
        self.assertEqual(self.divided(16, "cuda:0", 2), (12, [12, 13]))
        self.assertEqual(self.divided(16, "cuda:1", 2), (12, [14, 15]))
        self.assertEqual(self.divided(6, "cuda:0", 2), (2, [2, 3]))

    def test_none_is_left_where_there_are_few(self) -> None:
        self.assertEqual(self.divided(3, "cuda:0", 1), (3, []))
        self.assertEqual(self.divided(5, "cuda:0", 2), (5, []))

    def test_a_processor_is_no_device(self) -> None:
        self.assertEqual(self.divided(16, "cpu", 0), (16, []))


if __name__ == "__main__":
    unittest.main()
