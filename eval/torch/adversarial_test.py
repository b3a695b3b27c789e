"""Tests of what adversarial.py makes of inputs, and where it may be used."""

import unittest
from typing import Any, Callable
from unittest import mock

import torch
from adversarial import VARIANTS, is_usable, mixed_ratios, ratio, reshape, shaken
from adversarial import usable
from worker import DTYPES

RULE = {
    "is_exact": False,
    "matching": None,
    "tolerances": [1e-4] * len(DTYPES),
    "scale": 1.0,
}
NUMBERS = {name: number for number, (name, _) in enumerate(VARIANTS)}


def made(name: str, *values: Any) -> list[Any]:
    return reshape(list(values), NUMBERS[name])


class ReshapeTest(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(1)

    def test_what_is_drawn_is_left(self) -> None:
        self.assertEqual(NUMBERS["as drawn"], 0)
        (x,) = made("as drawn", torch.tensor([1.0, 2.0]))
        self.assertEqual(x.tolist(), [1, 2])

    def test_numbers_are_negated_and_made_larger(self) -> None:
        negated = made("negated", torch.tensor([1.0, -2.0]))
        self.assertEqual(negated[0].tolist(), [-1, 2])
        large = made("16 times as large", torch.tensor([1.0, -2.0]))
        self.assertEqual(large[0].tolist(), [16, -32])

    def test_a_tenth_is_left_of_what_is_mostly_zero(self) -> None:
        (x,) = made("mostly zero", torch.full((10000,), 3.0))
        self.assertEqual(set(x.tolist()), {0.0, 3.0})
        # 1000 of 10000 are expected, with a deviation of 30.
        self.assertAlmostEqual(int((x != 0).sum()), 1000, delta=200)

    def test_one_value_is_the_first(self) -> None:
        (x,) = made("of one value", torch.tensor([[5.0, 2.0], [3.0, 4.0]]))
        self.assertEqual(x.tolist(), [[5, 5], [5, 5]])
        self.assertTrue(x.is_contiguous())
        self.assertEqual(made("of one value", torch.empty(0, 3))[0].shape, (0, 3))

    def test_rows_have_scales_that_are_powers_of_two(self) -> None:
        (x,) = made("with rows of other scales", torch.full((1000, 3), 3.0))
        self.assertTrue(torch.equal(x[:, 0], x[:, 1]))
        self.assertTrue(torch.equal(x[:, 0], x[:, 2]))
        scales = {1 / 128, 1.0, 128.0}
        self.assertEqual(set((x[:, 0] / 3.0).tolist()), scales)
        # A third, 333 with a deviation of 15, has no exponential in float32.
        exponentials = torch.exp(x[:, 0] / 3.0)
        self.assertAlmostEqual(int(exponentials.isinf().sum()), 333, delta=75)
        (one,) = made("with rows of other scales", torch.tensor(3.0))
        self.assertEqual(one.shape, ())
        self.assertIn(float(one) / 3.0, scales)

    def test_indices_numbers_and_eight_bits_are_left(self) -> None:
        index = torch.tensor([1, 2])
        small = torch.tensor([1.0]).to(torch.float8_e5m2)
        values = made("negated", index, small, 3.0, True)
        self.assertIs(values[0], index)
        self.assertIs(values[1], small)
        self.assertEqual(values[2:], [3.0, True])
        half = made("negated", torch.tensor([1.0]).half())[0]
        self.assertEqual(half.tolist(), [-1])
        self.assertEqual(half.dtype, torch.float16)

    def test_types_stay_as_they_are(self) -> None:
        for name in NUMBERS:
            (x,) = made(name, torch.rand(4, 3).bfloat16())
            self.assertEqual((x.dtype, x.shape), (torch.bfloat16, (4, 3)), name)


class ShakenTest(unittest.TestCase):
    def test_it_is_by_half_a_digit_at_most(self) -> None:
        torch.manual_seed(1)
        x = torch.full((1000,), 1.0, dtype=torch.float64)
        apart = (shaken(x) - x).abs()
        digit = torch.finfo(torch.float64).eps
        self.assertLessEqual(float(apart.max()), digit)
        self.assertGreater(float(apart.max()), 0.0)
        self.assertLess(float((shaken(x) - x).min()), 0.0)  # Either way.
        coarse = shaken(torch.full((1000,), 1.0, dtype=torch.bfloat16))
        self.assertGreater(float((coarse - 1.0).abs().max()), 1e-3)

    def test_what_has_no_digits_is_left(self) -> None:
        for value in (
            3,
            torch.tensor([1, 2]),
            torch.tensor([1.0]).to(torch.float8_e4m3fn),
        ):
            self.assertIs(shaken(value), value)


class Problem:
    """y = model(x), where x is drawn as `inputs` has it."""

    is_random = False

    def __init__(
        self,
        model: Callable[[Any], Any],
        inputs: Callable[[], Any] = lambda: torch.rand(8, 16),
        mixed: Callable[[Any, torch.dtype], Any] | None = None,
    ):
        self.model = model
        self.make = inputs
        self.mixed = mixed
        self.tried: list[int] = []

    def draws(self, number: int, variant: int = 0) -> list[Any]:
        torch.manual_seed(100 + number)
        self.tried.append(variant)
        return reshape([self.make()], variant)

    def outputs(
        self, inputs: list[Any], dtype: torch.dtype | None = None
    ) -> list[Any]:
        return [self.model(inputs[0])]

    def mixed_outputs(
        self, inputs: list[Any], dtype: torch.dtype
    ) -> list[Any]:
        if self.mixed is None:
            return [self.outputs(inputs)[0].to(dtype)]
        return [self.mixed(inputs[0], dtype)]


def names(problem: Problem, **others: Any) -> list[str]:
    rule: dict[str, Any] = {**RULE, "scale": None, **others}
    return [name for _, name in usable(problem, rule)]


class UsableTest(unittest.TestCase):
    def test_all_are_where_a_model_is_well_conditioned(self) -> None:
        problem = Problem(lambda x: 2 * x)
        self.assertEqual(names(problem), [name for name, _ in VARIANTS[1:]])
        self.assertEqual(problem.tried, [1, 2, 3, 4, 5])

    def test_what_is_not_finite_is_no_input(self) -> None:
        found = names(Problem(lambda x: (x + 0.1).log()))
        self.assertNotIn("negated", found)
        self.assertIn("16 times as large", found)
        self.assertIn("mostly zero", found)  # log(0.1) is a number.
        self.assertNotIn("mostly zero", names(Problem(lambda x: x.log())))

    def test_where_little_decides_much_it_is_none(self) -> None:
        # What is equal but for its last digits becomes 1 or 0.
        def steep(x: Any) -> Any:
            return (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True)

        found = names(Problem(steep))
        self.assertNotIn("of one value", found)
        self.assertIn("negated", found)

    def test_inputs_that_a_reference_refuses_are_none(self) -> None:
        def picky(x: Any) -> Any:
            if bool((x < 0).any()):
                raise ValueError("negative")
            return x + 1

        found = names(Problem(picky))
        self.assertNotIn("negated", found)
        self.assertIn("of one value", found)

    def test_when_time_is_up_two_have_been_tried(self) -> None:
        problem = Problem(lambda x: 2 * x)
        clock = iter([0.0, 9.0, 9.0, 9.0])
        with mock.patch("time.monotonic", lambda: next(clock)):
            self.assertEqual(
                names(problem), ["negated", "16 times as large"]
            )
        clock = iter([0.0, 1.9, 2.1])
        with mock.patch("time.monotonic", lambda: next(clock)):
            self.assertEqual(len(names(problem)), 3)

    def test_the_references_own_error_is_a_quarter_at_most(self) -> None:
        # In double precision it is off by 1e-4 * share * (1 + 1), all that is
        # allowed being 2e-4.
        for share, is_right in ((0.24, True), (0.26, False)):

            def model(x: Any, share: float = share) -> Any:
                off = 2e-4 * share if x.dtype == torch.float64 else 0.0
                return torch.ones_like(x) + off

            self.assertEqual(is_usable(Problem(model), 1, RULE, {}), is_right)

    def test_it_must_not_change_by_the_last_digits(self) -> None:
        calls: list[int] = []

        def model(x: Any) -> Any:
            if x.dtype == torch.float64:
                return torch.ones_like(x)
            calls.append(0)
            return torch.ones_like(x) + (1e-3 if len(calls) > 1 else 0.0)

        self.assertFalse(is_usable(Problem(model), 1, RULE, {}))


class MixedTest(unittest.TestCase):
    def off(self, by: float) -> Problem:
        """In mixed precision, by so much of what is allowed."""
        return Problem(
            torch.ones_like,
            mixed=lambda x, dtype: torch.ones_like(x) + 2e-4 * by,
        )

    def test_without_a_tolerance_of_its_own_nobody_asks(self) -> None:
        self.assertEqual(mixed_ratios(self.off(0.1), RULE | {"scale": None}), {})

    def test_half_more_than_as_drawn_is_let_pass(self) -> None:
        for by, most in (
            (0.1, 0.5),  # At least half of what is allowed,
            (0.4, 0.6),
            (0.9, 1.0),  # and never more than that.
        ):
            found = mixed_ratios(self.off(by), RULE)
            self.assertEqual(set(found), {torch.float16, torch.bfloat16})
            for value in found.values():
                self.assertAlmostEqual(value, most, places=2)

    def test_what_is_wrong_as_drawn_is_not_asked_for(self) -> None:
        self.assertEqual(mixed_ratios(self.off(1.1), RULE), {})

    def test_what_cannot_be_mixed_is_not_asked_for(self) -> None:
        def fails(x: Any, dtype: torch.dtype) -> Any:
            if dtype is torch.float16:
                raise RuntimeError("expected scalar type Float")
            return torch.ones_like(x)

        found = mixed_ratios(Problem(torch.ones_like, mixed=fails), RULE)
        self.assertEqual(found, {torch.bfloat16: 0.5})

    def test_a_variant_must_be_right_in_it(self) -> None:
        for most, is_right in ((0.5, True), (0.3, False)):
            self.assertEqual(
                is_usable(self.off(0.4), 1, RULE, {torch.float16: most}),
                is_right,
            )


class RatioTest(unittest.TestCase):
    def test_the_worst_counts(self) -> None:
        right = [torch.ones(2), torch.ones(2)]
        # Allowed are 1e-4 * (1 + 1).
        own = [torch.ones(2), torch.tensor([1.0, 1.0 + 1e-4])]
        self.assertAlmostEqual(ratio(own, right, RULE), 0.5, places=2)

    def test_fewer_outputs_are_no_outputs(self) -> None:
        with self.assertRaises(ValueError):
            ratio([torch.ones(2)], [torch.ones(2)] * 2, RULE)


if __name__ == "__main__":
    unittest.main()
