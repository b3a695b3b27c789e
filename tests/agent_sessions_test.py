"""Attempts whose code agent works in a session with tools.

    agent_sessions_test.py PROGRAM

COPPICE_TEST_SESSION_KILLS says how often a campaign is killed while its agents work.
"""

import collections
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

PROGRAM = sys.argv.pop(1)
HERE = pathlib.Path(__file__).resolve().parent / "agent_sessions"
AGENT = HERE / "agent.py"
KILLS = int(os.environ.get("COPPICE_TEST_SESSION_KILLS", "6"))
BUDGET = 2
TOOLS = ["evaluate_kernel"] * 3 + ["hand_in"]  # Of a whole session.


class Campaigns(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.db = self.folder / "x.db"
        self.cache = self.folder / "cache"

    def words(self, how, *more, task="sim:basic", budget=BUDGET,
              kernel="point_{}.txt"):
        command = (f"session:{sys.executable} {AGENT} {how} "
                   f"{HERE}/{kernel.format('wrong')} "
                   f"{HERE}/{kernel.format('better')}")
        command = " ".join([command, *self.extra(how)])
        return [PROGRAM, "run", task, "--budget", str(budget), "--agents",
                "alone", "--code-model", command, "--debug-model", command,
                "--db", str(self.db), "--cache-directory", str(self.cache),
                "--progress", "none", *more]

    def extra(self, how):
        return [str(self.db)] if how == "read" else []

    def run_it(self, words, code=None):
        done = subprocess.run(words, capture_output=True, text=True,
                              timeout=240, check=False)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr)
        return done

    def rows(self, sql):
        done = self.run_it([PROGRAM, "sql", sql, "--json", "--db",
                            str(self.db)], 0)
        return [list(row.values()) for row in json.loads(done.stdout)]

    def calls(self):
        return self.rows("SELECT decision, number, tool, state, starts FROM"
                         " session_calls ORDER BY decision, number")


