"""Runs of a program that says what a test has it say."""

import contextlib
import io
import pathlib
import sys
import types
import unittest
from typing import Any
from unittest import mock

import coppice_kernels as ck
from coppice_kernels import runs
from coppice_kernels.runs import RunProgress

from .fake_program import fake_program

# What a node's event has, as `--progress json` writes it.
EVENT = (
    "def node(number, **more):\n"
    "    event = dict(event='node', campaign='c', attempts=number, of=3,\n"
    "                 node=number, verdict='passed', best_node=number,\n"
    "                 best_speedup=2.0, best_low=None, best_high=None,\n"
    "                 left_s=None, elapsed_s=0.5)\n"
    "    print(json.dumps({**event, **more}), file=sys.stderr, flush=True)\n"
)


class EventsTest(unittest.TestCase):
    def begun(self, body: str) -> ck.Run:
        """A run of a program that does this, which is there until the end."""
        there = contextlib.ExitStack()
        self.addCleanup(there.close)
        there.enter_context(fake_program(EVENT + body))
        return ck.start("sim:hill/1", db="a.db")

    def test_the_last_node_is_how_far_it_is(self) -> None:
        done = self.begun(
            "node(1)\nnode(2, verdict='crashed', best_node=1, best_low=1.5,"
            " best_high=2.5, left_s=4.0)"
        ).wait()
        self.assertEqual(
            done.progress(),
            RunProgress("c", 2, 3, 2, "crashed", 1, 2.0, (1.5, 2.5), 4.0, 0.5),
        )
        self.assertEqual(done.returncode, 0)
        self.assertFalse(done.running)

    def test_what_is_said_stands_beside_the_numbers(self) -> None:
        done = self.begun(
            "node(1)\n"
            "print('a warning', file=sys.stderr)\n"
            "print(json.dumps({'event': 'said', 'text': 'nobody is faster'}),"
            " file=sys.stderr)\n"
            "print(json.dumps({'event': 'later', 'text': '?'}), file=sys.stderr)"
        ).wait()
        self.assertEqual(done.progress().said, "nobody is faster")
        self.assertEqual(done.progress().attempts, 1)
        self.assertEqual(done._lines, ["a warning", "nobody is faster"])

    def test_what_was_confirmed_replaces_the_best_of_its_campaign_alone(self) -> None:
        for name, best in (("c", (7, 1.5, (1.25, 1.75))), ("d", (1, 2.0, None))):
            report = {
                "campaign": name,
                "best_node": 7,
                "speedup": 1.5,
                "speedup_low": 1.25,
                "speedup_high": 1.75,
            }
            done = self.begun(
                f"node(1)\nprint(json.dumps({{'tasks': [{report}]}}))"
            ).wait()
            p = done.progress()
            self.assertEqual((p.best_node, p.best_speedup, p.best_interval), best)
            self.assertEqual(done.report["tasks"][0]["campaign"], name)

    def test_a_comparison_tells_the_names_of_its_tasks_alone(self) -> None:
        with mock.patch("threading.excepthook") as failed:
            done = self.begun("print(json.dumps({'tasks': ['gemv']}))").wait()
        failed.assert_not_called()
        self.assertEqual(done.report, {"tasks": ["gemv"]})
        assert done._child.stdout is not None
        self.assertTrue(done._child.stdout.closed)

    def test_a_report_that_is_none_is_empty(self) -> None:
        self.assertEqual(self.begun("print('not json')").wait().report, {})

    def test_exit_codes_are_ends_or_errors(self) -> None:
        # 3: done, and nothing beat the root; SIGINT: stopped before it drained.
        for body, code in (
            ("sys.exit(3)", 3),
            ("sys.exit(130)", 130),
            ("signal.signal(2, 0); os.kill(os.getpid(), 2)", 130),
        ):
            self.assertEqual(self.begun(body).wait().returncode, code, body)
        for body, kind, what in (
            (
                "print('no such task', file=sys.stderr); sys.exit(2)",
                ck.UsageError,
                "no",
            ),
            ("print('x\\n\\n', file=sys.stderr); sys.exit(1)", ck.Error, "^x$"),
            ("sys.exit(1)", ck.Error, "^said nothing$"),
            ("os.kill(os.getpid(), 9)", ck.Error, "killed by signal 9"),
        ):
            with self.assertRaisesRegex(kind, what):
                self.begun(body).wait()

    def test_who_does_not_end_in_time_is_said_to_run(self) -> None:
        child = self.begun("node(1)\nsignal.signal(2, 0); signal.pause()")
        with self.assertRaisesRegex(ck.Timeout, r"a\.db: still running after 0\.01 s"):
            child.wait(0.01)
        self.assertIsNone(child.returncode)
        self.assertIn("running>", repr(child))
        child.stop()
        self.assertEqual(child.wait().returncode, 130)
        child.stop()  # Nobody is there any more.

    def test_a_program_that_is_not_there_is_said_at_once(self) -> None:
        with (
            mock.patch.dict("os.environ", {"CK_PROGRAM": "/no/where"}),
            self.assertRaisesRegex(ck.Unavailable, "/no/where: cannot be executed"),
        ):
            ck.start("gemv")

    def test_changes_are_told_and_their_last_for_certain(self) -> None:
        child = self.begun("node(1)\nnode(2)\nnode(3)")
        told = list(child.changes(every_s=0.001))
        self.assertEqual(told[-1].attempts, 3)
        self.assertEqual(sorted(p.attempts for p in told), [p.attempts for p in told])

    def test_nodes_of_a_file_that_never_comes_are_none(self) -> None:
        child = self.begun("node(1)")
        child.db = pathlib.Path("/no/such.db")
        self.assertEqual(list(child.follow(every_s=0.001)), [])

    def test_a_notebook_shows_how_far_it_is(self) -> None:
        done = self.begun("node(2)").wait()
        self.assertIn(
            "<p>c: 2 of 3 attempts, best 2x at node 2, ended with 0</p>",
            done._repr_html_(),
        )
        self.assertIn("run sim:hill/1: 2 of 3 attempts, best 2x, ended", repr(done))


