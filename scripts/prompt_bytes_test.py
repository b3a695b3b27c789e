#!/usr/bin/env python3
"""prompt_bytes and prompt_pages: prompts that are texts, taken apart."""

import sqlite3
import unittest

import prompt_bytes
import prompt_pages

SAME = "You improve kernels.\n"
USER = SAME + """\
# Attempts so far
| node | speedup |
# Latest attempt
````text
# Your role
```
````
# Fastest of all
fast é
# Another heading
goes on
# Your role
Plan.
"""


def prompt(user=USER, same=SAME):
    return {"system": "Be brief.", "user": user, "stable_bytes": len(same)}


class PromptBytesTest(unittest.TestCase):
    def test_parts_begin_at_their_headings(self):
        parts = prompt_bytes.parts(prompt())
        self.assertEqual(parts["system"], "Be brief.")
        self.assertEqual(parts["same"], SAME)
        self.assertEqual(parts["table"],
                         "# Attempts so far\n| node | speedup |\n")
        self.assertEqual(parts["role"], "# Your role\nPlan.\n")
        self.assertEqual(parts["others"], "")

    def test_a_heading_within_a_fence_is_text(self):
        self.assertEqual(
            prompt_bytes.parts(prompt())["latest"],
            "# Latest attempt\n````text\n# Your role\n```\n````\n")

    def test_an_unknown_heading_goes_on_with_the_part_before_it(self):
        self.assertEqual(prompt_bytes.parts(prompt())["fastest"],
                         "# Fastest of all\nfast é\n# Another heading\n"
                         "goes on\n")

    def test_text_before_the_first_known_heading_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "without a known heading"):
            prompt_bytes.parts(prompt(SAME + "# Whatever\n"))

    def test_sizes_are_bytes_and_add_up(self):
        sizes = prompt_bytes.sizes(prompt())
        # 17, 8 with an é of two bytes, 18 and 8, each with its end of line.
        self.assertEqual(sizes["fastest"], 17 + 8 + 18 + 8)
        self.assertEqual(sizes["all"], len("Be brief.") + len(USER.encode()))

    def test_the_first_ten_campaigns_are_asked_for_by_name(self):
        with sqlite3.connect(":memory:") as connection:
            connection.execute("CREATE TABLE campaign (name TEXT)")
            connection.executemany("INSERT INTO campaign VALUES (?)",
                                   [(f"c{i:02}",) for i in range(12, 0, -1)])
            self.assertEqual(prompt_bytes.campaigns(connection),
                             [f"c{i:02}" for i in range(1, 11)])


class PromptPagesTest(unittest.TestCase):
    def test_a_fence_is_longer_than_any_within(self):
        self.assertEqual(prompt_pages.block("a ````` b\n\n"),
                         "``````text\na ````` b\n``````\n")
        self.assertEqual(prompt_pages.block("plain"),
                         "````text\nplain\n````\n")

    def test_campaigns_without_a_failure_show_plan_and_code_in_turn(self):
        with sqlite3.connect(":memory:") as connection:
            connection.executescript("""
                CREATE TABLE campaign (name TEXT);
                INSERT INTO campaign VALUES ('a'), ('b'), ('c'), ('d');
                CREATE TABLE nodes (campaign TEXT, node INT, parent INT,
                                    verdict TEXT, advice TEXT);
                INSERT INTO nodes VALUES
                  ('a', 0, NULL, 'passed', ''), ('a', 1, 0, 'passed', 'tile'),
                  ('b', 0, NULL, 'passed', ''),
                  ('b', 1, 0, 'inconclusive', 'tile'),
                  ('b', 2, 0, 'crashed', 'tile'),
                  ('b', 3, 0, 'crashed', 'tile'),
                  ('c', 0, NULL, 'passed', ''), ('c', 1, 0, 'passed', 'tile'),
                  ('c', 2, 1, 'passed', 'unroll'), ('c', 3, 0, 'passed', ''),
                  ('d', 0, NULL, 'passed', '');
            """)
            # What is inconclusive has not failed; node 3 of c has no plan.
            self.assertEqual(list(prompt_pages.occasions(connection)), [
                ("a", "best", "plan"), ("b", "2", "debug"),
                ("c", "1", "code"), ("d", "best", "plan")])


if __name__ == "__main__":
    unittest.main()
