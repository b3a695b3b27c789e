"""A task written in PyTorch, in a process in which no candidate ever is.

A KernelBench problem is a Python file with a class Model, and functions
get_inputs() and get_init_inputs() that return lists of arguments.  Here it is
described, its inputs are drawn, and sources of candidates are read (never run).
"""

import ast
import copy
import inspect
import io
import json
import os
import time
import tokenize
import traceback
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

import adversarial
import traffic_floor
import source_rules
import mutated_outputs
from comparison import compare
from coppice_modules import FOLDER
from gpu_mode import provide
from trusted_tensors import TrustedTensors
from worker import DTYPES, Refusal, Worker, entry_of, flatten, load_module
from worker import plain


NOW = -1  # Of the control memory.


class Undrawn(TorchFunctionMode):
    """Random tensors without values.  Torch's own way, on a device without
    memory, begins with a second of imports."""

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        named = dict(kwargs or {})
        if func in (torch.rand, torch.randn) and "out" not in named:
            named.pop("generator", None)
            return torch.empty(*args, **named)
        return func(*args, **named)


class ProblemWorker(Worker):
    def __init__(self) -> None:
        super().__init__()
        self.model: Any = None
        self.file = ""  # What complaints call the problem's own.
        self.trusted_tensors: TrustedTensors | None = None
        self.runs_on = "cpu"  # The model.
        self.where = "cpu"  # Inputs are drawn.
        self.scalars: list[Any] = []  # Of arguments that are no tensors.
        self.drawn: tuple[int, list[Any]] | None = None  # The last on the host.
        self.kinds |= {
            16: self.describe,
            17: self.draw,
            18: self.state,
            19: self.check,
            20: self.trial_seeds,
            21: self.keep,
            22: self.stage,
            23: self.take,
            24: self.judge,
            25: self.repeat,
            26: self.spoil,
            27: self.variants,
            28: self.traffic_floor,
            29: self.hand,
            30: self.watch,
            31: self.device_contention,
        }
        # What calls the model, of which nothing is then needed any more.
        self.calling = [
            self.describe,
            self.traffic_floor,
            self.keep,
            self.repeat,
            self.spoil,
            self.variants,
        ]

    def load(self, *_: int) -> Any:
        order = self.order()
        spec, self.module = load_module("problem", order["source"])
        # A problem of several files says which it speaks of.
        self.file = "reference.py " if provide(order["source"]) else ""
        self.precision = DTYPES[order["precision"]]
        self.casts_all = order["casts_all"]
        torch.backends.cudnn.allow_tf32 = self.casts_all
        self.runs_on = order["device"]
        try:
            spec.loader.exec_module(self.module)
        except SyntaxError as error:
            at = place(error.filename or "", error.lineno, self.file) or ""
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

    def construct(self, _slot: int, seed: int, number: int) -> Any:
        """Constructs one case, where a problem has several."""
        if self.trusted_tensors is not None:
            self.trusted_tensors.release()
        self.trusted_tensors, self.drawn, self.returned = None, None, []
        self.scalars = []
        select = getattr(self.module, "SELECT_CASE", None)
        if select is not None:
            select(number)
            self.free()
        self.seed(seed)
        with torch.no_grad():
            init = self.init_inputs()
            self.seed(seed)
            self.model = self.module.Model(*init).to(dtype=self.precision)
            self.where = self.drawing_place(seed)
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
        """By KernelBench's own protocol, what was drawn last is kept."""
        if not self.casts_all:
            return self.new_inputs(seed)
        if self.drawn is None or self.drawn[0] != seed:
            self.drawn = None  # So that its memory can be had again.
            self.drawn = (seed, self.new_inputs(seed))
        return [
            # On the host, a model may write to what it is given.
            value.clone()
            if isinstance(value, torch.Tensor)
            and torch.device(self.runs_on).type == "cpu"
            else value
            for value in self.drawn[1]
        ]

    def new_inputs(self, seed: int) -> list[Any]:
        self.seed(seed)
        values = []
        with torch.device(self.where):
            arguments = self.called("get_inputs")
        for i, value in enumerate(arguments):
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

    def draw(self, slot: int, seed: int, variant: int) -> Any:
        with torch.no_grad():
            values = self.varied(self.inputs(seed), variant)
            if self.trusted_tensors is not None:
                self.keep_drawn(slot, values)
                return None
        self.returned = values
        return "", [entry_of(value) for value in values], 0.0

    def hand(self, _slot: int, seed: int, _argument: int) -> Any:
        with torch.no_grad():
            self.returned = [
                v.cpu() if isinstance(v, torch.Tensor) else v
                for v in self.inputs(seed)
            ]
        return "", [entry_of(value) for value in self.returned], 0.0

    def varied(self, values: list[Any], variant: int) -> list[Any]:
        fixed = getattr(self.module, "AS_THEY_ARE", ())
        return [
            value if i in fixed else other
            for i, (value, other) in enumerate(
                zip(values, adversarial.reshape(values, variant))
            )
        ]

    def keep_drawn(self, index: int, values: list[Any]) -> None:
        assert self.trusted_tensors is not None
        scalars = [v for v in values if not isinstance(v, torch.Tensor)]
        tensors = [v for v in values if isinstance(v, torch.Tensor)]
        if scalars != self.scalars:
            raise Refusal(
                "get_inputs() returns other numbers from call to call, which "
                "cannot be on a device"
            )
        expected = self.trusted_tensors.drawn[index]
        if [(v.shape, v.dtype) for v in tensors] != [
            (v.shape, v.dtype) for v in expected
        ]:
            raise Refusal(
                "get_inputs() returns other shapes or types from call to call"
            )
        self.trusted_tensors.draw(index, tensors)

    def repeat(self, _slot: int, seed: int, _argument: int) -> Any:
        rule = self.order()
        with torch.no_grad():
            values = self.inputs(seed)
            self.seed(seed)
            start = time.monotonic()
            first = [v.clone() for v in self.forward(values)]
            called = time.monotonic()
            self.seed(seed)
            second = self.forward(values)
        for a, b in zip(first, second):
            found = compare(b, a, rule)
            if found["wrong"]:
                raise Refusal(
                    "its Model gives other outputs for equal inputs and an "
                    f"equal random generator: element {found['element']} is "
                    f"{found['expected']}, then {found['got']}; "
                    f"{found['wrong']} elements differ"
                )
        return json.dumps({"call_s": called - start}), [], 0.0

    def keep(self, _slot: int, seed: int, sides: int) -> Any:
        """Calls are to be on a device: what they share with this process."""
        order = self.order()
        device = torch.device(self.runs_on)
        with torch.no_grad():
            values = self.inputs(seed)
            self.scalars = [
                v for v in values if not isinstance(v, torch.Tensor)
            ]
            outputs = self.forward(values)
            self.trusted_tensors = TrustedTensors(
                [v.to(device) for v in values if isinstance(v, torch.Tensor)],
                outputs,
                device,
                order["memory_bytes"],
                order["most_sets"],
                sides,
            )
        return json.dumps(self.trusted_tensors.orders(values, outputs)), [], 0.0

    def drawing_place(self, seed: int) -> str:
        """On the device where that can be; KernelBench draws on the host."""
        if self.casts_all or torch.device(self.runs_on).type == "cpu":
            return "cpu"
        self.where = self.runs_on
        try:
            self.inputs(seed)
        except (RuntimeError, TypeError, ValueError):
            return "cpu"  # It mixes the two.
        return self.runs_on

    def stage(self, side: int, _seed: int, count: int) -> Any:
        assert self.trusted_tensors is not None
        self.trusted_tensors.stage(side, count)
        return None

    def take(self, side: int, _seed: int, count: int) -> Any:
        assert self.trusted_tensors is not None
        self.trusted_tensors.choose(side, count)
        processors = os.sched_getaffinity(0)
        os.sched_setaffinity(0, self.aside[1:] or processors)
        try:
            while self.control[NOW] == 0:  # Awake, for it is to be done at once.
                os.sched_yield()
            found = self.trusted_tensors.take(side, count, self.fetch)
        finally:
            os.sched_setaffinity(0, processors)
        return json.dumps(found), [], 0.0

    def fetch(self, descriptor: int) -> int | None:
        """One of a kernel worker's, by the number that it says it has there."""
        _, descriptors = self.ask(str(descriptor))
        return descriptors.pop() if descriptors else None

    def watch(self, side: int, *_: int) -> Any:
        assert self.trusted_tensors is not None
        self.trusted_tensors.watch(side, self.descriptors.pop())
        return None

    def device_contention(self, _slot: int, _seed: int, microseconds: int) -> Any:
        assert self.trusted_tensors is not None
        own = self.trusted_tensors.device_contention
        times = 0.0 if own is None else own.times(1e-6 * microseconds)
        return json.dumps({"times": times}), [], 0.0

    def judge(self, _slot: int, _seed: int, count: int) -> Any:
        assert self.trusted_tensors is not None
        return json.dumps(self.trusted_tensors.judge(count, self.order())), [], 0.0

    def state(self, *_: int) -> Any:
        state = self.model.state_dict()
        self.returned = [
            value.detach().cpu().contiguous() for value in state.values()
        ]
        entries = [entry_of(value) for value in self.returned]
        return json.dumps(list(state.keys())), entries, 0.0

    def describe(self, _slot: int, seed: int, _argument: int) -> Any:
        order = self.order()
        input_bytes = self.input_bytes()
        if input_bytes > order["most_input_bytes"]:
            return json.dumps({"input_bytes": input_bytes}), [], 0.0
        with torch.no_grad():
            inputs = self.inputs(seed)
            shapes = [shape_of(value) for value in inputs]
            # By KernelBench's own protocol, drawing takes long, and each draw's
            # shapes are held against the first's.
            if not self.casts_all and shapes != [
                shape_of(value) for value in self.inputs(seed + 1)
            ]:
                raise Refusal(
                    "get_inputs() returns other shapes or types from call to "
                    "call"
                )
            self.seed(seed)
            outputs = self.forward(inputs)
            for output in outputs:
                check_tensor(output, "what Model.forward returned")
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
        closeness = getattr(self.module, "CLOSENESS", None)
        if closeness is not None:  # A problem of GPU MODE that has its own.
            document["closeness"] = closeness
        return json.dumps(document), [], 0.0

    def input_bytes(self) -> int:
        """What get_inputs() would take, found without taking it; 0: not known."""
        try:
            with torch.device("meta"), Undrawn():
                values = self.called("get_inputs")
        except Exception:  # pylint: disable=broad-except
            return 0  # It needs values, or fails anyway.
        return sum(
            value.numel() * value.element_size()
            for value in values
            if isinstance(value, torch.Tensor)
        )

    def forward(self, inputs: list[Any]) -> list[Any]:
        values = [
            v.to(self.runs_on) if isinstance(v, torch.Tensor) else v
            for v in inputs
        ]
        try:
            result = self.model.to(self.runs_on)(*values)
            outputs = [plain(part) for part in flatten(result, [])]
        except Refusal as refusal:
            raise Refusal(f"Model.forward: {refusal}") from refusal
        if not outputs:
            raise Refusal("Model.forward returns nothing")
        # trace_task.cc writes this into the problems that it makes.
        expected = getattr(self.module, "OUTPUTS_OF_RUN", len(outputs))
        if len(outputs) != expected:
            raise Refusal(
                f"its reference returns {len(outputs)} tensors, not {expected}"
            )
        # gpu_mode.py says which outputs of GPU MODE's may have no elements.
        if not self.file and not any(output.numel() for output in outputs):
            raise Refusal(
                "its outputs have no element by which a kernel could be judged"
            )
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

    def spoil(self, _slot: int, seed: int, _argument: int) -> Any:
        order = self.order()
        examined = Examined(self, seed)
        with torch.no_grad():
            found = mutated_outputs.examine(examined, order)
        return json.dumps(found), [], 0.0

    def variants(self, _slot: int, seed: int, _argument: int) -> Any:
        order = self.order()
        examined = Examined(self, seed)
        with torch.no_grad():
            found = examined.variants(order["rule"])
        return json.dumps(found), [], 0.0

    def traffic_floor(self, _slot: int, seed: int, _argument: int) -> Any:
        with torch.no_grad():
            found = traffic_floor.measure(Examined(self, seed), self.runs_on)
        return json.dumps(found), [], 0.0

    def check(self, *_: int) -> Any:
        order = self.order()
        order["on_cpu"] = torch.device(self.runs_on).type == "cpu"
        if "operations" in order:
            found = source_rules.check_operations(order["operations"], order)
        else:
            found = source_rules.check(order["source"], order)
        return json.dumps(found), [], 0.0

    def trial_seeds(self, _slot: int, seed: int, argument: int) -> Any:
        """As KernelBench draws them from its seed."""
        torch.manual_seed(seed)
        seeds = [
            torch.randint(0, 2**32 - 1, (1,)).item() for _ in range(argument)
        ]
        return json.dumps(seeds), [], 0.0

    @staticmethod
    def free() -> None:
        """The device's memory is the kernel workers', too."""
        if torch.cuda.is_initialized():
            torch.cuda.empty_cache()

    def answer(self, work: Any, words: tuple[int, ...]) -> None:
        super().answer(self.told(work), words)

    def where_in_it(self) -> str:
        """The case at hand, where there are several."""
        where = getattr(self.module, "WHERE", None)
        return "" if where is None else where()

    def told(self, work: Any) -> Any:
        """In one line, whatever goes wrong: the file is the user's."""

        def wrapped(*words: int) -> Any:
            try:
                result = work(*words)
                if work in self.calling:
                    self.free()
                return result
            except Refusal as refusal:
                raise Refusal(self.where_in_it() + str(refusal)) from refusal
            except BaseException as error:
                told = self.where_in_it() + one_line(error, self.file)
                raise Refusal(told) from error

        return wrapped


