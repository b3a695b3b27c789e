"""What one side returned, held against what the other did, on the device where
both are.  eval/torch/verdicts.h has the rule, verdicts.cc the same on a host.
"""

import math
from typing import Any

import matching
import torch

from output_reader import bytes_of
from worker import DTYPES

CHUNK = 1 << 24  # Elements that are compared at a time.
BEYOND_DOUBT = 1.0 - 1e-5  # Of the allowed error, by float32's arithmetic.
LARGEST_SCALE = 1e30  # Which no number of float32 is made infinite by.
# Elements from which on it takes less to ask whether both are equal than to
# work out by how much they are not.
MANY = 1 << 20

Pair = tuple[torch.Tensor, torch.Tensor]


def bits(tensor: torch.Tensor) -> torch.Tensor:
    flat = bytes_of(tensor)
    return flat if flat.numel() % 8 else flat.view(torch.int64)


def are_same_bits(pairs: list[Pair]) -> bool:
    """Looks at all pairs; the device is waited for once."""
    same = [(bits(a) == bits(b)).all() for a, b in pairs if a.numel()]
    return not same or bool(torch.stack(same).all())


def numbers(tensor: torch.Tensor) -> torch.Tensor:
    """To be compared, of a type with arithmetic; bool by its bits."""
    flat = tensor.reshape(-1)
    if flat.element_size() > 1:
        return flat
    # float16 has all numbers of both float8.
    return flat.half() if flat.is_floating_point() else flat.view(torch.int8)


