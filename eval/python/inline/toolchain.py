"""Finds what load_inline would compile with, in a process that has torch.

    python -m inline.toolchain

prints it as build.py reads it.
"""

import dataclasses
import json
import os
import pathlib
import re
import sysconfig

import torch
import torch.utils.cpp_extension as cpp_extension

from .build import Toolchain


def Find() -> Toolchain:
    text = pathlib.Path(cpp_extension.__file__).read_text()
    standard = re.search(r"-std=(c\+\+\d\d)'", text)
    architecture = None
    if torch.cuda.is_available():
        architecture = "%d%d" % torch.cuda.get_device_capability()
    # Torch without CUDA does not look for it.
    cuda = os.environ.get("CUDA_HOME") or cpp_extension.CUDA_HOME
    if cuda is None and os.path.exists("/usr/local/cuda/bin/nvcc"):
        cuda = "/usr/local/cuda"
    return Toolchain(
        torch=str(pathlib.Path(torch.__file__).parent),
        torch_version=torch.__version__,
        python_include=sysconfig.get_path("include"),
        standard=standard[1] if standard else "c++17",
        abi=int(torch._C._GLIBCXX_USE_CXX11_ABI),
        cuda=cuda,
        torch_has_cuda=torch.version.cuda is not None,
        architecture=architecture,
        nvcc_flags=tuple(cpp_extension.COMMON_NVCC_FLAGS))


if __name__ == "__main__":
    print(json.dumps(dataclasses.asdict(Find())))