class Examined:
    """A problem as mutated_outputs.py, adversarial.py and traffic_floor.py ask it."""

    def __init__(self, problem: ProblemWorker, seed: int):
        self.problem = problem
        self.seed = seed
        self.is_random = False  # The last outputs depend on random numbers.

    def draws(self, number: int, variant: int = 0) -> list[Any]:
        values = [
            value.to(self.problem.runs_on)
            if isinstance(value, torch.Tensor)
            else value
            for value in self.problem.inputs(self.seed + number)
        ]
        return self.problem.varied(values, variant)

    def variants(self, rule: dict[str, Any]) -> list[tuple[int, str]]:
        return adversarial.usable(self, rule)

    def outputs(
        self, inputs: list[Any], dtype: torch.dtype | None = None
    ) -> list[Any]:
        """In another precision by a copy: a model may have a state."""
        model = self.problem.model
        if dtype is not None:
            self.problem.model = copy.deepcopy(model).to(dtype=dtype)
        self.problem.seed(self.seed)
        before = self.generators()
        try:
            return self.problem.forward(inputs)
        finally:
            self.problem.model = model
            pairs = zip(before, self.generators())
            self.is_random = not all(torch.equal(a, b) for a, b in pairs)

    def generators(self) -> list[torch.Tensor]:
        """Where the random generators stand."""
        states = [torch.get_rng_state()]
        device = torch.device(self.problem.runs_on)
        if device.type == "cuda":
            states.append(torch.cuda.get_rng_state(device))
        return states

    def mixed_outputs(
        self, inputs: list[Any], dtype: torch.dtype
    ) -> list[Any]:
        with torch.autocast(
            torch.device(self.problem.runs_on).type, dtype=dtype
        ):
            return self.outputs(inputs)


def place(path: str, line: int | None, file: str) -> str | None:
    """In a file of the user's: the problem's own, which is called `file`, or
    one that comes with it."""
    if path == "/tmp/problem.py":
        name = file
    elif path.startswith(FOLDER):
        name = path.removeprefix(FOLDER) + " "
    else:
        return None
    return f"{name}line {line}: " if line else name


def one_line(error: BaseException, file: str = "") -> str:
    """With the line of the user's that it is about."""
    at = ""
    for frame in traceback.extract_tb(error.__traceback__):
        at = place(frame.filename, frame.lineno, file) or at
    text = " ".join(str(error).split())
    if mutated_outputs.is_want_of_memory(error):
        return f"{at}out of memory"
    if "CUDA" in text and not torch.cuda.is_available():
        return f"{at}it asks for a GPU, and torch finds none"
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
