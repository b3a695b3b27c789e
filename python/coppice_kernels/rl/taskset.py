"""Tasks for `verifiers`: each asks for a kernel, and is rewarded by its verdict."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Iterable, Sequence
from typing import Literal

from .. import _errors
from ..evaluation import Tier
from .components import Components
from .reward_function import Reward
from .schemes import scalar
from .task_prompts import prompts

try:
    import verifiers.v1 as vf
except ImportError:
    raise _errors.Error(
        "verifiers is not installed", "pip install 'coppice-kernels[verifiers]'"
    ) from None

Named = Literal["log", "kevin", "kernrl"]


class KernelConfig(vf.TaskConfig):
    """How an answer is judged."""

    scheme: Named = "log"
    tier: Tier = "fast"
    replay: str | None = None  # See `reward`.


class KernelData(vf.TaskData):
    """A task of coppice by its name."""

    kernel_task: str


@functools.cache
def _reward_of(scheme: Named, tier: Tier, replay: str | None) -> Reward:
    return Reward(scheme=scheme, tier=tier, replay=replay)


class KernelTask(vf.Task[KernelData, vf.State, KernelConfig]):
    async def _components(self, trace: vf.Trace) -> Components:
        said = self.config
        judge = _reward_of(said.scheme, said.tier, said.replay)
        task, reply = self.data.kernel_task, trace.last_reply
        (one,) = await asyncio.to_thread(judge.components, [task], [reply])
        return one

    @vf.reward
    async def kernel(self, trace: vf.Trace) -> dict[str, float]:
        """Nothing where nothing is known: no reward is not a bad reward."""
        one = await self._components(trace)
        value = scalar(one, self.config.scheme)
        trace.info["kernel"] = one.as_dict()
        return {} if value is None else {"kernel": value}


class KernelsetConfig(vf.TasksetConfig):
    """Which tasks: these, or those of a level, or all that come with coppice."""

    tasks: tuple[str, ...] = ()
    level: int | None = None
    device: str = "cpu"
    task: KernelConfig = KernelConfig()


class KernelTaskset(vf.Taskset[KernelTask, KernelsetConfig]):
    def load(self) -> Iterable[KernelTask]:
        rows = prompts(
            self.config.tasks, level=self.config.level, device=self.config.device
        )
        for row in rows:
            data = KernelData(
                name=row["task"], prompt=row["prompt"], kernel_task=row["task"]
            )
            yield KernelTask(data, self.config.task)


def verifiers_taskset(
    tasks: Sequence[str] = (),
    *,
    level: int | None = None,
    device: str = "cpu",
    scheme: Named = "log",
    tier: Tier = "fast",
    replay: str | None = None,
) -> KernelTaskset:
    """The taskset, for `verifiers` 0.4."""
    return KernelTaskset(
        KernelsetConfig(
            tasks=tuple(tasks),
            level=level,
            device=device,
            task=KernelConfig(scheme=scheme, tier=tier, replay=replay),
        )
    )
