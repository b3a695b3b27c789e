"""What build.py decides by itself; needs neither torch nor a compiler."""

import contextlib
import dataclasses
import io
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest
from typing import Any

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


def is_own(said: str) -> bool:
    request = build.Request("name", CPP, CUDA, with_cuda=True)
    return build.is_own(said, request)


class IsOwn(unittest.TestCase):
    def test_syntax_is_the_candidates(self):
        self.assertTrue(is_own('cuda.cu(4): error: expected a ";"\n'))
        self.assertTrue(is_own("main.cpp:3:14: error: expected ';' before '}' "
                               "token\n"))
        self.assertTrue(is_own('cuda.cu(11): error: expected a ";"\n'))

    def test_a_macro_of_torchs_may_have_been_missing(self):
        self.assertFalse(is_own('cuda.cu(10): error: expected a ";"\n'))

    def test_names_in_a_kernel_are_the_candidates(self):
        self.assertTrue(is_own('cuda.cu(4): error: identifier "j" is '
                               'undefined\n'))

    def test_unless_they_may_be_macros(self):
        self.assertFalse(is_own('cuda.cu(4): error: identifier "LIMIT" is '
                                'undefined\n'))

    def test_names_in_host_code_may_be_torchs(self):
        self.assertFalse(is_own('cuda.cu(8): error: identifier "n" is '
                                'undefined\n'))
        self.assertFalse(is_own('cuda.cu(7): error: class "lookalike::Tensor" has '
                                'no member "strange"\n'))

    def test_one_that_is_not_spoils_all(self):
        self.assertFalse(is_own('cuda.cu(4): error: expected a ";"\n'
                                'cuda.cu(7): error: namespace "torch" has no '
                                'member "x"\n'))

    def test_errors_elsewhere_and_none_at_all_are_not(self):
        self.assertFalse(is_own('/h/tensor.h(7): error: expected a ";"\n'))
        self.assertFalse(is_own("nvcc: killed\n"))
        self.assertFalse(is_own("main.cpp:1:10: fatal error: odd.h: No such file "
                                "or directory\n"))

    def test_the_assembler_sees_no_headers(self):
        self.assertTrue(is_own("ptxas error   : Entry function 'k' uses too much "
                               "shared data\n"))


class Parts(unittest.TestCase):
    def test_dear_headers_are_left_out_where_nothing_names_them(self):
        self.assertEqual(build.parts_of("std::vector<int> v; x.numel();"), [])

    def test_and_are_there_where_something_does(self):
        both = ["-DCOPPICE_STANDARD", "-DCOPPICE_STRING"]
        self.assertEqual(build.parts_of("std::accumulate(a, b, 0)"), both)
        self.assertEqual(build.parts_of("using namespace std;"), both)
        for text in ("std::string s;", "x.device().str()", "torch::str(1)",
                     "f(std::to_string(n))"):
            self.assertEqual(build.parts_of(text), ["-DCOPPICE_STRING"])
        self.assertEqual(build.parts_of("x.data_ptr<at::Half>()"),
                         ["-DCOPPICE_HALF"])
        self.assertEqual(
            build.parts_of("AT_DISPATCH_FLOATING_TYPES_AND_HALF(t, n, f)"),
            ["-DCOPPICE_HALF"])


class BindsInCuda(unittest.TestCase):
    def test_looks_at_what_nvcc_compiles_alone(self):
        bound = "PYBIND11_MODULE(name, m) {}"
        self.assertFalse(build.binds_in_cuda(
            build.Request("a", bound, "void f();", with_cuda=True)))
        self.assertTrue(build.binds_in_cuda(
            build.Request("a", "", bound, with_cuda=True)))
        self.assertTrue(build.binds_in_cuda(
            build.Request("a", "", files={"k.cu": "py::module m;"})))


