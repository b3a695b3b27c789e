"""What python_function.py makes of files, and what it says of others."""

import pathlib
import tempfile
import textwrap
import types
import unittest

import python_function

PLAIN = """
    import torch
    import os  # Not needed.
    HALF = 0.5

    def scaled(x):
        # Half of it.
        return HALF * x

    @torch.compile
    def act(x, w, *, bias=0):
        return torch.relu(scaled(x) @ w) + bias

    print("never run")
    """


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "mine.py"

    def made(self, text: str, name: str = "", inputs: str = "") -> str:
        self.file.write_text(textwrap.dedent(text))
        return python_function.whole(str(self.file), name, inputs)["text"]

    def complaint(self, text: str, name: str = "", inputs: str = "") -> str:
        with self.assertRaises(python_function.Refusal) as refused:
            self.made(text, name, inputs)
        return str(refused.exception)


class MakesTest(Case):
    def test_what_the_function_needs_is_copied_and_nothing_else(self) -> None:
        text = self.made(PLAIN, "act", "randn(2, 3), rand(3, 4)")
        self.assertIn("# Half of it.", text)
        self.assertIn("HALF = 0.5", text)
        for absent in ("import os", "never run", "@torch.compile"):
            self.assertNotIn(absent, text)
        self.assertIn("made = [torch.randn(2, 3), torch.rand(3, 4)]", text)
        self.assertIn("def forward(self, x, w):\n        return act(x, w)", text)
        compile(text, "made", "exec")

    def test_arguments_may_be_named(self) -> None:
        text = self.made(PLAIN, "act", "w=ones(3, 4), x=ones(2, 3), bias=2")
        self.assertIn("made = [torch.ones(2, 3), torch.ones(3, 4), 2]", text)
        self.assertIn("return act(x, w, bias=bias)", text)

    def test_a_function_of_the_file_may_return_the_inputs(self) -> None:
        text = self.made(
            "import torch\ndef f(x, y):\n    return x + y\n"
            "def f_inputs():\n    return torch.ones(3), torch.ones(3)\n")
        self.assertIn("made = f_inputs()", text)
        self.assertIn("return f(*inputs)", text)

    def test_what_is_not_in_torch_is_brought_there(self) -> None:
        text = self.made(
            "import numpy as np\ndef f(x):\n    return np.exp(x)\n",
            "f", "np.ones(3)")
        self.assertIn("x = x.cpu().numpy()", text)
        self.assertIn("return _as_tensors(f(x))", text)

    def test_the_made_module_computes_what_the_function_does(self) -> None:
        text = self.made("def f(x, n):\n    return x * n\n", "f", "2, n=3")
        torch = types.ModuleType("torch")
        torch.nn = types.SimpleNamespace(Module=object)  # type: ignore
        module: dict[str, object] = {}
        exec(text.replace("import torch\n", ""), {"torch": torch}, module)
        model = module["Model"]()  # type: ignore
        model.forward.__globals__["f"] = module["f"]
        self.assertEqual(model.forward(*module["get_inputs"]()), 6)  # type: ignore
        self.assertEqual(module["get_init_inputs"](), [])  # type: ignore


    def test_the_function_that_no_other_uses_is_meant(self) -> None:
        text = self.made(
            "def half(x):\n    return x / 2\ndef f(x):\n    return half(x)\n"
            "def main():\n    print(f(1))\n", "", "1")
        self.assertIn("return f(x)", text)
        self.assertNotIn("def main", text)

    def test_light_decorators_are_left_out_and_named(self) -> None:
        self.file.write_text("import torch\n@torch.no_grad()\ndef f(x):\n"
                             "    return x\n")
        made = python_function.whole(str(self.file), "f", "1")
        self.assertNotIn("@torch.no_grad", made["text"])
        self.assertIn("without @torch.no_grad()", made["notes"])

    def test_what_the_future_holds_stays_first(self) -> None:
        text = self.made(
            "from __future__ import annotations\nimport math\n"
            "def f(x: float):\n    return math.exp(x)\n", "f", "1")
        self.assertTrue(text.split("\n")[1].startswith("from __future__"))
        compile(text, "made", "exec")

    def test_names_of_an_import_rest_on_it(self) -> None:
        text = self.made(
            "from math import exp as e, log\nimport os.path as p\n"
            "def f(x):\n    return e(x)\n", "f", "1")
        self.assertIn("from math import exp as e, log", text)
        self.assertNotIn("os.path", text)

    def test_constants_rest_on_others_in_their_order(self) -> None:
        text = self.made(
            "A = 2\nB = A * 3\nC = 9\ndef f(x):\n    return x * B\n",
            "f", "1")
        self.assertLess(text.index("A = 2"), text.index("B = A * 3"))
        self.assertNotIn("C = 9", text)

    def test_a_default_is_used_where_inputs_say_nothing(self) -> None:
        text = self.made("def f(x, scale=2):\n    return x * scale\n", "f", "1")
        self.assertIn("def forward(self, x):", text)
        self.assertIn("return f(x)", text)

    def test_random_inputs_of_numpy_follow_the_seed_of_torch(self) -> None:
        text = self.made(
            "import numpy as np\ndef f(x):\n    return np.exp(x)\n",
            "f", "np.random.rand(3)")
        self.assertIn("numpy.random.seed(torch.initial_seed() % 2**32)", text)


