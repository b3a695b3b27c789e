import math
import pathlib
import sys
import tempfile
import types
import unittest

import coppice_kernels as ck

# A stand-in, so that these functions can be written down without PyTorch.
torch = sys.modules.setdefault("torch", types.ModuleType("torch"))
SCALE = 2.5


def _halved(x):  # type: ignore[no-untyped-def]
    return x / math.sqrt(4)


@ck.task(inputs=lambda n: (torch.randn(n, n), torch.randn(n)), sizes=[1024, (1003,)])
def my_gemv(a, x):  # type: ignore[no-untyped-def]
    """A product."""
    return SCALE * _halved(a @ x)


class TaskTest(unittest.TestCase):
    def test_the_function_stays_what_it_was(self) -> None:
        self.assertEqual((my_gemv.__name__, my_gemv.__doc__), ("my_gemv", "A product."))

    def test_its_text_is_a_problem_of_kernelbench(self) -> None:
        self.assertEqual(
            my_gemv.task.text,
            '''import torch
import math
SCALE = 2.5

def _halved(x):
    return x / math.sqrt(4)

def _reference(a, x):
    """A product."""
    return SCALE * _halved(a @ x)

_inputs = lambda n: (torch.randn(n, n), torch.randn(n))

class Model(torch.nn.Module):
    def forward(self, *inputs):
        return _reference(*inputs)

def get_inputs():
    return list(_inputs(1024))

def get_init_inputs():
    return []
''',
        )
        self.assertEqual(my_gemv.task.name, "my_gemv_1024")
        self.assertIn("_inputs(1003)", my_gemv.tasks[(1003,)].text)

    def test_it_is_saved_where_it_is_said(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "p.py"
            task = my_gemv.tasks[(1003,)].save(path)
            self.assertEqual(task.argument(), f"kernelbench:{path}")
            again = ck.Task.from_kernelbench(path)
            self.assertEqual((again.text, again.name), (task.text, "p"))

    def test_values_of_the_function_around_are_refused(self) -> None:
        scale = 3.0
        with self.assertRaisesRegex(ck.UsageError, r"^line \d+: f uses scale of the"):

            @ck.task(inputs=lambda n: (torch.randn(n),), sizes=[8])
            def f(x):  # type: ignore[no-untyped-def]
                return x * scale

    def test_what_has_no_text_is_refused(self) -> None:
        with self.assertRaisesRegex(ck.UsageError, "its text is not known"):
            ck.task(inputs=max, sizes=[8])(my_gemv._function)


if __name__ == "__main__":
    unittest.main()
