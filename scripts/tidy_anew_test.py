#!/usr/bin/env python3
"""tidy_anew: which sources clang-tidy is started for."""

import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest
from unittest import mock

PATH = pathlib.Path(__file__).with_name("tidy_anew")
LOADER = importlib.machinery.SourceFileLoader("tidy_anew", str(PATH))
tidy_anew = importlib.util.module_from_spec(
    importlib.util.spec_from_loader(LOADER.name, LOADER))
LOADER.exec_module(tidy_anew)


class TidyAnewTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / ".clang-tidy").write_text("Checks: '*'\n")
        for name, value in (
                ("ROOT", self.root), ("kept", lambda _: self.root / "kept"),
                ("machine_of", lambda tool: f"{tool} 14"),
                ("fingerprint", self.fingerprint),
                ("is_of_part", lambda source: source.name != "other.cc")):
            patch = mock.patch.object(tidy_anew, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def fingerprint(self, machine, source, words):
        self.of = (machine, source.name)
        return source.stem + str(len(words))

    def run_main(self, *words, status=0):
        """The exit status, and whether clang-tidy was started."""
        with (mock.patch("sys.argv", ["tidy_anew", *words]),
              mock.patch("subprocess.run") as run):
            run.return_value.returncode = status
            return tidy_anew.main(), run.called

    def test_what_has_passed_is_not_looked_at_again(self):
        words = ("-p", "build", "a.cc", "--", "g++", "-c", "a.cc")
        self.assertEqual(self.run_main(*words), (0, True))
        self.assertEqual(self.run_main(*words), (0, False))
        self.assertEqual(self.of, ("clang-tidy 14Checks: '*'\n", "a.cc"))

    def test_what_has_failed_is(self):
        self.assertEqual(self.run_main("a.cc", status=1), (1, True))
        self.assertEqual(self.run_main("a.cc", status=1), (1, True))

    def test_the_source_is_the_last_word_before_the_compiler(self):
        self.run_main("-p", "build", "b.cc", "--", "g++", "c.cc")
        self.assertEqual(self.of[1], "b.cc")
        self.run_main("-p", "build", "c.cc")
        self.assertEqual(self.of[1], "c.cc")

    def test_what_is_of_another_day_is_left_alone(self):
        self.assertEqual(self.run_main("other.cc", status=1), (0, False))


if __name__ == "__main__":
    unittest.main()
