#!/usr/bin/env python3
"""What pictures.py draws of small trees and schemas."""

import pathlib
import tempfile
import unittest

import include_graph
import pictures


class RoomsTest(unittest.TestCase):
    # c stands on b alone, since what it includes of a lies below that.
    GRAPH = {"c": {"a", "b"}, "b": {"a"}, "d": {"a"}}

    def test_a_room_is_one_floor_above_its_highest(self):
        self.assertEqual(include_graph.floors(self.GRAPH),
                         {"a": 0, "b": 1, "d": 1, "c": 2})

    def test_rooms_of_a_circle_share_a_floor(self):
        self.assertEqual(
            include_graph.floors({"b": {"c", "a"}, "c": {"b"}, "d": {"c"}}),
            {"a": 0, "b": 1, "c": 1, "d": 2})

    def test_only_the_highest_rooms_below_are_shown(self):
        self.assertEqual(pictures.draw_rooms(self.GRAPH),
                         " 2  c(b)\n"
                         " 1  b(a)   d(a)\n"
                         " 0  a\n")

    def test_tests_and_backward_arrows_are_in_no_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, header in (("store/a.cc", "store/records/b.h"),
                                 ("store/a_test.cc", "engine/c.h"),
                                 ("engine/cli/d.cc", "engine/c.h"),
                                 ("engine/cli/main.cc", "engine/cli/d.h"),
                                 ("engine/cli/d.h", ""),
                                 ("engine/c.h", ""),
                                 ("store/records/b.h", "")):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(f'#include "{header}"\n')
            self.assertEqual(pictures.graph_of_rooms(root),
                             {"store": {"store/records"},
                              "engine/cli": {"engine"}})


class AttemptTest(unittest.TestCase):
    def test_a_table_stands_below_what_its_rows_name(self):
        records = ("enum class Stage : std::uint8_t {\n"
                   "  kReserved = 0,   // Parent chosen.\n};\n"
                   "enum class Other {\n  kNone = 0,  // No stage.\n};\n")
        schema = """
-- The work that yields one node.  More.
CREATE TABLE attempt (
  attempt_id INTEGER PRIMARY KEY
) STRICT;

CREATE TABLE node (  -- One candidate.
  attempt_id INTEGER REFERENCES attempt,
  node_id INTEGER PRIMARY KEY
) STRICT;
CREATE TABLE evaluation (
  node_id INTEGER REFERENCES node
) STRICT;
CREATE TABLE plan (  -- What was asked for.
  plan_id INTEGER PRIMARY KEY
) STRICT;
CREATE TABLE event (  -- Of no attempt.
  name TEXT
) STRICT;
"""
        self.assertEqual(pictures.draw_attempt(records, schema),
                         "stage reserved         Parent chosen.\n\n"
                         "attempt                "
                         "The work that yields one node\n"
                         "  node                 One candidate\n"
                         "    evaluation\n"
                         "plan                   What was asked for\n")


if __name__ == "__main__":
    unittest.main()
