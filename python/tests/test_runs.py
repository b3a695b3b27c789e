import io
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from contextlib import redirect_stderr

import coppice_kernels as ck
from coppice_kernels.runs import _flags

from . import program


class FlagsTest(unittest.TestCase):
    def test_keywords_are_options(self) -> None:
        self.assertEqual(
            _flags(
                {
                    "budget": 60,
                    "code_model": ["a:b", "c:d"],
                    "json": True,
                    "name": None,
                    "quiet": False,
                }
            ),
            ["--budget", "60", "--code-model", "a:b,c:d", "--json"],
        )


@program.needed
class RunTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.db = pathlib.Path(folder.name) / "a.db"

    def test_a_run_tells_how_far_it_is(self) -> None:
        seen: list[ck.RunProgress] = []
        run = ck.run("sim:hill/1", db=self.db, budget=20, progress=seen.append)
        self.assertEqual((seen[-1].attempts, seen[-1].of), (20, 20))
        self.assertEqual(run.progress(), seen[-1])
        self.assertIn(run.returncode, (0, 3))
        with run.history as h:
            c = h.campaign()
            self.assertEqual(len(c), 21)
            self.assertEqual(c.name, seen[-1].campaign)
            self.assertEqual(c.best.node, seen[-1].best_node)
            self.assertAlmostEqual(c.best.speedup or 0, seen[-1].best_speedup)
        self.assertEqual(run.report["tasks"][0]["attempts"], 20)

    def test_nodes_are_followed_from_the_first_to_the_last(self) -> None:
        run = ck.start("sim:hill/1", db=self.db, budget=10)
        self.assertEqual([n.node for n in run.follow()], list(range(11)))
        self.assertFalse(run.running)

    def test_nodes_of_other_campaigns_of_the_file_are_not_its_own(self) -> None:
        ck.run("sim:hill/1", db=self.db, budget=3, progress="none")
        run = ck.start("sim:hill/2", db=self.db, budget=2)
        self.assertEqual([n.node for n in run.follow()], [0, 1, 2])
        again = ck.start("sim:hill/2", db=self.db, budget=2)
        self.assertEqual([n.node for n in again.follow()], [0, 1, 2], "ended before")

    def test_what_was_confirmed_takes_the_place_of_the_best_so_far(self) -> None:
        run = ck.run("row_sum", db=self.db, budget=2, progress="none")
        told = run.report["tasks"][0]
        self.assertEqual(run.progress().best_node, told["best_node"])
        self.assertEqual(run.progress().best_speedup, told["speedup"])
        self.assertIn(f"best {told['speedup']:.3g}x", repr(run))

    def test_one_that_is_stopped_goes_on(self) -> None:
        run = ck.start("sim:hill/1", db=self.db, budget=20000)
        for _ in run.follow():
            run.stop()
            break
        run.wait(timeout_s=30)
        self.assertEqual(run.returncode, 130)
        with ck.open(self.db) as h:
            done = len(h.campaign()) - 1
        self.assertLess(done, 20000)
        lines = io.StringIO()
        with redirect_stderr(lines):
            ck.resume(self.db, budget=done + 5, progress="lines")
        self.assertIn(f"{done + 5}/{done + 5} attempts, best ", lines.getvalue())

    def test_what_the_program_says_is_raised(self) -> None:
        with self.assertRaisesRegex(ck.UsageError, "budgett"):
            ck.run("gemv", db=self.db, budgett=3, progress="none")
        with self.assertRaisesRegex(ck.UsageError, "gemw"):
            ck.run("gemw", db=self.db, progress="none")

    def test_interrupting_drains(self) -> None:
        code = (
            "import sys, coppice_kernels as ck\n"
            "try:\n"
            "    ck.run('sim:hill/1', db=sys.argv[1], budget=20000,"
            " progress=lambda p: print(p.attempts, flush=True))\n"
            "except KeyboardInterrupt:\n"
            "    print('interrupted')\n"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", code, self.db],
            stdout=subprocess.PIPE,
            text=True,
            cwd=pathlib.Path(__file__).parents[1],
        )
        assert child.stdout is not None
        child.stdout.readline()
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=30)
        self.assertTrue(out.endswith("interrupted\n"), out[-200:])
        with ck.open(self.db) as h:
            self.assertEqual(
                h.sql("SELECT * FROM attempts WHERE node IS NULL")["node"], []
            )

    def test_a_run_ends_with_who_started_it(self) -> None:
        code = (
            "import os, sys, coppice_kernels as ck\n"
            "run = ck.start('sim:hill/1', db=sys.argv[1], budget=20000)\n"
            "print(run.pid, flush=True)\n"
            "next(run.follow())\n"
            "os.kill(os.getpid(), 9)\n"
        )
        child = subprocess.run(
            [sys.executable, "-c", code, self.db],
            stdout=subprocess.PIPE,
            text=True,
            cwd=pathlib.Path(__file__).parents[1],
        )
        proc = pathlib.Path("/proc") / child.stdout.strip()
        until = time.monotonic() + 20
        while proc.exists() and time.monotonic() < until:
            if "\nState:\tZ" in (proc / "status").read_text():
                break
            time.sleep(0.05)
        else:
            self.assertFalse(proc.exists())


if __name__ == "__main__":
    unittest.main()
