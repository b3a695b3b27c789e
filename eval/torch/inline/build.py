"""Compiles what load_inline was given: the trusted step.

    python -m inline.build STEP TOOLCHAIN.json REQUEST.json FOLDER

writes FOLDER/extension.so (STEP: library, or watched), or coppice_bridge.so
(bridge: see build_bridge), and FOLDER/outcome.json that says how it went.  What
is to be watched by a tool has lines of its source and, without a device, g++'s
checks of addresses.  It imports nothing of torch and runs no code of the
candidate; but the compilers it starts are given the candidate's flags, so all
of it belongs in a sandbox.

There are three levels of headers, and a source that one does not take is
given to the next:

    lookalike   our own <torch/extension.h>, <ATen/...>, <c10/...>: one class
                over bridge.cc.  No header of torch's and none of pybind11's.
    lean        torch's own headers, but of its operators only those that the
                source names.
    full        exactly what torch.utils.cpp_extension compiles.

So a mistake would cost all three.  It does not where the first level shows
that it is the candidate's own (is_own below): then that is the answer.
"""

import dataclasses
import enum
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Optional

from . import nvcc

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = HERE / "headers"
MOST_SAID = 16 << 10  # Characters of what the compilers say.


class Level(enum.Enum):
    LOOKALIKE = "lookalike"
    LEAN = "lean"
    FULL = "full"


@dataclasses.dataclass(frozen=True)
class Toolchain:
    """An installation of torch, of CUDA and of the compilers.

    toolchain.py finds it, where torch is imported anyway.
    """

    torch: str  # The folder with include/ and lib/.
    torch_version: str
    python_include: str
    standard: str  # "c++20": what this torch passes.
    abi: int  # _GLIBCXX_USE_CXX11_ABI.
    cuda: Optional[str] = None  # The toolkit's folder.
    torch_has_cuda: bool = False
    architecture: Optional[str] = None  # Of the device: "90".
    nvcc_flags: tuple[str, ...] = ()  # Those that torch always passes.
    compiler: str = "g++"
    # Whether bridge.cc compiles with this torch: without, no first level.
    bridge: bool = True
    tvm_ffi: Optional[str] = None  # The folder with include/ and lib/.
    watched: bool = False  # What it makes.

    def for_tools(self, folder: pathlib.Path) -> list[str]:
        """Flags of g++ that have it tell that files are in /candidate."""
        if not self.watched:
            return []
        flags = ["-g1", "-fno-omit-frame-pointer",
                 f"-fdebug-prefix-map={folder}=/candidate"]
        return flags if self.architecture else [*flags, "-fsanitize=address"]

    def for_tools_of_cuda(self) -> list[str]:
        return ["-lineinfo"] if self.watched else []

    def includes(self) -> list[str]:
        torch = f"{self.torch}/include"
        return [torch, f"{torch}/torch/csrc/api/include"]


@dataclasses.dataclass(frozen=True)
class Request:
    """What load_inline was called with, its sources put together; or the
    files of a FlashInfer-Bench solution, which may be bound by tvm-ffi."""

    name: str
    cpp: str
    cuda: Optional[str] = None
    with_cuda: bool = False
    extra_cflags: tuple[str, ...] = ()
    extra_cuda_cflags: tuple[str, ...] = ()
    extra_ldflags: tuple[str, ...] = ()
    extra_include_paths: tuple[str, ...] = ()
    files: Optional[dict[str, str]] = None  # By path; instead of the two above.
    tvm_ffi: bool = False

    def texts(self) -> dict[str, str]:
        """All files, by path."""
        if self.files is not None:
            return self.files
        cuda = {} if self.cuda is None else {"cuda.cu": self.cuda}
        return {"main.cpp": self.cpp, **cuda}

    def text(self) -> str:
        return "\n".join(self.texts().values())

    def has_cuda(self) -> bool:
        return self.with_cuda or any(path.endswith(".cu")
                                     for path in self.texts())


@dataclasses.dataclass
class Outcome:
    level: Level
    library: Optional[str]  # None: it does not compile.
    diagnostics: str
    seconds: dict[str, float]  # By level, those tried.


