"""A problem of GPU MODE as modules, which KernelBench's tasks have.

The last lines of sources that gpu_mode.cc makes import it: what is above them is
the writer's own, and has its own line numbers in tracebacks.

A candidate's process knows of generate_input(**arguments) only how what it
returns, `data`, is put together: a shape of plain lists.  Its leaves are tensors
that are inputs, buffers for the kernel to fill, made anew for each call, and
numbers and texts, which are the same in all calls.
"""

import ast
import inspect
import itertools
import json
import math
from typing import Any, Callable, Iterator

import torch

from coppice_modules import offer
from worker import DTYPES, Refusal, flatten

MARK = "_GPU_MODE = "  # At the beginning of a line.
MOST_SEED = 1 << 20  # Theirs are such numbers, and some add them to values.
CONTAINERS = {"tuple": tuple, "list": list}
# Their tolerances and torch's own, where a check does not say otherwise.
RELATIVE, ABSOLUTE = 1e-5, 1e-8
LEAST_RELATIVE = 1e-12  # Stands for none.


def provide(source: str) -> bool:
    """What such a source imports: the problem's files.  Whether it is one."""
    lines = [line for line in source.splitlines() if line.startswith(MARK)]
    if lines:
        text = ast.literal_eval(lines[-1].removeprefix(MARK))
        offer(json.loads(text)["modules"])
    return bool(lines)


class Case:
    """A set of arguments, and what it is called."""

    def __init__(self, document: dict[str, Any]):
        self.name: str = document["name"]
        self.arguments: dict[str, Any] = document["arguments"]
        self.is_timed: bool = document["is_timed"]


def problem_of(names: dict[str, Any], text: str) -> tuple[Any, ...]:
    """Model, get_inputs, get_init_inputs, CLOSENESS, SELECT_CASE and WHERE, of
    all its tests and then its benchmarks."""
    for name in ("generate_input", "ref_kernel"):
        if not callable(names.get(name)):
            raise Refusal(
                f"reference.py defines no {name}; a problem of GPU MODE has "
                "generate_input, ref_kernel(data) and check_implementation"
            )
    with open(names["__file__"], encoding="utf-8") as file:
        closeness = closeness_in(file.read())
    kernel = names["ref_kernel"]
    model = model_of(kernel)
    cases = [Case(one) for one in json.loads(text)["cases"]]
    drawing = Drawing(names["generate_input"], kernel, model)

    def select(number: int) -> None:
        drawing.case = cases[number]

    return (
        model,
        drawing.inputs,
        drawing.init_inputs,
        closeness,
        select,
        drawing.where,
    )


def module_of(names: dict[str, Any]) -> Any:
    kernel = names.get("custom_kernel")
    if not callable(kernel):
        raise Refusal("it defines no custom_kernel")
    return model_of(kernel)


def model_of(kernel: Callable[[Any], Any]) -> Any:
    class Submission(torch.nn.Module):
        def __init__(self, shape: Any, returns_nothing: bool, types: list[int]):
            super().__init__()
            self.shape = shape
            self.returns_nothing = returns_nothing
            self.types = [DTYPES[one] for one in types]

        def forward(self, *inputs: Any) -> Any:
            device = inputs[0].device if inputs else None
            buffers: list[torch.Tensor] = []
            data = put_together(self.shape, iter(inputs), device, buffers)
            result = kernel(data)
            if self.returns_nothing:
                return tuple(buffers)
            return as_wanted(result, self.types)

    return Submission


def as_wanted(result: Any, types: list[torch.dtype]) -> Any:
    """In the reference's types of floating point: their comparison converts,
    too, and here that is on the clock."""
    if not types or is_wanted(result, types[0]):
        return result
    parts = flatten(result, [])
    if len(parts) != len(types):
        return result
    return tuple(
        one
        if is_wanted(one, dtype)
        else torch.empty(one.shape, dtype=dtype, device=one.device).copy_(one)
        for one, dtype in zip(parts, types)
    )


def is_wanted(value: Any, dtype: torch.dtype) -> bool:
    """Or nothing that could be made it."""
    if type(value) in CONTAINERS.values():
        return False
    return (
        type(value) is not torch.Tensor
        or value.dtype == dtype
        or not (value.is_floating_point() and dtype.is_floating_point)
    )


