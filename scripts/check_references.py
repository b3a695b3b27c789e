#!/usr/bin/env python3
"""Checks that each task's PyTorch reference and its C++ oracle compute the
same: both in double precision, on small shapes.  Needs PyTorch and g++.

usage: check_references.py [TASK...]
"""

import pathlib
import sys
import tempfile

SMALL = [5, 11, 6, 9, 7]  # Sizes of the varying axes, in their order.
# Two double-precision results differ by some 2^-53 m.  A different formula
# differs by much more than this fraction of the float32 error unit.
AGREE = 1e-3


def check(task, build):
    import torch
    from native_task import worst_ratio

    axes = dict(zip(task.varying(), SMALL))
    generator = torch.Generator().manual_seed(1)
    inputs = task.make_inputs(axes, task.workloads[0]["inputs"], generator)
    oracle = task.call_oracle(task.compile("oracle.cc", build), inputs, axes)
    for r, m in oracle:
        if not (r.isfinite().all() and m.isfinite().all() and (m >= 0).all()):
            return "oracle left an element unwritten, or m < 0", False
    double = [x.double() if torch.is_tensor(x) and x.is_floating_point() else x
              for x in inputs]
    outputs = task.reference()(*double)
    if torch.is_tensor(outputs):
        outputs = [outputs]
    if len(outputs) != len(oracle):
        return f"reference gives {len(outputs)} outputs", False
    for y, (r, _) in zip(outputs, oracle):
        if y.shape != r.shape:
            return f"reference gives shape {list(y.shape)}", False
    ratio = worst_ratio(outputs, oracle)
    return f"{ratio:.1e} u m", ratio <= AGREE


def main():
    try:
        import torch  # noqa: F401
    except ImportError:
        print("skipped: no PyTorch")
        return 0
    from native_task import all_tasks

    root = pathlib.Path(__file__).resolve().parent.parent / "data" / "cpu"
    failed = 0
    with tempfile.TemporaryDirectory() as build:
        for task in all_tasks(root):
            if len(sys.argv) > 1 and task.name not in sys.argv[1:]:
                continue
            text, good = check(task, build)
            failed += not good
            print(f"{'ok  ' if good else 'FAIL'} {task.name:24} {text}",
                  flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
