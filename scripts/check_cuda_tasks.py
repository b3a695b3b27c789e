#!/usr/bin/env python3
"""Checks the CUDA tasks on a GPU, as check_references.py and
check_tolerances.py do the CPU ones.  Needs PyTorch, CuPy and, for the experts,
nvcc with the toolkit's libraries.

A line for each workload: milliseconds of root and expert with a cold L2, then
columns that are max |y - r| / (factor u m), at most 1 of which passes.
  reference  PyTorch in double precision; must be below 0.001
  root, expert, fast (the root with --use_fast_math)
  bf16 in, bf16 out  inputs or output rounded to bfloat16 (of float32 tasks)
  tf32               float32 products by TF32
  narrow sum         sums rounded to the result's type, if it is narrower
  zeros, mean, copy, blank  outputs that need no kernel
Of these the first three must pass and all below them fail.

usage: check_cuda_tasks.py [TASK...]
"""

import ctypes
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import cupy
import torch
from check_tolerances import nulls

DTYPES = {"float32": torch.float32, "float16": torch.float16,
          "bfloat16": torch.bfloat16, "int32": torch.int32}
UNIT_ROUNDOFF = {torch.float32: 2.0**-24, torch.float16: 2.0**-11,
                 torch.bfloat16: 2.0**-8, torch.int32: 0.0}
AGREE = 1e-3
INCLUDE = "/usr/local/cuda/include"