def endless_if_nan(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.nan_to_num(nan=math.inf, posinf=math.inf)


def root_mean_square(flat: torch.Tensor) -> float:
    """Leaves out what is not finite."""
    norm = float(torch.linalg.vector_norm(flat, dtype=torch.float64))
    if math.isfinite(norm):
        return norm / math.sqrt(max(flat.numel(), 1))
    total, count = 0.0, 0
    for part in flat.split(CHUNK):
        finite = part.double()
        finite = finite[torch.isfinite(finite)]
        total += float((finite * finite).sum())
        count += finite.numel()
    return math.sqrt(total / count) if count else 0.0


def errors_of(
    y: torch.Tensor, r: torch.Tensor, scale: Any, is_exact: bool
) -> torch.Tensor:
    """The greatest by what is allowed at a tolerance of 1, absolute, relative."""
    y, r = y.float(), r.float()
    error = (y - r).abs_()
    size = r.abs()
    share = (error / size).masked_fill_(size == 0.0, 0.0).max()
    size = y.abs() if is_exact else size
    return torch.stack([(error / (size + scale)).max(), error.max(), share])


def is_right(seen: list[float] | None) -> bool:
    """Whether float32 leaves no doubt of it."""
    return (
        seen is not None
        and all(map(math.isfinite, seen))
        and seen[0] < BEYOND_DOUBT
    )


def glance(
    y: torch.Tensor,
    r: torch.Tensor,
    tolerance: float,
    scale: float,
    is_exact: bool,
) -> list[float] | None:
    """The greatest errors by float32: by what is allowed, absolute, relative."""
    if not tolerance:
        return [0.0, 0.0, 0.0] if torch.equal(y, r) else None
    if scale > LARGEST_SCALE:
        return None
    ratio, *others = errors_of(y, r, scale, is_exact).tolist()
    return [ratio / tolerance, *others]


def glance_at_all(
    pairs: list[Pair], rule: dict[str, Any]
) -> list[list[float] | None]:
    """As glance() of each; the device is waited for once for all small ones."""
    is_exact = rule["is_exact"]
    found = []
    for own, root in pairs:
        tolerance = rule["tolerances"][DTYPES.index(root.dtype)]
        own, root = numbers(own), numbers(root)
        no_error = torch.zeros(3, device=root.device)
        if not tolerance:
            found.append(no_error + torch.where((own == root).all(), 0.0, math.nan))
            continue
        count = root.numel()
        if count == 0 or (count >= MANY and torch.equal(own, root)):
            found.append(no_error)
            continue
        scale = rule.get("scale")
        if scale is None and is_exact:
            scale = 1.0
        if scale is None:
            norm = torch.linalg.vector_norm(root, dtype=torch.float64)
            scale = norm / math.sqrt(count)
        else:
            scale = torch.tensor(scale, device=root.device)
        parts = [
            errors_of(y, r, scale, is_exact)
            for y, r in zip(own.split(CHUNK), root.split(CHUNK))
        ]
        errors = torch.stack(parts).max(0).values
        errors[0] /= tolerance
        # Not finite, or too large: float32 cannot tell.
        found.append(torch.where(scale <= LARGEST_SCALE, errors, math.nan))
    return torch.stack(found).tolist() if found else []


def finding(
    most: list[float], wrong: int, first: dict[str, Any]
) -> dict[str, Any]:
    return {
        "wrong": wrong,
        "worst_error_ratio": repr(most[0]),
        "max_absolute_error": repr(most[1]),
        "max_relative_error": repr(most[2]),
        **first,
    }


def compare_all(
    pairs: list[Pair], rule: dict[str, Any]
) -> list[dict[str, Any]]:
    """As compare() of each."""
    if rule["matching"] is not None:
        return [compare(own, root, rule) for own, root in pairs]
    return [
        finding(seen, 0, {}) if is_right(seen) else compare(own, root, rule)
        for (own, root), seen in zip(pairs, glance_at_all(pairs, rule))
    ]


def compare(
    own: torch.Tensor,
    root: torch.Tensor,
    rule: dict[str, Any],
    chunk: int | None = None,
    to_the_end: bool = True,
) -> dict[str, Any]:
    """eval/torch/verdicts.h has the rule, verdicts.cc the same on a host.

    Numbers are texts: JSON has no infinity.  If not `to_the_end`, it ends with
    the first `chunk` of elements of which some are wrong.
    """
    if rule["matching"] is not None:
        return matching.compare(own, root, rule["matching"])
    chunk = chunk or CHUNK
    tolerance = rule["tolerances"][DTYPES.index(root.dtype)]
    is_exact = rule["is_exact"]
    own, root = numbers(own), numbers(root)
    scale = rule.get("scale")
    if scale is None:
        scale = 1.0 if is_exact or not tolerance else root_mean_square(root)
    most, wrong = [0.0, 0.0, 0.0], 0
    first: dict[str, Any] = {}
    for begin in range(0, root.numel(), chunk):
        if wrong and not to_the_end:
            break
        y = own[begin : begin + chunk]
        r = root[begin : begin + chunk]
        seen = glance(y, r, tolerance, scale, is_exact)
        if is_right(seen):
            most = list(map(max, most, seen))
            continue
        alike = y == r
        y, r = y.double(), r.double()
        if not is_exact:
            alike |= torch.isnan(y) & torch.isnan(r)
        error = (y - r).abs()
        allowed = tolerance * (scale + (y if is_exact else r).abs())
        # Infinite against anything else is no matter of tolerance.
        ratio = torch.where(torch.isfinite(error), error / allowed, math.inf)
        ratio = torch.where(alike, 0.0, endless_if_nan(ratio))
        error = torch.where(alike, 0.0, endless_if_nan(error))
        share = torch.where(r != 0.0, endless_if_nan(error / r.abs()), 0.0)
        here = [float(part.max()) for part in (ratio, error, share)]
        most = list(map(max, most, here))
        bad = ratio > 1.0
        if not wrong and bool(bad.any()):
            at = int(bad.to(torch.uint8).argmax())
            first = {
                "element": begin + at,
                "got": repr(float(y[at])),
                "expected": repr(float(r[at])),
                "allowed": repr(float(allowed[at])),
            }
        wrong += int(bad.sum())
    return finding(most, wrong, first)
