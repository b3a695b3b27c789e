#!/usr/bin/env python3
"""own_kernels: rows of the table, of what a program is made to say."""

import json
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

import own_kernels

MADE = """\
softmax: a task
shapes: rows=4
x  float32[rows]  normal
y  float32[rows]  written
the function takes 1.5 ms; the expert 0.5 ms
"""


def done(stdout="", stderr="", status=0):
    return subprocess.CompletedProcess([], status, stdout, stderr), 90.0


class OwnKernelsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def kernel(self, name):
        file = self.folder / name
        file.write_text("void k() {\n\n}\n")
        return file

    def row(self, name, answers):
        """`answers` by the verb that is asked."""
        self.asked = []

        def run(words, _):
            self.asked.append(words)
            return answers[words[1]]

        with mock.patch.object(own_kernels, "run", run):
            return own_kernels.row("coppice", self.kernel(name), self.folder)

    def test_a_row_tells_what_was_typed_and_what_came_of_it(self):
        answers = {"new": done(MADE), "run": done(),
                   "best": done(json.dumps([{"speedup": 2.5}]))}
        # Two lines that are not empty; 90 s are 1.5 minutes.  Above "shapes:"
        # is one line, the first of which is a title.
        self.assertEqual(
            self.row("nbody.cc", answers),
            "| nbody.cc | 2 | `--input mass=positive` | 0 | 1.5 | 1.5 |"
            " 1.5 ms | 2.50 | - |")
        self.assertEqual(self.asked[0], [
            "coppice", "new", str(self.folder / "nbody.cc"), "nbody",
            "--input", "mass=positive"])

    def test_a_kernel_in_python_is_not_searched_on(self):
        row = self.row("scan.py", {"new": done(MADE)})
        self.assertEqual(row, "| scan.py | 2 | - | 0 | 1.5 | - | 1.5 ms | - "
                         "| - |")

    def test_one_that_makes_no_task_says_why(self):
        self.assertEqual(
            self.row("a.c", {"new": done(stderr="no loop\n", status=2)}),
            "| a.c | no loop |")

    def test_an_expert_is_held_against_the_root_by_medians(self):
        (self.folder / "gemm").mkdir()
        (self.folder / "gemm/expert.cc").touch()
        # 3 / 1 and 12 / 1, whose geometric mean is 6; one was not timed.
        judged = json.dumps({"workloads": [
            {"root_samples_s": [3.0, 3.0, 90.0], "samples_s": [1.0, 1.0, 1.0]},
            {"root_samples_s": [12.0], "samples_s": [1.0]},
            {"root_samples_s": [], "samples_s": []}]})
        with mock.patch.object(own_kernels, "run",
                               lambda *_: done(judged)):
            self.assertEqual(
                own_kernels.expert_of("coppice", "gemm", self.folder), "6.00")
        with mock.patch.object(own_kernels, "run", lambda *_: done("")):
            self.assertEqual(
                own_kernels.expert_of("coppice", "gemm", self.folder), "-")

    def test_a_speedup_that_is_not_there_is_a_dash(self):
        self.assertEqual(own_kernels.times(1), "1.00")
        self.assertEqual(own_kernels.times(None), "-")

    def test_the_table_is_written_in_the_place_of_the_last(self):
        page = self.folder / "docs/your_own_kernel.md"
        page.parent.mkdir()
        page.write_text("Before.\n\n| kernel | lines |\n|---|---|\n| a | 1 |\n"
                        "\nAfter.\n")
        with mock.patch.object(own_kernels, "FOLDER",
                               self.folder / "tests/own_kernels"):
            own_kernels.write_docs(["| kernel | lines |", "| b | 2 |"])
        self.assertEqual(page.read_text(), "Before.\n\n| kernel | lines |\n"
                         "| b | 2 |\n\nAfter.\n")


if __name__ == "__main__":
    unittest.main()