def split(text):
    """At commas outside parentheses."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return parts + [text[start:].strip()]


class Plan:
    """A device-only source with its launch plan, compiled."""

    def __init__(self, source, *flags):
        self.launches = re.findall(
            r"^//@ launch (\w+)<<<(.*)>>>\((.*)\)$", source, re.M)
        self.scratch = re.findall(
            r"^//@ scratch (\w+) (\w+)\[(.*)\]$", source, re.M)
        self.module = cupy.RawModule(
            code=source, backend="nvrtc",
            options=("--std=c++17", f"-I{INCLUDE}", *flags))

    def calls(self, values, axes):
        """[(kernel, grid, block, arguments)]; `values` are tensors and
        scalars by name."""
        scope = axes | {"ceil_div": lambda a, b: -(-a // b), "min": min,
                        "max": max}

        def size(text):
            return eval(text.replace("/", "//"), {}, scope)

        def tuple_of(x):
            return x if isinstance(x, tuple) else (x,)

        bytes_of = {"float": 4, "double": 8, "int": 4, "__half": 2}
        values = dict(values)
        for kind, name, count in self.scratch:
            values[name] = torch.full((size(count) * bytes_of[kind],), 0xff,
                                      dtype=torch.uint8, device="cuda")
        made = []
        for kernel, shape, arguments in self.launches:
            grid, block, *shared = [size(part) for part in split(shape)]
            listed = []
            for text in split(arguments):
                if text in values:
                    value = values[text]
                    listed.append(cupy.uint64(value.data_ptr())
                                  if torch.is_tensor(value)
                                  else cupy.float32(value))
                elif text.startswith("int32("):
                    listed.append(cupy.int32(size(text[6:-1])))
                else:
                    listed.append(cupy.int64(size(text)))
            made.append((self.module.get_function(kernel), tuple_of(grid),
                         tuple_of(block), tuple(listed),
                         shared[0] if shared else 0))
        keep = values
        return made, keep


def launch(calls):
    for kernel, grid, block, arguments, shared in calls[0]:
        kernel(grid, block, arguments, shared_mem=shared)


class Task:
    def __init__(self, folder):
        self.folder = folder
        self.definition = json.loads((folder / "definition.json").read_text())
        lines = (folder / "workloads.jsonl").read_text().splitlines()
        self.workloads = [json.loads(line)["workload"] for line in lines]
        tags = dict(tag.split(":", 1) for tag in self.definition["tags"])
        self.factor = float(tags["tolerance"])
        scope = {}
        exec((folder / "reference.py").read_text(), scope)
        self.reference = scope["run"]
        self.root = Plan((folder / "root.cu").read_text())
        self.fast = Plan((folder / "root.cu").read_text(), "--use_fast_math")
        self.oracle = Plan((folder / "oracle.cu").read_text())

    def axes(self, workload):
        return {name: axis.get("value", workload["axes"].get(name))
                for name, axis in self.definition["axes"].items()}

    def make_inputs(self, workload, axes):
        made = {}
        for name, spec in self.definition["inputs"].items():
            if spec["shape"] is None:
                made[name] = workload["inputs"][name]["value"]
                continue
            shape = [axes[axis] for axis in spec["shape"]]
            dtype = DTYPES[spec["dtype"]]
            made[name] = (
                torch.randn(shape, device="cuda").to(dtype)
                if dtype.is_floating_point else
                torch.randint(-1024, 1024, shape, device="cuda", dtype=dtype))
        return made

    def blank(self, axes, dtype=None, suffix=""):
        made = {}
        for name, spec in self.definition["outputs"].items():
            kind = dtype or DTYPES[spec["dtype"]]
            poison = math.nan if kind.is_floating_point else -7
            made[name + suffix] = torch.full(
                [axes[axis] for axis in spec["shape"]], poison, dtype=kind,
                device="cuda")
        return made

    def outputs(self, plan, inputs, axes):
        outputs = self.blank(axes)
        launch(plan.calls(inputs | outputs, axes))
        torch.cuda.synchronize()
        return list(outputs.values())

    def expected(self, inputs, axes):
        """[(r, m)] and the milliseconds that it took."""
        values = self.blank(axes, torch.float64)
        magnitudes = self.blank(axes, torch.float64, "_m")
        calls = self.oracle.calls(inputs | values | magnitudes, axes)
        launch(calls)
        torch.cuda.synchronize()
        milliseconds = timed(lambda: launch(calls), 1)
        return list(zip(values.values(), magnitudes.values())), milliseconds

    def worst(self, outputs, expected):
        """Infinite for NaN and for anything wrong where m = 0."""
        ratios = [0.0]
        dtypes = [DTYPES[spec["dtype"]]
                  for spec in self.definition["outputs"].values()]
        for dtype, y, (r, m) in zip(dtypes, outputs, expected):
            gap = (y.double().reshape(r.shape) - r).abs()
            bound = self.factor * UNIT_ROUNDOFF[dtype] * m
            ratio = torch.where(gap == 0, 0.0, gap / bound)
            ratios.append(ratio.nan_to_num(nan=math.inf, posinf=math.inf)
                          .max().item())
        return max(ratios)


FLUSH = torch.empty(2 * 60 << 20, dtype=torch.uint8, device="cuda")


def timed(call, repeats=10):
    times = []
    for _ in range(repeats):
        FLUSH.zero_()
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in "ab")
        start.record()
        call()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop))
    return sorted(times)[len(times) // 2]


def compile_expert(task, build):
    source = task.folder / "expert.cu"
    if not source.is_file():
        return None
    library = pathlib.Path(build) / f"{task.folder.name}.so"
    libraries = re.findall(r"^//@ library (\w+)$", source.read_text(), re.M)
    subprocess.run(
        ["nvcc", "-shared", "-Xcompiler", "-fPIC", "-arch=sm_90a",
         "-std=c++17", "-O3", *sys_flags(), str(source), "-o", str(library),
         *(f"-l{name}" for name in libraries)], check=True)
    return ctypes.CDLL(str(library))


def sys_flags():
    """Where the libraries are, if beside PyTorch and not in the toolkit."""
    if (pathlib.Path(INCLUDE) / "cublas_v2.h").exists():
        return []
    found = pathlib.Path(torch.__file__).parent.parent / "nvidia" / "cu13"
    flags = [f"-I{found}/include", f"-L{found}/lib",
             "-Xlinker", f"-rpath={found}/lib"]
    for name in ("cublas", "cublasLt"):
        real = found / "lib" / f"lib{name}.so.13"
        link = pathlib.Path(tempfile.gettempdir()) / f"lib{name}.so"
        if real.exists() and not link.exists():
            link.symlink_to(real)
    return [*flags, f"-L{tempfile.gettempdir()}"]


def call_expert(library, task, inputs, outputs, axes, workload):
    arguments = []
    for value in list(inputs.values()) + list(outputs.values()):
        arguments.append(ctypes.c_void_p(value.data_ptr())
                         if torch.is_tensor(value) else ctypes.c_float(value))
    arguments += [ctypes.c_int64(size) for size in workload["axes"].values()]
    arguments.append(ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
    return lambda: library.run(*arguments)


def to_bf16(value):
    return (value.to(torch.bfloat16).to(value.dtype)
            if torch.is_tensor(value) and value.is_floating_point() else value)


def measure(task, workload, library):
    axes = task.axes(workload)
    inputs = task.make_inputs(workload, axes)
    expected, oracle_ms = task.expected(inputs, axes)
    for r, m in expected:
        if not (r.isfinite().all() and m.isfinite().all() and (m >= 0).all()):
            print("FAIL oracle left an element unwritten, or m < 0")
    root_outputs = task.blank(axes)
    calls = task.root.calls(inputs | root_outputs, axes)
    launch(calls)
    torch.cuda.synchronize()
    root = list(root_outputs.values())
    double = [x.double() if torch.is_tensor(x) and x.is_floating_point() else x
              for x in inputs.values()]
    reference = task.reference(*double)
    reference = [reference] if torch.is_tensor(reference) else reference
    passing = {"reference": task.worst(reference, expected) / AGREE,
               "root": task.worst(root, expected)}
    del reference, double
    times = {"root": timed(lambda: launch(calls)), "oracle": oracle_ms}
    if library is not None:
        outputs = task.blank(axes)
        call = call_expert(library, task, inputs, outputs, axes, workload)
        call()
        torch.cuda.synchronize()
        passing["expert"] = task.worst(outputs.values(), expected)
        times["expert"] = timed(call)
    passing["fast"] = task.worst(task.outputs(task.fast, inputs, axes),
                                 expected)
    failing = wrong_outputs(task, inputs, axes, expected, root)
    size = sum(x.numel() * x.element_size()
               for x in [*inputs.values(), *root] if torch.is_tensor(x))
    return times, passing, failing, size


def with_narrow_sums(source, narrow):
    """The source with its sums rounded to `narrow` after each addition."""
    header = "cuda_fp16.h" if narrow == "half" else "cuda_bf16.h"
    to, back = (("__float2half", "__half2float") if narrow == "half" else
                ("__float2bfloat16", "__bfloat162float"))
    rounded = f"""#include <{header}>
