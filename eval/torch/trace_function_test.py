"""Tests of how a function of FlashInfer-Bench's becomes a module."""

import unittest
from typing import Any

import torch
from trace_function import module_of, tensor_of
from worker import Refusal


def outputs_of(result: Any, *dtypes: str) -> tuple[Any, ...]:
    module = module_of({"run": lambda *_: result}, list(dtypes))()
    found = module(1)
    assert isinstance(found, tuple)
    return found


class FunctionTest(unittest.TestCase):
    def test_it_is_called_with_what_the_module_is(self) -> None:
        module = module_of({"run": lambda a, b: [b, a]}, [])
        self.assertTrue(issubclass(module, torch.nn.Module))
        x, y = torch.ones(1), torch.zeros(1)
        first, second = module()(x, y)
        self.assertIs(first, y)
        self.assertIs(second, x)

    def test_one_output_is_one_of_a_tuple(self) -> None:
        x = torch.ones(2)
        self.assertIs(outputs_of(x)[0], x)
        self.assertEqual(outputs_of([]), ())

    def test_numbers_have_the_types_of_the_definition(self) -> None:
        found = outputs_of((1, 2.5, True), "int32", "float16")
        self.assertEqual([float(one) for one in found], [1.0, 2.5, 1.0])
        # The third has no type of its own.
        self.assertEqual(
            [one.dtype for one in found],
            [torch.int32, torch.float16, torch.float32],
        )
        self.assertEqual(found[0].shape, ())

    def test_a_tensor_keeps_its_type_and_others_are_left_to_others(self) -> None:
        x = torch.ones(2)
        self.assertIs(tensor_of(x, "float16"), x)
        self.assertIsNone(tensor_of(None, "float16"))
        self.assertEqual(tensor_of("text", "float16"), "text")

    def test_a_list_within_is_refused(self) -> None:
        for value, name in (([1], "list"), ((1,), "tuple")):
            with self.assertRaisesRegex(
                Refusal,
                f"^one of its outputs is a {name}; expected a torch.Tensor or a "
                "number$",
            ):
                outputs_of([value])

    def test_without_a_function_there_is_nothing_to_call(self) -> None:
        with self.assertRaisesRegex(Refusal, "^it defines no run$"):
            module_of({"ran": print}, [])


if __name__ == "__main__":
    unittest.main()
