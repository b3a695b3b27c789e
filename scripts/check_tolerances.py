#!/usr/bin/env python3
"""Checks that each task's tolerance lies between honest float32 arithmetic and
everything that must fail, on every workload.  Needs PyTorch and g++.

Columns are max |y - r| / (factor u m): at most 1 passes.
  root      the naive source             bf16 in   inputs rounded to bfloat16
  fast      with -ffast-math             bf16 mid  intermediate arrays rounded
  ulp       exp, tanh, log off by up     bf16 out  output rounded
            to 4 ulp at random           zeros, mean, copy, blank: outputs that
                                         need no kernel
usage: check_tolerances.py [TASK...]
"""

import math
import pathlib
import sys
import tempfile
import time

import torch
from native_task import all_tasks, worst_ratio

# Included before the source: its std::exp and so on then err by up to 4 ulp.
SLOPPY_MATHS = """
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>
namespace std {
inline float Sloppy(float x, float y) {
  uint32_t h = bit_cast<uint32_t>(x) * 2654435761u;
  h ^= h >> 15;
  const float ulps = static_cast<float>(h % 9) - 4.0f;
  return y + ulps * 0x1p-23f * exp2(floor(log2(abs(y) + 1e-37f)));
}
inline float SloppyExp(float x) { return Sloppy(x, exp(x)); }
inline float SloppyTanh(float x) { return Sloppy(x, tanh(x)); }
inline float SloppyLog(float x) { return Sloppy(x, log(x)); }
}
#define exp SloppyExp
#define tanh SloppyTanh
#define log SloppyLog
"""

# A std::vector<float> then keeps bfloat16.
ROUNDED_VECTORS = """
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>
struct Bf16 {
  Bf16(float x = 0.0f) {
    uint32_t b = std::bit_cast<uint32_t>(x);
    b += 0x7fffu + (b >> 16 & 1u);
    value = std::bit_cast<float>(b & 0xffff0000u);
  }
  operator float() const { return value; }
  Bf16& operator+=(float x) { return *this = Bf16(value + x); }
  Bf16& operator*=(float x) { return *this = Bf16(value * x); }
  float value;
};
namespace std {
template <class T> using RoundedVector = vector<Bf16>;
inline float max(float a, const Bf16& b) { return max(a, b.value); }
inline float max(const Bf16& a, float b) { return max(a.value, b); }
}
#define vector RoundedVector
"""


def to_bf16(tensors):
    return [x.to(torch.bfloat16).float()
            if torch.is_tensor(x) and x.is_floating_point() else x
            for x in tensors]


def seconds(call):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return sorted(times)[2]


def nulls(inputs, oracle):
    """Outputs of null candidates."""
    first = next(x for x in inputs if torch.is_tensor(x)).flatten()

    def copied(r):
        return first.repeat(-(-r.numel() // first.numel()))[:r.numel()]

    values = [r for r, _ in oracle]
    return {
        "zeros": [torch.zeros_like(r) for r in values],
        "mean": [torch.full_like(r, r.mean().item()) for r in values],
        "copy": [copied(r) for r in values],
        "blank": [torch.full_like(r, math.nan) for r in values],
    }


def measure(task, libraries, oracle_library, workload, seed):
    axes = workload["axes"]
    generator = torch.Generator().manual_seed(seed)
    inputs = task.make_inputs(axes, workload["inputs"], generator)
    oracle = task.call_oracle(oracle_library, inputs, axes)

    def run(name, args):
        return task.call_root(libraries[name], args, axes)

    root = run("root", inputs)
    honest = {"root": root, "fast": run("fast", inputs),
              "ulp": run("ulp", inputs)}
    wrong = nulls(inputs, oracle)
    if any(torch.is_tensor(x) and x.is_floating_point() for x in inputs):
        wrong["bf16 in"] = run("root", to_bf16(inputs))
        wrong["bf16 out"] = to_bf16(root)
        if "std::vector" in (task.folder / "root.cc").read_text():
            wrong["bf16 mid"] = run("rounded", inputs)

    def ratios(group):
        return {name: worst_ratio(y, oracle) / task.factor
                for name, y in group.items()}

    root_s = seconds(lambda: task.call_root(libraries["root"], inputs, axes))
    oracle_s = seconds(lambda: task.call_oracle(oracle_library, inputs, axes))
    size = sum(x.numel() * x.element_size() for x in inputs + root
               if torch.is_tensor(x))
    return ratios(honest), ratios(wrong), (root_s, oracle_s, size)


def main():
    torch.set_num_threads(1)
    folder = pathlib.Path(__file__).resolve().parent.parent / "data" / "cpu"
    failed = 0
    with tempfile.TemporaryDirectory() as build:
        sloppy = pathlib.Path(build) / "sloppy.h"
        sloppy.write_text(SLOPPY_MATHS)
        rounded = pathlib.Path(build) / "rounded.h"
        rounded.write_text(ROUNDED_VECTORS)
        for task in all_tasks(folder):
            if len(sys.argv) > 1 and task.name not in sys.argv[1:]:
                continue
            libraries = {
                "root": task.compile("root.cc", build),
                "fast": task.compile("root.cc", build, ("-ffast-math",)),
                "ulp": task.compile("root.cc", build,
                                    ("-include", str(sloppy))),
                "rounded": task.compile("root.cc", build,
                                        ("-include", str(rounded))),
            }
            oracle = task.compile("oracle.cc", build)
            for seed, workload in enumerate(task.workloads):
                honest, wrong, (root_s, oracle_s, size) = measure(
                    task, libraries, oracle, workload, seed)
                good = (max(honest.values()) <= 1 and
                        min(wrong.values()) > 1)
                failed += not good
                cells = [f"{k} {v:.2g}" for k, v in (honest | wrong).items()]
                print(f"{'ok  ' if good else 'FAIL'} {workload['uuid']:40} "
                      f"root {1e3 * root_s:.1f} ms, oracle "
                      f"{1e3 * oracle_s:.1f} ms, {size / 2**20:.1f} MiB; "
                      + ", ".join(cells), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
