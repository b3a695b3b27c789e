"""Which commands of nvcc's are run at the same time; needs no nvcc."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from inline import nvcc  # pylint: disable=wrong-import-position

# As nvcc 13.0 prints them, without most of their flags.
HOST = """\
#$ TOP=/cuda/bin/..
#$ CICC_PATH=/cuda/bin/../nvvm/bin
#$ PATH=/cuda/bin:/usr/bin
#$ gcc -std=c++17 -E -x c++ -D "NAME=relu" "cuda.cu" -o "1.keep/cuda.cpp4.ii"
#$ cudafe++ --c++17 --gen_c_file_name "1.keep/cuda.cudafe1.cpp" """ \
    """--gen_module_id_file --module_id_file_name "1.keep/cuda.module_id" x.ii
"""
DEVICE = """\
#$ gcc -std=c++17 -E -x c++ -D__CUDA_ARCH__=900 "cuda.cu" -o "cuda.cpp1.ii"
#$ "$CICC_PATH/cicc" --c++17 --module_id_file_name "1.keep/cuda.module_id" y.ii
#$ ptxas -arch=sm_90 "1.keep/cuda.ptx" -o "1.keep/cuda.cubin"
#$ fatbinary --image3=kind=elf,sm=90,file=1.keep/cuda.cubin
"""
LAST = '#$ gcc -c -x c++ "1.keep/cuda.cudafe1.cpp" -o "1.o"\n'


class Read(unittest.TestCase):
    def test_parts_what_is_for_the_host_from_what_is_for_the_device(self):
        plan = nvcc.read_plan(HOST + DEVICE + LAST)
        assert plan is not None
        self.assertEqual([words[0] for words in plan.host],
                         ["gcc", "cudafe++"])
        self.assertEqual([words[0] for words in plan.device],
                         ["gcc", "/cuda/bin/../nvvm/bin/cicc", "ptxas",
                          "fatbinary"])
        self.assertEqual(plan.last[-2:], ["-o", "1.o"])
        self.assertEqual(plan.environment["PATH"], "/cuda/bin:/usr/bin")
        self.assertIn("NAME=relu", plan.host[0])  # Its quotes were a shell's.

    def test_the_name_is_given_to_both(self):
        plan = nvcc.read_plan(HOST + DEVICE + LAST)
        assert plan is not None
        self.assertEqual(plan.module_id, "1.keep/cuda.module_id")
        self.assertNotIn("--gen_module_id_file", plan.host[1])
        self.assertIn("--module_id_file_name", plan.host[1])

    def test_takes_architectures_one_after_the_other(self):
        other = "".join(DEVICE.splitlines(keepends=True)[:3])
        plan = nvcc.read_plan(HOST + other + DEVICE + "#$ rm x.fatbin\n" + LAST)
        assert plan is not None
        self.assertEqual(len(plan.device), 7)

    def test_leaves_to_nvcc_what_it_does_not_know(self):
        gcc, rest = DEVICE.split("\n", 1)
        in_parallel = gcc + "\n" + HOST + rest + LAST  # With --threads.
        for printed in (in_parallel, HOST + DEVICE, "",
                        HOST.replace("--gen_module_id_file ", "") + DEVICE +
                        LAST,
                        HOST + DEVICE + LAST.replace("-c", '-c "$HOME"'),
                        HOST + DEVICE + LAST.replace('.o"', ".o"),
                        "nvcc warning : it is old\n" + HOST + DEVICE + LAST):
            self.assertIsNone(nvcc.read_plan(printed), printed)


