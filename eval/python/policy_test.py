"""Tests of policy.py; needs no torch."""

import unittest

import policy

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


def judge(body: str, delegation: str = "no_vendor_op") -> str:
    source = HEAD + "class ModelNew(nn.Module):\n" + body
    order = {"entry": "ModelNew", "delegation": delegation}
    return policy.check(source, order)["verdict"]


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
        self.assertEqual(policy.check("\0", order)["verdict"], "compile_failed")

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

    def test_own_kernels_are_asked_for(self) -> None:
        self.assertEqual(judge(forward("x * 2"), "own_kernels"), "rejected")
        triton = "    @triton.jit\n    def kernel(): ...\n" + forward("x")
        self.assertEqual(judge(triton, "own_kernels"), "passed")
        comment = forward("x  # __global__ load_inline @triton.jit")
        self.assertEqual(judge(comment, "own_kernels"), "rejected")
        cuda = "    s = '__global__ void f() {}'\n" + forward("x")
        self.assertEqual(judge(cuda, "own_kernels"), "passed")

    def test_native_code_is_read_too(self) -> None:
        cuda = "    s = '__global__ f() { at::matmul(a, b); }'\n" + forward("x")
        self.assertEqual(judge(cuda, "own_kernels"), "rejected")


if __name__ == "__main__":
    unittest.main()
