"""What plots draw, on axes that note what is asked of them."""

import sys
import types
import unittest
from typing import Any
from unittest import mock

from coppice_kernels import plots
from coppice_kernels._table import Column, Table


def table(**columns: list[Any]) -> Table:
    return Table([Column(name, "TEXT") for name in columns], list(columns.values()))


def drawn(draw: Any, data: Table) -> Any:
    ax = mock.Mock()
    draw(data, ax)
    return ax


class BestSoFarTest(unittest.TestCase):
    DATA = table(
        campaign=["gemv.a", "gemv.a", "gemv.a"],
        attempts=[0, 1, 2],
        best_speedup=[None, 1.5, 2.0],
        speedup=[None, 1.5, None],
    )

    def test_the_line_begins_where_something_has_passed(self) -> None:
        ax = drawn(plots._draw_best_so_far, self.DATA)
        ax.step.assert_called_once_with([1, 2], [1.5, 2.0], where="post")
        self.assertEqual(ax.plot.call_args.args, ([1], [1.5], "."))
        ax.set_title.assert_called_once_with("gemv.a")

    def test_speedups_are_read_in_doublings(self) -> None:
        ax = drawn(plots._draw_best_so_far, self.DATA)
        ax.set_yscale.assert_called_once_with("log", base=2)
        say = ax.yaxis.set_major_formatter.call_args.args[0]
        self.assertEqual([say(v, 0) for v in (0.5, 1.0, 16.0)], ["0.5x", "1x", "16x"])

    def test_of_nothing_there_is_an_empty_plot(self) -> None:
        empty = table(campaign=[], attempts=[], best_speedup=[], speedup=[])
        ax = drawn(plots._draw_best_so_far, empty)
        ax.step.assert_called_once_with([], [], where="post")
        ax.set_title.assert_called_once_with("")


class TreeTest(unittest.TestCase):
    def test_who_did_not_pass_is_drawn_as_high_as_its_parent(self) -> None:
        ax = drawn(
            plots._draw_tree,
            table(
                node=[0, 1, 2, 3],
                parent=[None, 0, 1, 2],
                verdict=["passed", "passed", "crashed", "crashed"],
                speedup=[1.0, 4.0, None, None],
            ),
        )
        lines = [call.args for call in ax.plot.call_args_list]
        self.assertEqual(
            lines, [([0, 1], [1.0, 4.0]), ([1, 2], [4.0, 4.0]), ([2, 3], [4.0, 4.0])]
        )
        points = {c.kwargs["label"]: c.args for c in ax.scatter.call_args_list}
        self.assertEqual(points["passed"], ((0, 1), (1.0, 4.0)))
        self.assertEqual(points["failed"], ((2, 3), (4.0, 4.0)))

    def test_kinds_that_nobody_is_of_are_not_drawn(self) -> None:
        data = table(node=[0], parent=[None], verdict=["passed"], speedup=[1.0])
        ax = drawn(plots._draw_tree, data)
        self.assertEqual(
            [c.kwargs["label"] for c in ax.scatter.call_args_list], ["passed"]
        )


class CurvesTest(unittest.TestCase):
    def curves(self, tasks: list[str]) -> Any:
        return drawn(
            plots._draw_curves,
            table(
                task=tasks,
                policy=["ucb", "ucb", "beam"],
                attempts=[1, 2, 1],
                best_speedup=[1.5, None, 3.0],
            ),
        )

    def test_each_policy_has_a_line_of_what_is_known(self) -> None:
        ax = self.curves(["a", "a", "a"])
        lines = {c.kwargs["label"]: c.args for c in ax.step.call_args_list}
        self.assertEqual(lines, {"ucb": ([1], [1.5]), "beam": ([1], [3.0])})

    def test_of_several_tasks_each_is_named(self) -> None:
        ax = self.curves(["a", "a", "b"])
        labels = [c.kwargs["label"] for c in ax.step.call_args_list]
        self.assertEqual(labels, ["ucb, a", "beam, b"])

    def test_without_a_line_there_is_no_legend(self) -> None:
        data = table(task=["a"], policy=["ucb"], attempts=[1], best_speedup=[None])
        drawn(plots._draw_curves, data).legend.assert_not_called()


class PlotTest(unittest.TestCase):
    def test_it_draws_its_data_on_the_axes_that_it_returns(self) -> None:
        seen: list[Any] = []
        data = table(a=[1])
        plot = plots.Plot(lambda: data, lambda *both: seen.append(both))
        ax = mock.Mock()
        self.assertIs(plot(ax), ax)
        self.assertEqual(seen, [(data, ax)])
        self.assertIs(plot.data(), data)

    def test_without_axes_it_makes_some(self) -> None:
        ax = object()
        pyplot = types.SimpleNamespace(subplots=lambda: ("figure", ax))
        matplotlib = types.SimpleNamespace(pyplot=pyplot)
        with mock.patch.dict(sys.modules, {"matplotlib": matplotlib}):
            plot = plots.Plot(lambda: table(a=[1]), lambda *_: None)
            self.assertIs(plot(), ax)

    def test_without_matplotlib_it_says_how_to_get_it(self) -> None:
        plot = plots.Plot(lambda: table(a=[1]), lambda *_: None)
        with (
            mock.patch.dict(sys.modules, {"matplotlib": None}),
            self.assertRaisesRegex(ImportError, r"coppice-kernels\[plot\]"),
        ):
            plot()

    def test_plots_of_a_campaign_are_of_that_campaign(self) -> None:
        campaign = mock.Mock()
        campaign.name = "gemv.a"
        of = plots.CampaignPlots(campaign)
        of.best_so_far.data()
        campaign.history.best_so_far.assert_called_once_with(campaign="gemv.a")
        of.tree.data()
        campaign.history.nodes.assert_called_once_with(
            ["node", "parent", "verdict", "speedup"], campaign="gemv.a"
        )
        history = mock.Mock()
        plots.HistoryPlots(history).curves.data()
        history.policy_curve.table.assert_called_once_with()


if __name__ == "__main__":
    unittest.main()