# The headers of torch's that candidates name, and what each needs of ours.
_TENSOR = """
    ATen/ATen.h ATen/AccumulateType.h ATen/Context.h ATen/Dispatch.h
    ATen/Functions.h ATen/NativeFunctions.h ATen/OpMathType.h ATen/Parallel.h
    ATen/ScalarOps.h ATen/Tensor.h ATen/TensorUtils.h ATen/ceil_div.h
    ATen/core/Tensor.h ATen/core/TensorAccessor.h ATen/native/cpu/Loops.h
    c10/core/Device.h c10/core/ScalarType.h c10/core/TensorOptions.h
    c10/macros/Macros.h c10/util/ArrayRef.h c10/util/Exception.h
    c10/util/Optional.h torch/all.h torch/script.h torch/torch.h torch/types.h
""".split()
_HALF = "c10/util/BFloat16.h c10/util/Half.h".split()
_CUDA = """
    ATen/cuda/CUDAContext.h ATen/cuda/CUDAContextLight.h ATen/cuda/CUDABlas.h
    ATen/cuda/Exceptions.h ATen/cuda/CUDAUtils.h c10/cuda/CUDAException.h
    c10/cuda/CUDAFunctions.h c10/cuda/CUDAGuard.h c10/cuda/CUDAStream.h
""".split()
_MODULE = """
    torch/extension.h torch/csrc/utils/pybind.h pybind11/functional.h
    pybind11/numpy.h pybind11/pybind11.h pybind11/stl.h torch/python.h
""".split()
_NOT_OURS = {"ATen/native/cpu/Loops.h", "pybind11/functional.h",
             "pybind11/numpy.h", "torch/script.h", "torch/all.h",
             "ATen/NativeFunctions.h", "ATen/cuda/CUDABlas.h"}


def shadows() -> dict[str, str]:
    """Every header of the first level under torch's name, and its text."""
    texts = {}
    for names, needs in ((_TENSOR, ("names",)),
                         (_HALF, ("half", "names")),
                         (_CUDA, ("cuda", "names")),
                         (_MODULE, ("names", "module"))):
        for name in set(names) - _NOT_OURS:
            texts[name] = "#pragma once\n" + "".join(
                f'#include <coppice/{need}.h>\n' for need in needs)
    return texts


# std:: names that our headers bring themselves.
_LIGHT = {"array", "get", "initializer_list", "int32_t", "int64_t",
          "make_tuple", "max", "min", "move", "nullopt", "optional", "pair",
          "size_t", "string", "swap", "to_string", "tuple", "uint32_t",
          "uint8_t", "vector", "forward", "make_pair"}
_STRINGS = re.compile(r"\bstd::(?:string|to_string)\b|\bstr\s*\(|<string>")
_HALVES = re.compile(r"half|bf16|bfloat|fp16|_HALF\b|FLOATING_TYPES_AND|"
                     r"REDUCED_FLOATING|opmath_type|acc_type", re.IGNORECASE)


def parts_of(source: str) -> list[str]:
    """The dearer parts of our headers that a source may want."""
    parts = []
    if _HALVES.search(source):
        parts.append("-DCOPPICE_HALF")
    if set(re.findall(r"\bstd::(\w+)", source)) - _LIGHT or \
            re.search(r"using\s+namespace\s+std\b|\b[cf]?printf\b", source):
        parts.append("-DCOPPICE_STANDARD")
    if "-DCOPPICE_STANDARD" in parts or _STRINGS.search(source):
        parts.append("-DCOPPICE_STRING")
    return parts


def binds_in_cuda(request: Request) -> bool:
    """Whether a source for nvcc has what module.h declares."""
    return any(path.endswith(".cu") and
               re.search(r"PYBIND11_|\bpy(?:bind11)?\s*::", text)
               for path, text in request.texts().items())


