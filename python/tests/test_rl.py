"""Rewards: components, schemes, functions for trainers, verdicts judged again."""

import math
import os
import pathlib
import pickle
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import coppice_kernels as ck
from coppice_kernels import rl
from coppice_kernels._schema import APPLICATION_ID
from coppice_kernels.rl import relabelling, reward_function

from . import program

COMMAND = [sys.executable, str(pathlib.Path(__file__).with_name("fake_service.py"))]
ROOT = pathlib.Path(__file__).parents[2]


def passed(
    speedup: float, low: float, high: float, floor: float | None = None
) -> rl.Components:
    return rl.Components(
        verdict="passed",
        compiled=True,
        correct_fraction=1.0,
        log_speedup=math.log(speedup),
        interval=(low, high),
        floor_ratio=floor,
    )


def failed(verdict: ck.Verdict) -> rl.Components:
    return rl.Components(verdict=verdict, compiled=verdict != "compile_failed")


def fenced(source: str) -> str:
    return f"So:\n```cpp\n{source}\n```\n"


class SlowRoot:
    """A service that measures a campaign's root for as long as three are asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def ask(self, name: str, request: dict[str, object]) -> dict[str, object]:
        self.asked.append(name)
        if name == "start_campaign":
            return {"campaign": f"a.s{request['seed']}"}
        if name == "query":
            return {"rows": [[0]]}
        if self.asked.count("ask") < 3:
            return {"ticket": None, "reason": "its root", "measuring": True}
        return {"ticket": "t1", "decision": 0, "role": "code", "prompt": {}}


class EpisodeTest(unittest.TestCase):
    def test_a_root_that_takes_long_to_measure_is_waited_for(self) -> None:
        service = SlowRoot()
        episode = rl.Episode(service, "a", 2, seed=7)  # type: ignore[arg-type]
        self.assertEqual((episode.seed, episode.campaign), (7, "a.s7"))
        self.assertFalse(episode.is_over)
        self.assertEqual(service.asked, ["start_campaign", "query", *["ask"] * 3])


class ComponentsTest(unittest.TestCase):
    def test_a_receipt_has_what_tell_answers(self) -> None:
        one = rl.Components.of_receipt(
            {
                "verdict": "passed",
                "reward": {
                    "verdict": "passed",
                    "compiled": True,
                    "correct_fraction": 1.0,
                    "log_speedup": 0.5,
                    "interval": [1.5, 1.75],
                    "vs_parent": 1.25,
                    "vs_best": None,
                    "novel": True,
                    "confirmed": False,
                    "floor_ratio": 3.0,
                    "of_a_later_version": 1,
                },
            }
        )
        self.assertEqual(one.interval, (1.5, 1.75))
        self.assertEqual((one.vs_parent, one.vs_best), (1.25, None))
        self.assertEqual((one.novel, one.floor_ratio), (True, 3.0))

    def test_of_what_is_inconclusive_nothing_is_known(self) -> None:
        one = rl.Components.of_receipt({"verdict": "inconclusive", "reward": {}})
        self.assertFalse(one.is_known)
        for scheme in ("log", "kevin", "kernrl"):
            self.assertIsNone(one.scalar(scheme))  # type: ignore[arg-type]
        self.assertIsNone(one.scalar(lambda _: 7.0))
        self.assertIsNone(rl.Components().scalar())


class SchemesTest(unittest.TestCase):
    def test_log_pays_for_what_can_be_told_from_1(self) -> None:
        self.assertAlmostEqual(passed(2, 1.8, 2.2).scalar("log"), math.log(2))
        self.assertAlmostEqual(passed(0.5, 0.4, 0.6).scalar("log"), -math.log(2))
        self.assertEqual(passed(1.3, 0.9, 1.8).scalar("log"), 0.0)
        # Half a per cent is not told from 1, however sure it is.
        self.assertEqual(passed(1.0045, 1.004, 1.005).scalar("log"), 0.0)

    def test_what_is_right_is_worth_more_than_what_is_wrong(self) -> None:
        slow = passed(0.01, 0.01, 0.01)
        for scheme in ("log", "kevin", "kernrl"):
            right, wrong = slow.scalar(scheme), failed("wrong_output").scalar(scheme)  # type: ignore[arg-type]
            assert right is not None and wrong is not None
            self.assertGreater(right, wrong, scheme)

    def test_no_time_below_nine_tenths_of_the_roof_is_believed(self) -> None:
        # A third of the least time: 12 times as fast counts as 12 * (1/3) / 0.9.
        beyond = passed(12, 11, 13, floor=1 / 3)
        self.assertAlmostEqual(beyond.scalar("log"), math.log(12 / 2.7))
        self.assertAlmostEqual(beyond.scalar("kevin"), 0.3 + 12 / 2.7)
        near = passed(12, 11, 13, floor=0.95)
        self.assertAlmostEqual(near.scalar("kevin"), 12.3)

    def test_kevin_and_kernrl_are_as_their_authors_have_them(self) -> None:
        self.assertAlmostEqual(passed(2, 1.9, 2.1).scalar("kevin"), 2.3)
        self.assertEqual(failed("crashed").scalar("kevin"), 0.0)
        self.assertEqual(failed("compile_failed").scalar("kernrl"), 0.0)
        self.assertEqual(failed("wrong_output").scalar("kernrl"), 0.1)
        self.assertEqual(passed(1.1, 0.9, 1.3).scalar("kernrl"), 0.4)
        # log2(8) is 3 of 5 parts of the last 0.3; 64 times is above all of them.
        self.assertAlmostEqual(passed(8, 7, 9).scalar("kernrl"), 0.88)
        self.assertAlmostEqual(passed(64, 60, 70).scalar("kernrl"), 1.0)

    def test_who_breaks_a_rule_has_nothing_of_having_compiled(self) -> None:
        self.assertEqual(failed("rejected").scalar("kernrl"), 0.0)

    def test_what_was_not_timed_is_as_fast_as_the_root(self) -> None:
        checked = rl.Components(verdict="passed", compiled=True, correct_fraction=1.0)
        self.assertEqual(checked.scalar("log"), 0.0)
        self.assertEqual(checked.scalar("kevin"), 1.3)
        self.assertEqual(checked.scalar("kernrl"), 0.4)

    def test_bounds_are_the_rewards_of_the_intervals_ends(self) -> None:
        low, high = passed(2, 1.8, 2.2).bounds("kevin") or (0, 0)
        self.assertAlmostEqual(low, 2.1)
        self.assertAlmostEqual(high, 2.5)
        self.assertIsNone(failed("crashed").bounds())

    def test_another_name_is_refused(self) -> None:
        with self.assertRaisesRegex(ck.UsageError, "'logg'.*kevin"):
            rl.reward(scheme="logg")  # type: ignore[arg-type]

    def test_later_turns_count_for_earlier_ones(self) -> None:
        # 0 + 0.5 * (none, adds nothing, + 0.5 * 4) = 1.
        self.assertEqual(rl.discounted([0.0, None, 4.0], 0.5), [1.0, None, 4.0])


class CompletionTest(unittest.TestCase):
    def test_the_last_closed_block_is_the_source(self) -> None:
        said = "```\nold\n```\nbetter:\n```cpp\nint a;\n\nint b;\n```\nDone."
        self.assertEqual(rl.source_of(said), "int a;\n\nint b;\n")

    def test_what_is_cut_off_is_no_source(self) -> None:
        self.assertIsNone(rl.source_of("```cpp\nint a;"))
        self.assertIsNone(rl.source_of("int a;"))
        self.assertIsNone(rl.source_of("```\n\n```"))
        self.assertIsNone(rl.source_of(""))
        self.assertIsNone(rl.source_of([]))

    def test_thoughts_are_no_answer(self) -> None:
        self.assertIsNone(rl.source_of("<think>\n```\na\n```\n</think> None."))

    def test_a_fence_within_is_shorter(self) -> None:
        self.assertEqual(rl.source_of("````\n```\na\n```\n````"), "```\na\n```\n")

    def test_messages_are_what_was_said_last(self) -> None:
        said = [
            {"role": "user", "content": fenced("no")},
            {"role": "assistant", "content": [{"type": "text", "text": fenced("a")}]},
        ]
        self.assertEqual(rl.source_of(said), "a\n")

    def test_a_bare_source_is_taken_where_it_is_asked_for(self) -> None:
        self.assertEqual(rl.source_of("int a;", bare=True), "int a;\n")
        self.assertIsNone(rl.source_of("```\nint a;", bare=True))

    def test_half_a_character_is_no_error(self) -> None:
        self.assertEqual(rl.source_of("```\n// \ud800\n```"), "// ?\n")


class RewardTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "verdicts.db"
        self.evaluator = ck.Evaluator(command=COMMAND)
        self.addCleanup(self.evaluator.close)

    def asked(self) -> list[str]:
        return list(self.evaluator.service.ask("asked", {})["sources"])

    def test_trl_gets_a_number_for_each_and_none_where_nothing_is_known(self) -> None:
        f = rl.reward(scheme="kevin", evaluator=self.evaluator)
        said = ["pass 2.0", "fail", "unsure", "noise 1.2", "brace"]
        completions = [fenced(source) for source in said] + ["I do not know."]
        logged: dict[str, list[object]] = {}
        metrics: dict[str, float] = {}
        rewards = f(
            prompts=["p"] * 6,
            completions=completions,
            completion_ids=[[1]] * 6,
            task=["gemv"] * 6,
            trainer_state=None,
            log_extra=logged.__setitem__,
            log_metric=metrics.__setitem__,
        )
        self.assertEqual(rewards, [2.3, 0.0, None, 1.5, 0.0, 0.0])
        self.assertEqual(logged["verdict"][:2], ["passed", "compile_failed"])
        self.assertEqual(logged["verdict"][4:], ["no_candidate"] * 2)
        self.assertAlmostEqual(logged["reward_low"][0], 1.8)  # type: ignore[arg-type]
        self.assertAlmostEqual(metrics["kernels/known"], 5 / 6)
        self.assertEqual(f.__name__, "kernel_kevin")

    def test_equal_kernels_are_judged_once(self) -> None:
        f = rl.reward(task="gemv", scheme="kevin", evaluator=self.evaluator, parallel=2)
        sources = ["pass 1.0", "pass 2.0", "pass 3.0"] * 4
        rewards = f(completions=[fenced(source) for source in sources])
        self.assertEqual([round(r or 0, 6) for r in rewards], [1.3, 2.3, 3.3] * 4)
        self.assertEqual(len(self.asked()), 3)

    def test_verl_gets_a_score_and_whether_it_is_known(self) -> None:
        f = rl.reward(scheme="kevin", evaluator=self.evaluator, inconclusive=0.25)
        score = f.compute_score("kernels", fenced("pass 2.0"), "gemv", {"num_turns": 1})
        self.assertEqual((score["score"], score["known"]), (2.3, 1.0))
        self.assertEqual((score["speedup"], score["passed"]), (2.0, 1.0))
        told = {"data_source": "k", "ground_truth": "", "extra_info": {"task": "gemv"}}
        unsure = f.compute_score(**told, solution_str=fenced("unsure"))
        self.assertEqual((unsure["score"], unsure["known"]), (0.25, 0.0))
        self.assertEqual(unsure.keys(), score.keys())
        with self.assertRaisesRegex(ck.UsageError, "extra_info: has no 'task'"):
            f.compute_score("kernels", fenced("pass 2.0"), "", {})

    def test_a_callable_makes_its_own_number(self) -> None:
        f = rl.reward(scheme=lambda c: c.correct_fraction, evaluator=self.evaluator)
        self.assertEqual(f(completions=[fenced("pass 2.0")], task=["gemv"]), [1.0])
        with self.assertRaisesRegex(ck.UsageError, "no column 'task'"):
            f(completions=["a"])
        with self.assertRaisesRegex(ck.UsageError, "parallel"):
            rl.reward(parallel=0)

    def test_our_own_failures_are_raised(self) -> None:
        f = rl.reward(task="x", evaluator=self.evaluator)
        with self.assertRaises(ck.NotFound):
            f(completions=[fenced("refuse")])
        with self.assertRaises(ck.ServiceDied):
            f(completions=[fenced("die")])

    def test_places_that_others_have_are_waited_for(self) -> None:
        f = rl.reward(task="gemv", scheme="kevin", evaluator=self.evaluator)
        said = ["busy 3", "pass 2.0", "busy 1", "fail"]
        paused: list[float] = []
        with mock.patch("time.sleep", paused.append):
            rewards = f(completions=[fenced(source) for source in said])
        self.assertEqual(rewards, [2.3, 2.3, 2.3, 0.0])
        # The first is refused three times at most with nothing else to wait for.
        self.assertLessEqual(len(paused), 4)
        alone = rl.reward(task="gemv", evaluator=self.evaluator)
        with (
            mock.patch("time.sleep", paused.append),
            mock.patch.object(reward_function, "_MOST_PAUSES", 2),
            self.assertRaisesRegex(ck.Busy, "128 jobs wait"),
        ):
            alone(completions=[fenced("busy 9")])

    def test_a_service_that_died_is_begun_again(self) -> None:
        begun: list[ck.Evaluator] = []

        def begin() -> ck.Evaluator:
            begun.append(ck.Evaluator(command=COMMAND))
            self.addCleanup(begun[-1].close)
            return begun[-1]

        with mock.patch("coppice_kernels.rl.reward_function.shared", begin):
            f = rl.reward(task="gemv", scheme="kevin", replay=self.file)
            with self.assertRaises(ck.ServiceDied):
                f(completions=[fenced("die")])
            self.assertEqual(len(begun), 2)

    def test_what_was_judged_once_is_the_same_for_ever(self) -> None:
        completions = [fenced(s) for s in ("pass 2.0", "unsure", "fail")]
        first = rl.reward(task="gemv", evaluator=self.evaluator, replay=self.file)
        rewards = first(completions=completions)
        again = rl.reward(task="gemv", evaluator=self.evaluator, replay=self.file)
        self.assertEqual(again(completions=completions), rewards)
        self.assertEqual(len(self.asked()), 3)
        # The text, the task and the tier make the difference.
        other = rl.reward(
            task="gemv", evaluator=self.evaluator, replay=self.file, tier="check"
        )
        other(completions=completions[:1])
        self.assertEqual(len(self.asked()), 4)
        with rl.Verdicts(self.file) as verdicts:
            self.assertEqual(len(verdicts), 4)
            self.assertEqual(
                [(kept.tier, kept.source) for kept in verdicts][-1],
                ("check", "pass 2.0\n"),
            )

    def test_two_that_judge_the_same_keep_what_was_first(self) -> None:
        with rl.Verdicts(self.file) as a, rl.Verdicts(self.file) as b:
            said = ("gemv", "fast", "int a;")
            self.assertEqual(a.keep(*said, {"speedup": 2}), {"speedup": 2})
            self.assertEqual(b.keep(*said, {"speedup": 3}), {"speedup": 2})
            self.assertEqual(b.keep(*said, {"speedup": 4}, again=True), {"speedup": 4})
            self.assertEqual(a.find(*said), {"speedup": 4})
            self.assertEqual(len(a), 1)

    def test_a_database_of_campaigns_is_no_file_of_verdicts(self) -> None:
        with sqlite3.connect(self.file) as connection:
            connection.execute("CREATE TABLE campaign (name)")
        with self.assertRaisesRegex(ck.Corrupt, "is no file of verdicts"):
            rl.Verdicts(self.file)
        with self.assertRaisesRegex(ck.NotFound, "no such file"):
            rl.Verdicts(self.file.with_name("b.db"), must_exist=True)

    def test_it_can_be_sent_to_other_processes(self) -> None:
        f = pickle.loads(pickle.dumps(rl.reward(task="gemv", replay=self.file)))
        self.assertEqual(f(completions=["none"]), [-1.0])
        with self.assertRaisesRegex(ck.UsageError, "pickled"):
            pickle.dumps(rl.reward(evaluator=self.evaluator))

    def test_a_file_of_another_kind_is_left_alone(self) -> None:
        self.file.write_text("my notes, which are longer than a header of SQLite")
        f = rl.reward(task="gemv", evaluator=self.evaluator, replay=self.file)
        with self.assertRaisesRegex(ck.Corrupt, "is no file of verdicts"):
            f(completions=[fenced("pass 2.0")])
        self.assertTrue(self.file.read_text().startswith("my notes"))


class ImportTest(unittest.TestCase):
    def test_it_brings_nothing_along(self) -> None:
        code = (
            "import sys, coppice_kernels as ck; ck.rl.reward(task='x');"
            "extras = {'numpy', 'gymnasium', 'openenv', 'pydantic', 'verifiers'};"
            "print(sorted(extras & set(sys.modules)))"
        )
        said = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            cwd=ROOT / "python",
            check=True,
        )
        self.assertEqual(said.stdout, "[]\n")

    def test_what_is_missing_is_said_in_a_line(self) -> None:
        for name, package, attribute in (
            ("gymnasium", "gym", "KernelEnv"),
            ("openenv", "openenv", "openenv_app"),
            ("verifiers", "verifiers", "verifiers_taskset"),
        ):
            code = (
                f"import sys; sys.modules[{name!r}] = None\n"
                "import coppice_kernels as ck\n"
                f"try: ck.rl.{attribute}\n"
                "except ck.Error as error: print(error)\n"
            )
            said = subprocess.run(
                [sys.executable, "-c", code],
                capture_output=True,
                text=True,
                cwd=ROOT / "python",
                check=True,
            )
            wanted = f"{name} is not installed; pip install 'coppice-kernels[{package}]"
            self.assertIn(wanted, said.stdout)


class RelabelVerdictsTest(unittest.TestCase):
    def test_what_a_later_check_refutes_has_another_reward(self) -> None:
        with (
            tempfile.TemporaryDirectory() as folder,
            ck.Evaluator(command=COMMAND) as evaluator,
        ):
            file = os.path.join(folder, "v.db")
            f = rl.reward(task="gemv", evaluator=evaluator, replay=file)
            said = ["pass 2.0", "hack 9.0", "fail", "pass 1.8"]
            completions = [fenced(source) for source in said]
            before = f(completions=completions)
            found = rl.relabel(file, top=2, evaluator=evaluator)
            self.assertEqual([one.changed for one in found], [True, False])
            hack = found[0]
            self.assertEqual(hack.after.verdict, "rejected")
            self.assertEqual(hack.after.rule, "too_fast")
            self.assertEqual(hack.reward_after, -1.0)
            self.assertEqual(
                str(hack), "gemv: leads: passed 9x (2.2) is now rejected (-1)"
            )
            # Rewards from here on are those of the new verdict.
            after = f(completions=completions)
            self.assertEqual(after, [before[0], -1.0, *before[2:]])


class RelabelNodesTest(unittest.TestCase):
    """By tables that stand for the views that are read."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.db = pathlib.Path(folder.name) / "a.db"
        self.connection = sqlite3.connect(self.db, isolation_level=None)
        self.addCleanup(self.connection.close)
        self.connection.executescript(
            f"""
            PRAGMA application_id = {APPLICATION_ID};
            CREATE TABLE nodes (campaign, node, verdict, speedup, speedup_low,
                                speedup_high, quarantined_at_s, same_as);
            CREATE TABLE evaluations (campaign, node, ordinal, further, verdict,
                                      speedup, speedup_low, speedup_high);
            CREATE TABLE workload_results (campaign, node, verdict, median_s,
                                           floor_s);
            """
        )
        for number, speedup in enumerate([1, 8, 6, 4, 2]):
            ends = (speedup * 0.9, speedup * 1.1)
            self.connection.execute(
                "INSERT INTO nodes VALUES ('c', ?, 'passed', ?, ?, ?, NULL, NULL)",
                (number, speedup, *ends),
            )
            self.connection.execute(
                "INSERT INTO evaluations VALUES ('c', ?, 0, NULL, 'passed', ?, ?, ?)",
                (number, speedup, *ends),
            )
        self.refute(1, 1)

    def refute(self, node: int, further: int) -> None:
        self.connection.execute(
            "UPDATE nodes SET verdict = 'wrong_output', quarantined_at_s = 7, "
            "speedup = NULL, speedup_low = NULL, speedup_high = NULL WHERE node = ?",
            (node,),
        )
        self.connection.execute(
            "INSERT INTO evaluations VALUES ('c', ?, 1, ?, 'wrong_output', "
            "NULL, NULL, NULL)",
            (node, further),
        )

    def test_what_is_above_the_roof_is_judged_however_deep_it_is(self) -> None:
        # Node 3 is the second of those that are left, 2, 3 and 4.
        self.connection.execute(
            "INSERT INTO workload_results VALUES ('c', 3, 'passed', 0.5, 1.0)"
        )
        asked: list[tuple[str, int]] = []

        def verify(path: pathlib.Path, campaign: str, depth: int) -> None:
            asked.append((campaign, depth))
            self.refute(3, 2)
            self.connection.execute(
                "INSERT INTO evaluations VALUES ('c', 2, 1, 3, 'passed', 6, 5.9, 6.1)"
            )

        with mock.patch.object(relabelling, "_verify", verify):
            found = rl.relabel(self.db, top=1)
        self.assertEqual(asked, [("c", 2)])
        said = {one.node: (one.why, one.changed) for one in found}
        self.assertEqual(
            said,
            {
                1: ("quarantined", True),
                2: ("leads", False),
                3: ("above the roof", True),
            },
        )
        gone = next(one for one in found if one.node == 1)
        self.assertAlmostEqual(gone.reward_before, math.log(8))
        self.assertEqual(gone.reward_after, -1.0)

    def test_a_wrong_file_is_said(self) -> None:
        with self.assertRaisesRegex(ck.NotFound, "no such file"):
            rl.relabel(self.db.with_name("b.db"))
        with self.assertRaisesRegex(ck.UsageError, "top"):
            rl.relabel(self.db, top=0)


@program.needed
class ProgramTest(unittest.TestCase):
    def test_kernels_of_a_real_task_are_rewarded(self) -> None:
        with ck.open(ROOT / "docs" / "data" / "level1.db") as h:
            root = h.campaign("row_sum").root.source
        assert root is not None
        wrong = root.replace("+=", "-=")
        self.assertNotEqual(root, wrong)
        with ck.Evaluator() as evaluator:
            f = rl.reward(task="row_sum", tier="check", evaluator=evaluator)
            completions = [fenced(s) for s in (root, wrong, root, "{", "no C++")]
            self.assertEqual(f(completions=completions), [0.0, -1.0, 0.0, -1.0, -1.0])
            rows = rl.prompts(["row_sum"], service=evaluator.service)
        self.assertEqual(rows[0]["task"], "row_sum")
        self.assertIn(root.strip(), rows[0]["prompt"])


if __name__ == "__main__":
    unittest.main()
