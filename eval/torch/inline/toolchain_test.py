"""Tests of what toolchain.py finds; needs neither torch nor CUDA."""

import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
from typing import Any, Optional
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from inline import toolchain  # pylint: disable=wrong-import-position


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        # pylint: disable=consider-using-with
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name).resolve()

    def write(self, path: str, text: str = "") -> str:
        whole = self.folder / path
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.write_text(text)
        return str(whole.parent)


class Cuda(Folder):
    def found(self, which: Optional[str] = None, **variables: str) -> Any:
        """Where the usual place is not."""
        exists = os.path.exists
        with (mock.patch.dict(os.environ, variables, clear=True),
              mock.patch("shutil.which", return_value=which),
              mock.patch("os.path.exists",
                         lambda path: not path.startswith("/usr/local/cuda")
                         and exists(path))):
            return toolchain._find_cuda()

    def test_is_what_the_environment_says(self) -> None:
        for name in ("home", "path", "other"):
            self.write(f"{name}/bin/nvcc")
        home, path = f"{self.folder}/home", f"{self.folder}/path"
        self.assertEqual(self.found(CUDA_HOME=home, CUDA_PATH=path), home)
        self.assertEqual(self.found(CUDA_PATH=path), path)
        nvcc = f"{self.folder}/other/bin/nvcc"
        self.assertEqual(self.found(nvcc, CUDA_PATH=path), path)
        self.assertEqual(self.found(nvcc), f"{self.folder}/other")

    def test_is_none_without_a_compiler(self) -> None:
        self.write("home/bin/gcc")
        self.assertIsNone(self.found(CUDA_HOME=f"{self.folder}/home"))
        self.assertIsNone(self.found())

    def test_has_a_name_without_links(self) -> None:
        self.write("cuda-13/bin/nvcc")
        (self.folder / "cuda").symlink_to("cuda-13")
        self.assertEqual(self.found(CUDA_HOME=f"{self.folder}/cuda"),
                         f"{self.folder}/cuda-13")


class Flags(unittest.TestCase):
    def test_are_a_list_in_a_text(self) -> None:
        self.assertEqual(
            toolchain._nvcc_flags("import os\nOTHERS = ['-x']\n"
                                  "COMMON_NVCC_FLAGS = ['-DA', '-DB']\n"),
            ("-DA", "-DB"))

    def test_are_none_where_there_is_no_such_list(self) -> None:
        self.assertEqual(toolchain._nvcc_flags("def f():\n  COMMON = 1\n"), ())
        self.assertEqual(toolchain._nvcc_flags("a.COMMON_NVCC_FLAGS = 1\n"), ())


class Find(Folder):
    def found(self, library: bytes, extension: str, version: str,
              architecture: Optional[str] = None) -> toolchain.Toolchain:
        torch = self.write("torch/__init__.py")
        self.write("torch/version.py", version)
        self.write("torch/utils/cpp_extension.py", extension)
        self.write("torch/lib/libc10.so")
        (self.folder / "torch/lib/libc10.so").write_bytes(library)
        specs = {"torch": types.SimpleNamespace(origin=f"{torch}/__init__.py"),
                 "tvm_ffi": None}
        with (mock.patch("importlib.util.find_spec", specs.get),
              mock.patch.object(toolchain, "_find_cuda", return_value="/c")):
            return toolchain.find(architecture)

    def test_reads_what_torch_passes(self) -> None:
        found = self.found(b"..NSt7__cxx1112basic_stringIcE..",
                           "COMMON_NVCC_FLAGS = ['-DA']\n"
                           "flags = ['-std=c++20']\n",
                           "__version__ = '2.11.0'\ncuda = '13.0'\n", "90")
        self.assertEqual(found, toolchain.Toolchain(
            torch=str(self.folder / "torch"), torch_version="2.11.0",
            python_include=found.python_include, standard="c++20", abi=1,
            cuda="/c", torch_has_cuda=True, architecture="90",
            nvcc_flags=("-DA",), tvm_ffi=None))
        self.assertTrue(os.path.isabs(found.python_include))

    def test_of_an_older_torch_what_it_lacks(self) -> None:
        found = self.found(b"..NSsC1..", "", "__version__ = '2.0'\ncuda = None")
        self.assertEqual((found.abi, found.standard), (0, "c++17"))
        self.assertFalse(found.torch_has_cuda)
        self.assertIsNone(found.architecture)

    def test_a_package_without_a_file_is_none(self) -> None:
        for spec in (None, types.SimpleNamespace(origin=None)):
            with mock.patch("importlib.util.find_spec", return_value=spec):
                self.assertIsNone(toolchain._folder_of("torch"))


class Program(unittest.TestCase):
    def test_a_folder_of_python_is_enough_to_be_asked(self) -> None:
        # Without torch it has no folder to tell, and says so by its status.
        here = pathlib.Path(__file__).resolve().parent.parent
        done = subprocess.run(
            [sys.executable, "-c", "import sys; sys.modules['torch'] = None; "
             "import inline.toolchain as t; print(t.find.__name__)"],
            cwd=here, text=True, capture_output=True, check=False)
        self.assertEqual(done.stdout, "find\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
