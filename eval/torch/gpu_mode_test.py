"""Tests of how a problem of GPU MODE is taken apart and put together."""

import unittest
from typing import Any

import torch

import gpu_mode
from worker import Refusal


def closeness(check: str) -> tuple[float, float] | None:
    found = gpu_mode.closeness_in(check)
    return found and (found["relative"], found["absolute"])


def checking(call: str) -> str:
    return (
        "def check_implementation(data, output):\n"
        f"    return {call}, ref_kernel(data)\n"
    )


class ClosenessTest(unittest.TestCase):
    def test_it_is_what_the_check_is_made_with(self) -> None:
        made = "check_implementation = make_match_reference(ref_kernel{})\n"
        self.assertEqual(closeness(made.format("")), (1e-5, 1e-8))
        self.assertEqual(closeness(made.format(", rtol=1e-2")), (1e-2, 1e-8))
        self.assertEqual(
            closeness(made.format(", rtol=1e-2, atol=2")), (1e-2, 2.0)
        )
        # None at all is as good as none.
        self.assertEqual(closeness(made.format(", rtol=0")), (1e-12, 1e-8))

    def test_it_is_what_a_check_of_its_own_compares_by(self) -> None:
        one = "torch.allclose(a, b, rtol=1e-3, atol=1e-4)"
        self.assertEqual(closeness(checking(one)), (1e-3, 1e-4))
        self.assertEqual(closeness(checking(f"{one} and {one}")), (1e-3, 1e-4))

    def test_where_it_is_computed_or_not_one_it_is_not_known(self) -> None:
        for call in (
            "torch.equal(a, b)",
            "match_reference(data, output, rtol=1e-5 * n)",
            "allclose(a, b, rtol=1e999)",
            "allclose(a, b, 1e-2)",
            "allclose(a, b, rtol=1e-2) and allclose(c, d, rtol=1e-3)",
        ):
            self.assertIsNone(closeness(checking(call)), call)

    def test_the_last_definition_counts(self) -> None:
        both = checking("allclose(a, b, rtol=1e-3)") + checking(
            "allclose(a, b, rtol=1e-2)"
        )
        self.assertEqual(closeness(both), (1e-2, 1e-8))


class ShapeTest(unittest.TestCase):
    def test_data_is_put_together_as_it_was(self) -> None:
        x = torch.arange(6.0).reshape(2, 3)
        y = torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1)
        data = (x, {"y": [y, None], "n": 3}, "text", torch.empty(5))
        tensors: list[torch.Tensor] = []
        shape = gpu_mode.taken_apart(data, tensors, {2})
        self.assertEqual(
            shape,
            [
                "tuple",
                [
                    ["tensor", None],
                    [
                        "dict",
                        [
                            [
                                "y",
                                [
                                    "list",
                                    # y's second dimension is the slowest.
                                    [["tensor", [1, 2, 0]], ["value", None]],
                                ],
                            ],
                            ["n", ["value", 3]],
                        ],
                    ],
                    ["value", "text"],
                    ["buffer", None, 0, [5]],
                ],
            ],
        )
        inputs = [x, gpu_mode.in_order(y, gpu_mode.order_of(y))]
        self.assertTrue(all(one.is_contiguous() for one in inputs))
        buffers: list[torch.Tensor] = []
        again = gpu_mode.put_together(shape, iter(inputs), "cpu", buffers)
        self.assertIs(again[0], x)
        self.assertTrue(torch.equal(again[1]["y"][0], y))
        self.assertEqual(again[1]["y"][0].stride(), y.stride())
        self.assertEqual((again[1]["n"], again[2]), (3, "text"))
        self.assertIs(again[3], buffers[0])
        self.assertEqual(again[3].shape, (5,))
        self.assertEqual(
            gpu_mode.shown(shape, iter([1, 2])),
            "(input1, {'y': [input2.permute([2, 0, 1]), None], 'n': 3}, 'text', "
            "torch.empty((5,), dtype=torch.float32))",
        )

    def test_other_floating_types_are_made_the_references(self) -> None:
        types = [torch.float32, torch.int64]
        y, count = torch.ones(2, 3, dtype=torch.float16).t(), torch.tensor([1])
        made = gpu_mode.as_wanted([y, count], types)
        self.assertEqual(made[0].dtype, torch.float32)
        self.assertTrue(made[0].is_contiguous())
        self.assertTrue(torch.equal(made[0], y.float()))
        self.assertIs(made[1], count)
        # An integer is none, nor is another number of outputs.
        self.assertIs(gpu_mode.as_wanted(count, types[:1]), count)
        self.assertEqual(gpu_mode.as_wanted((y,), types), (y,))

    def test_a_tensor_with_gaps_is_refused(self) -> None:
        for one in (torch.ones(4, 4)[:, ::2], torch.ones(1, 4).expand(3, 4)):
            with self.assertRaises(Refusal):
                gpu_mode.order_of(one)


