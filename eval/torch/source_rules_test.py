"""Tests of source_rules.py; needs no torch."""

import ast
import unittest

import source_rules

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
    return source_rules.check(source, order)["verdict"]


def own(head: str, on_cpu: bool = False) -> str:
    return judge(forward("x"), "own_kernels", head, on_cpu)


def forward(expression: str) -> str:
    return f"    def forward(self, x):\n        return {expression}\n"


class PolicyTest(unittest.TestCase):
    def test_a_source_that_is_none_does_not_compile(self) -> None:
        order = {"entry": "ModelNew", "delegation": "any"}
        found = source_rules.check("x = (", order)
        self.assertEqual(found["verdict"], "compile_failed")
        self.assertIn("line 1", found["log"])
        found = source_rules.check("class Model: ...", order)
        self.assertEqual(found["log"], "it defines no ModelNew")
        found = source_rules.check("\0", order)
        self.assertEqual(found["verdict"], "compile_failed")
        self.assertIn("null byte", found["log"])
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

    def test_native_code_below_the_dispatcher_is_read(self) -> None:
        for text, expected in (
            ("at::cpu::addmm(b, x, w)", "rejected"),
            ("at::_ops::mm::call(x, w)", "rejected"),
            ("torch::nn::functional::softmax(x)", "rejected"),
            ("at::RecordFunctionGuard unseen(false)", "rejected"),
            ('extern "C" void sgemm_(...)', "rejected"),
            ("cblas_sgemm(x)", "rejected"),
            ("at::native::sigmoid(x)", "passed"),
            ("at::cpu::mul(x, x)", "passed"),
            ("void sgemm(x)", "passed"),  # A kernel of one's own.
            ("sgemm_kernel(x)", "passed"),
        ):
            found = judge(f"    s = {text!r}\n" + forward("x"))
            self.assertEqual(found, expected, text)

    def test_products_by_ctypes_are_read(self) -> None:
        self.assertEqual(judge(forward("library.sgemm_(x)")), "rejected")
        self.assertEqual(judge(forward("library.run(x)")), "passed")

    def test_nobody_asks_whether_a_call_is_recorded(self) -> None:
        self.assertEqual(judge(forward("sys.getprofile() or x")), "rejected")
        self.assertEqual(judge(forward("sys.getrefcount(x)")), "passed")

    def test_operations_that_were_called_are_judged_by_their_names(self) -> None:
        order = {"delegation": "no_vendor_op"}
        for name, expected in (
            ("aten::addmm", "rejected"),
            ("aten::_softmax", "rejected"),
            ("aten::mkldnn_convolution", "rejected"),
            ("aten::_addmm_activation", "rejected"),
            ("mkldnn::_linear_pointwise", "rejected"),
            ("own::linear_relu", "passed"),
            ("numpy::multi_dot", "rejected"),
            ("numpy::asarray", "passed"),
            ("aten::upsample_linear1d", "passed"),
            ("aten::mul.Tensor", "passed"),
            ("aten::sum.dim_IntList", "passed"),
            ("torch.nn.ReLU", "rejected"),
            ("torch.nn.Sequential", "passed"),
            ("coppice::kernel softmax", "passed"),
        ):
            found = source_rules.check_operations(["aten::exp", name], order)
            self.assertEqual(found["verdict"], expected, name)

    def test_own_kernels_must_be_called(self) -> None:
        order = {"delegation": "own_kernels"}
        for name, expected in (
            ("aten::mul", "rejected"),
            ("coppice::kernel row_scale.run", "passed"),
            ("coppice::graph", "passed"),
        ):
            found = source_rules.check_operations(["aten::exp", name], order)
            self.assertEqual(found["verdict"], expected, name)

    def test_a_rejection_says_what_and_by_which_rule(self) -> None:
        def log(body: str, **order: object) -> str:
            whole = {"entry": "f", "delegation": "no_vendor_op", **order}
            return source_rules.check("def f(x):\n" + body, whole)["log"]

        rule = "; this task's rule is no_vendor_op: no operation of a library "
        rule += "may do the work"
        self.assertEqual(
            log("    return x @ x\n"),
            "line 2: it multiplies matrices by @" + rule,
        )
        self.assertEqual(
            log("    import torch\n    return torch.mm(x, x)\n"),
            "line 3: it uses torch.mm" + rule,
        )
        self.assertEqual(
            log("    return getattr(x, 'bmm')(x)\n"), "line 2: it uses bmm" + rule
        )
        self.assertEqual(
            log("    return 'cublas'\n"), "its native code names cublas" + rule
        )
        self.assertEqual(
            log("    return 'at::mm(x, x)'\n"),
            "its native code names at::mm" + rule,
        )
        head = "    from torch import nn\n    class M:\n"
        init = "        def __init__(self):\n            self.fc = nn.Linear(3, 4)\n"
        self.assertEqual(
            log(head + init + "            self.fc(x)\n"),
            "line 6: it calls torch.nn.Linear" + rule,
        )
        self.assertEqual(
            log(head + init + "            torch.compile(x)\n"),
            "line 5: it uses torch.nn.Linear beside torch.compile, whose calls "
            "are not seen" + rule,
        )
        for on_cpu, kernel in (
            (True, "an extension in C++ by load_inline"),
            (False, "__global__ in what load_inline is given, or triton.jit"),
        ):
            self.assertEqual(
                log("    return x\n", delegation="own_kernels", on_cpu=on_cpu),
                f"it has no kernel of its own ({kernel}); this task's rule is "
                "own_kernels",
            )

    def test_what_was_called_is_told(self) -> None:
        order = {"delegation": "own_kernels"}
        self.assertEqual(
            source_rules.check_operations(["aten::mm"], order)["log"],
            "it calls aten::mm when it runs; this task's rule is own_kernels",
        )
        self.assertEqual(
            source_rules.check_operations([], order)["log"],
            "it calls no kernel of its own when it runs; this task's rule is "
            "own_kernels",
        )
        found = source_rules.check_operations([], {"delegation": "no_vendor_op"})
        self.assertEqual(found, {"verdict": "passed", "log": ""})

    def test_a_name_is_a_vendors_by_its_operation_alone(self) -> None:
        for name, expected in (
            ("aten::mm", True),
            ("aten::mm.out", True),
            ("aten::__mm", True),
            ("aten::mma", False),
            ("aten::cudnn_batch_norm", True),
            ("aten::native_layer_norm", True),
            ("aten::linalg_vector_norm", True),
            ("own::softmax", True),  # Whoever has registered it.
            ("torch.nn.Linear", True),
            ("torch.nn.ModuleList", False),
            ("coppice::kernel mm", False),
            ("coppice::kernel own::mm", False),  # It is called what it likes.
            ("coppice::graph", False),
        ):
            self.assertEqual(source_rules.is_vendors(name), expected, name)

    def test_torch_calls_a_librarys_work_by_many_names(self) -> None:
        for name in """
            convolution_overrideable thnn_conv2d _slow_conv2d_forward
            mkldnn_linear mkl_linear cudnn_convolution miopen_batch_norm
            _scaled_dot_product_flash_attention _scaled_mm native_layer_norm
            native_batch_norm native_group_norm _fused_rms_norm
            max_pool2d_with_indices avg_pool3d adaptive_avg_pool2d _int_mm
            _weight_norm_interface embedding_dense_backward
            _thnn_fused_lstm_cell linalg_qr bmm addmm _softmax topk sort
        """.split():
            expected = name != "_slow_conv2d_forward"  # Beside a convolution.
            self.assertEqual(source_rules.is_vendors(f"aten::{name}"), expected, name)
        for name in "add.Tensor exp sum clamp index_select copy_ maximum".split():
            self.assertFalse(source_rules.is_vendors(f"aten::{name}"), name)

    def test_native_code_calls_it_in_two_namespaces(self) -> None:
        for call, expected in (
            ("at::matmul(a, b)", "rejected"),
            ("at::mm(a, b)", "rejected"),
            ("at::addmm(c, a, b)", "rejected"),
            ("at::linear(a, b)", "rejected"),
            ("at::conv2d(a, b)", "rejected"),
            ("at::softmax(a, 1)", "rejected"),
            ("at::einsum(e, a)", "rejected"),
            ("at::bmm(a, b)", "rejected"),
            ("torch::matmul(a, b)", "rejected"),
            ("torch::mm(a, b)", "rejected"),
            ("torch::bmm(a, b)", "rejected"),
            ("torch::addmm(c, a, b)", "rejected"),
            ("torch::linear(a, b)", "rejected"),
            ("torch::conv1d(a, b)", "rejected"),
            ("torch::softmax(a, 1)", "rejected"),
            ("cublasSgemm(h)", "rejected"),
            ("cudnnConvolutionForward(h)", "rejected"),
            ("cutlass::library::Operation o", "rejected"),
            ("cutlass::gemm::device::Gemm g", "passed"),  # It is a template.
            ("torch::empty_like(a)", "passed"),
            ("at::mma(a)", "passed"),
        ):
            body = f"    s = {call!r}\n" + forward("x")
            self.assertEqual(judge(body), expected, call)

    def test_an_entry_is_whatever_has_its_name(self) -> None:
        for source, is_there in (
            ("class ModelNew: ...", True),
            ("def ModelNew(): ...", True),
            ("ModelNew = 1", True),
            ("from own import ModelNew", True),
            ("from own import other as ModelNew", True),
            ("import own as ModelNew", True),
            ("(ModelNew := 1)", True),
            ("from own import ModelNew as other", False),
            ("print(ModelNew)", False),
            ("x.ModelNew = 1", False),
            ("'ModelNew'", False),
        ):
            order = {"entry": "ModelNew", "delegation": "any"}
            found = source_rules.check(source, order)["verdict"]
            expected = "passed" if is_there else "compile_failed"
            self.assertEqual(found, expected, source)

    def test_what_no_parser_takes_does_not_compile(self) -> None:
        order = {"entry": "f", "delegation": "own_kernels", "on_cpu": True}
        load = "from torch.utils.cpp_extension import load_inline\n"
        names = "".join(f"A{i} = A{i + 1}\n" for i in range(2000))
        for source, log in (
            ("f = " + "(" * 250 + ")" * 250, "line 1: too many nested parentheses"),
            # Python's own parser gives up, or what reads the tree does.
            ("f = " + "-" * 100000 + "1", "it is nested too deeply to be read"),
            ("f = a" + ".a" * 1500, "it is nested too deeply to be read"),
            (
                "f = '\ud800'",  # Half of a pair, which no encoding has.
                "it cannot be parsed: 'utf-8' codec can't encode character "
                "'\\ud800' in position 5: surrogates not allowed",
            ),
            (
                load + "f = load_inline(A0)\n" + names,
                "it is nested too deeply to be read",
            ),
        ):
            found = source_rules.check(source, order)
            self.assertEqual(found["verdict"], "compile_failed")
            self.assertEqual(found["log"], log)

    def test_a_layer_with_a_type_is_a_layer(self) -> None:
        init = (
            "    def __init__(self):\n"
            "        self.fc: nn.Module = nn.Linear(3, 4)\n"
        )
        self.assertEqual(judge(init + forward("self.fc(x)")), "rejected")
        # What is only said to be of a type is none yet.
        said = "    def g(self):\n        self.fc: nn.Module\n"
        self.assertEqual(judge(init + said + forward("self.fc(x)")), "rejected")

    def test_layers_of_ones_own_and_others_are_told_apart(self) -> None:
        head = "class Linear(nn.Module): ...\n"
        for make, expected in (
            ("Linear(3, 4)", "passed"),
            ("nn.Linear(3, 4)", "rejected"),
            ("torch.nn.Linear(3, 4)", "rejected"),
            ("nn.Sequential(nn.Linear(3, 4))", "rejected"),
            ("nn.Sequential(nn.Sequential(nn.ReLU()))", "rejected"),
            ("nn.Sequential(nn.Identity())", "passed"),
            ("nn.Parameter(torch.ones(3))", "passed"),
        ):
            init = f"    def __init__(self):\n        self.fc = {make}\n"
            self.assertEqual(
                judge(init + forward("self.fc(x)"), head=head), expected, make
            )

    def test_a_layer_that_is_not_its_own_is_not_called_either(self) -> None:
        init = "    def __init__(self):\n        fc = nn.Linear(3, 4)\n"
        # Its name is nobody's: reading ends here, and call_tracer.py goes on.
        self.assertEqual(judge(init + forward("fc(x)")), "passed")

    def test_methods_of_ones_own_may_have_any_name(self) -> None:
        for expression, expected in (
            ("self.matmul(x)", "passed"),
            ("self.x.matmul(x)", "rejected"),
            ("own().matmul(x)", "rejected"),
            ("matmul(x)", "passed"),
            ("getattr(self, name)(x)", "passed"),
            ("getattr(x, 'exp')()", "passed"),
            ("getattr('matmul', x)", "passed"),
        ):
            self.assertEqual(judge(forward(expression)), expected, expression)

    def test_what_hides_calls_matters_beside_layers_alone(self) -> None:
        for hides in (
            "torch.compile(own)",
            "torch.jit.script(own)",
            "torch.cuda.CUDAGraph()",
            "torch.cuda.graph(g)",
            "torch.cuda.graphs.graph(g)",
            "torch.cuda.make_graphed_callables(own, x)",
        ):
            head = f"y = {hides}\n"
            self.assertEqual(judge(forward("x"), head=head), "passed", hides)
            body = "    fc = nn.Linear\n" + forward("x")
            self.assertEqual(judge(body, head=head), "rejected", hides)
            # What holds parameters is called by nobody.
            body = "    all = nn.ParameterList\n" + forward("x")
            self.assertEqual(judge(body, head=head), "passed", hides)
        body = "    fc = nn.Linear\n" + forward("x")
        for harmless in ("torch.compiler.disable()", "torch.cuda.stream(s)"):
            head = f"y = {harmless}\n"
            self.assertEqual(judge(body, head=head), "passed", harmless)


