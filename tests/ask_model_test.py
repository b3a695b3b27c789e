#!/usr/bin/env python3
"""`coppice ask` with a model that is a command: what a user sees of it.

The model looks the leaders up, and says what it is told once it has them.

usage: ask_model_test.py --program COPPICE
"""

import argparse
import json
import pathlib
import re
import sqlite3
import subprocess
import tempfile
import unittest
import urllib.request

ARGUMENTS = argparse.ArgumentParser()
ARGUMENTS.add_argument("--program", type=pathlib.Path, required=True)
PROGRAM = ARGUMENTS.parse_args().program

LOOK_UP = json.dumps(
    {"tool": "sql",
     "arguments": {"query": "SELECT node, speedup FROM leaderboard"}})


class AskModelTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.database = self.folder / "runs.db"
        subprocess.run([PROGRAM, "run", "sim:hill/1", "--budget", "3", "--db",
                        self.database, "--progress", "none", "--name", "a b"],
                       stdin=subprocess.DEVNULL, capture_output=True,
                       check=False)

    def model(self, answer):
        script = self.folder / "model.sh"
        script.write_text("if grep -q result_of; then cat <<'END'\n"
                          f"{answer}\nEND\nelse echo '{LOOK_UP}'; fi\n")
        return f"exec:sh {script}"

    def ask(self, answer, *more, question="which is fastest?", typed=None):
        return subprocess.run(
            [PROGRAM, "ask", "--db", self.database, "--model",
             self.model(answer), *more, question],
            input=typed, capture_output=True, text=True, check=False)

    def rows(self, sql):
        with sqlite3.connect(self.database) as db:
            return db.execute(sql).fetchall()

    def test_links_are_checked_and_numbers_of_nobody_marked(self):
        asked = self.ask("See [[n:0]] at 1.0x; [[n:99]] would be at 777.5x.",
                         "--assistant-usd-day", "none")
        self.assertEqual(asked.returncode, 0, asked.stderr)
        self.assertTrue(asked.stdout.startswith(
            "See node 0 at 1.0x; ~~[[n:99]]~~ would be at "
            "777.5(not found)x.\n\ncoppice show 0 --campaign 'a b' --db "),
            asked.stdout)
        self.assertIn("unknown cost, 2 requests, ", asked.stdout)
        self.assertRegex(asked.stderr, r'  sql \{"query".*: \d rows?\n')
        self.assertEqual(
            self.rows("SELECT campaign, role, provider, outcome,"
                      " question_number FROM assistant_turns"),
            2 * [("a b", "assistant", "exec", "answered", 1)])

    def test_the_link_is_a_command_that_works(self):
        asked = self.ask("See [[n:0]] of [[d:0]].", "--assistant-usd-day",
                         "none")
        commands = [line for line in asked.stdout.splitlines()
                    if line.startswith("coppice ")]
        self.assertEqual(len(commands), 2, asked.stdout)
        for command in commands:
            subprocess.run(["sh", "-c", f"'{PROGRAM}'{command[7:]}"],
                           check=True, capture_output=True)

    def test_a_model_cannot_steer_a_terminal(self):
        asked = self.ask("a\033[2Jb", "--assistant-usd-day", "none")
        self.assertNotIn("\033", asked.stdout)

    def test_json_has_all_of_an_answer(self):
        asked = self.ask("See [[n:0]] at 777.5x.", "--assistant-usd-day",
                         "none", "--json")
        document = json.loads(asked.stdout)
        self.assertEqual(document["cites"],
                         [{"text": "[[n:0]]", "exists": True}])
        self.assertEqual(document["not_found"], ["777.5"])
        self.assertIsNone(document["cost_usd"])

    def test_a_cap_needs_a_price_and_says_how_to_go_on(self):
        asked = self.ask("Never.")
        self.assertNotEqual(asked.returncode, 0)
        self.assertEqual(asked.stdout, "")
        self.assertEqual(asked.stderr.count("\n"), 1, asked.stderr)
        self.assertIn("assistant_usd_day", asked.stderr)
        self.assertEqual(self.rows("SELECT * FROM assistant_turns"), [])

    def test_a_model_that_fails_is_one_line_and_a_row(self):
        asked = subprocess.run(
            [PROGRAM, "ask", "--db", self.database, "--model", "exec:false",
             "--assistant-usd-day", "none", "why"],
            capture_output=True, text=True, check=False)
        self.assertEqual(asked.returncode, 1)
        self.assertEqual(asked.stderr.count("\n"), 1, asked.stderr)
        self.assertEqual(self.rows("SELECT outcome FROM assistant_turns"),
                         [("outcome_unknown",)])

    def test_what_was_recorded_is_played_again_for_nothing(self):
        cassette = self.folder / "talk.jsonl"
        first = self.ask("See [[n:0]].", "--assistant-usd-day", "none",
                         "--record", str(cassette))
        self.assertEqual(first.returncode, 0, first.stderr)
        again = subprocess.run(
            [PROGRAM, "ask", "--db", self.database, "--model",
             f"replay:{cassette}", "which is fastest?"],
            capture_output=True, text=True, check=False)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertTrue(again.stdout.startswith("See node 0."), again.stdout)
        self.assertIn("$0.0000, 2 requests", again.stdout)

    def test_a_server_answers_by_a_command_as_well(self):
        server = subprocess.Popen(
            [PROGRAM, "serve", self.database, "--port", "0", "--no-open",
             "--assistant-model", self.model("See [[n:0]] at 777.5x."),
             "--assistant-usd-day", "none"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            host, token = server.stdout.readline().strip().split("/?token=")
            port = host.rsplit(":", 1)[1]
            cookie = f"coppice-{port}={token}"
            request = urllib.request.Request(
                host + "/api/ask", headers={
                    "Cookie": cookie, "Origin": host, "X-Coppice": "1",
                    "Content-Type": "application/json"},
                data=json.dumps({"c": "a b", "question": "which?"}).encode())
            opener = urllib.request.build_opener(
                urllib.request.ProxyHandler({}))
            with opener.open(request, timeout=60) as reply:
                told = reply.read().decode()
        finally:
            server.terminate()
            server.wait()
            server.stdout.close()
        names = re.findall("^event: (.*)$", told, re.MULTILINE)
        self.assertEqual(names, ["tool", "token", "done"], told)
        done = json.loads(told.rsplit("data: ", 1)[1])
        self.assertEqual(done["cites"][0]["href"], "/c/a%20b/n/0")
        self.assertEqual(done["not_found"], ["777.5"])

    def test_a_file_that_is_not_there_is_not_made(self):
        copy = self.folder / "missing.db"
        asked = subprocess.run(
            [PROGRAM, "ask", "--db", copy, "--model", "exec:cat", "why"],
            capture_output=True, text=True, check=False)
        self.assertEqual(asked.returncode, 2)
        self.assertIn("no such file", asked.stderr)
        self.assertFalse(copy.exists())


if __name__ == "__main__":
    unittest.main(argv=["ask_model_test"])
