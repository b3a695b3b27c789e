"""A task from a function: its text becomes a problem of KernelBench.

The program runs it in a process of its own, so what counts is text, not
objects: the function and what makes its inputs are copied by
`inspect.getsource`, with the imports that they use.
"""

from __future__ import annotations

import ast
import inspect
import os
import pathlib
import tempfile
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from . import _errors, _program

Size = int | tuple[int, ...]


class Task:
    """A problem of KernelBench in a file, or the text of one."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.path: pathlib.Path | None = None

    @classmethod
    def from_kernelbench(cls, path: str | os.PathLike[str]) -> Task:
        """Reads a file with `Model`, `get_inputs` and `get_init_inputs`."""
        file = pathlib.Path(path)
        try:
            text = file.read_text()
        except FileNotFoundError as error:
            raise _errors.NotFound(f"{file}: no such file") from error
        made = cls(text, file.stem)
        made.path = file
        return made

    def save(self, path: str | os.PathLike[str]) -> Task:
        """Writes the file that `coppice run kernelbench:PATH` reads."""
        self.path = pathlib.Path(path)
        self.path.write_text(self.text)
        return self

    def argument(self) -> str:
        """What the program calls it; saves it beside temporary files if need be."""
        if self.path is None:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="coppice-task-"))
            self.save(folder / f"{self.name}.py")
        assert self.path is not None
        return f"kernelbench:{self.path.resolve()}"

    def check(self) -> str:
        """What `coppice task check` finds: kernels that compute nothing fail,
        or it raises."""
        return _program.output_of("task", "check", self.argument())

    def __repr__(self) -> str:
        where = self.path or "not saved"
        return f"<Task {self.name}: {where}>"


class TaskFunction:
    """The function, which is called as before, and the task of it."""

    def __init__(self, function: Callable[..., Any], tasks: dict[Size, Task]) -> None:
        self._function = function
        self.tasks = tasks  # By size.
        self.task = next(iter(tasks.values()))
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._function(*arguments, **named)


def task(
    *,
    inputs: Callable[..., Sequence[Any]],
    sizes: Sequence[Size],
    name: str | None = None,
) -> Callable[[Callable[..., Any]], TaskFunction]:
    """Makes a task of the function below it, which is the trusted reference.

        @ck.task(inputs=lambda n: (torch.randn(n, n), torch.randn(n)), sizes=[1024])
        def my_gemv(a, x):
            return a @ x

    A problem of KernelBench has one size.  `my_gemv.task` is that of the first,
    and `my_gemv.tasks` has one for each.
    """

    def decorate(function: Callable[..., Any]) -> TaskFunction:
        if not sizes:
            raise _errors.UsageError(f"{function.__name__}: has no sizes")
        tasks = {size: _task_of(function, inputs, size, name) for size in sizes}
        return TaskFunction(function, tasks)

    return decorate


def _source_of(function: Callable[..., Any]) -> tuple[str, int]:
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError) as error:
        raise _errors.UsageError(
            f"{getattr(function, '__name__', function)}: its text is not known",
            "write it in a file or a notebook",
        ) from error
    return textwrap.dedent("".join(lines)), first


def _tree_of(function: Callable[..., Any]) -> ast.FunctionDef | ast.Lambda:
    """The function alone, without decorators; of a lambda itself."""
    source, first = _source_of(function)
    try:
        tree = ast.parse(source)
    except SyntaxError:
        # A lambda in the middle of a call that is written over several lines.
        tree = ast.parse("(" + source.strip().rstrip(",") + ")")
    wanted = ast.Lambda if function.__name__ == "<lambda>" else ast.FunctionDef
    found = [node for node in ast.walk(tree) if isinstance(node, wanted)]
    if wanted is ast.Lambda and len(found) != 1:
        raise _errors.UsageError(
            f"line {first}: has {len(found)} lambdas", "give one of them a line"
        )
    node = found[0]
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = []
    return node


def _refuse_closure(function: Callable[..., Any]) -> None:
    _source_of(function)
    free = function.__code__.co_freevars
    if free:
        raise _errors.UsageError(
            f"line {function.__code__.co_firstlineno}: {function.__name__} uses "
            f"{', '.join(free)} of the function around it",
            "a task is text alone: give it as an argument or write the value",
        )


def _globals_used(function: Callable[..., Any]) -> dict[str, Any]:
    names = {
        node.id for node in ast.walk(_tree_of(function)) if isinstance(node, ast.Name)
    }
    known = function.__globals__
    return {name: known[name] for name in sorted(names) if name in known}


def _line_of_global(name: str, value: Any, user: Callable[..., Any]) -> str:
    """A statement that makes the global anew."""
    if inspect.ismodule(value):
        module = value.__name__
        return f"import {module}" if module == name else f"import {module} as {name}"
    if isinstance(value, (int, float, str, bool, tuple, type(None))):
        return f"{name} = {value!r}"
    home = getattr(value, "__module__", None)
    if home and home != "__main__" and home != user.__module__:
        original = getattr(value, "__name__", name)
        alias = "" if original == name else f" as {name}"
        return f"from {home} import {original}{alias}"
    if inspect.isfunction(value):
        _refuse_closure(value)
        return ast.unparse(_tree_of(value))
    raise _errors.UsageError(
        f"line {user.__code__.co_firstlineno}: {user.__name__} uses {name}, which is "
        f"no module, number, text or function",
        "make it within the function",
    )


def _preamble(functions: Sequence[Callable[..., Any]]) -> list[str]:
    lines: dict[str, None] = {"import torch": None}
    waiting = list(functions)
    seen: set[str] = set()
    helpers: list[str] = []
    while waiting:
        user = waiting.pop()
        for name, value in _globals_used(user).items():
            if name in seen or name == user.__name__:
                continue
            seen.add(name)
            line = _line_of_global(name, value, user)
            if line.startswith("def "):
                helpers.insert(0, line)
                waiting.append(value)
            else:
                lines[line] = None
    ordered = sorted(lines, key=lambda line: not line.startswith(("import", "from")))
    return [*ordered, "", *helpers]


def _task_of(
    function: Callable[..., Any],
    inputs: Callable[..., Sequence[Any]],
    size: Size,
    name: str | None,
) -> Task:
    for one in (function, inputs):
        _refuse_closure(one)
    reference = _tree_of(function)
    if not isinstance(reference, ast.FunctionDef):
        raise _errors.UsageError("a reference is a function with a name, no lambda")
    makes = _tree_of(inputs)
    values = size if isinstance(size, tuple) else (size,)
    called = ", ".join(map(repr, values))
    if isinstance(makes, ast.Lambda):
        made = f"_inputs = {ast.unparse(makes)}"
    else:
        makes.name = "_inputs"
        made = ast.unparse(makes)
    reference.name = "_reference"
    text = "\n".join(
        [
            *_preamble([function, inputs]),
            "",
            ast.unparse(reference),
            "",
            made,
            "",
            "class Model(torch.nn.Module):",
            "    def forward(self, *inputs):",
            "        return _reference(*inputs)",
            "",
            "def get_inputs():",
            f"    return list(_inputs({called}))",
            "",
            "def get_init_inputs():",
            "    return []",
            "",
        ]
    )
    suffix = "x".join(map(str, values))
    return Task(text, f"{name or function.__name__}_{suffix}")
