"""Finds what load_inline would compile with; torch need not be imported.

    python -m inline.toolchain [ARCHITECTURE]

prints it as build.py reads it.  ARCHITECTURE is the device's: "90".
"""

import ast
import dataclasses
import importlib.util
import json
import os
import pathlib
import re
import runpy
import shutil
import sys
import sysconfig
from typing import Optional

from .build import Toolchain


def _find_cuda() -> Optional[str]:
    """The toolkit's folder, by a name without links: a sandbox has no others."""
    nvcc = shutil.which("nvcc")
    for place in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"),
                  "/usr/local/cuda",
                  nvcc and os.path.dirname(os.path.dirname(nvcc))):
        if place and os.path.exists(f"{place}/bin/nvcc"):
            return os.path.realpath(place)
    return None


def _nvcc_flags(text: str) -> tuple[str, ...]:
    """Those that torch always passes: a list in its cpp_extension.py."""
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign) and any(
                isinstance(target, ast.Name)
                and target.id == "COMMON_NVCC_FLAGS"
                for target in statement.targets):
            return tuple(ast.literal_eval(statement.value))
    return ()


def _folder_of(package: str) -> Optional[str]:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return None
    return str(pathlib.Path(spec.origin).resolve().parent)


def find(architecture: Optional[str] = None) -> Toolchain:
    folder = _folder_of("torch")
    assert folder is not None
    torch = pathlib.Path(folder)
    facts = runpy.run_path(str(torch / "version.py"))
    text = (torch / "utils" / "cpp_extension.py").read_text(encoding="utf-8")
    standard = re.search(r"-std=(c\+\+\d\d)'", text)
    library = (torch / "lib" / "libc10.so").read_bytes()
    return Toolchain(
        torch=str(torch),
        torch_version=facts["__version__"],
        python_include=sysconfig.get_path("include"),
        standard=standard[1] if standard else "c++17",
        abi=int(b"NSt7__cxx1112basic_string" in library),
        cuda=_find_cuda(),
        torch_has_cuda=facts.get("cuda") is not None,
        architecture=architecture,
        nvcc_flags=_nvcc_flags(text),
        tvm_ffi=_folder_of("tvm_ffi"))


if __name__ == "__main__":
    print(json.dumps(dataclasses.asdict(
        find(sys.argv[1] if sys.argv[1:] != [""] else None))))
