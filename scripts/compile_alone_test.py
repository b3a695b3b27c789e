#!/usr/bin/env python3
"""compile_alone: what is looked at, and by which words."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

PATH = pathlib.Path(__file__).with_name("compile_alone")
LOADER = importlib.machinery.SourceFileLoader("compile_alone", str(PATH))
compile_alone = importlib.util.module_from_spec(
    importlib.util.spec_from_loader(LOADER.name, LOADER))
LOADER.exec_module(compile_alone)


class CompileAloneTest(unittest.TestCase):
    """Of a tree that each test writes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, value in (("ROOT", self.root), ("BUILD", self.root)):
            patch = mock.patch.object(compile_alone, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def write(self, name, text=""):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def commands(self, which, *entries):
        self.write("compile_commands.json", json.dumps([
            {"file": str(self.root / file), "directory": "/b",
             "command": command} for file, command in entries]))
        with mock.patch("subprocess.run"):
            return list(compile_alone.commands(which))

    def test_words_are_those_of_the_command_without_what_it_makes(self):
        words = ["-I/x", "-DNAME=a b", "a.cc"]
        for command in ("g++ -I/x '-DNAME=a b' -o a.o -c a.cc",
                        "/usr/bin/ccache g++ -I/x -DNAME='a b' -o a.o -c a.cc"):
            with self.subTest(command=command):
                self.assertEqual(self.commands("all", ("a.cc", command)),
                                 [(self.root / "a.cc", "/b", words)])

    def test_programs_are_without_the_tests(self):
        entries = [(name, f"g++ -c {name}") for name in
                   ("a.cc", "a_test.cc", "tests/b.cc", "own/tests.cc")]
        self.assertEqual([source.name for source, _, _ in
                          self.commands("programs", *entries)],
                         ["a.cc", "tests.cc"])
        self.assertEqual(len(self.commands("all", *entries)), 4)

    def test_a_header_is_covered_by_the_source_that_begins_with_it(self):
        header = self.write("a/b.h")
        self.assertFalse(compile_alone.has_own_source(header))
        for text, is_covered in (
                ('#include "a/b.h"\n#include "a/c.h"\n', True),
                ('#include <vector>\n\n#include "a/b.h"\n', True),
                ('#include "a/c.h"\n#include "a/b.h"\n', False),
                ("int b;\n", False)):
            with self.subTest(text=text):
                self.write("a/b.cc", text)
                self.assertEqual(compile_alone.has_own_source(header),
                                 is_covered)

    def test_other_headers_are_looked_at_as_who_includes_them(self):
        source = self.write(
            "a.cc", '#include "a.h"\n#include "b.h"\n#include "own.h"\n')
        self.write("a.h")
        self.write("b.h")
        with mock.patch("subprocess.run") as run:
            run.return_value.stdout = "a.h\nb.h\nnobodys.h\n"
            work = compile_alone.with_headers(
                [(source, "/b", ["-I/x", str(source)])])
        # own.h is not listed: it is made by the build.
        self.assertEqual(work[1:], [
            (self.root / "b.h", "/b", ["-I/x", "-x", "c++", "-"])])

    def test_the_newest_clang_is_that_of_the_highest_number(self):
        for name in ("one/clang++-9", "one/clang++", "two/clang++-19",
                     "two/clang++-14", "two/clang++-20-extra"):
            self.write(name)
        path = f"{self.root}/one:{self.root}/none:{self.root}/two"
        with mock.patch.dict(os.environ, {"PATH": path}):
            self.assertEqual(compile_alone.newest_clang(), "clang++-19")
        with (mock.patch.dict(os.environ, {"PATH": f"{self.root}/none"}),
              self.assertRaisesRegex(SystemExit, "no clang")):
            compile_alone.newest_clang()

    def test_a_refusal_is_never_empty(self):
        with mock.patch("subprocess.run") as run:
            for status, said, complaint in ((0, "a note\n", ""),
                                            (1, "a.h:1: no\n", "a.h:1: no\n"),
                                            (1, "", "failed\n")):
                run.return_value.returncode = status
                run.return_value.stdout = said
                self.assertEqual(compile_alone.complaint(
                    "g++", pathlib.Path("/a.h"), "/b", ["-"]), complaint)
        self.assertEqual(run.call_args.kwargs["input"], '#include "/a.h"\n')


if __name__ == "__main__":
    unittest.main()
