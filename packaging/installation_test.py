#!/usr/bin/env python3
"""Installs a build elsewhere, runs it there, and removes it again.

usage: installation_test.py BUILD
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
BUILD = None


def paths(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


class Scratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.prefix = self.folder / "prefix"

    def run_program(self, *command, exits=(0,), **options):
        done = subprocess.run(command, capture_output=True, text=True,
                              check=False, **options)
        self.assertIn(done.returncode, exits, done.stdout + done.stderr)
        return done.stdout


class InstallationTest(Scratch):
    def setUp(self):
        super().setUp()
        # The default component, for `uninstall` knows installations of all.
        self.run_program("cmake", "--install", BUILD, "--component",
                         "Unspecified", "--prefix", self.prefix)

    def test_holds_files_and_no_links_into_the_tree_it_came_from(self):
        for name in ("bin/coppice", "libexec/coppice/coppice-runner",
                     "libexec/coppice/coppice-cuda-runner",
                     "libexec/coppice/coppice-nvrtc",
                     "libexec/coppice/coppice-python/worker.py",
                     "libexec/coppice/coppice-python/device_memory.so",
                     "share/coppice/cpu", "share/coppice/cuda",
                     "share/coppice/models.json",
                     "share/coppice/policy.py",
                     "share/coppice/pack_tasks.py",
                     "share/coppice/prompts/plan.txt",
                     "share/doc/coppice/LICENSE", "share/doc/coppice/NOTICE",
                     "share/doc/coppice/CHANGELOG.md"):
            self.assertTrue((self.prefix / name).exists(), name)
        links = [path for path in self.prefix.rglob("*") if path.is_symlink()
                 and self.prefix not in path.resolve().parents]
        self.assertEqual([], links)

    def test_its_documents_link_to_what_is_installed(self):
        dead = []
        documents = list((self.prefix / "share/doc/coppice").rglob("*.md"))
        self.assertGreater(len(documents), 5)
        for document in documents:
            for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", document.read_text()):
                if not (document.parent / link).exists():
                    dead.append(f"{document.relative_to(self.prefix)}: {link}")
        self.assertEqual([], dead)

    def test_runs_a_task_from_another_folder_by_a_link(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        moved = self.folder / "moved"
        self.prefix.rename(moved)
        (elsewhere / "coppice").symlink_to(moved / "bin/coppice")
        environment = {**os.environ, "PATH": f"{elsewhere}:{os.environ['PATH']}",
                       "HOME": str(self.folder)}
        # 3: nothing was faster, which one attempt does not promise.
        self.run_program("coppice", "run", "row_sum", "--budget", "1", "--db",
                         "x.db", exits=(0, 3), cwd=elsewhere, env=environment)
        self.assertIn("row_sum", self.run_program(
            "coppice", "status", "--db", "x.db", cwd=elsewhere,
            env=environment))


class WheelTest(Scratch):
    def test_has_the_pages_that_its_server_lists(self):
        self.run_program("cmake", "-S", HERE.parent / "python", "-B",
                         self.folder / "wheel", "-D", f"COPPICE_BUILD={BUILD}")
        self.run_program("cmake", "--install", self.folder / "wheel",
                         "--prefix", self.prefix)
        documents = self.prefix / "share/doc/coppice"
        self.assertEqual(["docs"], [path.name for path in documents.iterdir()])
        pages = [path.name for path in (HERE.parent / "docs").glob("*.md")]
        self.assertEqual(sorted(pages), sorted(
            path.name for path in (documents / "docs").glob("*.*")))


class UninstallTest(Scratch):
    def setUp(self):
        super().setUp()
        self.build = self.folder / "build"
        self.build.mkdir()

    def install(self, destdir=""):
        """As `cmake --install` does: notes folders, then makes them."""
        self.cmake(destdir, "-D", f"CMAKE_INSTALL_PREFIX={self.prefix}",
                   "-D", "FOLDERS=bin;share/coppice;share/man/man1",
                   "-P", HERE / "note_folders.cmake")
        files = [self.prefix / name
                 for name in ("bin/coppice", "share/coppice/cpu/a.json",
                              "share/man/man1/coppice.1")]
        for file in files:
            real = pathlib.Path(f"{destdir}{file}")
            real.parent.mkdir(parents=True, exist_ok=True)
            real.write_text("x")
        (self.build / "install_manifest.txt").write_text(
            "\n".join(map(str, files)))

    def cmake(self, destdir, *arguments):
        return self.run_program("cmake", "-D", f"BUILD={self.build}",
                                *arguments,
                                env={**os.environ, "DESTDIR": destdir})

    def uninstall(self, destdir=""):
        self.cmake(destdir, "-P", HERE / "uninstall.cmake")

    def test_leaves_nothing_of_a_prefix_that_it_made(self):
        self.install()
        self.uninstall()
        self.assertEqual(["build"], paths(self.folder))

    def test_leaves_folders_that_were_there_before(self):
        (self.prefix / "bin").mkdir(parents=True)
        (self.prefix / "share/man").mkdir(parents=True)
        self.install()
        self.uninstall()
        self.assertEqual(["bin", "share", "share/man"], paths(self.prefix))

    def test_leaves_what_others_have_put_into_its_folders(self):
        self.install()
        (self.prefix / "share/coppice/.mine").write_text("x")
        self.uninstall()
        self.assertEqual(["share", "share/coppice", "share/coppice/.mine"],
                         paths(self.prefix))

    def test_an_installation_over_an_older_one_is_removed_whole(self):
        self.install()
        self.install()
        self.uninstall()
        self.assertEqual(["build"], paths(self.folder))

    def test_an_installation_below_destdir_is_removed_there(self):
        stage = self.folder / "stage"
        self.install(str(stage))
        self.uninstall(str(stage))
        self.assertEqual(["build"], [name for name in paths(self.folder)
                                     if not name.startswith("stage")])
        self.assertEqual([], [path for path in stage.rglob("*")
                              if path.is_file()])
        self.assertFalse(pathlib.Path(f"{stage}{self.prefix}").exists())

    def test_without_an_installation_it_says_so(self):
        done = subprocess.run(
            ["cmake", "-D", f"BUILD={self.build}", "-P",
             HERE / "uninstall.cmake"], capture_output=True, text=True,
            check=False)
        self.assertNotEqual(0, done.returncode)
        self.assertIn("nothing is installed", done.stderr)


if __name__ == "__main__":
    BUILD = sys.argv.pop()
    unittest.main()
