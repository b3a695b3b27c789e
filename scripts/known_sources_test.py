#!/usr/bin/env python3
"""known_sources and processors: what need not be looked at again, and what
measures side by side."""

import os
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

import known_sources
import processors


class FingerprintTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        there = mock.patch.object(known_sources, "ROOT", self.root)
        there.start()
        self.addCleanup(there.stop)
        self.write("a.cc", '#include "a.h"\n#include <vector>\nint a;\n')
        self.write("a.h", '#include "b.h"\n')
        self.write("b.h", "int b;\n")

    def write(self, name, text):
        (self.root / name).write_text(text)
        return self.root / name

    def of(self, *arguments, machine="g++ 12"):
        return known_sources.fingerprint(machine, self.root / "a.cc", arguments)

    def test_it_is_the_same_until_something_that_counts_has_changed(self):
        before = self.of("-O2")
        self.assertEqual(self.of("-O2"), before)
        self.write("c.h", "of nobody")
        self.assertEqual(self.of("-O2"), before)
        for change in (lambda: self.of("-O3"),
                       lambda: self.of("-O2", machine="g++ 13")):
            self.assertNotEqual(change(), before)
        self.write("b.h", "int c;\n")  # Two includes away.
        self.assertNotEqual(self.of("-O2"), before)

    def test_where_the_tree_lies_is_no_matter(self):
        before = self.of(f"-I{self.root}/include")
        with tempfile.TemporaryDirectory() as other:
            other = pathlib.Path(other)
            for file in self.root.iterdir():
                (other / file.name).write_bytes(file.read_bytes())
            with mock.patch.object(known_sources, "ROOT", other):
                after = known_sources.fingerprint(
                    "g++ 12", other / "a.cc", [f"-I{other}/include"])
        self.assertEqual(after, before)

    def test_headers_that_include_each_other_end(self):
        self.write("b.h", '#include "a.h"\n')
        seen = set()
        known_sources.texts(self.root / "a.cc", seen)
        self.assertEqual({path.name for path in seen}, {"a.cc", "a.h", "b.h"})

    def test_each_source_is_of_one_part(self):
        sources = [self.root / f"{number}.cc" for number in range(40)]
        parts = []
        for part in (1, 2, 3):
            with mock.patch.dict(os.environ,
                                 {"COPPICE_TEST_PART": f"{part}/3"}):
                parts.append({s for s in sources
                              if known_sources.is_of_part(s)})
        self.assertEqual(set.union(*parts), set(sources))
        self.assertEqual(sum(map(len, parts)), len(sources))
        self.assertTrue(all(parts))
        with mock.patch.dict(os.environ):
            os.environ.pop("COPPICE_TEST_PART", None)
            self.assertTrue(all(map(known_sources.is_of_part, sources)))

    def test_names_are_kept_where_caches_are(self):
        with mock.patch.dict(os.environ, {"XDG_CACHE_HOME": "/c"}):
            self.assertEqual(known_sources.kept("tidy"),
                             pathlib.Path("/c/coppice-checks/tidy"))
        with mock.patch.dict(os.environ, {"XDG_CACHE_HOME": ""}):
            self.assertEqual(known_sources.kept("tidy").parts[-3:],
                             (".cache", "coppice-checks", "tidy"))


class ProcessorsTest(unittest.TestCase):
    def part(self, cores, number, parts):
        with (mock.patch("os.sched_getaffinity", lambda _: set(cores)),
              mock.patch.object(processors, "GROUPS",
                                pathlib.Path("/no/where"))):
            return processors.Part(number, parts)

    def test_processors_are_dealt_out_and_shared_where_they_are_few(self):
        eight = range(8, 16)
        self.assertEqual([self.part(eight, n, 3).cores for n in range(3)],
                         [[8, 9], [10, 11], [12, 13]])
        self.assertEqual([self.part([4, 7], n, 3).cores for n in range(3)],
                         [[4], [7], [4]])

    def test_a_command_is_kept_to_them(self):
        part = self.part([4, 7], 0, 1)
        self.assertIsNone(part.group)
        command = part.kept(["echo", "a b"])
        self.assertEqual(command[:2], ["sh", "-c"])
        self.assertEqual(command[2], 'exec taskset -c 4,7 "$@"')
        self.assertEqual(command[4:], ["echo", "a b"])

    def test_in_a_group_it_is_entered_first_and_left_at_the_end(self):
        with tempfile.TemporaryDirectory() as folder:
            groups = pathlib.Path(folder)
            (groups / "cpu.pressure").touch()
            with mock.patch.object(processors, "GROUPS", groups):
                part = processors.Part(0, 1)
            self.assertTrue(part.group.is_dir())
            self.assertTrue(part.kept(["a"])[2].startswith(
                f"echo 0 > {part.group}/cgroup.procs && exec taskset "))
            part.leave()
            self.assertFalse(part.group.exists())

    def test_who_needs_a_part_gives_it_back_whatever_happens(self):
        with (mock.patch.object(processors, "GROUPS", pathlib.Path("/no")),
              processors.parted(1) as free):
            with self.assertRaises(ValueError), processors.one_of(free):
                self.assertTrue(free.empty())
                raise ValueError
            with processors.one_of(free) as part:
                cores = subprocess.run(
                    part.kept(["sh", "-c", "taskset -cp $$"]),
                    capture_output=True, text=True).stdout
            self.assertIn("affinity list", cores)


if __name__ == "__main__":
    unittest.main()