def closeness_in(source: str) -> dict[str, float] | None:
    """By which check_implementation compares; None: it does not say."""
    check = None
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            names = [node.name]
        elif isinstance(node, ast.Assign):
            names = [t.id for t in node.targets if isinstance(t, ast.Name)]
        else:
            continue
        if "check_implementation" in names:
            check = node
    if check is None:
        raise Refusal("reference.py defines no check_implementation")
    nodes = list(ast.walk(check))
    if not any(isinstance(n, ast.Name) and n.id == "ref_kernel" for n in nodes):
        raise Refusal(
            "its check_implementation does not compare with ref_kernel; outputs "
            "that have a property are not judged here"
        )
    found = {closeness_of(n) for n in nodes if isinstance(n, ast.Call)}
    found.discard(())
    if len(found) != 1:
        return None
    pair = found.pop()
    return pair and {"relative": pair[0], "absolute": pair[1]}


def closeness_of(call: ast.Call) -> Any:
    """The tolerances of match_reference(...), allclose(...) and their like.

    (): it is another function; None: its tolerances are computed.
    """
    name = ast.unparse(call.func).split(".")[-1]
    if not name.endswith(("match_reference", "allclose")):
        return ()
    if len(call.args) > (3 if name.endswith("match_reference") else 2):
        return None  # Tolerances without their names.
    pair = []
    for key, otherwise in (("rtol", RELATIVE), ("atol", ABSOLUTE)):
        value: Any = otherwise
        for word in call.keywords:
            if word.arg == key:
                value = getattr(word.value, "value", None)
        if type(value) not in (int, float) or not math.isfinite(value):
            return None
        pair.append(float(value))
    return max(pair[0], LEAST_RELATIVE), pair[1]


class Drawing:
    """What generate_input returns, taken apart.

    Those of its tensors that ref_kernel writes to are buffers.
    """

    def __init__(
        self,
        generate: Callable[..., Any],
        kernel: Callable[[Any], Any],
        model: Any,
    ):
        self.generate = generate
        self.kernel = kernel
        self.model = model
        self.case: Case | None = None
        self.buffers: set[int] = set()
        self.shape: Any = None

    def where(self) -> str:
        """For a complaint."""
        return "" if self.case is None else self.case.name + ": "

    def data(self) -> Any:
        """Under a seed from torch's generator, whatever the arguments say."""
        assert self.case is not None
        arguments = dict(self.case.arguments)
        if "seed" in inspect.signature(self.generate).parameters:
            seed = torch.randint(0, MOST_SEED, (), device="cpu")
            arguments["seed"] = int(seed)
        return self.generate(**arguments)

    def apart(self, data: Any) -> tuple[Any, list[torch.Tensor]]:
        tensors: list[torch.Tensor] = []
        shape = taken_apart(data, tensors, self.buffers)
        return shape, tensors

    def init_inputs(self) -> list[Any]:
        data = self.data()
        _, tensors = self.apart(data)
        versions = [one._version for one in tensors]
        result = self.kernel(data)
        written = {
            i
            for i, (one, version) in enumerate(zip(tensors, versions))
            if one._version != version
        }
        if written:
            self.must_be_filled([tensors[i] for i in written], data, result)
        self.buffers = written
        self.shape, _ = self.apart(data)
        told = "data = " + shown(self.shape, itertools.count(1))
        if written:
            told += ", with buffers for it to fill in the place of torch.empty()"
        self.model.__doc__ = told + "."
        outputs = self.outputs([tensors[i] for i in sorted(written)], result)
        return [self.shape, result is None, self.types_of(outputs)]

    def types_of(self, outputs: list[torch.Tensor]) -> list[int]:
        """Refuses to time empty outputs, which any kernel gets right."""
        assert self.case is not None
        for one in outputs:
            if one.dtype not in DTYPES:
                raise Refusal(
                    f"ref_kernel returns a tensor of {one.dtype}; such are not "
                    "supported"
                )
        is_empty = outputs and not any(one.numel() for one in outputs)
        if self.case.is_timed and is_empty:
            raise Refusal(
                "ref_kernel returns tensors without elements; there is nothing "
                "to judge a kernel by, nor to time"
            )
        return [DTYPES.index(one.dtype) for one in outputs]

    def must_be_filled(
        self, buffers: list[torch.Tensor], data: Any, result: Any
    ) -> None:
        """What is left in a buffer does not matter."""
        before = [one.clone() for one in self.outputs(buffers, result)]
        for one in buffers:
            one.copy_(junk_for(one))
        after = self.outputs(buffers, self.kernel(data))
        if not all(map(is_alike, before, after)):
            raise Refusal(
                "ref_kernel writes to a tensor of data and depends on what was "
                "in it; a tensor can be an input or a buffer to be filled"
            )

    @staticmethod
    def outputs(buffers: list[torch.Tensor], result: Any) -> list[Any]:
        parts = buffers if result is None else flatten(result, [])
        return [one for one in parts if isinstance(one, torch.Tensor)]

    def inputs(self) -> list[torch.Tensor]:
        shape, tensors = self.apart(self.data())
        if shape != self.shape:
            raise Refusal(
                "generate_input returns other numbers, texts or tensors' "
                "places from call to call"
            )
        return [
            in_order(one, order_of(one))
            for i, one in enumerate(tensors)
            if i not in self.buffers
        ]


