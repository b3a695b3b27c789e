"""Tests of what traffic_floor.py counts as written, by hand."""

import unittest
from typing import Any, Callable
from unittest import mock

import traffic_floor
import torch
from traffic_floor import bytes_written, is_part, places, words


def row(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32)


class Problem:
    """Whose inputs are [1, 2, 3, 4] and then [5, 6, 7, 8]."""

    def __init__(self, model: Callable[[Any], list[Any]]):
        self.model = model

    def draws(self, number: int) -> list[Any]:
        return [torch.arange(1.0, 5.0) + 4 * number, 7]

    def outputs(self, inputs: list[Any]) -> list[Any]:
        return self.model(inputs[0])


def written(model: Callable[[Any], list[Any]]) -> int:
    return bytes_written(Problem(model))


class WrittenTest(unittest.TestCase):
    def test_what_differs_from_call_to_call_is_written(self) -> None:
        self.assertEqual(written(lambda x: [2 * x]), 4 * 4)
        self.assertEqual(written(lambda x: [(2 * x).double()]), 4 * 8)
        self.assertEqual(written(lambda x: [(2 * x).half()]), 4 * 2)
        self.assertEqual(written(lambda x: [(2 * x).to(torch.int8)]), 4 * 1)

    def test_what_is_the_same_for_all_inputs_is_not(self) -> None:
        self.assertEqual(written(lambda x: [torch.ones(4)]), 0)
        # The last two are 1 each time.
        self.assertEqual(
            written(lambda x: [torch.cat([x[:2] * 2, torch.ones(2)])]), 2 * 4
        )

    def test_zeros_are_there_already(self) -> None:
        # 10 - 6, 10 - 7, ... of the second: 5, 4, 3, 2 less those above 3.
        def model(x: Any) -> list[Any]:
            y = 10 - x
            return [torch.where(y > 3, 0.0, y)]

        self.assertEqual(written(model), 2 * 4)

    def test_a_part_of_an_input_is_not_written(self) -> None:
        self.assertEqual(written(lambda x: [x]), 0)
        self.assertEqual(written(lambda x: [x[1:3].clone()]), 0)
        self.assertEqual(written(lambda x: [x.flip(0)]), 4 * 4)

    def test_nor_is_a_part_of_an_output_before_it(self) -> None:
        self.assertEqual(written(lambda x: [2 * x, 2 * x[2:]]), 4 * 4)
        # Behind it, it is: 2 numbers, and 4.
        self.assertEqual(written(lambda x: [2 * x[2:], 2 * x]), 6 * 4)

    def test_nothing_has_no_bytes(self) -> None:
        self.assertEqual(written(lambda x: [x[:0], 3 * x]), 4 * 4)

    def test_an_output_that_is_written_over_is_still_compared(self) -> None:
        buffer = torch.empty(4)

        def model(x: Any) -> list[Any]:
            return [buffer.copy_(2 * x)]

        self.assertEqual(written(model), 4 * 4)