struct Rounded {{
  __device__ void operator+=(float x) {{ value = {back}({to}(value + x)); }}
  __device__ operator float() const {{ return value; }}
  float value = 0.0f;
}};
"""
    return rounded + re.sub(r"float (sum|squares) = 0.0f;", r"Rounded \1;",
                            source)


def wrong_outputs(task, inputs, axes, expected, root):
    wrong = nulls(inputs.values(), expected)
    floats = [x for x in inputs.values()
              if torch.is_tensor(x) and x.dtype == torch.float32]
    if floats:
        rounded = {name: to_bf16(value) for name, value in inputs.items()}
        wrong["bf16 in"] = task.outputs(task.root, rounded, axes)
        if root[0].is_floating_point():
            wrong["bf16 out"] = [to_bf16(y) for y in root]
    text = (task.folder / "reference.py").read_text()
    if "matmul" in text and floats:
        torch.backends.cuda.matmul.allow_tf32 = True
        result = task.reference(*inputs.values())
        torch.backends.cuda.matmul.allow_tf32 = False
        wrong["tf32"] = [result] if torch.is_tensor(result) else result
    source = (task.folder / "root.cu").read_text()
    narrow = {torch.float16: "half", torch.bfloat16: "bfloat16"}.get(root[0].dtype)
    if narrow and "float s" in source:
        wrong["narrow sum"] = task.outputs(
            Plan(with_narrow_sums(source, narrow)), inputs, axes)
    return {name: task.worst(y, expected) for name, y in wrong.items()}


def main():
    torch.manual_seed(1)
    folder = pathlib.Path(__file__).resolve().parent.parent / "data" / "cuda"
    failed = 0
    with tempfile.TemporaryDirectory() as build:
        for path in sorted(folder.glob("*/definition.json")):
            if len(sys.argv) > 1 and path.parent.name not in sys.argv[1:]:
                continue
            try:
                task = Task(path.parent)
                library = compile_expert(task, build)
                for workload in task.workloads:
                    times, passing, failing, size = measure(
                        task, workload, library)
                    fast = passing.pop("fast")
                    good = (max(passing.values()) <= 1
                            and min(failing.values()) > 1)
                    failed += not good
                    passing["reference"] *= AGREE
                    cells = [f"{k} {v:.2g}" for k, v in
                             (passing | {"fast": fast} | failing).items()]
                    clock = [f"{k} {v:.4f} ms" for k, v in times.items()]
                    print(f"{'ok  ' if good else 'FAIL'} "
                          f"{workload['uuid']:44} {', '.join(clock)}, "
                          f"{size / 2**20:.1f} MiB; " + ", ".join(cells),
                          flush=True)
            except Exception as error:
                failed += 1
                print(f"FAIL {path.parent.name}: {type(error).__name__}: "
                      f"{str(error)[:1500]}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
