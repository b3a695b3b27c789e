"""Tests of policy.py; needs no torch."""

import unittest

import policy

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
CUDA = "'__global__ void f() {}'"


def judge(
    body: str,
    delegation: str = "no_vendor_op",
    head: str = "",
    on_cpu: bool = False,
) -> str:
    source = HEAD + head + "class ModelNew(nn.Module):\n" + body
    order = {"entry": "ModelNew", "delegation": delegation, "on_cpu": on_cpu}
    return policy.check(source, order)["verdict"]


def own(head: str, on_cpu: bool = False) -> str:
    return judge(forward("x"), "own_kernels", head, on_cpu)


def forward(expression: str) -> str:
    return f"    def forward(self, x):\n        return {expression}\n"


class PolicyTest(unittest.TestCase):
    def test_a_source_that_is_none_does_not_compile(self) -> None:
        order = {"entry": "ModelNew", "delegation": "any"}
        found = policy.check("x = (", order)
        self.assertEqual(found["verdict"], "compile_failed")
        self.assertIn("line 1", found["log"])
        found = policy.check("class Model: ...", order)
        self.assertEqual(found["log"], "it defines no ModelNew")
        found = policy.check("\0", order)
        self.assertEqual(found["verdict"], "compile_failed")
        self.assertNotIn("None", found["log"])

    def test_any_may_delegate(self) -> None:
        self.assertEqual(judge(forward("torch.matmul(x, x)"), "any"), "passed")

    def test_operations_of_a_library_are_found(self) -> None:
        for expression in (
            "torch.matmul(x, x)",
            "x @ x",
            "x.mm(x)",
            "F.softmax(x, dim=1)",
            "torch.ops.aten.mm(x, x)",
            "nn.functional.linear(x, x)",
            "nn.Linear(3, 4)(x)",
            "torch.nn.Conv2d(1, 1, 3)(x)",
            "getattr(torch, 'matmul')(x, x)",
        ):
            self.assertEqual(judge(forward(expression)), "rejected", expression)

    def test_steps_of_ones_own_are_not(self) -> None:
        for expression in (
            "self.softmax(x)",
            "torch.empty_like(x)",
            "torch.exp(x) / torch.exp(x).sum()",
            "x.view(-1)",
            "nn.Parameter(x)",
        ):
            self.assertEqual(judge(forward(expression)), "passed", expression)

    def test_other_names_do_not_hide_them(self) -> None:
        body = "    from torch import matmul as f, nn as g\n" + forward(
            "f(x, x)"
        )
        self.assertEqual(judge(body), "rejected")
        body = "    import torch.nn as layers\n" + forward(
            "layers.Linear(1, 1)(x)"
        )
        self.assertEqual(judge(body), "rejected")

    def test_layers_may_hold_parameters_and_not_be_called(self) -> None:
        init = (
            "    def __init__(self):\n"
            "        self.fc = nn.Linear(3, 4)\n"
            "        self.all = nn.Sequential(nn.Conv2d(1, 1, 3), nn.ReLU())\n"
        )
        for expression, expected in (
            ("own(x, self.fc.weight, self.all[0].bias)", "passed"),
            ("self.fc(x)", "rejected"),
            ("self.all.forward(x)", "rejected"),
        ):
            self.assertEqual(judge(init + forward(expression)), expected)
        replaced = init + "        self.fc = Own(self.fc.weight)\n"
        self.assertEqual(judge(replaced + forward("self.fc(x)")), "passed")
        self.assertEqual(judge(forward("self.fc(x)")), "passed")
        # What a graph or a compiler calls is not seen when it runs.
        unused = init + forward("own(x, self.fc.weight)")
        for head in (
            "from torch import compile as c\nc(own)\n",
            "g = torch.cuda.CUDAGraph()\n",
        ):
            self.assertEqual(judge(unused, head=head), "rejected", head)

    def test_own_kernels_are_asked_for(self) -> None:
        for head, expected in (
            ("", "rejected"),
            ("s = 'no __global__ here'\n", "rejected"),
            ("# __global__ load_inline @triton.jit\n", "rejected"),
            ("import triton\n@triton.jit\ndef f(): ...\n", "passed"),
            ("import triton as t\n@t.jit(debug=True)\ndef f(): ...\n", "passed"),
            ("from triton import jit\n@jit\ndef f(): ...\n", "passed"),
            ("from triton import jit as j\nk = j(f)\n", "passed"),
            ("from numba import jit\n@jit\ndef f(): ...\n", "rejected"),
        ):
            self.assertEqual(own(head), expected, head)

    def test_kernels_are_what_an_extension_is_made_of(self) -> None:
        load = "from torch.utils.cpp_extension import load_inline as l\n"
        for head, expected in (
            (f"l('e', cuda_sources={CUDA})", "passed"),
            (f"s = {CUDA}\nl('e', '', [s])", "passed"),
            (f"def s():\n    return {CUDA}\nl('e', s().strip())", "passed"),
            ("l('e', 'void f() {}')  # __global__", "rejected"),
            ("l('e', 'void f() {}  // __global__')", "rejected"),
            (f"s = {CUDA}\nl('e', 'void f() {{}}')", "rejected"),
        ):
            self.assertEqual(own(load + head + "\n"), expected, head)
        module = "from torch.utils import cpp_extension\n"
        call = f"cpp_extension.load_inline('e', {CUDA})\n"
        self.assertEqual(own(module + call), "passed")
        self.assertEqual(own(call), "rejected")  # It is somebody else's.

    def test_on_a_cpu_an_extension_is_a_kernel(self) -> None:
        load = "from torch.utils.cpp_extension import load_inline\n"
        load += "load_inline('e', 'void f() {}')\n"
        self.assertEqual(own(load), "rejected")
        self.assertEqual(own(load, on_cpu=True), "passed")
        self.assertEqual(own(f"s = {CUDA}\n", on_cpu=True), "rejected")

    def test_files_of_a_solution_are_read(self) -> None:
        def solution(text: str) -> str:
            return own("_SOURCES = " + repr({"main": text}) + "\n")

        kernel = "import triton\n@triton.jit\ndef f(): ...\n"
        self.assertEqual(solution(kernel), "passed")
        self.assertEqual(solution(kernel + "y = x @ x\n"), "rejected")
        self.assertEqual(solution("def ("), "rejected")

    def test_native_code_is_read_too(self) -> None:
        cuda = "    s = '__global__ f() { at::matmul(a, b); }'\n" + forward("x")
        self.assertEqual(judge(cuda), "rejected")

    def test_operations_that_were_called_are_judged_by_their_names(self) -> None:
        order = {"delegation": "no_vendor_op"}
        for name, expected in (
            ("aten::addmm", "rejected"),
            ("aten::_softmax", "rejected"),
            ("aten::mkldnn_convolution", "rejected"),
            ("aten::mul.Tensor", "passed"),
            ("aten::sum.dim_IntList", "passed"),
            ("torch.nn.ReLU", "rejected"),
            ("torch.nn.Sequential", "passed"),
            ("coppice::kernel softmax", "passed"),
        ):
            found = policy.check_operations(["aten::exp", name], order)
            self.assertEqual(found["verdict"], expected, name)

    def test_own_kernels_must_be_called(self) -> None:
        order = {"delegation": "own_kernels"}
        for name, expected in (
            ("aten::mul", "rejected"),
            ("coppice::kernel row_scale.run", "passed"),
            ("coppice::graph", "passed"),
        ):
            found = policy.check_operations(["aten::exp", name], order)
            self.assertEqual(found["verdict"], expected, name)


if __name__ == "__main__":
    unittest.main()
