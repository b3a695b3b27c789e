#!/usr/bin/env python3
"""Tests of version.cmake: which version a tree says that it is."""

import pathlib
import re
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("version.cmake")


class VersionTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.outside = pathlib.Path(folder.name)
        self.tree = self.outside / "tree"
        (self.tree / "cmake").mkdir(parents=True)
        (self.tree / "cmake/version.cmake").write_text(SCRIPT.read_text())
        (self.tree / "cmake/version.cc.in").write_text("@VERSION@")
        (self.tree / ".gitattributes").write_text(
            "cmake/version.cmake export-subst\n")

    def git(self, *arguments, at=None):
        return subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
            cwd=at or self.tree, check=True, capture_output=True).stdout

    def commit(self):
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "One")
        return self.git("rev-parse", "HEAD").decode()[:7]

    def version(self, *, tree=None, git=None):
        """The version of a tree; `git` stands in for the real one."""
        tree = tree or self.tree
        output = self.outside / "version.cc"
        subprocess.run(
            ["cmake", "-D", "RELEASE=1.2.3", "-D", f"SOURCE={tree}",
             "-D", f"INPUT={tree}/cmake/version.cc.in",
             "-D", f"OUTPUT={output}", *(["-D", f"GIT={git}"] if git else []),
             "-P", tree / "cmake/version.cmake"],
            check=True, capture_output=True)
        return output.read_text().strip()

    def test_a_clone_says_its_commit(self):
        self.assertEqual(f"1.2.3 ({self.commit()})", self.version())

    def test_a_changed_clone_says_so(self):
        commit = self.commit()
        with open(self.tree / "cmake/version.cc.in", "a") as file:
            file.write("\n")
        self.assertEqual(f"1.2.3 ({commit}-dirty)", self.version())

    def test_a_file_that_git_does_not_know_is_no_change(self):
        commit = self.commit()
        (self.tree / "notes").write_text("mine")
        self.assertEqual(f"1.2.3 ({commit})", self.version())

    def test_where_git_fails_the_release_has_to_do(self):
        self.commit()
        self.assertEqual("1.2.3", self.version(git="false"))

    def test_a_tree_in_another_repository_does_not_take_its_commit(self):
        self.git("init", "--quiet", at=self.outside)
        self.git("commit", "--quiet", "--allow-empty", "--message", "Other",
                 at=self.outside)
        self.assertEqual("1.2.3", self.version())

    def test_an_archive_carries_its_commit(self):
        commit = self.commit()
        unpacked = self.outside / "unpacked"
        unpacked.mkdir()
        subprocess.run(["tar", "-x", "-C", unpacked], check=True,
                       input=self.git("archive", "HEAD"))
        self.assertEqual(f"1.2.3 ({commit})", self.version(tree=unpacked))

    def test_an_equal_version_leaves_the_file_alone(self):
        self.commit()
        self.version()
        first = (self.outside / "version.cc").stat().st_mtime_ns
        self.version()
        self.assertEqual(first, (self.outside / "version.cc").stat().st_mtime_ns)

    def test_the_changelog_begins_with_the_release_that_is_built(self):
        root = SCRIPT.parent.parent
        release = re.search(r"project\(coppice\s+VERSION ([0-9.]+)",
                            (root / "CMakeLists.txt").read_text())[1]
        newest = re.search(r"^## ([0-9.]+)",
                           (root / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
        self.assertEqual(release, newest)


if __name__ == "__main__":
    unittest.main()
