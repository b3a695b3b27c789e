#!/usr/bin/env python3
"""Writes the service's operations down as dataclasses of the Python package.

  scripts/python_operations.py PROGRAM            writes
                                        python/coppice_kernels/operations.py
  scripts/python_operations.py PROGRAM --check    exits with 1 if that is not
                                                  up to date

of what `PROGRAM mcp` lists, which are the schemas of engine/service.  An object
that has a title is a class of that name, and any other a mapping.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import textwrap

import generated

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "python" / "coppice_kernels" / "operations.py"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}

HEAD = '''"""What may be asked of a service, by types.

Made by scripts/python_operations.py.

    with ck.Evaluator() as e:
        for task in e.do(ck.operations.ListTasks(query="gemm")).tasks: ...
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ._typed import Request
'''
TYPES = {"string": "str", "integer": "int", "number": "float",
         "boolean": "bool"}


def tools_of(program):
    """Asks a server that is told nothing else."""
    said = subprocess.run([program, "mcp"], input=json.dumps(LIST) + "\n",
                          capture_output=True, text=True, check=True).stdout
    return json.loads(said.splitlines()[0])["result"]["tools"]


def camel(name):
    return "".join(word.capitalize() for word in name.split("_"))


class Module:
    """The text that is being made, and the classes that it has."""

    def __init__(self):
        self.text = HEAD
        self.parts = {}  # By title: the schema.

    def type_of(self, schema):
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else list(kinds)
        null = " | None" if "null" in kinds else ""
        kind = next((k for k in kinds if k != "null"), None)
        if "enum" in schema:
            words = ", ".join(f'"{word}"' for word in schema["enum"])
            return f"Literal[{words}]{null}"
        if kind in TYPES:
            return TYPES[kind] + null
        if kind == "array":
            inner = self.type_of(schema.get("items", {}))
            pair = schema.get("minItems") == schema.get("maxItems") == 2
            return f"tuple[{inner}, {inner if pair else '...'}]{null}"
        if kind == "object" and "title" in schema:
            self.add_part(schema)
            return schema["title"] + null
        if kind == "object":
            value = schema.get("additionalProperties")
            inner = self.type_of(value) if value else "Any"
            return f"Mapping[str, {inner}]{null}"
        return "Any"

    def add_part(self, schema):
        title = schema["title"]
        if title in self.parts:
            assert self.parts[title] == schema, f"{title} is two things"
            return
        self.parts[title] = schema
        self.add_class(title, "", f"Of {title}.", schema)

    def add_class(self, name, base, said, schema, constants=()):
        fields = [self.field(member, part, member in schema.get("required", []))
                  for member, part in schema.get("properties", {}).items()]
        lines = ["", "", "@dataclass(frozen=True, slots=True, kw_only=True)",
                 f"class {name}{base}:"]
        if said and base:
            lines += [*textwrap.wrap(f'"""{said}', 84, initial_indent="    ",
                                     subsequent_indent="    "), '    """', ""]
        lines += [f"    {constant}" for constant in constants]
        lines += ["", *fields] if constants and fields else fields
        self.text += "\n".join(lines) + "\n"

    def field(self, name, schema, required):
        its_type = self.type_of(schema)
        if not required and not its_type.endswith("| None"):
            its_type += " | None"
        line = f"    {name}: {its_type}" + ("" if required else " = None")
        notes = [schema["description"]] if "description" in schema else []
        if "default" in schema:
            notes.append(f"{json.dumps(schema['default'])} by default")
        return "\n".join([*textwrap.wrap("; ".join(notes), 84,
                                         initial_indent="    # ",
                                         subsequent_indent="    # "), line])

    def add_operation(self, tool):
        name = camel(tool["name"])
        self.add_class(f"{name}Result", "", "", tool["outputSchema"])
        self.add_class(
            name, f"(Request[{name}Result])", tool["description"],
            tool["inputSchema"],
            [f'operation: ClassVar[str] = "{tool["name"]}"',
             f"result: ClassVar[type[{name}Result]] = {name}Result"])


def generate(program):
    module = Module()
    for tool in tools_of(program):
        module.add_operation(tool)
    return module.text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    return generated.settle(TARGET, generate(given.program), given.check,
                            "the service",
                            "scripts/python_operations.py PROGRAM")


if __name__ == "__main__":
    sys.exit(main())