class SessionsTest(Campaigns):
    def test_what_it_hands_in_is_judged_as_any_candidate(self):
        self.run_it(self.words("work"))
        self.assertEqual(self.calls(), [
            [decision, number + 1, tool, "answered", 1]
            for decision in range(BUDGET) for number, tool in enumerate(TOOLS)])
        self.assertEqual(
            self.rows("SELECT verdict FROM nodes ORDER BY node"),
            [["passed"]] * (BUDGET + 1))
        # Four calls, a cent each.
        self.assertEqual(
            self.rows("SELECT round(cost_usd, 6), outcome FROM calls"),
            [[0.04, "answered"]] * BUDGET)
        self.run_it([PROGRAM, "db", "doctor", "--db", str(self.db)], 0)

    def test_a_kernel_in_cpp_is_checked_timed_and_handed_in(self):
        self.run_it(self.words("work", "--model-timeout-s", "600",
                               task="row_sum", budget=1,
                               kernel="row_sum_{}.cc"))
        self.assertEqual(
            self.rows("SELECT tool, json_extract(blob_text(answer_blob),"
                      " '$.verdict') FROM session_calls ORDER BY number"),
            [["evaluate_kernel", "wrong_output"],
             ["evaluate_kernel", "passed"], ["evaluate_kernel", "passed"],
             ["hand_in", None]])
        self.assertEqual(self.rows("SELECT verdict FROM nodes WHERE node = 1"),
                         [["passed"]])

    def reasons(self, code=None, how="leave", *more):
        self.run_it(self.words(how, *more, budget=1), code)
        return self.rows("SELECT n.verdict, c.error FROM nodes n JOIN calls c"
                         " USING (campaign, decision)"
                         " WHERE n.node = 1")

    def test_a_session_that_hands_in_nothing_has_no_candidate(self):
        self.assertEqual(self.reasons(), [[
            "no_candidate", "the session ended without handing in"]])

    def test_each_budget_ends_a_session_by_its_word(self):
        for how, words, word in (
                ("hang", ["--session-s", "2"], "seconds"),
                ("call", ["--session-calls", "2", "--session-usd", "100"],
                 "calls"),
                ("spend", ["--session-usd", "0.05"], "money"),
                ("print", [], "output")):
            with self.subTest(how):
                [[verdict, error]] = self.reasons(None, how, *words)
                self.assertEqual(verdict, "no_candidate")
                self.assertIn(f"the session was ended ({word}): ", error)
                self.db.unlink()

    def test_a_spent_cap_ends_the_campaign_and_no_attempt(self):
        done = self.run_it(self.words("work", "--cap-usd", "0"))
        self.assertIn("the cap of $0.00 for the campaign", done.stderr)
        self.assertEqual(self.calls(), [])
        self.assertEqual(self.rows("SELECT count(*) FROM nodes"), [[1]])

    def test_what_passed_counts_where_nothing_was_handed_in(self):
        self.assertEqual(self.reasons(None, "check"), [["passed", ""]])

    def test_hostile_texts_do_no_harm(self):
        self.run_it(self.words("hostile", budget=1))
        done = self.run_it([PROGRAM, "show", "1", "--db", str(self.db)], 0)
        self.assertNotIn("\x1b", done.stdout)
        done = self.run_it([PROGRAM, "status", "--db", str(self.db)], 0)
        self.assertNotIn("\x1b", done.stdout)
        self.run_it([PROGRAM, "db", "doctor", "--db", str(self.db)], 0)

    def test_an_agent_that_is_killed_goes_on(self):
        self.assertEqual(self.reasons(None, "die"), [
            ["passed", "session: was killed by signal 9; it goes on in another"
             " run"], ["passed", ""]])
        # What was answered before is answered by its row.
        self.assertEqual([row[1:] for row in self.calls()], [
            [number + 1, tool, "answered", 1] for number, tool in enumerate(
                ["evaluate_kernel"] * 4 + ["hand_in"])])
        # A cent each time, the second run's first among them.
        self.assertEqual(
            self.rows("SELECT round(cost_usd, 6), outcome FROM wire_calls"
                      " ORDER BY wire_call_id"),
            [[0.01, "answered"], [0.05, "answered"]])

    def test_an_agent_that_never_works_is_named(self):
        done = self.run_it(self.words("fail", "--model-failures", "1",
                                      budget=1))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("I cannot work here", done.stderr)

    def test_the_jail_shows_no_database_and_takes_no_file(self):
        if not pathlib.Path("/usr/bin/bwrap").exists():
            self.skipTest("no bubblewrap")
        self.run_it(self.words("read", budget=1))
        [folder] = self.cache.glob("sessions/*/work")
        self.assertEqual((folder / "read").read_text(), "0")
        self.assertFalse((self.folder / "touched").exists())


