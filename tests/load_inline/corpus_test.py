"""load_inline through eval/torch/inline: candidates as models write them.

    corpus_test.py [--gpu] [--full] [--keep FOLDER] [NAME...]

Each file of cpu/ and cuda/ calls load_inline when it is imported, and has a
check() of what it made.  A candidate must compile at the first level, or at
the one that its LEVEL says.  Those of cpu/ run, and what Python sees of their
MISTAKES must be the same at every level: with --full for all of them, without
it for those in COMPARED, since torch's own headers take their time.  Those of
cuda/ are compiled where there is a toolkit, and run with --gpu.
"""

import argparse
import hashlib
import importlib.util
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = HERE.parent.parent / "eval" / "torch"
sys.path.insert(0, str(PYTHON))
SKIPPED = 77

try:
    import torch
except ImportError:
    installed = HERE.parent.parent / "build/python/bin/python3"
    if installed.exists() and sys.executable != str(installed):
        os.execv(installed, [str(installed), *sys.argv])
    print("skipped: no torch; scripts/setup test installs it")
    sys.exit(SKIPPED)

from inline import load_inline, toolchain  # noqa: E402
from inline.build import (  # noqa: E402
    Level, Outcome, Request, Toolchain, build, build_bridge)

COMPARED = ("module_by_hand",)
KEPT = pathlib.Path(tempfile.gettempdir()) / "coppice-inline"


def bridge_of(tools: Toolchain, folder: pathlib.Path):
    """Compiled where it is not yet."""
    texts = [(PYTHON / "inline" / "bridge.cc").read_bytes(),
             (PYTHON / "inline/headers/coppice/bridge.h").read_bytes(),
             repr(tools).encode()]
    place = folder / hashlib.sha256(b"".join(texts)).hexdigest()[:16]
    if not (place / "coppice_bridge.so").exists():
        place.mkdir(parents=True, exist_ok=True)
        build_bridge(tools, place)
    return load_inline.load_bridge(place / "coppice_bridge.so")


def find_tools() -> Toolchain:
    if torch.cuda.is_available():
        return toolchain.find("%d%d" % torch.cuda.get_device_capability())
    return toolchain.find("90")


class NoLoader:
    """For libraries that cannot be loaded where they are compiled."""

    def load(self, path: str, name: str) -> None:
        return None


class Compiler:
    """In this process, and at the levels it was told."""

    def __init__(self, tools: Toolchain, levels: tuple[Level, ...]) -> None:
        self.tools, self.levels = tools, levels
        self.outcome: Outcome | None = None
        self.request: Request | None = None

    def __call__(self, request: Request) -> Outcome:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="load_inline-"))
        self.request = request
        self.outcome = build(request, self.tools, folder, self.levels)
        return self.outcome


def import_case(path: pathlib.Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def told_by(mistake) -> str:
    """The exception, in the first line of its words."""
    try:
        return f"no exception: {mistake()!r}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


class Corpus:
    def __init__(self, tools, bridge) -> None:
        self.tools, self.bridge = tools, bridge
        self.failures: list[str] = []

    def expect(self, condition: bool, complaint: str) -> None:
        if not condition:
            self.failures.append(complaint)
            print("FAILED:", complaint)

    def at(self, path, levels, device):
        compiler = Compiler(self.tools, levels)
        load_inline.install(compiler, self.bridge)
        module = import_case(path)
        if device is not None:
            module.check(device)
        return module, compiler.outcome

    def cpu(self, path, compare: bool) -> None:
        module, outcome = self.at(path, tuple(Level), "cpu")
        level = getattr(module, "LEVEL", "lookalike")
        self.expect(outcome.level.value == level,
                    f"{path.name}: {outcome.level.value}, not {level}")
        print(f"{path.name}: {outcome.level.value}", flush=True)
        if not compare or level == "full":
            return
        mistakes = getattr(module, "MISTAKES", [])
        seen = [told_by(mistake) for mistake in mistakes]
        for other in (Level.LEAN, Level.FULL):
            module, _ = self.at(path, (other,), "cpu")
            for ours, mistake in zip(seen, getattr(module, "MISTAKES", [])):
                self.expect(told_by(mistake) == ours,
                            f"{path.name}: {ours!r} at the first level, "
                            f"{told_by(mistake)!r} at {other.value}")

    def cuda(self, path, gpu: bool) -> None:
        if gpu:
            module, outcome = self.at(path, tuple(Level), "cuda")
        else:  # Compiled, and not loaded: there is no torch with CUDA here.
            compiler = Compiler(self.tools, (Level.LOOKALIKE,))
            load_inline.install(compiler, NoLoader())
            module, outcome = import_case(path), compiler.outcome
        level = getattr(module, "LEVEL", "lookalike")
        self.expect(outcome.level.value == level,
                    f"{path.name}: {outcome.level.value}, not {level}")
        print(f"{path.name}: {outcome.level.value} "
              f"{sum(outcome.seconds.values()):.2f} s", flush=True)




def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path,
                        default=KEPT)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    tools = find_tools()
    corpus = Corpus(tools, bridge_of(tools, options.keep))
    for path in sorted(HERE.glob("c*/*.py")):
        if options.names and path.stem not in options.names:
            continue
        if path.parent.name == "cpu":
            corpus.cpu(path, options.full or path.stem in COMPARED)
        elif tools.cuda is None:
            continue
        elif path.stem == "cublas" and not (
                pathlib.Path(tools.cuda) / "include/cublas_v2.h").exists():
            print("cublas.py: skipped: no cublas_v2.h")
        else:
            corpus.cuda(path, options.gpu)
    return 1 if corpus.failures else 0


if __name__ == "__main__":
    sys.exit(main())
