import ctypes
import gc
import importlib.util
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import coppice_kernels as ck
from coppice_kernels import _arrow
from coppice_kernels._schema import VIEWS

from . import program

ROOT = pathlib.Path(__file__).parents[2]
FOREIGN = ROOT / "docs" / "data" / "foreign.db"
LEVEL1 = ROOT / "docs" / "data" / "level1.db"


def has(*packages: str) -> bool:
    return all(importlib.util.find_spec(package) for package in packages)


class SchemaTest(unittest.TestCase):
    def test_it_is_what_the_store_says(self) -> None:
        done = subprocess.run(
            [sys.executable, ROOT / "scripts" / "python_schema.py", "--check"],
            capture_output=True,
            text=True,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_columns_hold_values_of_their_types(self) -> None:
        types = {"INTEGER": {int}, "REAL": {float}, "TEXT": {str}}
        looked_at = 0
        for file in (FOREIGN, LEVEL1):
            with ck.open(file, reader="sqlite3") as h:
                for name in VIEWS:
                    table = h.views[name].table()
                    for column in table.columns:
                        found = {type(v) for v in table[column.name]} - {type(None)}
                        looked_at += bool(found)
                        self.assertLessEqual(
                            found, types[column.type], f"{name}.{column.name}"
                        )
        # 44 views of some 10 columns; a third of all is never NULL here.
        self.assertGreater(looked_at, 400)


class ReadingTest(unittest.TestCase):
    def setUp(self) -> None:
        self.h = ck.open(LEVEL1, reader="sqlite3")
        self.addCleanup(self.h.close)

    def test_importing_takes_none_of_the_large_packages(self) -> None:
        code = (
            "import sys, coppice_kernels as ck; ck.open; ck.evaluate; ck.run; ck.task\n"
            "print([m for m in ('numpy', 'pandas', 'polars', 'pyarrow', 'IPython',"
            " 'matplotlib', 'asyncio', 'torch') if m in sys.modules])"
        )
        out = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            cwd=ROOT / "python",
        )
        self.assertEqual(out.stdout, "[]\n", out.stderr)

    def test_a_view_takes_columns_and_conditions(self) -> None:
        name = str(self.h.runs()[0].name)
        nodes = self.h.nodes(["node", "parent"], campaign=name).table()
        self.assertEqual([c.name for c in nodes.columns], ["node", "parent"])
        self.assertEqual(nodes["node"], list(range(31)))
        self.assertIsNone(nodes["parent"][0])
        roots = self.h.nodes(["node"], parent=None).table()
        self.assertEqual(roots["node"], [0] * 14)
        with self.assertRaisesRegex(ck.UsageError, "nodes has no column 'speed'"):
            self.h.nodes(["speed"])

    def test_columns_have_units_and_meanings(self) -> None:
        columns = {c.name: c for c in self.h.nodes.columns}
        self.assertEqual(columns["runtime_s"].unit, "s")
        self.assertEqual(columns["runtime_s"].doc, "NULL unless passed")
        self.assertEqual(self.h.nodes.doc, "One row per node.")
        self.assertEqual(list(self.h.views), list(VIEWS))

    def test_a_question_has_columns_of_one_type(self) -> None:
        table = self.h.sql(
            "SELECT column1 AS a, column2 AS b, NULL AS speedup "
            "FROM (VALUES (1, 2.5), (NULL, 3), (4, 'x'))"
        )
        types = [c.type for c in table.columns]
        self.assertEqual(types, ["INTEGER", "TEXT", "REAL"])
        self.assertEqual(table["a"], [1, None, 4])
        self.assertEqual(table["b"], ["2.5", "3", "x"])
        self.assertEqual(self.h.sql("SELECT ? + 1 AS n", 2)["n"], [3])

    def test_nothing_is_written(self) -> None:
        with self.assertRaisesRegex(ck.UsageError, "readonly|read-only"):
            self.h.sql("DELETE FROM node RETURNING number")
        with self.assertRaises(ck.UsageError):
            self.h.sql("SELECT 1; SELECT 2")

    def test_what_the_system_refuses_is_no_mistake_in_the_question(self) -> None:
        # As sqlite3_errstr says them.
        for said, kind in (
            ("database is locked", ck.Busy),
            ("database table is locked", ck.Busy),
            ("disk I/O error", ck.IoError),
            ("unable to open database file", ck.IoError),
            ("database disk image is malformed", ck.Corrupt),
            ("file is not a database", ck.Corrupt),
            ("database or disk is full", ck.Full),
            ("no such column: a", ck.UsageError),
        ):
            broken = mock.Mock()
            broken.execute.side_effect = sqlite3.OperationalError(said)
            with mock.patch.object(self.h, "_connection", broken):
                for read in (self.h.sql, self.h.rows):
                    with self.assertRaisesRegex(kind, f"level1.db: {said}"):
                        read("SELECT a")
                if kind is not ck.UsageError:  # A view is no question of a user.
                    with self.assertRaises(kind):
                        self.h.nodes.table()

    def test_the_best_node_is_that_of_the_leaderboard(self) -> None:
        c = self.h.campaign("gemv")
        # docs/data/level1.txt: gemv 8.5x at node 20.
        self.assertEqual(c.best.node, 20)
        self.assertAlmostEqual(c.best.speedup or 0, 8.5, places=1)
        self.assertEqual((len(c), c.task, c.state), (31, "gemv", "finished"))
        self.assertEqual(c[20], c.best)
        lineage = [n.node for n in c.best.lineage]
        self.assertEqual((lineage[0], lineage[-1]), (0, 20))
        self.assertIn(c[lineage[1]], c.root.children)
        self.assertTrue(str(c.tree).startswith("0: passed, 1x\n"))

    def test_a_part_of_a_name_is_enough_if_it_is_the_only_one(self) -> None:
        self.assertEqual(self.h.campaign("gelu").task, "gelu_tanh")
        with self.assertRaisesRegex(ck.NotFound, "'gem' is a part of"):
            self.h.campaign("gem")
        with self.assertRaisesRegex(ck.NotFound, "'nothing' is none of"):
            self.h.campaign("nothing")
        with self.assertRaisesRegex(ck.NotFound, "has no node 31"):
            self.h.campaign("gemv")[31]

    @program.needed
    def test_texts_are_those_of_the_program(self) -> None:
        best = self.h.campaign("gemv").best
        shown = program.output(
            "show", "20", "--campaign", "gemv", "--source", "--db", str(LEVEL1)
        )
        self.assertEqual(best.source, shown)
        self.assertTrue(best.diff().startswith("--- node "))
        self.assertEqual(best.diff(best), "")
        prompts = best.prompts  # The catalogue is asked as a model would be.
        self.assertEqual([p.role for p in prompts], ["plan", "code"])
        self.assertIn("# Task: gemv", prompts[0].user)
        self.assertIn("Technique:", prompts[0].answer or "")

    def test_what_is_no_database_is_told_in_a_line(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.db"
            with self.assertRaisesRegex(ck.NotFound, r"a\.db: no such file$"):
                ck.open(path)
            path.write_text("a text that is longer than the header of a file" * 9)
            with self.assertRaisesRegex(ck.Corrupt, "is no database of coppice"):
                ck.open(path)
            path.unlink()
            sqlite3.connect(path).execute("CREATE TABLE a (b)").connection.close()
            with self.assertRaisesRegex(ck.Corrupt, "is no database of coppice"):
                ck.open(path)
            shutil.copy(FOREIGN, path)
            db = sqlite3.connect(path)
            db.execute("PRAGMA user_version = 99")
            db.close()
            with self.assertRaisesRegex(ck.NewerFormat, "has format 99"):
                ck.open(path)


class FollowTest(unittest.TestCase):
    def test_it_yields_what_is_committed_afterwards(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.db"
            shutil.copy(LEVEL1, path)

            def set_nodes(nodes: int) -> None:
                writer = sqlite3.connect(path)
                writer.execute(
                    "UPDATE campaign SET nodes = ? WHERE task = 'gemv'", (nodes,)
                )
                writer.commit()
                writer.close()

            set_nodes(30)  # As if its last node, 30, had yet to be committed.
            with ck.open(path) as h:
                following = h.follow(timeout_s=0.5, every_s=0.01)
                set_nodes(31)
                self.assertEqual(
                    [(n.campaign.task, n.node) for n in following], [("gemv", 30)]
                )


class ArrowTest(unittest.TestCase):
    """Our own streams; without a library it is only seen that they come and go."""

    FIELDS = (
        _arrow.Field("i", "INTEGER", [1, None, -(2**63)]),
        _arrow.Field("r", "REAL", [None, 2.5, float("inf")]),
        _arrow.Field("t", "TEXT", ["", None, "é\0x"]),
        _arrow.Field("n", "TEXT", [None, None, None]),
    )

    def test_a_stream_that_nobody_takes_is_let_go(self) -> None:
        before = len(_arrow._alive), len(_arrow._streams)
        capsule = _arrow.stream(list(self.FIELDS))
        self.assertEqual(len(_arrow._streams), before[1] + 1)
        del capsule
        gc.collect()
        self.assertEqual((len(_arrow._alive), len(_arrow._streams)), before)

    def test_the_sizes_are_those_of_the_standard(self) -> None:
        self.assertEqual(ctypes.sizeof(_arrow._Schema), 72)
        self.assertEqual(ctypes.sizeof(_arrow._Array), 80)
        self.assertEqual(ctypes.sizeof(_arrow._Stream), 40)

    @unittest.skipUnless(has("pyarrow"), "no pyarrow")
    def test_pyarrow_reads_every_value(self) -> None:
        import pyarrow as pa

        before = len(_arrow._alive)

        class Stream:
            def __arrow_c_stream__(self, requested_schema: object = None) -> object:
                return _arrow.stream(list(ArrowTest.FIELDS))

        table = pa.table(Stream())
        table.validate(full=True)
        self.assertEqual(
            table.to_pydict(), {f.name: list(f.values) for f in self.FIELDS}
        )
        column = table["t"]  # A child outlives its batch.
        del table
        gc.collect()
        self.assertEqual(column.to_pylist(), ["", None, "é\0x"])
        del column
        gc.collect()
        self.assertEqual(len(_arrow._alive), before)

    @unittest.skipUnless(has("pyarrow", "polars", "pandas"), "no frames")
    def test_all_ways_give_the_same_frames(self) -> None:
        import pandas as pd
        import polars as pl

        readers = ["sqlite3", "adbc"] if has("adbc_driver_sqlite") else ["sqlite3"]
        frames = []
        for reader in readers:
            with ck.open(LEVEL1, reader=reader) as h:  # type: ignore[arg-type]
                for name in ("nodes", "leaderboard", "directives", "samples"):
                    frame = h.views[name].pl()
                    self.assertTrue(frame.equals(pl.DataFrame(h.views[name])))
                    pandas = h.views[name].df()
                    self.assertEqual(len(pandas), len(frame))
                    empty = h.views[name](campaign="nobody's").df()
                    pd.testing.assert_series_equal(pandas.dtypes, empty.dtypes)
                    frames.append((name, frame))
        half = len(frames) // len(readers)
        for one, other in zip(frames[:half], frames[-half:], strict=True):
            self.assertTrue(one[1].equals(other[1]), one[0])
            self.assertEqual(one[1].schema, other[1].schema)


if __name__ == "__main__":
    unittest.main()