def lean_texts(source: str, toolchain: Toolchain) -> dict[str, str]:
    """Torch's headers of everything, with the operators a source names.

    A source may include several: what they define is in one of their own.
    """
    folder = pathlib.Path(toolchain.torch) / "include" / "ATen" / "ops"
    lines = ["#pragma once",
             "#include <ATen/core/Tensor.h>", "#include <ATen/Dispatch.h>",
             "#include <ATen/Parallel.h>", "#include <ATen/AccumulateType.h>",
             "#include <ATen/OpMathType.h>", "#include <ATen/ceil_div.h>",
             "#include <ATen/TensorOperators.h>",
             "#include <optional>", "#include <iostream>", "#include <memory>"]
    for name in sorted(set(re.findall(r"\b(?:torch|at)\s*::\s*(\w+)",
                                      source))):
        if (folder / f"{name}.h").is_file():
            lines.append(f"#include <ATen/ops/{name}.h>")
    lines.append("namespace torch {\nusing namespace at;")
    for ours, theirs in (("UInt8", "Byte"), ("Int8", "Char"),
                         ("Int16", "Short"), ("Int32", "Int"),
                         ("Int64", "Long"), ("Float16", "Half"),
                         ("Float32", "Float"), ("Float64", "Double")):
        lines.append(f"constexpr auto k{ours} = at::k{theirs};")
    lines += ["using Dtype = at::ScalarType;", "using std::nullopt;",
              "using std::optional;", "}"]
    common = "#pragma once\n#include <coppice_lean.h>\n"
    texts = {name: common for name in _LEAN}
    texts["coppice_lean.h"] = "\n".join(lines) + "\n"
    texts["torch/extension.h"] = (
        common + "#include <torch/csrc/utils/pybind.h>\n"
        "#include <torch/csrc/Exceptions.h>\n"
        "#include <torch/csrc/autograd/python_variable.h>\n")
    return texts


_LEAN = ("torch/torch.h", "torch/types.h", "ATen/ATen.h", "torch/all.h")


