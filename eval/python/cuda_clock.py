"""Calls on a CUDA device, and their times by its events.

Work goes to the default stream, on which the code of KernelBench's examples
launches.  The events are within a candidate's reach; the parent holds them
against its own clock (eval/python/sitting.cc).
"""

import ctypes
from typing import Any, Callable

import torch

import worker

# Taken before a candidate could put something else in their place.
_Event = torch.cuda.Event
_record = torch.cuda.Event.record
_elapsed_time = torch.cuda.Event.elapsed_time
_synchronize = torch.cuda.synchronize
_to = torch.Tensor.to
_clone = torch.Tensor.clone
_fill = torch.Tensor.fill_

PERSISTING_L2_SIZE = 6  # cudaLimitPersistingL2CacheSize


def runtime_library() -> Any:
    """The CUDA run time that torch has loaded."""
    with open("/proc/self/maps", encoding="ascii") as maps:
        for line in maps:
            path = line.split()[-1]
            if "libcudart.so" in path:
                return ctypes.CDLL(path)
    return None


class Device:
    def __init__(self, name: str):
        self.device = torch.device(name)
        torch.cuda.set_device(self.device)
        properties = torch.cuda.get_device_properties(self.device)
        self.name = properties.name
        self.architecture = f"{properties.major}{properties.minor}"
        cache_bytes = getattr(properties, "L2_cache_size", 0)
        self.flush_bytes = max(2 * cache_bytes, 256 << 20)
        self.flush = torch.empty(
            self.flush_bytes, dtype=torch.uint8, device=self.device
        )
        self.begin = _Event(enable_timing=True)
        self.end = _Event(enable_timing=True)
        self.runtime = runtime_library()
        self.inputs: list[Any] = []
        _record(self.begin)
        _synchronize()

    def upload(self, values: list[Any]) -> None:
        """Inputs of the next call, and nothing of them in the cache."""
        self.inputs = [
            _to(value, self.device) if isinstance(value, torch.Tensor) else value
            for value in values
        ]
        if self.runtime is not None:
            self.runtime.cudaDeviceSetLimit(
                PERSISTING_L2_SIZE, ctypes.c_size_t(0)
            )
            self.runtime.cudaCtxResetPersistingL2Cache()
        _fill(self.flush, 42)
        _synchronize()

    def call(self, run: Callable[..., Any]) -> tuple[list[Any], float]:
        _record(self.begin)
        result = run(*self.inputs)
        tensors = [
            self.own(worker.plain(part)) for part in worker.flatten(result, [])
        ]
        _record(self.end)
        # Behind the end on the same stream: what is written later by another
        # one is not in the copy.
        copies = [_clone(tensor) for tensor in tensors]
        _synchronize()
        seconds = 1e-3 * _elapsed_time(self.begin, self.end)
        return [_to(copy, "cpu") for copy in copies], seconds

    @staticmethod
    def own(tensor: torch.Tensor) -> torch.Tensor:
        if not tensor.is_cuda:
            raise worker.Refusal("it returned a tensor that is not on the device")
        return tensor
