#!/usr/bin/env python3
"""check_glibc_floor: programs are tables as objdump prints them."""

import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

import check_glibc_floor

TABLE = """\
coppice:     file format elf64-x86-64

DYNAMIC SYMBOL TABLE:
0000000000000000      DF *UND*  0000000000000000 (GLIBC_2.2.5) read
0000000000000000      DF *UND*  0000000000000000 (GLIBC_2.28) fcntl64
0000000000000000      DF *UND*  0000000000000000 (GLIBC_2.29) pow
0000000000000000      DF *UND*  0000000000000000 (GLIBC_2.32) pthread_getattr_np
0000000000000000      DF *UND*  0000000000000000 (GLIBC_2.34) __libc_start_main
0000000000000000      DF *UND*  0000000000000000 (GLIBC_2.38) __isoc23_strtol
0000000000000000  w   D  *UND*  0000000000000000  Base        _ITM_deregister
0000000000000000      DF *UND*  0000000000000000 (GLIBCXX_3.4.30) arc4random
0000000000401000 g    DF .text  0000000000000010 (GLIBC_2.99) ours
"""
FLOOR = """\
// __isoc23_strtol() is only named here.
long strtol_of_2_38(const char* text) { return 0; }
int pthread_getattr_np(pthread_t thread) { return 0; }
"""


class CheckGlibcFloorTest(unittest.TestCase):
    def said(self, floor):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = pathlib.Path(folder.name) / "glibc_floor.c"
        file.write_text(floor)
        out = io.StringIO()
        with (mock.patch.object(check_glibc_floor, "FLOOR", file),
              mock.patch("subprocess.run") as run,
              contextlib.redirect_stdout(out)):
            run.return_value.stdout = TABLE
            status = check_glibc_floor.main(["coppice"])
        return status, out.getvalue()

    def test_only_what_is_wanted_of_a_later_glibc_counts(self):
        with mock.patch("subprocess.run") as run:
            run.return_value.stdout = TABLE
            self.assertEqual(list(check_glibc_floor.later("coppice")), [
                (29, "pow"), (32, "pthread_getattr_np"),
                (34, "__libc_start_main"), (38, "__isoc23_strtol")])

    def test_what_2_28_has_in_another_version_is_not_lacking(self):
        self.assertEqual(self.said(FLOOR), (
            1, "coppice: __isoc23_strtol is of glibc 2.38: write it in "
            "cmake/glibc_floor.c\n"))

    def test_a_comment_writes_no_function_but_a_definition_or_alias_does(self):
        for line in ("long __isoc23_strtol(const char* text) { return 0; }\n",
                     "extern long __isoc23_strtol = strtol;\n"):
            with self.subTest(line=line):
                self.assertEqual(self.said(FLOOR + line), (0, ""))

    def test_without_a_program_it_says_how_it_is_used(self):
        with self.assertRaisesRegex(SystemExit, "usage"):
            check_glibc_floor.main([])


if __name__ == "__main__":
    unittest.main()
