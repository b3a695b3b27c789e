"""coppice from Python: judge kernels, search for faster ones, read histories.

    import coppice_kernels as ck

Names are loaded when they are first used, so importing this costs little.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import aio as aio
    from . import operations as operations
    from . import plots as plots
    from . import policy as policy
    from . import rl as rl
    from ._errors import BudgetSpent as BudgetSpent
    from ._errors import Busy as Busy
    from ._errors import Cancelled as Cancelled
    from ._errors import Corrupt as Corrupt
    from ._errors import Error as Error
    from ._errors import Full as Full
    from ._errors import IoError as IoError
    from ._errors import KernelFailed as KernelFailed
    from ._errors import LeaseLost as LeaseLost
    from ._errors import NewerFormat as NewerFormat
    from ._errors import NotFound as NotFound
    from ._errors import ServiceDied as ServiceDied
    from ._errors import Timeout as Timeout
    from ._errors import Unanswered as Unanswered
    from ._errors import Unavailable as Unavailable
    from ._errors import Unfit as Unfit
    from ._errors import UsageError as UsageError
    from ._table import Column as Column
    from ._table import Table as Table
    from .campaign import Campaign as Campaign
    from .campaign import Node as Node
    from .campaign import Prompt as Prompt
    from .campaign import Verdict as Verdict
    from .comparison import Comparison as Comparison
    from .comparison import compare as compare
    from .comparison import compare_in_memory as compare_in_memory
    from .evaluation import Evaluation as Evaluation
    from .evaluation import Evaluator as Evaluator
    from .evaluation import Progress as Progress
    from .evaluation import Solution as Solution
    from .evaluation import Workload as Workload
    from .evaluation import evaluate as evaluate
    from .history import History as History
    from .history import View as View
    from .history import open as open  # noqa: A004
    from .machine import Machine as Machine
    from .machine import doctor as doctor
    from .runs import Run as Run
    from .runs import RunProgress as RunProgress
    from .runs import resume as resume
    from .runs import run as run
    from .runs import start as start
    from .tasks import Task as Task
    from .tasks import task as task

__version__ = "0.2.0"

# Where each public name lives.
_HOMES: dict[str, str] = {
    name: home
    for home, names in {
        "_errors": "BudgetSpent Busy Cancelled Corrupt Error Full IoError "
        "KernelFailed LeaseLost NewerFormat NotFound ServiceDied Timeout "
        "Unanswered Unavailable Unfit UsageError",
        "_table": "Column Table",
        "campaign": "Campaign Node Prompt Verdict",
        "evaluation": "Evaluation Evaluator Progress Solution Workload evaluate",
        "comparison": "Comparison compare compare_in_memory",
        "history": "History View open",
        "machine": "Machine doctor",
        "runs": "Run RunProgress resume run start",
        "tasks": "Task task",
    }.items()
    for name in names.split()
}
_MODULES = ("aio", "operations", "plots", "policy", "rl")


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES, *_MODULES])
