"""Whether a problem measures anything: its own outputs, spoiled, must fail.

Judged where the problem is, without a process for each: nothing here is a
candidate's.  The spoilings are null_candidates.cc's.
"""

from typing import Any, Callable

import torch

from keeper import compare

ROUNDS = 3  # What passes must do so each time.


class Spoiling:
    def __init__(self, name: str, outputs: Callable[..., list[Any]]):
        self.name = name
        self.outputs = outputs
        self.verdict = "passed"
        self.log = ""
        self.worst = 0.0

    def judge(self, made: tuple[Any, ...], right: list[Any], rule: Any) -> None:
        if self.verdict != "passed":
            return
        try:
            for y, r in zip(self.outputs(*made), right, strict=True):
                self.enter(compare(y.contiguous(), r, rule))
        except Exception as error:  # pylint: disable=broad-except
            self.verdict = "crashed"
            self.log = f"{type(error).__name__}: {error}"

    def enter(self, found: dict[str, Any]) -> None:
        self.worst = max(self.worst, float(found["worst_error_ratio"]))
        if found["wrong"] and self.verdict == "passed":
            self.verdict = "wrong_output"
            self.log = (
                f"element {found['element']}: got {found['got']}, expected "
                f"{found['expected']}; {found['wrong']} elements wrong"
            )

    def document(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "verdict": self.verdict,
            "log": self.log,
            "worst_error_ratio": repr(self.worst),
        }


def of_each_output(function: Callable[..., Any]) -> Callable[..., list[Any]]:
    def outputs(right: list[Any], before: list[Any], x: Any) -> list[Any]:
        return [function(y, p, x) for y, p in zip(right, before)]

    return outputs


def examine(problem: Any, order: dict[str, Any]) -> list[dict[str, Any]]:
    """`problem` draws(), and makes outputs() of inputs."""
    names: dict[str, Any] = {}
    exec(order["tools"], names)  # pylint: disable=exec-used
    spoilings = [
        Spoiling(
            one["name"],
            of_each_output(eval(f"lambda y, p, x: {one['value']}", names)),
        )
        for one in order["spoilings"]
    ]
    exact = Spoiling(order["exact"], lambda outputs: outputs)
    before = problem.outputs(problem.draws(0))
    for i in range(1, ROUNDS + 1):
        inputs = problem.draws(i)
        right = problem.outputs(inputs)
        x = next((v for v in inputs if isinstance(v, torch.Tensor)), right[0])
        for spoiling in spoilings:
            spoiling.judge((right, before, x), right, order["rule"])
        exact.judge((in_double(problem, inputs, right),), right, order["rule"])
        before = right
    return [spoiling.document() for spoiling in [*spoilings, exact]]


def in_double(problem: Any, inputs: list[Any], right: list[Any]) -> list[Any]:
    try:
        wide = problem.outputs(
            [
                v.double()
                if isinstance(v, torch.Tensor) and v.is_floating_point()
                else v
                for v in inputs
            ],
            torch.float64,
        )
    except RuntimeError:  # It mixes precisions of its own.
        return right
    return [y.to(r.dtype) for y, r in zip(wide, right, strict=True)]
