"""coppice from Python: judge kernels, search for faster ones, read histories.

    import coppice_kernels as ck

Names are loaded when they are first used, so importing this costs little.
"""

from __future__ import annotations

import importlib

__version__ = "0.2.0"

# Where each public name lives.
_HOMES: dict[str, str] = {}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        if name in ("policy",):
            return importlib.import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
