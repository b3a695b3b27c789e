"""Policies in Python: the tree, its numbers, and who finds out what.

Run from anywhere: python3 python/tests/test_policy.py
"""

import json
import math
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


class Given(pol.Stream):
    """Draws what it is given."""

    def __init__(self, *words):
        super().__init__(0, 0, 0)
        self.words = list(words)

    def next_u64(self):
        return self.words.pop(0)


class NumbersTest(unittest.TestCase):
    LAST = 2**64 - 1

    def test_uniform_is_open_at_both_ends(self):
        # The upper 53 bits give it, in the middle of their step.
        self.assertEqual(Given(0).uniform(), 2.0**-54)
        self.assertEqual(Given(2047).uniform(), 2.0**-54)
        self.assertEqual(Given(2048).uniform(), 1.5 * 2.0**-53)
        self.assertEqual(Given(self.LAST).uniform(), 1.0 - 2.0**-53)
        self.assertEqual(Given(2**63).uniform(), 0.5 + 2.0**-54)

    def test_below_passes_over_what_would_favour_some(self):
        # 2^64 = 1 mod 3, so one word of all is too many: that of the product 0.
        self.assertEqual(Given(0, self.LAST).below(3), 2)
        self.assertEqual(Given(1).below(3), 0)
        # 2^64 = 0 mod 4: none is too many.
        self.assertEqual(Given(0).below(4), 0)
        self.assertEqual(Given(2**62).below(4), 1)
        for n in (0, -1):
            with self.assertRaises(ValueError):
                Given(1).below(n)

    def test_a_seed_of_64_bits_counts_with_all_of_them(self):
        firsts = {pol.Stream(1 << shift, 1, 0).next_u64() for shift in range(64)}
        self.assertEqual(len(firsts), 64)
        indices = {pol.Stream(1, 1, 1 << shift).next_u64() for shift in range(64)}
        self.assertEqual(len(indices), 64)

    def mean(self, draw, count=4000):
        stream = pol.Stream(5, 1, 0)
        return sum(draw(stream) for _ in range(count)) / count

    def test_draws_have_the_means_of_their_distributions(self):
        # Bounds are five standard deviations of a mean of 4,000.
        for draw, mean, deviation in (
            (lambda s: s.normal(), 0.0, 1.0),
            (lambda s: s.normal() ** 2, 1.0, 2**0.5),
            (lambda s: s.gamma(3.0), 3.0, 3**0.5),
            (lambda s: s.gamma(0.25), 0.25, 0.5),
            (lambda s: s.beta(2.0, 6.0), 0.25, (12 / 64 / 9) ** 0.5),
        ):
            self.assertAlmostEqual(
                self.mean(draw), mean, delta=5 * deviation / 4000**0.5
            )

    def test_beta_of_two_that_vanish_is_an_end(self):
        class Vanishing(Given):
            def gamma(self, shape):
                return 0.0

        # The uniform number times a + b is below a, or is not: 1 of 4.
        self.assertEqual(Vanishing(1 << 61).beta(1.0, 3.0), 1.0)
        self.assertEqual(Vanishing(3 << 61).beta(1.0, 3.0), 0.0)


