"""What every call of a problem has to write, and how fast a device takes it.

A call need not read its inputs: a candidate may know that the outcome does not
depend on them.  But what it returns has to be written, where it differs from
what the call before it returned.  Not counted are elements that are equal for
two draws of inputs, or zero (in memory that was cleared beforehand), and
outputs that are a part of an input or of an output before them: to return
these nothing has to be written.
"""

import time
from typing import Any

import torch

WORDS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
MOST_PLACES = 64  # At which one tensor is looked for in another.
CHUNK = 1 << 22  # Elements that are searched at a time.
LEAST_BYTES = 256 << 20
SECONDS = 0.05  # For clocks to rise.


def words(tensor: torch.Tensor) -> torch.Tensor:
    flat = tensor.contiguous().reshape(-1)
    return flat.view(WORDS[flat.element_size()])


def places(value: torch.Tensor, there: torch.Tensor) -> list[int]:
    """Where it stands, the first of them."""
    found: list[int] = []
    for begin in range(0, len(there), CHUNK):
        hits = (there[begin : begin + CHUNK] == value).nonzero().flatten()
        found += [begin + at for at in hits[:MOST_PLACES].tolist()]
        if len(found) >= MOST_PLACES:
            break
    return found


def is_part(tensor: torch.Tensor, others: list[torch.Tensor]) -> bool:
    """Whether its elements stand in one of them, side by side."""
    own = words(tensor)
    for other in others:
        if other.element_size() != tensor.element_size():
            continue
        there = words(other)
        if len(there) < len(own):
            continue
        for at in places(own[0], there[: len(there) - len(own) + 1]):
            if torch.equal(there[at : at + len(own)], own):
                return True
    return False


def bytes_written(problem: Any) -> int:
    """`problem` draws() inputs by number, and makes outputs() of them."""
    before = [y.clone() for y in problem.outputs(problem.draws(0))]
    inputs = problem.draws(1)
    known = [x for x in inputs if isinstance(x, torch.Tensor)]
    total = 0
    for first, second in zip(before, problem.outputs(inputs)):
        if second.numel() and not is_part(second, known):
            own = words(second)
            count = int(((words(first) != own) & (own != 0)).sum())
            total += count * second.element_size()
        known.append(second)
    return total


def memory(device: torch.device) -> dict[str, float]:
    """How fast it is written, and what of it may stay in a cache."""
    cache = getattr(
        torch.cuda.get_device_properties(device), "L2_cache_size", 0
    )
    if not cache:
        return {}
    size = max(LEAST_BYTES, 4 * cache)
    place = torch.empty(size, dtype=torch.uint8, device=device)
    best = float("inf")
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        begun, done = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begun.record()
        place.fill_(1)
        done.record()
        done.synchronize()
        best = min(best, begun.elapsed_time(done) / 1e3)
    return {"bytes_per_s": size / best, "cache_bytes": cache}


def measure(problem: Any, device: str) -> dict[str, float]:
    place = torch.device(device)
    speed = memory(place) if place.type == "cuda" else {}
    return {"bytes": bytes_written(problem), **speed}
