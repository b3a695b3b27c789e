"""Campaigns and nodes of a history that tests make up, and of a file of ours."""

import itertools
import pathlib
import unittest
from typing import Any
from unittest import mock

import coppice_kernels as ck
from coppice_kernels import history as reading
from coppice_kernels._schema import VIEWS
from coppice_kernels.campaign import Campaign, Node, diff_of

LEVEL1 = pathlib.Path(__file__).parents[2] / "docs" / "data" / "level1.db"


class MadeUp:
    """In place of a history: texts are what their numbers say."""

    path = "a.db"

    def __init__(self, calls: list[tuple[Any, ...]] | None = None) -> None:
        self.calls = calls or []
        self.asked: list[list[int]] = []

    def texts(self, ids: list[int]) -> list[str]:
        self.asked.append(list(ids))
        return [f"text {i}\n" for i in ids]

    def text(self, blob: int) -> str:
        return self.texts([blob])[0]

    def rows(self, _: str, *parameters: Any) -> list[tuple[Any, ...]]:
        self.parameters = parameters
        return self.calls


def node(history: Any = None, **values: Any) -> Node:
    made = {
        "node": 3,
        "parent": 1,
        "verdict": "passed",
        "speedup": 2.0,
        "speedup_low": 1.5,
        "speedup_high": 2.5,
        "technique": "loops",
        "decision": 9,
        "source_blob": 7,
        "log_blob": None,
        "annotated_source_blob": 8,
        "profile_blob": 5,
    }
    return Node(Campaign(history or MadeUp(), "gemv.a"), {**made, **values})


class NodeTest(unittest.TestCase):
    def test_it_is_read_in_a_line(self) -> None:
        for values, text in (
            ({}, "<Node 3: passed, 2x, loops>"),
            ({"technique": None, "speedup": 1.23456}, "<Node 3: passed, 1.23x>"),
            ({"verdict": "crashed", "speedup": None}, "<Node 3: crashed, loops>"),
        ):
            self.assertEqual(repr(node(**values)), text)

    def test_columns_are_attributes(self) -> None:
        self.assertEqual(node(occupancy=0.5).occupancy, 0.5)
        self.assertIn("decision", dir(node()))
        self.assertIn("lineage", dir(node()))
        with self.assertRaisesRegex(AttributeError, "a node has no 'colour'"):
            node().colour  # noqa: B018

    def test_an_interval_has_both_ends(self) -> None:
        self.assertEqual(node().interval, (1.5, 2.5))
        self.assertIsNone(node(speedup_low=None).interval)
        self.assertIsNone(node(speedup_high=None).interval)

    def test_the_same_node_of_the_same_campaign_is_equal(self) -> None:
        self.assertEqual(node(), node(speedup=None))  # Read at another time.
        self.assertNotEqual(node(), node(node=4))
        self.assertNotEqual(node(), 3)
        other = Node(Campaign(node().campaign.history, "gemv.b"), {"node": 3})
        self.assertNotEqual(node(), other)
        self.assertEqual(len({node(), node(), node(node=4)}), 2)

    def test_texts_are_those_of_its_blobs(self) -> None:
        one = node()
        self.assertEqual(one.source, "text 7\n")
        self.assertEqual(one.annotated_source, "text 8\n")
        self.assertEqual(one.profile, "text 5\n")
        self.assertIsNone(one.log)

    def test_prompts_are_read_at_once_and_may_have_no_answer(self) -> None:
        history = MadeUp([("plan", "m", 1, 2, 4), ("code", "m", 1, 3, None)])
        plan, code = node(history).prompts
        self.assertEqual(
            plan, ck.Prompt("plan", "m", "text 1\n", "text 2\n", "text 4\n")
        )
        self.assertEqual((code.user, code.answer), ("text 3\n", None))
        self.assertEqual(history.asked, [[1, 2, 3, 4]])
        self.assertEqual(history.parameters, ("gemv.a", 9))

    def test_a_difference_has_the_numbers_of_both(self) -> None:
        self.assertEqual(
            node().diff(node(node=2, source_blob=None)),
            "--- node 2\n+++ node 3\n@@ -0,0 +1 @@\n+text 7",
        )
        self.assertEqual(node(parent=None).diff(), "")

    def test_so_much_of_what_is_around_is_shown_as_is_asked_for(self) -> None:
        before, after = "a\nb\nc\nd\ne", "a\nb\nX\nd\ne"
        whole = diff_of(0, before, 1, after).splitlines()
        self.assertEqual(whole[3:], [" a", " b", "-c", "+X", " d", " e"])
        none = diff_of(0, before, 1, after, context=0).splitlines()
        self.assertEqual(none[2:], ["@@ -3 +3 @@", "-c", "+X"])


