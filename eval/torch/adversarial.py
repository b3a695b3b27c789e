"""Inputs of other shapes than get_inputs() draws, to check candidates on.

What is right for uniform numbers in [0, 1) alone is no kernel: there a
rectifier is the identity.  A variant is used where the reference stays finite
and well conditioned on it, which is found out once for each problem.

A tolerance of the problem's own may leave room for 16 bits.  Who computes in
these is right on what is drawn, and may well be past the greatest number of
float16 where all is 16 times as large.  So where the reference is right in mixed
precision, as torch has it, it must be so on a variant, too.
"""

import time
from typing import Any, Callable

import torch

import mutated_outputs
from comparison import compare, numbers

SECONDS = 2.0  # After which no more variants are tried,
LEAST_TRIED = 2  # but so many are: where calls are slow, too, a copy is no kernel.
SAFE_RATIO = 0.25  # Of the allowed error, that the reference's own may be.
MIXED = (torch.float16, torch.bfloat16)
MIXED_RATIO = 0.5  # The same in mixed precision; or half more than as drawn.


def of_rows(x: torch.Tensor) -> torch.Tensor:
    """A third of them so large that float32 has no exponential of numbers that
    were drawn from [0, 1)."""
    shape = x.shape[:-1] + (1,) if x.dim() else ()
    powers = 7 * torch.randint(-1, 2, shape, device=x.device)
    return torch.exp2(powers.float()).to(x.dtype) * x


def constant(x: torch.Tensor) -> torch.Tensor:
    return x.flatten()[:1].expand(x.numel()).reshape(x.shape)


# By what they are called in a complaint; 0 is what get_inputs() draws.
VARIANTS: list[tuple[str, Callable[[torch.Tensor], torch.Tensor]]] = [
    ("as drawn", lambda x: x),
    ("negated", lambda x: -x),
    ("16 times as large", lambda x: 16 * x),
    ("mostly zero", lambda x: x * (torch.rand_like(x) < 0.1)),
    ("of one value", constant),
    ("with rows of other scales", of_rows),
]


def reshape(values: list[Any], variant: int) -> list[Any]:
    """Draws from torch's generator where it draws at all."""
    change = VARIANTS[variant][1]
    return [
        change(value).contiguous()
        if isinstance(value, torch.Tensor)
        and value.is_floating_point()
        and value.dtype.itemsize > 1
        else value
        for value in values
    ]


def usable(problem: Any, rule: dict[str, Any]) -> list[tuple[int, str]]:
    """`problem` draws() by number and variant, and makes outputs() of inputs."""
    found = []
    mixed = mixed_ratios(problem, rule)
    end = time.monotonic() + SECONDS
    for i in range(1, len(VARIANTS)):
        if i > LEAST_TRIED and time.monotonic() > end:
            break
        try:
            if is_usable(problem, i, rule, mixed):
                found.append((i, VARIANTS[i][0]))
        except Exception:  # pylint: disable=broad-except
            continue  # The reference refuses such inputs.
    return found


def shaken(value: Any) -> Any:
    """In the last digits, as another order of sums would do to what follows."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    if value.dtype.itemsize == 1:
        return value
    digit = torch.finfo(value.dtype).eps * (torch.rand_like(value) - 0.5)
    return value + value * digit


def ratio(outputs: list[Any], right: list[Any], rule: dict[str, Any]) -> float:
    """The worst error, of what is allowed."""
    return max(
        float(
            compare(y.to(r.dtype).contiguous(), r, rule)["worst_error_ratio"]
        )
        for y, r in zip(outputs, right, strict=True)
    )


def mixed_ratios(
    problem: Any, rule: dict[str, Any]
) -> dict[torch.dtype, float]:
    """What a variant may make of it, for each precision that is right on what is
    drawn."""
    found: dict[torch.dtype, float] = {}
    if rule.get("scale") is None:
        return found
    inputs = problem.draws(0)
    right = problem.outputs(inputs)
    for dtype in MIXED:
        try:
            worst = ratio(problem.mixed_outputs(inputs, dtype), right, rule)
        except Exception:  # pylint: disable=broad-except
            continue  # It asks for a precision, or mixes them itself.
        if worst <= 1.0:
            found[dtype] = min(max(1.5 * worst, MIXED_RATIO), 1.0)
    return found


def is_usable(
    problem: Any,
    variant: int,
    rule: dict[str, Any],
    mixed: dict[torch.dtype, float],
) -> bool:
    inputs = problem.draws(variant, variant)
    right = problem.outputs(inputs)
    if not all(numbers(y).isfinite().all() for y in right):
        return False

    def is_near(outputs: list[Any], most: float = SAFE_RATIO) -> bool:
        return ratio(outputs, right, rule) <= most  # No NaN is.

    # Where all of a row is equal, a norm of it is 0 by luck.
    return (
        is_near(mutated_outputs.in_double(problem, inputs, right))
        and is_near(problem.outputs([shaken(value) for value in inputs]))
        and all(
            is_near(problem.mixed_outputs(inputs, dtype), most)
            for dtype, most in mixed.items()
        )
    )
