"""torch.utils.cpp_extension.load_inline, compiled by somebody else.

Install() puts it in torch's place before a candidate is loaded.  The sources
are put together as torch does; a function given by the caller compiles them
(build.py, in a process that the candidate has no part in) and says where the
library is.  What a call asks for beyond that goes to torch's own.
"""

import importlib.util
import os
import pathlib
import shlex
import sys
import types
from typing import Any, Callable, Optional, Sequence, Union

import torch.utils.cpp_extension as cpp_extension

from .build import Level, Outcome, Request

Sources = Union[str, Sequence[str], None]
Compile = Callable[[Request], Outcome]

_original = cpp_extension.load_inline


def _Together(sources: Sources) -> list[str]:
    return [sources] if isinstance(sources, str) else list(sources or [])


def _Bindings(functions: Any, wrapped: bool) -> list[str]:
    if isinstance(functions, str):
        functions = [functions]
    if isinstance(functions, (list, tuple)):
        functions = {name: name for name in functions}
    if not isinstance(functions, dict):
        raise ValueError("Expected 'functions' to be a list or dict, but was "
                         f"{type(functions)}")
    lines = ["PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {"]
    for name, text in functions.items():
        bound = f"torch::wrap_pybind_function({name})" if wrapped else name
        lines.append(f'm.def("{name}", {bound}, "{text}");')
    return lines + ["}"]


def MakeRequest(name: str, cpp_sources: Sources, cuda_sources: Sources = None,
                functions: Any = None,
                extra_cflags: Optional[Sequence[str]] = None,
                extra_cuda_cflags: Optional[Sequence[str]] = None,
                extra_ldflags: Optional[Sequence[str]] = None,
                extra_include_paths: Optional[Sequence[str]] = None,
                with_cuda: Optional[bool] = None,
                with_pytorch_error_handling: bool = True,
                no_implicit_headers: bool = False) -> Request:
    """The files that torch would have written, and their flags."""
    cpp, cuda = _Together(cpp_sources), _Together(cuda_sources)
    if not no_implicit_headers:
        cpp.insert(0, "#include <torch/extension.h>")
        if cuda:
            cuda[:0] = ["#include <torch/types.h>", "#include <cuda.h>",
                        "#include <cuda_runtime.h>"]
    if functions is not None:
        cpp += _Bindings(functions, with_pytorch_error_handling)

    def flags(given: Optional[Sequence[str]]) -> tuple[str, ...]:
        return tuple(word for flag in given or ()
                     for word in shlex.split(flag))

    return Request(
        name=name, cpp="\n".join(cpp), cuda="\n".join(cuda) if cuda else None,
        with_cuda=bool(cuda) if with_cuda is None else with_cuda,
        extra_cflags=flags(extra_cflags),
        extra_cuda_cflags=flags(extra_cuda_cflags),
        extra_ldflags=flags(extra_ldflags),
        extra_include_paths=tuple(os.path.abspath(path.strip())
                                  for path in extra_include_paths or ()))


def LoadBridge(path: Union[str, pathlib.Path]) -> types.ModuleType:
    """Where its functions are seen by the libraries that need them."""
    flags = sys.getdlopenflags()
    sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)
    try:
        return _Import("coppice_bridge", str(path))
    finally:
        sys.setdlopenflags(flags)


def _Import(name: str, path: str) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def Load(outcome: Outcome, name: str, bridge: types.ModuleType
         ) -> types.ModuleType:
    if outcome.library is None:
        raise RuntimeError(f"Error building extension '{name}': "
                           f"{outcome.diagnostics}")
    if outcome.level is Level.LOOKALIKE:
        return bridge.load(outcome.library, name)
    return _Import(name, outcome.library)


def Install(compile: Compile, bridge: types.ModuleType) -> None:
    def load_inline(name, cpp_sources, cuda_sources=None, sycl_sources=None,
                    functions=None, extra_cflags=None, extra_cuda_cflags=None,
                    extra_sycl_cflags=None, extra_ldflags=None,
                    extra_include_paths=None, build_directory=None,
                    verbose=False, with_cuda=None, with_sycl=None,
                    is_python_module=True, with_pytorch_error_handling=True,
                    keep_intermediates=True, use_pch=False,
                    no_implicit_headers=False):
        if sycl_sources or with_sycl or not is_python_module:
            return _original(
                name, cpp_sources, cuda_sources, sycl_sources, functions,
                extra_cflags, extra_cuda_cflags, extra_sycl_cflags,
                extra_ldflags, extra_include_paths, build_directory, verbose,
                with_cuda, with_sycl, is_python_module,
                with_pytorch_error_handling, keep_intermediates, use_pch,
                no_implicit_headers)
        request = MakeRequest(
            name, cpp_sources, cuda_sources, functions, extra_cflags,
            extra_cuda_cflags, extra_ldflags, extra_include_paths, with_cuda,
            with_pytorch_error_handling, no_implicit_headers)
        if build_directory:
            folder = pathlib.Path(build_directory)
            (folder / "main.cpp").write_text(request.cpp)
            if request.cuda is not None:
                (folder / "cuda.cu").write_text(request.cuda)
        outcome = compile(request)
        if verbose and outcome.diagnostics:
            print(outcome.diagnostics, file=sys.stderr)
        return Load(outcome, name, bridge)

    load_inline.__doc__ = _original.__doc__
    cpp_extension.load_inline = load_inline
