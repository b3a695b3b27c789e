"""Tests of which problems measure something, and why the others do not.

Problems of the kinds that KernelBench has, in small, on the inputs that
candidates meet.
"""

import itertools
import unittest
from typing import Any, Callable
from unittest import mock

import torch
from torch import nn
from torch.nn import functional

import adversarial
import mutated_outputs
from worker import DTYPES

# eval/torch/verdicts.cc has them for all types.
TOLERANCES = {torch.float32: 1e-4, torch.bfloat16: 1e-2}
RULE = {
    "is_exact": False,
    "matching": None,
    "tolerances": [TOLERANCES.get(dtype, 0.0) for dtype in DTYPES],
}
RIGHT = "right by construction, since "


def uniform() -> list[Any]:
    return [torch.rand(8, 64)]


def of_pairs() -> list[Any]:
    return [torch.rand(8, 64), torch.rand(8, 64)]


def of_classes() -> list[Any]:
    return [torch.rand(8, 64), torch.randint(0, 64, (8,))]


class Problem:
    """As problem.py's Examined, without a process."""

    def __init__(
        self,
        model: Callable[..., Any],
        inputs: Callable[[], list[Any]] = uniform,
    ):
        self.model = model
        self.inputs = inputs
        self.drawn: list[int] = []  # Variants.
        self.is_random = False

    def draws(self, number: int, variant: int = 0) -> list[Any]:
        torch.manual_seed(1000 + number)
        self.drawn.append(variant)
        return adversarial.reshape(self.inputs(), variant)

    def outputs(
        self, inputs: list[Any], dtype: torch.dtype | None = None
    ) -> list[Any]:
        torch.manual_seed(1)
        if isinstance(self.model, nn.Module):
            self.model.to(torch.float32 if dtype is None else dtype)
        before = torch.get_rng_state()
        with torch.no_grad():
            made = self.model(*inputs)
        self.is_random = not torch.equal(before, torch.get_rng_state())
        return list(made) if isinstance(made, tuple) else [made]

    def mixed_outputs(
        self, inputs: list[Any], dtype: torch.dtype
    ) -> list[Any]:
        with torch.autocast("cpu", dtype=dtype):
            return self.outputs(inputs)

    def variants(self, rule: dict[str, Any]) -> list[tuple[int, str]]:
        return adversarial.usable(self, rule)


