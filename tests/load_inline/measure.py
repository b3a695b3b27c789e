"""Cold times of load_inline for a kernel of one line, in a table.

    measure.py [--gpu] [--repeats N] [--levels LEVEL...] [--keep FOLDER]

Torch is imported and the bridge is there: both are, before a candidate is
known.  With --gpu each time includes a first call, checked against torch, and
torch's own load_inline is measured in the same run; without, only compilations
are, and "full" is what torch's own would compile.
"""

import argparse
import contextlib
import pathlib
import sys
import tempfile
import time

import corpus_test
import torch
import torch.utils.cpp_extension as cpp_extension
from inline import load_inline
from inline.build import Level

KERNEL = pathlib.Path(__file__).parent / "cuda" / "relu.py"
TORCHS_OWN = cpp_extension.load_inline


def ours(level: Level, tools, bridge, gpu: bool) -> float:
    compiler = corpus_test.Compiler(tools, (level,))
    load_inline.install(compiler,
                        bridge if gpu else corpus_test.NoLoader())
    started = time.perf_counter()
    with contextlib.suppress(ImportError):  # Without --gpu, of a CUDA library.
        module = corpus_test.import_case(KERNEL)
        if gpu:
            module.check("cuda")
            torch.cuda.synchronize()
    assert compiler.outcome is not None and compiler.outcome.library
    return time.perf_counter() - started


def theirs() -> float:
    def load(**arguments):
        folder = tempfile.mkdtemp(prefix="load_inline-")
        return TORCHS_OWN(**arguments, build_directory=folder)

    cpp_extension.load_inline = load
    started = time.perf_counter()
    module = corpus_test.import_case(KERNEL)
    module.check("cuda")
    torch.cuda.synchronize()
    return time.perf_counter() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--levels", nargs="*",
                        default=[level.value for level in Level])
    parser.add_argument("--keep", type=pathlib.Path,
                        default=corpus_test.KEPT)
    options = parser.parse_args()
    tools = corpus_test.find_tools()
    started = time.perf_counter()
    bridge = corpus_test.bridge_of(tools, options.keep)
    print(f"torch {torch.__version__}, CUDA {tools.cuda}, "
          f"sm_{tools.architecture}; bridge found or made in "
          f"{time.perf_counter() - started:.1f} s", flush=True)
    if options.gpu:  # The context, and what the check itself compiles.
        x = torch.randn(9, device="cuda")
        torch.testing.assert_close(x.relu(), x.clamp(min=0))
    rows: dict[str, list[float]] = {}
    for _ in range(options.repeats):
        for level in Level:
            if level.value in options.levels:
                rows.setdefault(level.value, []).append(
                    ours(level, tools, bridge, options.gpu))
        if options.gpu:
            rows.setdefault("torch's own", []).append(theirs())
    slowest = rows.get("torch's own") or rows.get("full")
    print("| headers | cold, s | of them the least | ratio of least |")
    print("|---|---|---|---|")
    for name, times in rows.items():
        each = " ".join(f"{t:.2f}" for t in times)
        ratio = f"{min(slowest) / min(times):.1f}" if slowest else "-"
        print(f"| {name} | {each} | {min(times):.2f} | {ratio} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
