"""Tests of how a problem of GPU MODE is taken apart and put together."""

import itertools
import json
import tempfile
import unittest
from typing import Any
from unittest import mock

import torch

import gpu_mode
from worker import DTYPES, Refusal


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

    def test_tolerances_without_names_are_not_read(self) -> None:
        for call, expected in (
            ("verbose_allclose(a, b)", (1e-5, 1e-8)),
            ("verbose_allclose(a, b, 1e-2)", None),
            ("match_reference(data, output, ref_kernel)", (1e-5, 1e-8)),
            ("match_reference(data, output, ref_kernel, 1e-2)", None),
            ("allclose(a, b, rtol=True)", None),
        ):
            self.assertEqual(closeness(checking(call)), expected, call)

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
        with self.assertRaisesRegex(
            Refusal, "^ref_kernel returns tensors without elements; there is "
        ):
            drawing.init_inputs()

    def drawing(self, generate: Any, kernel: Any = lambda data: data) -> Any:
        drawing = gpu_mode.Drawing(generate, kernel, lambda: None)
        drawing.case = case({})
        return drawing

    def test_what_is_told_of_data_is_an_expression_of_the_inputs(self) -> None:
        def kernel(data: Any) -> None:
            data[1].copy_(data[0])

        drawing = self.drawing(
            lambda: (torch.ones(3), torch.empty(3), 2), kernel
        )
        drawing.init_inputs()
        self.assertEqual(
            drawing.model.__doc__,
            "data = (input1, torch.empty((3,), dtype=torch.float32), 2), with "
            "buffers for it to fill in the place of torch.empty().",
        )
        drawing = self.drawing(lambda: [torch.ones(3)])
        drawing.init_inputs()
        self.assertEqual(drawing.model.__doc__, "data = [input1].")

    def test_a_buffer_must_not_be_an_input_too(self) -> None:
        def adds(data: Any) -> None:
            data.add_(1)

        with self.assertRaisesRegex(
            Refusal, "^ref_kernel writes to a tensor of data and depends on"
        ):
            self.drawing(lambda: torch.ones(3), adds).init_inputs()

    def test_a_buffer_is_filled_to_the_last_element(self) -> None:
        def half(data: Any) -> None:  # The rest stays as it is drawn, zero.
            data[1][:2].copy_(data[0][:2])

        def whole(data: Any) -> None:
            data[1].copy_(data[0])

        for dtype in (torch.float32, torch.int64, torch.bool):

            def generate(dtype: torch.dtype = dtype) -> Any:
                return [torch.ones(3, dtype=dtype), torch.zeros(3, dtype=dtype)]

            self.drawing(generate, whole).init_inputs()
            with self.assertRaisesRegex(Refusal, "an input or a buffer to be"):
                self.drawing(generate, half).init_inputs()

    def test_a_kernel_that_returns_what_it_has_written_is_asked_for_it(
        self,
    ) -> None:
        def kernel(data: Any) -> Any:
            return data[1].copy_(data[0])

        drawing = self.drawing(
            lambda: [torch.ones(3), torch.empty(3).half()], kernel
        )
        _, returns_nothing, types = drawing.init_inputs()
        self.assertFalse(returns_nothing)
        self.assertEqual(types, [1])

    def test_data_that_changes_from_call_to_call_is_refused(self) -> None:
        numbers = itertools.count()
        drawing = self.drawing(lambda: (torch.ones(3), next(numbers)))
        drawing.init_inputs()
        with self.assertRaisesRegex(
            Refusal,
            "^generate_input returns other numbers, texts or tensors' places "
            "from call to call$",
        ):
            drawing.inputs()

    def test_inputs_are_in_the_order_of_their_memory(self) -> None:
        x = torch.arange(6.0).reshape(2, 3)
        drawing = self.drawing(lambda: x.t())
        drawing.init_inputs()
        (found,) = drawing.inputs()
        self.assertTrue(found.is_contiguous())
        self.assertTrue(torch.equal(found, x))

    def test_types_that_are_not_known_are_refused(self) -> None:
        odd = torch.ones(2, dtype=torch.float64)
        with self.assertRaisesRegex(
            Refusal,
            "^generate_input returns a tensor of torch.float64; such are not "
            "supported$",
        ):
            self.drawing(lambda: odd).init_inputs()
        with self.assertRaisesRegex(
            Refusal,
            "^ref_kernel returns a tensor of torch.float64; such are not "
            "supported$",
        ):
            self.drawing(lambda: torch.ones(2), lambda _: odd).init_inputs()
        with self.assertRaisesRegex(
            Refusal, "^generate_input returns a sparse tensor of torch.float32;"
        ):
            self.drawing(lambda: torch.eye(2).to_sparse()).init_inputs()
        with self.assertRaisesRegex(
            Refusal,
            "^generate_input returns a set; expected tensors, numbers, texts, "
            "and tuples, lists and dicts of them$",
        ):
            self.drawing(lambda: {1}).init_inputs()

    def test_one_output_with_elements_is_enough_to_time(self) -> None:
        drawing = self.drawing(
            lambda: torch.ones(2), lambda x: (x[:0], x)
        )
        self.assertEqual(drawing.init_inputs()[2], [0, 0])
        self.assertEqual(drawing.where(), "benchmark one: ")

    def test_before_a_case_is_selected_there_is_none(self) -> None:
        drawing = gpu_mode.Drawing(lambda: 1, lambda x: x, lambda: None)
        self.assertEqual(drawing.where(), "")


