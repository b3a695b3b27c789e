#!/usr/bin/env python3
"""check_layers.py must find every planted breach, and nothing else."""

import pathlib
import subprocess
import tempfile
import unittest

import check_layers


class IncludesTest(unittest.TestCase):
    def breaches(self, path, text):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            (root / path).parent.mkdir(parents=True)
            (root / path).write_text(text)
            return list(check_layers.check_includes(root))

    def expect_legal(self, path, text):
        self.assertEqual(self.breaches(path, text), [])

    def expect_breach(self, path, text, what):
        found = self.breaches(path, text)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"{path}:1: "), found)
        self.assertIn(what, found[0])

    def test_everybody_includes_itself_and_the_records(self):
        for folder in ("agents", "config", "eval", "search", "store"):
            self.expect_legal(f"{folder}/a.cc",
                              f'#include "{folder}/a.h"\n'
                              '#include "store/records/result.h"\n'
                              "#include <vector>\n")

    def test_siblings_never_meet(self):
        for folder in ("agents", "config", "eval", "search", "store"):
            for other in ("agents", "config", "eval", "search", "store"):
                if other != folder:
                    self.expect_breach(f"{folder}/a.cc",
                                       f'#include "{other}/b.h"\n',
                                       f'{folder} may not include "{other}')

    def test_rooms_of_the_evaluator_look_down_only(self):
        self.expect_legal("eval/torch/a.cc", '#include "eval/cuda/b.h"\n')
        self.expect_legal("eval/a.cc", '#include "eval/torch/b.h"\n')
        self.expect_breach("eval/judge/a.cc", '#include "eval/cpu/b.h"\n',
                           'eval/judge may not include "eval/cpu/b.h"')
        self.expect_breach("eval/cuda/a.cc", '#include "eval/cpu/b.h"\n',
                           'eval/cuda may not include "eval/cpu/b.h"')
        self.expect_breach("eval/torch/a.cc", '#include "eval/b.h"\n',
                           'eval/torch may not include "eval/b.h"')

    def test_nobody_includes_the_engine_but_tests(self):
        self.expect_breach("store/a.cc", '#include "engine/b.h"\n', "engine")
        self.expect_legal("tests/a_test.cc", '#include "engine/b.h"\n')

    def test_tests_beside_code_keep_to_the_layers(self):
        self.expect_breach("search/a_test.cc", '#include "store/b.h"\n',
                           "search may not include")

    def test_the_engine_includes_everything(self):
        self.expect_legal("engine/cli/a.cc", "".join(
            f'#include "{folder}/b.h"\n' for folder in
            ("agents", "config", "engine", "eval", "search", "store")))

    def test_records_know_nothing_of_the_store(self):
        self.expect_breach("store/records/a.h", '#include "store/write/nodes.h"\n',
                           "store/records may not include")

    def test_paths_are_written_from_the_root(self):
        self.expect_breach("store/a.cc", '#include "a.h"\n', "root")

    def test_third_parties_have_one_owner(self):
        for header, owner, other in (
                ("sqlite3.h", "store", "engine"),
                ("SQLiteCpp/Database.h", "store", "engine"),
                ("curl/curl.h", "agents", "eval"),
                ("nlohmann/json.hpp", "eval", "search"),
                ("boost/program_options.hpp", "config", "agents"),
                ("seccomp.h", "eval", "engine")):
            self.expect_legal(f"{owner}/a.cc", f"#include <{header}>\n")
            self.expect_breach(f"{other}/a.cc", f"#include <{header}>\n",
                               f"{other} may not include <{header}>")

    def test_an_unknown_library_needs_an_owner(self):
        self.expect_breach("engine/a.cc", "#include <fmt/format.h>\n",
                           "no owner")

    def test_json_stays_out_of_headers(self):
        self.expect_breach("eval/a.h", "#include <nlohmann/json.hpp>\n",
                           "belongs in a .cc file")

    def test_search_does_no_input_or_output(self):
        self.expect_breach("search/a.cc", "#include <fstream>\n", "fstream")
        self.expect_breach("search/a.cc", "#include <unistd.h>\n", "unistd")

    def test_clocks_and_entropy_are_passed_in(self):
        self.expect_breach("search/a.cc", "#include <random>\n", "random")
        self.expect_breach("store/a.cc", "#include <chrono>\n", "chrono")
        self.expect_breach("eval/a.cc", "auto t = system_clock::now();\n",
                           "system_clock")
        self.expect_legal("eval/a.cc", "auto t = steady_clock::now();\n")
        self.expect_legal("eval/a.cc", "// Not system_clock: it may jump.\n")

    def test_tests_may_use_all_of_the_standard_library(self):
        self.expect_legal("search/a_test.cc", "#include <gtest/gtest.h>\n"
                          "#include <fstream>\n#include <random>\n")
        self.expect_breach("search/a_test.cc", "#include <sqlite3.h>\n",
                           "sqlite3")

    def test_product_code_has_no_gtest(self):
        self.expect_breach("store/a.cc", "#include <gtest/gtest.h>\n", "gtest")