class OfAFileTest(unittest.TestCase):
    def setUp(self) -> None:
        self.h = ck.open(LEVEL1, reader="sqlite3")
        self.addCleanup(self.h.close)
        self.c = self.h.campaign("gemv")

    def test_a_campaign_is_the_sequence_of_its_nodes(self) -> None:
        numbers = [one.node for one in self.c]
        self.assertEqual(numbers, list(range(len(self.c))))
        self.assertEqual(len(self.c.nodes), len(self.c))
        self.assertEqual(self.c.root, self.c[0])
        self.assertTrue(self.c)

    def test_equal_names_of_a_file_are_one_campaign(self) -> None:
        again = self.h.campaign(self.c.name)
        self.assertEqual(again, self.c)
        self.assertEqual(len({again, self.c}), 1)
        with ck.open(LEVEL1, reader="sqlite3") as other:
            self.assertEqual(other.campaign(self.c.name), self.c)

    def test_it_says_where_it_stands(self) -> None:
        self.assertEqual(
            repr(self.c), f"<Campaign {self.c.name}: 30 of 30 attempts, finished>"
        )

    def test_parents_and_children_are_each_others(self) -> None:
        for one in self.c:
            for child in one.children:
                self.assertEqual(child.parent, one.node)
        below = sum(len(one.children) for one in self.c)
        self.assertEqual(below, len(self.c) - 1)  # All but the root.

    def test_a_lineage_leads_from_the_root_by_parents(self) -> None:
        line = self.c.best.lineage
        self.assertIsNone(line[0].parent)
        for before, after in itertools.pairwise(line):
            self.assertEqual(after.parent, before.node)

    def test_a_tree_is_indented_by_depth(self) -> None:
        lines = str(self.c.tree).splitlines()
        self.assertEqual(len(lines), len(self.c))
        for one in self.c:
            depth = len(one.lineage) - 1
            self.assertIn("  " * depth + repr(one)[6:-1], lines)

    def test_of_a_large_tree_the_rest_is_counted(self) -> None:
        lines = list(self.c.tree._lines(limit=10))
        self.assertEqual(lines[-1], f"... and {len(self.c) - 10} more")
        self.assertEqual(len(lines), 11)

    def test_the_leaderboard_is_in_order_and_short(self) -> None:
        board = self.c.leaderboard
        self.assertLessEqual(len(board), 5)
        self.assertEqual(board["rank"], list(range(1, len(board) + 1)))
        self.assertEqual(board["node"][0], self.c.best.node)

    def test_where_nothing_beats_the_root_it_is_the_best(self) -> None:
        with mock.patch.object(self.h, "rows", return_value=[]):
            self.assertEqual(self.c.best, self.c.root)

    def test_runs_are_all_campaigns_in_their_order(self) -> None:
        runs = self.h.runs()
        self.assertEqual(len(runs), 14)
        began = [run.row["created_at_s"] for run in runs]
        self.assertEqual(began, sorted(began))
        self.assertEqual(repr(self.h), f"<History {LEVEL1}: 14 campaigns>")

    def test_views_are_a_mapping_and_attributes(self) -> None:
        self.assertEqual(len(self.h.views), len(VIEWS))
        with self.assertRaises(KeyError):
            self.h.views["moon"]
        with self.assertRaisesRegex(AttributeError, "'History' has no 'moon'"):
            self.h.moon  # noqa: B018
        self.assertIn("nodes", dir(self.h))
        self.assertIn("nodes: One row per node.", repr(self.h.views).splitlines())

    def test_a_view_says_what_its_columns_are(self) -> None:
        lines = repr(self.h.nodes).splitlines()
        self.assertEqual(lines[0], "nodes: One row per node.")
        self.assertIn("  runtime_s [s] REAL  NULL unless passed", lines)
        self.assertIn(
            "<td>runtime_s</td><td>REAL</td><td>s</td>", self.h.nodes._repr_html_()
        )

    def test_conditions_add_up(self) -> None:
        passed = self.h.nodes(campaign=self.c.name)(["node"], verdict="passed")
        self.assertEqual(
            [row["node"] for row in passed],
            [one.node for one in self.c if one.verdict == "passed"],
        )

    def test_of_no_texts_nobody_is_asked(self) -> None:
        self.assertEqual(self.h.texts([]), [])

    def test_texts_are_asked_for_by_number_in_their_order(self) -> None:
        with mock.patch(
            "coppice_kernels._program.output_of",
            return_value='[{"text": "a"}, {"text": "b"}]',
        ) as asked:
            self.assertEqual(self.h.texts([5, 3]), ["a", "b"])
        verb, question, *_, db = asked.call_args.args
        self.assertEqual((verb, db), ("sql", str(LEVEL1)))
        self.assertIn("json_each('[5, 3]')", question)

    def test_what_nobody_writes_to_yields_nothing(self) -> None:
        self.assertEqual(list(self.h.follow(timeout_s=0, every_s=0.001)), [])


