#!/usr/bin/env python3
"""terminal_picture: what a terminal shows, as an SVG."""

import unittest

import terminal_picture


class SpansTest(unittest.TestCase):
    def test_colours_hold_until_they_are_taken_back(self):
        for line, parts in (
                ("plain", [("plain", set())]),
                ("\x1b[1ma\x1b[0mb", [("a", {"b"}), ("b", set())]),
                ("\x1b[1;32ma\x1b[39mb", [("a", {"b", "g"}), ("b", {"b"})]),
                ("\x1b[2;31ma\x1b[22mb", [("a", {"d", "r"}), ("b", {"r"})]),
                ("\x1b[31ma\x1b[mb", [("a", {"r"}), ("b", set())]),
                ("\x1b[1m\x1b[0m", [])):
            self.assertEqual(terminal_picture.spans(line), parts, repr(line))

    def test_a_colour_that_nobody_knows_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "unknown colour 95"):
            terminal_picture.spans("\x1b[95ma")


class DrawTest(unittest.TestCase):
    def test_each_part_is_as_wide_as_its_columns(self):
        # 8.4 pixels a column behind 14 of margin, 18 a line.
        svg = terminal_picture.draw("ab\x1b[32mcd\x1b[0m\n\ne\n", 10, "<t>")
        self.assertIn('<text y="28"><tspan x="14.0" textLength="16.8">ab'
                      '</tspan><tspan x="30.8" textLength="16.8" class="g">cd'
                      "</tspan></text>", svg)
        self.assertIn('<text y="64"><tspan x="14.0" textLength="8.4">e', svg)
        self.assertNotIn('<text y="46">', svg)  # A line of nothing.
        self.assertIn('width="112" height="82"', svg)
        self.assertIn("<title>&lt;t&gt;</title>", svg)

    def test_text_is_text(self):
        self.assertIn(">&lt;a&gt; &amp; \"</tspan>",
                      terminal_picture.draw('<a> & "', 20, "t"))

    def test_what_cannot_be_drawn_truly_is_not_drawn(self):
        for text, why in (("ab\nabc", "line 2: 3 columns"),
                          ("a\x1b[2Kb", "line 1: an unknown sequence"),
                          ("a\rb", "line 1: an unknown sequence")):
            with self.assertRaisesRegex(ValueError, why):
                terminal_picture.draw(text, 2, "t")


if __name__ == "__main__":
    unittest.main()
