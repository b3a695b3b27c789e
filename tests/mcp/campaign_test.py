#!/usr/bin/env python3
"""A campaign that a scripted agent drives wholly through `coppice mcp`, which
is killed at random and started again.

usage: campaign_test.py --program COPPICE [--kills N]

Each message of the server's is held to the protocol's schemas and its tools'
own.  N kills, 6 by default, over each of pipes and HTTP.
"""

import http.client
import pathlib
import random
import sys
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "outside")]
import agent  # noqa: E402
import server  # noqa: E402
import transcript  # noqa: E402

OPTIONS = {"--program": "", "--kills": "6"}
DEATHS = (EOFError, OSError, http.client.HTTPException, ValueError)


class Driver:
    """The tools of a server that may be killed whenever it was asked."""

    def __init__(self, front, folder, modern, kills=0, calls=1):
        self.front, self.folder, self.modern = front, folder, modern
        self.chance = random.Random(kills + modern)
        # A kill answers so many of the calls.
        self.doomed = set(self.chance.sample(range(calls), kills))
        self.kills = self.number = self.calls = self.checked = 0
        self.tools = {}
        self.server = None
        self.start()

    def start(self):
        self.server = self.front(OPTIONS["--program"], self.folder, "--db",
                                 "x.db")
        if not self.modern:
            self.ask("initialize", {
                "protocolVersion": transcript.LEGACY, "capabilities": {},
                "clientInfo": {"name": "scripted", "version": "1"}})
        self.ask("tools/list")

    def ask(self, method, params=None):
        self.number += 1
        return self.server.ask(self.number, method, params, self.modern)

    def close(self, end):
        end()
        self.checked += transcript.check(self.server.transcript,
                                         transcript.Schemas())

    def call(self, tool, **arguments):
        """agent.Gone where the server was killed before it had answered."""
        is_doomed = self.calls in self.doomed
        self.calls += 1
        # An answer takes some 5 to 50 ms: one may be out already.
        kill = threading.Timer(self.chance.uniform(0, 0.05),
                               self.server.process.kill)
        if is_doomed:
            kill.start()
        try:
            answer = self.ask("tools/call", {"name": tool,
                                             "arguments": arguments})
        except DEATHS:
            if not is_doomed:
                raise
            raise agent.Gone from None
        finally:
            if is_doomed:
                kill.join()
                self.kills += 1
                self.close(self.server.kill)
                self.start()
        result = answer["result"]
        assert not result["isError"], result["content"][0]["text"]
        return result["structuredContent"]

    def insist(self, tool, **arguments):
        return agent.insist(lambda: self.call(tool, **arguments))

    def tell(self, **told):
        return self.call("tell", **told)


def drive(driver, book, budget):
    """Returns what status says at the end."""
    campaign = driver.insist("start_campaign", task="sim:basic", budget=budget,
                           seed=1, policy="stark", agent="outside")["campaign"]

    def check(told, source):
        if source is None:
            return
        tried = driver.insist("evaluate_kernel", task="sim:basic",
                            source=source, tier="check")
        assert tried["state"] == "done", tried
        book.add("tried", told["ticket"], tried["verdict"])

    for step in range(book.steps(), budget):
        offer = driver.insist("ask", campaign=campaign, agent="scripted",
                            request=f"s{step}")
        receipt = agent.do_attempt(driver, offer, book, check)
        book.add("over", receipt["node"], receipt["verdict"])
        seen = driver.insist("query", sql="SELECT verdict FROM nodes WHERE node"
                           f" = {receipt['node']}")["rows"]
        assert seen == [[receipt["verdict"]]], (seen, receipt)
    spent = driver.insist("ask", campaign=campaign, agent="scripted")
    assert spent["ticket"] is None and spent["spent"], spent
    return driver.insist("status")["campaigns"]


class CampaignTest(unittest.TestCase):
    fingerprints = {}

    def run_campaign(self, front, modern, kills=0):
        """The fingerprint of a campaign with that many kills."""
        budget = 12 + kills
        # Each attempt is 4 to 5 calls, but for those that failed.
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            db = str(folder / "x.db")
            book = agent.Book(folder / "book")
            driver = Driver(front, folder, modern, kills, 3 * budget)
            status = drive(driver, book, budget)
            driver.close(driver.server.end)
            self.assertEqual(driver.kills, kills)
            self.assertEqual([(one["state"], one["attempts"])
                              for one in status], [("finished", budget)])
            stages = agent.check_campaign(self, OPTIONS["--program"], db,
                                          [book])
            # What was tried first came out again when it was told.
            tried = {line[2] for line in book.lines() if line[0] == "tried"}
            self.assertIn("passed", tried)
            print(f"{front.__name__}: {driver.kills} kills, {budget} attempts, "
                  f"{stages} stages told, {driver.checked} messages as the "
                  "schemas have them", file=sys.stderr)
            return agent.fingerprint(OPTIONS["--program"], db)

    def test_killed_over_pipes_it_is_as_if_never_killed(self):
        kills = int(OPTIONS["--kills"])
        self.assertEqual(self.run_campaign(server.Pipe, False, kills),
                         self.quiet(kills))

    def test_killed_over_http_it_is_as_if_never_killed(self):
        kills = int(OPTIONS["--kills"])
        self.assertEqual(self.run_campaign(server.Web, True, kills),
                         self.quiet(kills))

    def quiet(self, kills):
        """The fingerprint of a campaign of the same budget whose server lived."""
        if kills not in self.fingerprints:
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                driver = Driver(server.Pipe, folder, True)
                drive(driver, agent.Book(folder / "book"), 12 + kills)
                driver.close(driver.server.end)
                self.fingerprints[kills] = agent.fingerprint(
                    OPTIONS["--program"], str(folder / "x.db"))
        return self.fingerprints[kills]


if __name__ == "__main__":
    for option in OPTIONS:
        if option in sys.argv:
            at = sys.argv.index(option)
            OPTIONS[option] = sys.argv[at + 1]
            del sys.argv[at:at + 2]
    OPTIONS["--program"] = str(pathlib.Path(OPTIONS["--program"]).absolute())
    unittest.main()
