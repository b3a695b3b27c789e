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
