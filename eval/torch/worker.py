"""The process that Python code lives in: a task's, or a candidate's.

Torch is imported before anything is known of what is to be run.  The parent
(eval/torch/worker.cc) asks by fixed-size messages, and is answered with no
more than "request k is done"; what a call returned stays in this process,
which is stopped, until the parent has read it from there.  eval/torch/
protocol.h has the layouts.

What loads code for the parent's own ends (a task: its inputs, its shapes) is
in problem.py and runs in a process in which no candidate ever was.
"""

import ctypes
import importlib.util
import json
import mmap
import os
import resource
import socket
import struct
import sys
import time
import traceback
import warnings
from typing import Any, Callable, Optional

import torch
from torch.autograd import profiler

from call_tracer import CallTracer

SOCKET, CONTROL, NOTES, FILTER = 3, 4, 5, 6  # Descriptors.
SEATS = 2  # Processors, for each device.

REQUEST = struct.Struct("<IIQQQ")  # kind, slot, sequence, seed, argument
REPLY = struct.Struct("<IIQd")  # kind, reserved, sequence, device seconds
HELLO, DONE, FAILED, REFUSED, ASKS = range(5)

HEADER = struct.Struct("<II")  # bytes of text, tensors
TENSOR = struct.Struct("<QQII8q")  # address, bytes, dtype, rank, sizes
TABLE_AT, MOST_TENSORS, MOST_DIMENSIONS = 64, 8192, 8
TEXT_AT = TABLE_AT + MOST_TENSORS * TENSOR.size
TEXT_LIMIT = 8 << 20
PLACES_AT = TEXT_AT + TEXT_LIMIT
PLACE_BYTES = 32  # device_calls.py
NOTES_BYTES = PLACES_AT + MOST_TENSORS * PLACE_BYTES
# What asks the parent to compile something is mentioned by name.
ASKING = ("cpp_extension", "load_solution")
SCALAR = 0xFFFFFFFF  # As a rank: the address is the value's 8 bytes.

# By value of DType (store/records/task.h).
DTYPES = [
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.float8_e4m3fn,
    torch.float8_e5m2,
    None,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
    torch.bool,
]

# Numbered after them, as kernel_worker.cc has them: types that a result may have,
# and is wrong by.
OTHER_DTYPES = [
    torch.float64,
    torch.uint8,
    torch.complex64,
    torch.complex128,
]

# Taken before a candidate could put something else in their place.
_Tensor = torch.Tensor
_Parameter = torch.nn.Parameter
_strided = torch.strided
_seed_host = torch.default_generator.manual_seed
_frombuffer = torch.frombuffer
_no_grad = torch.no_grad
_profile = profiler.profile
_Config = torch._C._profiler._ExperimentalConfig
_clock = time.perf_counter
_contiguous = torch.Tensor.contiguous
_type, _len = type, len


class Refusal(Exception):
    """What was returned is none of the things that may be."""


def divide(
    processors: list[int],
    device: torch.device,
    place: Optional[tuple[int, int]] = None,
) -> tuple[list[int], list[int]]:
    """What kernel workers have, and what they leave to the parent and to the
    problem's worker, which wait awake for calls on a device.  Where there are
    enough; to those of the host's other devices, too.  `place` is the device's
    number on the host, and how many there are, where it sees no other: then
    candidates run on each, and have processors of their own."""
    if device.type == "cpu":
        return processors, []
    number, devices = place or (device.index or 0, torch.cuda.device_count())
    spare = SEATS * devices
    if len(processors) < spare + SEATS:
        return processors, []
    own, seats = processors[:-spare], processors[-spare:]
    share = len(own) // devices
    if place and share:
        own = own[share * number :][:share]
    return own, seats[SEATS * number :][:SEATS]


def room() -> int:
    """Bytes of address space that can be filled.  Of more than that, a system
    ends a process to make room, and it may be any."""
    with open("/proc/self/statm", encoding="ascii") as file:
        mapped = int(file.read().split()[0]) * resource.getpagesize()
    with open("/proc/meminfo", encoding="ascii") as file:
        sizes = dict(line.split(":", 1) for line in file)
    return mapped + 1024 * int(sizes["MemAvailable"].split()[0])