class CommandLinesTest(Campaigns):
    """Programs in the place of Claude Code and Codex, which take their options
    and print lines in their forms."""

    def setUp(self):
        super().setUp()
        # The jail has a /tmp of its own, and this file may lie in ours.
        installed = tempfile.TemporaryDirectory(dir="/var/tmp")
        self.addCleanup(installed.cleanup)
        agents = pathlib.Path(installed.name) / HERE.name
        shutil.copytree(HERE, agents)
        path = f"{agents / 'bin'}:{os.environ['PATH']}"
        patch = unittest.mock.patch.dict(os.environ, {"PATH": path})
        patch.start()
        self.addCleanup(patch.stop)

    def words(self, how, *more, budget=1):
        words = super().words(how, *more, budget=budget)
        return [how if word.startswith("session:") else word for word in words]

    def ledger(self):
        return self.rows("SELECT outcome, round(cost_usd, 9), input_tokens,"
                         " output_tokens, price_version <> 'provider'"
                         " FROM wire_calls ORDER BY wire_call_id")

    def test_claude_is_given_tools_and_a_budget_and_tells_its_cost(self):
        self.assertIn(self.run_it(self.words("claude-session:m")).returncode,
                      (0, 3))
        [words] = self.cache.glob("sessions/*/work/words")
        self.assertIn("--max-budget-usd 1.0000 --model m", words.read_text())
        self.assertEqual(self.ledger(), [["answered", 0.125, 400, 40, 0]])
        self.assertEqual(len(self.calls()), 4)

    def test_codex_is_given_tools_and_its_tokens_are_priced(self):
        self.assertIn(
            self.run_it(self.words("codex-session:gpt-5.4")).returncode, (0, 3))
        # $2.50 and $15 a million tokens of input and output.
        self.assertEqual(self.ledger(), [["answered", 0.004, 1000, 100, 1]])
        self.assertEqual(len(self.calls()), 4)

    def test_claude_goes_on_with_the_session_that_it_knows(self):
        running = subprocess.Popen(self.words("claude-session:hang"),
                                   stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        for _ in range(600):
            if list(self.cache.glob("sessions/*/work/hangs")):
                break
            time.sleep(0.1)
        running.kill()
        running.wait()
        self.run_it([PROGRAM, "resume", "--db", str(self.db),
                     "--cache-directory", str(self.cache)])
        [words] = self.cache.glob("sessions/*/work/words")
        first, second = words.read_text().splitlines()
        self.assertNotIn("--resume", first)
        self.assertIn("--resume c-1", second)
        # It told tokens until it was killed, and no price of "hang" is known.
        self.assertEqual(self.ledger(), [["answered", None, 200, 20, 1],
                                         ["answered", 0.125, 400, 40, 0]])
        self.assertEqual([row[4] for row in self.calls()], [1] * 4)


class KilledSessionsTest(Campaigns):
    """Kills of coppice at any time, as often as COPPICE_TEST_SESSION_KILLS says."""

    def candidates(self):
        return self.rows("SELECT node, parent, verdict,"
                         " blob_text(source_blob) FROM nodes ORDER BY node")

    def go_on(self, words, chance):
        """Runs or resumes, and kills it; whether it came to its end."""
        running = subprocess.Popen(words, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        try:
            running.communicate(timeout=chance.uniform(0.05, 1.5))
            return True
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGKILL)
            running.communicate()
            return False

    def campaign_under_kills(self, chance, most):
        """How often it was killed in a session until it was done."""
        words = first = self.words("work")
        kills = 0
        while kills < most and not self.go_on(words, chance):
            shown = self.run_it([PROGRAM, "show", "root", "--db", str(self.db)])
            if shown.returncode != 0:
                continue
            words = [PROGRAM, "resume", *first[first.index("--code-model"):]]
            # Whether an agent was at work.
            kills += len(self.rows(
                "SELECT 1 FROM calls WHERE outcome = 'sent'"))
        self.assertIn(self.run_it(words).returncode, (0, 3))
        return kills

    def check_books(self):
        """What agents noted is what the ledger has, run by run."""
        noted = collections.Counter()
        for book in self.cache.glob("sessions/*/work/book"):
            for line in book.read_text().splitlines():
                run, cents = line.split()
                noted[run] = max(noted[run], int(cents))
        ledger = self.rows("SELECT round(100 * cost_usd), outcome FROM"
                           " wire_calls WHERE cost_usd IS NOT NULL")
        paid = sum(cents for cents, _ in ledger)
        # One that is killed has said its last cent, and may not have noted it.
        killed = sum(1 for _, outcome in ledger) - BUDGET
        self.assertLessEqual(sum(noted.values()), paid)
        self.assertLessEqual(paid, sum(noted.values()) + killed)

    def check_rows(self, kills):
        """As without kills: four for each session, so that nothing was done
        twice.  Begun again is only what a kill left without its end."""
        rows = self.calls()
        self.assertEqual([row[:4] for row in rows], [
            [decision, number + 1, tool, "answered"]
            for decision in range(BUDGET) for number, tool in enumerate(TOOLS)])
        self.assertLessEqual(sum(row[4] - 1 for row in rows), kills)

    def test_a_storm_of_kills_changes_nothing(self):
        self.run_it(self.words("work"))
        undisturbed = self.candidates()
        chance = random.Random(1)
        kills = 0
        while kills < KILLS:
            self.db.unlink()
            shutil.rmtree(self.cache / "sessions")
            killed = self.campaign_under_kills(chance, KILLS - kills)
            kills += killed
            self.assertEqual(self.candidates(), undisturbed)
            self.check_rows(killed)
            self.check_books()
            self.run_it([PROGRAM, "db", "doctor", "--db", str(self.db)], 0)
        print(f"{kills} kills in sessions", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
