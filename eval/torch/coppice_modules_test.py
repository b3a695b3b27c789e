"""Tests of coppice_modules.py: modules whose sources are texts."""

import importlib
import inspect
import sys
import traceback
import unittest

import coppice_modules
from coppice_modules import Finder, offer

SOURCES = {
    "own_main": "import own_pkg.deep.part as part\nVALUE = part.VALUE + 1\n",
    "own_pkg.__init__": "HERE = 'package'\n",
    "own_pkg.deep.part": "VALUE = 41\ndef fail():\n    return 1 / 0\n",
    "own_pkg.beside": "from .deep.part import VALUE\nfrom . import HERE\n",
    "own_broken": "x = (\n",
}


class ModulesTest(unittest.TestCase):
    def setUp(self) -> None:
        before = set(sys.modules)
        finders = list(sys.meta_path)

        def restore() -> None:
            sys.meta_path[:] = finders
            for name in set(sys.modules) - before:
                del sys.modules[name]

        self.addCleanup(restore)
        offer(SOURCES)

    def test_they_import_each_other_by_their_names(self) -> None:
        self.assertEqual(importlib.import_module("own_main").VALUE, 42)
        beside = importlib.import_module("own_pkg.beside")
        self.assertEqual((beside.VALUE, beside.HERE), (41, "package"))

    def test_a_folder_is_a_package_with_a_text_or_without(self) -> None:
        package = importlib.import_module("own_pkg")
        self.assertEqual(package.HERE, "package")
        self.assertEqual(package.__path__, [])
        deep = importlib.import_module("own_pkg.deep")
        self.assertFalse(hasattr(deep, "HERE"))
        self.assertFalse(hasattr(importlib.import_module("own_main"), "__path__"))

    def test_they_seem_to_be_files_of_a_folder(self) -> None:
        part = importlib.import_module("own_pkg.deep.part")
        self.assertEqual(part.__file__, "/solution/own_pkg/deep/part.py")
        self.assertIn("return 1 / 0", inspect.getsource(part.fail))
        try:
            part.fail()
        except ZeroDivisionError as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
        self.assertEqual((frame.filename, frame.lineno), (part.__file__, 3))
        self.assertTrue(part.__file__.startswith(coppice_modules.FOLDER))

    def test_a_mistake_is_told_by_its_file(self) -> None:
        with self.assertRaises(SyntaxError) as caught:
            importlib.import_module("own_broken")
        self.assertEqual(caught.exception.filename, "/solution/own_broken.py")
        self.assertEqual(caught.exception.lineno, 1)

    def test_what_is_not_there_is_left_to_others(self) -> None:
        finder = Finder(SOURCES)
        for name in ("own", "own_pk", "own_pkg.dee", "own_main.part", "math"):
            self.assertIsNone(finder.find_spec(name), name)
        self.assertIs(importlib.import_module("math"), sys.modules["math"])

    def test_a_name_of_theirs_goes_before_what_is_installed(self) -> None:
        self.assertNotIn("this", sys.modules)  # Python's own would print.
        offer({"this": "VALUE = 'own'\n"})
        self.assertEqual(importlib.import_module("this").VALUE, "own")
        # Before what is built in, too.
        self.assertIsInstance(sys.meta_path[0], Finder)


if __name__ == "__main__":
    unittest.main()
