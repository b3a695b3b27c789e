"""Calls on a device, whose inputs are memory of a trusted side's (trusted_tensors.py).

Several are a request, each on a set of its own, which can only be read here.
What they return stays where it is: the notes tell the trusted side in which pieces of
the device's memory (device_memory.cc), and it reads it there.  What is in no
such piece is copied to a place that the trusted side has lent, and so is all where
calls return the same memory; a copy is on their clock.
"""

import ctypes
import os
from typing import Any, Callable

import torch

from output_arena import Arena
from worker import DTYPES, MOST_TENSORS, Refusal

# A tensor's place: its offset in a piece, the piece's bytes, serial and descriptor.
WORDS_OF_A_PLACE = 4
INPUTS = (1 << 64) - 1  # As serials: the inputs', and what is lent.
LENT = (1 << 64) - 2

# Taken before a candidate could put something else in their place.
_copy = torch.Tensor.copy_
_zero = torch.Tensor.zero_
_address_of = torch.Tensor.data_ptr


class DeviceCalls:
    def __init__(self, device: Any, notes: Any, places_at: int):
        self.device = device  # cuda_clock.py's; None: a processor.
        size = 8 * WORDS_OF_A_PLACE * MOST_TENSORS
        view = memoryview(notes)[places_at : places_at + size]
        self.places = view.cast("Q")
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(view))
        self.arena: Arena | None = None
        self.room: Arena | None = None  # What is lent.
        self.inputs: list[list[Any]] = []  # By set.
        self.lent: list[list[Any]] = []
        self.scratch: list[Any] = []  # As what a call returns.
        self.find = None if device is None else self.finder()
        self.touched = torch.zeros(
            1, device="cpu" if device is None else device.place
        )
        self.kept: list[list[Any]] = []  # What the calls at hand returned.

    @staticmethod
    def finder() -> Any:
        path = os.path.join(os.path.dirname(__file__), "device_memory.so")
        find = ctypes.CDLL(path).coppice_find_memory
        find.argtypes = (ctypes.c_uint64, ctypes.c_void_p)
        return find

    @staticmethod
    def take(
        descriptor: int, layout: dict[str, Any], writable: bool
    ) -> tuple[Arena, list[list[Any]]]:
        device = torch.device(layout["device"])
        arena = Arena.take(descriptor, layout["bytes"], device, writable)

        def value(base: int, entry: dict[str, Any]) -> Any:
            if "value" in entry:
                return entry["value"]
            own = dict(entry, dtype=DTYPES[entry["dtype"]])
            return arena.tensor(base + entry["offset"], own)

        return arena, [
            [value(i * layout["stride"], e) for e in layout["tensors"]]
            for i in range(layout["sets"])
        ]

    def map(
        self, descriptor: int, layout: dict[str, Any], writable: bool = False
    ) -> None:
        self.arena, self.inputs = self.take(descriptor, layout, writable)

    def lend(self, descriptor: int, layout: dict[str, Any]) -> None:
        self.room, self.lent = self.take(descriptor, layout, True)
        self.scratch = [torch.empty_like(one) for one in self.lent[0]]

    def let_go(self) -> None:
        """Lets all memory go, which the trusted side then has no more."""
        self.kept, self.scratch, self.inputs, self.lent = [], [], [], []
        self.synchronize()
        for arena in (self.arena, self.room):
            if arena is not None:
                arena.release()
        self.arena = self.room = None
        if self.device is not None:
            torch.cuda.empty_cache()

    def call(
        self,
        run: Callable[..., Any],
        tensors_of: Callable[[Any], list[Any]],
        count: int,
        copies: bool,
    ) -> tuple[list[Any], float]:
        """What the last returned; a single one's time by events."""
        self.kept = []  # So that its memory can be had again.
        seconds = 0.0
        for index in range(count):
            result, seconds = self.one(run, self.inputs[index], count)
            self.leave(tensors_of(result), copies)
        self.synchronize()
        return self.kept[-1], seconds

    def one(
        self, run: Callable[..., Any], values: list[Any], count: int
    ) -> tuple[Any, float]:
        if count == 1 and self.device is not None:
            timed: tuple[Any, float] = self.device.timed(run, values)
            return timed
        return run(*values), 0.0

    def nothing(
        self,
        tensors_of: Callable[[Any], list[Any]],
        count: int,
        launches: int,
    ) -> list[Any]:
        """All that calls are, with empty kernels one after the other, but for
        copies and the candidate's part, to which memory for results belongs."""
        self.kept = []
        for _ in range(launches - 1):
            _zero(self.touched)
            self.synchronize()
        if launches > 0:
            self.one(_zero, [self.touched], count)
        for _ in range(count):
            self.leave(tensors_of(self.scratch), False)
        self.synchronize()
        return self.kept[-1]

    def leave(self, tensors: list[Any], copies: bool) -> None:
        """Where the trusted side finds them."""
        index = len(self.kept)
        at = index * len(self.lent[index])
        # The parent is told of tensors that are too many or unlike, and finds nothing
        # for them.
        for tensor, place in zip(tensors, self.lent[index]):
            if tensor.device != place.device:
                raise Refusal("it returned a tensor that is not on the device")
            if tensor.shape != place.shape or tensor.dtype != place.dtype:
                self.enter(at, LENT, 0)
            elif copies or not self.is_found(_address_of(tensor), at):
                self.enter(at, LENT, 0)
                _copy(place, tensor)
            at += 1
        self.kept.append(tensors)

    def is_found(self, address: int, at: int) -> bool:
        if self.find is None:
            return False
        if self.find(address, self.address + 8 * WORDS_OF_A_PLACE * at):
            return True
        assert self.arena is not None
        inputs = self.arena.bytes
        base = _address_of(inputs)
        if base <= address < base + inputs.numel():
            self.enter(at, INPUTS, address - base)
            return True
        return False

    def enter(self, at: int, serial: int, offset: int) -> None:
        self.places[WORDS_OF_A_PLACE * at] = offset
        self.places[WORDS_OF_A_PLACE * at + 2] = serial

    def synchronize(self) -> None:
        if self.device is not None:
            self.device.synchronize()