class PartTest(unittest.TestCase):
    def test_elements_stand_side_by_side(self) -> None:
        there = row(1, 2, 1, 3)
        for own, found in (
            (row(1, 2), True),
            (row(1, 3), True),  # At the second 1, and the end.
            (row(2, 3), False),
            (row(3), True),
            (row(1, 2, 1, 3), True),
            (row(1, 2, 1, 3, 1), False),
            (row(3, 1), False),
        ):
            self.assertEqual(is_part(own, [there]), found, own)

    def test_one_of_several_is_enough(self) -> None:
        double = torch.tensor([5.0], dtype=torch.float64)
        self.assertTrue(is_part(row(5), [double, row(1), row(4, 5)]))
        self.assertFalse(is_part(row(5), [double, row(1)]))
        # Zero is of equal bits in all types, and of another size.
        self.assertFalse(is_part(row(0), [torch.zeros(3).double()]))
        self.assertFalse(is_part(row(5), []))

    def test_a_sum_of_bits_is_what_counts(self) -> None:
        nan = row(float("nan"))
        self.assertTrue(is_part(nan, [nan.clone()]))
        self.assertFalse(is_part(row(-0.0), [row(0.0)]))
        self.assertTrue(is_part(torch.tensor([True]), [torch.tensor([True])]))

    def test_it_is_looked_for_at_a_number_of_places_only(self) -> None:
        # 1, 64 times, and then 1, 2: the first number stands at 65 places.
        there = row(*[1.0] * 64, 1.0, 2.0)
        self.assertFalse(is_part(row(1, 2), [there]))
        self.assertTrue(is_part(row(1, 2), [there[1:]]))

    def test_places_are_found_in_order_part_by_part(self) -> None:
        there = torch.tensor([0, 1, 0, 1, 1, 0], dtype=torch.int8)
        one = torch.tensor(1, dtype=torch.int8)
        with mock.patch.object(traffic_floor, "CHUNK", 2):
            self.assertEqual(places(one, there), [1, 3, 4])
            with mock.patch.object(traffic_floor, "MOST_PLACES", 2):
                self.assertEqual(places(one, there), [1, 3])

    def test_words_are_as_long_as_the_numbers(self) -> None:
        for dtype, size in (
            (torch.bool, torch.int8),
            (torch.bfloat16, torch.int16),
            (torch.float32, torch.int32),
            (torch.float64, torch.int64),
        ):
            found = words(torch.ones(2, 3, dtype=dtype).t())
            self.assertEqual((found.dtype, found.shape), (size, (6,)))
        self.assertEqual(
            words(torch.tensor([[1, 2], [3, 4]]).t()).tolist(), [1, 3, 2, 4]
        )


class Event:
    """An event of a device on which a fill takes 2 ms, and the first one 8 ms."""

    steps: list[str] = []

    def __init__(self, enable_timing: bool):
        assert enable_timing

    def record(self) -> None:
        self.steps.append("mark")

    def synchronize(self) -> None:
        self.steps.append("wait")

    def elapsed_time(self, _: Any) -> float:
        return 8.0 if len(self.steps) <= 4 else 2.0


class MeasureTest(unittest.TestCase):
    def memory(self, cache: int) -> dict[str, float]:
        clock = iter([0.0, 0.01, 0.02, 0.06])
        Event.steps.clear()
        with (
            mock.patch("torch.cuda.get_device_properties") as properties,
            mock.patch("torch.cuda.Event", Event),
            mock.patch("torch.empty") as empty,
            mock.patch("time.monotonic", lambda: next(clock)),
        ):
            properties.return_value.L2_cache_size = cache
            fill = empty.return_value.fill_
            fill.side_effect = lambda _: Event.steps.append("fill")
            found = traffic_floor.memory(torch.device("cuda"))
        if cache:
            self.size = empty.call_args.args[0]
        return found

    def test_the_fastest_fill_counts(self) -> None:
        found = self.memory(1 << 20)
        self.assertEqual(Event.steps, ["mark", "fill", "mark", "wait"] * 2)
        self.assertEqual(self.size, 256 << 20)
        self.assertEqual(
            found, {"bytes_per_s": (256 << 20) / 2e-3, "cache_bytes": 1 << 20}
        )

    def test_it_is_four_times_what_a_cache_holds(self) -> None:
        self.memory(100 << 20)
        self.assertEqual(self.size, 400 << 20)

    def test_without_a_known_cache_nothing_is_told(self) -> None:
        self.assertEqual(self.memory(0), {})

    def test_on_a_host_only_bytes_are_counted(self) -> None:
        problem = Problem(lambda x: [2 * x])
        self.assertEqual(traffic_floor.measure(problem, "cpu"), {"bytes": 16})
        cache = {"cache_bytes": 3}
        with mock.patch.object(traffic_floor, "memory", return_value=cache):
            self.assertEqual(
                traffic_floor.measure(problem, "cuda:0"),
                {"bytes": 16, "cache_bytes": 3},
            )


if __name__ == "__main__":
    unittest.main()
