"""Tests of worker.py: which processors kernel workers leave to who waits for them
awake, what a result may be made of, what the parent is told of it, and what is
answered to a request."""

import array
import errno
import json
import os
import queue
import resource
import socket
import struct
import sys
import threading
import types
import unittest
import warnings
from typing import Any, Callable, NamedTuple
from unittest import mock

import torch
import worker
from torch import nn
from worker import DTYPES, Confinement, Refusal, Worker, divide, entry_of
from worker import entry_of_result, flatten, plain, same_state, shapes_of

CONTROL_BYTES = 1 << 16


def loaded_from_text(name: str, source: str) -> tuple[Any, Any]:
    """As load_module(), without a file that all processes would share."""
    module = types.ModuleType(name)

    def exec_module(made: types.ModuleType) -> None:
        code = compile(source, f"/tmp/{name}.py", "exec")
        exec(code, made.__dict__)  # pylint: disable=exec-used

    loader = types.SimpleNamespace(exec_module=exec_module)
    return types.SimpleNamespace(loader=loader), module


class Parent:
    """What eval/torch/worker.cc is to a worker, in one process with it."""

    def __init__(self, make: Callable[[], Any]):
        self.socket, its = socket.socketpair(
            socket.AF_UNIX, socket.SOCK_SEQPACKET
        )
        self.socket.settimeout(10)
        self.control = os.memfd_create("control")
        os.truncate(self.control, CONTROL_BYTES)
        notes = os.memfd_create("notes")
        os.truncate(notes, worker.NOTES_BYTES)
        with mock.patch.multiple(
            worker, SOCKET=its.detach(), CONTROL=self.control, NOTES=notes
        ):
            self.worker = make()
        os.close(notes)

    def close(self) -> None:
        self.socket.close()
        self.worker.socket.close()
        os.close(self.control)

    def orders(self, **order: Any) -> None:
        data = json.dumps(order).encode()
        os.pwrite(self.control, struct.pack("<I", len(data)) + data, 0)

    def ask(self, kind: int, *words: int) -> tuple[int, str]:
        """What is answered, and its text; `words`: slot, seed, argument."""
        slot, seed, argument = (*words, 0, 0, 0)[:3]
        self.worker.answer(self.worker.kinds[kind], (slot, seed, argument))
        answer, *rest = worker.REPLY.unpack(self.socket.recv(64))
        if rest != [0, self.worker.sequence, 0.0]:  # No device's seconds.
            raise AssertionError(rest)
        return answer, self.text()

    def done(self, kind: int, *words: int) -> str:
        answer, text = self.ask(kind, *words)
        if answer != worker.DONE:
            raise AssertionError(text)
        return text

    def refused(self, kind: int, *words: int) -> str:
        answer, text = self.ask(kind, *words)
        if answer != worker.REFUSED:
            raise AssertionError(f"{answer}: {text}")
        return text

    def text(self) -> str:
        size, _ = worker.HEADER.unpack_from(self.worker.notes.memory, 0)
        at = worker.TEXT_AT
        return self.worker.notes.memory[at : at + size].decode()

    def entries(self) -> list[tuple[int, ...]]:
        _, count = worker.HEADER.unpack_from(self.worker.notes.memory, 0)
        return [
            worker.TENSOR.unpack_from(
                self.worker.notes.memory,
                worker.TABLE_AT + i * worker.TENSOR.size,
            )
            for i in range(count)
        ]


class DivideTest(unittest.TestCase):
    def divided(
        self, processors: int, device: str, devices: int
    ) -> tuple[int, list[int]]:
        """How many kernel workers have, the first ones, and what they leave."""
        with mock.patch("torch.cuda.device_count", return_value=devices):
            own, aside = divide(list(range(processors)), torch.device(device))
        self.assertEqual(own, list(range(len(own))))
        return len(own), aside

    def test_the_last_two_are_left(self) -> None:
        self.assertEqual(self.divided(16, "cuda", 1), (14, [14, 15]))
        self.assertEqual(self.divided(4, "cuda:0", 1), (2, [2, 3]))

    def test_two_are_left_to_each_device(self) -> None:
        self.assertEqual(self.divided(16, "cuda:0", 2), (12, [12, 13]))
        self.assertEqual(self.divided(16, "cuda:1", 2), (12, [14, 15]))
        self.assertEqual(self.divided(6, "cuda:0", 2), (2, [2, 3]))

    def test_who_sees_one_device_is_told_its_place(self) -> None:
        with mock.patch("torch.cuda.device_count", return_value=1):
            own, aside = divide(list(range(16)), torch.device("cuda:0"), (1, 2))
        # 2 x 2 of 16 are left, 12 to 15, the last two to number 1, whose
        # kernel workers have the second half of the others.
        self.assertEqual(own, [6, 7, 8, 9, 10, 11])
        self.assertEqual(aside, [14, 15])

    def test_all_share_what_is_less_than_one_for_each(self) -> None:
        # 18 less 8 x 2 are 2, which 8 devices cannot have for themselves.
        with mock.patch("torch.cuda.device_count", return_value=1):
            own, aside = divide(list(range(18)), torch.device("cuda:0"), (0, 8))
        self.assertEqual(own, [0, 1])
        self.assertEqual(aside, [2, 3])

    def test_none_is_left_where_there_are_few(self) -> None:
        self.assertEqual(self.divided(3, "cuda:0", 1), (3, []))
        self.assertEqual(self.divided(5, "cuda:0", 2), (5, []))

    def test_a_processor_is_no_device(self) -> None:
        self.assertEqual(self.divided(16, "cpu", 0), (16, []))


