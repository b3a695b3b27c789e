#!/usr/bin/env python3
"""Scripts of the shell: what they refuse, and what no_object makes."""

import pathlib
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent


def run(script, *words, where=None):
    return subprocess.run([SCRIPTS / script, *words], cwd=where, text=True,
                          capture_output=True, check=False)


class RefusalsTest(unittest.TestCase):
    def test_unknown_words_are_refused_before_anything_is_done(self):
        for script, *words in (("check_format", "--mend"),
                               ("setup", "everything"),
                               ("debian_root",),
                               ("debian_root", "remove", "/no/where")):
            with self.subTest(script=script, words=words):
                done = run(script, *words)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"usage: scripts/{script} ", done.stderr)
                self.assertEqual(done.stdout, "")

    def test_a_root_wants_its_name_and_who_enters_a_command(self):
        with tempfile.TemporaryDirectory() as folder:
            for words, why in (
                    (["make"], "usage: debian_root make ROOT"),
                    (["make", "a", "b"], "usage: debian_root make ROOT"),
                    (["enter", folder], "usage: debian_root enter"),
                    (["enter", "--root", folder], "usage: debian_root enter"),
                    (["enter", folder, "true"],
                     f"{folder}: is no root; make one first")):
                with self.subTest(words=words):
                    done = run("debian_root", *words)
                    self.assertEqual(done.returncode, 1)
                    self.assertIn(why, done.stderr)


class NoObjectTest(unittest.TestCase):
    """Of a compiler that writes its words down."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.compiler = self.folder / "compiler"
        self.compiler.write_text('#!/bin/sh\nprintf "%s\\n" "$@" >words\n')
        self.compiler.chmod(0o755)

    def made(self, *words):
        """The compiler's words, if it was started."""
        done = run("no_object", *words, where=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        said = self.folder / "words"
        return said.read_text().splitlines() if said.exists() else None

    def test_of_an_object_only_the_headers_are_found(self):
        self.assertEqual(
            self.made(str(self.compiler), "-MD", "-DA=b c", "-o", "a.o", "-c",
                      "a.cc"),
            ["-MD", "-DA=b c", "a.cc", "-E", "-o", "/dev/null"])
        self.assertEqual((self.folder / "a.o").read_bytes(), b"")

    def test_what_is_linked_is_empty_and_starts_no_compiler(self):
        self.assertIsNone(self.made(str(self.compiler), "a.o", "-o",
                                    "program"))
        self.assertEqual((self.folder / "program").read_bytes(), b"")

    def test_so_is_a_library(self):
        self.assertIsNone(self.made("qc", "liba.a", "a.o"))
        self.assertEqual((self.folder / "liba.a").read_bytes(), b"")


if __name__ == "__main__":
    unittest.main()