class Compile(unittest.TestCase):
    """With programs of a few lines in the places of nvcc's."""

    def setUp(self) -> None:
        # pylint: disable=consider-using-with
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)
        (self.folder / "k.cu").write_text("source")
        for name in ("gcc", "cudafe++", "cicc", "ptxas", "fatbinary"):
            self.program(name, f"echo {name} >>done")
        self.program("nvcc", f"""case "$*" in
*--dryrun*) cat >&2 <<'LINES'
#$ CICC_PATH={self.folder}
#$ PATH={self.folder}:/usr/bin:/bin
#$ gcc -E k.cu
#$ cudafe++ --gen_module_id_file --module_id_file_name 1.o.keep/k.module_id
#$ gcc -E -D__CUDA_ARCH__=900 k.cu
#$ "$CICC_PATH/cicc" --module_id_file_name 1.o.keep/k.module_id
#$ ptxas
#$ fatbinary
#$ gcc -c
LINES
;;
*) echo nvcc >>done;;
esac""")

    def program(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def compile(self) -> tuple[bool, str]:
        return nvcc.compile_cuda([str(self.folder / "nvcc"), "-Xptxas", "-c", "-c",
                                  "k.cu", "-o", "1.o"], self.folder)

    def done(self) -> list[str]:
        return (self.folder / "done").read_text().split()

    def test_runs_all_and_the_last_of_all_after_them(self):
        self.assertEqual(self.compile(), (True, ""))
        self.assertEqual(sorted(self.done()), sorted(
            ["gcc", "cudafe++", "gcc", "cicc", "ptxas", "fatbinary", "gcc"]))
        self.assertEqual(self.done()[-1], "gcc")
        name = (self.folder / "1.o.keep" / "k.module_id").read_text()
        self.assertRegex(name, r"^_[0-9a-f]{8}_4_k_cu_[0-9a-f]{8}_1$")

    def test_says_what_the_first_half_says_where_both_fail(self):
        self.program("cudafe++", "echo no such thing; exit 2")
        self.program("cicc", "echo no such thing, either; exit 2")
        self.assertEqual(self.compile(), (False, "no such thing\n"))

    def test_says_that_a_program_was_killed(self):
        self.program("cicc", "kill -9 $$")
        done, said = self.compile()
        self.assertFalse(done)
        self.assertIn("cicc: killed by signal 9", said)

    def test_asks_for_commands_that_keep_files_in_a_folder_of_the_object(self):
        whole = (self.folder / "nvcc").read_text()
        (self.folder / "nvcc").write_text(
            whole.replace("case", 'echo "$*" >>asked\ncase', 1))
        self.compile()
        self.assertEqual(
            (self.folder / "asked").read_text(),
            "-Xptxas -c -c k.cu -o 1.o --dryrun --keep --keep-dir 1.o.keep\n")
        self.assertEqual(self.compile(), (True, ""))  # The folder is there.

    def test_names_differ_by_the_text_and_by_the_path(self):
        def name() -> str:
            self.compile()
            return (self.folder / "1.o.keep" / "k.module_id").read_text()

        first = name()
        self.assertEqual(name(), first)
        (self.folder / "k.cu").write_text("another")
        self.assertNotEqual(name(), first)

    def test_says_what_both_halves_and_the_last_say(self):
        self.program("cudafe++", "echo front")
        self.program("ptxas", "printf 'bytes \\377\\n' >&2")
        done, said = self.compile()
        self.assertTrue(done)
        # What is no text of UTF-8 is said somehow.
        self.assertEqual(said, "front\nbytes \ufffd\n")

    def test_runs_nothing_after_what_has_failed(self):
        self.program("cicc", "exit 3")
        self.assertEqual(self.compile(), (False, ""))
        self.assertNotIn("ptxas", self.done())
        self.assertEqual(self.done().count("gcc"), 2)  # And not the last.

    def test_where_nvcc_gives_no_commands_it_is_run_itself(self):
        self.program("nvcc", """case "$*" in
*--dryrun*) exit 1;;
*) echo nvcc >>done; echo no; exit 2;;
esac""")
        self.assertEqual(self.compile(), (False, "no\n"))
        self.assertEqual(self.done(), ["nvcc"])

    def test_leaves_it_to_nvcc_where_its_commands_are_others(self):
        whole = (self.folder / "nvcc").read_text()
        (self.folder / "nvcc").write_text(whole.replace("#$ ptxas", "#$ nvlink"))
        self.assertEqual(self.compile(), (True, ""))
        self.assertEqual(self.done(), ["nvcc"])


if __name__ == "__main__":
    unittest.main()