class Pair(NamedTuple):
    first: torch.Tensor
    second: list[torch.Tensor]


class FlattenTest(unittest.TestCase):
    def test_parts_follow_one_another_whatever_they_are_in(self) -> None:
        a, b, c = (torch.tensor(float(i)) for i in range(3))
        for result in (a, [b, c]), [a, (b,), [c]], Pair(a, [b, c]):
            parts = flatten(result, [])
            self.assertEqual([float(part) for part in parts], [0.0, 1.0, 2.0])

    def test_torchs_own_named_results_are_tuples(self) -> None:
        # The largest of 3, 7 and 5, and where it is.
        parts = flatten(torch.max(torch.tensor([3.0, 7.0, 5.0]), dim=0), [])
        self.assertEqual([float(part) for part in parts], [7.0, 1.0])


class ShapesTest(unittest.TestCase):
    def test_the_order_in_which_layers_are_made_does_not_matter(self) -> None:
        weight, bias = torch.zeros(2, 3), torch.zeros(2)
        self.assertEqual(
            shapes_of({"weight": weight, "bias": bias}),
            shapes_of({"bias": bias, "weight": weight}),
        )
        self.assertNotEqual(
            shapes_of({"weight": weight}), shapes_of({"weight": weight.t()})
        )
        self.assertNotEqual(
            shapes_of({"weight": weight}), shapes_of({"kernel": weight})
        )

    def test_states_are_the_same_by_their_values(self) -> None:
        one = {"weight": torch.tensor([1.0, 2.0]), "bias": torch.tensor([3.0])}
        rounded = {name: value.half() for name, value in one.items()}
        self.assertTrue(same_state(one, rounded))  # 1, 2 and 3 are float16's.
        other = {"weight": torch.tensor([1.0, 2.0]), "bias": torch.tensor([4.0])}
        self.assertFalse(same_state(one, other))
        self.assertTrue(same_state({}, {}))


class PlainTest(unittest.TestCase):
    """What a candidate returns is read by its address, so it must be there."""

    def test_a_tensor_is_itself(self) -> None:
        one = torch.arange(6.0).reshape(2, 3)
        self.assertIs(plain(one), one)

    def test_what_lies_in_another_order_is_put_in_order(self) -> None:
        one = torch.arange(6.0).reshape(2, 3).t()
        found = plain(one)
        self.assertTrue(found.is_contiguous())
        self.assertEqual(found.flatten().tolist(), [0, 3, 1, 4, 2, 5])

    def test_a_parameter_is_a_tensor(self) -> None:
        own = nn.Parameter(torch.ones(2))
        found = plain(own)
        self.assertIs(type(found), torch.Tensor)
        self.assertFalse(found.requires_grad)
        self.assertEqual(found.data_ptr(), own.data_ptr())

    def test_what_computes_when_it_is_asked_is_refused(self) -> None:
        class Lazy(torch.Tensor):
            pass

        lazy = torch.ones(2).as_subclass(Lazy)
        with self.assertRaisesRegex(
            Refusal,
            "^it returned a PlainTest.*Lazy; expected a torch.Tensor, or a "
            "tuple of them$",
        ):
            plain(lazy)

    def test_what_only_says_that_it_is_a_tensor_is_refused(self) -> None:
        class Liar:
            __class__ = torch.Tensor  # type: ignore[assignment]
            layout = torch.strided
            is_quantized = is_meta = False

        self.assertIsInstance(Liar(), torch.Tensor)
        with self.assertRaisesRegex(Refusal, "Liar"):
            plain(Liar())

    def test_what_is_no_tensor_is_refused(self) -> None:
        for value, name in (
            (None, "NoneType"),
            (1.0, "float"),
            ({"y": torch.ones(1)}, "dict"),
            ((i for i in ()), "generator"),
        ):
            with self.assertRaisesRegex(Refusal, f"it returned a {name};"):
                plain(value)

    def test_what_is_no_array_is_refused(self) -> None:
        for value in (
            torch.ones(2, 2).to_sparse(),
            torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.quint8),
        ):
            with self.assertRaisesRegex(
                Refusal, "^it returned a tensor that is not a dense array$"
            ):
                plain(value)

    def test_what_has_no_values_of_its_own_is_refused(self) -> None:
        numbers = torch.ones(2, dtype=torch.complex64)
        for value in (
            torch.ones(2, device="meta"),
            numbers.conj(),
            numbers.conj().imag,  # Which is to be taken for its negative.
        ):
            with self.assertRaisesRegex(
                Refusal, "^it returned a tensor without values of its own$"
            ):
                plain(value)


class ResultTest(unittest.TestCase):
    def test_only_lists_and_tuples_have_parts(self) -> None:
        named, rest = {"y": 1}, iter([2])
        self.assertEqual(flatten((named, rest), []), [named, rest])

    def test_no_more_tensors_than_the_table_has_rows(self) -> None:
        one = torch.ones(1)
        most = [one] * 8192
        self.assertEqual(len(Worker.tensors_of(most)), 8192)
        with self.assertRaisesRegex(Refusal, "^it returned 8193 tensors$"):
            Worker.tensors_of((most, one))


