#!/usr/bin/env python3
"""Tests of check_prose.py, figures and terminal_picture.py, on small documents."""

import importlib.machinery
import importlib.util
import pathlib
import re
import tempfile
import unittest

import check_prose
import terminal_picture

FIGURES = pathlib.Path(__file__).resolve().parent / "figures"


def load_figures():
    loader = importlib.machinery.SourceFileLoader("figures", str(FIGURES))
    spec = importlib.util.spec_from_loader("figures", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


figures = load_figures()


class FakeProgram(check_prose.Program):
    HELPS = {("help",): "usage: coppice VERB\n\nsearch\n  run TASK...  search\n"
                        "  db ACTION  check\n",
             ("run", "--help"): "  --budget N  all\n  --budget-s SECONDS  time\n",
             ("db", "--help"): "usage\n\nactions\n  doctor  check\n\nmore\n",
             ("db", "doctor", "--help"): "  --json  as JSON\n"}

    def __init__(self):
        super().__init__("coppice")

    def ask(self, *arguments):
        return self.HELPS.get(arguments, "")


class Prose(unittest.TestCase):
    def breaches(self, text, name="docs/x.md"):
        return list(check_prose.check_prose(name, text))

    def test_sentences_are_counted_without_code_tables_and_headings(self):
        text = ("# A heading of many words that do not count here\n\n"
                "One two three. Four `a b c` six.\n\n"
                "    code that is indented is no prose\n\n"
                "| a | table |\n|---|---|\n\n"
                "```\nnor is what is fenced\n```\n"
                "- An item is a paragraph.\n")
        self.assertEqual(check_prose.paragraphs(text),
                         ["One two three. Four `a b c` six.",
                          "An item is a paragraph."])
        self.assertEqual(
            [len(check_prose.words(s)) for p in check_prose.paragraphs(text)
             for s in check_prose.sentences(p)], [3, 3, 5])

    def test_long_sentences_and_paragraphs_are_breaches(self):
        self.assertEqual(self.breaches("Word " * 17 + "end.\n"), [])
        self.assertRegex(self.breaches("Word " * 18 + "end.\n")[0],
                         "sentences have 19.0 words")
        self.assertRegex(self.breaches("Two words. " * 51 + "\n")[0],
                         "a paragraph of 102 words")

    def test_readme_is_short(self):
        self.assertEqual(self.breaches("\n" * 120, "README.md"), [])
        self.assertRegex(self.breaches("\n" * 121, "README.md")[0],
                         "121 lines")

    def test_links_lead_to_files_headings_and_paths(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "docs" / "a.md").write_text("# One `two` three: four\n")
            text = ("[good](a.md#one-two-three-four) [web](https://x.org)\n"
                    "[bad](a.md#five) [gone](b.md) `docs/a.md` `docs/c.md`\n")
            self.assertEqual(
                list(check_prose.check_links("docs/x.md", text, root)),
                ["docs/x.md: links to a.md#five, which has no such heading",
                 "docs/x.md: links to b.md, which is not there",
                 "docs/x.md: names docs/c.md, which is not there"])

    def test_commands_are_those_of_the_program(self):
        text = ("    coppice run TASK --budget 3     # not --this\n"
                "    coppice run TASK --budge 3\n"
                "    coppice runn TASK\n"
                "```console\n$ coppice db doctor --json\n$ coppice db nurse\n```\n"
                "    coppice db doctor --csv\n"
                "`--budget-s` and `--bugdet` and `coppice VERB`\n")
        self.assertEqual(
            list(check_prose.check_commands("x", text, FakeProgram())),
            ["x: `coppice run` has no --budge", "x: `coppice runn` is no verb",
             "x: `coppice db doctor` has no --csv",
             "x: `coppice db nurse` is no action", "x: no verb has --bugdet"])


class Figures(unittest.TestCase):
    TABLE = ("task  node     speedup (95 %)\na      3 ~  2.50x (2.40-2.61)\n"
             "b       12  9.9x (8.3-12.0)\n\nend\n")

    def test_commands_may_go_on_over_lines(self):
        body = '$ one "a\n  b"\nprinted\n$ two \\\n  three\nprinted\n'
        self.assertEqual(figures.commands_of(body),
                         ['one "a\n  b"', "two \\\n  three"])

    def test_winners_are_read_from_both_kinds_of_table(self):
        self.assertEqual(figures.winners(self.TABLE),
                         {"a": (3, "2.50"), "b": (12, "9.9")})
        box = ("┌──────┬──────┬─────────┐\n│ task │ node │ speedup │\n"
               "├──────┼──────┼─────────┤\n│ a    │ 3    │ 2.5     │\n"
               "│ b    │ 12   │ 10.0    │\n└──────┴──────┴─────────┘\n")
        self.assertEqual(figures.winners(box),
                         {"a": (3, "2.5"), "b": (12, "10.0")})

    def test_a_speedup_is_the_same_to_the_digits_that_are_shown(self):
        self.assertTrue(figures.is_same((3, "2.5"), (3, "2.46")))
        self.assertFalse(figures.is_same((3, "2.5"), (3, "2.43")))
        self.assertFalse(figures.is_same((3, "2.5"), (4, "2.5")))
        self.assertTrue(figures.is_same((3, "120"), (3, "117.3")))
        self.assertFalse(figures.is_same((3, "120"), (3, "114.3")))
        self.assertFalse(figures.is_same(None, (3, "2.5")))

    def test_another_winner_than_readmes_is_wrong(self):
        figures.hold_against_readme("x", self.TABLE, self.TABLE)
        other = self.TABLE.replace(" 3 ~", " 4 ~")
        with self.assertRaisesRegex(figures.Wrong, "x: of a it names"):
            figures.hold_against_readme("x", other, self.TABLE)
        missing = re.sub("b .*\n", "", self.TABLE)
        with self.assertRaisesRegex(figures.Wrong, "x: of b it names None"):
            figures.hold_against_readme("x", missing, self.TABLE)


class TerminalPicture(unittest.TestCase):
    def test_colours_become_classes(self):
        self.assertEqual(
            terminal_picture.spans("a \x1b[1;32mb\x1b[0m c"),
            [("a ", set()), ("b", {"b", "g"}), (" c", set())])

    def test_what_it_cannot_draw_is_an_error(self):
        self.assertIn("<title>t</title>", terminal_picture.draw("ab", 2, "t"))
        for text in ("abc", "\x1b[2K", "\x1b[45mx"):
            with self.assertRaises(ValueError):
                terminal_picture.draw(text, 2, "t")


if __name__ == "__main__":
    unittest.main()
