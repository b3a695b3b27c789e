#!/usr/bin/env python3
"""Tasks made of CUDA files by `coppice new`, judged on a GPU.

usage: new_cuda_test.py PROGRAM

Makes a task of each file in tests/own_kernels/cuda, checks that kernels which
must fail do, and that a kernel which leaves out what the root does is wrong.
Prints `skipped: no CUDA device` and ends with 77 where there is none.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "own_kernels/cuda"
OPTIONS = {"gemm": ["--shape", "A=M,K", "--shape", "B=K,N"]}
NO_DEVICE = 77


def main(program: str) -> int:
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory() as where:

        def said(*words: str) -> tuple[int, str]:
            done = subprocess.run([program, *words], cwd=where, text=True,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            print(f"$ coppice {' '.join(words)}\n{done.stdout}", flush=True)
            return done.returncode, done.stdout

        faults = 0
        for file in sorted(FOLDER.glob("*.cu")):
            name = file.stem
            code, _ = said("new", str(file), name, *OPTIONS.get(name, []))
            if code != 0:
                return code
            code, text = said("task", "check", f"./{name}")
            if "skipped: no CUDA device" in text:
                print("skipped: no CUDA device")
                return NO_DEVICE
            faults += code != 0
            root = (pathlib.Path(where) / name / "root.cu").read_text()
            wrong = pathlib.Path(where) / f"{name}_wrong.cu"
            wrong.write_text(root.replace("sum +=", "sum ="))
            code, text = said("eval", f"./{name}", str(wrong))
            faults += code != 3 or "wrong_output" not in text
        return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