def padded(*sizes: int) -> tuple[int, ...]:
    """As a row has sizes: eight of them."""
    return (*sizes, *[0] * (8 - len(sizes)))


class EntryTest(unittest.TestCase):
    """Address, bytes, type, rank and sizes, as protocol.h has them."""

    SCALAR = 0xFFFFFFFF

    def test_a_tensor_is_told_by_where_it_is(self) -> None:
        one = torch.zeros(2, 3, dtype=torch.float16)
        self.assertEqual(
            worker.TENSOR.unpack(entry_of(one)),
            (one.data_ptr(), 2 * 3 * 2, 1, 2, *padded(2, 3)),
        )

    def test_nothing_is_nowhere(self) -> None:
        self.assertEqual(
            worker.TENSOR.unpack(entry_of(torch.zeros(3, 0))),
            (0, 0, 0, 2, *padded(3, 0)),
        )

    def test_types_have_the_numbers_of_the_store(self) -> None:
        for number, dtype in (
            (0, torch.float32),
            (2, torch.bfloat16),
            (3, torch.float8_e4m3fn),
            (4, torch.float8_e5m2),
            (6, torch.int64),
            (7, torch.int32),
            (8, torch.int16),
            (9, torch.int8),
            (10, torch.bool),
        ):
            found = worker.TENSOR.unpack(entry_of(torch.zeros(1, dtype=dtype)))
            self.assertEqual(found[2], number, dtype)

    def test_a_number_is_told_by_its_eight_bytes(self) -> None:
        for value, raw, kind in (
            (True, 1, 10),
            (False, 0, 10),
            (7, 7, 6),
            (-2, (1 << 64) - 2, 6),
            # 1.5 is 1.1 in binary: exponent 0x3FF, and the first bit after it.
            (1.5, 0x3FF8 << 48, 0),
        ):
            self.assertEqual(
                worker.TENSOR.unpack(entry_of(value)),
                (raw, 8, kind, self.SCALAR, *padded()),
            )

    def test_what_the_parent_does_not_know_is_refused(self) -> None:
        with self.assertRaisesRegex(
            Refusal, "^a tensor of torch.float64, which is not supported$"
        ):
            entry_of(torch.zeros(1, dtype=torch.float64))
        entry_of(torch.zeros([1] * 8))
        with self.assertRaisesRegex(Refusal, "^a tensor of 9 dimensions$"):
            entry_of(torch.zeros([1] * 9))

    def test_a_result_of_another_type_is_told_and_not_read(self) -> None:
        for number, dtype in (
            (11, torch.float64),
            (12, torch.uint8),
            (13, torch.complex64),
            (14, torch.complex128),
            (15, torch.uint16),  # As all that have no number.
        ):
            one = torch.zeros(2, 3, dtype=dtype)
            self.assertEqual(
                worker.TENSOR.unpack(entry_of_result(one)),
                (0, 0, number, 2, *padded(2, 3)),
            )

    def test_of_another_type_it_may_have_eight_dimensions(self) -> None:
        one = torch.zeros([1] * 8, dtype=torch.float64)
        found = worker.TENSOR.unpack(entry_of_result(one))
        self.assertEqual(found[2:], (11, 8, *[1] * 8))

    def test_a_result_of_a_known_type_is_read(self) -> None:
        one = torch.zeros(2)
        self.assertEqual(entry_of_result(one), entry_of(one))

    def test_a_result_of_too_many_dimensions_is_refused(self) -> None:
        for dtype in (torch.float32, torch.float64):
            with self.assertRaises(Refusal):
                entry_of_result(torch.zeros([1] * 9, dtype=dtype))


class SlotsTest(unittest.TestCase):
    # Two slots of 64 bytes: four numbers of float32, an int16, a flag.
    LAYOUT = {
        "bytes": 128,
        "stride": 64,
        "inputs": [
            {"offset": 0, "dtype": 0, "elements": 4, "shape": [2, 2]},
            {"offset": 16, "dtype": 8, "elements": 1, "shape": []},
            {"offset": 24, "scalar": "<d"},
            {"offset": 32, "scalar": "<?"},
            {"offset": 40, "dtype": 2, "elements": 0, "shape": [0, 5]},
        ],
    }

    def setUp(self) -> None:
        self.descriptor = os.memfd_create("slots")
        os.truncate(self.descriptor, 128)
        for at, first in ((0, 0.0), (64, 10.0)):
            row = struct.pack("<4f", *(first + i for i in range(4)))
            os.pwrite(self.descriptor, row, at)
            os.pwrite(self.descriptor, struct.pack("<h", int(first) - 3), at + 16)
            os.pwrite(self.descriptor, struct.pack("<d?", 0.5, first > 0), at + 24)

    def test_each_slot_has_values_of_its_own(self) -> None:
        given = os.dup(self.descriptor)
        slots = worker.Slots(given, self.LAYOUT)
        with self.assertRaises(OSError):  # The mapping needs none.
            os.fstat(given)
        for slot, rows, small, flag in (
            (0, [[0, 1], [2, 3]], -3, False),
            (1, [[10, 11], [12, 13]], 7, True),
        ):
            x, n, scale, is_on, nothing = slots.values(slot)
            self.assertEqual(x.tolist(), rows)
            self.assertEqual((int(n), n.dim()), (small, 0))
            self.assertEqual((scale, is_on), (0.5, flag))
            self.assertEqual(nothing.shape, (0, 5))
            self.assertEqual(nothing.dtype, torch.bfloat16)

    def test_what_the_parent_writes_is_seen(self) -> None:
        slots = worker.Slots(os.dup(self.descriptor), self.LAYOUT)
        x = slots.values(0)[0]
        os.pwrite(self.descriptor, struct.pack("<f", 99.0), 4)
        self.assertEqual(float(x[0][1]), 99.0)

    def test_what_is_not_there_is_not_mapped(self) -> None:
        with self.assertRaises(ValueError):
            worker.Slots(os.dup(self.descriptor), self.LAYOUT | {"bytes": 8192})


