#!/usr/bin/env python3
"""Writes with what chance ShinkaEvolve's own code selects each parent, and each
program to cross it with, on random trees: the golden text of
search/policies/peers_test.cc.

    tests/peers/golden_shinka.py --checkout SHINKA > search/testdata/shinka.txt

SHINKA is a checkout of github.com/SakanaAI/ShinkaEvolve.  Python has numpy.
Chances are exact: every outcome of each of its draws is gone through.  A
program's score is its speedup over the root.  Children of the root are on
islands in turn, as search/policies/shinka.h has it.
"""

import argparse
import collections
import importlib.util
import logging
import random
import sys

import trees


class Chance:
    """One run through a program's draws: the outcomes of the first draws are
    given, all later ones are the first of those that there are."""

    def __init__(self, given):
        self.trail = list(given)  # [outcome, probabilities].
        self.at = 0
        self.rows = None  # Those that a query in random order puts first.
        self.crossed_with = None

    def draw(self, probabilities):
        if self.at == len(self.trail):
            self.trail.append([0, probabilities])
        self.at += 1
        self.trail[self.at - 1][1] = probabilities
        return self.trail[self.at - 1][0]

    def choice(self, items, p=None):
        items = range(items) if isinstance(items, int) else items
        chances = list(p) if p is not None else [1 / len(items)] * len(items)
        item = items[self.draw(chances)]
        if hasattr(item, "code"):
            self.crossed_with = item
        return item

    def randint(self, low, high=None):
        low, high = (0, low) if high is None else (low, high)
        return low + self.draw([1 / (high - low)] * (high - low))

    def sql_random(self):
        """For one query; how many rows it has is known when all are seen."""
        if self.rows is None:
            self.rows = [self.draw([1.0]), 0, self.at - 1]
        first, seen, _ = self.rows
        self.rows[1] += 1
        return -1 if seen == first else seen

    def finish(self):
        if self.rows is not None:
            _, seen, place = self.rows
            self.trail[place][1] = [1 / seen] * seen

    def probability(self):
        product = 1.0
        for outcome, probabilities in self.trail[: self.at]:
            product *= probabilities[outcome]
        return product


def all_outcomes(run):
    given = []
    while True:
        chance = Chance(given)
        result = run(chance)
        chance.finish()
        yield chance.probability(), result
        trail = chance.trail[: chance.at]
        while trail and trail[-1][0] + 1 == len(trail[-1][1]):
            trail.pop()
        if not trail:
            return
        trail[-1][0] += 1
        given = trail


def load_sampler(checkout):
    """By itself: its package imports clients of models."""
    spec = importlib.util.spec_from_file_location(
        "shinka_sampler", checkout + "/shinka/core/sampler.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PromptSampler


def fill(dbase, islands, archive, nodes):
    config = dbase.DatabaseConfig(num_islands=islands, archive_size=archive)
    database = dbase.ProgramDatabase(config)
    database._print_sampling_summary_helper = lambda *args, **kwargs: None

    def program_of(number, island=None):
        where = "" if island is None else f" AND island_idx = {island}"
        row = database.cursor.execute(
            f"SELECT id FROM programs WHERE code = 'n{number}'{where}"
        ).fetchone()
        return row["id"]

    hops = 0
    for node in nodes:
        parent = None
        if node.parent == 0:
            parent = program_of(0, hops % islands)
            hops += 1
        elif node.parent is not None:
            parent = program_of(node.parent)
        score = trees.speedup(nodes, node) if node.passes else 0.0
        database.add(dbase.Program(
            id=f"program-{node.number}", code=f"n{node.number}",
            parent_id=parent, generation=node.number,
            timestamp=float(node.number), combined_score=score,
            correct=node.passes, complexity=1.0))
    return database


def chances_of(database, sampler, numpy):
    chances = collections.Counter()

    def run(chance):
        numpy.random.choice = chance.choice
        numpy.random.randint = chance.randint
        random.choice = chance.choice
        database.conn.create_function("RANDOM", 0, chance.sql_random)
        parent, archive, top, fixes = database.sample_with_fix_mode()
        chance.crossed_with = None
        if not fixes:
            sampler.sample(parent, archive, top)
        mate = chance.crossed_with
        return parent.code + (f"+{mate.code}" if mate else "")

    for probability, selected in all_outcomes(run):
        chances[selected] += probability
    return chances


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkout", required=True)
    args = parser.parse_args()
    sys.path.insert(0, args.checkout)
    trees.do_without("shinka.embed", "radon", "rich", "dotenv")
    logging.disable(logging.CRITICAL)
    import numpy
    from shinka.database import dbase
    sampler = load_sampler(args.checkout)()
    rng = random.Random(8)
    out = sys.stdout
    out.write(f"# made by tests/peers/golden_shinka.py of ShinkaEvolve "
              f"{trees.version_of(args.checkout)}\n")
    shapes = [(1, 0.0, 1, True), (2, 0.0, 2, True), (3, 1.0, 3, True),
              (6, 0.3, 6, True), (12, 0.3, 4, True), (20, 0.4, 20, True),
              (30, 0.5, 9, True), (60, 0.1, 60, True), (1, 0.0, 1, False),
              (5, 1.0, 5, False), (8, 0.7, 8, False), (16, 0.4, 16, False)]
    for size, failing, reach, root_passes in shapes:
        nodes = trees.random_tree(rng, size, failing, reach)
        if not root_passes:
            nodes[0].outcome = None
        out.write("tree\n")
        trees.write_tree(nodes, out)
        for islands, archive in ((2, 40), (1, 40), (2, 5)):
            constants = [text for text, is_own in (
                (f"islands={islands}", islands != 2),
                (f"archive={archive}", archive != 40)) if is_own]
            name = "shinka" + (":" + ",".join(constants) if constants else "")
            database = fill(dbase, islands, archive, nodes)
            out.write(f"chances {name}\n")
            for selected, chance in sorted(
                    chances_of(database, sampler, numpy).items()):
                out.write(f"{selected} {chance:.6f}\n")
            database.close()


if __name__ == "__main__":
    main()
