#!/usr/bin/env python3
"""plot_best: curves of a database, and where they are drawn."""

import contextlib
import importlib.machinery
import importlib.util
import pathlib
import re
import sqlite3
import tempfile
import unittest
from unittest import mock

PATH = pathlib.Path(__file__).with_name("plot_best")
LOADER = importlib.machinery.SourceFileLoader("plot_best", str(PATH))
plot_best = importlib.util.module_from_spec(
    importlib.util.spec_from_loader(LOADER.name, LOADER))
LOADER.exec_module(plot_best)


class PlotBestTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "x.db"

    def database(self, rows, best=()):
        with contextlib.closing(sqlite3.connect(self.file)) as database:
            database.executescript(
                "CREATE TABLE best_so_far (task TEXT, campaign TEXT,"
                " attempts INT, best_speedup REAL);"
                "CREATE TABLE leaderboard (campaign TEXT, rank INT,"
                " speedup REAL)")
            database.executemany("INSERT INTO best_so_far VALUES (?, ?, ?, ?)",
                                 rows)
            database.executemany("INSERT INTO leaderboard VALUES (?, ?, ?)",
                                 best)
            database.commit()

    def test_the_best_curve_comes_first_and_is_called_by_its_task(self):
        self.database([("gemm", "g.s1", 1, 2.0), ("gemm", "g.s1", 0, 1.0),
                       ("gemm", "g.s1", 2, None), ("row", "r.s1", 0, 3.0)],
                      [("g.s1", 1, 1.9), ("g.s1", 2, 1.5)])
        self.assertEqual(plot_best.read(self.file), [
            ("row", [0], [3.0], 3.0),  # None is on its leaderboard.
            ("gemm", [0, 1], [1.0, 2.0], 1.9)])

    def test_two_campaigns_on_a_task_are_called_by_their_names(self):
        self.database([("gemm", "g.s1", 0, 1.0), ("gemm", "g.s2", 0, 1.5)])
        self.assertEqual([label for label, *_ in plot_best.read(self.file)],
                         ["g.s2", "g.s1"])

    def test_labels_are_moved_apart_and_stay_on_the_picture(self):
        self.assertEqual(plot_best.spread([100.0, 200.0]), [100.0, 200.0])
        self.assertEqual(plot_best.spread([100.0, 101.0, 102.0]),
                         [100.0, 117.0, 134.0])
        # The lowest place is 460 - 46.
        self.assertEqual(plot_best.spread([410.0, 412.0]), [397.0, 414.0])

    def test_a_curve_goes_by_steps_from_the_left_to_the_right(self):
        picture = plot_best.draw([("a<b", [0, 4], [1.0, 4.0], 4.0)])
        self.assertIn("a&lt;b  4.0x</text>", picture)
        path = re.search(r'class="curve" stroke="#[0-9a-f]{6}" d="([^"]*)"',
                         picture)[1]
        # 1x lies on the lower margin.  Above 4x there is 3 % of room, by
        # logarithms: 414 - 398 / 1.03.
        self.assertEqual(path, "M60.0 414.0H685.0V27.6")

    def test_one_point_is_drawn_too(self):
        self.assertIn('d="M60.0 414.0"',
                      plot_best.draw([("a", [0], [1.0], 1.0)]))

    def run_main(self, *arguments):
        with (mock.patch("sys.argv", ["plot_best", *map(str, arguments)]),
              self.assertRaises(SystemExit) as ended):
            plot_best.main()
        return str(ended.exception.code)

    def test_refusals_say_why(self):
        picture = self.file.with_suffix(".svg")
        self.assertIn("usage", self.run_main())
        self.assertIn("usage", self.run_main("--help", picture))
        self.assertIn("only .svg is drawn",
                      self.run_main(self.file, "x.png"))
        self.assertIn("unable to open", self.run_main(self.file, picture))
        self.database([])
        self.assertIn("nothing passed yet", self.run_main(self.file, picture))
        self.assertFalse(picture.exists())


if __name__ == "__main__":
    unittest.main()
