"""What a call does that no operation of torch's tells: layers of torch.nn that
are called, NumPy's functions, and kernels of a candidate's own.

It watches Python's own calls, by the hook that profilers have, and only while
it is asked to.  What is in the candidate's reach can be deceived by it.
"""

import sys
import threading
import types
from typing import Any

KERNEL = "coppice::kernel "  # A prefix, as is LAYER.
LAYER = "torch.nn."
NUMPY = "numpy::"  # A prefix, too.
GRAPH = "coppice::graph"  # Was replayed: what is in it is seen nowhere.

_LAYERS = "torch.nn.modules."
_LAUNCHERS = ("triton.runtime.jit", "triton.runtime.interpreter")
_setprofile = sys.setprofile


class CallTracer:
    def __init__(self) -> None:
        self.names: set[str] = set()
        self.functions: dict[int, tuple[Any, str]] = {}  # By their addresses.
        # Taken for called: methods of classes, and operations of torch's that
        # an extension registers, go unnoticed.
        self.unseen: set[str] = set()

    def watch(self, extension: Any) -> None:
        """One of the candidate's, of which calls count as kernels."""
        name = KERNEL + getattr(extension, "__name__", "extension")
        held = getattr(extension, "__dict__", {})  # Tvm-ffi's are no modules.
        functions = {
            id(value): (value, f"{name}.{key}")
            for key, value in held.items()
            if isinstance(value, types.BuiltinFunctionType)
        }
        self.functions |= functions
        if not functions or any(isinstance(v, type) for v in held.values()):
            self.unseen.add(name)

    def __enter__(self) -> "CallTracer":
        self.names = set(self.unseen)
        threading.setprofile(self.see)
        _setprofile(self.see)
        return self

    def __exit__(self, *_: Any) -> None:
        _setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]

    def see(self, frame: types.FrameType, event: str, called: Any) -> None:
        if event == "c_call":
            if id(called) in self.functions:
                self.names.add(self.functions[id(called)][1])
        elif event == "call":
            name = self.of_frame(frame)
            if name:
                self.names.add(name)

    @staticmethod
    def of_frame(frame: types.FrameType) -> str:
        module = frame.f_globals.get("__name__")
        what = frame.f_code.co_name
        if not isinstance(module, str):
            return ""
        if what == "forward" and module.startswith(_LAYERS):
            return LAYER + layer_of(frame.f_locals.get("self"), module)
        if what == "run" and module in _LAUNCHERS:
            if frame.f_locals.get("warmup"):
                return ""  # It is compiled, and not launched.
            kernel = getattr(frame.f_locals.get("self"), "fn", None)
            return KERNEL + str(getattr(kernel, "__name__", "of Triton's"))
        if module.partition(".")[0] == "numpy":
            return NUMPY + what
        if what == "replay" and module == "torch.cuda.graphs":
            return GRAPH
        return ""


def layer_of(layer: Any, module: str) -> str:
    """The class of that module which `layer` has its forward() of."""
    for base in type(layer).__mro__:
        if base.__module__ == module and "forward" in vars(base):
            return base.__name__
    return type(layer).__name__