class LoadTest(unittest.TestCase):
    def test_a_module_is_of_a_file_that_compilers_can_read(self) -> None:
        name = f"worker_test_{os.getpid()}"
        spec, module = worker.load_module(name, "VALUE = 'ä'\n")
        self.addCleanup(os.remove, f"/tmp/{name}.py")
        self.addCleanup(sys.modules.pop, name)
        self.assertIs(sys.modules[name], module)
        self.assertFalse(hasattr(module, "VALUE"))  # Nothing has run yet.
        spec.loader.exec_module(module)
        self.assertEqual(module.VALUE, "ä")
        self.assertEqual(module.__file__, f"/tmp/{name}.py")

    def test_only_frames_of_the_candidate_are_told(self) -> None:
        hidden = os.path.dirname(worker.__file__)

        class Model(nn.Module):
            def forward(self, x: Any) -> Any:
                raise ValueError("no such shape")

        try:
            Model()(1)
        except ValueError as error:
            told = worker.explain(error, "/nowhere")
            hushed = worker.explain(error, hidden)
        self.assertIn("in forward", told)
        self.assertNotIn("torch/nn/modules/module.py", told)
        self.assertNotIn("in forward", hushed)
        self.assertTrue(hushed.endswith("ValueError: no such shape\n"), hushed)

    def test_literals_are_no_programs(self) -> None:
        self.assertEqual(worker.eval_literal("[3, (1.5, 'x')]"), [3, (1.5, "x")])
        with self.assertRaises(ValueError):
            worker.eval_literal("[__import__('os')]")


class ConfinementTest(unittest.TestCase):
    def confined(self, role: str, **order: Any) -> dict[str, Any]:
        """What is asked of the system, with eight processors and 1 GiB."""
        with (
            mock.patch.object(sys, "argv", ["worker.py", role]),
            mock.patch("os.sched_getaffinity", return_value=set(range(8))),
            mock.patch("os.sched_setaffinity") as affinity,
            mock.patch("torch.set_num_threads") as threads,
            mock.patch("torch.cuda.device_count", return_value=1),
            mock.patch("resource.setrlimit") as limits,
            mock.patch.object(worker, "room", return_value=1 << 30),
        ):
            aside = Confinement(order).aside
        return {
            "processors": list(affinity.call_args.args[1]),
            "threads": threads.call_args.args[0],
            "limits": dict(call.args for call in limits.call_args_list),
            "aside": aside,
        }

    def test_a_kernel_worker_has_the_first_that_are_its(self) -> None:
        found = self.confined(
            "kernel", processors=3, device="cpu", memory_bytes=0
        )
        self.assertEqual(found["processors"], [0, 1, 2])
        self.assertEqual(found["threads"], 3)
        self.assertEqual(found["aside"], [])
        # No image of a candidate's memory is left behind.
        self.assertEqual(found["limits"], {resource.RLIMIT_CORE: (0, 0)})

    def test_the_problem_has_the_last(self) -> None:
        found = self.confined(
            "problem", processors=3, device="cuda:0", memory_bytes=0
        )
        self.assertEqual(found["processors"], [5, 6, 7])
        self.assertEqual(found["aside"], [6, 7])

    def test_on_a_device_who_waits_awake_has_its_own(self) -> None:
        found = self.confined(
            "kernel", processors=8, device="cuda:0", memory_bytes=0
        )
        self.assertEqual(found["processors"], [0, 1, 2, 3, 4, 5])

    def test_memory_is_limited_and_the_problems_by_what_is_free(self) -> None:
        limit = 4 << 30
        order = {"processors": 1, "device": "cpu", "memory_bytes": limit}
        found = self.confined("kernel", **order)["limits"]
        self.assertEqual(found[resource.RLIMIT_AS], (limit, limit))
        found = self.confined("problem", **order)["limits"]
        self.assertEqual(found[resource.RLIMIT_AS], (1 << 30, 1 << 30))
        small = self.confined("problem", **order | {"memory_bytes": 1 << 20})
        self.assertEqual(
            small["limits"][resource.RLIMIT_AS], (1 << 20, 1 << 20)
        )

    def test_room_is_what_is_mapped_and_what_can_be(self) -> None:
        files = {
            "/proc/self/statm": "10 5 1 0 0 0 0\n",
            "/proc/meminfo": "MemTotal: 900 kB\nMemAvailable:  300 kB\n",
        }

        def opened(path: str, **_: Any) -> Any:
            return mock.mock_open(read_data=files[path])()

        with (
            mock.patch.object(worker, "open", opened, create=True),
            mock.patch("resource.getpagesize", return_value=4096),
        ):
            # 10 pages of 4096 bytes, and 300 of 1024.
            self.assertEqual(worker.room(), 10 * 4096 + 300 * 1024)

    def test_no_program_is_no_filter(self) -> None:
        with (
            mock.patch("os.pread", return_value=b""),
            mock.patch("ctypes.CDLL") as library,
        ):
            Confinement.install_filter()
        library.assert_not_called()

    def test_a_filter_is_installed_for_all_threads(self) -> None:
        with (
            mock.patch("os.pread", return_value=bytes(24)) as read,
            mock.patch("ctypes.CDLL") as library,
        ):
            calls = library.return_value
            calls.prctl.return_value = calls.syscall.return_value = 0
            Confinement.install_filter()
        self.assertEqual(read.call_args.args[0], 6)
        # PR_SET_NO_NEW_PRIVS; seccomp(SECCOMP_SET_MODE_FILTER, TSYNC, ...).
        self.assertEqual(calls.prctl.call_args.args, (38, 1, 0, 0, 0))
        self.assertEqual(calls.syscall.call_args.args[:3], (317, 1, 1))
        program = calls.syscall.call_args.args[3]._obj
        self.assertEqual(program.length, 3)  # Of 8 bytes each.

    def test_nothing_runs_where_no_filter_can_be(self) -> None:
        for failing in ("prctl", "syscall"):
            with (
                mock.patch("os.pread", return_value=bytes(8)),
                mock.patch("ctypes.CDLL") as library,
                mock.patch("ctypes.get_errno", return_value=errno.EPERM),
            ):
                calls = library.return_value
                calls.prctl.return_value = calls.syscall.return_value = 0
                getattr(calls, failing).return_value = -1
                with self.assertRaisesRegex(OSError, "seccomp"):
                    Confinement.install_filter()


