"""Modules whose sources are texts within another, for tasks of several files."""

import importlib.abc
import importlib.machinery
import sys
from typing import Any


FOLDER = "/solution/"  # Where they seem to be.


class Finder(importlib.abc.MetaPathFinder, importlib.abc.ExecutionLoader):
    def __init__(self, sources: dict[str, str]):
        self.sources = sources

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        is_package = any(
            known.startswith(name + ".") for known in self.sources
        )
        if not (name in self.sources or is_package):
            return None
        spec = importlib.machinery.ModuleSpec(
            name, self, origin=self.get_filename(name), is_package=is_package
        )
        spec.has_location = True
        return spec

    def get_source(self, name: str) -> str:
        return self.sources.get(name) or self.sources.get(
            name + ".__init__", ""
        )

    def get_filename(self, name: str) -> str:
        """Under which Triton, for one, looks a function's source up."""
        return FOLDER + name.replace(".", "/") + ".py"


def offer(sources: dict[str, str]) -> None:
    """By their names, "pkg.main"; they go before what is installed."""
    sys.meta_path.insert(0, Finder(sources))
