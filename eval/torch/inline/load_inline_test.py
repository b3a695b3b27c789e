"""Tests of load_inline.py: what is asked to be compiled, and whose lines errors
are in.  Needs torch, and no compiler."""

import importlib.util
import os
import pathlib
import sys
import tempfile
import types
import unittest
from typing import Any
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from inline import load_inline  # pylint: disable=wrong-import-position
from inline.build import Level, Outcome, Request
from torch.utils import cpp_extension

PYTHON = '''import torch
CPP = """
int f() {
  return 1
}
"""
CUDA = "__global__ void k() {}"
'''
CPP = "\nint f() {\n  return 1\n}\n"  # Line 2 of it is line 3 of the file.


class Make(unittest.TestCase):
    def test_sources_are_put_together_as_torch_does(self) -> None:
        made = load_inline.make_request("e", ["int f();", "int g();"], "k();")
        self.assertEqual(
            made.cpp, "#include <torch/extension.h>\nint f();\nint g();")
        self.assertEqual(
            made.cuda, "#include <torch/types.h>\n#include <cuda.h>\n"
            "#include <cuda_runtime.h>\nk();")
        self.assertTrue(made.with_cuda)

    def test_without_cuda_there_is_none(self) -> None:
        for none in (None, [], ()):
            made = load_inline.make_request("e", "int f();", none)
            self.assertIsNone(made.cuda)
            self.assertFalse(made.with_cuda)
        made = load_inline.make_request("e", "int f();", with_cuda=True)
        self.assertTrue(made.with_cuda)
        made = load_inline.make_request("e", "", "k();", with_cuda=False)
        self.assertFalse(made.with_cuda)

    def test_headers_may_be_the_candidates_own(self) -> None:
        made = load_inline.make_request("e", "int f();", "k();",
                                        no_implicit_headers=True)
        self.assertEqual((made.cpp, made.cuda), ("int f();", "k();"))

    def test_functions_are_bound_by_their_names(self) -> None:
        def bound(functions: Any, **how: Any) -> list[str]:
            made = load_inline.make_request("e", "", functions=functions, **how)
            return made.cpp.split("\n")[2:]

        begin = "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {"
        f = 'm.def("f", torch::wrap_pybind_function(f), "f");'
        self.assertEqual(bound("f"), [begin, f, "}"])
        self.assertEqual(bound(["f"]), [begin, f, "}"])
        self.assertEqual(
            bound({"f": "Adds.", "g": ""}, with_pytorch_error_handling=False),
            [begin, 'm.def("f", f, "Adds.");', 'm.def("g", g, "");', "}"])
        self.assertEqual(bound(None), [])

    def test_functions_of_another_kind_are_refused(self) -> None:
        with self.assertRaisesRegex(
                ValueError, "^Expected 'functions' to be a list or dict, but "
                "was <class 'int'>$"):
            load_inline.make_request("e", "", functions=3)

    def test_a_flag_may_be_several_words(self) -> None:
        made = load_inline.make_request(
            "e", "", extra_cflags=["-O3 -march=native", "-DNAME='a b'"],
            extra_cuda_cflags=["-Xptxas -v"], extra_ldflags=["-lm"],
            extra_include_paths=[" /usr/x ", "y"])
        self.assertEqual(made.extra_cflags,
                         ("-O3", "-march=native", "-DNAME=a b"))
        self.assertEqual(made.extra_cuda_cflags, ("-Xptxas", "-v"))
        self.assertEqual(made.extra_ldflags, ("-lm",))
        self.assertEqual(made.extra_include_paths,
                         ("/usr/x", os.path.join(os.getcwd(), "y")))
        self.assertEqual(load_inline.make_request("e", "").extra_cflags, ())