class IdSetTest(unittest.TestCase):
    def test_what_is_not_there_has_no_place(self):
        ids = pol.IdSet()
        with self.assertRaisesRegex(IndexError, "ask for len"):
            ids.pick(pol.Stream(1, 1, 0))
        ids._insert(5)
        ids._insert(5)
        ids._erase(4)
        ids._erase(9999)
        self.assertEqual((len(ids), ids[0], list(ids)), (1, 5, [5]))
        for k in (-1, 1):
            with self.assertRaisesRegex(IndexError, "of 1 nodes"):
                ids.at(k)
        for other in (4, -5, 9999, "5", None):
            self.assertNotIn(other, ids)

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

    def test_an_attempt_in_flight_has_a_child_of_the_roots_already(self):
        tree = grow([passing(None, 0.01), passing(0, 0.02)], pol.Rule(2))
        self.assertIn(0, tree.eligible)
        tree.begin(0)
        self.assertNotIn(0, tree.eligible)
        self.assertEqual(list(tree.in_flight), [1, 0])
        tree.end(0)
        self.assertIn(0, tree.eligible)

    def test_of_equals_the_first_is_the_best(self):
        tree = grow([passing(None, 0.02), passing(0, 0.01), passing(0, 0.01)])
        self.assertEqual((tree.best, tree.best_eligible), (1, 1))

    def test_the_best_that_may_be_selected_need_not_be_the_best(self):
        rows = [passing(None, 0.03), passing(0, 0.01), passing(0, 0.02)]
        rows[1][4] = 2  # Frozen.
        tree = grow(rows)
        self.assertEqual((tree.best, tree.best_eligible), (1, 2))
        rows = [failing(None), failing(0)]
        self.assertEqual((grow(rows).best, grow(rows).best_eligible), (None, None))

    def test_the_best_comes_back_with_its_right_to_be_selected(self):
        tree = grow([passing(None, 0.01), passing(0, 0.02)], pol.Rule(2))
        tree.begin(0)
        self.assertEqual(tree.best_eligible, 1)
        tree.end(0)
        self.assertEqual(tree.best_eligible, 0)

    def test_children_come_in_the_order_of_their_commits(self):
        tree = grow([passing(None, 1.0), *[passing(p, 1.0) for p in (0, 1, 0, 0, 1)]])
        self.assertEqual(tree.children_of(0), [1, 3, 4])
        self.assertEqual(tree.children_of(1), [2, 5])
        self.assertEqual(tree.children_of(5), [])

    def test_a_node_is_a_row_of_the_columns(self):
        rows = [passing(None, 0.01), failing(0)]
        rows[1][5:] = [-0.5, 2.5, 2, 4]
        tree = grow(rows)
        node = tree.node(1)
        self.assertEqual(
            (node.log_hint, node.cost_s, node.limit, node.technique, node.depth),
            (-0.5, 2.5, pol.Limit.COMPUTE, pol.Technique.MEMORY, 1),
        )
        self.assertTrue(math.isnan(node.speedup) and math.isnan(node.runtime_s))
        self.assertTrue(math.isnan(tree.log_hint[0]))
        self.assertEqual((tree.node(0).passes, node.passes), (True, False))
        self.assertEqual(repr(node), "<node 1: wrong_output>")
        for name in ("speed", "_columns", "__len__"):
            with self.assertRaises(AttributeError):
                getattr(node, name)
        for number in (-1, 2):
            with self.assertRaisesRegex(IndexError, f"node {number} of 2"):
                tree.node(number)

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


class SeatTest(unittest.TestCase):
    """What is made of what a policy returns."""

    def seat(self, returns, rows=1):
        class Given(pol.Policy):
            def select(self, tree, stream):
                return returns

        seat = pol._Seat(Given, pol.Rule())
        for _ in range(rows):
            seat.add(passing(None, 0.01) if not len(seat.tree) else passing(0, 0.02))
        return seat

    def answer(self, returns):
        return self.seat(returns).select(pol.Stream(1, 1, 0))

    def test_an_answer_has_what_was_said(self):
        class Index:  # As numpy's are.
            def __index__(self):
                return 7

        scores = {1: 0.5, 2: 3.0, 3: 3.0, 4: -1.0, 5: 2.0, 6: 1234567.0}
        said = pol.Selection
        for returns, wanted in (
            (said(0, "a"), {"node": 0, "reason": "a"}),
            (said(Index(), "a"), {"node": 7, "reason": "a"}),
            (said(0, "a", mate=3), {"node": 0, "reason": "a", "mate": 3}),
            (said(0, "a", {}), {"node": 0, "reason": "a"}),
            # The five largest; of equals the first.
            (
                said(0, "a", scores),
                {
                    "node": 0,
                    "reason": "a (6: 1.235e+06, 2: 3, 3: 3, 5: 2, 1: 0.5)",
                },
            ),
        ):
            self.assertEqual(self.answer(returns), wanted)

    def test_what_is_no_selection_is_a_fault_in_words(self):
        said = pol.Selection
        for returns, why in (
            (None, "returned NoneType, not a Selection"),
            ((0, "a"), "returned tuple, not a Selection"),
            (said(1.0, "a"), "the node selected is 1.0, which is no number"),
            (said(True, "a"), "the node selected is True, which is no number"),
            (said("1", "a"), "the node selected is '1', which is no number"),
            (said(0, None), "the reason is None, which is no text"),
            (said(0, "a", {3: float("nan")}), "the score of node 3 is NaN"),
            (said(0, "a", mate=0.5), "the mate selected is 0.5, which is no number"),
        ):
            with self.assertRaises(pol.Fault) as caught:
                self.answer(returns)
            self.assertIn(why, str(caught.exception))

    def test_nodes_that_count_for_something_else_make_the_tree_anew(self):
        heard = []

        class Indexing(pol.Policy):
            def on_add(self, node):
                heard.append((node.id, node.passes))

        seat = pol._Seat(Indexing, pol.Rule())
        for row in (passing(None, 0.01), passing(0, 0.005), passing(1, 0.02)):
            seat.add(row)
        seat.tree.begin(1)
        first = seat.policy
        seat.quarantine([[1, *failing(0)]])
        self.assertIsNot(seat.policy, first)
        self.assertEqual(seat.tree.best, 0)
        self.assertEqual(list(seat.tree.in_flight), [0, 1, 0])
        self.assertEqual(heard[3:], [(0, True), (1, False), (2, True)])

    def test_a_rule_is_of_counts(self):
        class Mine(pol.Policy):
            max_root_children = 3

        self.assertEqual(pol.rule_of(Mine), pol.Rule(3, pol.NO_LIMIT))
        for wrong in (-1, 2**31, 1.5, "3", None):
            Mine.max_failing_children = wrong
            with self.assertRaisesRegex(ValueError, "max_failing_children is"):
                pol.rule_of(Mine)