class Architecture(unittest.TestCase):
    TOOLS = build.Toolchain("/t", "2", "/p", "c++17", 1, architecture="90")

    def test_is_the_devices_alone(self):
        self.assertEqual(
            build.architecture_flags(build.Request("a", ""), self.TOOLS),
            ["-gencode=arch=compute_90,code=sm_90"])

    def test_unless_a_flag_says_otherwise(self):
        request = build.Request("a", "", extra_cuda_cflags=("-arch=sm_90a",))
        self.assertEqual(build.architecture_flags(request, self.TOOLS), [])


class Refusal(unittest.TestCase):
    TOOLS = build.Toolchain("/t", "2", "/p", "c++17", 1)

    def refused(self, **flags):
        return build.refused_flag(build.Request("a", "", **flags))

    def test_flags_that_candidates_give_are_taken(self):
        self.assertIsNone(self.refused(
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
                     "-Xlinker", "x.o", "", "-fstack-usage", "-ftest-coverage",
                     "-fdiagnostics-format=sarif-file", "-fmodule-mapper=x",
                     "-fauto-profile=x", "-fcompare-debug", "--coverage"):
            for kind in ("extra_cflags", "extra_ldflags", "extra_cuda_cflags"):
                self.assertIsNotNone(self.refused(**{kind: (flag,)}), flag)

    def test_nor_through_the_compiler_that_nvcc_starts(self):
        for flags in (("-Xcompiler", "-wrapper"), ("-Xcompiler=-O3,-B/tmp",),
                      ("--compiler-options", "-fplugin=x"), ("-ccbin", "x"),
                      ("-Xptxas", "/x"), ("-Xcompiler",), ("--keep-dir=x",)):
            self.assertIsNotNone(self.refused(extra_cuda_cflags=flags), flags)

    def test_nor_through_the_assembler_and_the_front_end(self):
        for flags in (("-Xptxas", "-o,x"), ("-Xptxas=-o=x",),
                      ("-Xptxas", "-ox"), ("--ptxas-options=-v,-optf,x",),
                      ("-Xptxas", "--options-file=x"),
                      ("-Xptxas", "-O3,--output-file,x"), ("-Xptxas", "-v,"),
                      ("-Xcudafe", "--gen_c_file_name=x"),
                      ("-Xcudafe", "-o,x")):
            self.assertIsNotNone(self.refused(extra_cuda_cflags=flags), flags)
        for flags in (("-Xptxas", "-dlcm=ca,--warn-on-spills"),
                      ("-Xptxas", "--opt-level=3,--maxrregcount,64"),
                      ("-Xcudafe", "--diag_suppress=177")):
            self.assertIsNone(self.refused(extra_cuda_cflags=flags), flags)

    def test_names_the_flag_and_its_value(self):
        self.assertEqual(self.refused(extra_cflags=("-O3", "-B/x", "-Bx")),
                         "-B/x")
        self.assertEqual(self.refused(extra_ldflags=("-T",)), "-T")
        self.assertEqual(
            self.refused(extra_cuda_cflags=("-Xcompiler", "-B/x")),
            "-Xcompiler -B/x")
        self.assertEqual(self.refused(extra_cuda_cflags=("--code=/x",)),
                         "--code=/x /x")
        # What follows is a folder, and what follows that is a flag.
        self.assertEqual(self.refused(extra_cflags=("-I", "-B/x", "-By")),
                         "-By")
        self.assertEqual(
            self.refused(extra_cuda_cflags=("-isystem", "-x", "-run")), "-run")

    def refusal(self, request: build.Request, **tools: Any) -> Any:
        return build.why_refused(request, dataclasses.replace(self.TOOLS, **tools))

    def test_a_path_stays_in_its_folder(self):
        for path in ("/etc/x.cpp", "../x.cpp", "a/../../x.cpp", "-o.cpp"):
            self.assertEqual(
                self.refusal(build.Request("a", "", files={path: ""})),
                f"{path}: not a path below the solution's folder")
        for path in ("x.cpp", "a/b.cpp", "a..b/c.cpp", "a/-o.cpp"):
            self.assertIsNone(
                self.refusal(build.Request("a", "", files={path: ""})))

    def test_what_the_machine_lacks_is_told(self):
        kernel = build.Request("a", "", files={"k.cu": ""})
        self.assertEqual(
            self.refusal(kernel, cuda="/c"),
            "CUDA C++: is judged on a CUDA device only (--devices)")
        self.assertIsNone(self.refusal(kernel, cuda="/c", architecture="90"))
        self.assertEqual(self.refusal(kernel, architecture="90"),
                         "cuda_sources: this machine has no CUDA toolkit")
        # A source of load_inline's may hold kernels that are not called.
        self.assertIsNone(
            self.refusal(build.Request("a", "", cuda="k"), cuda="/c"))
        bound = build.Request("a", "", files={"x.cpp": ""}, tvm_ffi=True)
        self.assertEqual(
            self.refusal(bound),
            "tvm_ffi: is not installed; pip install apache-tvm-ffi")
        self.assertIsNone(self.refusal(bound, tvm_ffi="/f"))

    def test_says_why_before_anything_is_compiled(self):
        made = build.build(build.Request("a", "", extra_cflags=("-wrapper",)),
                           self.TOOLS, pathlib.Path("/nowhere"))
        self.assertIsNone(made.library)
        self.assertEqual(made.diagnostics,
                         "-wrapper: not a flag that may be given here")
        made = build.build(build.Request("a", "", cuda=""), self.TOOLS,
                           pathlib.Path("/nowhere"))
        self.assertEqual(made.diagnostics,
                         "cuda_sources: this machine has no CUDA toolkit")


class InDevice(unittest.TestCase):
    SOURCE = """int a;
__global__ void k() {
  if (x) {
    b; // }
  }
  c;
}
d;
__device__ int f() { return 1; } int g() {
  e;
}"""

    def test_is_from_the_mark_to_the_last_brace(self):
        found = [line for line in range(1, 12)
                 if build.in_device(self.SOURCE, line)]
        # A line counts as it begins: 2 has the brace, 7 ends it.
        self.assertEqual(found, [3, 4, 5, 6, 7])

    def test_is_nowhere_without_a_mark(self):
        self.assertFalse(build.in_device("void f() {\n x;\n}", 2))


class Texts(unittest.TestCase):
    def test_are_two_or_the_files_of_a_solution(self):
        self.assertEqual(build.Request("a", "x").texts(), {"main.cpp": "x"})
        both = build.Request("a", "x", "y")
        self.assertEqual(both.texts(), {"main.cpp": "x", "cuda.cu": "y"})
        self.assertEqual(both.text(), "x\ny")
        self.assertEqual(build.Request("a", "x", "y", files={"k": "z"}).texts(),
                         {"k": "z"})

    def test_are_cudas_by_their_names_or_as_it_is_said(self):
        for request, has_cuda in (
                (build.Request("a", "x"), False),
                (build.Request("a", "x", "y"), True),
                (build.Request("a", "x", with_cuda=True), True),
                (build.Request("a", "", files={"k.cu": ""}), True),
                (build.Request("a", "", files={"k.cuh": ""}), False)):
            self.assertEqual(request.has_cuda(), has_cuda)

    def test_of_ours_include_what_they_need(self):
        texts = build.shadows()
        include = "#include <coppice/{}.h>\n".format
        self.assertEqual(texts["ATen/ATen.h"],
                         "#pragma once\n" + include("names"))
        self.assertEqual(texts["c10/util/Half.h"],
                         "#pragma once\n" + include("half") + include("names"))
        self.assertEqual(texts["torch/extension.h"], "#pragma once\n" +
                         include("names") + include("module"))
        self.assertEqual(texts["c10/cuda/CUDAGuard.h"], "#pragma once\n" +
                         include("cuda") + include("names"))
        self.assertFalse(build._NOT_OURS & set(texts))
        for text in texts.values():
            for name in re.findall("<(coppice/.*)>", text):
                self.assertTrue((build.HEADERS / name).is_file(), name)


class Flags(unittest.TestCase):
    """Commands as they are given to compilers, for a torch in /t."""

    TOOLS = build.Toolchain("/t", "2", "/p", "c++17", 1, cuda="/c",
                            torch_has_cuda=True, architecture="90",
                            nvcc_flags=("-DCOMMON",))
    CPP = build.Request("e", "x", extra_cflags=("-O1",),
                        extra_ldflags=("-lm",), extra_include_paths=("/i",))
    CUDA = build.Request("e", "x", "y", with_cuda=True,
                         extra_cuda_cflags=("-lineinfo",))

    def commands(self, request: build.Request, level: build.Level,
                 **tools: Any) -> tuple[list[list[str]], list[str]]:
        return build._commands(
            request, dataclasses.replace(self.TOOLS, **tools), level,
            pathlib.Path("/f"), pathlib.Path("/h"))

    def test_our_headers_alone_at_the_first_level(self):
        ((compile_,), link) = self.commands(self.CPP, build.Level.LOOKALIKE)
        self.assertEqual(
            compile_,
            ["g++", "-DTORCH_EXTENSION_NAME=e",
             "-DTORCH_API_INCLUDE_EXTENSION_H", "-I/i", "-I/h",
             f"-I{build.HEADERS}", "-fPIC", "-std=c++17",
             "-fdiagnostics-color=never", "-fmax-errors=20", "-O1", "-c",
             "main.cpp", "-o", "0.o"])
        self.assertEqual(link, ["g++", "0.o", "-shared", "-o", "extension.so",
                                "-lm"])

    def test_then_torchs_with_a_folder_of_ours_and_last_without(self):
        torchs = ["-D_GLIBCXX_USE_CXX11_ABI=1", "-isystem", "/t/include",
                  "-isystem", "/t/include/torch/csrc/api/include", "-isystem",
                  "/p"]
        for level, ours in ((build.Level.LEAN, ["-I/h"]),
                            (build.Level.FULL, [])):
            ((compile_,), link) = self.commands(self.CPP, level)
            self.assertEqual(compile_[4:compile_.index("-fPIC")], ours + torchs)
            self.assertEqual(link[6:], ["-L/t/lib", "-lc10", "-ltorch_cpu",
                                        "-ltorch", "-ltorch_python"])

    def test_nvccs_are_the_architectures_and_the_candidates(self):
        ((_, nvcc), link) = self.commands(self.CUDA, build.Level.LOOKALIKE)
        self.assertEqual(nvcc[0], "/c/bin/nvcc")
        self.assertIn("-DCOPPICE_CUDA", nvcc)
        at = nvcc.index("-DCOMMON")
        self.assertEqual(
            nvcc[at - 2:],
            ["-isystem", "/c/include", "-DCOMMON",
             "-gencode=arch=compute_90,code=sm_90", "--compiler-options",
             "-fPIC", "-lineinfo", "-std=c++17", "-c", "cuda.cu", "-o", "1.o"])
        self.assertEqual(link[-2:], ["-L/c/lib64", "-lcudart"])
        self.assertNotIn("-lc10_cuda", link)
        _, link = self.commands(self.CUDA, build.Level.FULL)
        self.assertIn("-lc10_cuda", link)
        _, link = self.commands(self.CUDA, build.Level.FULL,
                                torch_has_cuda=False)
        self.assertNotIn("-lc10_cuda", link)

    def test_a_standard_is_given_once(self):
        for own in ("-std=c++20", "--std=c++20"):
            request = dataclasses.replace(self.CUDA, extra_cuda_cflags=(own,))
            ((_, nvcc), _) = self.commands(request, build.Level.FULL)
            self.assertNotIn("-std=c++17", nvcc)

    def test_bindings_in_cuda_are_told(self):
        for text, is_told in (("py::module m;", True), ("int x;", False)):
            request = dataclasses.replace(self.CUDA, cuda=text)
            ((_, nvcc), _) = self.commands(request, build.Level.LOOKALIKE)
            self.assertEqual("-DCOPPICE_MODULE" in nvcc, is_told)

    def test_files_find_each_other_and_headers_are_not_compiled(self):
        request = build.Request("e", "", files={
            "a.cc": "", "b.h": "", "c.cu": "", "d/e.c": "", "f.cuh": ""})
        compilations, link = self.commands(request, build.Level.FULL)
        self.assertEqual([one[-3:] for one in compilations],
                         [["a.cc", "-o", "0.o"], ["c.cu", "-o", "1.o"],
                          ["d/e.c", "-o", "2.o"]])
        self.assertEqual([os.path.basename(one[0]) for one in compilations],
                         ["g++", "nvcc", "g++"])
        self.assertTrue(all("-I." in one for one in compilations))
        self.assertEqual(link[1:4], ["0.o", "1.o", "2.o"])

    def test_what_is_watched_has_lines_and_on_a_host_addresses(self):
        lines = ["-g1", "-fno-omit-frame-pointer",
                 "-fdebug-prefix-map=/f=/candidate"]
        for architecture, expected in (("90", lines),
                                       (None, lines + ["-fsanitize=address"])):
            ((compile_,), link) = self.commands(
                self.CPP, build.Level.FULL, watched=True,
                architecture=architecture)
            at = compile_.index("-g1")
            self.assertEqual(compile_[at:at + len(expected)], expected)
            self.assertEqual(link[1:1 + len(expected)], expected)
        request = dataclasses.replace(self.CUDA, extra_cuda_cflags=())
        for watched in (True, False):
            ((_, nvcc), _) = self.commands(request, build.Level.FULL,
                                           watched=watched)
            self.assertEqual("-lineinfo" in nvcc, watched)
        self.assertEqual(build.architecture_flags(
            self.CUDA, dataclasses.replace(self.TOOLS, architecture=None)), [])


class Built(unittest.TestCase):
    """By compilers of a few lines, which write down how they are called."""

    def setUp(self) -> None:
        # pylint: disable=consider-using-with
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.folder = self.scratch / "work"
        self.folder.mkdir()
        self.log = self.scratch / "log"
        self.log.touch()
        self.tools = build.Toolchain("/t", "2.9", "/p", "c++17", 1,
                                     compiler=self.compiler("exit 0"))

    def compiler(self, text: str) -> str:
        path = self.scratch / "g++"
        path.write_text(
            f'#!/bin/sh\necho "$@" >>{self.log}\n'
            'make() { while [ $# -gt 0 ]; do [ "$1" = -o ] && echo made >"$2"; '
            f'shift; done; }}\nmake "$@"\n{text}\n')
        path.chmod(0o755)
        return str(path)

    def calls(self) -> list[str]:
        return self.log.read_text().splitlines()

    def build(self, request: build.Request, **tools: Any) -> build.Outcome:
        return build.build(request, dataclasses.replace(self.tools, **tools),
                           self.folder)

    def test_the_first_level_that_takes_it_is_the_one(self):
        made = self.build(build.Request("e", "int f();"))
        self.assertIs(made.level, build.Level.LOOKALIKE)
        self.assertEqual(made.library, str(self.folder / "extension.so"))
        self.assertEqual(list(made.seconds), ["lookalike"])
        self.assertLess(made.seconds["lookalike"], 60.0)
        self.assertEqual(len(self.calls()), 2)  # A compilation, a linking.
        shadow = self.folder / "lookalike/torch/extension.h"
        self.assertIn("coppice/module.h", shadow.read_text())
        self.assertEqual((self.folder / "main.cpp").read_text(), "int f();")

    def test_what_one_does_not_take_is_given_to_the_next(self):
        full = 'case "$1 $*" in */lookalike*|*/lean*) exit 1;; esac'
        self.compiler(full)
        made = self.build(build.Request("e", "int f();"))
        self.assertIs(made.level, build.Level.FULL)
        self.assertEqual(list(made.seconds), ["lookalike", "lean", "full"])
        # One compilation each, and the linking of the last.
        self.assertEqual(len(self.calls()), 4)
        lean = self.folder / "lean/coppice_lean.h"
        self.assertTrue(lean.is_file())
        self.assertFalse((self.folder / "full").exists())

    def test_what_none_takes_is_told_by_the_last(self):
        self.compiler('case "$*" in *" -c "*) echo "main.cpp:9:9: error: '
                      'std::x"; exit 1;; esac')
        made = self.build(build.Request("e", "int f();"))
        self.assertIsNone(made.library)
        self.assertIs(made.level, build.Level.FULL)
        self.assertEqual(made.diagnostics, "main.cpp:9:9: error: std::x\n")

    def test_a_mistake_of_the_candidates_own_is_told_at_once(self):
        self.compiler('echo "main.cpp:1:9: error: expected \';\' before '
                      'end"; exit 1')
        made = self.build(build.Request("e", "int f()"))
        self.assertIs(made.level, build.Level.LOOKALIKE)
        self.assertIsNone(made.library)
        self.assertEqual(len(self.calls()), 1)

    def test_what_does_not_link_is_not_made(self):
        self.compiler('case "$*" in *-shared*) echo undefined; exit 1;; esac; '
                      'echo warning')
        made = self.build(build.Request("e", "int f();"))
        self.assertIsNone(made.library)
        self.assertEqual(made.diagnostics, "warning\nundefined\n")

    def test_without_a_bridge_there_is_no_first_level(self):
        made = self.build(build.Request("e", "int f();"), bridge=False)
        self.assertIs(made.level, build.Level.LEAN)

    def test_what_is_said_is_bounded(self):
        self.compiler("head -c 20000 /dev/zero | tr '\\0' x; exit 1")
        made = self.build(build.Request("e", "int f();"))
        self.assertEqual(len(made.diagnostics), 16 << 10)

    def test_tvm_ffis_have_its_headers_and_no_torch(self):
        made = self.build(build.Request("e", "", files={"a.cc": ""},
                                        tvm_ffi=True), tvm_ffi="/ffi")
        self.assertEqual(made.library, str(self.folder / "extension.so"))
        self.assertIs(made.level, build.Level.FULL)
        compile_, link = self.calls()
        self.assertTrue(compile_.startswith("-I. -I/ffi/include -std=c++17 -O2"))
        self.assertTrue(link.endswith("-shared -o extension.so -L/ffi/lib "
                                      "-ltvm_ffi"), link)
        self.assertNotIn("/t/", compile_ + link)
        self.compiler('case "$*" in *-shared*) exit 1;; esac')
        made = self.build(build.Request("e", "", files={"a.cc": ""},
                                        tvm_ffi=True), tvm_ffi="/ffi")
        self.assertIsNone(made.library)

    def test_tvm_ffis_in_cuda_link_what_there_is(self):
        cuda = self.scratch / "cuda"
        for path in ("bin/nvcc", "lib64/libcudart.so", "lib64/stubs/libcuda.so"):
            (cuda / path).parent.mkdir(parents=True, exist_ok=True)
            (cuda / path).write_text(f'#!/bin/sh\necho nvcc "$@" >>{self.log}\n')
            (cuda / path).chmod(0o755)
        self.build(build.Request("e", "", files={"a.cu": ""}, tvm_ffi=True),
                   tvm_ffi="/ffi", cuda=str(cuda), architecture="90")
        link = self.calls()[-1]
        self.assertIn("-lcudart -lcuda", link)
        self.assertNotIn("cublas", link)
        nvcc = next(line for line in self.calls() if line.startswith("nvcc"))
        self.assertIn("-gencode=arch=compute_90,code=sm_90", nvcc)

    def test_the_bridge_is_of_torchs_headers(self):
        made = build.build_bridge(self.tools, self.folder)
        self.assertEqual(made, self.folder / "coppice_bridge.so")
        (call,) = self.calls()
        self.assertIn("-isystem /t/include", call)
        self.assertNotIn("cuda", call.replace("bridge", ""))
        self.compiler("echo no such header; exit 1")
        with self.assertRaisesRegex(
                RuntimeError, "^bridge.cc: does not compile with torch 2.9:\n"
                "no such header\n$"):
            build.build_bridge(self.tools, self.folder)
        self.compiler("exit 0")
        for has_cuda, cuda in ((True, "/c"), (False, "/c"), (True, None)):
            self.log.write_text("")
            build.build_bridge(dataclasses.replace(
                self.tools, torch_has_cuda=has_cuda, cuda=cuda), self.folder)
            self.assertEqual("-DCOPPICE_CUDA -lc10_cuda" in self.calls()[0],
                             bool(has_cuda and cuda))

    def main(self, step: str, **request: Any) -> tuple[int, str]:
        """The status, and what it says."""
        tools, asked = self.scratch / "tools.json", self.scratch / "asked.json"
        tools.write_text(json.dumps(dataclasses.asdict(self.tools)))
        asked.write_text(json.dumps(request))
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = build.main([step, str(tools), str(asked),
                                 str(self.folder)])
        return status, said.getvalue()

    def outcome(self) -> Any:
        return json.loads((self.folder / "outcome.json").read_text())

    def test_a_step_leaves_what_it_made_and_how_it_went(self):
        self.assertEqual(self.main("library", name="e", cpp="x"), (0, ""))
        self.assertEqual((self.folder / "extension.so").read_text(), "made\n")
        self.assertEqual(self.outcome()["level"], "lookalike")
        self.assertNotIn("-g1", self.calls()[0])
        self.log.write_text("")
        self.main("watched", name="e", cpp="x")
        self.assertIn("-g1", self.calls()[0])
        self.assertEqual(self.main("bridge"), (0, ""))
        self.assertTrue((self.folder / "coppice_bridge.so").exists())
        self.assertEqual(self.outcome(), {})

    def test_what_is_not_made_is_not_there(self):
        self.compiler("echo no; exit 1")
        self.assertEqual(self.main("library", name="e", cpp="x")[0], 0)
        self.assertFalse((self.folder / "extension.so").exists())
        self.assertEqual(self.outcome()["diagnostics"], "no\n")

    def test_what_is_no_step_and_no_name_is_refused(self):
        self.assertEqual(self.main("library", name="-o x", cpp=""),
                         (2, "'-o x': not a module's name\n"))
        status, said = self.main("libraries", name="e", cpp="")
        self.assertEqual((status, said), (2, build.__doc__ + "\n"))
        self.assertEqual(self.calls(), [])
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(build.main(["library"]), 2)


class LeanTexts(unittest.TestCase):
    def test_operators_are_those_that_are_named(self):
        with tempfile.TemporaryDirectory() as name:
            ops = pathlib.Path(name, "include/ATen/ops")
            ops.mkdir(parents=True)
            for operator in ("relu", "mm", "add"):
                (ops / f"{operator}.h").touch()
            tools = dataclasses.replace(Refusal.TOOLS, torch=name)
            texts = build.lean_texts(
                "torch::relu(x); at :: mm(x); torch::odd(x); add(x);", tools)
        found = re.findall("ATen/ops/(.*).h", texts["coppice_lean.h"])
        self.assertEqual(found, ["mm", "relu"])
        self.assertIn("constexpr auto kFloat32 = at::kFloat;",
                      texts["coppice_lean.h"])
        for name in ("torch/torch.h", "torch/extension.h", "ATen/ATen.h"):
            self.assertIn("#include <coppice_lean.h>", texts[name])

    def test_what_they_define_is_in_one(self):
        # A source that includes two of them would see it twice.
        texts = build.lean_texts("", Refusal.TOOLS)
        self.assertEqual([name for name, text in texts.items()
                          if "constexpr" in text], ["coppice_lean.h"])


if __name__ == "__main__":
    unittest.main()