class NamesTest(unittest.TestCase):
    """What expressions and imports are read as."""

    def test_expressions_are_names_with_dots(self) -> None:
        for text, name in (
            ("a", "a"),
            ("a.b.c", "a.b.c"),
            ("f(x).b", "?.b"),
            ("a[0].b.c", "?.b.c"),
            ("f(x)", ""),
            ("1", ""),
        ):
            node = ast.parse(text, mode="eval").body
            self.assertEqual(source_rules.dotted(node), name)

    def test_imports_give_names_to_parts_of_a_package(self) -> None:
        found = source_rules.imported_names(
            ast.parse(
                "import torch\nimport torch.nn as nn\nimport torchy as t\n"
                "from torch.nn import functional as F, Linear\n"
                "from torchy import x\nfrom . import y\nimport numpy as np\n"
            ),
            "torch",
        )
        self.assertEqual(
            found,
            {
                "nn": "torch.nn",
                "F": "torch.nn.functional",
                "Linear": "torch.nn.Linear",
            },
        )

    def test_a_name_stands_for_what_it_was_imported_from(self) -> None:
        names = {"F": "torch.nn.functional"}
        self.assertEqual(source_rules.resolved("F", names), "torch.nn.functional")
        self.assertEqual(
            source_rules.resolved("F.a.b", names), "torch.nn.functional.a.b"
        )
        self.assertEqual(source_rules.resolved("G.F", names), "G.F")

    def test_a_package_is_itself_and_what_is_in_it(self) -> None:
        self.assertTrue(source_rules.is_of("torch", "torch"))
        self.assertTrue(source_rules.is_of("torch.nn", "torch"))
        self.assertFalse(source_rules.is_of("torchy", "torch"))
        self.assertFalse(source_rules.is_of("nn.torch", "torch"))

    def test_comments_of_c_are_no_code(self) -> None:
        for text, left in (
            ("a // __global__\nb", "a  \nb"),
            ("a /* __global__\n */ b /* c */", "a   b  "),
            ("a / b * c", "a / b * c"),
        ):
            self.assertEqual(source_rules.without_comments(text), left)


