"""What notebooks show, of things that tests make up."""

import types
import unittest
from typing import Any

from coppice_kernels import _html
from coppice_kernels._table import Column, Table

HOSTILE = '<script>alert("x")</script>'


def made(**fields: Any) -> Any:
    return types.SimpleNamespace(**fields)


class TableTest(unittest.TestCase):
    def shown(self, count: int) -> str:
        return _html.table(Table([Column("n", "INTEGER")], [list(range(count))]))

    def test_a_short_one_is_shown_as_a_whole(self) -> None:
        self.assertEqual(self.shown(20).count("<tr>"), 21)  # With its head.
        self.assertIn("<p>20 rows</p>", self.shown(20))

    def test_of_a_long_one_both_ends_are_shown(self) -> None:
        text = self.shown(100)
        self.assertEqual(text.count("<tr>"), 21)
        for number, there in ((9, True), (10, False), (89, False), (90, True)):
            self.assertEqual(f">{number}<" in text, there, number)
        self.assertIn("<p>100 rows, 80 of them not shown</p>", text)

    def test_cells_are_read_by_people(self) -> None:
        columns = [Column(name, "TEXT") for name in "abc"]
        text = _html.table(Table(columns, [[None], [1 / 3], ["x" * 81]]))
        self.assertIn("<td></td>", text)
        self.assertIn(">0.3333</td>", text)
        self.assertIn(f"<td>{'x' * 80}...</td>", text)

    def test_whatever_a_stranger_wrote_is_text(self) -> None:
        text = _html.table(Table([Column(HOSTILE, "TEXT")], [[HOSTILE]]))
        self.assertNotIn("<script", text)
        self.assertEqual(text.count("&lt;script&gt;"), 2)


class SparklineTest(unittest.TestCase):
    def test_a_line_goes_from_the_bottom_to_the_top(self) -> None:
        # 2 and 8 are one and three steps of the logarithm: 28 to 2, by thirds.
        text = _html._sparkline([1.0, 2.0, 8.0])
        self.assertIn('points="0.0,28.0 100.0,19.3 200.0,2.0"', text)

    def test_where_nothing_changes_the_line_is_level(self) -> None:
        self.assertIn('points="0.0,28.0 200.0,28.0"', _html._sparkline([3.0, 3.0]))

    def test_a_point_is_no_line(self) -> None:
        self.assertEqual(_html._sparkline([1.0]), "")


class EvaluationTest(unittest.TestCase):
    def shown(self, **more: Any) -> str:
        fields = {
            "task": "gemv",
            "verdict": "passed",
            "speedup": 2.0,
            "interval": (1.9, 2.1),
            "cannot_tell": False,
            "workloads": (),
            "error": "",
        }
        return _html.evaluation(made(**{**fields, **more}))

    def test_a_speedup_comes_with_its_interval(self) -> None:
        self.assertEqual(self.shown(), "<p><b>gemv</b> passed, 2x (1.9-2.1)</p>")
        self.assertIn("passed, 2x</p>", self.shown(interval=None))

    def test_what_is_not_told_apart_is_said(self) -> None:
        self.assertIn("cannot tell whether it is faster", self.shown(cannot_tell=True))

    def test_an_error_is_quoted_and_cut(self) -> None:
        text = self.shown(verdict="crashed", speedup=None, error=HOSTILE)
        self.assertIn("<b>gemv</b> crashed</p><pre>&lt;script&gt;", text)
        long = self.shown(error="x" * 20_005)
        self.assertIn("\n... and 5 characters more</pre>", long)


class TreeTest(unittest.TestCase):
    def test_children_are_below_their_parent_in_their_order(self) -> None:
        def node(number: int, parent: int | None) -> Any:
            return made(
                node=number,
                parent=parent,
                verdict="passed",
                speedup=None,
                interval=None,
                technique=None,
            )

        nodes = [node(0, None), node(1, 0), node(2, 0), node(3, 1)]

        class Campaign:
            def __len__(self) -> int:
                return 6

        text = _html.tree(made(nodes=lambda most: nodes, campaign=Campaign()))
        places = [text.index(f"node {number},") for number in (0, 1, 3, 2)]
        self.assertEqual(places, sorted(places))
        self.assertEqual(text.count("<details"), text.count("</details>"))
        self.assertIn("... and 2 nodes more", text)


class ViewTest(unittest.TestCase):
    def test_its_columns_are_rows(self) -> None:
        columns = [Column("run_s", "REAL", "s", HOSTILE)]
        text = _html.view(made(name="nodes", doc="One row per node.", columns=columns))
        self.assertIn("<p><b>nodes</b>: One row per node.</p>", text)
        self.assertIn("<td>run_s</td><td>REAL</td><td>s</td><td>&lt;script", text)

    def test_a_history_is_its_file_and_its_last_campaigns(self) -> None:
        asked: list[str] = []

        def sql(question: str) -> Table:
            asked.append(question)
            return Table([Column("campaign", "TEXT")], [["gemv.a"]])

        text = _html.history(made(path=HOSTILE, sql=sql))
        self.assertIn("<p><b>&lt;script&gt;", text)
        self.assertIn("<td>gemv.a</td>", text)
        self.assertIn("LIMIT 20", asked[0])


