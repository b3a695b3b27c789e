"""The same with `await`: `r = await ck.aio.evaluate("gemv", source)`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import evaluation
from ._service import OnProgress
from .evaluation import Evaluation, Language, Source, Tier

if TYPE_CHECKING:
    from .tasks import Task


class Evaluator:
    """`async with ck.aio.Evaluator() as e: await e.evaluate(...)`."""

    def __init__(
        self,
        *,
        threads: int | None = None,
        arguments: Sequence[str] = (),
        command: Sequence[str] | None = None,
    ) -> None:
        self._threads = threads
        self._arguments = arguments
        self._command = command
        self._evaluator: evaluation.Evaluator | None = None

    async def __aenter__(self) -> Evaluator:
        self._evaluator = await asyncio.to_thread(
            evaluation.Evaluator,
            threads=self._threads,
            arguments=self._arguments,
            command=self._command,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._evaluator is not None:
            await asyncio.to_thread(self._evaluator.close)

    async def evaluate(
        self,
        task: str | os.PathLike[str] | Task,
        source: Source,
        *,
        tier: Tier = "fast",
        language: Language | None = None,
        progress: OnProgress | None = None,
    ) -> Evaluation:
        """Cancelling the coroutine takes the kernel back."""
        if self._evaluator is None:
            raise RuntimeError("use `async with` first")
        return await asyncio.wrap_future(
            self._evaluator.submit(
                task, source, tier=tier, language=language, progress=progress
            )
        )


async def evaluate(
    task: str | os.PathLike[str] | Task,
    source: Source,
    *,
    tier: Tier = "fast",
    language: Language | None = None,
    progress: OnProgress | None = None,
) -> Evaluation:
    """Like `coppice_kernels.evaluate`, by the same process."""
    evaluator = await asyncio.to_thread(evaluation.shared)
    return await asyncio.wrap_future(
        evaluator.submit(task, source, tier=tier, language=language, progress=progress)
    )
