"""A task written in PyTorch, in a process in which no candidate ever is.

A KernelBench problem is a Python file with a class Model, and functions
get_inputs() and get_init_inputs() that return lists of arguments.  Here it is
described, its inputs are drawn, and sources of candidates are read (never run).
"""

import ast
import inspect
import io
import json
import tokenize
import traceback
from typing import Any

import torch

import policy
from worker import DTYPES, Refusal, Worker, entry_of, flatten, load_module
from worker import plain


class ProblemWorker(Worker):
    def __init__(self) -> None:
        super().__init__()
        self.model: Any = None
        self.kinds |= {
            16: self.describe,
            17: self.draw,
            18: self.state,
            19: self.check,
            20: self.trial_seeds,
        }

    def load(self, *_: int) -> Any:
        order = self.order()
        spec, self.module = load_module("problem", order["source"])
        self.precision = DTYPES[order["precision"]]
        self.casts_all = order["casts_all"]
        try:
            spec.loader.exec_module(self.module)
        except SyntaxError as error:
            at = f"line {error.lineno}: " if error.lineno else ""
            raise Refusal(f"{at}{error.msg}") from error
        for name in ("Model", "get_inputs", "get_init_inputs"):
            if not callable(getattr(self.module, name, None)):
                raise Refusal(
                    f"defines no {name}; a KernelBench problem has a class "
                    "Model, get_inputs() and get_init_inputs()"
                )
        model = self.module.Model
        if not (isinstance(model, type) and issubclass(model, torch.nn.Module)):
            raise Refusal("Model is no class derived from torch.nn.Module")
        return None

    def construct(self, _slot: int, seed: int, _argument: int) -> Any:
        self.seed(seed)
        with torch.no_grad():
            init = self.init_inputs()
            self.seed(seed)
            self.model = self.module.Model(*init).to(dtype=self.precision)
        return repr(init), [], 0.0

    def init_inputs(self) -> list[Any]:
        init = self.called("get_init_inputs")
        try:
            if ast.literal_eval(repr(init)) != init:
                raise ValueError
        except (ValueError, SyntaxError) as error:
            raise Refusal(
                "get_init_inputs() returns something that is no plain number, "
                "text, list, tuple or dict"
            ) from error
        return init

    def called(self, name: str) -> list[Any]:
        values = getattr(self.module, name)()
        if isinstance(values, tuple):
            values = list(values)
        if not isinstance(values, list):
            raise Refusal(
                f"{name}() returns a {type(values).__name__}; expected a list "
                "of arguments"
            )
        return values

    def inputs(self, seed: int) -> list[Any]:
        self.seed(seed)
        values = []
        for i, value in enumerate(self.called("get_inputs")):
            if isinstance(value, torch.Tensor):
                if getattr(self.module, "KEEPS_TYPES", False):
                    pass  # A problem that trace_task.cc has made.
                elif self.casts_all or value.is_floating_point():
                    value = value.to(dtype=self.precision)
                check_tensor(value, f"argument {i + 1} of get_inputs()")
                value = value.detach().contiguous()
            elif not isinstance(value, (bool, int, float)):
                raise Refusal(
                    f"argument {i + 1} of get_inputs() is a "
                    f"{type(value).__name__}; expected a tensor or a number"
                )
            values.append(value)
        return values

    def draw(self, _slot: int, seed: int, _argument: int) -> Any:
        with torch.no_grad():
            self.returned = self.inputs(seed)
        return "", [entry_of(value) for value in self.returned], 0.0

    def state(self, *_: int) -> Any:
        state = self.model.state_dict()
        self.returned = [value.detach().contiguous() for value in state.values()]
        entries = [entry_of(value) for value in self.returned]
        return json.dumps(list(state.keys())), entries, 0.0

    def describe(self, _slot: int, seed: int, _argument: int) -> Any:
        order = self.order()
        with torch.no_grad():
            inputs = self.inputs(seed)
            shapes = [shape_of(value) for value in inputs]
            if [shape_of(value) for value in self.inputs(seed + 1)] != shapes:
                raise Refusal(
                    "get_inputs() returns other shapes or types from call to "
                    "call"
                )
            self.seed(seed)
            outputs = self.forward(inputs, order["device"])
        names = self.argument_names(len(inputs))
        document = {
            "inputs": [
                {"name": name, **shape}
                for name, shape in zip(names, shapes)
            ],
            "outputs": [shape_of(value) for value in outputs],
            "description": inspect.getdoc(self.module.Model) or "",
            "root": renamed(order["source"]),
        }
        return json.dumps(document), [], 0.0

    def forward(self, inputs: list[Any], device: str) -> list[Any]:
        values = [
            v.to(device) if isinstance(v, torch.Tensor) else v for v in inputs
        ]
        try:
            result = self.model.to(device)(*values)
            outputs = [plain(part) for part in flatten(result, [])]
            for output in outputs:
                check_tensor(output, "what it returned")
        except Refusal as refusal:
            raise Refusal(f"Model.forward: {refusal}") from refusal
        if not outputs:
            raise Refusal("Model.forward returns nothing")
        return outputs

    def argument_names(self, count: int) -> list[str]:
        parameters = list(
            inspect.signature(self.module.Model.forward).parameters.values()
        )[1:]
        names = [
            p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD
        ]
        return [
            names[i] if i < len(names) else f"input{i + 1}" for i in range(count)
        ]

    def check(self, *_: int) -> Any:
        order = self.order()
        if "operations" in order:
            found = policy.check_operations(order["operations"], order)
        else:
            found = policy.check(order["source"], order)
        return json.dumps(found), [], 0.0

    def trial_seeds(self, _slot: int, seed: int, argument: int) -> Any:
        """As KernelBench draws them from its seed."""
        torch.manual_seed(seed)
        seeds = [
            torch.randint(0, 2**32 - 1, (1,)).item() for _ in range(argument)
        ]
        return json.dumps(seeds), [], 0.0

    def answer(self, work: Any, words: tuple[int, ...]) -> None:
        super().answer(self.told(work), words)

    @staticmethod
    def told(work: Any) -> Any:
        """In one line, whatever goes wrong: the file is the user's."""

        def wrapped(*words: int) -> Any:
            try:
                return work(*words)
            except Refusal:
                raise
            except MemoryError as error:
                raise Refusal("out of memory") from error
            except BaseException as error:
                raise Refusal(one_line(error)) from error

        return wrapped