class CampaignTest(unittest.TestCase):
    ROW = {  # noqa: RUF012
        "task": "gemv",
        "policy": "ucb",
        "seed": 3,
        "state": "running",
        "attempts": 2,
        "budget_attempts": 9,
    }

    def campaign(self, count: int, steps: list[tuple[int, float | None]]) -> Any:
        class Campaign:
            name = "gemv.a"
            row = self.ROW
            history = made(rows=lambda *_: steps)
            leaderboard = Table(
                [
                    Column(name, "TEXT")
                    for name in (
                        "rank",
                        "node",
                        "speedup",
                        "speedup_low",
                        "speedup_high",
                        "technique",
                    )
                ],
                [[1, 2], [7, 5], [3.0, 2.0], [2.9, None], [3.1, None], ["tile", None]],
            )

            def __len__(self) -> int:
                return count

        return Campaign()

    def test_it_says_where_it_stands_and_who_leads(self) -> None:
        text = _html.campaign(self.campaign(3, [(0, 1.0), (2, 3.0)]))
        self.assertIn(
            "<b>gemv.a</b> gemv, ucb, seed 3: running, 2 of 9 attempts</p>", text
        )
        self.assertIn("<td>3x (2.9-3.1)</td><td>tile</td>", text)
        self.assertIn("<td>2x</td><td></td>", text)
        self.assertIn("<svg", text)

    def test_the_best_is_followed_step_by_step(self) -> None:
        # The best at nodes 0 to 4; a step whose speed is not known counts as 1.
        steps = [(1, None), (3, 2.0)]
        points = _html._best_so_far(self.campaign(5, steps))
        self.assertEqual(points, [1.0, 1.0, 1.0, 2.0, 2.0])

    def test_of_many_attempts_a_hundred_points_are_drawn(self) -> None:
        points = _html._best_so_far(self.campaign(1000, [(999, 4.0)]))
        self.assertEqual((len(points), points[-2], points[-1]), (100, 1.0, 4.0))
        self.assertEqual(_html._best_so_far(self.campaign(1, [])), [1.0])


class NodeTest(unittest.TestCase):
    def node(self, parent: Any = None, **more: Any) -> Any:
        class Campaign:
            name = "gemv.a"
            history = made(texts=lambda ids: [f"<{i}>\n" for i in ids])

            def __getitem__(self, number: int) -> Any:
                return parent

        fields = {
            "node": 3,
            "parent": None if parent is None else parent.node,
            "verdict": "passed",
            "speedup": 2.0,
            "interval": None,
            "technique": "tile",
            "advice": None,
            "source_blob": 7,
            "log_blob": None,
            "campaign": Campaign(),
        }
        return made(**{**fields, **more})

    def test_a_root_is_its_source(self) -> None:
        self.assertEqual(
            _html.node(self.node()),
            "<p><b>gemv.a</b> node 3, passed, 2x, tile</p><pre>&lt;7&gt;\n</pre>",
        )

    def test_another_has_what_it_changed_its_advice_and_its_log(self) -> None:
        parent = self.node(node=1, source_blob=5)
        text = _html.node(self.node(parent, advice=HOSTILE, log_blob=9))
        self.assertIn("<p>&lt;script&gt;", text)
        self.assertIn("<summary>diff to node 1</summary><pre>--- node 1\n", text)
        self.assertIn("-&lt;5&gt;\n+&lt;7&gt;</pre>", text)
        self.assertIn("<summary>log</summary><pre>&lt;9&gt;\n</pre>", text)

    def test_one_without_a_source_has_no_difference(self) -> None:
        text = _html.node(self.node(self.node(node=1), source_blob=None, speedup=None))
        self.assertEqual(text, "<p><b>gemv.a</b> node 3, passed, tile</p>")


class ComparisonTest(unittest.TestCase):
    def test_each_policy_has_what_was_found_of_it(self) -> None:
        mean = made(value=0.5, low=0.25, high=None)
        policies = [
            made(
                policy=name,
                campaigns=3,
                geometric_mean_speedup=1.5,
                mean_log_speedup=mean,
            )
            for name in ("ucb", "beam", "new")
        ]
        found = [made(policy="beam", finding="cannot_tell")]
        of = made(
            policies=policies,
            differences=found,
            baseline="ucb",
            budget=30.0,
            budget_kind=None,
            source=None,
            landscape=None,
        )
        text = _html.comparison(of)
        self.assertIn("<b>all landscapes</b> at 30 calls or attempts each", text)
        rows = text.split("<tr>")[2:]
        ends = [row.split("<td>")[-1].split("<")[0] for row in rows]
        self.assertEqual(ends, ["the baseline", "cannot tell", ""])
        named = made(**{**vars(of), "source": "a.db", "budget_kind": "seconds"})
        self.assertIn("<b>a.db</b> at 30 seconds each", _html.comparison(named))


class MachineTest(unittest.TestCase):
    def test_a_part_is_well_or_not(self) -> None:
        parts = (
            made(part="compiler", well=True, text="g++ 12"),
            made(part="sandbox", well=False, text=HOSTILE),
        )
        text = _html.machine(made(parts=parts))
        self.assertIn("<td>compiler</td><td>yes</td><td>g++ 12</td>", text)
        self.assertIn("<td>sandbox</td><td>no</td><td>&lt;script", text)


if __name__ == "__main__":
    unittest.main()
