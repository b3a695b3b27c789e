"""kept_pass.py: what is run again, and what is not."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class KeptPassTest(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.home = pathlib.Path(self.folder.name)
        self.source = self.home / "source"
        self.source.mkdir()
        (self.source / "one.txt").write_text("1")
        # In a tree of its own, whose root is the folder above the script's.
        (self.home / "tests").mkdir()
        self.script = self.home / "tests/kept_pass.py"
        self.script.write_bytes((HERE / "kept_pass.py").read_bytes())

    def run_it(self, shell, *words, **variables):
        """Its exit code, and how often `shell` has run so far."""
        done = subprocess.run(
            [sys.executable, self.script, "--unless-said", "has no .orch",
             "--of", "source", "--", "sh", "-c",
             f"echo >>{self.home}/ran; {shell}", *words],
            env=os.environ | {"XDG_CACHE_HOME": str(self.home / "cache")}
            | variables, check=False, stdout=subprocess.DEVNULL)
        ran = self.home / "ran"
        return done.returncode, len(ran.read_text()) if ran.exists() else 0

    def test_what_passed_is_not_run_again(self):
        self.assertEqual(self.run_it("true"), (0, 1))
        self.assertEqual(self.run_it("true"), (0, 1))

    def test_what_failed_or_was_skipped_is(self):
        self.assertEqual(self.run_it("exit 3"), (3, 1))
        self.assertEqual(self.run_it("exit 3"), (3, 2))
        self.assertEqual(self.run_it("exit 77"), (77, 3))
        self.assertEqual(self.run_it("exit 77"), (77, 4))
        skips = "echo it has no Torch"
        self.assertEqual(self.run_it(skips), (77, 5))
        self.assertEqual(self.run_it(skips), (77, 6))

    def test_what_skipped_a_part_and_failed_another_has_failed(self):
        self.assertEqual(self.run_it("echo it has no Torch; exit 1"), (1, 1))

    def test_what_a_signal_ended_has_failed(self):
        self.assertEqual(self.run_it("kill -9 $$"), (137, 1))

    def test_any_change_runs_it_again(self):
        self.run_it("true")
        (self.source / "one.txt").write_text("2")
        self.assertEqual(self.run_it("true"), (0, 2))
        (self.source / "two.txt").write_text("")
        self.assertEqual(self.run_it("true"), (0, 3))
        (self.source / "two.txt").unlink()
        self.assertEqual(self.run_it("true"), (0, 3))  # Known from before.
        self.assertEqual(self.run_it("true;"), (0, 4))  # Another command.

    def test_whoever_asks_has_it_run_anew(self):
        self.run_it("true")
        self.assertEqual(self.run_it("true", COPPICE_TEST_ANEW="1"), (0, 2))

    def test_a_program_older_than_its_source_proves_nothing(self):
        program = self.home / "build/program"
        program.parent.mkdir()
        program.write_text("")
        os.utime(program, (0, 0))
        self.assertEqual(self.run_it("true", program), (0, 1))
        self.assertEqual(self.run_it("true", program), (0, 2))
        program.touch()
        self.assertEqual(self.run_it("true", program), (0, 3))
        self.assertEqual(self.run_it("true", program), (0, 3))

    def test_what_changes_meanwhile_is_not_kept(self):
        change = f"echo 2 >{self.source}/one.txt"
        self.assertEqual(self.run_it(change), (0, 1))
        (self.source / "one.txt").write_text("1")
        self.assertEqual(self.run_it(change), (0, 2))

    def test_a_path_that_is_not_there_is_an_error(self):
        (self.source / "one.txt").unlink()
        self.source.rmdir()
        self.assertEqual(self.run_it("true"), (1, 0))


if __name__ == "__main__":
    unittest.main()
