"""What build.py decides by itself; needs neither torch nor a compiler."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from inline import build  # pylint: disable=wrong-import-position

CUDA = """#include <torch/types.h>
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x
  if (i < n) y[i] = x[j] * LIMIT;
}
torch::Tensor f(torch::Tensor x) {
  auto y = torch::empty_like(x).strange();
  k<<<1, n>>>(nullptr, nullptr, 1);
  TORCH_STRANGE(x)
  return y
}"""
CPP = "#include <torch/extension.h>\nint f() {\n  return g(1)\n}"


def Own(said: str) -> bool:
    request = build.Request("name", CPP, CUDA, with_cuda=True)
    return build.IsOwn(said, request)


class IsOwn(unittest.TestCase):
    def test_syntax_is_the_candidates(self):
        self.assertTrue(Own('cuda.cu(4): error: expected a ";"\n'))
        self.assertTrue(Own("main.cpp:3:14: error: expected ';' before '}' "
                            "token\n"))
        self.assertTrue(Own('cuda.cu(11): error: expected a ";"\n'))

    def test_a_macro_of_torchs_may_have_been_missing(self):
        self.assertFalse(Own('cuda.cu(10): error: expected a ";"\n'))

    def test_names_in_a_kernel_are_the_candidates(self):
        self.assertTrue(Own('cuda.cu(4): error: identifier "j" is '
                            'undefined\n'))

    def test_unless_they_may_be_macros(self):
        self.assertFalse(Own('cuda.cu(4): error: identifier "LIMIT" is '
                             'undefined\n'))

    def test_names_in_host_code_may_be_torchs(self):
        self.assertFalse(Own('cuda.cu(8): error: identifier "n" is '
                             'undefined\n'))
        self.assertFalse(Own('cuda.cu(7): error: class "lookalike::Tensor" has '
                             'no member "strange"\n'))

    def test_one_that_is_not_spoils_all(self):
        self.assertFalse(Own('cuda.cu(4): error: expected a ";"\n'
                             'cuda.cu(7): error: namespace "torch" has no '
                             'member "x"\n'))

    def test_errors_elsewhere_and_none_at_all_are_not(self):
        self.assertFalse(Own('/h/tensor.h(7): error: expected a ";"\n'))
        self.assertFalse(Own("nvcc: killed\n"))
        self.assertFalse(Own("main.cpp:1:10: fatal error: odd.h: No such file "
                             "or directory\n"))

    def test_the_assembler_sees_no_headers(self):
        self.assertTrue(Own("ptxas error   : Entry function 'k' uses too much "
                            "shared data\n"))


class Parts(unittest.TestCase):
    def test_dear_headers_are_left_out_where_nothing_names_them(self):
        self.assertEqual(build.Parts("std::vector<int> v; x.numel();"), [])

    def test_and_are_there_where_something_does(self):
        both = ["-DCOPPICE_STANDARD", "-DCOPPICE_STRING"]
        self.assertEqual(build.Parts("std::accumulate(a, b, 0)"), both)
        self.assertEqual(build.Parts("using namespace std;"), both)
        for text in ("std::string s;", "x.device().str()", "torch::str(1)",
                     "f(std::to_string(n))"):
            self.assertEqual(build.Parts(text), ["-DCOPPICE_STRING"])
        self.assertEqual(build.Parts("x.data_ptr<at::Half>()"),
                         ["-DCOPPICE_HALF"])
        self.assertEqual(
            build.Parts("AT_DISPATCH_FLOATING_TYPES_AND_HALF(t, n, f)"),
            ["-DCOPPICE_HALF"])


class BindsInCuda(unittest.TestCase):
    def test_looks_at_what_nvcc_compiles_alone(self):
        bound = "PYBIND11_MODULE(name, m) {}"
        self.assertFalse(build.BindsInCuda(
            build.Request("a", bound, "void f();", with_cuda=True)))
        self.assertTrue(build.BindsInCuda(
            build.Request("a", "", bound, with_cuda=True)))
        self.assertTrue(build.BindsInCuda(
            build.Request("a", "", files={"k.cu": "py::module m;"})))


class Architecture(unittest.TestCase):
    TOOLS = build.Toolchain("/t", "2", "/p", "c++17", 1, architecture="90")

    def test_is_the_devices_alone(self):
        self.assertEqual(
            build.Architecture(build.Request("a", ""), self.TOOLS),
            ["-gencode=arch=compute_90,code=sm_90"])

    def test_unless_a_flag_says_otherwise(self):
        request = build.Request("a", "", extra_cuda_cflags=("-arch=sm_90a",))
        self.assertEqual(build.Architecture(request, self.TOOLS), [])


class Refusal(unittest.TestCase):
    TOOLS = build.Toolchain("/t", "2", "/p", "c++17", 1)

    def Refused(self, **flags):
        return build.RefusedFlag(build.Request("a", "", **flags))

    def test_flags_that_candidates_give_are_taken(self):
        self.assertIsNone(self.Refused(
            extra_cflags=("-O3", "-march=native", "-ffast-math", "-fopenmp",
                          "-std=c++17", "-DN=4", "-Wno-unused", "-I/usr/x"),
            extra_ldflags=("-lcublas", "-L", "/usr/local/cuda/lib64",
                           "-Wl,-rpath,/usr/local/cuda/lib64"),
            extra_cuda_cflags=(
                "-O3", "--use_fast_math", "-lineinfo", "-std=c++17",
                "--expt-relaxed-constexpr", "-gencode",
                "arch=compute_90a,code=sm_90a", "-arch=sm_90", "-Xptxas",
                "-O3,-v", "--ptxas-options=-v", "--maxrregcount=64",
                "-maxrregcount", "64", "-Xcompiler", "-O3,-fopenmp",
                "-U__CUDA_NO_HALF_OPERATORS__", "--ftz=true")))

    def test_none_starts_a_program_or_writes_a_file(self):
        for flag in ("-wrapper", "-fplugin=x", "-specs=x", "-B/tmp", "@file",
                     "-o", "-save-temps", "-fdump-tree-all", "-Wl,-Map=x",
                     "-Wa,-al=x", "-Wp,-MD,x", "-MD", "-ffile=/x", "-run",
                     "-Xlinker", "x.o", ""):
            for kind in ("extra_cflags", "extra_ldflags", "extra_cuda_cflags"):
                self.assertIsNotNone(self.Refused(**{kind: (flag,)}), flag)

    def test_nor_through_the_compiler_that_nvcc_starts(self):
        for flags in (("-Xcompiler", "-wrapper"), ("-Xcompiler=-O3,-B/tmp",),
                      ("--compiler-options", "-fplugin=x"), ("-ccbin", "x"),
                      ("-Xptxas", "/x"), ("-Xcompiler",), ("--keep-dir=x",)):
            self.assertIsNotNone(self.Refused(extra_cuda_cflags=flags), flags)

    def test_says_why_before_anything_is_compiled(self):
        made = build.Build(build.Request("a", "", extra_cflags=("-wrapper",)),
                           self.TOOLS, pathlib.Path("/nowhere"))
        self.assertIsNone(made.library)
        self.assertEqual(made.diagnostics,
                         "-wrapper: not a flag that may be given here")
        made = build.Build(build.Request("a", "", cuda=""), self.TOOLS,
                           pathlib.Path("/nowhere"))
        self.assertEqual(made.diagnostics,
                         "cuda_sources: this machine has no CUDA toolkit")


class LeanTexts(unittest.TestCase):
    def test_what_they_define_is_in_one(self):
        # A source that includes two of them would see it twice.
        texts = build.LeanTexts("", Refusal.TOOLS)
        self.assertEqual([name for name, text in texts.items()
                          if "constexpr" in text], ["coppice_lean.h"])


if __name__ == "__main__":
    unittest.main()