class ExamineTest(unittest.TestCase):
    def examine(
        self, problem: Problem, has_variants: bool = True
    ) -> dict[str, dict[str, Any]]:
        order = {"rule": RULE, "has_variants": has_variants}
        found = mutated_outputs.examine(problem, order)
        return {one["name"]: one for one in found}

    def condemned(self, *arguments: Any) -> list[str]:
        """By whom."""
        return [
            name
            for name, one in self.examine(*arguments).items()
            if one["verdict"] != one["expected"]
        ]

    def excused(self, *arguments: Any) -> dict[str, str]:
        """Whom, and why."""
        return {
            name: one["log"].removeprefix(RIGHT)
            for name, one in self.examine(*arguments).items()
            if one["log"].startswith(RIGHT)
        }

    def test_a_rectifier_is_no_copy(self) -> None:
        for model in (
            torch.relu,
            functional.leaky_relu,
            functional.elu,
            functional.hardtanh,  # The identity on what is negated, too.
        ):
            self.assertEqual(self.condemned(Problem(model)), [], model)
            self.assertEqual(self.excused(Problem(model)), {}, model)

    def test_without_variants_it_is_one(self) -> None:
        self.assertEqual(
            self.condemned(Problem(torch.relu), False),
            ["copy of the first input"],
        )

    def test_a_loss_is_its_own_mean(self) -> None:
        def divergence(x: Any, y: Any) -> Any:
            return functional.kl_div(
                x.softmax(-1).log(), y.softmax(-1), reduction="batchmean"
            )

        def triplet(x: Any, y: Any) -> Any:
            return functional.triplet_margin_loss(x, y, y.roll(1, 0))

        for model, inputs in (
            (functional.mse_loss, of_pairs),
            (functional.cross_entropy, of_classes),
            (functional.smooth_l1_loss, of_pairs),
            (divergence, of_pairs),
            (triplet, of_pairs),
        ):
            with self.subTest(model=model):
                problem = Problem(model, inputs)
                self.assertEqual(self.condemned(problem), [])
                self.assertEqual(
                    self.excused(problem),
                    {
                        "the mean of the output": mutated_outputs.OF_ONE_VALUE,
                        "the first half twice": mutated_outputs.OF_ONE_VALUE,
                    },
                )

    def test_what_always_comes_to_the_same_measures_nothing(self) -> None:
        torch.manual_seed(7)

        class Centred(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.linear = nn.Linear(64, 64)

            def forward(self, x: Any) -> Any:
                y = self.linear(x).amax(1, keepdim=True)
                return functional.gelu(y - y.mean(1, keepdim=True))

        class Clamped(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.norm = nn.LayerNorm(64)

            def forward(self, x: Any) -> Any:
                y = torch.minimum(self.norm(x), torch.zeros(()).to(x.dtype))
                return functional.dropout(y.clamp(0.0, 1.0), 0.2)

        for model in (Centred(), Clamped()):
            condemned = self.condemned(Problem(model))
            self.assertIn("zeros", condemned)
            self.assertIn("the previous output", condemned)

        def ones(x: Any) -> Any:
            return x.amax(1, keepdim=True).softmax(1)

        self.assertIn("ones", self.condemned(Problem(ones)))

    def test_rounding_errors_are_no_outputs(self) -> None:
        class Normed(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.conv = nn.Conv2d(3, 8, 3)
                self.norm = nn.GroupNorm(2, 8)

            def forward(self, x: Any) -> Any:
                return self.norm(self.conv(x)).mean(dim=[1, 2, 3])

        torch.manual_seed(7)
        problem = Problem(Normed(), lambda: [torch.rand(4, 3, 16, 16)])
        self.assertIn("in double precision", self.condemned(problem))

    # Dropout in double precision leaves out other elements.
    def test_what_is_drawn_is_not_held_against_double(self) -> None:
        def dropped(x: Any) -> Any:
            return nn.functional.dropout(x).softmax(1)

        self.assertEqual(self.condemned(Problem(dropped)), [])

    def test_an_identity_may_be_copied(self) -> None:
        self.assertEqual(self.condemned(Problem(lambda x: x.clone())), [])
        self.assertEqual(
            self.excused(Problem(lambda x: x.clone())),
            {"copy of the first input": mutated_outputs.THE_IDENTITY},
        )

    # 1e-5 is within the tolerance and no rounding of the same number.
    def test_what_is_almost_the_identity_is_none(self) -> None:
        self.assertEqual(
            self.condemned(Problem(lambda x: x * (1 + 1e-5))),
            ["copy of the first input"],
        )

    def test_equal_numbers_are_their_mean(self) -> None:
        def broadcast(x: Any) -> Any:
            return x.mean().expand(4, 5).contiguous()

        self.assertEqual(self.condemned(Problem(broadcast)), [])
        self.assertEqual(
            self.excused(Problem(broadcast)),
            {
                "the mean of the output": mutated_outputs.OF_ONE_VALUE,
                "the first half twice": mutated_outputs.OF_ONE_VALUE,
            },
        )

    def test_a_sign_has_no_bits_to_lose(self) -> None:
        self.assertEqual(self.condemned(Problem(lambda x: (x - 0.5).sign())), [])
        self.assertIn(
            "rounded to bfloat16",
            self.excused(Problem(lambda x: (x - 0.5).sign())),
        )

    def test_a_tolerance_of_the_tasks_own_may_waive_bits(self) -> None:
        for own, count in (({}, 1), ({"scale": 0.1}, 0)):
            examination = mutated_outputs.Examination(
                Problem(lambda x: 2 * x), RULE | own
            )
            names = [judged.name for judged, _ in examination.nulls]
            self.assertEqual(names.count("rounded to bfloat16"), count)
            self.assertIn("zeros", names)

    # Four sets of inputs with one mean, then four with another: the output of
    # the call before passes in all of the first three rounds.
    def test_who_computes_in_16_bits_is_not_asked_for_more(self) -> None:
        # Sums of 64 products of numbers below 20: 8533 is the mean, and 256
        # times that is no number of float16, of which 65504 is the greatest.
        problem = Problem(
            lambda x: x @ x.t(), lambda: [20.0 * torch.rand(8, 64)]
        )

        def names(relative: float) -> list[str]:
            own = [relative if rate else 0.0 for rate in RULE["tolerances"]]
            rule = {**RULE, "tolerances": own, "scale": 1.0}
            return [name for _, name in problem.variants(rule)]

        self.assertIn("negated", names(2e-2))
        self.assertNotIn("16 times as large", names(2e-2))
        # 16 bits are not right on what is drawn.
        self.assertIn("16 times as large", names(1e-5))

    def test_passing_by_luck_condemns_nobody(self) -> None:
        numbers = itertools.count()
        problem = Problem(
            lambda x: 3 * x.mean(),
            lambda: [torch.full((8,), 1.1 + next(numbers) // 4)],
        )
        self.assertEqual(self.condemned(problem, False), [])
        self.assertEqual(len(problem.drawn), 1 + mutated_outputs.ROUNDS + 1)

    # Whatever is drawn, two outputs differ by 1e-6 at most.
    def test_what_hardly_depends_on_its_inputs_measures_nothing(self) -> None:
        found = self.examine(Problem(lambda x: 1 + 1e-6 * x.sigmoid().mean()))
        previous = found["the previous output"]
        self.assertEqual(previous["verdict"], "passed")
        self.assertEqual(previous["expected"], "wrong_output")
        self.assertIn("of what is allowed, on 18 sets of inputs", previous["log"])
        self.assertIn("as drawn, negated", previous["log"])

    def test_once_all_have_failed_nothing_else_is_drawn(self) -> None:
        problem = Problem(lambda x: x.cos())
        self.assertEqual(self.condemned(problem), [])
        self.assertEqual(problem.drawn, [0] * (1 + mutated_outputs.ROUNDS))

    def test_what_crashes_tells_nothing(self) -> None:
        def too_much() -> list[torch.Tensor]:
            return [torch.empty(1 << 60)]

        found = mutated_outputs.Judged(
            "ones", "wrong_output", mutated_outputs.OF_ONE_VALUE
        )
        found.judge(too_much, [torch.zeros(1)], "as drawn", RULE)
        self.assertEqual(found.verdict, "crashed")
        self.assertEqual(found.log, "out of memory")
        self.assertFalse(found.is_excused)

    def test_what_is_wrong_is_told_by_its_first_element(self) -> None:
        found = mutated_outputs.Judged("ones", "wrong_output")
        right = torch.tensor([1.0, 5.0, 1.0, 7.0])
        found.judge(lambda: [torch.ones(4)], [right], "negated", RULE)
        self.assertEqual(
            found.log,
            "on inputs negated: element 1: got 1.0, expected 5.0; 2 elements "
            "wrong",
        )
        # What comes afterwards is not looked at any more.
        found.judge(lambda: 1 / 0, [right], "mostly zero", RULE)
        self.assertEqual(found.met, ["negated"])
        # It was expected: nothing has to be said of it.
        self.assertEqual(found.document()["log"], "")

    def test_fewer_outputs_than_right_ones_crash(self) -> None:
        found = mutated_outputs.Judged("ones", "wrong_output")
        found.judge(lambda: [], [torch.ones(1)], "as drawn", RULE)
        self.assertEqual(found.verdict, "crashed")
        self.assertTrue(found.log.startswith("ValueError: "), found.log)

    def test_only_what_is_the_same_in_each_bit_is_excused(self) -> None:
        right = torch.tensor([1.0, 2.0])
        for own, is_excused in ((right, True), (right + 1e-6, False)):
            found = mutated_outputs.Judged("mean", "wrong_output", "it is one")
            found.judge(lambda own=own: [own.clone()], [right], "as drawn", RULE)
            self.assertTrue(found.passes)
            self.assertEqual(found.is_excused, is_excused)
            self.assertEqual(
                found.document()["expected"],
                "passed" if is_excused else "wrong_output",
            )
        self.assertGreater(found.worst, 0.0)
        self.assertEqual(float(found.document()["worst_error_ratio"]), found.worst)


    def test_each_draw_has_a_number_of_its_own(self) -> None:
        numbers: list[int] = []

        class Counting(Problem):
            def draws(self, number: int, variant: int = 0) -> list[Any]:
                numbers.append(number)
                return super().draws(number, variant)

        order = {"rule": RULE, "has_variants": False}
        mutated_outputs.examine(Counting(torch.relu), order)
        # The copy passes: one to begin with, three rounds, and ten more.
        self.assertEqual(numbers, list(range(1 + 3 + 10)))

    def test_no_round_is_begun_when_time_is_up(self) -> None:
        problem = Problem(torch.relu)
        clock = iter([0.0, 1.9, 2.0, 2.1])
        with mock.patch("time.monotonic", lambda: next(clock)):
            mutated_outputs.examine(problem, {"rule": RULE, "has_variants": False})
        self.assertEqual(len(problem.drawn), 1 + mutated_outputs.ROUNDS + 2)


class NullTest(unittest.TestCase):
    """What is made of a right output, y, where p was the one before, and x the
    first input."""

    Y = torch.tensor([[1.0, 2.0, 6.0], [3.0, 0.0, 0.0]])
    P = torch.tensor([[9.0, 8.0, 7.0], [6.0, 5.0, 4.0]])
    X = torch.tensor([10.0, 20.0])

    def test_each_by_hand(self) -> None:
        found = {
            name: change(self.Y, self.P, self.X).tolist()
            for name, change, _ in mutated_outputs.SPOILINGS
        }
        self.assertEqual(
            found,
            {
                "zeros": [[0, 0, 0], [0, 0, 0]],
                "ones": [[1, 1, 1], [1, 1, 1]],
                "copy of the first input": [[10, 20, 10], [20, 10, 20]],
                "the mean of the output": [[2, 2, 2], [2, 2, 2]],  # 12 / 6.
                "the previous output": [[9, 8, 7], [6, 5, 4]],
                "the first half twice": [[1, 2, 6], [1, 2, 6]],
                # Whose last is 0: it becomes less than all are large.
                "all but the last element": [[1, 2, 6], [3, 0, -7]],
            },
        )
        self.assertEqual(self.Y[1, 2], 0.0)  # Nothing was written over.

    def test_half_of_an_odd_number_is_the_larger_half(self) -> None:
        y = torch.tensor([1.0, 2.0, 3.0])
        self.assertEqual(mutated_outputs.half_twice(y).tolist(), [1, 2, 1])

    def test_a_flag_is_turned(self) -> None:
        for last in (True, False):
            y = torch.tensor([True, last])
            self.assertEqual(
                mutated_outputs.without_last(y).tolist(), [True, not last]
            )

    def test_of_nothing_there_is_nothing(self) -> None:
        nothing = torch.empty(0, 2)
        for _, change, _ in mutated_outputs.SPOILINGS:
            self.assertEqual(change(nothing, nothing, self.X).shape, (0, 2))
        self.assertEqual(mutated_outputs.fitted(torch.empty(0), self.Y).sum(), 0.0)

    def test_an_input_that_is_large_enough_is_cut(self) -> None:
        y = torch.zeros(2, dtype=torch.int32)
        x = torch.tensor([[1.9, 2.0], [3.0, 4.0]])
        found = mutated_outputs.fitted(x, y)
        self.assertEqual((found.tolist(), found.dtype), ([1, 2], torch.int32))

    def test_fewer_bits_are_bfloat16s(self) -> None:
        # The bfloat16 after 1 is 1 + 2^-7.
        y = torch.tensor([1.0 + 2.0**-7, 1.0 + 2.0**-9])
        found = mutated_outputs.FEWER_BITS[1](y, y, y)
        self.assertEqual(found.tolist(), [1.0 + 2.0**-7, 1.0])
        self.assertEqual(found.dtype, torch.float32)

    def test_want_of_memory_is_told_by_its_words(self) -> None:
        for error, is_want in (
            (MemoryError(), True),
            (torch.OutOfMemoryError("no"), True),
            (RuntimeError("can't allocate memory: 4 bytes"), True),
            (RuntimeError("CUDA error: out of memory\nCUDA kernel errors"), True),
            (RuntimeError("no such shape"), False),
        ):
            self.assertEqual(mutated_outputs.is_want_of_memory(error), is_want)

    def test_who_mixes_precisions_is_not_asked_for_double(self) -> None:
        class Mixed(Problem):
            def outputs(
                self, inputs: list[Any], dtype: torch.dtype | None = None
            ) -> list[Any]:
                if dtype is not None:
                    raise RuntimeError("expected scalar type Float")
                return [inputs[0]]

        right = [torch.ones(1)]
        made = mutated_outputs.in_double(Mixed(torch.relu), [torch.ones(1)], right)
        self.assertIs(made, right)

    def test_in_double_all_numbers_are_and_indices_are_not(self) -> None:
        given = []

        class Noting(Problem):
            def outputs(
                self, inputs: list[Any], dtype: torch.dtype | None = None
            ) -> list[Any]:
                given.extend([one.dtype for one in inputs[:2]])
                return [inputs[0] / 3]

        x, index = torch.ones(1), torch.tensor([1])
        (y,) = mutated_outputs.in_double(
            Noting(torch.relu), [x, index, 3], [torch.ones(1)]
        )
        self.assertEqual(given, [torch.float64, torch.int64])
        self.assertEqual(y.dtype, torch.float32)


if __name__ == "__main__":
    unittest.main()
