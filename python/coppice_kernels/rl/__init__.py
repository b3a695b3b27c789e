"""Reinforcement learning on kernels: rewards, environments, and their audit.

Names are loaded when they are first used: trainers and environments need what
they need, and this package needs none of it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .completion import source_of as source_of
    from .components import Components as Components
    from .env import KernelEnv as KernelEnv
    from .episode import Episode as Episode
    from .episode import Turn as Turn
    from .open_env import OpenKernelEnv as OpenKernelEnv
    from .open_env import openenv_app as openenv_app
    from .outside import outside_service as outside_service
    from .relabelling import Relabelled as Relabelled
    from .relabelling import relabel as relabel
    from .reward_function import Reward as Reward
    from .reward_function import reward as reward
    from .schemes import discounted as discounted
    from .task_prompts import prompts as prompts
    from .taskset import verifiers_taskset as verifiers_taskset
    from .verdicts import Verdicts as Verdicts

# Where each name lives.  No module has the name of a function.
_HOMES: dict[str, str] = {
    "Components": "components",
    "Episode": "episode",
    "KernelEnv": "env",
    "OpenKernelEnv": "open_env",
    "Relabelled": "relabelling",
    "Reward": "reward_function",
    "Turn": "episode",
    "Verdicts": "verdicts",
    "discounted": "schemes",
    "openenv_app": "open_env",
    "outside_service": "outside",
    "prompts": "task_prompts",
    "relabel": "relabelling",
    "reward": "reward_function",
    "source_of": "completion",
    "verifiers_taskset": "taskset",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
