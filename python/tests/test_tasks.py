import functools as tools
import math
import pathlib
import sys
import tempfile
import types
import unittest
from os import fspath
from os.path import join as joined

import coppice_kernels as ck

from .fake_program import fake_program

# A stand-in, so that these functions can be written down without PyTorch.
torch = sys.modules.setdefault("torch", types.ModuleType("torch"))
SCALE = 2.5
HELD = object()


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


# What stands here is found by its text.
LIMITS = (0, 1.5, "x", None)


def _doubled(x):  # type: ignore[no-untyped-def]
    return _halved(x) * 4


def _rows(n, m=2):  # type: ignore[no-untyped-def]
    return [torch.randn(n, m)]


two = [lambda x: x, lambda y: y]


class TextTest(unittest.TestCase):
    def text(self, function, **more):  # type: ignore[no-untyped-def]
        given = {"inputs": lambda n: (torch.randn(n),), "sizes": [8], **more}
        return ck.task(**given)(function).task.text

    def refused(self, function, why, **more):  # type: ignore[no-untyped-def]
        with self.assertRaisesRegex(ck.UsageError, why):
            self.text(function, **more)

    def test_what_is_used_comes_with_what_it_uses(self) -> None:
        def f(x):  # type: ignore[no-untyped-def]
            return _doubled(x), LIMITS

        self.assertTrue(
            self.text(f).startswith(
                "import torch\nimport math\nLIMITS = (0, 1.5, 'x', None)\n\n"
                "def _halved(x):\n    return x / math.sqrt(4)\n"
                "def _doubled(x):\n    return _halved(x) * 4\n\n"
                "def _reference(x):\n    return (_doubled(x), LIMITS)\n"
            ),
            self.text(f),
        )

    def test_names_of_others_are_imported_by_their_own(self) -> None:
        def f(x):  # type: ignore[no-untyped-def]
            return tools.partial(joined, x), fspath

        lines = self.text(f).splitlines()
        self.assertIn("import functools as tools", lines)
        self.assertIn("from posixpath import join as joined", lines)
        self.assertIn("from posix import fspath", lines)

    def test_inputs_may_be_a_function_of_several_numbers(self) -> None:
        def f(x):  # type: ignore[no-untyped-def]
            return x

        text = self.text(f, inputs=_rows, sizes=[(3, 5)])
        self.assertIn("def _inputs(n, m=2):\n    return [torch.randn(n, m)]\n", text)
        self.assertIn("    return list(_inputs(3, 5))\n", text)

    def test_a_task_is_named_by_its_function_and_size_or_as_it_is_said(self) -> None:
        def f(x):  # type: ignore[no-untyped-def]
            return x

        of = {"inputs": _rows, "sizes": [(3, 5), 7]}
        made = ck.task(**of)(f)
        self.assertEqual([t.name for t in made.tasks.values()], ["f_3x5", "f_7"])
        self.assertEqual(ck.task(name="g", **of)(f).task.name, "g_3x5")
        self.assertEqual(repr(made.task), "<Task f_3x5: not saved>")
        self.assertEqual(made(4), 4)  # It is called as before.

    def test_what_is_no_text_alone_is_refused(self) -> None:
        def uses(x):  # type: ignore[no-untyped-def]
            return x, HELD

        def f(x):  # type: ignore[no-untyped-def]
            return x

        self.refused(uses, r"^line \d+: uses uses HELD, which is no module, number")
        self.refused(f, "^f: has no sizes$", sizes=[])
        self.refused(two[0], r"^line \d+: has 2 lambdas; give one of them a line")
        self.refused(f, r"has 2 lambdas", inputs=two[1])
        self.refused(lambda x: x, "a function with a name, no lambda")
        n = 3
        self.refused(f, "uses n of the function around it", inputs=lambda: (n,))

    def test_a_file_that_is_not_there_is_said(self) -> None:
        with self.assertRaisesRegex(ck.NotFound, r"^no/such\.py: no such file$"):
            ck.Task.from_kernelbench("no/such.py")

    def test_one_that_was_not_saved_has_a_file_when_it_is_needed(self) -> None:
        task = ck.Task("x = 1\n", "mine")
        kind, _, file = task.argument().partition(":")
        path = pathlib.Path(file)
        self.addCleanup(path.parent.rmdir)
        self.addCleanup(path.unlink)
        self.assertEqual(
            (kind, path.name, path.read_text()), ("kernelbench", "mine.py", "x = 1\n")
        )
        self.assertEqual(task.argument(), f"kernelbench:{file}")  # The same.

    def test_a_check_says_what_the_program_finds(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            task = ck.Task("", "p").save(pathlib.Path(folder) / "p.py")
            with fake_program("print(*arguments)"):
                said = task.check()
            self.assertIn(f"kernelbench:{task.path}", said)
            self.assertTrue(said.startswith("task check "), said)
            with (
                fake_program("print('a null passes', file=sys.stderr); sys.exit(1)"),
                self.assertRaisesRegex(ck.Error, "^a null passes$"),
            ):
                task.check()


if __name__ == "__main__":
    unittest.main()
