#!/usr/bin/env python3
"""Eight agents ask and tell by two `coppice serve` over one database, and all
of them are killed at any instant.  engine/outside/storm_test.cc does so by the
functions of the verb.

usage: storm_test.py --program COPPICE [--kills N]

N kills, 16 by default.
"""

import http.client
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import agent  # noqa: E402

OPTIONS = {"--program": "", "--kills": "16", "--agent": "", "--folder": ""}
AGENTS, SERVICES, BEGIN, MORE = 8, 2, 16, 2


class Driver:
    """Whichever service is there."""

    def __init__(self, folder, chance):
        self.folder, self.chance = folder, chance

    def post(self, name, **words):
        """agent.Gone where it was killed, or others keep it from answering."""
        place = self.folder / f"serve-{self.chance.randrange(SERVICES)}"
        try:
            port, token = place.read_text().split()
            connection = http.client.HTTPConnection("localhost", int(port),
                                                    timeout=60)
            connection.request("POST", f"/v1/{name}", json.dumps(words), {
                "Authorization": "Bearer " + token})
            answer = connection.getresponse()
            said = json.loads(answer.read())
            connection.close()
        except (OSError, ValueError, http.client.HTTPException):
            time.sleep(0.01)
            raise agent.Gone from None
        if answer.status == 200:
            return said
        code = said["error"]["data"]["code"]
        if code in ("busy", "cancelled"):
            raise agent.Gone
        if code == "lost":
            raise agent.Lost
        raise AssertionError(said)

    def tell(self, **told):
        receipt = self.post("tell", **told)
        if receipt["state"] != "done":  # Its service ends.
            raise agent.Gone
        return receipt


def be_agent(number, folder):
    """Until there is nothing more to do."""
    chance = random.Random(os.getpid())
    driver = Driver(folder, chance)
    book = agent.Book(folder / f"book-{number}")
    name = (folder / "campaign").read_text()
    step = book.steps()
    while True:
        offer = agent.insist(
            driver.post, name="ask", campaign=name, agent=f"agent-{number}",
            request=f"s{step}", lease_s=chance.choice((0.1, 600.0)))
        if offer["ticket"] is None:
            if offer["spent"] and (folder / "stop").exists():
                return
            time.sleep(0.01)
            continue
        try:
            if offer["state"] == "lost":
                tell_once_more(driver, offer, book)
            else:
                agent.do_attempt(driver, offer, book)
        except agent.Lost:
            pass
        step += 1
        book.add("over", step)


def tell_once_more(driver, offer, book):
    """What was under way when it was lost: its claim is charged.  That of a
    plan was, if it is asked for the code."""
    if (offer["ticket"], offer["role"]) in book.told():
        told, _ = agent.answer_to(offer)
        agent.insist(driver.tell, **told)


def campaign(budget):
    return {"task": "sim:basic", "budget": budget, "seed": 1,
            "policy": "stark", "agent": "outside"}


def begin(db, folder):
    """By a service of its own, since one of a page wants a database."""
    with subprocess.Popen(
            [OPTIONS["--program"], "serve", "--stdio", "--db", db], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE) as service:
        service.stdin.write(json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "start_campaign",
             "params": campaign(BEGIN)}) + "\n")
        service.stdin.flush()
        begun = json.loads(service.stdout.readline())
    (folder / "campaign").write_text(begun["result"]["campaign"])


class Kin:
    """A child that is started again each time that it is killed."""

    def __init__(self, *words):
        self.words = words
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.words)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.start()


    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class Service(Kin):
    def __init__(self, place, *words):
        self.place = place
        super().__init__(*words)

    def start(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        # "http://localhost:PORT/?token=TOKEN"
        line = self.process.stdout.readline().strip()
        address, token = line.split("/?token=")
        aside = self.place.with_suffix(".new")
        aside.write_text(address.rsplit(":", 1)[1] + " " + token)
        aside.rename(self.place)

    def kill(self):
        self.process.stdout.close()
        super().kill()


class StormTest(unittest.TestCase):
    def test_no_decision_is_lost_and_none_is_with_two(self):
        kills = int(OPTIONS["--kills"])
        program = OPTIONS["--program"]
        chance = random.Random(1)
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            db = str(folder / "x.db")
            begin(db, folder)
            services = [
                Service(folder / f"serve-{i}", program, "serve", "--port", "0",
                        "--no-open", "--db", db) for i in range(SERVICES)]
            agents = [Kin(sys.executable, __file__, "--agent", str(i),
                          "--folder", scratch) for i in range(AGENTS)]
            driver = Driver(folder, chance)
            for each in services + agents:
                self.addCleanup(each.end)
            for kill in range(kills):
                agent.insist(driver.post, name="start_campaign",
                             **campaign(BEGIN + MORE * (kill + 1)))
                time.sleep(chance.uniform(0.02, 0.12))
                chance.choice(services + agents).kill()
            (folder / "stop").write_text("")
            for each in agents:
                self.assertEqual(each.process.wait(300), 0)
            self.await_end(db)
            for each in services:
                each.process.terminate()
                each.process.communicate(timeout=30)
            books = [agent.Book(folder / f"book-{i}") for i in range(AGENTS)]
            stages = agent.check_campaign(self, program, db, books)
            tickets, lost, decisions = agent.rows(
                program, db, "SELECT count(*) AS n, sum(state = 'lost') AS m,"
                " count(DISTINCT decision) AS d FROM tickets")[0]
            print(f"{kills} kills: {decisions} decisions, {stages} stages "
                  f"told, {tickets} tickets, {lost} lost", file=sys.stderr)

    def await_end(self, db):
        """Whoever has heard that the budget is spent has had it ended."""
        for _ in range(600):
            if agent.rows(OPTIONS["--program"], db,
                          "SELECT state FROM campaigns") == [("finished",)]:
                return
            time.sleep(0.1)
        self.fail("the campaign was not brought to its end")


def main():
    for option in OPTIONS:
        if option in sys.argv:
            at = sys.argv.index(option)
            OPTIONS[option] = sys.argv[at + 1]
            del sys.argv[at:at + 2]
    if OPTIONS["--agent"]:
        be_agent(int(OPTIONS["--agent"]), pathlib.Path(OPTIONS["--folder"]))
        return
    OPTIONS["--program"] = str(pathlib.Path(OPTIONS["--program"]).absolute())
    unittest.main()


if __name__ == "__main__":
    main()
