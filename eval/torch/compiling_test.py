"""Tests of compiling.py: programs that are not run again, and what is shown to
whom.  Needs no compiler."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from typing import Any
from unittest import mock

import compiling
from compiling import equip

ECHO = [sys.executable, "-c", "import sys; print('a\\xe9'); sys.exit(3)"]


class FolderTest(unittest.TestCase):
    """With a folder of preload, and one of a candidate's cache."""

    def setUp(self) -> None:
        # pylint: disable=consider-using-with
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.trusted_preload = os.path.join(scratch.name, "provisions")
        self.cache = os.path.join(scratch.name, "cache")
        for folder in (self.trusted_preload, self.cache):
            os.mkdir(folder)
        for patch in (
            mock.patch.object(compiling, "PROVISIONS", self.trusted_preload),
            mock.patch.object(compiling, "CACHE", self.cache),
            mock.patch.dict(os.environ),
            mock.patch("subprocess.run", subprocess.run),
            mock.patch("subprocess.call", subprocess.call),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def write(self, folder: str, **known: Any) -> None:
        """Answers to commands of one word."""
        path = os.path.join(folder, "answers.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(
                {json.dumps([[name], True]): known[name] for name in known}, file
            )

    def read(self, folder: str) -> dict[str, Any]:
        path = os.path.join(folder, "answers.json")
        with open(path, encoding="utf-8") as file:
            found: dict[str, Any] = json.load(file)
        return found

    def looks_into(self) -> str:
        """The folder of both caches."""
        triton = os.environ["TRITON_CACHE_DIR"]
        inductor = os.environ["TORCHINDUCTOR_CACHE_DIR"]
        self.assertEqual(os.path.basename(triton), "triton")
        self.assertEqual(os.path.basename(inductor), "inductor")
        self.assertEqual(os.path.dirname(triton), os.path.dirname(inductor))
        return os.path.dirname(triton)


class EquipTest(FolderTest):
    def test_a_provider_writes_down_what_programs_say(self) -> None:
        equip("provider", "cpu", False, False)
        self.assertEqual(self.looks_into(), self.trusted_preload)
        self.assertEqual(self.read(self.trusted_preload), {})
        done = subprocess.run(ECHO, capture_output=True, check=False)
        self.assertEqual(done.returncode, 3)
        ((key, answer),) = self.read(self.trusted_preload).items()
        self.assertEqual(json.loads(key), [ECHO, False])
        self.assertEqual(answer[0], 3)
        self.assertEqual(answer[1].encode("latin-1"), done.stdout)
        self.assertEqual(answer[2], "")

    def test_without_provisions_nothing_is_changed(self) -> None:
        before = subprocess.run
        for role in ("builder", "kernel", "watched"):
            equip(role, "cpu", True, True)()
            self.assertIs(subprocess.run, before)
        self.assertEqual(os.listdir(self.cache), [])
        self.assertNotIn(self.cache, os.environ.get("TRITON_CACHE_DIR", ""))

    def test_a_builder_has_them_and_adds_its_own(self) -> None:
        self.write(self.trusted_preload, gcc=[0, "13", ""])
        equip("builder", "cpu", False, False)()
        subprocess.run(ECHO, capture_output=True, check=False)
        self.assertEqual(len(self.read(self.cache)), 2)
        self.assertEqual(len(self.read(self.trusted_preload)), 1)  # Not there.

    def test_a_kernel_worker_is_answered_as_the_provider_was(self) -> None:
        self.write(self.trusted_preload, gcc=[0, "13", None])
        equip("kernel", "cpu", False, False)
        self.assertEqual(self.looks_into(), self.trusted_preload)
        done = subprocess.run(["gcc"], text=True, check=True)
        self.assertEqual((done.returncode, done.stdout), (0, "13"))
        self.assertIsNone(done.stderr)
        self.assertEqual(subprocess.call(["gcc"], text=True), 0)
        # What is not known is asked for: it may still do anything.
        self.assertEqual(
            subprocess.run(ECHO, capture_output=True, check=False).returncode, 3
        )
        self.assertEqual(len(self.read(self.trusted_preload)), 1)

    def test_with_a_candidate_it_has_its_builders_and_runs_nothing(self) -> None:
        for role in ("kernel", "watched"):
            self.write(self.trusted_preload, gcc=[0, "13", ""])
            self.write(self.cache, gcc=[0, "14", ""])
            hand_over = equip(role, "cpu", False, False)
            hand_over()
            self.assertEqual(self.looks_into(), self.cache)
            self.assertEqual(
                subprocess.run(["gcc"], text=True, check=False).stdout, "14"
            )
            with mock.patch("sys.stderr"):
                with self.assertRaisesRegex(
                    PermissionError, "nothing is run here"
                ):
                    subprocess.run(ECHO, capture_output=True, check=False)

    def test_a_builders_cache_is_its_own_from_the_beginning(self) -> None:
        self.write(self.trusted_preload)
        with mock.patch.object(compiling, "_look_into") as look:
            equip("builder", "cpu", False, False)()
            look.assert_not_called()

    def test_only_what_is_used_is_loaded(self) -> None:
        for uses_triton, uses_torch in ((True, False), (False, True)):
            with (
                mock.patch.object(compiling, "_load_triton") as triton,
                mock.patch.object(compiling, "_set_torch_up") as torch,
            ):
                equip("provider", "cuda:0", uses_triton, uses_torch)
            self.assertEqual(triton.called, uses_triton)
            self.assertEqual(torch.called, uses_torch)
            if uses_torch:
                torch.assert_called_once_with("provider", "cuda:0")


class AnswersTest(FolderTest):
    def answers(self, **known: Any) -> compiling._Answers:
        self.write(self.cache, **known)
        return compiling._Answers(
            known_from=os.path.join(self.cache, "answers.json")
        )

    def test_text_and_bytes_are_different_questions(self) -> None:
        answers = self.answers(gcc=[0, "13", ""])
        answers.may_run = False
        self.assertEqual(answers.run(args=["gcc"], text=True).stdout, "13")
        with mock.patch("sys.stderr"), self.assertRaises(PermissionError):
            answers.run(["gcc"])

    def test_bytes_are_what_they_were(self) -> None:
        answers = self.answers()
        done = subprocess.CompletedProcess(["nvcc"], 0, bytes(range(256)), None)
        key = json.dumps([["nvcc"], False])
        answers.record(key, done)
        again = answers.run(["nvcc"])
        self.assertEqual(again.stdout, bytes(range(256)))
        self.assertIsNone(again.stderr)

    def test_a_failure_is_one_where_it_is_to_be_checked(self) -> None:
        answers = self.answers(gcc=[4, "", "no"])
        self.assertEqual(answers.run(["gcc"], text=True).returncode, 4)
        self.assertEqual(answers.call(["gcc"], text=True), 4)
        with self.assertRaises(subprocess.CalledProcessError):
            answers.run(["gcc"], text=True, check=True)

    def test_who_only_knows_writes_nothing(self) -> None:
        answers = self.answers(gcc=[0, "13", ""])
        os.remove(os.path.join(self.cache, "answers.json"))
        answers.keep()
        self.assertEqual(os.listdir(self.cache), [])

    def test_a_folder_without_answers_leaves_those_that_were(self) -> None:
        answers = self.answers(gcc=[0, "13", ""])
        answers.hand_over(os.path.join(self.cache, "others.json"))
        self.assertEqual(answers.run(["gcc"], text=True).stdout, "13")
        self.assertFalse(answers.may_run)


class SettingsTest(FolderTest):
    def test_nothing_that_is_tuned_is_kept_with_a_graph(self) -> None:
        from torch._inductor import config

        name = "use_static_cuda_launcher"
        if not hasattr(config, name):
            self.skipTest("this torch has no such launcher")
        with config.patch({name: True}):
            compiling.keep_what_is_tuned()
            self.assertFalse(getattr(config, name))
        self.assertEqual(
            os.environ["TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER"], "0"
        )

    def test_torch_is_set_up_by_role_and_device(self) -> None:
        names = ("TORCHINDUCTOR_VEC_ISA_OK", "TORCHINDUCTOR_COMPILE_THREADS")
        for role, device, expected, is_bound in (
            ("builder", "cpu", (None, None), False),
            ("builder", "cuda:0", ("0", None), False),
            ("provider", "cuda:0", ("0", "1"), False),
            ("kernel", "cpu", (None, "1"), True),
            ("watched", "cpu", (None, "1"), True),
        ):
            for name in names:
                os.environ.pop(name, None)
            from torch._inductor import config

            with (
                mock.patch.object(compiling, "_write_nothing") as bound,
                mock.patch("tempfile.tempdir", None),
                mock.patch("torch._inductor.cpu_vec_isa.pick_vec_isa"),
                config.patch(cpp_cache_precompile_headers=True),
            ):
                compiling._set_torch_up(role, device)
                self.assertEqual(tempfile.tempdir, "/tmp")
                self.assertFalse(config.cpp_cache_precompile_headers)
            self.assertEqual(tuple(map(os.environ.get, names)), expected)
            self.assertEqual(bound.called, is_bound, role)

    def test_without_vectors_on_the_host_it_goes_on(self) -> None:
        with (
            mock.patch(
                "torch._inductor.cpu_vec_isa.pick_vec_isa",
                side_effect=RuntimeError("no AMX"),
            ),
            mock.patch("tempfile.tempdir", None),
            mock.patch("builtins.print") as said,
        ):
            compiling._set_torch_up("provider", "cpu")
        self.assertEqual(
            said.call_args.args[0], "without vectors on the host: no AMX"
        )

    def test_nobody_locks_and_a_write_that_fails_is_none(self) -> None:
        import filelock
        from torch._inductor import codecache

        class Base:
            acquire = release = None

        with (
            mock.patch.object(filelock, "BaseFileLock", Base),
            mock.patch.object(
                codecache, "write_atomic", side_effect=PermissionError
            ) as write,
        ):
            compiling._write_nothing()
            codecache.write_atomic("path", "text")
            write.assert_called_once_with("path", "text")
            write.side_effect = ValueError
            with self.assertRaises(ValueError):
                codecache.write_atomic("path", "text")
            lock: Any = Base()
            self.assertIs(lock.acquire(timeout=3), lock)
            self.assertIsNone(lock.release())

    def test_tritons_own_libdevice_is_chosen_where_there_is_one(self) -> None:
        place = os.path.join(self.cache, "backends/nvidia/lib")
        os.makedirs(place)
        library = os.path.join(place, "libdevice.10.bc")
        spec = mock.Mock(origin=os.path.join(self.cache, "__init__.py"))
        name = "TRITON_LIBDEVICE_PATH"
        os.environ.pop(name, None)
        for found in (None, mock.Mock(origin=None), spec):
            with mock.patch("importlib.util.find_spec", return_value=found):
                compiling._choose_libdevice()
            self.assertNotIn(name, os.environ)
        with open(library, "wb"), mock.patch(
            "importlib.util.find_spec", return_value=spec
        ):
            compiling._choose_libdevice()
        self.assertEqual(os.environ[name], library)

    def test_triton_is_loaded_where_it_is(self) -> None:
        triton = mock.Mock()
        driver = triton.runtime.driver.active.get_current_target
        for spec, is_loaded in ((None, False), (object(), True)):
            with (
                mock.patch("importlib.util.find_spec", return_value=spec),
                mock.patch.dict(sys.modules, {"triton": triton}),
            ):
                compiling._load_triton()
            self.assertEqual(driver.called, is_loaded)
        backend = triton.compiler.make_backend
        backend.assert_called_once_with(driver.return_value)
        backend.return_value.hash.assert_called_once_with()


if __name__ == "__main__":
    unittest.main()