SCALE = """
import torch
class ModelNew(torch.nn.Module):
    def __init__(self, rows, factor):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.full((rows,), factor))
    def forward(self, x):
        return self.weight * x, x.sum()
def noise(x):
    return torch.rand(4)
def leave(x):
    raise SystemExit(0)
def fail(x):
    raise ValueError("no such shape")
def nothing(x):
    return None
def wide(x):
    return x.double()
def record(x):
    record.grad = torch.is_grad_enabled()
    record.address = x.data_ptr()
    return x
"""
CONFINE, LOAD, CONSTRUCT, MAP, ADOPT, LEND, CALL, NOTHING, AUDIT = range(9)
EQUIP, PROFILE, REHEARSE, PART, RESTORE = range(10, 15)


class WorkerTest(unittest.TestCase):
    """The candidate multiplies its input, 1, 2, 3 and 4, by a weight."""

    def setUp(self) -> None:
        self.parent = Parent(Worker)
        self.addCleanup(self.parent.close)
        self.worker = self.parent.worker
        for name, other in (
            ("load_module", loaded_from_text),
            ("Confinement", mock.Mock()),
        ):
            patch = mock.patch.object(worker, name, other)
            patch.start()
            self.addCleanup(patch.stop)
        # Torch's choice is the process's.
        self.addCleanup(
            setattr,
            torch.backends.cudnn,
            "allow_tf32",
            torch.backends.cudnn.allow_tf32,
        )
        self.load(SCALE)

    def load(self, source: str) -> None:
        self.parent.orders(source=source, tf32=True)
        self.parent.done(LOAD)

    def construct(self, entry: str, style: str = "function", seed: int = 1) -> None:
        self.parent.orders(
            entry=entry, style=style, init="[4, 2.0]", precision=0, device="cpu"
        )
        self.parent.done(CONSTRUCT, 0, seed)

    def file_of(self, *values: float) -> list[int]:
        descriptor = os.memfd_create("values")
        os.truncate(descriptor, 4096)
        os.pwrite(descriptor, array.array("f", values).tobytes(), 0)
        return [descriptor]

    def map(self) -> None:
        row = {"offset": 0, "dtype": 0, "elements": 4, "shape": [4]}
        self.parent.orders(bytes=4096, stride=2048, inputs=[row])
        self.worker.descriptors = self.file_of(1.0, 2.0, 3.0, 4.0)
        self.parent.done(MAP)

    def returned(self) -> list[list[float]]:
        return [one.reshape(-1).tolist() for one in self.worker.returned]

    def test_a_candidate_is_called_on_what_is_in_the_slot(self) -> None:
        self.construct("ModelNew", "module")
        self.map()
        self.assertEqual(self.parent.done(CALL, 0, 1, 1), "")
        # 2 * (1, 2, 3, 4), and their sum.
        self.assertEqual(self.returned(), [[2, 4, 6, 8], [10]])
        product, total = self.parent.entries()
        self.assertEqual(product[0], self.worker.returned[0].data_ptr())
        self.assertEqual(product[1:5], (16, 0, 1, 4))
        self.assertEqual(total[1:5], (4, 0, 0, 0))
        self.parent.done(CALL, 1, 1, 1)  # Of the other slot, which is zero.
        self.assertEqual(self.returned(), [[0, 0, 0, 0], [0]])

    def test_what_a_candidate_must_not_do_is_given_up_before_it_runs(self) -> None:
        steps: list[str] = []
        source = "import worker_test_steps\nworker_test_steps.append('runs')\n"
        confinement = mock.Mock()
        confinement.install_filter = lambda: steps.append("filter")
        self.worker.hand_over = lambda: steps.append("cache")
        with (
            mock.patch.object(worker, "Confinement", confinement),
            mock.patch.dict(sys.modules, worker_test_steps=steps),
        ):
            self.load(source)
        self.assertEqual(steps, ["filter", "cache", "runs"])

    def test_load_inline_is_put_in_place_for_who_names_it(self) -> None:
        for source, calls in (
            ("x = 1", []),
            ("# cpp_extension", [False]),
            ("# load_solution", [True]),
        ):
            with mock.patch("extensions.install") as install:
                self.load(source)
            found = [call.args for call in install.call_args_list]
            self.assertEqual(found, [(self.worker, one) for one in calls])

    def test_files_of_a_problem_are_offered_to_who_has_them(self) -> None:
        for source, calls in (("x = 1", []), ("_GPU_MODE = ''", [mock.call])):
            with mock.patch("gpu_mode.provide") as provide:
                self.load(source)
            self.assertEqual(
                provide.call_args_list, [call(source) for call in calls]
            )

    def test_the_first_memory_of_a_keeper_makes_its_calls(self) -> None:
        with mock.patch("device_calls.DeviceCalls") as made:
            for _ in range(2):
                self.parent.orders(sets=2)
                self.worker.descriptors = [5]
                self.parent.done(MAP, 0, 0, 1)
        made.assert_called_once_with(
            None, self.worker.notes.memory, worker.PLACES_AT
        )
        self.assertEqual(made.return_value.map.call_count, 2)

    def test_what_is_tuned_is_tuned_once_for_who_asks(self) -> None:
        for source, is_kept in (("x = 1", False), ("x = 'max-autotune'", True)):
            with mock.patch("compiling.keep_what_is_tuned") as keep:
                self.load(source)
            self.assertEqual(keep.called, is_kept)

    def test_what_is_loaded_before_a_candidate_is_the_parents_order(self) -> None:
        with (
            mock.patch("compiling.equip", return_value=len) as equip,
            mock.patch.object(sys, "argv", ["worker.py", "kernel"]),
        ):
            self.parent.orders(device="cpu", triton=True, torch=False)
            self.parent.done(EQUIP)
        equip.assert_called_once_with("kernel", "cpu", True, False)
        self.assertIs(self.worker.hand_over, len)

    def test_a_device_is_told_by_name_and_with_a_seat(self) -> None:
        worker.Confinement.return_value.aside = [14, 15]
        self.parent.orders(device="cpu")
        self.assertEqual(self.parent.done(CONFINE), "")
        self.parent.orders(device="meta")  # Which stands for one.
        with mock.patch("cuda_clock.Device") as device:
            device.return_value.name = "Some GPU"
            device.return_value.architecture = "90"
            device.return_value.uuid = "GPU-1"
            told = self.parent.done(CONFINE)
        self.assertEqual(told, "Some GPU\n90\nGPU-1\n14")
        self.assertEqual(self.worker.calls_on, torch.device("meta"))

    def test_on_a_device_calls_go_by_the_keepers_memory(self) -> None:
        calls = self.worker.device_calls = mock.Mock()
        own = torch.ones(4)
        calls.call.return_value = ([own], 0.0)
        calls.nothing.return_value = [own]
        self.parent.orders(sets=2)
        for kind, may_write in ((MAP, 0), (MAP, 1), (LEND, 0)):
            self.worker.descriptors = [5]
            self.parent.done(kind, 0, 0, may_write)
        self.assertEqual(
            [call.args for call in calls.map.call_args_list],
            [(5, {"sets": 2}, False), (5, {"sets": 2}, True)],
        )
        calls.lend.assert_called_once_with(5, {"sets": 2})
        self.worker.run = len
        for slot, copies in ((0, False), (1, True)):
            self.parent.done(CALL, slot, 1, 7)
            calls.call.assert_called_with(
                len, self.worker.tensors_of, 7, copies
            )
        self.assertEqual(self.parent.entries()[0][0], own.data_ptr())
        self.worker.notes.write("", [])
        self.parent.done(NOTHING, 3, 1, 7)  # As many launches as a slot says.
        calls.nothing.assert_called_once_with(self.worker.tensors_of, 7, 3)
        self.assertEqual(self.parent.entries()[0][0], own.data_ptr())

    def test_an_entry_that_is_not_there_is_told(self) -> None:
        self.parent.orders(entry="Model", style="module", init="[]")
        self.assertEqual(self.parent.refused(CONSTRUCT), "it defines no Model")

    def test_numbers_it_draws_are_those_of_the_seed(self) -> None:
        self.construct("noise")
        self.map()
        drawn = []
        for seed in (5, 6, 5):
            self.parent.done(CALL, 0, seed, 1)
            drawn.append(self.returned())
        self.assertEqual(drawn[0], drawn[2])
        self.assertNotEqual(drawn[0], drawn[1])

    def test_nobody_asks_for_gradients(self) -> None:
        self.construct("record")
        self.map()
        self.parent.done(CALL, 0, 1, 1)
        self.assertFalse(self.worker.run.grad)

    def test_what_goes_wrong_is_told_by_its_kind(self) -> None:
        self.map()
        for entry, kind, last in (
            ("fail", worker.FAILED, "ValueError: no such shape\n"),
            ("leave", worker.FAILED, "SystemExit: 0\n"),
            (
                "nothing",
                worker.REFUSED,
                "it returned a NoneType; expected a torch.Tensor, or a tuple of "
                "them",
            ),
        ):
            self.construct(entry)
            answer, text = self.parent.ask(CALL, 0, 1, 1)
            self.assertEqual(answer, kind)
            self.assertTrue(text.endswith(last), text)
            self.assertNotIn("worker.py", text)
            self.assertEqual(self.parent.entries(), [])

    def test_a_type_that_is_wrong_is_told(self) -> None:
        self.construct("wide")
        self.map()
        self.parent.done(CALL, 0, 1, 1)
        self.assertEqual(self.parent.entries()[0][:5], (0, 0, 11, 1, 4))

    def adopt(self, *values: float, rows: int = 4) -> str:
        row = {"offset": 0, "dtype": 0, "elements": rows, "shape": [rows]}
        self.parent.orders(
            bytes=4096, stride=4096, inputs=[row], names=["weight"]
        )
        self.worker.descriptors = self.file_of(*values)
        return self.parent.done(ADOPT)

    def weight(self) -> list[float]:
        return self.worker.run.weight.tolist()

    def test_parameters_of_the_reference_are_taken(self) -> None:
        self.construct("ModelNew", "module")
        self.assertEqual(self.adopt(5, 6, 7, 8), "others")
        self.assertEqual(self.weight(), [5, 6, 7, 8])
        self.parent.done(RESTORE)
        self.assertEqual(self.weight(), [2, 2, 2, 2])

    def test_equal_ones_are_no_others(self) -> None:
        self.construct("ModelNew", "module")
        self.assertEqual(self.adopt(2, 2, 2, 2), "")
        self.assertEqual(self.worker.own, {})

    def test_of_another_shape_they_are_left(self) -> None:
        self.construct("ModelNew", "module")
        self.assertEqual(self.adopt(5, 6, 7, rows=3), "")
        self.assertEqual(self.weight(), [2, 2, 2, 2])

    def test_a_module_has_the_precision_of_the_task(self) -> None:
        self.parent.orders(
            entry="ModelNew",
            style="module",
            init="[4, 2.0]",
            precision=2,
            device="cpu",
        )
        self.parent.done(CONSTRUCT, 0, 1)
        self.assertEqual(self.worker.run.weight.dtype, torch.bfloat16)
        self.assertIs(DTYPES[2], torch.bfloat16)

    def test_after_a_part_nothing_is_left_of_it(self) -> None:
        self.construct("ModelNew", "module")
        self.map()
        self.parent.done(CALL, 0, 1, 1)
        self.worker.device_calls = mock.Mock()
        self.parent.done(PART)
        self.worker.device_calls.let_go.assert_called_once_with()
        self.assertEqual(self.worker.returned, [])
        self.assertIsNone(self.worker.run)
        self.assertIsNone(self.worker.slots)

    def test_an_audit_tells_the_operations(self) -> None:
        self.construct("ModelNew", "module")
        self.map()
        self.worker.call_tracer.unseen.add("coppice::kernel own")
        names = json.loads(self.parent.done(AUDIT, 0, 1, 1))
        self.assertIn("aten::mul", names)
        self.assertIn("aten::sum", names)
        self.assertIn("coppice::kernel own", names)
        self.assertEqual(names, sorted(names))
        self.assertEqual(self.returned(), [[2, 4, 6, 8], [10]])

    def test_an_audit_tells_the_operations_of_threads_that_were_there(self) -> None:
        asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def serve() -> None:
            done.put(torch.asinh(asked.get()))

        thread = threading.Thread(target=serve)
        thread.start()

        def call(x: Any, *_: Any) -> Any:
            asked.put(x)
            return done.get()

        self.map()
        self.worker.run = call
        names = json.loads(self.parent.done(AUDIT, 0, 1, 1))
        thread.join()
        self.assertIn("aten::asinh", names)

    def test_a_profile_has_the_dearest_first(self) -> None:
        self.construct("ModelNew", "module")
        self.map()
        found = json.loads(self.parent.done(PROFILE, 0, 1, 1))
        counts = {name: count for name, count, _ in found}
        self.assertEqual(counts["aten::mul"], 1)  # The first call is not told.
        self.assertEqual(counts["(outside of torch's operators)"], 1)
        seconds = [own for _, _, own in found]
        self.assertEqual(seconds, sorted(seconds, reverse=True))
        self.assertTrue(all(0.0 <= own < 10.0 for own in seconds), seconds)

    def test_only_the_second_call_is_profiled(self) -> None:
        calls: list[int] = []
        self.map()
        self.worker.run = lambda x: calls.append(1) or x
        self.parent.done(PROFILE, 0, 1, 1)
        self.assertEqual(len(calls), 2)

    def test_a_profiler_is_shown_a_call_of_its_own(self) -> None:
        self.construct("record")
        self.map()
        for is_profiled in (0, 1):
            device = self.worker.device = mock.Mock()
            self.parent.done(REHEARSE, 0, 3, is_profiled)
            device.synchronize.assert_called_once_with()
            self.assertEqual(device.profiled.call_count, is_profiled)
            self.assertEqual(device.seed.call_args_list[-1].args, (3,))
            self.assertEqual(device.seed.call_count, 1 + is_profiled)

    def test_a_rehearsal_is_of_inputs_alone_in_their_memory(self) -> None:
        self.construct("record")
        self.map()
        self.parent.done(CALL, 0, 1, 1)
        shared = self.worker.run.address
        self.parent.done(REHEARSE, 0, 1, 1)
        self.assertNotEqual(self.worker.run.address, shared)

    def test_nothing_is_done_where_there_is_no_device(self) -> None:
        self.assertEqual(self.parent.done(NOTHING, 0, 1, 1), "")
        self.assertEqual(self.parent.entries(), [])

    def test_text_is_bounded_and_never_no_text(self) -> None:
        notes = self.worker.notes
        with mock.patch.object(worker, "TEXT_LIMIT", 5):
            notes.write("123456789", [])
        self.assertEqual(self.parent.text(), "12345")
        notes.write("a\ud800b", [])  # Half of a pair is in no encoding.
        self.assertEqual(self.parent.text(), "a?b")

    def test_nothing_of_the_notes_overlaps(self) -> None:
        rows = worker.MOST_TENSORS * worker.TENSOR.size
        self.assertEqual(worker.TENSOR.size, 8 + 8 + 4 + 4 + 8 * 8)
        self.assertEqual(worker.TABLE_AT + rows, worker.TEXT_AT)
        self.assertEqual(worker.TEXT_AT + (8 << 20), worker.PLACES_AT)
        self.assertEqual(
            worker.PLACES_AT + 32 * worker.MOST_TENSORS, worker.NOTES_BYTES
        )

    def test_the_parent_is_asked_within_a_request(self) -> None:
        self.worker.sequence = 7
        self.parent.orders(level="lean")
        descriptor = os.memfd_create("library")
        request = worker.REQUEST.pack(9, 0, 8, 0, 0)
        socket.send_fds(self.parent.socket, [request], [descriptor])
        answer, given = self.worker.ask("compile this")
        self.assertEqual(answer, {"level": "lean"})
        self.assertTrue(
            os.path.sameopenfile(given[0], descriptor) and len(given) == 1
        )
        asked = worker.REPLY.unpack(self.parent.socket.recv(64))
        self.assertEqual(asked, (worker.ASKS, 0, 7, 0.0))
        self.assertEqual(self.parent.text(), "compile this")

    def test_a_process_is_what_its_first_word_says(self) -> None:
        for role, is_watched in (("watched", True), ("kernel", False)):
            with (
                mock.patch.object(sys, "argv", ["worker.py", role]),
                mock.patch.object(worker, "Worker") as made,
                mock.patch.object(sys, "dont_write_bytecode", False),
            ):
                worker.main()
                self.assertTrue(sys.dont_write_bytecode)
            made.assert_called_once_with(is_watched)
            made.return_value.serve.assert_called_once_with()
        with (
            mock.patch.object(sys, "argv", ["worker.py", "problem"]),
            mock.patch("problem.ProblemWorker") as made,
        ):
            worker.main()
        made.return_value.serve.assert_called_once_with()

    def served(self) -> list[tuple[int, int]]:
        """Kinds and numbers of replies to two requests, and then to an end."""
        for sequence, kind in ((3, NOTHING), (4, CONSTRUCT)):
            request = worker.REQUEST.pack(kind, 0, sequence, 0, 0)
            self.parent.socket.send(request)
        self.parent.orders(entry="Model", style="module", init="[]")
        self.parent.socket.shutdown(socket.SHUT_WR)
        if self.worker.is_watched:
            with mock.patch("os._exit", side_effect=AssertionError):
                self.worker.serve()
        else:
            self.worker.serve()
        replies = [worker.REPLY.unpack(self.parent.socket.recv(64)) for _ in "123"]
        return [(kind, sequence) for kind, _, sequence, _ in replies]

    def test_requests_are_answered_by_their_numbers(self) -> None:
        self.worker.is_watched = True
        self.assertEqual(
            self.served(),
            [(worker.HELLO, 0), (worker.DONE, 3), (worker.REFUSED, 4)],
        )

    def test_without_a_parent_nothing_goes_on(self) -> None:
        # A candidate's own ends are none: it leaves as if by a signal.
        class Left(Exception):
            pass

        with mock.patch("os._exit", side_effect=Left) as leave:
            with self.assertRaises(Left):
                self.served()
            leave.assert_called_once_with(0)
            with self.assertRaises(Left):
                self.worker.ask("anything")


if __name__ == "__main__":
    warnings.filterwarnings("ignore", "The given buffer is not writable")
    unittest.main()