def _write(folder: pathlib.Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _flags(request: Request, toolchain: Toolchain, level: Level,
           folder: pathlib.Path) -> list[str]:
    """What both compilers are given."""
    flags = [f"-DTORCH_EXTENSION_NAME={request.name}",
             "-DTORCH_API_INCLUDE_EXTENSION_H"]
    flags += [f"-I{path}" for path in request.extra_include_paths]
    if request.files is not None:
        flags.append("-I.")
    if level is not Level.FULL:
        flags.append(f"-I{folder}")
    if level is Level.LOOKALIKE:
        flags.append(f"-I{HEADERS}")
        if request.with_cuda:
            flags.append("-DCOPPICE_CUDA")
        flags += parts_of(request.text())
        if binds_in_cuda(request):
            flags.append("-DCOPPICE_MODULE")
    else:
        flags.append(f"-D_GLIBCXX_USE_CXX11_ABI={toolchain.abi}")
        for path in toolchain.includes():
            flags += ["-isystem", path]
    if request.with_cuda:
        flags += ["-isystem", f"{toolchain.cuda}/include"]
    if level is not Level.LOOKALIKE:
        flags += ["-isystem", toolchain.python_include]
    return flags


def architecture_flags(request: Request, toolchain: Toolchain) -> list[str]:
    """The device's alone, unless the candidate's flags name one."""
    if toolchain.architecture is None or any(
            "arch" in flag for flag in request.extra_cuda_cflags):
        return []
    return [f"-gencode=arch=compute_{toolchain.architecture},"
            f"code=sm_{toolchain.architecture}"]


_TERSE = ["-fdiagnostics-color=never", "-fmax-errors=20"]


def _compilations(request: Request, gpp: list[str], cuda: list[str]
                  ) -> tuple[list[list[str]], list[str]]:
    """Commands for every file that is no header, and their objects."""
    compilations, objects = [], []
    for path in request.texts():
        if path.endswith((".cu", ".cpp", ".cc", ".cxx", ".c")):
            objects.append(f"{len(objects)}.o")
            compilations.append([*(cuda if path.endswith(".cu") else gpp),
                                 "-c", path, "-o", objects[-1]])
    return compilations, objects


def _commands(request: Request, toolchain: Toolchain, level: Level,
              folder: pathlib.Path, headers: pathlib.Path
              ) -> tuple[list[list[str]], list[str]]:
    """The compilations, which may run at the same time, and the linking."""
    common = _flags(request, toolchain, level, headers)
    standard = f"-std={toolchain.standard}"
    gpp = [toolchain.compiler, *common, "-fPIC", standard, *_TERSE,
           *toolchain.for_tools(folder), *request.extra_cflags]
    cuda = [f"{toolchain.cuda}/bin/nvcc", *common, *toolchain.nvcc_flags,
            *architecture_flags(request, toolchain), "--compiler-options", "-fPIC",
            *toolchain.for_tools_of_cuda(), *request.extra_cuda_cflags]
    if not any(re.match("--?std=", flag) for flag in cuda):
        cuda.append(standard)
    compilations, objects = _compilations(request, gpp, cuda)
    link = [toolchain.compiler, *toolchain.for_tools(folder), *objects]
    link += ["-shared", "-o", "extension.so", *request.extra_ldflags]
    if level is not Level.LOOKALIKE:
        link += [f"-L{toolchain.torch}/lib", "-lc10", "-ltorch_cpu", "-ltorch",
                 "-ltorch_python"]
        if request.with_cuda and toolchain.torch_has_cuda:
            link += ["-lc10_cuda", "-ltorch_cuda"]
    if request.with_cuda:
        link += [f"-L{toolchain.cuda}/lib64", "-lcudart"]
    return compilations, link


def _do(command: list[str], folder: pathlib.Path) -> tuple[bool, str]:
    if os.path.basename(command[0]) == "nvcc":
        return nvcc.compile_cuda(command, folder)
    return nvcc.run_all([command], folder, dict(os.environ))


def _run(commands: list[list[str]], folder: pathlib.Path) -> tuple[bool, str]:
    """All at the same time; whether all went well, and what they said."""
    with ThreadPoolExecutor(max(len(commands), 1)) as pool:
        results = list(pool.map(lambda command: _do(command, folder), commands))
    return (all(done for done, _ in results),
            "".join(said for _, said in results))


# Words that a candidate may give to the compilers: what they make faster or
# stricter, macros, and where to look for headers and libraries.  No word names
# a program, a plug-in, a file of options or one to write.
_WORDS = re.compile(r"""
    -O(?:\d|fast|s|g)? | -g\d? | -w | -v | -pthread | -shared | --?std=\w+\+\+\w+
  | -[DU].+ | -W(?![lap],)[\w+=-]+
  | -f(?!plugin|dump|profile|auto-profile|save|opt-info|callgraph|stack-usage
        |test-coverage|diagnostics-format|compare-debug|module)[\w+=.,-]+
  | -m[\w+=.,-]+ | -[IL].+ | -l[\w+.-]+
  | -Wl,(?:-O\d|-s|-z,\w+|-rpath[,=][^,]+|--(?:no-)?(?:as-needed|whole-archive))
""", re.VERBOSE)
# The same of nvcc's own, less their dashes, and those that have a value.
_NVCC_WORDS = re.compile(r"""
    use_fast_math | lineinfo | generate-line-info | extra-device-vectorization
  | (?:expt-)?(?:extended-lambda|relaxed-constexpr) | restrict | t\d+
""", re.VERBOSE)
# The words that nvcc hands on, by what they are for.  A file to write is named by -o,
# one of options by -optf.
_PTXAS_WORDS = re.compile(
    r"(?:-(?![-o])|--(?!o(?:utput|ptions)))[\w-]+(?:=[\w.]+)?|\w+")
_HANDED_ON = {"Xcompiler": _WORDS, "compiler-options": _WORDS,
              "Xptxas": _PTXAS_WORDS, "ptxas-options": _PTXAS_WORDS,
              "Xcudafe": re.compile(r"--(?:diag_\w+=\w+|display_error_number)")}
_NVCC_VALUED = {"gencode", "generate-code", "arch", "gpu-architecture", "code",
                "gpu-code", "maxrregcount", "threads", "split-compile", "std",
                "diag-suppress", "default-stream", "optimize", "ftz", "fmad",
                "prec-div", "prec-sqrt", "Xptxas", "ptxas-options", "Xcudafe",
                "Xcompiler", "compiler-options"}
_VALUE = re.compile(r"[\w+=.,:\[\]-]+")


def refused_flag(request: Request) -> Optional[str]:
    """The first of a candidate's flags that is none of those above."""
    words = iter(list(request.extra_cflags) + list(request.extra_ldflags))
    for word in words:
        if word in ("-I", "-L", "-isystem"):
            next(words, None)
        elif not _WORDS.fullmatch(word):
            return word
    words = iter(request.extra_cuda_cflags)
    for word in words:
        name, sign, value = word.lstrip("-").partition("=")
        if name in _NVCC_VALUED:
            value = value if sign else next(words, "")
            handed_on = _HANDED_ON.get(name, _VALUE)
            parts = value.split(",") if name in _HANDED_ON else []
            if not _VALUE.fullmatch(value) or not all(
                    map(handed_on.fullmatch, parts)):
                return f"{word} {value}"
        elif word in ("-I", "-isystem"):
            next(words, None)
        elif not (_WORDS.fullmatch(word) or _NVCC_WORDS.fullmatch(name)):
            return word
    return None


def why_refused(request: Request, toolchain: Toolchain) -> Optional[str]:
    """Why a request is not compiled at all."""
    flag = refused_flag(request)
    if flag is not None:
        return f"{flag}: not a flag that may be given here"
    if request.has_cuda() and request.files and not toolchain.architecture:
        return "CUDA C++: is judged on a CUDA device only (--devices)"
    if request.has_cuda() and not toolchain.cuda:
        return "cuda_sources: this machine has no CUDA toolkit"
    for path in request.texts():
        if path.startswith(("/", "-")) or ".." in path.split("/"):
            return f"{path}: not a path below the solution's folder"
    if request.tvm_ffi and not toolchain.tvm_ffi:
        return "tvm_ffi: is not installed; pip install apache-tvm-ffi"
    return None


_ERROR = re.compile(r"^(?P<file>[^\s:(]+)(?::(?P<line>\d+)(?::\d+)?"
                    r"|\((?P<row>\d+)\)): (?:catastrophic |fatal )?error"
                    r"(?: #\S+)?: (?P<text>.*)$", re.MULTILINE)
_MACROS = r"\b(?:AT|TORCH|C10|PYBIND11|CUDA|GPU|COPPICE)_"
_MACRO = re.compile(_MACROS)
_TORCHES = re.compile(r"\b(?:torch|at|c10|caffe2|std|py|pybind11)\s*::|" +
                      _MACROS + r"|coppice|lookalike|Tensor|[Hh]alf|[Bb]float|"
                      r"bf16|namespace \"(?:torch|at|c10|std|py)")
_SYNTAX = re.compile(r"expected an? (?:\"|expression|declaration|identifier|"
                     r"statement)|expected .* before|at end of input|"
                     r"unterminated|unrecognized token|missing closing|^stray")
_CAPITALS = re.compile(r"identifier \"[A-Z0-9_]+\" is undefined")


def in_device(source: str, line: int) -> bool:
    """Whether a line is within a function for the device."""
    lines = [re.sub(r"//.*", "", text) for text in source.split("\n")[:line]]
    marks = [i for i, text in enumerate(lines)
             if re.search(r"__(?:global|device)__", text)]
    if not marks:
        return False
    depth = 0
    for brace in re.findall(r"[{}]", "".join(lines[marks[-1]:-1])):
        depth += 1 if brace == "{" else -1
        if depth <= 0:
            return False  # It has ended before.
    return depth > 0


def is_own(diagnostics: str, request: Request) -> bool:
    """Whether every error of the first level is plainly the candidate's.

    An error is, if it stands in the candidate's text, if its message names
    nothing of torch's (or of std's, whose headers torch brings), and if it is

      - one of syntax, with no macro of torch's in its line or the one before;
      - or within a function for the device, where names are CUDA's, its line
        names nothing of torch's, and what is undefined is not in capitals, as
        a macro would be;
      - or ptxas's, which sees no headers.
    """
    if re.search(r"^ptxas .*error", diagnostics, re.MULTILINE):
        return True
    texts = request.texts()
    errors = list(_ERROR.finditer(diagnostics))

    def own(error: re.Match[str]) -> bool:
        message, source = error["text"], texts.get(error["file"])
        if source is None or _TORCHES.search(message):
            return False
        number = int(error["line"] or error["row"])
        before, line = ([""] + source.split("\n"))[number - 1:number + 1]
        if _SYNTAX.search(message):
            return not _MACRO.search(before + line)
        return (error["file"].endswith(".cu") and in_device(source, number)
                and not _TORCHES.search(line)
                and not _CAPITALS.search(message))

    return bool(errors) and all(own(error) for error in errors)


def build_at(level: Level, request: Request, toolchain: Toolchain,
             folder: pathlib.Path) -> tuple[bool, str]:
    headers = folder / level.value
    _write(folder, request.texts())
    if level is Level.LOOKALIKE:
        _write(headers, shadows())
    elif level is Level.LEAN:
        _write(headers, lean_texts(request.text(), toolchain))
    compilations, link = _commands(request, toolchain, level, folder, headers)
    done, said = _run(compilations, folder)
    if not done:
        return False, said
    linked, complaint = _run([link], folder)
    return linked, said + complaint


def build(request: Request, toolchain: Toolchain, folder: pathlib.Path,
          levels: tuple[Level, ...] = tuple(Level)) -> Outcome:
    """Through the levels, until one takes it or it is plainly wrong."""
    seconds: dict[str, float] = {}
    refusal = why_refused(request, toolchain)
    if refusal is not None:
        return Outcome(levels[0], None, refusal, seconds)
    if request.tvm_ffi:
        return build_tvm_ffi(request, toolchain, folder)
    if not toolchain.bridge:
        levels = tuple(level for level in levels if level != Level.LOOKALIKE)
    for level in levels:
        started = time.monotonic()
        done, said = build_at(level, request, toolchain, folder)
        said = said[:MOST_SAID]
        seconds[level.value] = time.monotonic() - started
        if done:
            return Outcome(level, str(folder / "extension.so"), said, seconds)
        if level is Level.LOOKALIKE and is_own(said, request):
            break
    return Outcome(level, None, said, seconds)


def build_tvm_ffi(request: Request, toolchain: Toolchain, folder: pathlib.Path
                ) -> Outcome:
    """As tvm_ffi.cpp.build does it, but for the one device that there is."""
    started = time.monotonic()
    common = ["-I.", f"-I{toolchain.tvm_ffi}/include", "-std=c++17", "-O2"]
    cuda, link = [], [*toolchain.for_tools(folder), "-shared", "-o", "extension.so",
                      f"-L{toolchain.tvm_ffi}/lib", "-ltvm_ffi"]
    if request.has_cuda():
        common += ["-isystem", f"{toolchain.cuda}/include"]
        cuda = [f"{toolchain.cuda}/bin/nvcc", *common, "-Xcompiler", "-fPIC",
                *architecture_flags(request, toolchain),
                *toolchain.for_tools_of_cuda()]
        folders = [f"{toolchain.cuda}/lib64", f"{toolchain.cuda}/lib64/stubs"]
        link += ["-Wl,--as-needed", *(f"-L{folder}" for folder in folders)]
        link += [f"-l{name}" for name in ("cudart", "cuda", "cublas")
                 if any(pathlib.Path(folder, f"lib{name}.so").exists()
                        for folder in folders)]
    gpp = [toolchain.compiler, *common, "-fPIC", *_TERSE,
           *toolchain.for_tools(folder)]
    compilations, objects = _compilations(request, gpp, cuda)
    _write(folder, request.texts())
    done, said = _run(compilations, folder)
    if done:
        done, complaint = _run([[toolchain.compiler, *objects, *link]], folder)
        said += complaint
    seconds = {Level.FULL.value: time.monotonic() - started}
    return Outcome(Level.FULL, str(folder / "extension.so") if done else None,
                   said[:MOST_SAID], seconds)


def build_bridge(toolchain: Toolchain, folder: pathlib.Path) -> pathlib.Path:
    """The module that loads what the first level makes: once for a torch."""
    request = Request("coppice_bridge", "",
                      with_cuda=toolchain.torch_has_cuda
                      and toolchain.cuda is not None)
    command = [toolchain.compiler, "-O2", "-fPIC", "-shared",
               f"-std={toolchain.standard}", f"-I{HEADERS}",
               *_flags(request, toolchain, Level.FULL, folder),
               str(HERE / "bridge.cc"), "-o", "coppice_bridge.so",
               f"-L{toolchain.torch}/lib", "-lc10", "-ltorch_cpu", "-ltorch",
               "-ltorch_python"]
    if request.with_cuda:
        command += ["-DCOPPICE_CUDA", "-lc10_cuda", "-ltorch_cuda"]
    done, said = _run([command], folder)
    if not done:
        raise RuntimeError(f"bridge.cc: does not compile with torch "
                           f"{toolchain.torch_version}:\n{said}")
    return folder / "coppice_bridge.so"


def main(arguments: list[str]) -> int:
    if len(arguments) != 4 or arguments[0] not in ("library", "watched",
                                                   "bridge"):
        print(__doc__, file=sys.stderr)
        return 2
    step, tools, asked, product = arguments
    toolchain = Toolchain(**json.loads(pathlib.Path(tools).read_text()))
    toolchain = dataclasses.replace(toolchain, watched=step == "watched")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if step == "bridge":
            made, outcome = build_bridge(toolchain, folder), {}
        else:
            request = Request(**json.loads(pathlib.Path(asked).read_text()))
            if not request.name.isidentifier():
                print(f"{request.name!r}: not a module's name",
                      file=sys.stderr)
                return 2
            built = build(request, toolchain, folder)
            made, outcome = built.library, dataclasses.asdict(built)
            outcome["level"] = built.level.value
        if made is not None:
            shutil.copy(made, product)
        (pathlib.Path(product) / "outcome.json").write_text(
            json.dumps(outcome))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
