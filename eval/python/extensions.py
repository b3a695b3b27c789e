"""load_inline in a worker: its parent compiles, and shows the library.

What is here is in the candidate's reach.  It may send other requests than
load_inline makes, and load other libraries than it is shown; all it gains is
what it could have written in C++.
"""

import dataclasses
import json
import threading
from typing import Any

from inline import load_inline
from inline.build import Level, Outcome, Request

SHOWN = "/extensions"  # Read-only: worker.cc puts libraries there.


class Bridge:
    """Loaded when it is needed, for it is compiled when it is needed."""

    def __init__(self) -> None:
        self.module: Any = None

    def load(self, path: str, name: str) -> Any:
        if self.module is None:
            self.module = load_inline.LoadBridge(f"{SHOWN}/bridge.so")
        return self.module.load(path, name)


def install(worker: Any) -> None:
    lock = threading.Lock()

    def compile_(request: Request) -> Outcome:
        with lock:
            answer = worker.ask(json.dumps(dataclasses.asdict(request)))
        library = answer["library"]
        return Outcome(
            Level(answer["level"]),
            f"{SHOWN}/{library}" if library else None,
            answer["diagnostics"],
            {},
        )

    load_inline.Install(compile_, Bridge())