def case(arguments: dict[str, Any], is_timed: bool = True) -> gpu_mode.Case:
    name = "benchmark one" if is_timed else "test one"
    return gpu_mode.Case(
        {"name": name, "arguments": arguments, "is_timed": is_timed}
    )


class DrawingTest(unittest.TestCase):
    def test_seeds_are_not_those_of_the_arguments(self) -> None:
        seeds = []

        def generate(size: int, seed: int) -> torch.Tensor:
            seeds.append(seed)
            return torch.ones(size)

        drawing = gpu_mode.Drawing(generate, lambda data: data, lambda: None)
        drawing.case = case({"size": 3, "seed": 5})
        torch.manual_seed(1)
        for _ in range(3):
            drawing.data()
        torch.manual_seed(1)
        drawing.data()
        self.assertEqual(seeds[3], seeds[0])
        self.assertEqual(len(set(seeds[:3]) | {5}), 4)

    def test_what_the_kernel_writes_to_is_a_buffer(self) -> None:
        def kernel(data: tuple[torch.Tensor, torch.Tensor]) -> None:
            data[1].copy_(2 * data[0])

        drawing = gpu_mode.Drawing(
            lambda: (torch.ones(3), torch.empty(3)), kernel, lambda: None
        )
        drawing.case = case({})
        shape, returns_nothing, types = drawing.init_inputs()
        self.assertEqual(
            shape,
            ["tuple", [["tensor", None], ["buffer", None, 0, [3]]]],
        )
        self.assertTrue(returns_nothing)
        self.assertEqual(types, [0])
        self.assertEqual(len(drawing.inputs()), 1)

    def test_of_another_case_it_knows_nothing(self) -> None:
        def kernel(data: list[torch.Tensor]) -> torch.Tensor:
            return data[0] if len(data) == 1 else data[1].copy_(data[0])

        drawing = gpu_mode.Drawing(
            lambda count: [torch.ones(2) for _ in range(count)],
            kernel,
            lambda: None,
        )
        drawing.case = case({"count": 2})
        shape, *_ = drawing.init_inputs()
        self.assertEqual([one[0] for one in shape[1]], ["tensor", "buffer"])
        drawing.case = case({"count": 1})
        shape, *_ = drawing.init_inputs()
        self.assertEqual([one[0] for one in shape[1]], ["tensor"])

    def test_a_benchmark_of_nothing_is_refused(self) -> None:
        drawing = gpu_mode.Drawing(
            lambda size: torch.ones(size), lambda x: x, lambda: None
        )
        drawing.case = case({"size": (0, 3)}, is_timed=False)
        drawing.init_inputs()
        drawing.case = case({"size": (0, 3)})
        with self.assertRaisesRegex(Refusal, "tensors without elements"):
            drawing.init_inputs()


if __name__ == "__main__":
    unittest.main()
