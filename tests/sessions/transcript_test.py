#!/usr/bin/env python3
"""A transcript that is not kept must be noticed, and one that is must not."""

import unittest

import transcript


def turns(text):
    return transcript.parse(text).turns


class ParsingTest(unittest.TestCase):
    def test_a_turn_is_a_command_with_its_screen_and_its_end(self):
        first, second = turns("# Somebody.\n"
                              "\n"
                              "$ cat > a <<'END'\n"
                              "> text\n"
                              "> END\n"
                              "\n"
                              "$ false\n"
                              "one\n"
                              "\n"
                              "two\n"
                              "@ exit 1\n"
                              "\n")
        self.assertEqual(first.actions, [("enter", "cat > a <<'END'"),
                                         ("enter", "text"), ("enter", "END")])
        self.assertEqual((first.expected_at(60), first.exits), ([], (0,)))
        self.assertEqual(second.expected_at(60), ["one", "", "two"])
        self.assertEqual((second.exits, second.first_line), ((1,), 7))

    def test_what_is_typed_goes_on_until_it_is_entered(self):
        first, second = turns("@ type ech\n@ key Tab\n@ type o a\n@ key Enter\n"
                              "a\n"
                              "@ type rm\n@ key C-c\n@ exit 130\n")
        self.assertEqual(first.actions, [("type", "ech"), ("key", "Tab"),
                                         ("type", "o a"), ("key", "Enter")])
        self.assertEqual(second.actions, [("type", "rm"), ("key", "C-c")])

    def test_a_line_may_be_shown_at_one_width_only(self):
        turn, = turns("$ x\nboth\n[60] narrow\n[120] wide\n")
        self.assertEqual(turn.expected_at(60), ["both", "narrow"])
        self.assertEqual(turn.expected_at(120), ["both", "wide"])

    def test_an_end_may_hang_on_what_is_measured(self):
        turn, = turns("$ coppice eval\n@ exit 0 or 3\n")
        self.assertEqual(turn.exits, (0, 3))

    def test_what_cannot_be_read_is_named_by_line(self):
        for text, line in (("hello\n$ x\n", "1: "), ("$ x\n@ sleep 1\n", "2: ")):
            with self.assertRaisesRegex(transcript.Malformed, "^" + line):
                transcript.parse(text)


class MatchingTest(unittest.TestCase):
    def expect(self, is_match, line, *others):
        for other in others:
            self.assertEqual(transcript.matches([line], [other]), is_match,
                             other)

    def test_placeholders_stand_for_what_varies_and_no_more(self):
        self.expect(True, "in {time}", "in 3 us", "in 4.41 ms", "in 1e+03 s")
        self.expect(False, "in {time}", "in 3", "in soon", "in 3 us.", "3 us")
        self.expect(True, "{speedup}", "1x", "69.3x", "53x (48-60)", "4x (?)")
        self.expect(False, "{speedup}", "x", "1.00", "-1.00x")
        self.expect(True, "{number}", "12", "-1.5", "1,000")
        self.expect(False, "{number}", "12x", "")
        self.expect(True, "{passed|unclear}: x", "passed: x", "unclear: x")
        self.expect(False, "{passed|unclear}: x", "crashed: x", "passed|unclear: x")
        self.expect(True, "if (x) { a | b }", "if (x) { a | b }")
        self.expect(True, "a{...}c", "ac", "abc")
        self.expect(False, "a{...}c", "ab")
        self.expect(False, "1.5", "1x5")

    def test_columns_may_move_and_words_may_not(self):
        self.expect(True, "a  b", "a  b", "a      b")
        self.expect(False, "a  b", "a b")
        self.expect(False, "a b", "a  b")

    def test_any_lines_are_any_number_of_lines(self):
        expected = ["a", "{...}", "z"]
        for got in (["a", "z"], ["a", "b", "c", "z"]):
            self.assertTrue(transcript.matches(expected, got))
        for got in (["a"], ["a", "z", "y"], ["b", "z"]):
            self.assertFalse(transcript.matches(expected, got))

    def test_a_difference_shows_what_is_missing_and_what_came(self):
        self.assertEqual(
            transcript.difference(["a", "took {time}", "{...}", "d", "e"],
                                  ["a", "took 3 us", "x", "y", "d", "f"]),
            ["  a", "  took 3 us", "  x", "  y", "  d", "- e", "+ f"])


class LiveLineTest(unittest.TestCase):
    def test_a_line_that_was_left_is_told_from_the_last_one(self):
        rows = ["$ coppice run", "a.s1: root runs in 3 us",
                "a.s1: 10/30 attempts, best 2.00x",
                "a.s1: 30/30 attempts, best 2.00x",
                "b.s1: 30/30 attempts, best 2.00x"]
        self.assertEqual(transcript.dead_lines(rows, 60), [rows[2]])

    def test_a_line_that_fills_its_row_was_wrapped(self):
        row = "a.s1: 30/30 attempts, best 2.00x"
        self.assertEqual(transcript.dead_lines([row], len(row)), [row])
        self.assertEqual(transcript.dead_lines([row], len(row) + 1), [])

    def test_what_stood_when_ctrl_c_was_typed_stays(self):
        rows = ["a.s1: 3/30 attempts, best 2.00x^C", "stopping",
                "a.s1: 4/30 attempts, best 2.00x"]
        self.assertEqual(transcript.dead_lines(rows, 60), [])
        self.assertEqual(transcript.dead_lines(rows, len(rows[0])), [rows[0]])


class RecordingTest(unittest.TestCase):
    def test_times_become_placeholders_where_they_differ(self):
        self.assertEqual(
            transcript.merged({60: ["root runs in 3 us", "12 nodes", "short"],
                               120: ["root runs in 41 us", "12 nodes", "wide"]}),
            ["root runs in {time}", "12 nodes", "[60] short", "[120] wide"])

    def test_words_of_the_transcript_are_kept_where_they_fit(self):
        self.assertEqual(
            transcript.merged({60: ["in 3 us", "a"], 120: ["in 3 us", "a"]},
                              ["in {time}"]), ["in {time}", "a"])

    def test_what_still_holds_is_left_as_it_was_written(self):
        turn, = turns("$ x\ntook {time}\n@ note Slow.\n@ exit 2\n\n")
        self.assertEqual(
            transcript.recorded(turn, {60: ["took 3 us"], 120: ["took 4 s"]},
                                3, coloured=False),
            ["$ x", "took {time}", "@ note Slow.", "@ exit 3", ""])
        self.assertEqual(
            transcript.recorded(turn, {60: ["no"], 120: ["no"]}, 0,
                                coloured=True),
            ["$ x", "@ note Slow.", "no", "@ colours", ""])


if __name__ == "__main__":
    unittest.main()
