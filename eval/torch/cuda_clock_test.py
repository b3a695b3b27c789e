"""Tests of which calls of CUDA's are made, and in which order, without a GPU."""

import types
import unittest
from typing import Any
from unittest import mock

import cuda_clock
import torch


class Cuda:
    """Writes down what is asked of torch.cuda."""

    def __init__(self, uuid: str = "1234") -> None:
        self.calls: list[str] = []
        self.marks = 0
        self.properties = types.SimpleNamespace(
            name="Some GPU", major=9, minor=0, uuid=uuid
        )
        self.generators = [self.generator(0), self.generator(1)]

    def generator(self, number: int) -> Any:
        def seed(value: int) -> None:
            self.calls.append(f"seed {number} by {value}")

        return types.SimpleNamespace(manual_seed=seed)

    def event(self, enable_timing: bool) -> str:
        assert enable_timing
        self.marks += 1
        return f"mark {self.marks}"

    def does(self, what: str) -> Any:
        return lambda *_: self.calls.append(what)

    def elapsed(self, begin: str, end: str) -> float:
        self.calls.append(f"from {begin} to {end}")
        return 2.5  # Milliseconds.

    def patches(self) -> list[Any]:
        return [
            mock.patch("torch.cuda.set_device", self.does("set")),
            mock.patch("torch.cuda.current_device", return_value=1),
            mock.patch(
                "torch.cuda.get_device_properties", return_value=self.properties
            ),
            mock.patch("torch.cuda.default_generators", self.generators),
            mock.patch(
                "torch.cuda.cudart",
                return_value=types.SimpleNamespace(
                    cudaProfilerStart=self.does("start"),
                    cudaProfilerStop=self.does("stop"),
                ),
            ),
            mock.patch.object(cuda_clock, "_Event", self.event),
            mock.patch.object(
                cuda_clock, "_record", lambda one: self.calls.append(one)
            ),
            mock.patch.object(cuda_clock, "_elapsed_time", self.elapsed),
            mock.patch.object(cuda_clock, "_synchronize", self.does("wait")),
        ]


class DeviceTest(unittest.TestCase):
    def device(self, uuid: str = "1234") -> tuple[Any, Cuda]:
        cuda = Cuda(uuid)
        for patch in cuda.patches():
            patch.start()
            self.addCleanup(patch.stop)
        device = cuda_clock.Device("cuda:1")
        self.assertEqual(cuda.calls, ["set", "mark 1", "wait"])
        cuda.calls.clear()
        return device, cuda

    def test_it_is_told_by_its_properties(self) -> None:
        device, _ = self.device()
        self.assertEqual(device.place, torch.device("cuda:1"))
        self.assertEqual(device.name, "Some GPU")
        self.assertEqual(device.architecture, "90")
        self.assertEqual(device.uuid, "GPU-1234")
        device, _ = self.device("")
        self.assertEqual(device.uuid, "")

    def test_the_generator_of_this_device_is_seeded(self) -> None:
        device, cuda = self.device()
        device.seed(7)
        self.assertEqual(cuda.calls, ["seed 1 by 7"])

    def test_a_call_is_between_two_marks_and_is_waited_for(self) -> None:
        device, cuda = self.device()

        def run(*values: int) -> int:
            cuda.calls.append("run")
            return sum(values)

        found, seconds = device.timed(run, [3, 4])
        self.assertEqual(found, 7)
        self.assertEqual(seconds, 2.5e-3)
        self.assertEqual(
            cuda.calls,
            ["mark 1", "run", "mark 2", "wait", "from mark 1 to mark 2"],
        )

    def test_a_profiler_sees_the_call_alone(self) -> None:
        device, cuda = self.device()
        device.profiled(lambda *_: cuda.calls.append("run"), [1])
        self.assertEqual(cuda.calls, ["wait", "start", "run", "wait", "stop"])
        cuda.calls.clear()
        device.synchronize()
        self.assertEqual(cuda.calls, ["wait"])


if __name__ == "__main__":
    unittest.main()
