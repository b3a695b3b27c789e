import importlib.util
import pathlib
import shutil
import subprocess
import sys
import unittest

PACKAGE = pathlib.Path(__file__).parents[1]


def run(*command: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True, cwd=PACKAGE
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


class TypesTest(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("mypy"), "no mypy")
    def test_mypy_finds_nothing(self) -> None:
        cache = PACKAGE.parent / "build" / "mypy"
        files = sorted(
            str(path.relative_to(PACKAGE))
            for path in (PACKAGE / "coppice_kernels").rglob("*.py")
            if not path.name.startswith("policy")
        )
        # Policies have checks of their own.
        said = run("mypy", f"--cache-dir={cache}", "--follow-imports=silent", *files)
        self.assertEqual(said, "")

    @unittest.skipUnless(
        importlib.util.find_spec("pyright") and shutil.which("node"), "no pyright"
    )
    def test_pyright_finds_nothing(self) -> None:
        python = ("--pythonpath", sys.executable)
        self.assertEqual(run("pyright", "--project", "pyproject.toml", *python), "")

    @unittest.skipUnless(importlib.util.find_spec("ruff"), "no ruff")
    def test_ruff_finds_nothing(self) -> None:
        command = "ruff check --no-cache --exclude policy*.py coppice_kernels"
        self.assertEqual(run(*command.split()), "")


if __name__ == "__main__":
    unittest.main()
