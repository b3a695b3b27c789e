"""Calls on a CUDA device, and their times by its events.

The events are within a candidate's reach: they are for what is to be told as
KernelBench tells it, and are held against the parent's clock
(eval/judge/off_clock_work.h).
"""

from typing import Any, Callable

import torch

# Taken before a candidate could put something else in their place.
_Event = torch.cuda.Event
_record = torch.cuda.Event.record
_elapsed_time = torch.cuda.Event.elapsed_time
_synchronize = torch.cuda.synchronize


class Device:
    def __init__(self, name: str):
        device = torch.device(name)
        self.place = device
        torch.cuda.set_device(device)
        properties = torch.cuda.get_device_properties(device)
        self.name = properties.name
        self.architecture = f"{properties.major}{properties.minor}"
        # As NVML has it, which other evaluators of this device lock by.
        uuid = getattr(properties, "uuid", "")
        self.uuid = f"GPU-{uuid}" if uuid else ""
        self.seed = torch.cuda.default_generators[
            torch.cuda.current_device()
        ].manual_seed
        self.begin = _Event(enable_timing=True)
        self.end = _Event(enable_timing=True)
        _record(self.begin)
        _synchronize()

    def timed(
        self, run: Callable[..., Any], values: list[Any]
    ) -> tuple[Any, float]:
        _record(self.begin)
        result = run(*values)
        _record(self.end)
        _synchronize()
        return result, 1e-3 * _elapsed_time(self.begin, self.end)

    @staticmethod
    def profiled(run: Callable[..., Any], values: list[Any]) -> None:
        """What a profiler that waits for a mark sees."""
        _synchronize()
        runtime = torch.cuda.cudart()
        runtime.cudaProfilerStart()
        run(*values)
        _synchronize()
        runtime.cudaProfilerStop()

    @staticmethod
    def synchronize() -> None:
        _synchronize()