class AlikeTest(unittest.TestCase):
    def test_what_is_left_in_a_buffer_is_junk(self) -> None:
        yes = torch.tensor([True, False])
        self.assertEqual(gpu_mode.junk_for(yes).tolist(), [False, True])
        self.assertTrue(gpu_mode.junk_for(torch.ones(2).half()).isnan().all())
        whole = gpu_mode.junk_for(torch.ones(2, dtype=torch.int16))
        self.assertEqual((whole.tolist(), whole.dtype), ([77, 77], torch.int16))

    def test_numbers_are_alike_but_for_rounding(self) -> None:
        one = torch.tensor([1.0, float("nan")])
        self.assertTrue(gpu_mode.is_alike(one, one + 1e-6))
        self.assertFalse(gpu_mode.is_alike(one, one + 1e-3))
        self.assertFalse(gpu_mode.is_alike(one, torch.tensor([1.0, 2.0])))
        whole = torch.tensor([100000000])
        self.assertFalse(gpu_mode.is_alike(whole, whole + 1))


class SubmissionTest(unittest.TestCase):
    SHAPE = ["tuple", [["tensor", None], ["buffer", None, 0, [2]], ["value", 3]]]

    def test_a_kernel_is_given_data_and_fills_buffers_of_each_call(self) -> None:
        seen = []

        def kernel(data: Any) -> None:
            seen.append(data)
            data[1].copy_(data[2] * data[0])

        model = gpu_mode.module_of({"custom_kernel": kernel})(self.SHAPE, True, [0])
        x = torch.tensor([1.0, 2.0])
        (first,) = model(x)
        (second,) = model(x)
        self.assertEqual(first.tolist(), [3, 6])
        self.assertIsNot(first, second)
        self.assertIs(seen[0][0], x)
        self.assertIsInstance(seen[0], tuple)

    def test_what_it_returns_counts_where_it_is_to_return(self) -> None:
        model = gpu_mode.model_of(lambda data: data[0].half())
        (found,) = model(self.SHAPE, False, [0])(torch.ones(2))
        self.assertEqual(found.dtype, torch.float32)
        found = model(self.SHAPE, False, [1])(torch.ones(2))
        self.assertIs(type(found), torch.Tensor)

    def test_without_a_kernel_it_is_none(self) -> None:
        for names in ({}, {"custom_kernel": 3}):
            with self.assertRaisesRegex(
                Refusal, "^it defines no custom_kernel$"
            ):
                gpu_mode.module_of(names)

    def test_only_floating_types_are_made_others(self) -> None:
        half, whole = torch.ones(1).half(), torch.ones(1, dtype=torch.int32)
        for value, dtype, is_wanted in (
            (half, torch.float16, True),
            (half, torch.float32, False),
            (half, torch.int32, True),
            (whole, torch.float32, True),
            (None, torch.float32, True),
            ([half], torch.float16, False),
            ((half,), torch.float16, False),
        ):
            self.assertEqual(gpu_mode.is_wanted(value, dtype), is_wanted)

    def test_a_lie_about_its_type_is_left_for_others_to_refuse(self) -> None:
        class Lazy(torch.Tensor):
            pass

        lazy = torch.ones(1).half().as_subclass(Lazy)
        self.assertIs(gpu_mode.as_wanted(lazy, [torch.float32]), lazy)
        self.assertEqual(gpu_mode.as_wanted([], [torch.float32]), [])


