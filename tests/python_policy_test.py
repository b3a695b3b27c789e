#!/usr/bin/env python3
"""Campaigns and comparisons that a policy in Python decides, by the program.

usage: python_policy_test.py --program FILE [--policies DIR] [--kills N]
"""

import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""
POLICIES = pathlib.Path(__file__).resolve().parents[1] / "docs" / "policies"
KILLS = 10

MINE = """from coppice_kernels.policy import Policy, Selection

class Mine(Policy):
    def select(self, tree, stream):
        if stream.uniform() < 0.5 and tree.leaves:
            return Selection(tree.leaves.pick(stream), "explore")
        return Selection(tree.best_eligible or 0, "exploit")
"""
# A method that goes wrong in its first line, line 5, and what is said of it.
SELECTING = """from coppice_kernels.policy import Policy, Selection

class Mine(Policy):
    def select(self, tree, stream):
        {}
"""
MISTAKES = (
    ("return Selection(99, 'x')", "mine.py:4: chose node 99, and there are 1"),
    (
        "return Selection(0, 'x', scores={0: float('nan')})",
        "mine.py:4: the score of node 0 is NaN",
    ),
    ("return 0", "mine.py:4: select() returned int, not a Selection"),
    ("return tree[0]", "mine.py:5: TypeError: 'Tree' object is not subscriptable"),
    ("while True: pass", "mine.py:5: gave no answer in 1 s (--policy-timeout-s)"),
    (
        "import time; return Selection(0, str(time.perf_counter()))",
        "line 5 imports time",
    ),
    (
        "global n; n = globals().get('n', 0) + 1; return Selection(0, str(n))",
        "line 5 has the global n",
    ),
    (
        "self.n = getattr(self, 'n', 0) + 1; return Selection(0, str(self.n))",
        "line 5 sets self.n",
    ),
    ("return Selection(0, 'x'", "mine.py:5: SyntaxError: '(' was never closed"),
    (
        "import numpie; return Selection(0, 'x')",
        "mine.py:5: ModuleNotFoundError: No module named 'numpie'",
    ),
    ("return Selection(0, 'x' * 600)", "more than one line of 500 bytes"),
    ("raise SystemExit('enough')", "mine.py:5: SystemExit: enough"),
)
FAILING = MINE.replace('0, "exploit"', '0 if len(tree) < 6 else 1 / 0, "exploit"')


class PythonPolicyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.mine = self.folder / "mine.py"
        self.mine.write_text(MINE)
        self.policy = f"python:{self.mine}:Mine"

    def start(self, *words):
        return subprocess.Popen(
            [PROGRAM, *words],
            cwd=self.folder,
            env={**os.environ, "HOME": str(self.folder), "XDG_CONFIG_HOME": ""},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run_it(self, *words, code=0):
        child = self.start(*words)
        out, errors = child.communicate(timeout=300)
        self.assertEqual(child.returncode, code, f"{words}: {out}{errors}")
        return out if code == 0 else errors

    def campaign(self, database, policy, *more, budget=30, code=0):
        return self.run_it(
            *("run", "sim:basic", "--name", "c", "--seed", "7", "--progress", "none"),
            *("--budget", str(budget), "--db", database, "--policy", policy, *more),
            code=code,
        )

    def sql(self, database, query):
        return self.run_it("sql", "--csv", "--db", database, query)

    def test_it_makes_the_campaign_that_the_same_rule_makes(self):
        self.campaign("ours.db", "stark")
        self.campaign("theirs.db", f"python:{POLICIES}/stark.py:Stark")
        query = "SELECT decision, parent, reason FROM attempts ORDER BY decision"
        decided = self.sql("theirs.db", query)
        self.assertEqual(decided, self.sql("ours.db", query))
        self.assertEqual(decided.count("\n"), 31)

    def test_its_decisions_are_made_again_where_its_text_is_said(self):
        self.campaign("a.db", self.policy)
        name = self.sql("a.db", "SELECT DISTINCT policy FROM attempts").split()[1]
        self.assertRegex(name, "^python:Mine@[0-9a-f]{8}$")
        said = self.run_it("replay", "--db", "a.db", "--check", code=2)
        self.assertIn(f"policy '{name}': is a program, which no database", said)
        check = ("replay", "--db", "a.db", "--check", "--policy")
        self.assertIn("30", self.run_it(*check, self.policy))
        self.assertIn("not both", self.run_it(*check, "stark", code=2))
        again = self.run_it("replay", "--db", "a.db", "--policy", self.policy)
        self.assertIn(name, again)

    def test_who_goes_on_says_the_text_again(self):
        self.campaign("a.db", self.policy, budget=5)
        go_on = ("resume", "c", "--db", "a.db", "--budget", "9", "--progress", "none")
        self.assertIn("no database may have run", self.run_it(*go_on, code=2))
        self.mine.write_text(MINE + "# Another text.\n")
        said = self.run_it(*go_on, "--policy", self.policy, code=2)
        self.assertIn("--policy-changed yes", said)
        self.run_it(*go_on, "--policy", self.policy, "--policy-changed", "yes")
        names = self.sql(
            "a.db", "SELECT policy, min(decision) FROM attempts GROUP BY 1 ORDER BY 2"
        ).split()
        self.assertEqual([line.split(",")[1] for line in names[1:]], ["0", "5"])
        old = self.folder / "old.py"
        old.write_text(MINE)
        both = f"{self.policy},python:{old}:Mine"
        self.run_it("replay", "--db", "a.db", "--check", "--policy", both)

    def test_one_that_fails_stops_its_campaign_and_loses_nothing(self):
        self.mine.write_text(FAILING)
        said = self.campaign("a.db", self.policy, code=2)
        self.assertIn(f"decision 5: {self.mine}:7: ZeroDivisionError", said)
        self.assertIn("ZeroDivisionError: division by zero", said)
        self.assertIn("Traceback", said)
        self.assertEqual(self.sql("a.db", "SELECT count(*) AS n FROM nodes"), "n\n6\n")
        self.mine.write_text(MINE)
        self.campaign("a.db", self.policy, "--policy-changed", "yes")
        self.assertEqual(self.sql("a.db", "SELECT count(*) AS n FROM nodes"), "n\n31\n")
        self.run_it("db", "doctor", "--db", "a.db")

    def test_each_mistake_is_a_line_that_says_where(self):
        words = ("--policy-check", "all", "--policy-timeout-s", "1")
        for number, (line, said) in enumerate(MISTAKES):
            self.mine.write_text(SELECTING.format(line))
            database = f"{number}.db"
            errors = self.campaign(database, self.policy, *words, code=2)
            self.assertIn(said, errors.splitlines()[0], line)

    def test_what_prints_and_takes_room_decides_all_the_same(self):
        self.mine.write_text(
            SELECTING.format(
                "big = list(range(12_000_000)); print('on the way', len(big)); "
                "return Selection(0, 'x')"
            )
        )
        self.campaign("a.db", self.policy, budget=6)

    def test_mistypes_are_one_line_and_begin_nothing(self):
        for policy, words, said in (
            ("python:mine.py", (), "expected python:FILE.py:CLASS"),
            ("python:none.py:Mine", (), "none.py"),
            (f"python:{self.mine}:Mien", (), "it has Mine"),
            (self.policy, ("--policy-python", "no-python"), "no-python"),
            (self.policy, ("--policy-timeout-s", "0"), "policy-timeout-s"),
        ):
            errors = self.campaign("a.db", policy, *words, code=2)
            self.assertIn(said, errors)
            self.assertFalse((self.folder / "a.db").exists(), policy)
        self.campaign("a.db", "stark", budget=6)
        wish = ("steer", "policy", self.policy, "--db", "a.db")
        self.assertIn("is a program", self.run_it(*wish, code=2))
        (self.folder / "coppice.conf").write_text(f"policy = {self.policy}\n")
        said = self.run_it("run", "sim:basic", "--db", "a.db", code=2)
        self.assertIn("not for the file of a folder", said)

    def test_killed_anywhere_it_makes_the_same_tree(self):
        words = ("run", "sim:basic", "--seed", "7", "--progress", "none")
        words = (*words, "--budget", "30", "--policy", self.policy, "--db")
        self.run_it(*words, "calm.db")
        fingerprint = self.run_it("db", "fingerprint", "--db", "calm.db")
        draws, kills, rounds = random.Random(5), 0, 0
        while kills < KILLS:
            stormy = f"stormy{rounds}.db"
            rounds += 1
            # Ever later, so that a slow machine comes to an end of it, too.
            for patience in range(1, 400):
                child = self.start(*words, stormy)
                try:
                    child.communicate(timeout=0.05 + 0.3 * patience * draws.random())
                except subprocess.TimeoutExpired:
                    child.send_signal(signal.SIGKILL)
                    child.communicate()
                    kills += 1
                    continue
                self.assertEqual(child.returncode, 0)
                break
            self.assertEqual(
                self.run_it("db", "fingerprint", "--db", stormy), fingerprint
            )
            self.run_it("db", "doctor", "--db", stormy)

    # A child that thinks for ever dies with whoever asked it.
    def test_nothing_is_left_of_a_killed_program(self):
        pid_file = self.folder / "pid"
        self.mine.write_text(
            "import os\n"
            + MINE.replace(
                "        if ",
                f"        open({str(pid_file)!r}, 'w').write(f'{{os.getpid()}}.')\n"
                "        while True: pass\n"
                "        if ",
            )
        )
        words = ("run", "sim:basic", "--db", "a.db", "--policy", self.policy)
        child = self.start(*words)
        until = time.monotonic() + 60
        while not (pid_file.exists() and pid_file.read_text().endswith(".")):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        pid = int(pid_file.read_text()[:-1])
        while os.path.exists(f"/proc/{pid}"):
            state = pathlib.Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0]
            if state == "Z":
                break
            self.assertLess(time.monotonic(), until, "the child lives on")
            time.sleep(0.02)

    def test_in_memory_it_scores_as_the_same_rule_does(self):
        stark = f"python:{POLICIES}/stark.py:Stark"
        words = ("compare", "--in-memory", "--tasks", "sim:hill/1", "--seeds", "20")
        self.run_it(*words, "--policies", f"stark,{stark}", "--csv", "numbers")
        rows = {}
        for file in (self.folder / "numbers").glob("*.csv"):
            lines = [line.split(",") for line in file.read_text().splitlines()]
            if lines[0][:3] != ["policy", "landscape", "seed"]:
                continue
            for line in lines[1:]:
                rows.setdefault(line[0].split("@")[0], []).append(line[1:])
        self.assertEqual(sorted(rows), ["python:Stark", "stark"])
        self.assertEqual(len(rows["stark"]), 20)
        self.assertEqual(rows["python:Stark"], rows["stark"])

    def test_a_new_one_runs(self):
        said = self.run_it("new", "policy", "my_rule.py")
        self.assertIn("python:my_rule.py:MyRule", said)
        self.campaign("a.db", "python:my_rule.py:MyRule", "--policy-check", "all")
        for words, error in (
            (("my_rule.py",), "is there already"),
            ((), "expected a file"),
            (("rule.txt",), "expected a file"),
        ):
            self.assertIn(error, self.run_it("new", "policy", *words, code=2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--policies", default=POLICIES, type=pathlib.Path)
    parser.add_argument("--kills", default=KILLS, type=int)
    given, rest = parser.parse_known_args()
    PROGRAM = os.path.abspath(given.program)
    POLICIES, KILLS = given.policies.resolve(), given.kills
    unittest.main(argv=[sys.argv[0], *rest])
