#!/usr/bin/env python3
"""calibrate: what is asked for, and when intervals are called good."""

import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import tempfile
import unittest
from unittest import mock

PATH = pathlib.Path(__file__).with_name("calibrate")
LOADER = importlib.machinery.SourceFileLoader("calibrate", str(PATH))
calibrate = importlib.util.module_from_spec(
    importlib.util.spec_from_loader(LOADER.name, LOADER))
LOADER.exec_module(calibrate)


def tier(right, faster=0, slower=0, without=0, pairs=100, failed=0,
         over="root"):
    """100 sessions of 2 s, whose intervals are from 1 to 1.21."""
    return {"failed": failed,
            "sessions": [{"session_s": 2.0, "interval": [1.0, 1.21]}] * 100,
            f"over_{over}": {"pairs": pairs, "intervals_right": right,
                             "faster": faster, "slower": slower,
                             "no_interval": without}}


def row(*tiers, over="root", is_busy=False):
    """Whether it is good, and what is printed."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        is_good = calibrate.print_row("fast", over, tiers, is_busy)
    return is_good, said.getvalue()


class CalibrateTest(unittest.TestCase):
    def test_intervals_hold_in_93_to_97_of_100_pairs_with_the_root(self):
        for right, is_good in ((92, False), (93, True), (97, True),
                               (98, False)):
            with self.subTest(right=right):
                self.assertEqual(row(tier(right))[0], is_good)

    def test_at_most_5_of_100_say_faster(self):
        self.assertTrue(row(tier(95, faster=5, slower=50))[0])
        self.assertFalse(row(tier(95, faster=6))[0])

    def test_sessions_may_fail_on_a_busy_machine_alone(self):
        self.assertTrue(row(tier(95, failed=5))[0])
        self.assertFalse(row(tier(95, failed=6))[0])
        self.assertTrue(row(tier(95, failed=6), is_busy=True)[0])

    def test_nothing_is_asked_of_sessions_beside_each_other(self):
        self.assertTrue(row(tier(1, faster=99, over="itself"),
                            over="itself")[0])

    def test_tasks_are_added_up(self):
        # 90 and 98 of 100: 94 %.  Half of an interval to 1.21 is its root.
        is_good, said = row(tier(90, faster=2, without=4), tier(98))
        self.assertTrue(is_good)
        self.assertEqual(said.split(), [
            "fast", "root", "200", "94.0%", "1.0%", "0.0%", "2.0%", "0.0%",
            "2.000", "10.0%"])

    def test_a_task_is_measured_as_the_options_say_and_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            options = argparse.Namespace(
                coppice="coppice", kernel="k.cc", sessions=3, tier="full",
                more="--quiet-wait-s 0", keep=f"{folder}/kept")
            with (mock.patch("subprocess.run") as run,
                  contextlib.redirect_stderr(io.StringIO())):
                run.return_value.stdout = b'{"tiers": []}'
                self.assertEqual(calibrate.measure(options, "gemm"),
                                 {"tiers": []})
            self.assertEqual(run.call_args.args[0], [
                "coppice", "task", "noise", "gemm", "k.cc", "--sessions", "3",
                "--json", "--tier", "full", "--quiet-wait-s", "0"])
            self.assertEqual(
                (pathlib.Path(folder) / "kept/gemm.json").read_bytes(),
                b'{"tiers": []}')

    def test_what_keeps_the_machine_busy_ends_when_a_task_fails(self):
        with (mock.patch("sys.argv", ["calibrate", "--beside", "burn", "a"]),
              mock.patch("subprocess.Popen") as popen,
              mock.patch("os.killpg") as killed,
              mock.patch.object(calibrate, "measure",
                                side_effect=ValueError)):
            popen.return_value.pid = 7
            with self.assertRaises(ValueError):
                calibrate.main()
        self.assertEqual(killed.call_args.args[0], 7)


if __name__ == "__main__":
    unittest.main()
