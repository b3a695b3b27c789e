"""Tests of extensions.py: what is asked of the parent, and what is made of it."""

import json
import os
import sys
import tempfile
import types
import unittest
from typing import Any
from unittest import mock

import extensions
import torch
from inline.build import Level, Outcome, Request


class Worker:
    """Answers as the parent would; `answers` are levels or complaints."""

    def __init__(self, level: str = "lookalike", descriptors: Any = (7, 9)):
        self.level = level
        self.descriptors = list(descriptors)
        self.asked: list[dict[str, Any]] = []
        self.watched: list[Any] = []
        self.call_tracer = types.SimpleNamespace(watch=self.watched.append)
        self.is_watched = True

    def ask(self, text: str) -> tuple[Any, list[int]]:
        self.asked.append(json.loads(text))
        said = "" if self.descriptors else "no such thing"
        return {"level": self.level, "diagnostics": said}, self.descriptors


class ExtensionsTest(unittest.TestCase):
    def setUp(self) -> None:
        # pylint: disable=consider-using-with
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = os.path.join(scratch.name, "libraries")
        for name, value in (
            ("NAMED", self.folder),
            ("compile_", None),
            ("watch", None),
            ("bridge", extensions.Bridge()),
        ):
            patch = mock.patch.object(extensions, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def install(self, worker: Worker, is_solution: bool = True) -> Any:
        with mock.patch("inline.load_inline.install") as install:
            extensions.install(worker, is_solution)
        return install

    def compiled(self, worker: Worker) -> Outcome:
        self.install(worker)
        assert extensions.compile_ is not None
        return extensions.compile_(Request("scale", "int f();"))

    def test_load_inline_is_given_what_asks(self) -> None:
        worker = Worker()
        install = self.install(worker)
        install.assert_called_once_with(
            extensions.compile_, extensions.bridge, worker.call_tracer.watch, True
        )

    def test_a_request_is_passed_as_it_is(self) -> None:
        worker = Worker()
        self.compiled(worker)
        (asked,) = worker.asked
        self.assertEqual((asked["name"], asked["cpp"]), ("scale", "int f();"))
        self.assertEqual(asked["files"], None)

    def test_what_is_made_is_the_first_descriptor_and_the_bridge_the_last(
        self,
    ) -> None:
        for level in Level:
            outcome = self.compiled(Worker(level.value))
            self.assertIs(outcome.level, level)
            self.assertEqual(outcome.library, "/proc/self/fd/7")
            self.assertEqual(extensions.bridge.descriptor, 9)
            os.rename(self.folder, f"{self.folder}.{level.value}")

    def test_what_does_not_compile_has_no_library(self) -> None:
        outcome = self.compiled(Worker("full", []))
        self.assertIsNone(outcome.library)
        self.assertEqual(outcome.diagnostics, "no such thing")
        self.assertEqual(extensions.bridge.descriptor, -1)

    def test_descriptors_have_names_for_solutions_alone(self) -> None:
        self.install(Worker())
        self.assertEqual(len(os.listdir(self.folder)), 1024)
        self.assertEqual(
            os.readlink(f"{self.folder}/1023.so"), "/proc/self/fd/1023"
        )
        os.rename(self.folder, self.folder + ".before")
        self.install(Worker(), is_solution=False)
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_bridge_is_loaded_once(self) -> None:
        extensions.bridge.descriptor = 9
        with mock.patch("inline.load_inline.load_bridge") as load:
            load.return_value.load.side_effect = lambda path, name: (path, name)
            self.assertEqual(extensions.bridge.load("/a", "one"), ("/a", "one"))
            extensions.bridge.descriptor = 10
            extensions.bridge.load("/b", "two")
        load.assert_called_once_with("/proc/self/fd/9")

    def solution(
        self, worker: Worker, symbol: str = "run", tvm_ffi: bool = False
    ) -> Any:
        self.install(worker)
        return extensions.load_solution(
            {"main.cpp": "text"},
            True,
            tvm_ffi,
            symbol,
            {"extra_cflags": ["-O3"]},
        )

    def test_a_solution_is_its_function(self) -> None:
        worker = Worker()
        module = types.SimpleNamespace(run=print)
        with mock.patch("inline.load_inline.load_library", return_value=module) as load:
            self.assertIs(self.solution(worker), print)
        outcome, name, bridge = load.call_args.args
        self.assertEqual(outcome.library, "/proc/self/fd/7")
        self.assertEqual(name, "solution")
        self.assertIs(bridge, extensions.bridge)
        self.assertEqual(worker.watched, [module])
        (asked,) = worker.asked
        self.assertEqual(asked["files"], {"main.cpp": "text"})
        self.assertEqual(asked["extra_cflags"], ["-O3"])
        self.assertEqual((asked["with_cuda"], asked["tvm_ffi"]), (True, False))

    def test_a_function_that_is_not_there_is_told(self) -> None:
        module = types.SimpleNamespace(run=print)
        with mock.patch("inline.load_inline.load_library", return_value=module):
            with self.assertRaisesRegex(
                RuntimeError, "^the solution's sources export no ran$"
            ):
                self.solution(Worker(), "ran")

    def test_what_does_not_compile_is_told_by_load_inlines_words(self) -> None:
        for tvm_ffi in (False, True):
            with self.assertRaisesRegex(
                RuntimeError,
                "^Error building extension 'solution': no such thing$",
            ):
                self.solution(Worker("full", []), tvm_ffi=tvm_ffi)
            os.rename(self.folder, f"{self.folder}.{tvm_ffi}")

    def test_tvm_ffi_knows_a_library_by_its_name(self) -> None:
        worker = Worker("full")
        binding = types.ModuleType("tvm_ffi")
        loaded: list[str] = []
        module = types.SimpleNamespace(run=print)

        def load_module(path: str) -> Any:
            loaded.append(path)
            return module

        binding.load_module = load_module  # type: ignore[attr-defined]
        with mock.patch.dict(sys.modules, {"tvm_ffi": binding}):
            self.assertIs(self.solution(worker, tvm_ffi=True), print)
        self.assertEqual(loaded, [f"{self.folder}/7.so"])
        self.assertEqual(worker.watched, [module])

    def test_what_tvm_ffi_returns_becomes_torchs(self) -> None:
        class Array(list):  # type: ignore[type-arg]
            pass

        class Tensor:
            def __init__(self, own: torch.Tensor):
                self.own = own

        binding = types.ModuleType("tvm_ffi")
        binding.Array = Array  # type: ignore[attr-defined]
        binding.Tensor = Tensor  # type: ignore[attr-defined]
        with (
            mock.patch.dict(sys.modules, {"tvm_ffi": binding}),
            mock.patch("torch.from_dlpack", lambda one: one.own),
        ):
            x, y = torch.ones(1), torch.zeros(1)
            found = extensions.tensors_of(Array([Tensor(x), Array([Tensor(y)]), 3]))
        self.assertIs(found[0], x)
        self.assertIs(found[1][0], y)
        self.assertEqual(found[2], 3)


if __name__ == "__main__":
    unittest.main()
