#!/usr/bin/env python3
"""hidden_characters: a table in C++, as a class of a regular expression."""

import pathlib
import tempfile
import unittest
from unittest import mock

import hidden_characters

SOURCE = """\
constexpr Span kOthers[] = {{0x1, 0x2}};
constexpr Span kHidden[] = {
    {0x00AD, 0x00AD}, {0x200B, 0x200F},
};
bool IsHidden(char32_t character) {
  return (character & 0xFFFEU) == 0xFFFE;
}
"""


class HiddenCharactersTest(unittest.TestCase):
    def test_spans_are_those_of_the_table_and_the_last_of_each_plane(self):
        spans = hidden_characters.spans(SOURCE)
        self.assertEqual(spans[:3], [(0xAD, 0xAD), (0x200B, 0x200F),
                                     (0xFFFE, 0xFFFF)])
        self.assertEqual(spans[-1], (0x10FFFE, 0x10FFFF))
        self.assertEqual(len(spans), 2 + 17)

    def test_a_source_without_the_table_or_the_rule_is_refused(self):
        for source in (SOURCE.replace("kHidden", "kShown"),
                       SOURCE.replace("0xFFFEU", "0xFFFFU")):
            with self.assertRaisesRegex(SystemExit, "not as this script"):
                hidden_characters.spans(source)

    def test_the_class_is_cut_into_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "hidden_characters.cc"
            file.write_text(SOURCE)
            with mock.patch.object(hidden_characters, "SOURCE", file):
                text = hidden_characters.generate()
        first, second = text.splitlines()[3:5]
        self.assertTrue(first.startswith(
            "  '\\\\u{ad}\\\\u{200b}-\\\\u{200f}\\\\u{fffe}-\\\\u{ffff}"))
        self.assertTrue(first.endswith("' +"))
        self.assertTrue(second.startswith("  '\\\\u{"))
        longest = max(len(line) for line in text.splitlines()[3:])
        self.assertLessEqual(longest, hidden_characters.WIDTH + len("  '' +"))


if __name__ == "__main__":
    unittest.main()