class RefusesTest(Case):
    def test_functions_that_are_none_of_their_arguments(self) -> None:
        for text, what in (
                ("async def f(x):\n    return x", "^1: f is async"),
                ("def f(x):\n    yield x", "^2: f is a generator"),
                ("from math import exp as f", "^1: f is imported; name the"),
                ("def f(x):\n    return x\nf = f(3)", "^3: f is a closure")):
            with self.subTest(text):
                self.assertRegex(self.complaint(text, "f", "1"), what)

    def test_a_relative_import_is_of_more_than_one_file(self) -> None:
        self.assertRegex(
            self.complaint("from . import g\ndef f(x):\n    return g(x)",
                           "f", "1"), "^1: a relative import")

    def test_a_name_that_tasks_have_is_given_another(self) -> None:
        self.assertRegex(
            self.complaint("class Model:\n    pass\ndef f(x):\n"
                           "    return Model()\n", "f", "1"),
            "^1: Model is a name that tasks have; give it another")

    def test_a_producer_takes_no_arguments(self) -> None:
        self.assertRegex(
            self.complaint("def f(x):\n    return x\ndef f_inputs(n):\n"
                           "    return n\n", "f"),
            "^3: f_inputs takes arguments")

    def test_a_file_that_is_no_text(self) -> None:
        self.file.write_bytes(b"# na\xefve\n")
        with self.assertRaisesRegex(python_function.Refusal,
                                    "is no text in UTF-8"):
            python_function.whole(str(self.file), "f", "1")

    def test_what_has_no_text_of_its_own_by_its_line(self) -> None:
        closures = """
            def made(k):
                def inner(x):
                    return x * k
                return inner
            triple = made(3)
            square = lambda x: x * x
            """
        self.assertRegex(self.complaint(closures, "triple"),
                         "^6: triple is a closure")
        self.assertRegex(self.complaint(closures, "square"),
                         "^7: square is a lambda")
        self.assertRegex(self.complaint(closures, "inner"),
                         "^3: inner is a closure, defined within made")

    def test_what_is_no_function_of_its_arguments_alone(self) -> None:
        self.assertRegex(self.complaint("def f(*x):\n    return x", "f", "1"),
                         "^1: f takes any number of arguments")
        self.assertRegex(self.complaint(
            "n = 0\ndef f(x):\n    global n\n    return x", "f", "1"),
            "^3: f keeps a state in n")
        self.assertRegex(self.complaint(
            "def f(x):\n    return x + k", "f", "1"), "^2: k is defined nowhere")
        self.assertRegex(self.complaint(
            "class F:\n    pass", "F"), "^1: F is a class; a file with")
        self.assertRegex(self.complaint(
            "@cache\ndef f(x):\n    return x", "f", "1"), "decorated by cache")

    def test_files_beside_it(self) -> None:
        (self.file.parent / "other.py").write_text("")
        self.assertRegex(self.complaint(
            "from other import g\ndef f(x):\n    return g(x)", "f", "1"),
            "^1: imports other, which lies beside it")

    def test_inputs_that_are_not_there_or_always_the_same(self) -> None:
        text = "import torch\ndef f(x):\n    return x\n"
        self.assertRegex(self.complaint(text, "f"),
                         r"^2: f\(x\) has no example inputs")
        self.assertRegex(self.complaint(text, "f", "randn(3"), "never closed")
        self.assertRegex(self.complaint(text, "f", "1, 2"), "2 arguments, and f")
        self.assertRegex(self.complaint(text, "f", "y=1"), "no argument y")
        self.assertRegex(self.complaint(text, "f", "foo(3)"),
                         "foo is defined nowhere")
        self.assertRegex(self.complaint(
            text + "def f_inputs():\n    torch.manual_seed(0)\n"
            "    return torch.ones(3)\n", "f"),
            r"^5: torch.manual_seed\(0\) would give every call the same")

    def test_files_that_say_nothing(self) -> None:
        self.assertEqual(self.complaint(""), "no function is defined in it")
        self.assertEqual(self.complaint("def f(:"), "1: invalid syntax")
        self.assertEqual(self.complaint("x = 1", "f"),
                         "no function is called f")
        self.assertRegex(self.complaint("def f(): pass\ndef g(): pass"),
                         r"say which one: mine.py:f \(f, g\)")


if __name__ == "__main__":
    unittest.main()
