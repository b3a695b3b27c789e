"""Tests of call_tracer.py; needs neither torch nor Triton, but their names."""

import math
import sys
import threading
import types
import unittest
from typing import Any

from call_tracer import CallTracer


def module_of(name: str, source: str) -> dict[str, Any]:
    made: dict[str, Any] = {"__name__": name}
    exec(source, made)  # pylint: disable=exec-used
    return made


TRITON = module_of(
    "triton.runtime.jit",
    """
class JITFunction:
    def __init__(self, fn):
        self.fn = fn
    def run(self, *values, grid, warmup):
        pass
    def __getitem__(self, grid):
        return lambda *values: self.run(*values, grid=grid, warmup=False)
""",
)
LAYERS = module_of(
    "torch.nn.modules.linear",
    """
class Linear:
    def forward(self, x):
        return x
""",
)


class CallTracerTest(unittest.TestCase):
    def seen(self, call: Any, call_tracer: CallTracer | None = None) -> set[str]:
        with call_tracer or CallTracer() as call_tracer:
            call()
        self.assertIsNone(sys.getprofile())
        return call_tracer.names

    def test_kernels_of_triton_are_seen_where_they_are_launched(self) -> None:
        kernel = TRITON["JITFunction"](module_of)
        self.assertEqual(
            self.seen(lambda: kernel[(1,)](2)), {"coppice::kernel module_of"}
        )
        self.assertEqual(
            self.seen(lambda: kernel.run(2, grid=(1,), warmup=True)), set()
        )

    def test_layers_are_called_by_what_does_the_work(self) -> None:
        class Heir(LAYERS["Linear"]):  # type: ignore[misc]
            pass

        class Own(LAYERS["Linear"]):  # type: ignore[misc]
            def forward(self, x: int) -> int:
                return x

        self.assertEqual(
            self.seen(lambda: Heir().forward(1)), {"torch.nn.Linear"}
        )
        self.assertEqual(self.seen(lambda: Own().forward(1)), set())

    def test_functions_of_an_extension_are_seen(self) -> None:
        extension = types.ModuleType("scale")
        extension.run = math.sqrt  # type: ignore[attr-defined]
        call_tracer = CallTracer()
        call_tracer.watch(extension)
        self.assertEqual(self.seen(lambda: math.sin(1), call_tracer), set())
        self.assertEqual(
            self.seen(lambda: math.sqrt(1), call_tracer),
            {"coppice::kernel scale.run"},
        )

    def test_what_cannot_be_seen_is_taken_for_called(self) -> None:
        extension = types.ModuleType("planned")
        extension.Plan = type("Plan", (), {})  # type: ignore[attr-defined]
        call_tracer = CallTracer()
        call_tracer.watch(extension)
        call_tracer.watch(object())
        self.assertEqual(
            self.seen(lambda: None, call_tracer),
            {"coppice::kernel planned", "coppice::kernel extension"},
        )

    def test_a_kernel_without_a_name_is_tritons(self) -> None:
        kernel = TRITON["JITFunction"](object())
        self.assertEqual(
            self.seen(lambda: kernel[1](1)), {"coppice::kernel of Triton's"}
        )

    def test_a_graph_is_seen_when_it_is_replayed(self) -> None:
        for name, seen in (
            ("torch.cuda.graphs", {"coppice::graph"}),
            ("own.graphs", set()),
        ):
            made = module_of(name, "def replay():\n    pass\n")
            self.assertEqual(self.seen(made["replay"]), seen)

    def test_functions_of_numpy_are_seen(self) -> None:
        for name, seen in (
            ("numpy", {"numpy::dot"}),
            ("numpy.linalg", {"numpy::dot"}),
            ("numpy_of_own", set()),
        ):
            made = module_of(name, "def dot():\n    pass\n")
            self.assertEqual(self.seen(made["dot"]), seen)

    def test_other_functions_of_these_modules_are_none(self) -> None:
        for name in ("triton.runtime.jit", "torch.nn.modules.linear"):
            made = module_of(name, "def other():\n    pass\n")
            self.assertEqual(self.seen(made["other"]), set())
        # Nor are functions of these names elsewhere.
        own = module_of("own", "def run():\n    pass\ndef forward():\n    pass\n")
        self.assertEqual(self.seen(own["run"]), set())
        self.assertEqual(self.seen(own["forward"]), set())

    def test_who_hides_the_name_of_a_module_is_none_of_torchs(self) -> None:
        made = module_of("x", "def forward():\n    pass\n")
        for name in (None, 7, ["torch.nn.modules."]):
            made["__name__"] = name
            self.assertEqual(self.seen(made["forward"]), set())

    def test_a_layer_that_is_not_found_is_told_by_its_type(self) -> None:
        class Own:
            pass

        made = module_of(
            "torch.nn.modules.odd", "def forward(self):\n    pass\n"
        )
        self.assertEqual(
            self.seen(lambda: made["forward"](Own())), {"torch.nn.Own"}
        )

    def test_calls_on_another_thread_are_seen(self) -> None:
        layer = LAYERS["Linear"]()

        def work() -> None:
            thread = threading.Thread(target=lambda: layer.forward(1))
            thread.start()
            thread.join()

        self.assertEqual(self.seen(work), {"torch.nn.Linear"})

    def test_what_was_seen_before_is_forgotten_and_nothing_after(self) -> None:
        layer = LAYERS["Linear"]()
        call_tracer = CallTracer()
        self.assertEqual(
            self.seen(lambda: layer.forward(1), call_tracer), {"torch.nn.Linear"}
        )
        self.assertEqual(self.seen(lambda: None, call_tracer), set())
        layer.forward(1)
        later = threading.Thread(target=lambda: layer.forward(1))
        later.start()
        later.join()
        self.assertEqual(call_tracer.names, set())
        self.assertIsNone(sys.getprofile())


if __name__ == "__main__":
    unittest.main()
