"""What calls on a device read and write, kept out of their reach.

Kernels' workers share memory of the device with this process: sets of inputs, and
their own, in which their outputs are.  The inputs are drawn here, on the device,
into memory of this process's own; they are put where kernel workers see them within
the time of the calls that they are for, and the outputs are taken away within
it, too.  So work that is done before or after is done in vain, or on the clock
(eval/torch/device_tensor_exchange.h).
"""

import collections
import mmap
import os
import random
from typing import Any, Callable

import torch

from output_arena import Arena, Driver, driver
from comparison import Pair, are_same_bits, compare_all
from device_contention import DeviceContention
from output_reader import OutputReader, bytes_of
from worker import DTYPES, MOST_TENSORS, NOTES_BYTES, PLACES_AT

ALIGNMENT = 512  # Bytes, of a tensor; torch's own allocator's.
LEAST_FLUSH = 256 << 20  # Bytes.
SAMPLES, SAMPLE_BYTES = 8, 4096  # Of outputs, when they should be there.
# At least so many pieces of a kernel worker may be held, since what it frees is held
# meanwhile.
MOST_PIECES = 64
PIECES_OF_AN_OUTPUT = 4  # For each output of a call.
MOST_BYTES = 1 << 30  # Of them, and as much as twice its outputs.

Sets = list[list[torch.Tensor]]


