"""Parts of rewards and environments that need no program: what is read of a
completion, of a receipt, of a file, and the shapes that libraries ask for."""

import asyncio
import dataclasses
import importlib
import importlib.util
import json
import math
import pathlib
import sqlite3
import sys
import tempfile
import types
import unittest
import warnings
from typing import Any, cast
from unittest import mock

import coppice_kernels as ck
from coppice_kernels import rl
from coppice_kernels.evaluation import _evaluation_of
from coppice_kernels.rl import completion, outside, relabelling, schemes, task_prompts
from coppice_kernels.rl.components import NO_CANDIDATE

from .fake_program import fake_program
from .test_rl_episodes import SPENT, UNTOUCHED, FakeService, offer, receipt

LEVEL1 = pathlib.Path(__file__).parents[2] / "docs" / "data" / "level1.db"


class CompletionTest(unittest.TestCase):
    def test_a_block_ends_with_the_fence_that_began_it(self) -> None:
        for said, source in (
            ("```\na\n```", "a\n"),
            ("~~~c++\na\n~~~", "a\n"),
            ("   ```cpp\na\n   ```", "a\n"),  # Three spaces are no code yet.
            ("    ```\na\n    ```", None),
            ("```\na\n~~~\n```", "a\n~~~\n"),
            ("````\n```\n````", "```\n"),
            ("```\na\n`````", "a\n"),  # Longer ends it, too.
            ("```\na\n``` b\n```", "a\n``` b\n"),
            ("``` a ```\nb", None),  # Code within a line.
            ("```\n\n \n```", None),
            ("```\n\n\na\n\n```", "a\n"),
            ("```\na\n```\n```\nb", "a\n"),  # The second is cut off.
            ("", None),
        ):
            self.assertEqual(rl.source_of(said), source, said)

    def test_a_bare_text_is_a_source_unless_a_block_was_begun(self) -> None:
        for said, source in (
            ("int a;", "int a;\n"),
            (" \n", None),
            ("so\n```\na", None),
            ("so\n```\na\n```", "a\n"),
            ("<think>no</think>int a;", "int a;\n"),
        ):
            self.assertEqual(rl.source_of(said, bare=True), source, said)

    def test_a_message_is_the_last_one_in_whatever_parts_it_comes(self) -> None:
        for said, text in (
            ([], ""),
            ([{"role": "user", "content": "a"}, {"content": "b"}], "b"),
            ([{"content": None}], ""),
            ([{}], ""),
            ([{"content": [{"text": "a"}, {"type": "image"}, {"text": "b"}]}], "ab"),
        ):
            self.assertEqual(completion.text_of(said), text)

    def test_what_cannot_be_sent_says_why(self) -> None:
        most = 256 << 10
        self.assertIsNone(completion.why_unfit("x" * most))
        self.assertEqual(
            completion.why_unfit("é" * (most // 2) + "x"),
            f"source: has {most + 1} bytes, more than {most}",
        )
        self.assertEqual(completion.why_unfit(None), "no code block")
        self.assertEqual(completion.why_unfit("\ud83d"), "source: is no UTF-8")


def evaluation(verdict: ck.Verdict, **more: Any) -> ck.Evaluation:
    raw = {"job": None, "state": "done", "verdict": verdict, **more}
    return _evaluation_of("gemv", "", {"passed": verdict == "passed", **raw})


def workloads(*verdicts: str) -> list[dict[str, Any]]:
    empty = dict.fromkeys(("error_ratio", "runtime_s", "root_runtime_s", "floor_s"))
    return [{"workload": "w", "verdict": verdict, **empty} for verdict in verdicts]


class ComponentsTest(unittest.TestCase):
    def test_an_evaluation_says_what_is_known(self) -> None:
        c = rl.Components.of(evaluation("passed", speedup=2, interval=[1.5, 2.5]))
        self.assertEqual((c.passed, c.compiled, c.correct_fraction), (True, True, 1.0))
        self.assertAlmostEqual(c.speedup or 0, 2.0)
        self.assertEqual(c.interval, (1.5, 2.5))
        # The tier is "check", which has no clock.
        c = rl.Components.of(evaluation("passed", interval=[1.5, 2.5]))
        self.assertEqual((c.log_speedup, c.interval, c.speedup), (None, None, None))
        c = rl.Components.of(evaluation("rejected", rule="too_fast"))
        self.assertEqual((c.compiled, c.rule, c.is_known), (True, "too_fast", True))
        for verdict in ("compile_failed", "no_candidate"):
            self.assertFalse(rl.Components.of(evaluation(verdict)).compiled)
        self.assertFalse(rl.Components.of(evaluation("inconclusive")).is_known)
        self.assertFalse(rl.Components().is_known)

    def test_the_fraction_is_known_where_all_workloads_are_listed(self) -> None:
        for listed, fraction in (
            ([], 0.0),
            (["passed", "wrong_output"], 0.5),
            (["crashed"], 0.0),
            (["crashed"] * 15, 0.0),
            (["crashed"] * 16, None),  # There may be more.
        ):
            c = rl.Components.of(
                evaluation("wrong_output", workloads=workloads(*listed))
            )
            self.assertEqual(c.correct_fraction, fraction)

    def test_a_receipt_of_a_later_version_is_read_as_far_as_it_is_known(self) -> None:
        c = rl.Components.of_receipt(
            {
                "verdict": "passed",
                "reward": {
                    "compiled": True,
                    "interval": [1.0, 2.0],
                    "novel": False,
                    "later": 7,
                },
            }
        )
        self.assertEqual(
            (c.verdict, c.interval, c.novel), ("passed", (1.0, 2.0), False)
        )
        empty = rl.Components.of_receipt({"reward": None})
        self.assertEqual(empty, rl.Components())

    def test_bounds_are_in_order_whatever_the_rule_makes_of_them(self) -> None:
        c = rl.Components(
            verdict="passed", compiled=True, log_speedup=0.0, interval=(0.5, 4.0)
        )
        self.assertEqual(c.bounds("log"), (math.log(0.5), math.log(4.0)))
        self.assertEqual(c.bounds(lambda one: -(one.speedup or 0)), (-4.0, -0.5))
        self.assertIsNone(c.bounds(lambda _: None))
        self.assertIsNone(dataclasses.replace(c, interval=None).bounds())
        unsure = dataclasses.replace(c, verdict="inconclusive")
        self.assertIsNone(unsure.bounds())

    def test_without_a_candidate_there_is_nothing_to_reward(self) -> None:
        scores = {
            name: NO_CANDIDATE.scalar(name) for name in ("log", "kevin", "kernrl")
        }
        self.assertEqual(scores, {"log": -1.0, "kevin": 0.0, "kernrl": 0.0})
        self.assertEqual(NO_CANDIDATE.as_dict()["novel"], False)

    def test_a_slow_kernel_is_better_than_none_and_no_slower_than_the_least(
        self,
    ) -> None:
        c = rl.Components(verdict="passed", compiled=True)
        for speedup, reward in (
            (0.1, -0.9),
            (0.5, math.log(0.5)),
            (3.0, math.log(3.0)),
        ):
            interval = (0.99 * speedup, 1.01 * speedup)
            timed = dataclasses.replace(
                c, log_speedup=math.log(speedup), interval=interval
            )
            self.assertAlmostEqual(schemes.log(timed), reward)


class VerdictsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "v.db"

    def test_the_last_of_each_kernel_is_what_it_holds(self) -> None:
        with rl.Verdicts(self.file) as verdicts:
            verdicts.keep("a", "fast", "x", {"n": 1}, at_s=5.0)
            verdicts.keep("b", "fast", "x", {"n": 2}, at_s=6.0)
            verdicts.keep("a", "fast", "x", {"n": 3}, at_s=7.0, again=True)
            kept = [(k.task, k.answer, k.judged_at_s) for k in verdicts]
            self.assertEqual(kept, [("b", {"n": 2}, 6.0), ("a", {"n": 3}, 7.0)])
            self.assertEqual(len(verdicts), 2)
            self.assertIsNone(verdicts.find("a", "full", "x"))

    def test_a_file_of_a_later_version_is_left_alone(self) -> None:
        rl.Verdicts(self.file).close()
        with sqlite3.connect(self.file) as connection:
            connection.execute("PRAGMA user_version = 9")
        with self.assertRaisesRegex(ck.NewerFormat, "has format 9, this version"):
            rl.Verdicts(self.file)

    def test_one_that_is_there_is_only_read(self) -> None:
        with rl.Verdicts(self.file) as verdicts:
            verdicts.keep("a", "fast", "x", {"n": 1})
        before = self.file.read_bytes()
        with rl.Verdicts(self.file, must_exist=True) as verdicts:
            self.assertEqual(verdicts.find("a", "fast", "x"), {"n": 1})
        self.assertEqual(self.file.read_bytes(), before)

    def test_what_the_system_refuses_is_said_with_the_file(self) -> None:
        with rl.Verdicts(self.file) as verdicts:
            for said, kind in (
                ("database or disk is full", ck.Full),
                ("disk I/O error", ck.IoError),
            ):
                broken = mock.Mock()
                broken.execute.side_effect = sqlite3.OperationalError(said)
                with (
                    mock.patch.object(verdicts, "_connection", broken),
                    self.assertRaisesRegex(kind, f"v.db: {said}"),
                ):
                    verdicts.find("a", "fast", "x")
        with self.assertRaises(ck.IoError):
            rl.Verdicts(self.file.parent / "no" / "v.db")


class Described:
    """In place of a service: tasks in pages, and what is said of each."""

    def ask(self, operation: str, request: dict[str, str]) -> dict[str, Any]:
        if operation == "list_tasks":
            self.asked = dict(request)
            second = "cursor" in request
            names = ["c"] if second else ["a", "b"]
            return {
                "tasks": [{"task": name} for name in names],
                "next_cursor": None if second else "2",
            }
        of = {"language": "cpp", "entry": "run", "tolerance": "8 ulp"}
        return {**of, "text": f"{request['part']} of {request['task']} {{x}}\n\n"}


class PromptsTest(unittest.TestCase):
    def test_all_pages_of_tasks_are_asked_for(self) -> None:
        service = Described()
        rows = rl.prompts(level=1, device="cuda", service=cast("Any", service))
        self.assertEqual([row["task"] for row in rows], ["a", "b", "c"])
        self.assertEqual(service.asked, {"device": "cuda", "level": "1", "cursor": "2"})

    def test_a_prompt_has_each_part_of_its_task(self) -> None:
        (row,) = rl.prompts(["a"], service=cast("Any", Described()))
        for part in ("summary", "reference", "root", "workloads"):
            # Braces of a task are none of ours.
            self.assertIn(f"{part} of a {{x}}\n", row["prompt"])
        self.assertIn("entry point `run`", row["prompt"])
        self.assertIn("Tolerance: 8 ulp", row["prompt"])
        self.assertNotIn("\n\n\n", row["prompt"])

    def test_without_a_level_all_are_asked_for(self) -> None:
        service = Described()
        names = list(task_prompts._names(cast("Any", service), None, "cpu"))
        self.assertEqual(names, ["a", "b", "c"])
        self.assertNotIn("level", service.asked)


    def test_a_level_that_nobody_has_is_no_empty_data_set(self) -> None:
        service = mock.Mock(ask=lambda *_: {"tasks": [], "next_cursor": None})
        with self.assertRaisesRegex(ck.UsageError, "no task for 'cpu' of level 7"):
            rl.prompts(level=7, service=service)


class RewardArgumentsTest(unittest.TestCase):
    """What is said wrongly is refused before anything is judged."""

    def test_a_tier_that_is_none_is_refused_at_once(self) -> None:
        with self.assertRaisesRegex(ck.UsageError, "tier: there is no 'fats'"):
            rl.reward(tier=cast("Any", "fats"))

    def test_each_completion_has_its_task(self) -> None:
        with self.assertRaisesRegex(ck.UsageError, "1 tasks for 2 completions"):
            rl.reward()(completions=["a", "b"], task=["row_sum"])

    def test_completions_in_the_place_of_prompts_are_not_left_out(self) -> None:
        with self.assertRaisesRegex(ck.UsageError, "completions: there are none"):
            rl.reward(task="row_sum")(["a", "b"])
        self.assertEqual(rl.reward(task="row_sum")(prompts=[], completions=[]), [])


class SettingsTest(unittest.TestCase):
    def test_what_a_user_has_said_of_his_is_kept_but_for_the_agents(self) -> None:
        rows = [
            {"key": "threads", "value": 4, "origin": "file"},
            {"key": "seed", "value": 1, "origin": "default"},
            {"key": "agents", "value": "pair", "origin": "file"},
            {"key": "db", "value": "x.db", "origin": "environment"},
        ]
        with fake_program(f"print({json.dumps(rows)!r})"):
            text = outside._settings_text({"threads": 1, "plan_model": "mine"})
        self.assertEqual(
            dict(line.split(" = ") for line in text.splitlines()),
            {
                "threads": "1",
                "agents": "alone",
                "plan_model": "outside",
                "code_model": "outside",
                "debug_model": "outside",
            },
        )


def relabelled(
    before: rl.Components, after: rl.Components, **more: Any
) -> rl.Relabelled:
    made = relabelling._relabelled("c", 3, "leads", before, after, "log")
    return dataclasses.replace(made, **more)


def timed(low: float, high: float) -> rl.Components:
    middle = math.sqrt(low * high)
    return rl.Components(
        verdict="passed",
        compiled=True,
        log_speedup=math.log(middle),
        interval=(low, high),
    )


class RelabelTest(unittest.TestCase):
    def test_it_has_changed_where_intervals_are_apart(self) -> None:
        crashed = rl.Components(verdict="crashed", compiled=True)
        unknown = dataclasses.replace(timed(2, 2), interval=None)
        for before, after, changed in (
            (timed(1, 2), timed(1.9, 3), False),
            (timed(1, 2), timed(2.1, 3), True),
            (timed(2.1, 3), timed(1, 2), True),
            (timed(1, 2), crashed, True),
            (crashed, crashed, False),
            (unknown, unknown, False),
        ):
            self.assertEqual(relabelled(before, after).changed, changed)
        self.assertTrue(relabelled(crashed, crashed, reward_after=0.5).changed)

    def test_it_is_read_in_a_line(self) -> None:
        unsure = rl.Components(verdict="inconclusive")
        self.assertEqual(
            str(relabelled(timed(4, 4), unsure)),
            "c node 3: leads: passed 4x (1.39) is now inconclusive (no reward)",
        )
        self.assertTrue(
            str(relabelled(unsure, unsure, node=None)).startswith("c: leads")
        )

    def test_leaders_are_verified_by_the_program_for_each_campaign(self) -> None:
        with fake_program("sys.exit(3)"):
            self.assertEqual(rl.relabel(LEVEL1, top=2), [])
        asked: list[tuple[Any, ...]] = []
        with mock.patch(
            "coppice_kernels._program.output_of",
            side_effect=lambda *words, codes: asked.append((*words, codes)),
        ):
            rl.relabel(LEVEL1, top=2)
        self.assertEqual(len(asked), 14)  # Campaigns.
        for words in asked:
            self.assertEqual(words[:3], ("verify", "--db", str(LEVEL1)))
            self.assertEqual(words[5:], ("--top", "2", "--json", (0, 3)))

    def test_a_campaign_that_somebody_does_is_left_out_with_a_word(self) -> None:
        busy = ck.Busy("another process has this campaign")
        with (
            mock.patch.object(relabelling, "_verify", side_effect=busy),
            warnings.catch_warnings(record=True) as told,
        ):
            warnings.simplefilter("always")
            self.assertEqual(rl.relabel(LEVEL1), [])
        self.assertEqual(len(told), 14)
        self.assertIn("left out: another process", str(told[0].message))
        with (
            mock.patch.object(relabelling, "_verify", side_effect=ck.Full("disk")),
            self.assertRaises(ck.Full),
        ):
            rl.relabel(LEVEL1)

    def test_an_empty_file_is_no_file_of_verdicts(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "a.db"
            file.write_text("my notes, which are longer than a header of SQLite")
            self.assertFalse(relabelling._is_of_verdicts(file))
            file.unlink()
            rl.Verdicts(file).close()
            self.assertTrue(relabelling._is_of_verdicts(file))


class EpisodeTest(unittest.TestCase):
    def begin(self, **more: Any) -> tuple[rl.Episode, FakeService]:
        answers = {
            "start_campaign": [{"campaign": "it's"}],
            "query": [UNTOUCHED],
            "ask": [offer(0), offer(1), SPENT],
            "tell": [receipt(1, "crashed"), receipt(2, "passed")],
            "renew": [{}],
        }
        service = FakeService(**cast("Any", answers))
        return rl.Episode(cast("Any", service), "gemv", 2, seed=5, **more), service

    def test_it_goes_on_from_the_last_or_from_where_the_policy_says(self) -> None:
        episode, service = self.begin()
        episode.tell("int a;")
        self.assertEqual([a.get("parent") for a in service.of("ask")], [0, 1])
        episode, service = self.begin(follow="policy", policy="ucb")
        episode.tell("int a;")
        self.assertEqual([a.get("parent") for a in service.of("ask")], [None, None])
        self.assertEqual(service.of("start_campaign")[0]["policy"], "ucb")

    def test_a_name_with_a_quote_is_asked_for_as_it_is(self) -> None:
        _, service = self.begin()
        self.assertIn("campaign = 'it''s'", service.of("query")[0]["sql"])

    def test_each_request_is_one_of_its_own(self) -> None:
        episode, service = self.begin(lease_s=60.0)
        episode.tell("int a;")
        asked = service.of("ask")
        self.assertEqual([a["request"] for a in asked], ["turn-0", "turn-1"])
        self.assertEqual({a["lease_s"] for a in asked}, {60.0})
        self.assertEqual(len({a["agent"] for a in asked}), 1)

    def test_who_leaves_gives_back_what_it_holds_once(self) -> None:
        episode, service = self.begin()
        self.assertEqual(episode.prompt, {"system": "s", "user": "u"})
        episode.leave()
        episode.leave()
        self.assertEqual(len(service.of("renew")), 1)
        self.assertEqual((episode.prompt, episode.source), (None, None))
        with self.assertRaisesRegex(ck.UsageError, "the episode was left"):
            episode.tell("int a;")

    def test_a_job_that_somebody_cancelled_is_no_turn(self) -> None:
        episode, service = self.begin()
        service.answers["tell"] = [{"state": "cancelled", "job": "j"}]
        with self.assertRaisesRegex(ck.Cancelled, "the job was cancelled"):
            episode.tell("int a;")

    def test_seeds_that_are_all_taken_are_an_error(self) -> None:
        service = FakeService(
            start_campaign=[{"campaign": "a"}] * 20, query=[{"rows": [[1]]}] * 20
        )
        with self.assertRaisesRegex(ck.Busy, "20 seeds in a row"):
            rl.Episode(cast("Any", service), "gemv", 2)
        seeds = {one["seed"] for one in service.of("start_campaign")}
        self.assertEqual(len(seeds), 20)

    def test_an_agent_who_plans_gives_its_attempt_back(self) -> None:
        service = FakeService(
            start_campaign=[{"campaign": "a"}],
            query=[UNTOUCHED],
            ask=[{**offer(0), "role": "plan"}],
            renew=[{}],
        )
        with self.assertRaisesRegex(ck.UsageError, "plan before they write"):
            rl.Episode(cast("Any", service), "gemv", 2)
        self.assertEqual(len(service.of("renew")), 1)


class Environment:
    """What libraries of environments have for a base, each in its way."""

    def __class_getitem__(cls, _: Any) -> type:
        return cls


class Model:
    """A record whose fields have defaults, as pydantic's are."""

    metadata: Any = None
    reward: Any = None
    done = False
    step_count = 0
    info: Any = None

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


@dataclasses.dataclass
class Begun:
    """An episode that a test tells what comes."""

    campaign: str = "gemv.1"
    task: str = "gemv"
    source: str | None = "root"
    prompt: Any = dataclasses.field(default_factory=lambda: {"user": "make it fast"})
    is_over: bool = False
    ended_because: str = ""
    told: list[str | None] = dataclasses.field(default_factory=list)
    left: int = 0
    turn: Any = None

    def tell(self, source: str | None) -> Any:
        self.told.append(source)
        return self.turn

    def leave(self) -> None:
        self.left += 1


TURN = rl.Turn(
    node=1, components=timed(2, 2), feedback="ok", speedup=2.0, best_speedup=2.0
)


@unittest.skipUnless(importlib.util.find_spec("gymnasium"), "no gymnasium")
class KernelEnvTest(unittest.TestCase):
    def setUp(self) -> None:
        module = importlib.import_module("coppice_kernels.rl.env")
        self.episodes: list[Begun] = []

        def begin(_: Any, task: str, *__: Any, **more: Any) -> Begun:
            self.episodes.append(Begun(task=task, turn=TURN))
            return self.episodes[-1]

        self.service = mock.Mock()
        for name, stand_in in (
            ("Episode", begin),
            ("outside_service", lambda *_: self.service),
        ):
            patch = mock.patch.object(module, name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)
        self.env = rl.KernelEnv("gemv", scheme="kevin", inconclusive=0.25)

    def test_the_best_so_far_is_of_the_episode(self) -> None:
        seen, _ = self.env.reset()
        self.assertEqual(float(seen["best_speedup"]), 1.0)
        seen, reward, ended, cut, info = self.env.step("```\nint a;\n```")
        self.assertEqual(float(seen["best_speedup"]), 2.0)
        self.assertAlmostEqual(reward, 2.3)
        self.assertEqual((ended, cut, info["reward_known"]), (False, False, True))
        self.assertEqual(self.episodes[0].told, ["int a;\n"])
        self.episodes[0].turn = dataclasses.replace(TURN, best_speedup=None)
        seen, *_ = self.env.step("int a;")
        self.assertEqual(float(seen["best_speedup"]), 2.0)  # Nothing is told.
        seen, _ = self.env.reset()
        self.assertEqual(float(seen["best_speedup"]), 1.0)

    def test_where_nothing_is_known_a_number_stands_for_it(self) -> None:
        self.env.reset()
        unsure = rl.Components(verdict="inconclusive")
        self.episodes[0].turn = dataclasses.replace(TURN, components=unsure)
        _, reward, _, _, info = self.env.step("int a;")
        self.assertEqual((reward, info["reward_known"]), (0.25, False))
        self.assertIsNone(info["reward_bounds"])

    def test_what_no_space_of_texts_has_is_replaced_and_whole_in_info(self) -> None:
        self.env.reset()
        self.episodes[0].source = "é" + "x" * (1 << 16)
        seen, *_, info = self.env.step("int a;")
        self.assertEqual(seen["source"], "?" + "x" * ((1 << 16) - 1))
        self.assertEqual(len(info["source"]), (1 << 16) + 1)
        self.assertTrue(self.env.observation_space.contains(seen))

    def test_a_reset_leaves_what_was_begun_and_may_name_another_task(self) -> None:
        with self.assertRaisesRegex(ck.UsageError, "reset"):
            self.env.step("a")
        self.env.reset()
        _, info = self.env.reset(options={"task": "gemm"})
        self.assertEqual((info["task"], self.episodes[0].left), ("gemm", 1))
        self.env.close()
        self.assertEqual(self.episodes[1].left, 1)
        self.service.close.assert_called_once_with()


class OpenEnvTest(unittest.TestCase):
    """With a stand-in for the library."""

    def setUp(self) -> None:
        core: Any = types.ModuleType("openenv.core.env_server")
        core.Action = core.Observation = core.State = Model
        core.Environment = Environment
        core.create_app = lambda *of, **more: (of, more)
        names = {"openenv": core, "openenv.core": core, "openenv.core.env_server": core}
        there = mock.patch.dict(sys.modules, names)
        there.start()
        self.addCleanup(there.stop)
        sys.modules.pop("coppice_kernels.rl.open_env", None)
        self.module = importlib.import_module("coppice_kernels.rl.open_env")
        self.addCleanup(sys.modules.pop, "coppice_kernels.rl.open_env")
        self.episodes: list[Begun] = []

        def begin(*_: Any, **more: Any) -> Begun:
            self.episodes.append(Begun(turn=TURN))
            return self.episodes[-1]

        self.service = mock.Mock()
        for name, stand_in in (
            ("Episode", begin),
            ("outside_service", lambda *_: self.service),
        ):
            patch = mock.patch.object(self.module, name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)

    def test_an_episode_goes_from_reset_to_step(self) -> None:
        env = self.module.OpenKernelEnv("gemv")
        with self.assertRaisesRegex(ck.UsageError, "reset"):
            env.step(self.module.KernelAction(completion="a"))
        seen = env.reset()
        self.assertEqual((seen.prompt, seen.source), ("make it fast", "root"))
        self.assertEqual(env.state.episode_id, "gemv.1")
        self.episodes[0].ended_because = "the budget is spent"
        self.episodes[0].is_over = True
        seen = env.step(self.module.KernelAction(completion="```\nint a;\n```"))
        self.assertEqual(self.episodes[0].told, ["int a;\n"])
        self.assertAlmostEqual(seen.reward, math.log(2))
        self.assertEqual((seen.done, seen.best_speedup), (True, 2.0))
        self.assertEqual(seen.metadata["node"], 1)
        self.assertEqual(env.state.step_count, 1)
        self.assertEqual(env.state.ended_because, "the budget is spent")

    def test_who_resets_or_closes_leaves_what_was_begun(self) -> None:
        env = self.module.OpenKernelEnv("gemv")
        env.reset(episode_id="mine")
        self.assertEqual(env.state.episode_id, "mine")
        env.reset()
        self.assertEqual([one.left for one in self.episodes], [1, 0])
        env.close()
        self.assertEqual([one.left for one in self.episodes], [1, 1])
        self.service.close.assert_called_once_with()

    def test_a_server_has_so_many_sessions(self) -> None:
        (make, *_), more = self.module.openenv_app("gemv", sessions=2, turns=5)
        self.assertEqual(more["max_concurrent_envs"], 2)
        self.assertEqual(make().turns, 5)


class VerifiersTest(unittest.TestCase):
    """With a stand-in for the library."""

    def setUp(self) -> None:
        class Task(Environment):
            def __init__(self, data: Any, config: Any) -> None:
                self.data = data
                self.config = config

        class Taskset(Environment):
            def __init__(self, config: Any) -> None:
                self.config = config

        vf: Any = types.ModuleType("verifiers.v1")
        vf.TaskConfig = vf.TaskData = vf.TasksetConfig = Model
        vf.Task, vf.Taskset, vf.State, vf.Trace = Task, Taskset, Model, Model
        vf.reward = lambda function: function
        verifiers: Any = types.ModuleType("verifiers")
        verifiers.v1 = vf
        names = {"verifiers": verifiers, "verifiers.v1": vf}
        there = mock.patch.dict(sys.modules, names)
        there.start()
        self.addCleanup(there.stop)
        sys.modules.pop("coppice_kernels.rl.taskset", None)
        self.module = importlib.import_module("coppice_kernels.rl.taskset")
        self.addCleanup(sys.modules.pop, "coppice_kernels.rl.taskset")

    def test_each_task_asks_for_a_kernel(self) -> None:
        asked: list[Any] = []

        def prompts(tasks: Any, **of: Any) -> list[dict[str, str]]:
            asked.append((tuple(tasks), of))
            return [{"task": "gemv", "prompt": "make it fast"}]

        with mock.patch.object(self.module, "prompts", prompts):
            taskset = self.module.verifiers_taskset(["gemv"], level=2, scheme="kevin")
            (task,) = taskset.load()
        self.assertEqual(asked, [(("gemv",), {"level": 2, "device": "cpu"})])
        self.assertEqual(task.data.kernel_task, "gemv")
        self.assertEqual(task.data.prompt, "make it fast")
        self.assertEqual(task.config.scheme, "kevin")

    def test_what_is_not_known_is_no_reward(self) -> None:
        for one, reward in (
            (timed(2, 2), {"kernel": 2.3}),
            (rl.Components(verdict="inconclusive"), {}),
        ):
            judge = mock.Mock()
            judge.components.return_value = [one]
            config = Model(scheme="kevin", tier="fast", replay=None)
            task = self.module.KernelTask(Model(kernel_task="gemv"), config)
            trace = Model(last_reply="so", info={})
            with mock.patch.object(self.module, "_reward_of", lambda *_, j=judge: j):
                found = asyncio.run(task.kernel(trace))
            self.assertEqual(found, reward)
            self.assertEqual(trace.info["kernel"], one.as_dict())
            judge.components.assert_called_once_with(["gemv"], ["so"])


if __name__ == "__main__":
    unittest.main()
