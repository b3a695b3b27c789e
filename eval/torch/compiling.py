"""Triton and torch.compile in a process that may start no compiler.

A process that may has compiled the same code before (eval/torch/jit_compile.h),
and what its compilers made is in a cache that this one can only read.  What is
not in there is not compiled.  To find it, torch asks compilers for their
versions, and locks files before it looks whether there is anything to do: the
former is answered as it was then, the latter done without.

Before that they load things of their own from a cache, while this process may
still do anything.  So it is not the candidate's that they find then, but one
that no candidate could write to (eval/torch/trusted_preload.h).
"""

import contextlib
import errno
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Callable

CACHE, PROVISIONS = "/cache", "/provisions"  # As worker_sandbox.cc has them.
_NAME = "answers.json"  # Of programs that were run, beside the caches.
_CACHES = {"TRITON_CACHE_DIR": "triton", "TORCHINDUCTOR_CACHE_DIR": "inductor"}


def equip(
    role: str, device: str, uses_triton: bool, uses_torch: bool
) -> Callable[[], None]:
    """Has them load what they need before they compile anything.

    REQUIRES: no candidate is known to this process.  What is returned is to be
    called as soon as it has given up what a candidate must not do, and shows it
    what the candidate's compilers made.
    """
    provided = os.path.join(PROVISIONS, _NAME)
    if role == "provider":
        _look_into(PROVISIONS)
        answers = _Answers(provided)
    elif not os.path.exists(provided):
        return lambda: None  # They do not work here.
    elif role == "builder":  # It needs them as well, and may add to them.
        shutil.copytree(PROVISIONS, CACHE, dirs_exist_ok=True)
        answers = _Answers(os.path.join(CACHE, _NAME))
    else:
        _look_into(PROVISIONS)
        answers = _Answers(known_from=provided)
    subprocess.run, subprocess.call = answers.run, answers.call
    if uses_torch:
        _set_torch_up(role, device)
    if uses_triton:
        _load_triton()
    answers.keep()

    def hand_over() -> None:
        if role in ("kernel", "watched"):
            answers.hand_over(os.path.join(CACHE, _NAME))
            _look_into(CACHE)

    return hand_over


def keep_what_is_tuned() -> None:
    """Kernels that are kept with a graph are tuned again after they were loaded,
    if they had one configuration (PyTorch 2.11).  So none is kept so.
    """
    os.environ["TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER"] = "0"
    # pylint: disable=import-outside-toplevel
    from torch._inductor import config  # It may have been read before.

    if hasattr(config, "use_static_cuda_launcher"):
        config.use_static_cuda_launcher = False


def _look_into(folder: str) -> None:
    for variable, name in _CACHES.items():
        os.environ[variable] = os.path.join(folder, name)


def _load_triton() -> None:
    """Its driver's module; its tools are asked for their versions, too."""
    if importlib.util.find_spec("triton") is None:
        return
    import triton  # pylint: disable=import-outside-toplevel

    target = triton.runtime.driver.active.get_current_target()
    triton.compiler.make_backend(target).hash()


def _set_torch_up(role: str, device: str) -> None:
    tempfile.tempdir = "/tmp"  # Else it tries which folder it can write to.
    if device != "cpu":
        # Little is left to the host, and its vectors are not tried out.
        os.environ["TORCHINDUCTOR_VEC_ISA_OK"] = "0"
    _choose_libdevice()
    if role != "builder":
        # No pool of processes, which would outlive what is given up.
        os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    # pylint: disable=import-outside-toplevel,unused-import
    from torch._inductor import config  # It reads the environment.

    # They would be outside of the cache.  PyTorch 2.11 has no variable for it.
    config.cpp_cache_precompile_headers = False
    if role == "builder":
        return  # It finds the rest when it comes to it.
    if role in ("kernel", "watched"):
        _write_nothing()
    import torch._dynamo
    import torch._inductor.compile_fx  # noqa: F401
    from torch._inductor.cpu_vec_isa import pick_vec_isa

    try:
        pick_vec_isa()  # It asks the system for AMX, too.
    except Exception as error:  # pylint: disable=broad-exception-caught
        print(f"without vectors on the host: {error}", file=sys.stderr)


class _Answers:
    """What programs printed, by their command lines."""

    def __init__(self, records_to: str = "", known_from: str = ""):
        self.path = records_to
        self.known: dict[str, list[Any]] = {}
        self.really_run = subprocess.run
        self.may_run = True
        self.read(known_from or records_to)

    def read(self, path: str) -> None:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.known = json.load(file)

    def hand_over(self, path: str) -> None:
        """From now on those of a candidate's builder, and none is made up."""
        self.read(path)
        self.may_run = False

    def run(self, *arguments: Any, **options: Any) -> Any:
        """In the place of subprocess.run, by which check_output runs, too."""
        command = options["args"] if "args" in options else arguments[0]
        as_text = bool(options.get("text"))
        key = json.dumps([command, as_text], default=str)
        if self.path:
            done = self.really_run(*arguments, **options)
            self.record(key, done)
            return done
        if key not in self.known:
            if self.may_run:
                return self.really_run(*arguments, **options)
            # It might be anything a candidate made.  Torch may say no more than
            # that it failed.
            print(f"nothing is run here: {command}", file=sys.stderr)
            raise PermissionError(errno.EPERM, "nothing is run here")
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
        self.keep()

    def keep(self) -> None:
        if self.path:
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


def _write_nothing() -> None:
    """Neither locks for what cannot be written to, nor what is found out anew."""
    # pylint: disable=import-outside-toplevel
    import filelock
    from torch._inductor import codecache

    filelock.BaseFileLock.acquire = lambda self, *_, **__: self
    filelock.BaseFileLock.release = lambda self, *_, **__: None
    really_write = codecache.write_atomic

    def write_atomic(*arguments: Any, **options: Any) -> None:
        with contextlib.suppress(OSError):
            really_write(*arguments, **options)

    codecache.write_atomic = write_atomic