class Layout:
    """Where tensors of given shapes lie in a set, and sets in an arena."""

    def __init__(self, templates: list[torch.Tensor]):
        self.templates = templates
        self.offsets = []
        self.stride = 0
        for one in templates:
            self.offsets.append(self.stride)
            size = one.numel() * one.element_size()
            self.stride += -(-max(size, 1) // ALIGNMENT) * ALIGNMENT

    def views(self, arena: Arena, sets: int) -> list[list[torch.Tensor]]:
        return [
            [
                arena.tensor(
                    i * self.stride + offset,
                    {
                        "bytes": one.numel() * one.element_size(),
                        "dtype": one.dtype,
                        "shape": one.shape,
                    },
                )
                for offset, one in zip(self.offsets, self.templates)
            ]
            for i in range(sets)
        ]


def sets_that_fit(
    own: Layout,
    results: Layout,
    device: torch.device,
    memory_bytes: int,
    sides: int,
) -> int:
    # Inputs are held as they are drawn, and as each kernel worker is shown them.
    # Outputs are held as a worker's own, as what is lent to it, and as what is
    # taken; it rehearses with one more.
    one_set = (1 + sides) * own.stride + 3 * sides * results.stride
    rehearsed = sides * results.stride
    if device.type != "cpu":  # Others want some of it, too.
        free, _ = torch.cuda.mem_get_info(device)
        memory_bytes = min(memory_bytes, free // 4)
    return (memory_bytes - rehearsed) // max(one_set, 1)


class TrustedTensors:
    def __init__(
        self,
        inputs: list[torch.Tensor],
        outputs: list[torch.Tensor],
        device: torch.device,
        memory_bytes: int,
        most_sets: int,
        sides: int,
    ):
        self.device = device
        own, results = Layout(inputs), Layout(outputs)
        fitting = sets_that_fit(own, results, device, memory_bytes, sides)
        tellable = MOST_TENSORS // max(len(outputs), 1)
        self.sets = max(1, min(most_sets, fitting, tellable))
        self.layouts = (own, results)
        # Each side's own: what the root is shown is not for a candidate to see
        # before its turn, nor to change.
        self.input_arenas = [
            Arena.create(own.stride * self.sets, device) for _ in range(sides)
        ]
        self.lent_arenas = [
            Arena.create(results.stride * self.sets, device)
            for _ in range(sides)
        ]
        self.shown = [
            own.views(arena, self.sets) for arena in self.input_arenas
        ]
        self.lent = [
            results.views(arena, self.sets) for arena in self.lent_arenas
        ]
        self.drawn = [
            [torch.empty_like(one) for one in inputs] for _ in range(self.sets)
        ]
        self.taken = [
            [[torch.empty_like(one) for one in outputs] for _ in range(self.sets)]
            for _ in range(sides)
        ]
        self.samples = [
            torch.empty(
                SAMPLE_BYTES, dtype=torch.uint8, pin_memory=device.type != "cpu"
            )
            for _ in range(SAMPLES)
        ]
        self.random = random.SystemRandom()
        self.parts: list[tuple[int, slice]] = []  # See choose().
        # By side: the notes of its kernel worker, and memory of it by serial, the
        # last used last.
        self.notes: list[Any] = [None] * sides
        self.pieces: list[collections.OrderedDict[int, Arena]] = [
            collections.OrderedDict() for _ in range(sides)
        ]
        self.flush = torch.empty(0)
        self.driver: Driver | None = None
        self.device_contention: DeviceContention | None = None
        if device.type != "cpu":
            properties = torch.cuda.get_device_properties(device)
            size = max(2 * getattr(properties, "L2_cache_size", 0), LEAST_FLUSH)
            self.flush = torch.empty(size, dtype=torch.uint8, device=device)
            self.driver = driver()
            self.device_contention = DeviceContention(self.flush)

    def orders(
        self, values: list[Any], outputs: list[torch.Tensor]
    ) -> list[dict[str, Any]]:
        """For kernel workers' DeviceCalls: inputs by side, and outputs by side.

        `values`: all arguments, of which some may be no tensors.
        """
        own, results = self.layouts
        arenas = [(arena, own, values) for arena in self.input_arenas]
        arenas += [(arena, results, outputs) for arena in self.lent_arenas]
        return [
            {
                "descriptor": arena.descriptor,
                "device": str(self.device),
                "bytes": arena.bytes.numel(),
                "stride": layout.stride,
                "sets": self.sets,
                "tensors": self.entries(layout, arguments),
            }
            for arena, layout, arguments in arenas
        ]

    @staticmethod
    def entries(layout: Layout, arguments: list[Any]) -> list[dict[str, Any]]:
        offsets = iter(layout.offsets)
        return [
            {
                "offset": next(offsets),
                "bytes": value.numel() * value.element_size(),
                "dtype": DTYPES.index(value.dtype),
                "shape": list(value.shape),
            }
            if isinstance(value, torch.Tensor)
            else {"value": value}
            for value in arguments
        ]

    def release(self) -> None:
        """Gives memory back; its tensors are of no use any more."""
        self.synchronize()
        for pieces in self.pieces:
            while pieces:
                pieces.popitem()[1].release()
        self.shown, self.lent = [], []
        for arena in (*self.input_arenas, *self.lent_arenas):
            arena.release()

    def draw(self, index: int, values: list[torch.Tensor]) -> None:
        for mine, value in zip(self.drawn[index], values):
            mine.copy_(value)
        # What is drawn is not to be on the clock of who is called first.
        self.synchronize()

    def stage(self, side: int, count: int) -> None:
        """Inputs into sight, out of the cache, and nothing right in place."""
        used = count * self.layouts[1].stride
        self.lent_arenas[side].bytes[:used].fill_(0xFF)  # NaN; -1; no bool.
        for shown, drawn in zip(self.shown[side][:count], self.drawn):
            for one, value in zip(shown, drawn):
                one.copy_(value)
        if self.driver is not None:
            self.driver.forget_persistence()
            self.flush.fill_(1)
        self.synchronize()

    def watch(self, side: int, notes: int) -> None:
        """Another kernel worker, by its notes."""
        while self.pieces[side]:
            self.pieces[side].popitem()[1].release()
        memory = mmap.mmap(notes, NOTES_BYTES, mmap.MAP_SHARED, mmap.PROT_READ)
        os.close(notes)
        self.notes[side] = memoryview(memory)[PLACES_AT:].cast("Q")
        if self.device_contention is not None:
            self.device_contention.look_alone()

    def choose(self, side: int, count: int) -> None:
        """Which parts of outputs take() looks at first, as nobody knows before.

        Half of them are of the last calls, which one stream would be late with.
        """
        lent = self.lent[side]
        self.parts = []
        for number in range(SAMPLES):
            if number < SAMPLES // 2:
                back = min(self.random.getrandbits(2), number)
                call = max(0, count - 1 - back)
            else:
                call = self.random.randrange(count)
            output = self.random.randrange(len(lent[0]))
            size = bytes_of(lent[call][output]).numel()
            part = min(size, SAMPLE_BYTES)
            begin = self.random.randrange(size - part + 1)
            which = call * len(lent[0]) + output
            self.parts.append((which, slice(begin, begin + part)))

    def take(
        self, side: int, count: int, fetch: Callable[[int], int | None]
    ) -> dict[str, bool]:
        """Whether it was all there, as far as what choose() has chosen shows;
        whether the kernel worker's memory had to be attached, which takes as
        long as work that is late; and whether calls returned what others had
        returned, which is gone.

        A device goes on for one process for some 0.1 ms when another has work
        for it, but copies to the host at once: so samples come first.
        """
        seen = OutputReader(
            self.notes[side],
            self.input_arenas[side],
            self.lent[side],
            self.pieces[side],
            self.device,
            fetch,
        )
        samples = self.sample(seen)
        outputs = len(self.lent[side][0])
        targets = [
            bytes_of(one) for taken in self.taken[side][:count] for one in taken
        ]
        for which, target in enumerate(targets):
            raw = seen.output(which)
            if raw is None:
                target.fill_(0xFF)
            else:
                target.copy_(raw)
        self.synchronize()
        was_there = all(
            torch.equal(sample, targets[which][part].cpu())
            for sample, which, part in samples
        )
        self.let_go(side, count * outputs, seen.serials())
        return {
            "was_there": was_there,
            "attached": seen.attached,
            "reuses": seen.reuses(),
        }

    def sample(self, seen: OutputReader) -> list[tuple[torch.Tensor, int, slice]]:
        samples = []
        for buffer, (which, part) in zip(self.samples, self.parts):
            raw = seen.output(which)
            if raw is not None:
                own = buffer[: part.stop - part.start]
                own.copy_(raw[part], non_blocking=True)
                samples.append((own, which, part))
        return samples

    def let_go(self, side: int, outputs: int, used: set[int]) -> None:
        """Lets go what was not used for long; never what this request used."""
        own = self.pieces[side]
        most = max(MOST_PIECES, PIECES_OF_AN_OUTPUT * outputs)
        results = self.sets * self.layouts[1].stride
        left = sum(arena.bytes.numel() for arena in own.values())
        while len(own) > most or left > MOST_BYTES + 2 * results:
            if next(iter(own)) in used:  # As all behind it are.
                return
            _, arena = own.popitem(last=False)
            left -= arena.bytes.numel()
            arena.release()

    def judge(self, count: int, rule: dict[str, Any]) -> dict[str, Any]:
        """Side 1 by side 0, as taken, and the inputs by what was drawn."""
        def pairs(some: Sets, others: Sets) -> list[Pair]:
            return [
                pair
                for index in range(count)
                for pair in zip(some[index], others[index])
            ]

        if not are_same_bits(pairs(self.shown[1], self.drawn)):
            return {"changed_input": True, "findings": []}
        findings = compare_all(pairs(self.taken[1], self.taken[0]), rule)
        return {"changed_input": False, "findings": findings}

    def synchronize(self) -> None:
        if self.device.type != "cpu":
            torch.cuda.synchronize(self.device)
