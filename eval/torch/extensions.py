"""load_inline in a worker: its parent compiles, and passes the library.

What is here is in the candidate's reach.  It may send other requests than
load_inline makes, and load other libraries than it is given; all it gains is
what it could have written in C++.
"""

import dataclasses
import json
import os
import threading
from typing import Any, Callable

import torch

from inline import load_inline
from inline.build import Level, Outcome, Request


# Tvm-ffi tells by a file's name what it is: here descriptors have such names.
NAMED = "/tmp/libraries"
MOST_DESCRIPTORS = 1024  # CUDA holds some dozens for each device.


def path_of(descriptor: int) -> str:
    """It must stay open: the loader takes equal names for equal libraries."""
    return f"/proc/self/fd/{descriptor}"


class Bridge:
    """Compiled when it is needed, and passed with what needs it."""

    def __init__(self) -> None:
        self.descriptor = -1
        self.module: Any = None

    def load(self, path: str, name: str) -> Any:
        if self.module is None:
            self.module = load_inline.load_bridge(path_of(self.descriptor))
        return self.module.load(path, name)


def _watch_nothing(_: Any) -> None:
    pass


compile_: Callable[[Request], Outcome] | None = None  # Once installed,
watch: Callable[[Any], None] = _watch_nothing  # as is this.
bridge = Bridge()


def install(worker: Any, is_solution: bool) -> None:
    global compile_, watch  # pylint: disable=global-statement
    lock = threading.Lock()
    os.mkdir(NAMED)  # Now: a candidate may make no links.
    for descriptor in range(MOST_DESCRIPTORS if is_solution else 0):
        os.symlink(path_of(descriptor), f"{NAMED}/{descriptor}.so")

    def compile_there(request: Request) -> Outcome:
        with lock:
            answer, descriptors = worker.ask(
                json.dumps(dataclasses.asdict(request))
            )
        bridge.descriptor = descriptors[-1] if descriptors else -1
        return Outcome(
            Level(answer["level"]),
            path_of(descriptors[0]) if descriptors else None,
            answer["diagnostics"],
            {},
        )

    compile_ = compile_there
    watch = worker.call_tracer.watch
    load_inline.install(compile_there, bridge, watch, worker.is_watched)


def load_solution(
    files: dict[str, str],
    with_cuda: bool,
    tvm_ffi: bool,
    symbol: str,
    flags: dict[str, list[str]],
) -> Any:
    """The function of a FlashInfer-Bench solution in C++ or CUDA C++."""
    assert compile_ is not None
    request = Request(
        "solution",
        "",
        None,
        with_cuda,
        **{kind: tuple(words) for kind, words in flags.items()},
        files=files,
        tvm_ffi=tvm_ffi,
    )
    outcome = compile_(request)
    if not tvm_ffi or outcome.library is None:
        module = load_inline.load_library(outcome, "solution", bridge)
    else:
        import tvm_ffi as binding  # pylint: disable=import-outside-toplevel

        module = binding.load_module(f"{NAMED}/{os.path.basename(outcome.library)}.so")
    watch(module)
    entry = getattr(module, symbol, None)
    if entry is None:
        raise RuntimeError(f"the solution's sources export no {symbol}")
    return entry


def tensors_of(value: Any) -> Any:
    """What a function bound by tvm-ffi returned."""
    import tvm_ffi  # pylint: disable=import-outside-toplevel

    if isinstance(value, tvm_ffi.Array):
        return tuple(tensors_of(part) for part in value)
    if isinstance(value, tvm_ffi.Tensor):
        return torch.from_dlpack(value)
    return value
