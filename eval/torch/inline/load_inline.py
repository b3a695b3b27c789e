"""torch.utils.cpp_extension.load_inline, compiled by somebody else.

install() puts it in torch's place before a candidate is loaded.  The sources
are put together as torch does; a function given by the caller compiles them
(build.py, in a process that the candidate has no part in) and says where the
library is.
"""

import importlib.machinery
import importlib.util
import linecache
import os
import pathlib
import re
import shlex
import sys
import types
from typing import Any, Callable, Optional, Sequence, Union

import torch.utils.cpp_extension as cpp_extension

from .build import Level, Outcome, Request

Sources = Union[str, Sequence[str], None]
Compile = Callable[[Request], Outcome]


def _together(sources: Sources) -> list[str]:
    return [sources] if isinstance(sources, str) else list(sources or [])


def _bindings(functions: Any, wrapped: bool) -> list[str]:
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


def make_request(name: str, cpp_sources: Sources, cuda_sources: Sources = None,
                 functions: Any = None,
                 extra_cflags: Optional[Sequence[str]] = None,
                 extra_cuda_cflags: Optional[Sequence[str]] = None,
                 extra_ldflags: Optional[Sequence[str]] = None,
                 extra_include_paths: Optional[Sequence[str]] = None,
                 with_cuda: Optional[bool] = None,
                 with_pytorch_error_handling: bool = True,
                 no_implicit_headers: bool = False) -> Request:
    """The files that torch would have written, and their flags."""
    cpp, cuda = _together(cpp_sources), _together(cuda_sources)
    if not no_implicit_headers:
        cpp.insert(0, "#include <torch/extension.h>")
        if cuda:
            cuda[:0] = ["#include <torch/types.h>", "#include <cuda.h>",
                        "#include <cuda_runtime.h>"]
    if functions is not None:
        cpp += _bindings(functions, with_pytorch_error_handling)

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


def load_bridge(path: Union[str, pathlib.Path]) -> types.ModuleType:
    """Where its functions are seen by the libraries that need them."""
    flags = sys.getdlopenflags()
    sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)
    try:
        return _import("coppice_bridge", str(path))
    finally:
        sys.setdlopenflags(flags)


def _import(name: str, path: str) -> types.ModuleType:
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def in_its_lines(diagnostics: str, request: Request, name: str, python: str,
                 sources: Sequence[str]) -> str:
    """With the lines of the Python file, `name` and its text, for those sources
    that stand there as they are."""
    shifts: dict[tuple[str, int], int] = {}  # From what is compiled.
    for file, text in (("main.cpp", request.cpp),
                       ("cuda.cu", request.cuda or "")):
        for source in sources:
            here, there = text.find(source), python.find(source)
            if not source.strip() or here < 0 or there < 0:
                continue
            first = text.count("\n", 0, here) + 1
            shift = python.count("\n", 0, there) + 1 - first
            for line in range(first, first + source.count("\n") + 1):
                shifts[file, line] = shift
    lines, shift = [], None
    for line in diagnostics.split("\n"):
        place = re.match(r"(main\.cpp|cuda\.cu)([:(])(\d+)", line)
        if place:
            shift = shifts.get((place[1], int(place[3])))
        if place and shift is not None:
            line = (f"{name}{place[2]}{int(place[3]) + shift}"
                    f"{line[place.end():]}")
        elif shift is not None:  # g++ quotes lines with their numbers.
            line = re.sub(r"^ *\d+(?= \|)",
                          lambda number: f"{int(number[0]) + shift:5}", line)
        lines.append(line)
    return "\n".join(lines)


def with_its_lines(sources: Sequence[str], name: str, python: str) -> list[str]:
    """For tools that tell of lines: those of the Python file, `name` and its
    text, where a source stands there as it is."""
    marked = []
    for source in sources:
        at = python.find(source) if source.strip() else -1
        first = python.count("\n", 0, at) + 1
        place = f'{first} "{name}"' if at >= 0 else '1 "generated"'
        marked.append(f"#line {place}\n{source}")
    return marked


def load_library(outcome: Outcome, name: str, bridge: types.ModuleType
         ) -> types.ModuleType:
    if outcome.library is None:
        raise RuntimeError(f"Error building extension '{name}': "
                           f"{outcome.diagnostics}")
    if outcome.level is Level.LOOKALIKE:
        return bridge.load(outcome.library, name)
    return _import(name, outcome.library)


def install(compile: Compile, bridge: types.ModuleType,
            watch: Callable[[types.ModuleType], None] = lambda _: None,
            marks_lines: bool = False) -> None:
    """`watch` is shown what is loaded; `marks_lines`: see with_its_lines."""
    def load_inline(name, cpp_sources, cuda_sources=None, sycl_sources=None,
                    functions=None, extra_cflags=None, extra_cuda_cflags=None,
                    extra_sycl_cflags=None, extra_ldflags=None,
                    extra_include_paths=None, build_directory=None,
                    verbose=False, with_cuda=None, with_sycl=None,
                    is_python_module=True, with_pytorch_error_handling=True,
                    keep_intermediates=True, use_pch=False,
                    no_implicit_headers=False):
        if sycl_sources or with_sycl or not is_python_module:
            raise RuntimeError(f"Error building extension '{name}': only "
                               "Python modules of C++ and CUDA are built here")
        caller = sys._getframe(1)
        path = caller.f_code.co_filename
        file = os.path.basename(path)
        python = "".join(linecache.getlines(path, caller.f_globals))
        if marks_lines:
            cpp_sources = with_its_lines(_together(cpp_sources), file, python)
            cuda_sources = with_its_lines(_together(cuda_sources), file, python)
        request = make_request(
            name, cpp_sources, cuda_sources, functions, extra_cflags,
            extra_cuda_cflags, extra_ldflags, extra_include_paths, with_cuda,
            with_pytorch_error_handling, no_implicit_headers)
        outcome = compile(request)
        outcome.diagnostics = in_its_lines(
            outcome.diagnostics, request, file, python,
            _together(cpp_sources) + _together(cuda_sources))
        if verbose and outcome.diagnostics:
            print(outcome.diagnostics, file=sys.stderr)
        module = load_library(outcome, name, bridge)
        watch(module)
        return module

    def load(name, *_, **__):
        raise RuntimeError(f"Error building extension '{name}': no files can "
                           "be written here; give their text to load_inline")

    load_inline.__doc__ = cpp_extension.load_inline.__doc__
    cpp_extension.load_inline = load_inline
    cpp_extension.load = load
