"""Episodes: campaigns of an agent that is trained."""

import importlib.util
import os
import pathlib
import tempfile
import unittest
from typing import Any, cast
from unittest import mock

import coppice_kernels as ck
from coppice_kernels import rl
from coppice_kernels._service import Service
from coppice_kernels.rl import outside

from . import program


def point(layout: int, tile: int = 0) -> str:
    return (
        f"sim basic\nlayout {layout}\ntile {tile}\nvectorise 1\nunroll 0\n"
        "prefetch 0\nfuse 0\n"
    )


class FakeService:
    """Answers from a script, and keeps what it was asked."""

    def __init__(self, **answers: list[dict[str, Any] | ck.Error]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.asked.append((method, dict(params)))
        answer = self.answers[method].pop(0)
        if isinstance(answer, ck.Error):
            raise answer
        return answer

    def of(self, method: str) -> list[dict[str, Any]]:
        return [params for name, params in self.asked if name == method]


def offer(decision: int) -> dict[str, Any]:
    return {
        "ticket": f"t{decision}",
        "decision": decision,
        "role": "code",
        "parent": 0,
        "prompt": {"system": "s", "user": "u"},
        "window": [{"node": 0, "source": "root"}],
    }


UNTOUCHED = {"rows": [[0]]}
SPENT = {"ticket": None, "reason": "the budget is spent", "spent": True}


def receipt(node: int, verdict: str) -> dict[str, Any]:
    return {
        "state": "done",
        "node": node,
        "verdict": verdict,
        "speedup": None,
        "best_speedup": 1.0,
        "log_head": "",
        "reward": {"compiled": False},
    }


class EpisodeTest(unittest.TestCase):
    def begin(self, service: FakeService) -> rl.Episode:
        return rl.Episode(cast("Service", service), "gemv", 2, seed=5)

    def test_a_seed_that_another_campaign_has_is_not_taken(self) -> None:
        service = FakeService(
            start_campaign=[{"campaign": "a"}, {"campaign": "b"}, {"campaign": "c"}],
            query=[{"rows": [[7]]}, UNTOUCHED, UNTOUCHED],
            ask=[offer(3), offer(0)],
            renew=[{}],
        )
        episode = self.begin(service)
        self.assertEqual(episode.campaign, "c")
        self.assertEqual(service.of("start_campaign")[0]["seed"], 5)
        # What it was given of the other's is given back.
        self.assertEqual(service.of("renew")[0]["ticket"], "t3")
        self.assertEqual(service.of("renew")[0]["lease_s"], 0)

    def test_what_takes_longer_is_waited_for(self) -> None:
        service = FakeService(
            start_campaign=[{"campaign": "a"}],
            query=[UNTOUCHED],
            ask=[offer(0), SPENT],
            tell=[{"state": "queued", "job": "j1"}],
            get_job=[{"state": "running", "job": "j1"}, receipt(1, "crashed")],
        )
        episode = self.begin(service)
        self.assertEqual(episode.source, "root")
        turn = episode.tell("int a;")
        self.assertEqual((turn.node, turn.components.verdict), (1, "crashed"))
        self.assertTrue(episode.is_over)
        with self.assertRaisesRegex(ck.UsageError, "the budget is spent"):
            episode.tell("int a;")

    def test_what_an_answer_has_cost_is_told_once(self) -> None:
        cost = {"output_tokens": 100, "cost_usd": 1.0}
        alone = {"model": "policy"}
        # What is refused by the service is charged by it; the rest never came.
        for source, refusals, usages in (
            ("\0", [ck.UsageError("source holds a zero byte")], [cost, {}]),
            ("// \ud83d", [], [cost]),
            ("x" * (256 << 10) + "x", [], [cost]),
            (None, [], [cost]),
        ):
            service = FakeService(
                start_campaign=[{"campaign": "a"}],
                query=[UNTOUCHED],
                ask=[offer(0), SPENT],
                tell=[*refusals, receipt(1, "no_candidate")],
            )
            self.begin(service).tell(source, usage=cost)
            told = service.of("tell")
            self.assertEqual(
                [one["usage"] for one in told], [{**alone, **one} for one in usages]
            )
            self.assertNotIn("source", told[-1])

    def test_a_wrong_cost_loses_no_source(self) -> None:
        service = FakeService(
            start_campaign=[{"campaign": "a"}],
            query=[UNTOUCHED],
            ask=[offer(0), SPENT],
            tell=[
                ck.UsageError("usage.cost_usd: expected a number"),
                receipt(1, "passed"),
            ],
        )
        episode = self.begin(service)
        with self.assertRaisesRegex(ck.UsageError, "cost_usd"):
            episode.tell("int a;", usage={"cost_usd": -1})
        self.assertEqual(episode.tell("int a;").node, 1)

    def test_what_is_refused_is_an_attempt_without_a_candidate(self) -> None:
        service = FakeService(
            start_campaign=[{"campaign": "a"}],
            query=[UNTOUCHED],
            ask=[offer(0), offer(1)],
            tell=[
                ck.UsageError("source holds a zero byte"),
                receipt(1, "no_candidate"),
            ],
        )
        episode = self.begin(service)
        episode.tell("\0")
        told = service.of("tell")[1]
        self.assertEqual(told["none_reason"], "source holds a zero byte")
        # There is nothing in node 1 to go on from.
        self.assertEqual(service.of("ask")[1]["parent"], 0)


@program.needed
class CampaignTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.db = str(pathlib.Path(folder.name) / "rl.db")

    def test_two_episodes_of_one_seed_are_two_campaigns(self) -> None:
        service = rl.outside_service(self.db)
        self.addCleanup(service.close)
        first = rl.Episode(service, "sim:basic", 2, seed=5)
        second = rl.Episode(service, "sim:basic", 2, seed=5)
        self.assertNotEqual(first.campaign, second.campaign)
        self.assertEqual(first.seed, 5)

    def test_a_campaign_that_is_being_done_is_left_out(self) -> None:
        with rl.outside_service(self.db) as service:
            rl.Episode(service, "sim:basic", 2).tell(point(1))
            with self.assertWarnsRegex(UserWarning, "left out"):
                self.assertEqual(rl.relabel(self.db), [])

    def test_agents_who_plan_are_none_of_ours(self) -> None:
        with (
            Service(["--db", self.db]) as service,
            self.assertRaisesRegex(ck.UsageError, "outside_service"),
        ):
            rl.Episode(service, "sim:basic", 2, seed=5)

    def test_a_file_of_settings_is_merged(self) -> None:
        config = pathlib.Path(self.db).with_name("home") / "coppice"
        config.mkdir(parents=True)
        (config / "coppice.conf").write_text("seed = 7\nagents = team\n")
        with mock.patch.dict("os.environ", XDG_CONFIG_HOME=str(config.parent)):
            text = outside._settings_text({"policy": "stark"})
        said = dict(line.split(" = ") for line in text.splitlines())
        self.assertEqual((said["seed"], said["policy"]), ("7", "stark"))
        self.assertEqual((said["agents"], said["code_model"]), ("alone", "outside"))


@program.needed
@unittest.skipUnless(os.environ.get("CK_RELABEL_KERNEL"), "judges a real kernel twice")
class RefutedTest(unittest.TestCase):
    def test_a_kernel_that_reads_what_is_not_its_own_loses_its_reward(self) -> None:
        # It is slower than the root, so that nothing confirms it at once.
        beyond = (
            "  volatile int at = 4;\n  float a[4] = {1, 2, 3, 4};\n"
            "  volatile float* b = a;\n  volatile float sum = b[at];\n"
            "  for (int k = 0; k < 200000; ++k) sum = sum + 1.0f;\n}\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            db = pathlib.Path(folder) / "rl.db"
            with rl.outside_service(db) as service:
                episode = rl.Episode(service, "row_sum", 1)
                source = episode.source
                assert source is not None
                turn = episode.tell(source.rstrip()[:-1] + beyond)
            self.assertEqual(turn.components.verdict, "passed")
            (one,) = rl.relabel(db, scheme="kevin")
            self.assertTrue(one.changed)
            self.assertEqual((one.after.verdict, one.reward_after), ("crashed", 0.0))
            (again,) = rl.relabel(db, scheme="kevin")
            self.assertEqual(again.why, "quarantined")
            self.assertAlmostEqual(again.reward_before, one.reward_before)


@program.needed
@unittest.skipUnless(importlib.util.find_spec("gymnasium"), "no gymnasium")
class KernelEnvTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.db = str(pathlib.Path(folder.name) / "rl.db")

    def test_an_episode_is_a_campaign_in_the_tree(self) -> None:
        env = rl.KernelEnv("sim:basic", turns=3, db=self.db)
        self.addCleanup(env.close)
        observation, info = env.reset(seed=1)
        self.assertIn("layout 0", observation["source"])
        self.assertIn("attempt 1 of 3", observation["prompt"])
        rewards = []
        for action in (point(1), "I give up.\n```", point(2, 3)):
            _, reward, ended, cut, info = env.step(action)
            rewards.append(reward)
            self.assertFalse(cut)
        self.assertTrue(ended)
        self.assertIn("budget of 3 attempts", info["ended_because"])
        self.assertEqual(rewards[1], -1.0)
        low, high = info["reward_bounds"]
        self.assertLessEqual(low, rewards[2])
        self.assertLessEqual(rewards[2], high)
        env.close()
        with ck.open(self.db) as h:
            c = h.campaign(info["campaign"])
            self.assertEqual([node.parent for node in c], [None, 0, 1, 1])
            self.assertEqual([n.verdict for n in c][2], "no_candidate")
            providers = h.rows("SELECT DISTINCT provider FROM calls")
            self.assertEqual(providers, [("outside",)])
            self.assertEqual(c[3].prompts[0].model[:8], "episode-")
        program.output("replay", "--check", "--db", self.db)
        found = rl.relabel(self.db, top=2)
        self.assertEqual({one.node for one in found}, {1, 3})
        self.assertEqual({one.changed for one in found}, {False})

    def test_gymnasium_finds_nothing_wrong(self) -> None:
        import gymnasium
        from gymnasium.utils.env_checker import check_env

        self.assertIsNotNone(rl.KernelEnv)
        env = gymnasium.make("coppice/Kernel-v0", task="sim:basic", turns=2, db=self.db)
        self.addCleanup(env.close)
        check_env(env.unwrapped, skip_render_check=True)


@program.needed
@unittest.skipUnless(importlib.util.find_spec("openenv"), "no openenv")
class OpenEnvTest(unittest.TestCase):
    def test_a_client_has_an_episode_by_its_server(self) -> None:
        import threading

        import uvicorn
        from openenv.core.generic_client import GenericEnvClient

        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        db = str(pathlib.Path(folder.name) / "rl.db")
        app = rl.openenv_app("sim:basic", turns=2, db=db)
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical"))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            self.assertTrue(thread.is_alive())
        port = server.servers[0].sockets[0].getsockname()[1]
        with GenericEnvClient(base_url=f"http://127.0.0.1:{port}").sync() as env:
            begun = env.reset()
            self.assertIn("layout 0", begun.observation["source"])
            first = env.step({"completion": point(1)})
            self.assertFalse(first.done)
            second = env.step({"completion": "I give up.\n```"})
            self.assertTrue(second.done)
            self.assertEqual(second.reward, -1.0)
            state = env.state()
        server.should_exit = True
        thread.join()
        self.assertEqual(state["step_count"], 2)
        with ck.open(db) as h:
            c = h.campaign(state["campaign"])
            self.assertEqual([node.parent for node in c], [None, 0, 1])


if __name__ == "__main__":
    unittest.main()