class Lines(unittest.TestCase):
    def told(self, diagnostics: str, *sources: str) -> str:
        request = load_inline.make_request("e", [CPP], "__global__ void k() {}")
        return load_inline.in_its_lines(
            diagnostics, request, "candidate.py", PYTHON,
            list(sources or [CPP, "__global__ void k() {}"]))

    def test_errors_are_in_lines_of_the_python_file(self) -> None:
        # `return 1` is line 4 of main.cpp, after the header's and an empty
        # one, and line 4 of the Python file; the kernel line 4 there, 7 here.
        self.assertEqual(self.told("main.cpp:4:11: error: no ';'"),
                         "candidate.py:4:11: error: no ';'")
        self.assertEqual(self.told('cuda.cu(4): error: expected a ";"'),
                         'candidate.py(7): error: expected a ";"')

    def test_quoted_lines_have_the_same_numbers(self) -> None:
        self.assertEqual(
            self.told("cuda.cu:4:1: error: x\n    4 | __global__\n      | ^"),
            "candidate.py:7:1: error: x\n    7 | __global__\n      | ^")

    def test_what_stands_nowhere_in_the_file_is_left(self) -> None:
        for said in ("main.cpp:1:10: error: x\n    1 | #include", "nvcc: no",
                     "other.h:4:1: error: x", ""):
            self.assertEqual(self.told(said), said)
        self.assertEqual(self.told("main.cpp:4:1: x", "made by a program"),
                         "main.cpp:4:1: x")
        self.assertEqual(self.told("main.cpp:2:1: x", "\n"), "main.cpp:2:1: x")

    def test_what_follows_a_line_that_is_left_is_left(self) -> None:
        self.assertEqual(
            self.told("cuda.cu:4:1: x\n    4 | k\nmain.cpp:1:1: y\n    1 | z"),
            "candidate.py:7:1: x\n    7 | k\nmain.cpp:1:1: y\n    1 | z")

    def test_for_tools_a_source_says_where_it_stands(self) -> None:
        kernel = "__global__ void k() {}"
        self.assertEqual(
            load_inline.with_its_lines([CPP, kernel, "made", " "], "c.py", PYTHON),
            [f'#line 2 "c.py"\n{CPP}', f'#line 7 "c.py"\n{kernel}',
             '#line 1 "generated"\nmade', '#line 1 "generated"\n '])


    def test_a_file_may_begin_with_a_source(self) -> None:
        request = load_inline.make_request("e", "int f()\nx", "k",
                                           no_implicit_headers=True)
        self.assertEqual(
            load_inline.in_its_lines("main.cpp:2:1: y", request, "c.py",
                                     "int f()\nx", ["int f()\nx"]),
            "c.py:2:1: y")
        self.assertEqual(
            load_inline.with_its_lines(["int f()"], "c.py", "int f()\nx"),
            ['#line 1 "c.py"\nint f()'])