REFERENCE = """
import torch
def generate_input(size, seed):
    return torch.rand(size)
def ref_kernel(data):
    return 2 * data
check_implementation = make_match_reference(ref_kernel, rtol=1e-2)
"""


class ProblemTest(unittest.TestCase):
    def problem(self, source: str, **names: Any) -> tuple[Any, ...]:
        # pylint: disable=consider-using-with
        file = tempfile.NamedTemporaryFile("w", suffix=".py")
        self.addCleanup(file.close)
        file.write(source)
        file.flush()
        made: dict[str, Any] = {
            "__file__": file.name,
            "make_match_reference": lambda *_, **__: None,
        }
        exec(source, made)  # pylint: disable=exec-used
        cases = [
            {"name": name, "arguments": {"size": size}, "is_timed": True}
            for name, size in (("test 1", 3), ("benchmark 1", 5))
        ]
        return gpu_mode.problem_of(made | names, json.dumps({"cases": cases}))

    def test_its_cases_are_selected_by_number(self) -> None:
        model, inputs, init, closeness, select, where = self.problem(REFERENCE)
        self.assertEqual(closeness, {"relative": 1e-2, "absolute": 1e-8})
        for number, size, name in ((0, 3, "test 1: "), (1, 5, "benchmark 1: ")):
            select(number)
            self.assertEqual(where(), name)
            arguments = init()
            (x,) = inputs()
            self.assertEqual(x.shape, (size,))
            self.assertTrue(torch.equal(model(*arguments)(x), 2 * x))

    def test_what_is_missing_is_named(self) -> None:
        for name in ("generate_input", "ref_kernel"):
            with self.assertRaisesRegex(
                Refusal, f"^reference.py defines no {name}; a problem of GPU MODE"
            ):
                self.problem(REFERENCE, **{name: None})
        rest = REFERENCE.rsplit("\n", 2)[0]
        with self.assertRaisesRegex(
            Refusal, "^reference.py defines no check_implementation$"
        ):
            self.problem(rest + "\n")

    def test_a_property_is_not_judged(self) -> None:
        check = "def check_implementation(d, o):\n    return o.is_sorted\n"
        with self.assertRaisesRegex(Refusal, "does not compare with ref_kernel"):
            self.problem(REFERENCE + check)

    def test_a_source_offers_the_files_that_it_comes_with(self) -> None:
        text = json.dumps({"modules": {"own": "x = 1"}})
        with mock.patch.object(gpu_mode, "offer") as offer:
            self.assertFalse(gpu_mode.provide("x = 1\n  _GPU_MODE = ''\n"))
            offer.assert_not_called()
            earlier = "_GPU_MODE = 'not json'\n"  # The last is the maker's.
            self.assertTrue(
                gpu_mode.provide(earlier + f"_GPU_MODE = {text!r}\n")
            )
        offer.assert_called_once_with({"own": "x = 1"})


class ArrayTest(unittest.TestCase):
    def test_tensors_are_put_in_order_and_back(self) -> None:
        for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]):
            x = torch.arange(24.0).reshape(2, 3, 4).permute(order)
            found = gpu_mode.order_of(x)
            placed = gpu_mode.in_order(x, found)
            self.assertTrue(placed.is_contiguous())
            again = gpu_mode.out_of_order(placed, found)
            self.assertEqual(again.stride(), x.stride())
            self.assertTrue(torch.equal(again, x))

    def test_what_has_gaps_is_told_by_its_strides(self) -> None:
        with self.assertRaisesRegex(
            Refusal,
            r"^generate_input returns a tensor that is no dense array "
            r"\(strides \[4, 2\], sizes \[4, 2\]\)$",
        ):
            gpu_mode.order_of(torch.ones(4, 4)[:, ::2])

    def test_a_tuple_of_one_is_shown_as_one(self) -> None:
        for shape, text in (
            (["tuple", [["value", 1]]], "(1,)"),
            (["tuple", []], "()"),
            (["list", [["value", 1]]], "[1]"),
            (["dict", [["a", ["value", "x"]]]], "{'a': 'x'}"),
            (["tensor", [1, 0]], "input1.permute([1, 0])"),
            (["buffer", None, 2, [2, 3]], "torch.empty((2, 3), dtype=torch.bfloat16)"),
        ):
            self.assertEqual(gpu_mode.shown(shape, itertools.count(1)), text)
        self.assertIs(DTYPES[2], torch.bfloat16)


if __name__ == "__main__":
    unittest.main()
