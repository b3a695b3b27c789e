"""What the packages offer by name, and when it is loaded."""

import ast
import importlib
import pathlib
import subprocess
import sys
import types
import unittest

import coppice_kernels as ck
from coppice_kernels import rl

ROOT = pathlib.Path(__file__).parents[1]


def names_for_checkers(package: types.ModuleType) -> dict[str, str]:
    """By name where checkers of types are told that it lives."""
    assert package.__file__ is not None
    tree = ast.parse(pathlib.Path(package.__file__).read_text())
    told: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            for alias in node.names:
                told[alias.asname or alias.name] = node.module or ""
    return told


class NamesTest(unittest.TestCase):
    def test_checkers_of_types_are_told_what_is_true(self) -> None:
        for package, modules in ((ck, ck._MODULES), (rl, ())):
            told = names_for_checkers(package)
            self.assertEqual(
                told, {**package._HOMES, **dict.fromkeys(modules, "")}, package
            )

    def test_each_name_is_that_of_its_home(self) -> None:
        # Those of `rl` may need what is not installed.
        for name, home in ck._HOMES.items():
            module = importlib.import_module(f"coppice_kernels.{home}")
            self.assertIs(getattr(ck, name), getattr(module, name), name)
        for name in ck._MODULES:
            self.assertEqual(getattr(ck, name).__name__, f"coppice_kernels.{name}")

    def test_they_are_listed_before_they_are_loaded(self) -> None:
        code = "import coppice_kernels as ck; print(sorted(dir(ck)))"
        out = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT
        )
        listed = set(ast.literal_eval(out.stdout))
        self.assertLessEqual({*ck._HOMES, *ck._MODULES}, listed)
        self.assertLessEqual(set(rl._HOMES), set(dir(rl)))

    def test_a_name_that_there_is_not_is_an_attribute_error(self) -> None:
        for package in (ck, rl):
            with self.assertRaisesRegex(AttributeError, "has no attribute 'moon'"):
                package.moon  # noqa: B018

    def test_a_name_is_looked_up_once(self) -> None:
        self.assertIs(rl.discounted, rl.schemes.discounted)
        self.assertIn("discounted", vars(rl))

    def test_the_version_is_that_of_the_project(self) -> None:
        project = (ROOT / "pyproject.toml").read_text()
        self.assertIn(f'version = "{ck.__version__}"', project)


if __name__ == "__main__":
    unittest.main()
