"""torch.compile in a process that may start no compiler.

A process that may has compiled the same code before (eval/python/building.h),
and what its compilers made is in a cache that this one can only read.  To find
it there, torch asks them for their versions, and locks files before it looks
whether there is anything to do: the former is answered as it was then, the
latter done without.  What is not in the cache is not compiled.
"""

import contextlib
import errno
import importlib.util
import json
import os
import subprocess
import tempfile
from typing import Any

_NAME = "answers.json"  # Of programs that were run, beside torch's own cache.


def prepare(source: str, may_compile: bool) -> None:
    """Before torch.compile is used, and before anything is given up."""
    cache = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    if cache is None:
        return  # Nothing was compiled for it: a problem's own Model.
    tempfile.tempdir = "/tmp"  # Else it tries which folder it can write to.
    # Headers are kept outside of the cache.
    os.environ["TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS"] = "0"
    if "max-autotune" in source:
        # Kernels that are kept with a graph are tuned again after they were
        # loaded, if they had one configuration (PyTorch 2.11).
        os.environ["TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER"] = "0"
    _choose_libdevice()
    answers = _Answers(os.path.join(os.path.dirname(cache), _NAME), may_compile)
    subprocess.run, subprocess.call = answers.run, answers.call
    if may_compile:
        return
    # No pool of processes, which would outlive what is given up.
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    _lock_nothing()
    # pylint: disable=import-outside-toplevel,unused-import
    import torch._dynamo
    import torch._inductor.compile_fx
    from torch._inductor.cpu_vec_isa import pick_vec_isa

    # It asks the system for AMX, too.  Where nothing was compiled for the host
    # there is no answer, and no need of one.
    with contextlib.suppress(Exception):
        pick_vec_isa()


class _Answers:
    """What programs printed, by their command lines."""

    def __init__(self, path: str, records: bool):
        self.path = path
        self.records = records
        self.known: dict[str, list[Any]] = {}
        self.really_run = subprocess.run
        if not records and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.known = json.load(file)

    def run(self, *arguments: Any, **options: Any) -> Any:
        """In the place of subprocess.run, by which check_output runs, too."""
        command = options["args"] if "args" in options else arguments[0]
        as_text = bool(options.get("text"))
        key = json.dumps([command, as_text], default=str)
        if self.records:
            done = self.really_run(*arguments, **options)
            self.record(key, done)
            return done
        if key not in self.known:  # It might be anything a candidate made.
            raise PermissionError(
                errno.EPERM, f"nothing is run here: {command}"
            )
        code, *printed = self.known[key]
        if not as_text:
            printed = [
                p.encode("latin-1") if p is not None else None for p in printed
            ]
        done = subprocess.CompletedProcess(command, code, *printed)
        if options.get("check"):
            done.check_returncode()
        return done

    def call(self, *arguments: Any, **options: Any) -> int:
        """In the place of subprocess.call, by which check_call runs."""
        code: int = self.run(*arguments, **options).returncode
        return code

    def record(self, key: str, done: Any) -> None:
        printed = [
            p.decode("latin-1") if isinstance(p, bytes) else p
            for p in (done.stdout, done.stderr)
        ]
        self.known[key] = [done.returncode, *printed]
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(self.known, file)


def _choose_libdevice() -> None:
    """Triton's own, which both can read: kernels are found by its name."""
    triton = importlib.util.find_spec("triton")
    if triton is None or triton.origin is None:
        return
    path = os.path.join(
        os.path.dirname(triton.origin), "backends/nvidia/lib/libdevice.10.bc"
    )
    if os.path.exists(path):
        os.environ["TRITON_LIBDEVICE_PATH"] = path


def _lock_nothing() -> None:
    """Nobody writes to what cannot be written to."""
    import filelock  # pylint: disable=import-outside-toplevel

    filelock.BaseFileLock.acquire = lambda self, *_, **__: self
    filelock.BaseFileLock.release = lambda self, *_, **__: None
