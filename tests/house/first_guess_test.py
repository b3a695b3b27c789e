#!/usr/bin/env python3
"""Tests that first_guess.py counts as it says, and its list is about this tree."""

import unittest

import first_guess


class FirstGuessTest(unittest.TestCase):
    ROWS = [["1", "Where it waits.", "engine/wait.h"],
            ["2", "Where it counts.", "store/count.h"],
            ["3", "Where it draws.", "page/src/draw.ts"]]

    def test_a_header_its_source_and_its_test_are_one_place(self):
        self.assertEqual(first_guess.score(self.ROWS, [
            "1\tengine/wait_test.cc", "2\tstore/count.cc ",
            "3\tpage/src/draw.ts"])[0],
            "3 of 3 found; of 0 that were not, 0 in the right folder")

    def test_no_answer_and_another_file_are_misses(self):
        report = first_guess.score(self.ROWS, ["1\tengine/count.h",
                                               "2\tagents/count.h"])
        self.assertEqual(
            report[0],
            "0 of 3 found; of 3 that were not, 1 in the right folder")
        self.assertIn("guessed no answer", report[3])

    def test_a_sentence_does_not_name_its_file(self):
        self.assertEqual(
            first_guess.without_paths("It waits (`engine/wait.h`), and "
                                      "`store/count.h` counts."),
            "It waits, and ... counts.")

    def test_all_forty_are_in_this_tree_and_no_file_is_asked_for_twice(self):
        places = set()
        for _, _, true in first_guess.questions():
            self.assertTrue((first_guess.ROOT / true).exists(), true)
            places.add(first_guess.place(true))
        self.assertEqual(len(places), 2 * first_guess.EACH)


if __name__ == "__main__":
    unittest.main()
