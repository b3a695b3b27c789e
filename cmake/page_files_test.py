#!/usr/bin/env python3
"""Tests of page_files.py: what of a built page comes into the program."""

import gzip
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("page_files.py")

sys.path.insert(0, str(SCRIPT.parent))
import page_files  # noqa: E402


class PageFilesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dist = pathlib.Path(folder.name) / "dist"
        self.output = pathlib.Path(folder.name) / "page_files.cc"

    def build(self, **files):
        (self.dist / "assets").mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            where = "" if name == "index" else "assets/"
            suffix = ".html" if name == "index" else ".js"
            (self.dist / f"{where}{name}{suffix}").write_text(text)

    def make(self):
        subprocess.run([sys.executable, SCRIPT, self.dist, self.output],
                       check=True)
        return self.output.read_text()

    def test_without_a_page_the_list_is_empty(self):
        self.assertIn("return {};", self.make())

    def test_files_have_their_path_and_type(self):
        self.build(index="<p>", a1b2="let x")
        made = self.make()
        self.assertIn('{"/index.html", "text/html; charset=utf-8", ', made)
        self.assertIn('{"/assets/a1b2.js", "text/javascript", ', made)

    def test_an_equal_page_leaves_the_file_alone(self):
        self.build(index="<p>")
        self.make()
        first = self.output.stat().st_mtime_ns
        self.make()
        self.assertEqual(first, self.output.stat().st_mtime_ns)

    def test_a_literal_is_the_bytes(self):
        # "\x01" "2" must not become "\0012"; "??=" would be a trigraph.
        data = bytes(range(256)) + b"\x012??=\\\"" + gzip.compress(b"x", mtime=0)
        program = (f"#include <cstdio>\nconst char kData[] =\n"
                   f"{page_files.literal(data)};\n"
                   "int main() { fwrite(kData, 1, sizeof kData - 1, stdout); }\n")
        main = self.output.with_name("main.cc")
        main.write_text(program)
        subprocess.run(["g++", "-o", self.output.with_name("main"), main],
                       check=True)
        said = subprocess.run([self.output.with_name("main")], check=True,
                              capture_output=True).stdout
        self.assertEqual(data, said)


if __name__ == "__main__":
    unittest.main()
