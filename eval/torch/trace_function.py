"""A function of FlashInfer-Bench's as a module, which KernelBench's tasks have.

The last lines of sources that trace_task.cc makes import it: what is above them
is the writer's own, and has its own line numbers in tracebacks, where nothing of
this file is seen.
"""

import itertools
from typing import Any

import torch

from worker import Refusal


def module_of(names: dict[str, Any], dtypes: list[str]) -> type[torch.nn.Module]:
    """Calls `run` of a module's names; numbers among its outputs become tensors.

    How many outputs there are is for others to judge.
    """
    run = names.get("run")
    if run is None:
        raise Refusal("it defines no run")

    class Function(torch.nn.Module):
        def forward(self, *inputs: Any) -> tuple[Any, ...]:
            outputs = run(*inputs)
            if not isinstance(outputs, (list, tuple)):
                outputs = (outputs,)
            kinds = itertools.chain(dtypes, itertools.repeat("float32"))
            return tuple(map(tensor_of, outputs, kinds))

    return Function


def tensor_of(value: Any, dtype: str) -> Any:
    if isinstance(value, (list, tuple)):
        raise Refusal(
            f"one of its outputs is a {type(value).__name__}; expected a "
            "torch.Tensor or a number"
        )
    if isinstance(value, (bool, int, float)):
        return torch.tensor(value, dtype=getattr(torch, dtype))
    return value