class ToldTest(unittest.TestCase):
    """What is said of a file that fails, in a line that begins with where."""

    HEAD = "from coppice_kernels.policy import Policy, Selection\n"

    def told(self, text, call=False):
        try:
            policy = pol.load(self.HEAD + text, "mine.py", "Mine")
            self.assertTrue(call, "it was loaded")
            policy().select(None, None)
        except Exception:
            return pol._told("mine.py")
        return ""

    def test_where_and_what_begin_it(self):
        for text, line in (
            ("class Mine(:\n", "mine.py:2: SyntaxError: invalid syntax"),
            ("x = 1 / 0\n", "mine.py:2: ZeroDivisionError: division by zero"),
            ("raise ValueError\n", "mine.py:2: ValueError"),
            ("raise ValueError('a\\n  b')\n", "mine.py:2: ValueError: a b"),
            ("class Mine: pass\n", "mine.py: its class Mine does not derive from"),
            (
                "class Other(Policy): pass\n",
                "mine.py has no policy 'Mine'; it has Other",
            ),
            ("Mine = 3\n", "mine.py has no policy 'Mine'; it has none"),
        ):
            said = self.told(text)
            self.assertTrue(said.startswith(line), said)
            self.assertNotIn("Traceback", said)

    def test_a_module_that_is_missing_is_missing_for_a_python(self):
        said = self.told("import no_such_module\n")
        self.assertIn("No module named 'no_such_module' for ", said)
        self.assertIn("--policy-python names another", said)

    def test_what_fails_within_a_function_has_a_traceback_of_the_file(self):
        said = self.told(
            "class Mine(Policy):\n"
            "    def select(self, tree, stream):\n"
            "        return self.helper()\n"
            "    def helper(self):\n"
            "        return {}['a']\n",
            call=True,
        )
        first, _, rest = said.partition("\n")
        self.assertEqual(first, "mine.py:6: KeyError: 'a'")
        self.assertIn("return self.helper()", rest)  # The line that ran.
        self.assertIn("return {}['a']", rest)

    def test_what_may_make_it_impure_is_named_by_line(self):
        for text, said in (
            ("import os.path, math\n", "line 1 imports os.path"),
            ("from random import random\n", "line 1 imports random"),
            ("import osmium\n", ""),
            ("def f():\n  global g\n  g = 1\n", "line 2 has the global g"),
            (
                "class A:\n  def select(me, t, s):\n    me.last = 1\n    t.x = 2\n",
                "line 3 sets me.last",
            ),
            ("class A:\n  def other(self):\n    self.last = 1\n", ""),
            # The first three.
            (
                "import time\nimport uuid\nimport secrets\nimport os\n",
                "line 1 imports time, line 2 imports uuid, line 3 imports secrets",
            ),
        ):
            self.assertEqual(pol._suspects(text), said, text)

    def test_its_place_is_that_of_its_select(self):
        policy = pol.load(
            self.HEAD + "class Mine(Policy):\n  def select(self, t, s): pass\n",
            "mine.py",
            "Mine",
        )
        self.assertEqual(pol._place(policy), "mine.py:3")
        self.assertEqual(pol._place(pol.Policy), "")
        self.assertEqual(pol._place(None), "")

    def test_what_the_program_would_not_take_is_said(self):
        tree = grow([passing(None, 0.01), failing(0, pol.Verdict.NO_CANDIDATE, 0)])
        for node, said in (
            (0, ""),
            (1, "node 1 is not eligible"),
            (2, "none of the 2"),
        ):
            self.assertIn(said, pol._inadmissible(tree, {"node": node}))
        # Where nobody is eligible the root is taken all the same.
        nobody = grow([failing(None, pol.Verdict.NO_CANDIDATE, 0)])
        self.assertEqual(pol._inadmissible(nobody, {"node": 0}), "")


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

    @staticmethod
    def hello(body, **more):
        """Greets with a policy whose select() is that."""
        lower = lambda names: [each.name.lower() for each in names]  # noqa: E731
        return {
            "op": "hello",
            "protocol": pol.PROTOCOL,
            "file": "mine.py",
            "class": "Mine",
            "text": "from coppice_kernels.policy import *\n"
            "class Mine(Policy):\n"
            "    max_root_children = 3\n"
            "    def select(self, tree, stream):\n" + body,
            "verdicts": lower(pol.Verdict),
            "limits": lower(pol.Limit),
            "techniques": lower(pol.Technique),
            **more,
        }

    SELECT = {  # noqa: RUF012
        "op": "select",
        "decision": 0,
        "stream": {"seed": 1, "purpose": 1, "index": 0},
    }

    def answers(self, *lines):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        done = self.run_script("serve", text=text)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_it_follows_what_happens_to_the_tree(self):
        says = (
            "        return Selection(tree.best or 0, repr((len(tree),"
            " list(tree.in_flight), tree.attempts_left)))\n"
        )
        add = {"op": "add", "nodes": [passing(None, 0.01), passing(0, 0.005)]}
        heard = self.answers(
            self.hello(says),
            add,
            {"op": "begin", "parent": 1},
            {**self.SELECT, "attempts_left": 7},
            {"op": "end", "parent": 1},
            {"op": "quarantine", "nodes": [[1, *failing(0)]]},
            self.SELECT,
        )
        self.assertEqual(heard[1], {"node": 1, "reason": "(2, [0, 1], 7)"})
        self.assertEqual(heard[2], {"node": 0, "reason": "(2, [0, 0], None)"})

    def test_what_ends_it_is_its_last_word(self):
        good = "        return Selection(0, '')\n"
        endless = "        while True: pass\n"
        for lines, said in (
            ([self.SELECT], "?: ValueError: select came before hello"),
            ([self.hello(good, protocol="x/2")], "speaks coppice-policy/1, not 'x/2'"),
            ([self.hello(good, verdicts=["passed"])], "verdicts are ['passed'] there"),
            (
                [self.hello(good, **{"class": "Your"})],
                "has no policy 'Your'; it has Mine",
            ),
            (
                [self.hello("        return 3\n"), self.SELECT],
                "mine.py:4: select() returned int",
            ),
            (
                [self.hello(endless, timeout_s=0.05), self.SELECT],
                "mine.py:5: gave no answer in 0.05 s (--policy-timeout-s)",
            ),
        ):
            self.assertIn(said, self.answers(*lines)[-1]["error"])

    def test_it_speaks_its_protocol(self):
        hello = self.hello(
            "        print('not on the wire')\n"
            "        return Selection(len(tree) - 1, 'last', {0: 1.5, 1: 2})\n"
        )
        add = {"op": "add", "nodes": [passing(None, 0.01), passing(0, 0.02)]}
        lines = [hello, add, self.SELECT, {"op": "tree"}, {"op": "jump"}]
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