class ExtensionTest(unittest.TestCase):
    """What texts load_inline is called with, wherever they stand."""

    def texts(self, source: str) -> list[str]:
        head = "from torch.utils.cpp_extension import load_inline\n"
        return sorted(source_rules.extension_texts(ast.parse(head + source)))

    def test_they_are_followed_through_names(self) -> None:
        for source, expected in (
            ("load_inline('e', 'a')", ["a", "e"]),
            ("load_inline(name=N)\nN = 'e'", ["e"]),
            ("A = 'a'\nB = A + 'b'\nload_inline(B)", ["a", "b"]),
            ("A = 'a'\nA += 'b'\nload_inline(A)", ["a", "b"]),
            ("A: str = 'a'\nload_inline(A)", ["a"]),
            ("A: str\nload_inline(A)", []),
            ("class C:\n  A = 'a'\nload_inline(C.A)", ["a"]),
            ("def f(self):\n  self.a = 'a'\nload_inline(self.a)", ["a"]),
            ("def f():\n  return 'a'\nload_inline(f())", ["a"]),
            ("A = B\nB = A\nload_inline(A)", []),  # And it ends.
            ("A = 'a'\nother(A)", []),
            ("A = 'a'\nload_inline(1)", []),
        ):
            self.assertEqual(self.texts(source), expected, source)

    def test_a_solution_is_an_extension(self) -> None:
        found = source_rules.extension_texts(
            ast.parse("from extensions import load_solution as l\nl({'a': 'b'})")
        )
        self.assertEqual(sorted(found), ["a", "b"])

    def test_triton_needs_to_be_tritons(self) -> None:
        for source, is_kernel in (
            ("import triton\n@triton.jit\ndef f(): ...", True),
            ("import triton\n@triton.autotune(c)\n@triton.jit\ndef f(): ...", True),
            ("import triton\n@triton.heuristics\ndef f(): ...", False),
            ("import triton.runtime as r\nr.jit(f)", True),
            ("import triton\ntriton.jit()", False),  # It compiles nothing.
            ("@own.jit\ndef f(): ...", False),
            ("import tritony\ntritony.jit(f)", False),
        ):
            found = source_rules.has_triton_kernel(ast.parse(source))
            self.assertEqual(found, is_kernel, source)

    def test_only_the_files_of_a_solution_are_read_as_such(self) -> None:
        for source, count in (
            ("_SOURCES = {'a': 'x = 1', 'b': 'y = 2'}", 2),
            ("_SOURCES = {'a': 'x = ('}", 0),
            ("_SOURCES = {'a': f(x)}", 0),
            ("_SOURCES = ['x = 1']", 0),
            ("OTHERS = {'a': 'x = 1'}", 0),
            ("_SOURCES = OTHERS = {'a': 'x = 1'}", 0),
            ("def f():\n  _SOURCES = {'a': 'x = 1'}", 0),
        ):
            found = source_rules.solution_files(ast.parse(source))
            self.assertEqual(len(found), count, source)


if __name__ == "__main__":
    unittest.main()
