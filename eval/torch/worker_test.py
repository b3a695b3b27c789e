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

    def test_who_sees_one_device_is_told_its_place(self) -> None:
        with mock.patch("torch.cuda.device_count", return_value=1):
            own, aside = divide(list(range(16)), torch.device("cuda:0"), (1, 2))
        # 2 x 2 of 16 are left, 12 to 15, the last two to number 1, whose
        # contestants have the second half of the others.
        self.assertEqual(own, [6, 7, 8, 9, 10, 11])
        self.assertEqual(aside, [14, 15])

    def test_all_share_what_is_less_than_one_for_each(self) -> None:
        # 18 less 8 x 2 are 2, which 8 devices cannot have for themselves.
        with mock.patch("torch.cuda.device_count", return_value=1):
            own, aside = divide(list(range(18)), torch.device("cuda:0"), (0, 8))
        self.assertEqual(own, [0, 1])
        self.assertEqual(aside, [2, 3])

    def test_none_is_left_where_there_are_few(self) -> None:
        self.assertEqual(self.divided(3, "cuda:0", 1), (3, []))
        self.assertEqual(self.divided(5, "cuda:0", 2), (5, []))

    def test_a_processor_is_no_device(self) -> None:
        self.assertEqual(self.divided(16, "cpu", 0), (16, []))


if __name__ == "__main__":
    unittest.main()