class ArgumentsTest(unittest.TestCase):
    """What the program is called with."""

    ECHO = "print(json.dumps({'tasks': [], 'arguments': arguments}))"

    def of(self, child: ck.Run) -> list[str]:
        return list(child.wait().report["arguments"])

    def test_a_run_has_its_tasks_file_and_options(self) -> None:
        here = pathlib.Path.cwd()
        with fake_program(self.ECHO):
            self.assertEqual(
                self.of(ck.run(["a", "b"], db="x.db", progress="none", budget=5)),
                [
                    *("run", "a", "b", "--db", str(here / "x.db"), "--json"),
                    *("--progress", "json", "--budget", "5"),
                ],
            )
            started = ck.start(
                "gemv", db="/x/y.db", detach=True, plan=pathlib.Path("p")
            )
            self.assertEqual(
                self.of(started)[-4:], ["--progress", "json", "--plan", "p"]
            )

    def test_what_goes_on_is_named_or_the_last(self) -> None:
        with fake_program(self.ECHO):
            for campaign, named in ((None, []), ("gemv", ["gemv"])):
                child = ck.resume("/x.db", campaign, progress="none", budget=9)
                self.assertEqual(
                    self.of(child),
                    [
                        *("resume", *named, "--db", "/x.db", "--json"),
                        *("--progress", "json", "--budget", "9"),
                    ],
                )

    def test_a_comparison_that_is_asked_for_nothing_is_a_report(self) -> None:
        seen: list[list[str]] = []

        def attended(child: ck.Run, _: object) -> Any:
            seen.append(list(child.wait().arguments))
            return types.SimpleNamespace(report={"parts": []})

        with (
            fake_program(self.ECHO),
            mock.patch.object(runs, "_attended", attended),
        ):
            with self.assertRaises(ck.Corrupt):
                ck.compare("x.db", progress="none")
            with self.assertRaises(ck.Corrupt):
                ck.compare("x.db", "ucb", tasks=["a", "b"], progress="none")
            self.assertEqual(ck.compare_in_memory("ucb", "sim:all", seeds=3), ())
        self.assertEqual(
            seen,
            [
                ["compare", "x.db", "--json", "--progress", "none", "--report"],
                [
                    *("compare", "x.db", "--json", "--progress", "none"),
                    *("--policies", "ucb", "--tasks", "a,b"),
                ],
                [
                    *("compare", "--json", "--progress", "plain", "--policies", "ucb"),
                    *("--tasks", "sim:all", "--in-memory", "--seeds", "3"),
                ],
            ],
        )


