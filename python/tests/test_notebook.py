"""What notebooks show, plots, and the notebook of the docs."""

import html.parser
import importlib.util
import os
import pathlib
import shutil
import sqlite3
import tempfile
import unittest

import coppice_kernels as ck
from coppice_kernels.evaluation import Evaluation

from . import program

ROOT = pathlib.Path(__file__).parents[2]
LEVEL1 = ROOT / "docs" / "data" / "level1.db"
HOSTILE = "<script>alert(1)</script><img src=x onerror=y>&\"'"


_ELEMENTS = {
    "p",
    "b",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "pre",
    "svg",
    "polyline",
    "details",
    "summary",
    "div",
}


class Tags(html.parser.HTMLParser):
    """Which elements there are, and whether each is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "polyline":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag != "polyline":
            assert self.open.pop() == tag


class HtmlTest(unittest.TestCase):
    def check(self, text: str) -> Tags:
        tags = Tags(text)
        self.assertEqual(tags.open, [])
        self.assertLessEqual(
            tags.seen,
            _ELEMENTS,
        )
        self.assertFalse({a for a in tags.attributes if a.startswith("on")})
        self.assertNotIn("<script", text)
        self.assertNotIn("http", text)
        return tags

    @program.needed
    def test_everything_has_a_picture_without_scripts(self) -> None:
        with ck.open(LEVEL1) as h:
            c = h.campaign("gemv")
            for one in (h, h.nodes, h.nodes.table(), c, c.best, c.root, c.tree):
                self.check(one._repr_html_())
            self.assertIn("svg", self.check(c._repr_html_()).seen)
            self.assertIn("415 rows, 395 of them not shown", self.text_of(h))
            self.assertIn("diff to node", c.best._repr_html_())

    @staticmethod
    def text_of(h: ck.History) -> str:
        # 13 campaigns of 30 attempts, and one of 25.
        return h.sql("SELECT * FROM nodes WHERE node > 0")._repr_html_()

    def test_what_strangers_wrote_is_escaped(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "<b>.db"
            shutil.copy(LEVEL1, path)
            writer = sqlite3.connect(path)
            writer.execute("UPDATE plan SET technique = ?, advice = ?", (HOSTILE,) * 2)
            writer.execute("UPDATE campaign SET name = name || ?", (HOSTILE,))
            writer.commit()
            writer.close()
            with ck.open(path) as h:
                c = h.campaign("gemv")
                for one in (h, h.nodes.table(), c, c.tree, h.leaderboard.table()):
                    text = one._repr_html_()
                    self.check(text)
                    self.assertIn("&lt;script&gt;", text)
        failed = Evaluation(
            task=HOSTILE,
            verdict="compile_failed",
            passed=False,
            speedup=None,
            interval=None,
            cannot_tell=True,
            runtime_s=None,
            workloads=(),
            error=HOSTILE,
            log_file=None,
            profile="",
            cached=False,
            job=None,
        )
        self.check(failed._repr_html_())
        self.assertIn("&lt;img", failed._repr_html_())

    def test_a_tree_shows_two_hundred_nodes_and_counts_the_rest(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.db"
            shutil.copy(LEVEL1, path)
            writer = sqlite3.connect(path)
            writer.execute("UPDATE campaign SET nodes = 1031 WHERE task = 'gemv'")
            writer.commit()
            writer.close()
            with ck.open(path) as h:
                text = h.campaign("gemv").tree._repr_html_()
        self.assertTrue(text.endswith("<p>... and 1000 nodes more</p>"))
        self.assertEqual(text.count("node "), 31)


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib")
class PlotTest(unittest.TestCase):
    def setUp(self) -> None:
        import matplotlib

        matplotlib.use("agg")
        self.h = ck.open(LEVEL1)
        self.addCleanup(self.h.close)

    def test_the_best_so_far_is_a_line_of_what_its_data_says(self) -> None:
        plot = self.h.campaign("gemv").plot.best_so_far
        ax = plot()
        self.assertEqual(list(ax.lines[0].get_ydata()), plot.data()["best_speedup"])
        self.assertIs(plot(ax=ax), ax)

    def test_a_tree_has_a_line_for_each_node_but_the_root(self) -> None:
        ax = self.h.campaign("histogram").plot.tree()
        self.assertEqual(len(ax.lines), 30)
        # docs/data/level1.txt: 6 wrong_output.
        sizes = {str(c.get_label()): len(c.get_offsets()) for c in ax.collections}
        self.assertEqual(sizes, {"passed": 25, "failed": 6})

    def test_curves_have_a_line_for_each_policy_and_task(self) -> None:
        self.assertEqual(len(self.h.plot.curves().lines), 14)


@program.needed
@unittest.skipUnless(
    importlib.util.find_spec("nbclient") and importlib.util.find_spec("ipykernel"),
    "no nbclient",
)
class DocumentTest(unittest.TestCase):
    def test_the_notebook_of_the_docs_runs(self) -> None:
        import nbclient
        import nbformat

        notebook = nbformat.read(  # type: ignore[no-untyped-call]
            ROOT / "docs" / "python.ipynb", as_version=4
        )
        with tempfile.TemporaryDirectory() as folder:
            client = nbclient.NotebookClient(
                notebook, timeout=60, resources={"metadata": {"path": folder}}
            )
            os.environ["PYTHONPATH"] = str(ROOT / "python")
            os.environ["CK_LEVEL1"] = str(LEVEL1)
            client.execute()
        shown = [
            kind
            for cell in notebook.cells
            for output in cell.get("outputs", [])
            for kind in output.get("data", {})
        ]
        self.assertIn("text/html", shown)
        self.assertIn("image/png", shown)


if __name__ == "__main__":
    unittest.main()
