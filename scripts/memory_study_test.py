#!/usr/bin/env python3
"""memory_study: which campaigns are compared, and what their means are."""

import argparse
import contextlib
import io
import math
import pathlib
import sqlite3
import tempfile
import unittest
from unittest import mock

import memory_study


class MemoryStudyTest(unittest.TestCase):
    """Of a folder of databases that have what the study asks them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def study(self, *words, seeds="2", leave="task"):
        return memory_study.Study(argparse.Namespace(
            program=pathlib.Path("coppice"), folder=self.folder,
            words=list(words), seeds=memory_study.seeds(seeds), budget=10,
            leave=leave, jobs=1, seconds=math.inf))

    def campaign(self, study, arm, task, seed, best, state="finished"):
        """`best` is the best speedup after each attempt, from the first on."""
        file = study.file(arm, task, seed)
        file.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.closing(sqlite3.connect(file)) as database:
            database.executescript(
                "CREATE TABLE campaigns (state TEXT);"
                "CREATE TABLE leaderboard (rank INT, speedup REAL);"
                "CREATE TABLE best_so_far (attempts INT, best_speedup REAL)")
            database.execute("INSERT INTO campaigns VALUES (?)", (state,))
            database.executemany("INSERT INTO best_so_far VALUES (?, ?)",
                                 enumerate(best, 1))
            database.execute("INSERT INTO leaderboard VALUES (1, ?)",
                             (best[-1],))
            database.commit()
        return file

    def test_seeds_begin_with_1_or_with_what_is_before_the_dash(self):
        self.assertEqual(list(memory_study.seeds("3")), [1, 2, 3])
        self.assertEqual(list(memory_study.seeds("4-5")), [4, 5])

    def test_words_with_an_equals_sign_are_passed_on(self):
        study = self.study("gemm", "threads=1", "gemm", "sim:hill/1")
        self.assertEqual(study.passed_on, ["--threads", "1"])
        self.assertEqual(study.tasks, ["gemm", "sim:hill/1"])
        self.assertEqual(study.file("plain", "sim:hill/1", 2).name,
                         "sim_hill_1.s2.db")

    def test_pairs_are_of_campaigns_that_are_both_finished(self):
        study = self.study("a", "b")
        self.campaign(study, "plain", "a", 1, [1.0, 2.0])
        self.campaign(study, "without_task", "a", 1, [3.0, 8.0])
        self.campaign(study, "plain", "a", 2, [1.0, 2.0])
        self.campaign(study, "without_task", "a", 2, [9.0], state="running")
        self.campaign(study, "plain", "b", 1, [3.0])
        # 8 / 2 at the end, and 3 / 1 after the first attempt.
        self.assertEqual(dict(study.pairs("task")), {"a": [math.log(4.0)]})
        self.assertEqual(dict(study.pairs("task", 1)), {"a": [math.log(3.0)]})

    def test_a_file_that_is_no_database_of_campaigns_is_not_finished(self):
        file = self.folder / "x.db"
        self.assertFalse(memory_study.is_finished(file))
        file.write_bytes(b"")
        self.assertFalse(memory_study.is_finished(file))

    def test_others_to_learn_from_are_finished_and_another_family(self):
        study = self.study("a", "b", "c", "d")
        files = {task: self.campaign(study, "plain", task, 1, [1.0])
                 for task in "abc"}
        self.campaign(study, "plain", "d", 1, [1.0], state="paused")
        with mock.patch.object(study, "family",
                               {"a": "gemm", "b": "gemm", "c": "norm",
                                "d": "norm"}.get):
            self.assertEqual(study.others("a", 1, "task"),
                             [files["b"], files["c"]])
            self.assertEqual(study.others("a", 1, "family"), [files["c"]])

    def test_room_is_up_to_the_best_of_any_arm(self):
        study = self.study("a")
        self.campaign(study, "plain", "a", 1, [2.0])
        self.campaign(study, "plain", "a", 2, [4.0])
        self.campaign(study, "without_family", "a", 1, [8.0])
        self.assertEqual(study.room(), {"a": [math.log(4.0), math.log(2.0)]})

    def test_what_is_finished_or_too_late_is_not_run(self):
        study = self.study("a")
        self.campaign(study, "plain", "a", 1, [1.0])
        with mock.patch("subprocess.run") as run:
            study.search(None, "plain", "a", 1, [])
            study.until = 0.0
            study.search(None, "plain", "a", 2, [])
        run.assert_not_called()

    def test_before_there_is_a_pair_the_report_says_so(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            memory_study.report(self.study("a"), "task")
        self.assertEqual(said.getvalue(), "leave one task out\n"
                         "  there is no pair yet\n")


class IntervalTest(unittest.TestCase):
    def test_equal_values_have_an_interval_without_width(self):
        low, high = memory_study.interval([[math.log(2.0)]] * 3)
        self.assertAlmostEqual(low, 2.0)
        self.assertAlmostEqual(high, 2.0)

    def test_of_two_groups_either_may_be_drawn_twice(self):
        # A quarter of the samples each: far more than 2.5 %.
        low, high = memory_study.interval([[0.0, 0.0], [math.log(9.0)] * 2])
        self.assertAlmostEqual(low, 1.0)
        self.assertAlmostEqual(high, 9.0)

    def test_a_line_counts_pairs_and_tasks(self):
        line = memory_study.line({"a": [math.log(2.0)] * 2,
                                  "b": [math.log(2.0)]})
        self.assertEqual(line, "2.000 over 3 pairs of 2 tasks and seed; 95 % "
                         "of pairs 2.000-2.000, of tasks 2.000-2.000")


if __name__ == "__main__":
    unittest.main()
