#!/usr/bin/env python3
"""check_portable and check_glibc_floor: what programs need to be loaded."""

import contextlib
import io
import subprocess
import types
import unittest
from unittest import mock

import check_glibc_floor
import check_portable

DYNAMIC = """
 0x0001 (NEEDED)   Shared library: [libc.so.6]
 0x0001 (NEEDED)   Shared library: [libcurl.so.4]
"""


class PortableTest(unittest.TestCase):
    def breaches(self, dynamic, versions=""):
        return list(check_portable.breaches(dynamic, versions))

    def test_what_is_everywhere_is_no_breach(self):
        self.assertEqual(self.breaches(DYNAMIC, "Name: GLIBC_2.36 Flags"), [])

    def test_each_library_that_is_not_is_one(self):
        self.assertEqual(self.breaches(DYNAMIC.replace("curl", "fmt")),
                         ["needs libfmt.so.4"])
        self.assertEqual(
            self.breaches(" 0x001d (RUNPATH) Library runpath: [/opt/lib]\n"),
            ["looks for libraries in a directory of its own"])

    def test_a_version_is_a_number_of_parts(self):
        self.assertEqual(
            self.breaches("", "Name: GLIBC_2.9\nName: GLIBC_2.38\n"
                              "Name: GLIBC_2.38\nName: GLIBC_2.4.1\n"),
            ["needs glibc 2.38"])

    def test_all_programs_are_told_of(self):
        with (mock.patch.object(check_portable, "readelf",
                                lambda option, program: DYNAMIC + (
                                    " (NEEDED) [libx.so]\n"
                                    if program == "b" else "")),
              contextlib.redirect_stdout(io.StringIO()) as said):
            self.assertEqual(check_portable.main(["a"]), 0)
            self.assertEqual(check_portable.main(["a", "b"]), 1)
        self.assertEqual(said.getvalue(), "b: needs libx.so\n")


TABLE = """
0000 g    DF .text  0010  Base        main
0000      DF *UND*  0000 (GLIBC_2.27) old
0000      DF *UND*  0000 (GLIBC_2.34) arc4random
0000      DF *UND*  0000 (GLIBC_2.29) exp
0000      DF *UND*  0000  GLIBC_2.33  stat
0000  w   DF *UND*  0000  Base        __cxa_finalize
"""


class FloorTest(unittest.TestCase):
    def said(self, floor):
        done = types.SimpleNamespace(stdout=TABLE)
        path = mock.Mock(read_text=lambda: floor)
        path.name = "glibc_floor.c"
        with (mock.patch.object(subprocess, "run", lambda *_, **__: done),
              mock.patch.object(check_glibc_floor, "FLOOR", path),
              contextlib.redirect_stdout(io.StringIO()) as said):
            status = check_glibc_floor.main(["a"])
        return status, said.getvalue()

    def test_a_later_function_has_to_be_written(self):
        self.assertEqual(self.said("// arc4random is none\n"), (
            1, "a: arc4random is of glibc 2.34: write it in "
               "cmake/glibc_floor.c\n"))

    def test_one_that_is_written_or_has_an_older_version_is_there(self):
        self.assertEqual(self.said("uint32_t arc4random(void) {\n"), (0, ""))

    def test_what_older_ones_have_is_told_by_its_whole_name(self):
        old = check_glibc_floor.ALSO_OLD
        for name in ("exp", "log2", "fstat64", "dlsym", "pthread_once"):
            self.assertTrue(old.fullmatch(name), name)
        for name in ("exp10", "fstatat", "dlmopen", "pthread_clockjoin_np"):
            self.assertFalse(old.fullmatch(name), name)


if __name__ == "__main__":
    unittest.main()