def one_line(error: BaseException) -> str:
    """With the line of the problem's file that it is about."""
    at = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == "/tmp/problem.py":
            at = f"line {frame.lineno}: "
    text = " ".join(str(error).split())
    if isinstance(error, torch.OutOfMemoryError) or "allocate memory" in text:
        return f"{at}out of memory"
    if isinstance(error, ModuleNotFoundError):
        text += "; install it for the Python that --python names"
    if len(text) > 300:
        text = text[:300] + "..."
    return f"{at}{type(error).__name__}: {text}"


def check_tensor(value: torch.Tensor, what: str) -> None:
    if value.layout is not torch.strided:
        raise Refusal(f"{what} is a sparse tensor; expected a dense one")
    if value.dtype not in DTYPES:
        raise Refusal(
            f"{what} is a tensor of {value.dtype}, which is not supported"
        )


def shape_of(value: Any) -> dict[str, Any]:
    if isinstance(value, torch.Tensor):
        return {"dtype": DTYPES.index(value.dtype), "shape": list(value.shape)}
    if isinstance(value, bool):
        return {"dtype": 10, "shape": None}
    return {"dtype": 0 if isinstance(value, float) else 6, "shape": None}


def renamed(source: str) -> str:
    """The same program with Model as ModelNew, comments and texts untouched."""
    lines = source.splitlines(keepends=True)
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    places = [
        token.start
        for token in tokens
        if token.type == tokenize.NAME and token.string == "Model"
    ]
    for row, column in reversed(places):
        line = lines[row - 1]
        end = column + len("Model")
        lines[row - 1] = line[:column] + "ModelNew" + line[end:]
    return "".join(lines)
