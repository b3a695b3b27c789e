"""A campaign that agents of other programs drive wholly: by the verb `ticket`,
and by the operations of `coppice serve --stdio`.

    ask_tell_test.py PROGRAM
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = sys.argv.pop(1)
BUDGET = 4


def run(*words, db, code=0, stdin=""):
    done = subprocess.run([PROGRAM, *words, "--db", db], input=stdin,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stdout, done.stderr


def begin(db):
    """A campaign whose agents are outside, as soon as its root is measured."""
    outside = [word for role in ("plan", "code", "debug")
               for word in (f"--{role}-model", "outside")]
    running = subprocess.Popen(
        [PROGRAM, "run", "sim:basic", "--budget", str(BUDGET), "--db", db,
         "--progress", "none", *outside],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while subprocess.run([PROGRAM, "show", "root", "--db", db],
                         capture_output=True, check=False).returncode != 0:
        assert running.poll() is None, running.communicate()[1]
        time.sleep(0.05)
    return running


def plan_for(offer):
    """Marks all of the parent's source."""
    return ("Technique: tile\nCut the loop.\n```\n// <<<IMPROVE BEGIN>>>\n"
            + offer["annotate"].rstrip("\n") + "\n// <<<IMPROVE END>>>\n```\n")


class Lines:
    """`coppice serve --stdio`."""

    def __init__(self, db):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--stdio", "--db", db], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.given = 0

    def ask(self, method, **params):
        self.given += 1
        self.process.stdin.write(json.dumps(
            {"jsonrpc": "2.0", "id": self.given, "method": method,
             "params": params}) + "\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.given:
                return answer

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class AskTellTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.db = str(pathlib.Path(self.folder.name) / "x.db")

    def tearDown(self):
        self.folder.cleanup()

    def campaign(self):
        out, _ = run("sql", "SELECT campaign FROM campaigns", "--json",
                     db=self.db)
        return json.loads(out)[0]["campaign"]

    def test_verbs_drive_a_campaign_to_its_end(self):
        running = begin(self.db)
        for step in range(BUDGET):
            words = ["ticket", "ask", "--agent", "me", "--request",
                     f"s{step}", "--json"]
            first = json.loads(run(*words, db=self.db)[0])
            again = json.loads(run(*words, db=self.db)[0])
            self.assertEqual(first["ticket"], again["ticket"])
            ticket = first["ticket"]
            if first["role"] == "plan":
                told = json.loads(run(
                    "ticket", "tell", ticket, "--plan", "-", "--json",
                    db=self.db, stdin=plan_for(first))[0])
                self.assertEqual(told["next"]["role"], "code")
            told = json.loads(run(
                "ticket", "tell", ticket, "--none", "no idea", "--cost-usd",
                "0.5", "--json", db=self.db, code=3)[0])
            self.assertEqual(told["node"], step + 1)
            self.assertEqual(told["verdict"], "no_candidate")
            self.assertIs(told["reward"]["compiled"], False)
        _, why = run("ticket", "ask", "--agent", "me", db=self.db, code=3)
        self.assertIn("the budget of 4 attempts is spent: 4 were begun", why)
        running.communicate(timeout=60)  # It has nothing more to wait for.
        out, _ = run("sql", "SELECT sum(cost_usd) AS usd,"
                     " min(is_claimed) AS claimed FROM spend",
                     "--json", db=self.db)
        self.assertEqual(json.loads(out), [{"usd": 2.0, "claimed": 1}])
        run("replay", "--check", db=self.db)
        run("db", "doctor", db=self.db)

    def test_operations_do_so_while_their_service_is_killed(self):
        running = begin(self.db)
        running.kill()
        running.communicate()
        campaign = self.campaign()
        service = Lines(self.db)
        for step in range(BUDGET):
            offer = service.ask("ask", campaign=campaign, agent="me",
                                request=f"s{step}")["result"]
            service.kill()
            service = Lines(self.db)
            same = service.ask("ask", campaign=campaign, agent="me",
                               request=f"s{step}")["result"]
            self.assertEqual(same["ticket"], offer["ticket"])
            told = {"ticket": offer["ticket"], "none_reason": "no idea",
                    "usage": {"model": "m", "output_tokens": 7}}
            first = service.ask("tell", **told)["result"]
            self.assertEqual(first["node"], step + 1)
            service.kill()
            service = Lines(self.db)
            self.assertEqual(service.ask("tell", **told)["result"]["node"],
                             step + 1)
            told["none_reason"] = "another"
            refused = service.ask("tell", **told)["error"]
            self.assertIn("already told", refused["message"])
        spent = service.ask("ask", campaign=campaign, agent="me")["result"]
        self.assertIsNone(spent["ticket"])
        self.assertIs(spent["spent"], True)
        wrong = service.ask("tell", ticket="x", plan=7)["error"]
        self.assertEqual(wrong["code"], -32602)
        self.assertIn("ticket: is none that ask gave", wrong["message"])
        self.assertIn("plan: expected a text", wrong["message"])
        service.kill()
        run("replay", "--check", db=self.db)
        run("db", "doctor", db=self.db)


if __name__ == "__main__":
    unittest.main()
