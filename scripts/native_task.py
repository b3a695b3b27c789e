"""A task of data/cpu seen from PyTorch: its shapes, and its C++ sources called
through ctypes.  Shared by check_references.py and check_tolerances.py."""

import ctypes
import json
import math
import pathlib
import subprocess

import torch

UNIT_ROUNDOFF = 2.0**-24
C_SCALARS = {"float32": ctypes.c_float, "int32": ctypes.c_int32,
             "int64": ctypes.c_int64, "bool": ctypes.c_bool}
TENSORS = {"float32": torch.float32, "int32": torch.int32,
           "int64": torch.int64, "int8": torch.int8, "bool": torch.bool}
FLAGS = ["-O3", "-march=native", "-std=c++20", "-fopenmp", "-fno-math-errno",
         "-ffp-contract=fast", "-shared", "-fPIC"]


class Task:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.definition = json.loads((folder / "definition.json").read_text())
        self.name = self.definition["name"]
        lines = (folder / "workloads.jsonl").read_text().splitlines()
        self.workloads = [json.loads(line)["workload"] for line in lines]
        tags = [tag.split(":", 1) for tag in self.definition["tags"]]
        self.factor = float(dict(tags)["tolerance"])
        self.ranges = dict(text.split(":") for key, text in tags
                           if key == "range")
        self.ascending = {text for key, text in tags if key == "ascending"}

    def varying(self):
        return [name for name, axis in self.definition["axes"].items()
                if axis["type"] == "var"]

    def shape(self, tensor, axes):
        known = {name: axis.get("value")
                 for name, axis in self.definition["axes"].items()} | axes
        return [known[axis] for axis in tensor["shape"]]

    def make_inputs(self, axes, scalars, generator):
        """N(0,1) floats and integers in [-1024, 1024), as FlashInfer-Bench
        makes them, or in the range of their tag; `scalars` are the inputs of a
        workload, for the values."""
        made = []
        for name, spec in self.definition["inputs"].items():
            if spec["shape"] is None:
                made.append(scalars[name]["value"])
                continue
            shape = self.shape(spec, axes)
            dtype = TENSORS[spec["dtype"]]
            if dtype.is_floating_point:
                made.append(torch.randn(shape, generator=generator))
            else:
                low, high = (eval(bound, {}, dict(axes)) for bound in
                             self.ranges.get(name, "-1024..1023").split(".."))
                value = torch.randint(low, high + 1, shape, dtype=torch.int64,
                                      generator=generator).to(dtype)
                made.append(value.sort().values if name in self.ascending
                            else value)
        return made

    def reference(self):
        scope = {}
        exec((self.folder / "reference.py").read_text(), scope)
        return scope["run"]

    def compile(self, source, into, extra=()):
        library = pathlib.Path(into) / f"{self.name}_{abs(hash(extra))}.so"
        library = library.with_stem(f"{pathlib.Path(source).stem}_{library.stem}")
        subprocess.run(["g++", *FLAGS, *extra, str(self.folder / source), "-o",
                        str(library)], check=True)
        return ctypes.CDLL(str(library))

    def call_root(self, library, inputs, axes):
        """Returns the outputs, as float32 (or integer) tensors."""
        outputs = []
        arguments = []
        for spec, value in zip(self.definition["inputs"].values(), inputs):
            arguments.append(
                C_SCALARS[spec["dtype"]](value) if spec["shape"] is None
                else ctypes.c_void_p(value.data_ptr()))
        for spec in self.definition["outputs"].values():
            dtype = TENSORS[spec["dtype"]]
            poison = math.nan if dtype.is_floating_point else -7
            outputs.append(torch.full(self.shape(spec, axes), poison,
                                      dtype=dtype))
            arguments.append(ctypes.c_void_p(outputs[-1].data_ptr()))
        arguments += [ctypes.c_int64(axes[name]) for name in self.varying()]
        library.run(*arguments)
        return outputs

    def call_oracle(self, library, inputs, axes):
        """Returns (expected, magnitude) of each output, in float64."""
        kept = []
        arguments = []
        for spec, value in zip(self.definition["inputs"].values(), inputs):
            if spec["shape"] is None:
                arguments.append(ctypes.c_double(value))
                continue
            kept.append(value.to(torch.float64 if value.is_floating_point()
                                 else torch.int64))
            arguments.append(ctypes.c_void_p(kept[-1].data_ptr()))
        shapes = [self.shape(spec, axes)
                  for spec in self.definition["outputs"].values()]
        expected, magnitude = ([torch.full(s, math.nan, dtype=torch.float64)
                                for s in shapes] for _ in range(2))
        arguments += [ctypes.c_void_p(t.data_ptr())
                      for t in expected + magnitude]
        arguments += [ctypes.c_int64(axes[name]) for name in self.varying()]
        library.oracle(*arguments)
        return list(zip(expected, magnitude))


def worst_ratio(outputs, oracle):
    """max |y - r| / (u m) over all outputs; NaN and anything wrong where
    m = 0 count as infinite."""
    worst = 0.0
    for y, (r, m) in zip(outputs, oracle):
        gap = (y.to(torch.float64).reshape(r.shape) - r).abs()
        ratio = torch.where(gap == 0, 0.0, gap / (UNIT_ROUNDOFF * m))
        worst = max(worst, ratio.nan_to_num(nan=math.inf, posinf=math.inf).max().item())
    return worst


def all_tasks(folder):
    return [Task(path.parent) for path in
            sorted(pathlib.Path(folder).glob("*/definition.json"))]
