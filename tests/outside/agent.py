"""A scripted agent of another program, whatever it asks and tells by, with its
books, and what must hold of a campaign that such agents drove.

A agent context has ask(**wish) and tell(**told), which answer as the operations do;
Lost where another has the attempt by now, Gone where whoever answers was
killed, after which the same is said again.
"""

import json
import subprocess

COST_USD = 2.0 ** -10  # Sums of it are exact.
NAMES = ("layout", "tile", "vectorise", "unroll", "prefetch", "fuse")
BUGS = ("compile_failed", "wrong_output", "crashed")


class Gone(Exception):
    pass


class Lost(Exception):
    pass


class Book:
    """What an agent notes for itself before it tells a stage, and after a
    request is over, a line each: it outlives the agent."""

    def __init__(self, path):
        self.path = path

    def add(self, *words):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(words) + "\n")

    def lines(self):
        if not self.path.exists():
            return []
        return [json.loads(line) for line in
                self.path.read_text().splitlines()]

    def told(self):
        """{(ticket, role): the candidate's source or None}."""
        return {(line[1], line[2]): line[3] for line in self.lines()
                if line[0] == "tells"}

    def steps(self):
        return sum(line[0] == "over" for line in self.lines())


def parent_source(offer):
    return next(seen["source"] for seen in offer["window"]
                if seen["node"] == offer["parent"])


def candidate(decision, role, source):
    """Another source of the landscape sim:basic, by these alone; every ninth
    answer is none, and every third of the rest needs a repair."""
    if decision % 9 == 8:
        return None
    wanted = NAMES[1 + decision * 5 % 5 if decision % 4 else 0]
    lines = []
    for line in source.splitlines():
        words = line.split()
        if words and words[0] in NAMES:
            words = words[:2]  # As if it had no bug.
            if words[0] == wanted:
                words[1] = str((int(words[1]) + 1 + decision % 3) % 4)
                if decision % 3 == 1 and role != "debug":
                    words += ["bug", BUGS[decision % len(BUGS)]]
            line = " ".join(words)
        lines.append(line)
    return f"# decision {decision}\n" + "\n".join(lines) + "\n"


def plan(annotate):
    """Marks all of the parent's source."""
    return ("Technique: tile\nCut the loop.\n```\n# <<<IMPROVE BEGIN>>>\n"
            + annotate.rstrip("\n") + "\n# <<<IMPROVE END>>>\n```\n")


def answer_to(offer):
    """The words of tell, and the candidate's source if there is one."""
    told = {"ticket": offer["ticket"],
            "usage": {"model": "scripted", "output_tokens": 7,
                      "cost_usd": COST_USD}}
    if offer["role"] == "plan":
        return {**told, "plan": plan(offer["annotate"])}, None
    source = candidate(offer["decision"], offer["role"], parent_source(offer))
    if source is None:
        return {**told, "none_reason": "no idea"}, None
    return {**told, "source": source}, source


def insist(call, **words):
    while True:
        try:
            return call(**words)
        except Gone:
            pass


def do_attempt(driver, offer, book, before_tell=lambda told, source: None):
    """Tells an attempt to its end; Lost if another has it by now."""
    while True:
        told, source = answer_to(offer)
        before_tell(told, source)
        # Told before it died: a plan that was told in time is in the file.
        book.add("tells", offer["ticket"], offer["role"], source)
        receipt = insist(driver.tell, **told)
        if not receipt["next"]:
            return receipt
        offer = receipt["next"]


def rows(program, db, sql):
    done = subprocess.run([program, "sql", sql, "--json", "--db", db],
                          capture_output=True, text=True, timeout=120,
                          check=True)
    return [tuple(row.values()) for row in json.loads(done.stdout)]


def fingerprint(program, db):
    return subprocess.run([program, "db", "fingerprint", "--db", db],
                          capture_output=True, text=True, timeout=120,
                          check=True).stdout


def check_campaign(test, program, db, books):
    """The ledger and the tree are what the books say; nothing is found."""
    for words in (("replay", "--check"), ("db", "doctor")):
        done = subprocess.run([program, *words, "--db", db], text=True,
                              capture_output=True, timeout=300, check=False)
        test.assertEqual(done.returncode, 0, done.stdout + done.stderr)
    told = {}
    for book in books:
        told.update(book.told())

    def ask(sql):
        return rows(program, db, sql)

    test.assertEqual(ask(
        "SELECT attempts = budget_attempts AND nodes - 1 = attempts"
        " AND state = 'finished' AS is_whole FROM campaigns"), [(1,)])
    # Each decision has its node, by the one ticket that was told to its end.
    test.assertEqual(ask("SELECT count(*) AS n FROM attempts"
                         " WHERE node IS NULL"), [(0,)])
    test.assertEqual(ask("SELECT DISTINCT count(*) AS n FROM tickets"
                         " WHERE state = 'told' GROUP BY decision"), [(1,)])
    test.assertEqual(ask("SELECT count(*) AS n FROM tickets"
                         " WHERE state = 'open'"), [(0,)])
    # What was told was charged, each once, and nothing else.
    test.assertEqual(ask(
        "SELECT CAST(claimed_usd * 1024 AS INTEGER) AS claims, cost_usd"
        " FROM improvement_costs"), [(len(told), 0)])
    # Each node has the source that its ticket was told with.
    last = {ticket: source for (ticket, role), source in told.items()
            if role != "plan"}
    made = ask("SELECT t.ticket, blob_text(n.source_blob) AS source FROM tickets t"
               " JOIN nodes n ON n.campaign = t.campaign AND n.node = t.node"
               " WHERE t.state = 'told'")
    test.assertEqual({ticket: source for ticket, source in made},
                     {ticket: last[ticket] for ticket, _ in made})
    return len(told)
