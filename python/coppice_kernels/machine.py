"""What this machine has for judging kernels, what it lacks, and what to do.

The program looks, as for `coppice db doctor --machine`; what is of Python alone
is added here.
"""

from __future__ import annotations

import importlib.util
import json
import platform
import sys
from dataclasses import dataclass

from . import __version__, _errors, _program
from ._typed import decode

# What is of use, where it is installed, and for what.
_PACKAGES = {
    "numpy": "inputs of tasks from functions",
    "pandas": ".df()",
    "polars": ".pl()",
    "pyarrow": ".arrow()",
    "adbc_driver_sqlite": "reading views twice as fast",
    "matplotlib": "plots",
    "tqdm": "progress bars",
}
_EXTRAS = {
    "pandas": "frames",
    "polars": "frames",
    "pyarrow": "frames",
    "adbc_driver_sqlite": "adbc",
    "matplotlib": "plot",
    "tqdm": "progress",
}


@dataclass(frozen=True, slots=True)
class Part:
    """One of them; `text` is what it is, or what its lack costs and the remedy."""

    part: str
    well: bool
    text: str


def _word(part: Part) -> str:
    if part.well:
        return "ok"
    return "absent" if part.part in _PACKAGES else "not ok"  # None must be there.


@dataclass(frozen=True, slots=True)
class Machine:
    """A table of them, also in notebooks."""

    can_run: bool  # At least campaigns on the processor.
    parts: tuple[Part, ...]

    def __getitem__(self, part: str) -> Part:
        for one in self.parts:
            if one.part == part:
                return one
        raise KeyError(part)

    @property
    def missing(self) -> tuple[Part, ...]:
        return tuple(one for one in self.parts if not one.well)

    def __str__(self) -> str:
        width = max(len(one.part) for one in self.parts)
        return "\n".join(
            f"{_word(one):<6}  {one.part:<{width}}  {one.text}" for one in self.parts
        )

    def _repr_html_(self) -> str:
        from . import _html

        return _html.machine(self)


@dataclass(frozen=True, slots=True)
class _Said:
    can_run: bool
    machine: tuple[Part, ...]


def doctor() -> Machine:
    """Takes a second: it looks how noisy this machine is, too."""
    try:
        program = _program.path()
        # 1: no campaign can run, which it says all the same.
        said = _program.output_of("db", "doctor", "--machine", "--json", codes=(0, 1))
        found = decode(_Said, json.loads(said))
        version = _program.output_of("--version").strip()
    except (_errors.Error, OSError, ValueError) as error:
        lost = Part("program", False, str(error))
        return Machine(False, (lost, _of_python(), *_of_packages()))
    its_own = Part("program", True, f"{version} at {program}")
    parts = (its_own, _of_python(), *found.machine, *_of_packages())
    return Machine(found.can_run, parts)


def _of_python() -> Part:
    import sqlite3

    text = f"Python {platform.python_version()}, coppice-kernels {__version__}"
    if sqlite3.sqlite_version_info < (3, 38):
        lack = f"its SQLite {sqlite3.sqlite_version} reads no history, which needs 3.38"
        return Part("Python", False, f"{text}; {lack}; take a newer Python")
    return Part("Python", True, f"{text}, SQLite {sqlite3.sqlite_version}")


def _of_packages() -> tuple[Part, ...]:
    parts: list[Part] = []
    for name, use in _PACKAGES.items():
        if importlib.util.find_spec(name) is not None:
            parts.append(Part(name, True, use))
            continue
        extra = _EXTRAS.get(name)
        remedy = f"'coppice-kernels[{extra}]'" if extra else name
        parts.append(Part(name, False, f"is for {use}; pip install {remedy}"))
    return tuple(parts)


def main() -> int:
    """`python -m coppice_kernels doctor`; 1: no campaign can run here."""
    machine = doctor()
    print(machine)
    if machine.can_run:
        return 0
    print(
        "coppice_kernels doctor: without a program, a sandbox and a C++ compiler "
        "no kernel is judged here",
        file=sys.stderr,
    )
    return 1
