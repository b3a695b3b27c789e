"""FlashInfer-Bench's own comparison, on a device: eval/torch/matching.h has the
rule, matching.cc the same on a host.
"""

import math
from typing import Any

import torch

LEAST_SCALE = 1e-8
CHUNK = 1 << 24  # Elements that are compared at a time.


class Errors:
    """One tensor's errors: NaN if any is, and then they count for nothing."""

    def __init__(self) -> None:
        self.most = 0.0

    def add(self, errors: torch.Tensor) -> None:
        most = float(errors.max())
        if self.most == self.most:  # NaN stays.
            self.most = most if most != most else max(self.most, most)

    def text(self) -> str:
        return repr(self.most if self.most == self.most else 0.0)


def described(
    at: int, y: torch.Tensor, r: torch.Tensor, rule: dict[str, float]
) -> dict[str, Any]:
    expected = float(r[at])
    allowed = max(
        rule["absolute"], rule["relative"] * (abs(expected) + LEAST_SCALE)
    )
    return {
        "got": repr(float(y[at])),
        "expected": repr(expected),
        "allowed": repr(allowed),
    }


def first_of(wrong: torch.Tensor) -> int:
    return int(wrong.to(torch.uint8).argmax())


def compare(
    own: torch.Tensor, root: torch.Tensor, rule: dict[str, float]
) -> dict[str, Any]:
    """As comparison.compare(), but `wrong` is 0 where enough elements match."""
    own, root = own.reshape(-1), root.reshape(-1)
    wrong, boundless, worst = 0, 0, 0.0
    absolute, relative = Errors(), Errors()
    first: dict[str, Any] = {}
    first_boundless: dict[str, Any] = {}
    for begin in range(0, root.numel(), CHUNK):
        y = own[begin : begin + CHUNK].to(torch.float32)
        r = root[begin : begin + CHUNK].to(torch.float32)
        endless = ~torch.isfinite(y)
        if bool(endless.any()):
            if not boundless:
                at = first_of(endless)
                first_boundless = {
                    "element": begin + at,
                    **described(at, y, r, rule),
                }
            boundless += int(endless.sum())
            continue
        apart = (y - r).abs()
        share = apart / (r.abs() + LEAST_SCALE)
        absolute.add(apart)
        relative.add(share)
        ratio = torch.minimum(
            apart / rule["absolute"], share / rule["relative"]
        )
        ratio = ratio.nan_to_num(nan=0.0, posinf=math.inf)
        worst = max(worst, float(ratio.max()))
        bad = (apart > rule["absolute"]) & (share > rule["relative"])
        if not wrong and bool(bad.any()):
            at = first_of(bad)
            first = {"element": begin + at, **described(at, y, r, rule)}
        wrong += int(bad.sum())
    if boundless:
        return {
            "wrong": boundless,
            "worst_error_ratio": "inf",
            "max_absolute_error": "inf",
            "max_relative_error": "inf",
            **first_boundless,
        }
    if 1.0 - wrong / max(root.numel(), 1) >= rule["least"]:
        wrong, first = 0, {}
    return {
        "wrong": wrong,
        "worst_error_ratio": repr(worst),
        "max_absolute_error": absolute.text(),
        "max_relative_error": relative.text(),
        **first,
    }
