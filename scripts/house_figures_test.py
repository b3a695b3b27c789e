#!/usr/bin/env python3
"""house_figures and include_graph: what is counted of trees that are texts."""

import collections
import pathlib
import tempfile
import unittest

import house_figures
import include_graph

Path = pathlib.PurePosixPath


class TreeTest(unittest.TestCase):
    """Of files that each test writes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def tree(self, files):
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        return house_figures.Tree(self.root, files)

    def test_tests_are_counted_beside_the_code_of_their_room(self):
        tree = self.tree({
            "store/a.cc": "1\n2\n3\n", "store/a_test.cc": "1\n",
            "store/read/b.h": "1\n", "store/read/fake_cuda.h": "1\n2\n",
            "tests/c.cc": "1\n", "python/p/a.py": "1\n2\n",
            "python/tests/test_a.py": "1\n", "page/test/a.mjs": "1\n2\n",
            "page/src/a.svelte": "1\n", "scripts/a.py": "1\n",
            "scripts/a_test.py": "1\n2\n"})
        self.assertEqual(house_figures.lines_by_room(tree), {
            "store": [3, 1], "store/read": [1, 2], "tests": [0, 1],
            "python": [2, 1], "page": [1, 2], "scripts": [1, 2]})

    def test_what_others_wrote_or_a_program_made_is_not_counted(self):
        tree = self.tree({"data/a.cc": "1\n", "page/dist/a.js": "1\n",
                          "docs/a.md": "Text.\n", "README.md": "Text.\n",
                          "a/b.md": "Text.\n", "c.txt": "1\n"})
        self.assertEqual(tree.sources, [])
        self.assertEqual(list(map(str, tree.documents)),
                         ["README.md", "docs/a.md"])

    def test_a_name_of_two_types_is_a_twin(self):
        figures, twins = house_figures.type_figures(self.tree({
            "store/a.h": "struct Row {\n};\nenum class Kind : int {\n};\n",
            "store/b.h": "class Row final {\n};\nclass Row;\n",
            "store/c.h": "  struct Inner {\n  };\nclass [[nodiscard]] Held {\n}"
                         ";\n"}))
        self.assertEqual(figures["names of types"], 3)
        self.assertEqual(twins, {"Row": ["store/a.h", "store/b.h"]})

    def test_a_block_of_comments_is_counted_by_its_first_word(self):
        figures = house_figures.comment_figures(self.tree({
            "store/a.cc": "// Of a node.\n// That is the second line.\nint a;\n"
                          "// Often.\nint b;  // Of no block.\n",
            "scripts/a.py": "# That one.\nx = 1\n"}))
        self.assertEqual(figures, {
            "comment blocks": 3, 'that begin with "Of"': 1,
            'that begin with "That"': 1, 'that begin with "Likewise"': 0})

    def test_a_sentence_has_so_many_words(self):
        figures = house_figures.document_figures(self.tree({
            "README.md": "# A title\n\nOne two three. One two three four "
                         "five.\n\n```\n# no title\n```\n",
            "CHANGELOG.md": "# Left out\n\nOne.\n"}))
        self.assertEqual(figures, {"sections of documents": 1, "sentences": 2,
                                   "words a sentence": 4.0})

    def test_includes_are_of_headers_that_are_there(self):
        self.tree({"store/a.cc": '#include "store/a.h"\n#include <vector>\n'
                                 '#include "gone/x.h"\n// "store/b.h"\n',
                   "store/a.h": '#  include "store/read/b.h"\n',
                   "store/read/b.h": ""})
        files = include_graph.includes(self.root, ("store",))
        self.assertEqual(files, {
            Path("store/a.cc"): [Path("store/a.h")],
            Path("store/a.h"): [Path("store/read/b.h")],
            Path("store/read/b.h"): []})
        self.assertEqual(include_graph.directory_arrows(files), {
            ("store", "store/read"): [(Path("store/a.h"),
                                       Path("store/read/b.h"))]})

    def test_ranks_are_of_what_is_there(self):
        self.assertEqual(house_figures.at_rank([3, 1, 2], 0.5), 2)
        self.assertEqual(house_figures.at_rank([3, 1, 2], 0.95), 3)
        self.assertEqual(house_figures.at_rank([7], 1.0), 7)

    def test_a_table_has_a_column_for_each_state(self):
        def state(count, rooms):
            return {"figures": {"files": count, "functions": None},
                    "rooms": rooms}

        self.assertEqual(house_figures.table(
            {"old": state(1234, {"a": [10, 5], "gone": [4, 0]}),
             "new": state(2, {"a": [10, 7], "python": [0, 3],
                              "tests": [0, 9]})}),
            "| figure | old | new |\n|---|---|---|\n"
            "| files | 1,234 | 2 |\n| functions | not counted | not counted |\n"
            "\n| folder | old | new |\n|---|---|---|\n"
            "| `a` | 10 + 5 = 0.50 | 10 + 7 = 0.70 |\n"
            "| gone | 4 + 0 = 0.00 |  |\n"
            "| `python` (new) |  | 0 + 3 |\n")


class GraphTest(unittest.TestCase):
    GRAPH = {"a": {"b"}, "b": {"c", "d"}, "c": {"b"}, "d": set()}

    def test_what_is_reached_has_its_start_only_along_a_cycle(self):
        self.assertEqual(include_graph.reached(self.GRAPH, "a"),
                         {"b", "c", "d"})
        self.assertEqual(include_graph.reached(self.GRAPH, "b"),
                         {"b", "c", "d"})
        self.assertEqual(include_graph.reached(self.GRAPH, "x"), set())

    def test_a_cycle_is_found_once_and_one_alone_is_none(self):
        self.assertEqual(include_graph.cycles(self.GRAPH), [["b", "c"]])
        self.assertEqual(include_graph.cycles({"a": {"a"}}), [])

    def test_a_storey_is_above_all_that_it_leads_to(self):
        self.assertEqual(include_graph.floors(self.GRAPH),
                         {"a": 2, "b": 1, "c": 1, "d": 0})
        self.assertEqual(include_graph.floors({}), {})

    def test_neighbours_are_all_targets(self):
        graph = include_graph.neighbours([("a", "b"), ("a", "c"), ("b", "c")])
        self.assertIsInstance(graph, collections.defaultdict)
        self.assertEqual(dict(graph), {"a": {"b", "c"}, "b": {"c"}})

    def test_a_test_is_told_by_its_name_or_its_folder(self):
        for name, is_one in (
                ("store/a_test.cc", True), ("tests/a.cc", True),
                ("eval/torch/fake_cuda.cc", True), ("store/scratch.h", True),
                ("engine/scratch.h", False), ("store/test_a.cc", False)):
            self.assertEqual(include_graph.is_test(Path(name)), is_one, name)


if __name__ == "__main__":
    unittest.main()
