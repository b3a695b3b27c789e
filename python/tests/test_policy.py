"""Policies in Python: the tree, its numbers, and who finds out what.

Run from anywhere: python3 python/tests/test_policy.py
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE))

from coppice_kernels import policy as pol  # noqa: E402

SCRIPT = PACKAGE / "coppice_kernels" / "policy.py"


class StreamTest(unittest.TestCase):
    # Known answers of Random123's kat_vectors, "philox4x32 10".
    def test_philox_gives_the_known_answers(self):
        ones = 0xFFFFFFFF
        pi = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
        for counter, key, expected in (
            ((0,) * 4, (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
            ((ones,) * 4, (ones, ones), "408f276d 41c83b0e a20bc7c6 6d5451fd"),
            (pi, (0xA4093822, 0x299F31D0), "d16cfe09 94fdcceb 5001e420 24126ea1"),
        ):
            words = " ".join(f"{w:08x}" for w in pol.philox4x32(counter, key))
            self.assertEqual(words, expected)

    # The first two words of a block are the first number, low word first.
    def test_a_number_is_two_words_of_a_block(self):
        block = pol.philox4x32((0, 1, 5, 0), (7, 0))
        stream = pol.Stream(7, 1, 5)
        self.assertEqual(stream.next_u64(), block[1] << 32 | block[0])
        self.assertEqual(stream.next_u64(), block[3] << 32 | block[2])

    def test_below_covers_its_range_evenly(self):
        stream = pol.Stream(1, 1, 0)
        counts = [0] * 3
        for _ in range(3000):
            counts[stream.below(3)] += 1
        # Each has 1,000 expected with a standard deviation of 26.
        self.assertTrue(all(870 < count < 1130 for count in counts), counts)


class IdSetTest(unittest.TestCase):
    def test_it_is_the_sorted_set(self):
        draws = pol.Stream(3, 1, 0)
        ids, plain = pol.IdSet(), set()
        for _ in range(4000):
            # Over two counts of 32,768, so that both levels are crossed.
            node = draws.below(70000)
            if draws.below(3):
                ids._insert(node)
                plain.add(node)
            else:
                ids._erase(node)
                plain.discard(node)
        ordered = sorted(plain)
        self.assertEqual(list(ids), ordered)
        self.assertEqual([ids.at(k) for k in range(len(ids))], ordered)
        self.assertIn(ordered[0], ids)
        self.assertRaises(IndexError, ids.at, len(ids))
        self.assertRaises(IndexError, pol.IdSet().pick, draws)


def grow(rows, rule=None):
    tree = pol.Tree(rule)
    for row in rows:
        tree.add(row)
    return tree


def passing(parent, runtime_s, source=1):
    return [parent, 0, runtime_s, source, 0, None, 0.0, 0, 0]


def failing(parent, verdict=4, source=1, flags=0):
    return [parent, verdict, None, source, flags, None, 0.0, 0, 0]


class TreeTest(unittest.TestCase):
    def test_columns_say_what_nodes_are(self):
        tree = grow([passing(None, 0.01), passing(0, 0.004), failing(1)])
        self.assertEqual(list(tree.parent), [-1, 0, 1])
        self.assertEqual(list(tree.depth), [0, 1, 2])
        self.assertEqual(list(tree.children), [1, 1, 0])
        self.assertEqual(list(tree.failing_children), [0, 1, 0])
        self.assertEqual(list(tree.speedup[:2]), [1.0, 2.5])
        self.assertEqual(tree.node(2).verdict, pol.Verdict.WRONG_OUTPUT)
        self.assertEqual(tree.children_of(0), [1])
        self.assertEqual((tree.best, tree.best_eligible), (1, 1))

    def test_a_column_cannot_be_written_and_outlives_growth(self):
        tree = grow([passing(None, 0.01)])
        runtimes = tree.runtime_s
        with self.assertRaises(TypeError):
            runtimes[0] = 1.0
        for _ in range(200):
            tree.add(passing(0, 0.5))
        self.assertEqual(list(runtimes), [0.01])

    def test_who_may_be_selected(self):
        rule = pol.Rule(max_root_children=3, max_failing_children=1)
        tree = grow(
            [
                passing(None, 0.01),
                failing(0),  # 1: two children, both failing
                failing(1),
                failing(1),
                failing(0, pol.Verdict.NO_CANDIDATE, 0),  # 4
                failing(0, pol.Verdict.INCONCLUSIVE),  # 5: the root's third
                failing(2, flags=1),  # 6: a repeat
                failing(2, flags=2),  # 7: frozen, and 2 has two that fail
                passing(3, 0.02),  # 8
            ],
            rule,
        )
        self.assertEqual(list(tree.eligible), [3, 8])
        self.assertEqual(list(tree.leaves), [8])
        self.assertEqual(list(tree.failing), [3])
        tree.begin(8)
        self.assertEqual(list(tree.leaves), [])
        tree.end(8)
        self.assertEqual(list(tree.leaves), [8])

    def test_random_trees_are_as_a_scan_says(self):
        for index in range(100):
            draws = pol.Stream(index, 9, 0)
            tree = pol.Tree(pol.Rule(5, 3))
            shape, rows = draws.below(3), []
            for node in range(1 + draws.below(60)):
                rows.append(pol._random_row(draws, node, shape))
                tree.add(rows[-1])
            children = [[r for r in rows if r[0] == n] for n in range(len(rows))]

            def eligible(n, rows=rows, children=children):
                own = children[n]
                bad = [r for r in own if r[1] not in (0, 7)]
                return (
                    rows[n][3] != 0
                    and rows[n][1] < 6
                    and not rows[n][4]
                    and (n > 0 or len(own) < 5)
                    and (len(own) <= 3 or len(bad) < len(own))
                )

            may = [n for n in range(len(rows)) if eligible(n)]
            best = min(
                ((rows[n][2], n) for n in may if rows[n][1] == 0), default=(0, None)
            )
            self.assertEqual(list(tree.eligible), may)
            self.assertEqual(list(tree.leaves), [n for n in may if not children[n]])
            self.assertEqual(list(tree.failing), [n for n in may if rows[n][1]])
            self.assertEqual(tree.best_eligible, best[1])

    def test_a_row_makes_its_node_again(self):
        draws = pol.Stream(4, 9, 0)
        rows = [pol._random_row(draws, n, 0) for n in range(60)]
        tree = grow(rows)
        self.assertEqual([tree.row(n) for n in range(60)], rows)


class Good(pol.Policy):
    def select(self, tree, stream):
        if tree.leaves and stream.uniform() < 0.5:
            return pol.Selection(tree.leaves.pick(stream), "explore")
        return pol.Selection(tree.eligible[0] if tree.eligible else 0, "first")


class Counting(pol.Policy):
    asked = 0

    def select(self, tree, stream):
        Counting.asked += 1
        return pol.Selection(0, str(self.asked))


class Remembering(pol.Policy):
    def __init__(self):
        self.last = 0

    def select(self, tree, stream):
        node, self.last = self.last, len(tree)
        return pol.Selection(0, str(node if node < len(tree) else 0))


class Careless(pol.Policy):
    def select(self, tree, stream):
        return pol.Selection(len(tree) - 1, "the last")


class CheckTest(unittest.TestCase):
    def failing(self, policy):
        found = pol.check(policy, trees=20, nodes=2000, quiet=True)
        return {each.what for each in found if not each.passed}

    def test_it_finds_what_a_policy_must_not_do(self):
        self.assertEqual(self.failing(Good), set())
        self.assertEqual(self.failing(Counting), {"pure", "resumes"})
        self.assertIn("pure", self.failing(Remembering))
        self.assertIn("admissible", self.failing(Careless))


class CommandTest(unittest.TestCase):
    def run_script(self, *words, text=None):
        return subprocess.run(
            [sys.executable, "-I", str(SCRIPT), *words],
            input=text,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def test_check_names_what_is_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            mine = pathlib.Path(folder) / "mine.py"
            mine.write_text(
                "from coppice_kernels.policy import Policy, Selection\n"
                "class Mine(Policy):\n"
                "    def select(self, tree, stream):\n"
                "        return Selection(len(tree) - 1, 'last')\n"
            )
            for words, code, said in (
                ((f"{mine}:Mine", "1000"), 1, "not eligible"),
                ((f"{mine}:Mien",), 2, "it has Mine"),
                ((f"{folder}/none.py:Mine",), 2, "No such file"),
                (("mine",), 2, "expected FILE:CLASS"),
            ):
                done = self.run_script("check", *words)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(said, done.stdout + done.stderr)
        self.assertEqual(self.run_script().returncode, 2)

    def test_it_speaks_its_protocol(self):
        lower = lambda names: [each.name.lower() for each in names]  # noqa: E731
        hello = {
            "op": "hello",
            "protocol": pol.PROTOCOL,
            "file": "mine.py",
            "class": "Mine",
            "text": "from coppice_kernels.policy import *\n"
            "class Mine(Policy):\n"
            "    max_root_children = 3\n"
            "    def select(self, tree, stream):\n"
            "        print('not on the wire')\n"
            "        return Selection(len(tree) - 1, 'last', {0: 1.5, 1: 2})\n",
            "verdicts": lower(pol.Verdict),
            "limits": lower(pol.Limit),
            "techniques": lower(pol.Technique),
        }
        select = {"op": "select", "decision": 0}
        select["stream"] = {"seed": 1, "purpose": 1, "index": 0}
        add = {"op": "add", "nodes": [passing(None, 0.01), passing(0, 0.02)]}
        lines = [hello, add, select, {"op": "tree"}, {"op": "jump"}]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        done = self.run_script("serve", text=text)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(answers[0]["protocol"], "coppice-policy/1")
        self.assertEqual(answers[0]["rule"]["max_root_children"], 3)
        self.assertEqual(answers[1], {"node": 1, "reason": "last (1: 2, 0: 1.5)"})
        self.assertIn("'jump' is no message", answers[2]["error"])
        self.assertEqual(done.stderr, "not on the wire\n")


if __name__ == "__main__":
    unittest.main()