class Installed(unittest.TestCase):
    def setUp(self) -> None:
        for name in ("load_inline", "load"):
            patch = mock.patch.object(cpp_extension, name,
                                      getattr(cpp_extension, name))
            patch.start()
            self.addCleanup(patch.stop)
        self.requests: list[Request] = []
        self.watched: list[Any] = []
        self.level, self.said = Level.LOOKALIKE, ""
        self.library: Any = "/proc/self/fd/7"
        self.bridge = types.SimpleNamespace(load=lambda *what: what)

    def compile(self, request: Request) -> Outcome:
        self.requests.append(request)
        return Outcome(self.level, self.library, self.said, {})

    def install(self, **how: Any) -> None:
        load_inline.install(self.compile, self.bridge, self.watched.append,
                            **how)

    def test_it_is_compiled_by_another_loaded_and_watched(self) -> None:
        self.install()
        made = cpp_extension.load_inline("e", "int f();", functions="f")
        self.assertEqual(made, ("/proc/self/fd/7", "e"))
        self.assertEqual(self.watched, [made])
        self.assertEqual(self.requests[0].name, "e")
        self.assertIn("int f();", self.requests[0].cpp)

    def test_functions_are_bound_with_torchs_errors_unless_it_is_said(self):
        self.install()
        cpp_extension.load_inline("e", "", functions="f")
        self.assertIn("torch::wrap_pybind_function(f)", self.requests[0].cpp)
        self.assertTrue(self.requests[0].cpp.startswith("#include <torch"))

    def test_above_the_first_level_python_loads_it(self) -> None:
        self.install()
        for level in (Level.LEAN, Level.FULL):
            self.level = level
            with mock.patch.object(load_inline, "_import",
                                   return_value="module") as load:
                self.assertEqual(cpp_extension.load_inline("e", ""), "module")
            load.assert_called_once_with("e", "/proc/self/fd/7")

    def test_what_does_not_compile_is_an_error_with_its_reason(self) -> None:
        self.install()
        self.library, self.said = None, "main.cpp:1: error: no"
        with self.assertRaisesRegex(
                RuntimeError, "^Error building extension 'e': main.cpp:1: "
                "error: no$"):
            cpp_extension.load_inline("e", "")
        self.assertEqual(self.watched, [])

    def test_what_the_compilers_say_is_told_who_wants_it(self) -> None:
        self.install()
        self.said = "a warning"
        for verbose in (True, False):
            with mock.patch("builtins.print") as said:
                cpp_extension.load_inline("e", "", verbose=verbose)
            self.assertEqual(said.called, verbose)

    def test_lines_are_marked_for_tools_alone(self) -> None:
        for marks, expected in ((True, "#line 1 \"generated\"\nint f();"),
                                (False, "int f();")):
            self.install(marks_lines=marks)
            source = "int " + "f();"  # It stands nowhere in this file.
            with mock.patch("linecache.getlines", return_value=["x = 1\n"]):
                cpp_extension.load_inline("e", source)
            self.assertTrue(self.requests[-1].cpp.endswith(
                f"extension.h>\n{expected}"), self.requests[-1].cpp)

    def test_errors_are_told_by_the_callers_lines(self) -> None:
        self.install()
        self.library, self.said = None, "main.cpp:2:1: error: no"
        code = "import x\nTEXT = 'int f()'\ncall('e', TEXT)\n"
        names = {"call": cpp_extension.load_inline, "x": None}
        lines = code.splitlines(keepends=True)
        with mock.patch("linecache.getlines", return_value=lines):
            with self.assertRaisesRegex(RuntimeError, "own.py:2:1: error: no"):
                # pylint: disable-next=exec-used
                exec(compile(code[9:], "/tmp/own.py", "exec"), names)

    def test_what_is_no_python_module_of_c_or_cuda_is_refused(self) -> None:
        self.install()
        for how in ({"sycl_sources": "x"}, {"with_sycl": True},
                    {"is_python_module": False}):
            with self.assertRaisesRegex(
                    RuntimeError, "^Error building extension 'e': only Python "
                    "modules of C\\+\\+ and CUDA are built here$"):
                cpp_extension.load_inline("e", "", **how)
        self.assertEqual(self.requests, [])

    def test_files_cannot_be_loaded(self) -> None:
        self.install()
        with self.assertRaisesRegex(RuntimeError, "give their text to "
                                    "load_inline$"):
            cpp_extension.load("e", ["main.cpp"], verbose=True)


class Bridge(unittest.TestCase):
    def test_its_functions_are_seen_while_it_is_loaded(self) -> None:
        flags = sys.getdlopenflags()
        seen = []

        def load(name: str, path: str) -> str:
            seen.append((name, path, sys.getdlopenflags()))
            raise ImportError

        with mock.patch.object(load_inline, "_import", load):
            with self.assertRaises(ImportError):
                load_inline.load_bridge(pathlib.Path("/b.so"))
        self.assertEqual(seen, [("coppice_bridge", "/b.so",
                                 os.RTLD_NOW | os.RTLD_GLOBAL)])
        self.assertEqual(sys.getdlopenflags(), flags)

    def test_a_library_is_a_module_that_has_run(self) -> None:
        spec = importlib.util.find_spec("_bisect")
        assert spec is not None
        if spec.origin is None or not os.path.isfile(spec.origin):
            self.skipTest("this Python has no libraries of its own")
        module = load_inline._import("_bisect", spec.origin)
        self.assertEqual(module.bisect_left([1, 3], 2), 1)

    def test_a_library_that_is_none_is_an_error(self) -> None:
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            with self.assertRaises(ImportError):
                load_inline._import("e", file.name)


if __name__ == "__main__":
    unittest.main()