class ShownTest(unittest.TestCase):
    def lines(self, *steps: RunProgress) -> list[str]:
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            show = runs._Lines()
            for step in steps:
                show(step)
        return err.getvalue().splitlines()

    def test_each_new_best_and_the_end_are_lines(self) -> None:
        of = {"campaign": "c", "of": 4}
        self.assertEqual(
            self.lines(
                RunProgress(**of, attempts=1, best_node=1, best_speedup=1.234),
                RunProgress(**of, attempts=2, best_node=1, best_speedup=1.234),
                RunProgress(**of, attempts=3, best_node=3, best_speedup=2.0),
                RunProgress(**of, attempts=4, best_node=3, best_speedup=2.0),
            ),
            [
                "c: 1/4 attempts, best 1.23x at node 1",
                "c: 3/4 attempts, best 2x at node 3",
                "c: 4/4 attempts, best 2x at node 3",
            ],
        )

    def test_what_is_said_is_a_line_once(self) -> None:
        step = RunProgress(said="waits for a device")
        self.assertEqual(self.lines(step, step), ["waits for a device"])

    def test_after_ten_seconds_there_is_a_line_all_the_same(self) -> None:
        step = RunProgress("c", 1, 9)
        with mock.patch("time.monotonic", side_effect=[0.0, 1.0, 1.0, 5.0, 12.0, 12.0]):
            self.assertEqual(len(self.lines(step, step, step)), 2)

    def test_whom_to_tell_is_chosen(self) -> None:
        told: list[RunProgress] = []
        step = RunProgress("c", 1, 9)
        with runs._show(told.append) as show:
            show(step)
        self.assertEqual(told, [step])
        with runs._show("none") as show:
            show(step)
        with runs._show("lines") as show:
            self.assertIsInstance(show, runs._Lines)
        # Into a file a bar would be garbage.
        with (
            mock.patch("sys.stderr", io.StringIO()),
            runs._show("auto") as show,
        ):
            self.assertIsInstance(show, runs._Lines)

    def test_a_bar_that_is_asked_for_needs_tqdm_and_else_lines_do(self) -> None:
        with mock.patch.dict(sys.modules, {"tqdm": None, "tqdm.auto": None}):
            with (
                self.assertRaisesRegex(ck.Error, r"pip install .*\[progress\]"),
                runs._show("bar"),
            ):
                pass
            with (
                mock.patch.object(runs, "_in_notebook", lambda: True),
                runs._show("auto") as show,
            ):
                self.assertIsInstance(show, runs._Lines)

    def test_each_campaign_has_its_bar(self) -> None:
        made: dict[str, Any] = {}

        def tqdm(total: int, desc: str, mininterval: float) -> Any:
            made[desc] = mock.Mock(total=total, n=0)
            made[desc].update.side_effect = lambda by: setattr(
                made[desc], "n", made[desc].n + by
            )
            return made[desc]

        auto = types.SimpleNamespace(tqdm=tqdm)
        package = types.SimpleNamespace(auto=auto)
        with (
            mock.patch.dict(sys.modules, {"tqdm": package, "tqdm.auto": auto}),
            runs._show("bar") as show,
        ):
            show(RunProgress(said="nothing yet"))
            show(RunProgress("c", 2, 9, best_speedup=1.5))
            show(RunProgress("c", 5, 12, best_speedup=1.5))
            show(RunProgress("d", 1, 9))
        self.assertEqual({name: bar.n for name, bar in made.items()}, {"c": 5, "d": 1})
        self.assertEqual(made["c"].total, 12)  # It was extended.
        made["c"].set_postfix_str.assert_called_with("best 1.5x", refresh=False)
        made["d"].close.assert_called_once_with()

    def test_a_notebook_is_one_with_a_kernel(self) -> None:
        for shell, is_one in (
            (None, False),
            (object(), False),  # IPython in a terminal.
            (types.SimpleNamespace(kernel=1), True),
        ):
            ipython = types.SimpleNamespace(get_ipython=lambda shell=shell: shell)
            with mock.patch.dict(sys.modules, {"IPython": ipython}):
                self.assertEqual(runs._in_notebook(), is_one)

    def test_an_interrupt_is_passed_on_and_raised_at_the_end(self) -> None:
        child = mock.Mock()
        child.changes.side_effect = [KeyboardInterrupt, iter([RunProgress("c", 1, 2)])]
        told: list[RunProgress] = []
        with self.assertRaises(KeyboardInterrupt):
            runs._attended(child, told.append)
        child.stop.assert_called_once_with()
        child.wait.assert_called_once_with()
        self.assertEqual(len(told), 1)


if __name__ == "__main__":
    unittest.main()
