"""A kernel worker's outputs, where they are: in memory of a device that it says to
have, and shows (device_calls.py, device_memory.cc)."""

import collections
from typing import Callable

import torch

from output_arena import Arena
from device_calls import INPUTS, LENT, WORDS_OF_A_PLACE


class OutputReader:
    """Reads one request's, by the kernel worker's word; nothing where that is a lie."""

    def __init__(
        self,
        notes: memoryview,
        inputs: Arena,
        lent: list[list[torch.Tensor]],
        pieces: collections.OrderedDict[int, Arena],
        device: torch.device,
        fetch: Callable[[int], int | None],
    ):
        self.notes = notes
        self.inputs = inputs
        self.lent = lent  # By call; as large as what should be there.
        self.pieces = pieces  # By serial; what is attached is added.
        self.device = device
        self.fetch = fetch  # The descriptor that it says it has.
        self.attached = False
        self.refused: set[int] = set()
        self.places: dict[int, tuple[int, ...]] = {}

    def output(self, which: int) -> torch.Tensor | None:
        """Its bytes."""
        call, number = divmod(which, len(self.lent[0]))
        lent = bytes_of(self.lent[call][number])
        if which not in self.places:  # It is read once.
            at = WORDS_OF_A_PLACE * which
            words = self.notes[at : at + WORDS_OF_A_PLACE].tolist()
            self.places[which] = tuple(words)
        offset, size, serial, descriptor = self.places[which]
        if serial == LENT:
            return lent
        if serial == INPUTS:
            piece: Arena | None = self.inputs
        else:
            piece = self.piece(serial, descriptor, size)
        if piece is None or offset > piece.bytes.numel() - lent.numel():
            return None
        return piece.bytes[offset : offset + lent.numel()]

    def piece(self, serial: int, descriptor: int, size: int) -> Arena | None:
        if serial not in self.pieces and serial not in self.refused:
            self.attached = True
            self.attach(serial, descriptor, size)
        if serial in self.refused:
            return None
        self.pieces.move_to_end(serial)
        return self.pieces[serial]

    def attach(self, serial: int, descriptor: int, size: int) -> None:
        self.refused.add(serial)
        given = self.fetch(descriptor)
        if given is None:
            return
        try:
            self.pieces[serial] = Arena.take(given, size, self.device, False)
        except (RuntimeError, ValueError, OSError, OverflowError):
            return
        self.refused.remove(serial)

    def serials(self) -> set[int]:
        """Serials of the memory that outputs are said to be in."""
        return {serial for _, _, serial, _ in self.places.values()}

    def reuses(self) -> bool:
        """Whether two calls returned the same bytes."""
        spans = []
        for which, (offset, _, serial, _) in self.places.items():
            call, number = divmod(which, len(self.lent[0]))
            size = bytes_of(self.lent[call][number]).numel()
            if size > 0 and serial not in (INPUTS, LENT):
                spans.append((serial, offset, offset + size, call))
        ends: dict[int, int] = {}  # By call, of those that began before.
        before = None
        for serial, begin, end, call in sorted(spans):
            if serial != before:
                ends, before = {}, serial
            if any(e > begin and c != call for c, e in ends.items()):
                return True
            ends[call] = max(end, ends.get(call, 0))
        return False


def bytes_of(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.reshape(-1).view(torch.uint8)