class ReadingTest(unittest.TestCase):
    def test_a_column_has_one_type_for_all_of_its_values(self) -> None:
        for name, values, its_type, settled in (
            ("a", [1, None, 2], "INTEGER", [1, None, 2]),
            ("speedup", [1, 2], "REAL", [1.0, 2.0]),  # Known of the views.
            ("a", [1, 2.5, None], "REAL", [1.0, 2.5, None]),
            ("a", ["x", None], "TEXT", ["x", None]),
            ("a", ["x", 1, 2.5], "TEXT", ["x", "1", "2.5"]),
            ("a", [b"\x01\xff"], "TEXT", ["01ff"]),
            ("a", [None], "TEXT", [None]),
            ("speedup", [], "REAL", []),
        ):
            found = list(values)
            self.assertEqual(reading._settle_type(found, name), its_type, values)
            self.assertEqual(found, settled)
            self.assertEqual([type(v) for v in found], [type(v) for v in settled])

    def test_functions_that_sqlite_lacks_are_null_where_they_are_none(self) -> None:
        import math

        for function, given, wanted in (
            (math.log, (math.e,), 1.0),
            (math.log, (0,), None),  # As in SQLite.
            (math.sqrt, (-1,), None),
            (math.exp, (1e9,), None),
            (math.pow, (2, None), None),
        ):
            self.assertEqual(reading._or_null(function)(*given), wanted)

    def test_they_are_added_where_they_are_missing_alone(self) -> None:
        import sqlite3

        for lacks in (False, True):
            database = mock.Mock()
            if lacks:
                database.execute.side_effect = sqlite3.OperationalError("no ln")
            reading._add_functions(database)
            added = [call.args[:2] for call in database.create_function.call_args_list]
            wanted = [("ln", 1), ("exp", 1), ("sqrt", 1), ("pow", 2)] if lacks else []
            self.assertEqual(added, wanted)

    def test_a_file_beside_which_nothing_can_be_made_does_not_change(self) -> None:
        path = pathlib.Path("/tmp/a b%.db")
        self.assertEqual(reading._uri_of(path), "file:/tmp/a%20b%25.db?mode=ro")
        with mock.patch("os.access", lambda *_: False):
            self.assertTrue(reading._uri_of(path).endswith("&immutable=1"))
            with mock.patch.object(pathlib.Path, "exists", lambda _: True):
                # A log is there: somebody writes to it.
                self.assertFalse(reading._uri_of(path).endswith("&immutable=1"))

    def test_an_old_sqlite_is_no_corrupt_file(self) -> None:
        import sqlite3

        said = sqlite3.DatabaseError("malformed database schema (nodes)")
        with (
            mock.patch("sqlite3.connect", side_effect=said),
            self.assertRaisesRegex(ck.Unavailable, "is too old; it must be 3.38"),
        ):
            ck.open(LEVEL1, reader="sqlite3")

    def test_an_empty_database_has_no_campaign(self) -> None:
        with (
            ck.open(LEVEL1, reader="sqlite3") as h,
            mock.patch.object(h, "rows", return_value=[]),
            self.assertRaisesRegex(ck.NotFound, "has no campaign"),
        ):
            h.campaign()


if __name__ == "__main__":
    unittest.main()