def junk_for(one: torch.Tensor) -> torch.Tensor:
    if one.dtype == torch.bool:
        return ~one
    junk = math.nan if one.is_floating_point() else 77
    return torch.full(one.shape, junk, device=one.device).to(one.dtype)


def is_alike(a: torch.Tensor, b: torch.Tensor) -> bool:
    if not a.is_floating_point():
        return torch.equal(a, b)
    return torch.allclose(a.double(), b.double(), equal_nan=True)


def order_of(one: torch.Tensor) -> list[int] | None:
    """Its dimensions in the order of memory; None: they are in that order."""
    if one.is_contiguous():
        return None
    order = sorted(
        range(one.dim()), key=lambda i: (one.stride(i), one.size(i)), reverse=True
    )
    if not one.permute(order).is_contiguous():
        raise Refusal(
            "generate_input returns a tensor that is no dense array "
            f"(strides {list(one.stride())}, sizes {list(one.shape)})"
        )
    return order


def in_order(one: torch.Tensor, order: list[int] | None) -> torch.Tensor:
    return one if order is None else one.permute(order)


def back(order: list[int]) -> list[int]:
    return sorted(range(len(order)), key=order.__getitem__)


def out_of_order(one: torch.Tensor, order: list[int] | None) -> torch.Tensor:
    return one if order is None else one.permute(back(order))


def taken_apart(
    value: Any, tensors: list[torch.Tensor], buffers: set[int]
) -> list[Any]:
    kind = type(value).__name__
    if isinstance(value, torch.Tensor):
        if value.dtype not in DTYPES or value.layout is not torch.strided:
            sparse = "" if value.layout is torch.strided else "sparse "
            raise Refusal(
                f"generate_input returns a {sparse}tensor of {value.dtype}; "
                "such are not supported"
            )
        number, order = len(tensors), order_of(value)
        tensors.append(value.detach())
        if number not in buffers:
            return ["tensor", order]
        sizes = list(in_order(value, order).shape)
        return ["buffer", order, DTYPES.index(value.dtype), sizes]
    if type(value) in (tuple, list):
        return [kind, [taken_apart(one, tensors, buffers) for one in value]]
    if type(value) is dict:
        return [
            kind,
            [
                [key, taken_apart(one, tensors, buffers)]
                for key, one in value.items()
            ],
        ]
    if value is None or type(value) in (bool, int, float, str):
        return ["value", value]
    raise Refusal(
        f"generate_input returns a {kind}; expected tensors, numbers, texts, and "
        "tuples, lists and dicts of them"
    )


def put_together(
    shape: Any,
    inputs: Iterator[Any],
    device: Any,
    buffers: list[torch.Tensor],
) -> Any:
    kind, inner, *rest = shape
    if kind == "tensor":
        return out_of_order(next(inputs), inner)
    if kind == "buffer":
        room = torch.empty(rest[1], dtype=DTYPES[rest[0]], device=device)
        buffers.append(out_of_order(room, inner))
        return buffers[-1]
    if kind == "dict":
        return {
            key: put_together(one, inputs, device, buffers) for key, one in inner
        }
    if kind == "value":
        return inner
    return CONTAINERS[kind](
        put_together(one, inputs, device, buffers) for one in inner
    )


def shown(shape: Any, numbers: Iterator[int]) -> str:
    """As an expression of the inputs."""
    kind, inner, *rest = shape
    if kind in ("tensor", "buffer"):
        text = (
            f"input{next(numbers)}"
            if kind == "tensor"
            else f"torch.empty({tuple(rest[1])}, dtype={DTYPES[rest[0]]})"
        )
        return text if inner is None else f"{text}.permute({back(inner)})"
    if kind == "value":
        return repr(inner)
    if kind == "dict":
        parts = [f"{key!r}: {shown(one, numbers)}" for key, one in inner]
        return "{" + ", ".join(parts) + "}"
    parts = [shown(one, numbers) for one in inner]
    if kind == "list":
        return "[" + ", ".join(parts) + "]"
    return "(" + ", ".join(parts) + ("," if len(parts) == 1 else "") + ")"
