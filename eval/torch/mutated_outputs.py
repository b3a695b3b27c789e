"""Whether a problem measures anything: its own outputs, spoiled, must fail.

These are null candidates.  They are judged where the problem is, without a
process for each, since nothing here is a candidate's.  Inputs and tolerance are
those that candidates meet: what is drawn, then what adversarial.py makes of it,
and for what still passes more of both, as timed calls would be.

One that is exactly right each time may be right by construction: the mean of one
number is that number.  Then it tells nothing of the problem, and is excused.
"""

import itertools
import time
from typing import Any, Callable

import torch

from comparison import compare

ROUNDS = 3  # On inputs as they are drawn.
MORE_ROUNDS = 10  # For what still passes,
SECONDS = 2.0  # but none is begun after these.
DRAWN = (0, "as drawn")  # In the place of a variant.
CHUNK = 1 << 18  # Elements: who is wrong mostly is so in the first ones.

Tensor = torch.Tensor


def fitted(values: Tensor, y: Tensor) -> Tensor:
    flat = values.flatten().to(y.dtype)
    count = y.numel()
    if flat.numel() == 0:
        return torch.zeros_like(y)
    return flat.repeat(count // flat.numel() + 1)[:count].view(y.shape)


def mean(y: Tensor) -> Tensor:
    return torch.full_like(y, y.double().mean().item())


def half_twice(y: Tensor) -> Tensor:
    return fitted(y.flatten()[: (y.numel() + 1) // 2], y)


def without_last(y: Tensor) -> Tensor:
    y = y.clone()
    last = y.view(-1)[-1:]  # Whose right value may well be zero.
    if y.dtype == torch.bool:
        last.logical_not_()
    elif y.numel():
        last.copy_(-1 - y.double().abs().max())
    return y


OF_ONE_VALUE = "each output is one number, or several that are equal"
THE_IDENTITY = "the problem is the identity on all inputs that candidates meet"

# What is made of y, a right output, p, the one before, and x, the first tensor
# among the inputs; and what it means if that is y itself, where it need not
# mean that nothing is measured.
SPOILINGS: list[tuple[str, Callable[[Tensor, Tensor, Tensor], Tensor], str]] = [
    ("zeros", lambda y, p, x: torch.zeros_like(y), ""),
    ("ones", lambda y, p, x: torch.ones_like(y), ""),
    (
        "copy of the first input",
        lambda y, p, x: fitted(x, y),
        THE_IDENTITY,
    ),
    ("the mean of the output", lambda y, p, x: mean(y), OF_ONE_VALUE),
    ("the previous output", lambda y, p, x: p, ""),
    ("the first half twice", lambda y, p, x: half_twice(y), OF_ONE_VALUE),
    ("all but the last element", lambda y, p, x: without_last(y), ""),
]
# Where all outputs are float32, and the tolerance is for that.
FEWER_BITS = (
    "rounded to bfloat16",
    lambda y, p, x: y.bfloat16().to(y.dtype),
    "each output is a number of bfloat16",
)


def is_want_of_memory(error: Exception) -> bool:
    kinds = (MemoryError, torch.OutOfMemoryError)
    # The host's allocator, and a device's, which has no room for a context.
    words = ("allocate memory", "CUDA error: out of memory")
    return isinstance(error, kinds) or any(w in str(error) for w in words)


class Judged:
    """Whose outputs are compared with right ones, again and again."""

    def __init__(self, name: str, expected: str, excuse: str = ""):
        self.name = name
        self.expected = expected
        self.excuse = excuse
        self.verdict = "passed"
        self.log = ""
        self.worst = 0.0
        self.is_same = True  # In every bit, so far.
        self.met: list[str] = []  # Kinds of inputs.

    @property
    def passes(self) -> bool:
        return self.verdict == "passed"

    @property
    def is_excused(self) -> bool:
        return self.passes and self.is_same and bool(self.excuse)

    def judge(
        self,
        make: Callable[[], list[Tensor]],
        right: list[Tensor],
        kind: str,
        rule: Any,
    ) -> None:
        if not self.passes:
            return
        self.met.append(kind)
        try:
            for y, r in zip(make(), right, strict=True):
                self.enter(self.compared(y.contiguous(), r, rule), kind)
                if self.passes and self.is_same:
                    self.is_same = torch.equal(y, r)
        except Exception as error:  # pylint: disable=broad-except
            self.verdict = "crashed"
            text = f"{type(error).__name__}: {' '.join(str(error).split())}"
            self.log = "out of memory" if is_want_of_memory(error) else text

    def compared(self, y: Tensor, r: Tensor, rule: Any) -> dict[str, Any]:
        if self.expected == "passed":
            return compare(y, r, rule)
        return compare(y, r, rule, CHUNK, to_the_end=False)

    def enter(self, found: dict[str, Any], kind: str) -> None:
        self.worst = max(self.worst, float(found["worst_error_ratio"]))
        if found["wrong"] and self.passes:
            self.verdict = "wrong_output"
            self.log = (
                f"on inputs {kind}: element {found['element']}: got "
                f"{found['got']}, expected {found['expected']}; "
                f"{found['wrong']} elements wrong"
            )

    def document(self) -> dict[str, Any]:
        expected, log = self.expected, self.log
        if self.is_excused:
            expected = "passed"
            log = f"right by construction, since {self.excuse}"
        elif self.passes and expected != "passed":
            log = (
                f"its largest error is {self.worst:.2g} of what is allowed, on "
                f"{len(self.met)} sets of inputs: "
                f"{', '.join(dict.fromkeys(self.met))}"
            )
        elif self.verdict == expected:
            log = ""
        return {
            "name": self.name,
            "expected": expected,
            "verdict": self.verdict,
            "log": log,
            "worst_error_ratio": repr(self.worst),
        }


class Examination:
    def __init__(self, problem: Any, rule: Any):
        self.problem = problem
        self.rule = rule
        self.drawn = 0  # So many sets of inputs.
        _, self.before = self.draw(0)
        spoilings = list(SPOILINGS)
        is_own = rule.get("scale") is not None  # Bits are the task's to waive.
        if not is_own and all(y.dtype == torch.float32 for y in self.before):
            spoilings.append(FEWER_BITS)
        self.nulls = [
            (Judged(name, "wrong_output", excuse), change)
            for name, change, excuse in spoilings
        ]
        self.exact = Judged("in double precision", "passed")

    def draw(self, variant: int) -> tuple[list[Any], list[Tensor]]:
        inputs = self.problem.draws(self.drawn, variant)
        self.drawn += 1
        return inputs, self.problem.outputs(inputs)

    def judge_nulls(self, inputs: list[Any], right: list[Any], kind: str) -> None:
        x = next((v for v in inputs if isinstance(v, Tensor)), right[0])
        before, self.before = self.before, right
        for judged, change in self.nulls:
            judged.judge(
                lambda change=change: [
                    change(y, p, x) for y, p in zip(right, before)
                ],
                right,
                kind,
                self.rule,
            )

    def round(self, kind: tuple[int, str]) -> None:
        inputs, right = self.draw(kind[0])
        self.judge_nulls(inputs, right, kind[1])

    def round_in_double(self) -> None:
        inputs, right = self.draw(DRAWN[0])
        self.judge_nulls(inputs, right, DRAWN[1])
        self.exact.judge(
            lambda: in_double(self.problem, inputs, right),
            right,
            DRAWN[1],
            self.rule,
        )

    def run(self, has_variants: bool) -> list[dict[str, Any]]:
        for _ in range(ROUNDS):
            self.round_in_double()
        kinds = [DRAWN]
        if has_variants and any(judged.passes for judged, _ in self.nulls):
            kinds += self.problem.variants(self.rule)
        if len(kinds) == 1:  # A rectifier is the identity on what is drawn.
            for judged, _ in self.nulls:
                if judged.excuse == THE_IDENTITY:
                    judged.excuse = ""
        for kind in kinds[1:]:
            self.round(kind)
        end = time.monotonic() + SECONDS
        for kind in itertools.islice(itertools.cycle(kinds), MORE_ROUNDS):
            is_settled = all(
                judged.is_excused or not judged.passes
                for judged, _ in self.nulls
            )
            if is_settled or time.monotonic() > end:
                break
            self.round(kind)
        found = [judged for judged, _ in self.nulls]
        return [judged.document() for judged in [*found, self.exact]]


def examine(problem: Any, order: dict[str, Any]) -> list[dict[str, Any]]:
    """`problem` draws() by number and variant, makes outputs() of inputs, and
    knows which variants() may be used, and whether it is_random: outputs() drew
    random numbers."""
    return Examination(problem, order["rule"]).run(order["has_variants"])


def in_double(problem: Any, inputs: list[Any], right: list[Any]) -> list[Any]:
    try:
        wide = problem.outputs(
            [
                v.double()
                if isinstance(v, Tensor) and v.is_floating_point()
                else v
                for v in inputs
            ],
            torch.float64,
        )
    except RuntimeError:  # It mixes precisions of its own.
        return right
    if problem.is_random:  # Other numbers are drawn in double.
        return right
    return [y.to(r.dtype) for y, r in zip(wide, right, strict=True)]
