"""Tests of which processors contestants leave to who waits for them awake, of
what a result may be made of, and of whose parameters are the reference's."""

import unittest
from typing import NamedTuple
from unittest import mock

import torch
from worker import divide, flatten, shapes_of


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


class Pair(NamedTuple):
    first: torch.Tensor
    second: list[torch.Tensor]


class FlattenTest(unittest.TestCase):
    def test_parts_follow_one_another_whatever_they_are_in(self) -> None:
        a, b, c = (torch.tensor(float(i)) for i in range(3))
        for result in (a, [b, c]), [a, (b,), [c]], Pair(a, [b, c]):
            parts = flatten(result, [])
            self.assertEqual([float(part) for part in parts], [0.0, 1.0, 2.0])

    def test_torchs_own_named_results_are_tuples(self) -> None:
        # The largest of 3, 7 and 5, and where it is.
        parts = flatten(torch.max(torch.tensor([3.0, 7.0, 5.0]), dim=0), [])
        self.assertEqual([float(part) for part in parts], [7.0, 1.0])


class ShapesTest(unittest.TestCase):
    def test_the_order_in_which_layers_are_made_does_not_matter(self) -> None:
        weight, bias = torch.zeros(2, 3), torch.zeros(2)
        self.assertEqual(
            shapes_of({"weight": weight, "bias": bias}),
            shapes_of({"bias": bias, "weight": weight}),
        )
        self.assertNotEqual(
            shapes_of({"weight": weight}), shapes_of({"weight": weight.t()})
        )
        self.assertNotEqual(
            shapes_of({"weight": weight}), shapes_of({"kernel": weight})
        )


if __name__ == "__main__":
    unittest.main()