class Confinement:
    """Gives up what the code to come will not need."""

    def __init__(self, order: dict[str, Any]):
        processors = sorted(os.sched_getaffinity(0))
        most = order["processors"]
        own, self.aside = divide(
            processors, torch.device(order["device"]), order.get("place")
        )
        if sys.argv[1] == "problem":
            processors = processors[-most:]
        else:
            processors = own[:most]
        os.sched_setaffinity(0, processors)
        torch.set_num_threads(len(processors))
        if order["memory_bytes"]:
            limit = order["memory_bytes"]
            if sys.argv[1] == "problem":
                limit = min(limit, room())
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    @staticmethod
    def install_filter() -> None:
        """Filters system calls by the BPF program that the parent has passed."""
        code = os.pread(FILTER, 1 << 20, 0)
        if not code:
            return

        class Program(ctypes.Structure):
            _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]

        libc = ctypes.CDLL(None, use_errno=True)
        program = Program(len(code) // 8, code)
        set_no_new_privileges, seccomp, all_threads = 38, 317, 1
        if libc.prctl(set_no_new_privileges, 1, 0, 0, 0) != 0 or libc.syscall(
            seccomp, 1, all_threads, ctypes.byref(program)
        ):
            raise OSError(ctypes.get_errno(), "seccomp")


class Notes:
    """Where this process leaves what the parent may read."""

    def __init__(self) -> None:
        self.memory = mmap.mmap(NOTES, NOTES_BYTES)

    def write(self, text: str, tensors: list[bytes]) -> None:
        data = text.encode("utf-8", "replace")[:TEXT_LIMIT]
        self.memory[TEXT_AT : TEXT_AT + len(data)] = data
        table = b"".join(tensors)
        self.memory[TABLE_AT : TABLE_AT + len(table)] = table
        HEADER.pack_into(self.memory, 0, len(data), len(tensors))


def entry_of(value: Any) -> bytes:
    """A table's entry for a contiguous tensor on the CPU, or for a number."""
    if _type(value) is bool or _type(value) is int:
        raw = struct.unpack("<Q", struct.pack("<q", value))[0]
        kind = 10 if _type(value) is bool else 6
        return TENSOR.pack(raw, 8, kind, SCALAR, *[0] * MOST_DIMENSIONS)
    if _type(value) is float:
        raw = struct.unpack("<Q", struct.pack("<d", value))[0]
        return TENSOR.pack(raw, 8, 0, SCALAR, *[0] * MOST_DIMENSIONS)
    if value.dtype not in DTYPES:
        raise Refusal(f"a tensor of {value.dtype}, which is not supported")
    if value.dim() > MOST_DIMENSIONS:
        raise Refusal(f"a tensor of {value.dim()} dimensions")
    sizes = list(value.shape) + [0] * (MOST_DIMENSIONS - value.dim())
    return TENSOR.pack(
        value.data_ptr() if value.numel() else 0,
        value.numel() * value.element_size(),
        DTYPES.index(value.dtype),
        value.dim(),
        *sizes,
    )


def entry_of_result(value: Any) -> bytes:
    """The entry of any type; of a type that the parent lacks it has the shape."""
    if value.dtype in DTYPES or value.dim() > MOST_DIMENSIONS:
        return entry_of(value)
    kind = len(DTYPES) + (
        OTHER_DTYPES.index(value.dtype)
        if value.dtype in OTHER_DTYPES
        else len(OTHER_DTYPES)
    )
    sizes = list(value.shape) + [0] * (MOST_DIMENSIONS - value.dim())
    return TENSOR.pack(0, 0, kind, value.dim(), *sizes)


def flatten(value: Any, into: list[Any]) -> list[Any]:
    """The tensors of a result: one, or lists and tuples of them, named ones,
    too, such as torch.max returns."""
    if isinstance(value, (list, tuple)):
        for part in value:
            flatten(part, into)
    else:
        into.append(value)
    return into


def plain(value: Any) -> torch.Tensor:
    """A tensor that holds its values, and holds them already."""
    if _type(value) is _Parameter:
        value = value.detach()
    if _type(value) is not _Tensor:
        raise Refusal(
            f"it returned a {_type(value).__qualname__}; expected a "
            "torch.Tensor, or a tuple of them"
        )
    if value.layout is not _strided or value.is_quantized:
        raise Refusal("it returned a tensor that is not a dense array")
    if value.is_meta or value.is_conj() or value.is_neg():
        raise Refusal("it returned a tensor without values of its own")
    return _contiguous(value)


def of_all_threads() -> Any:
    """Else a thread that was there before could do what is not to be seen."""
    try:
        return _Config(profile_all_threads=True)
    except TypeError:  # An older torch.
        return None


OTHERS = "others"  # As kernel_worker.cc has it.


def same_state(own: dict[str, Any], state: dict[str, Any]) -> bool:
    return all(
        torch.equal(value, state[name].to(value.device, value.dtype))
        for name, value in own.items()
    )


def shapes_of(state: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """By name, in whatever order a module has made them."""
    return {name: tuple(value.shape) for name, value in state.items()}


def load_module(name: str, source: str) -> tuple[Any, Any]:
    """To be executed; from a file, since some compilers look their source up."""
    path = f"/tmp/{name}.py"
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    return spec, module


def explain(error: BaseException, hidden: str) -> str:
    """A traceback without the frames of this program's own."""
    frames = traceback.TracebackException.from_exception(error)
    frames.stack = traceback.StackSummary.from_list(
        [
            frame
            for frame in frames.stack
            if not frame.filename.startswith(hidden)
            and not frame.filename.endswith("torch/nn/modules/module.py")
        ]
    )
    return "".join(frames.format())


class Slots:
    """The inputs that the parent writes: shared memory, read-only here."""

    def __init__(self, descriptor: int, layout: dict[str, Any]):
        self.layout = layout
        self.memory = mmap.mmap(
            descriptor, layout["bytes"], mmap.MAP_SHARED, mmap.PROT_READ
        )
        os.close(descriptor)
        # So that no page fault lands in a timed call.
        for at in range(0, layout["bytes"], mmap.PAGESIZE):
            self.memory[at]

    def values(self, slot: int) -> list[Any]:
        base = slot * self.layout["stride"]
        return [self.value(base, entry) for entry in self.layout["inputs"]]

    def value(self, base: int, entry: dict[str, Any]) -> Any:
        offset = base + entry["offset"]
        if "scalar" in entry:
            (value,) = struct.unpack_from(entry["scalar"], self.memory, offset)
            return value
        dtype = DTYPES[entry["dtype"]]
        if entry["elements"] == 0:
            return torch.empty(entry["shape"], dtype=dtype)
        flat = _frombuffer(
            self.memory, dtype=dtype, count=entry["elements"], offset=offset
        )
        return flat.view(entry["shape"])


class Worker:
    """Answers requests, one after the other."""

    def __init__(self, is_watched: bool = False) -> None:
        self.is_watched = is_watched  # By a tool: it is to end in good order.
        self.calls_on = torch.device("cpu")
        self.socket = socket.socket(fileno=SOCKET)
        self.control = mmap.mmap(CONTROL, 0, mmap.MAP_SHARED, mmap.PROT_READ)
        self.notes = Notes()
        self.module: Any = None
        self.run: Callable[..., Any] | None = None
        self.own: dict[str, Any] = {}  # Parameters, if they were others.
        self.slots: Slots | None = None
        self.device_calls: Any = None  # Where inputs are a trusted side's.
        self.aside: list[int] = []  # Processors; Confinement has them.
        self.call_tracer = CallTracer()
        self.device: Any = None
        self.hand_over: Callable[[], None] = lambda: None  # Set by equip().
        self.returned: list[Any] = []
        self.sequence = 0  # Of the request at hand.
        self.kinds: dict[int, Callable[..., Any]] = {
            0: self.confine,
            1: self.load,
            2: self.construct,
            3: self.map,
            4: self.adopt,
            5: self.lend,
            6: self.call,
            7: self.nothing,
            8: self.audit,
            10: self.equip,
            11: self.profile,
            12: self.rehearse,
            13: self.part,
            14: self.restore,
        }

    def order(self) -> Any:
        (size,) = struct.unpack_from("<I", self.control, 0)
        return json.loads(self.control[4 : 4 + size])

    # Each takes (slot, seed, argument) and returns text, tensors and seconds.

    def confine(self, *_: int) -> Any:
        order = self.order()
        self.aside = Confinement(order).aside
        self.calls_on = torch.device(order["device"])
        if torch.device(order["device"]).type != "cpu":
            from cuda_clock import Device  # Beside this file.

            self.device = Device(order["device"])
            device = self.device
            seat = [str(processor) for processor in self.aside[:1]]
            words = [device.name, device.architecture, device.uuid, *seat]
            return "\n".join(words), [], 0.0
        return None

    def equip(self, *_: int) -> Any:
        from compiling import equip  # Beside this file.

        order = self.order()
        self.hand_over = equip(
            sys.argv[1], order["device"], order["triton"], order["torch"]
        )
        return None

    def load(self, *_: int) -> Any:
        order = self.order()
        torch.backends.cudnn.allow_tf32 = order["tf32"]
        if any(word in order["source"] for word in ASKING):
            from extensions import install  # Beside this file.

            install(self, "load_solution" in order["source"])
        if "_GPU_MODE" in order["source"]:
            from gpu_mode import provide  # Beside this file.

            provide(order["source"])
        spec, self.module = load_module("candidate", order["source"])
        Confinement.install_filter()
        self.hand_over()
        if "max-autotune" in order["source"]:
            from compiling import keep_what_is_tuned  # Beside this file.

            keep_what_is_tuned()
        spec.loader.exec_module(self.module)
        return None

    def construct(self, _slot: int, seed: int, _argument: int) -> Any:
        order = self.order()
        entry = getattr(self.module, order["entry"], None)
        if entry is None:
            raise Refusal(f"it defines no {order['entry']}")
        self.seed(seed)
        if order["style"] != "module":
            self.run = entry
            return None
        with _no_grad():
            self.run = self.place(entry(*eval_literal(order["init"])), order)
        return None

    def place(self, model: Any, order: dict[str, Any]) -> Any:
        dtype = DTYPES[order["precision"]]
        return model.to(device=order["device"], dtype=dtype)

    def map(self, _slot: int, _seed: int, may_write: int) -> Any:
        order = self.order()
        if "sets" not in order:
            self.slots = Slots(self.descriptors.pop(), order)
            return None
        if self.device_calls is None:
            from device_calls import DeviceCalls  # Beside this file.

            self.device_calls = DeviceCalls(
                self.device, self.notes.memory, PLACES_AT
            )
        self.device_calls.map(self.descriptors.pop(), order, bool(may_write))
        return None

    def lend(self, *_: int) -> Any:
        """Where results may be copied to."""
        self.device_calls.lend(self.descriptors.pop(), self.order())
        return None

    def adopt(self, *_: int) -> Any:
        """The parameters of the reference, if they are named and shaped so.
        Says whether its own were others."""
        order = self.order()
        given = Slots(self.descriptors.pop(), order)
        state = dict(zip(order["names"], given.values(0)))
        own = self.run.state_dict()  # type: ignore[union-attr]
        if shapes_of(own) != shapes_of(state) or same_state(own, state):
            return None
        self.own = {name: x.cpu().clone() for name, x in own.items()}
        self.run.load_state_dict(state)  # type: ignore[union-attr]
        return OTHERS, [], 0.0

    def restore(self, *_: int) -> Any:
        """The parameters that it was constructed with."""
        self.run.load_state_dict(self.own)  # type: ignore[union-attr]
        return None

    def part(self, *_: int) -> None:
        """Inputs of other shapes may follow, and another module of the same
        source for them."""
        self.returned = []
        self.run = None
        self.slots = None
        if self.device_calls is not None:
            self.device_calls.let_go()

    def seed(self, seed: int) -> None:
        # Torch's own looks for devices of all kinds, which takes 0.3 ms on the
        # clock of a call.
        _seed_host(seed)
        if self.device is not None:
            self.device.seed(seed)

    def call(self, slot: int, seed: int, count: int) -> Any:
        assert self.run is not None
        seconds = 0.0
        self.returned = []  # So that its memory can be had again.
        with _no_grad():
            self.seed(seed)
            if self.device_calls is not None:
                self.returned, seconds = self.device_calls.call(
                    self.run, self.tensors_of, count, slot == 1
                )
            else:
                assert self.slots is not None
                values = self.slots.values(slot)
                self.returned = self.tensors_of(self.run(*values))
        entries = [entry_of_result(tensor) for tensor in self.returned]
        return "", entries, seconds

    @staticmethod
    def tensors_of(result: Any) -> list[Any]:
        tensors = [plain(part) for part in flatten(result, [])]
        if _len(tensors) > MOST_TENSORS:
            raise Refusal(f"it returned {_len(tensors)} tensors")
        return tensors

    def synchronize(self) -> None:
        if self.device is not None:
            self.device.synchronize()

    def audit(self, *words: int) -> Any:
        """A call like any other, of which the operations are told, too."""
        config = of_all_threads()
        with _profile(
            use_kineto=True, experimental_config=config
        ) as recorded, self.call_tracer as call_tracer:
            _, tensors, seconds = self.call(*words)
        names = {event.name for event in recorded.function_events}
        names |= call_tracer.names
        return json.dumps(sorted(names)), tensors, seconds

    def profile(self, slot: int, seed: int, _count: int) -> Any:
        """Tells operations, how often and how long; the rest is outside of them."""
        self.call(slot, seed, 1)
        with _profile(use_kineto=True) as recorded:
            begin = _clock()
            _, tensors, seconds = self.call(slot, seed, 1)
            rest = _clock() - begin
        operators = []
        for one in recorded.key_averages():
            own = 1e-6 * one.self_cpu_time_total
            operators.append([one.key, one.count, own])
            rest -= own
        operators.append(["(outside of torch's operators)", 1, max(rest, 0.0)])
        operators.sort(key=lambda one: one[2], reverse=True)
        return json.dumps(operators), tensors, seconds

    def rehearse(self, slot: int, seed: int, is_profiled: int) -> Any:
        """For a tool to look at: each input is alone in its memory, which is
        exactly as large as it is."""
        assert self.slots is not None and self.run is not None
        values = [
            v.to(self.calls_on, copy=True) if _type(v) is _Tensor else v
            for v in self.slots.values(slot)
        ]
        with _no_grad():
            self.seed(seed)
            self.run(*values)
            self.synchronize()
            if is_profiled and self.device is not None:
                self.seed(seed)
                self.device.profiled(self.run, values)
        return None

    def nothing(self, launches: int, seed: int, count: int) -> Any:
        """All that a call is, but for the candidate's part."""
        if self.device_calls is None:
            return None
        self.returned = []
        with _no_grad():
            self.seed(seed)
            self.returned = self.device_calls.nothing(
                self.tensors_of, count, launches
            )
        return "", [entry_of_result(one) for one in self.returned], 0.0

    def ask(self, text: str) -> tuple[Any, list[int]]:
        """The parent's answer and descriptors, within a request of its."""
        self.notes.write(text, [])
        self.reply(ASKS, self.sequence, 0.0)
        message, descriptors, _, _ = socket.recv_fds(
            self.socket, REQUEST.size, 4
        )
        if len(message) != REQUEST.size:
            os._exit(0)
        return self.order(), list(descriptors)

    def serve(self) -> None:
        self.reply(HELLO, 0, 0.0)
        while True:
            message, descriptors, _, _ = socket.recv_fds(
                self.socket, REQUEST.size, 4
            )
            if len(message) != REQUEST.size:
                if self.is_watched:
                    return
                os._exit(0)
            self.descriptors = list(descriptors)
            kind, slot, self.sequence, seed, argument = REQUEST.unpack(message)
            self.answer(self.kinds[kind], (slot, seed, argument))

    def answer(self, work: Callable[..., Any], words: tuple[int, ...]) -> None:
        sequence = self.sequence
        try:
            text, tensors, seconds = work(*words) or ("", [], 0.0)
            self.notes.write(text, tensors)
            self.reply(DONE, sequence, seconds)
        except Refusal as refusal:
            self.notes.write(str(refusal), [])
            self.reply(REFUSED, sequence, 0.0)
        except BaseException as error:  # pylint: disable=broad-except
            # SystemExit too: nobody leaves by himself.
            self.notes.write(explain(error, os.path.dirname(__file__)), [])
            self.reply(FAILED, sequence, 0.0)

    def reply(self, kind: int, sequence: int, seconds: float) -> None:
        self.socket.send(REPLY.pack(kind, 0, sequence, seconds))


def eval_literal(text: str) -> Any:
    import ast  # pylint: disable=import-outside-toplevel

    return ast.literal_eval(text)


def main() -> None:
    warnings.filterwarnings("ignore", "The given buffer is not writable")
    sys.dont_write_bytecode = True
    if sys.argv[1] == "problem":
        from problem import ProblemWorker  # Beside this file.

        ProblemWorker().serve()
    else:
        Worker(sys.argv[1] == "watched").serve()


if __name__ == "__main__":
    # What is beside this file imports it by its name.
    sys.modules["worker"] = sys.modules["__main__"]
    main()