class CirclesTest(unittest.TestCase):
    # Three directories in a circle: a -> a/b twice, a/b -> c, c -> a.
    ARROWS = {("a", "a/b"): [("a/1.cc", "a/b/2.h"), ("a/3.cc", "a/b/2.h")],
              ("a/b", "c"): [("a/b/2.h", "c/4.h")],
              ("c", "a"): [("c/4.h", "a/5.h")]}

    def test_a_circle_is_shown_where_it_is_thinnest(self):
        self.assertEqual(
            list(check_layers.check_circles(self.ARROWS)),
            ['a/b/2.h: "c/4.h" closes a circle of a, a/b, c'])

    def test_arrows_that_lead_one_way_are_no_circle(self):
        one_way = {arrow: made_of for arrow, made_of in self.ARROWS.items()
                   if arrow != ("c", "a")}
        self.assertEqual(list(check_layers.check_circles(one_way)), [])

    def test_a_directory_and_one_inside_it_are_two(self):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            (root / "eval" / "cuda").mkdir(parents=True)
            (root / "eval" / "a.h").write_text('#include "eval/cuda/b.h"\n')
            (root / "eval" / "cuda" / "b.h").write_text(
                '#include "eval/a.h"\n')
            arrows = check_layers.include_graph.directory_arrows(
                check_layers.include_graph.includes(root))
            self.assertEqual(len(list(check_layers.check_circles(arrows))), 1)


class SymbolsTest(unittest.TestCase):
    def breaches(self, library, call):
        """What is found in a library whose one function calls `call`."""
        with tempfile.TemporaryDirectory() as directory:
            build = pathlib.Path(directory)
            folder = build / library
            folder.mkdir()
            (folder / "a.cc").write_text(
                f'extern "C" int {call}();\nint F() {{ return {call}(); }}\n')
            subprocess.run(["c++", "-c", "a.cc"], cwd=folder, check=True)
            subprocess.run(["ar", "rc", f"lib{library}.a", "a.o"], cwd=folder,
                           check=True)
            return list(check_layers.check_symbols(build))

    def test_each_foreign_function_has_one_caller(self):
        for call, owner in (("sqlite3_open", "store"),
                            ("curl_easy_init", "agents"),
                            ("seccomp_load", "eval")):
            self.assertEqual(self.breaches(owner, call), [])
            found = self.breaches("search", call)
            self.assertEqual(len(found), 1, found)
            self.assertIn(f"only lib{owner}.a may call {call}", found[0])

    def test_a_directory_without_libraries_is_no_pass(self):
        with tempfile.TemporaryDirectory() as directory:
            found = list(check_layers.check_symbols(pathlib.Path(directory)))
            self.assertEqual(len(found), 1)
            self.assertIn("build first", found[0])


class ProvidersTest(unittest.TestCase):
    def breaches(self, files):
        files = {check_layers.OWN_PROVIDERS:
                 'kOwnProviders[] = {\n    {.name = "exec",\n',
                 check_layers.LISTED_PROVIDERS:
                 '{"providers": [{"name": "openai"}]}', **files}
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return list(check_layers.check_providers(root))

    def test_no_provider_is_named_outside_its_table(self):
        for path, line in (("config/a.cc", 'x == "openai"'),
                           ("engine/cli/a.h", 'Add("exec:", help);'),
                           ("python/a.py", 'agent = "openai"')):
            found = self.breaches({path: f"\n{line}\n"})
            self.assertEqual(len(found), 1, found)
            self.assertTrue(found[0].startswith(f"{path}:2: "), found)

    def test_tests_comments_and_other_words_may_name_them(self):
        self.assertEqual(self.breaches({
            "config/a_test.cc": 'x == "openai"',
            "tests/a.cc": 'x == "openai"',
            "python/tests/test_a.py": 'agent = "openai"',
            "config/a.cc": 'int x;  // "openai", ...\n"as openai:MODEL"',
            "store/python_tokens.cc": '{"eval", "exec"}'}), [])

    def test_an_exception_that_nobody_needs_is_told(self):
        found = self.breaches({"store/python_tokens.cc": '{"eval"}'})
        self.assertEqual(len(found), 1, found)
        self.assertIn('says "exec" no more', found[0])


if __name__ == "__main__":
    unittest.main()
