"""A reward function: completions in, a number for each out.

It has the shape that TRL calls, and that of verl as `compute_score`.  Equal
kernels are judged once, and many side by side.
"""

from __future__ import annotations

import collections
import math
import os
import queue
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, get_args

from .. import _errors
from .._service import result_of
from ..evaluation import (
    Evaluation,
    Evaluator,
    Language,
    Solution,
    Tier,
    _evaluation_of,
    shared,
)
from .completion import Completion, source_of, why_unfit
from .components import NO_CANDIDATE, Components
from .schemes import Scheme, rule_of, scalar
from .verdicts import Verdicts

_MOST_PARALLEL = 64  # The service queues so many, and refuses more.
_PAUSE_S = 1.0  # While others have all places of the service,
_MOST_PAUSES = 600  # and so many in a row until that is raised.

_Kernel = tuple[str, str]  # Task and source.


class Reward:
    """A reward function for trainers, made by `reward`.

    The task of each row stands in the column `task_column`, or is `task`.
    `parallel` kernels are asked for at a time.  Verdicts are kept in the file
    `replay`, and taken from it where they are there.  `inconclusive` is the score
    for trainers that know of no None.

    By any thread; it can be pickled where it was not given an evaluator.
    """

    def __init__(
        self,
        *,
        task: str | None = None,
        task_column: str = "task",
        scheme: Scheme = "log",
        tier: Tier = "fast",
        parallel: int = 16,
        language: Language | None = None,
        replay: str | os.PathLike[str] | None = None,
        inconclusive: float = 0.0,
        evaluator: Evaluator | None = None,
    ) -> None:
        rule_of(scheme)
        if tier not in get_args(Tier):
            raise _errors.UsageError(
                f"tier: there is no {tier!r}", ", ".join(get_args(Tier))
            )
        if not 1 <= parallel <= _MOST_PARALLEL:
            raise _errors.UsageError(
                f"parallel: expected 1 to {_MOST_PARALLEL}, not {parallel}"
            )
        self.task = task
        self.task_column = task_column
        self.scheme: Scheme = scheme
        self.tier: Tier = tier
        self.parallel = parallel
        self.language: Language | None = language
        self.replay = None if replay is None else os.path.abspath(replay)
        self.inconclusive = inconclusive
        # By this name trainers log it.
        self.__name__ = f"kernel_{scheme if isinstance(scheme, str) else 'reward'}"
        self._evaluator = evaluator
        self._lock = threading.Lock()
        self._verdicts: tuple[int, Verdicts] | None = None  # With its process.

    def __getstate__(self) -> dict[str, Any]:
        if self._evaluator is not None:
            raise _errors.UsageError(
                "a reward with an evaluator of its own cannot be pickled"
            )
        return {**self.__dict__, "_lock": None, "_verdicts": None}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()

    def __call__(
        self,
        prompts: object = None,
        completions: Sequence[Completion] = (),
        **columns: Any,
    ) -> list[float | None]:
        """As TRL calls it.  None: there is no telling, so no signal."""
        if not completions and isinstance(prompts, Sequence) and prompts:
            raise _errors.UsageError(
                "completions: there are none, but prompts", "say completions=..."
            )
        tasks = self._tasks_of(columns, len(completions))
        judged = self.components(tasks, completions)
        rewards = [scalar(one, self.scheme) for one in judged]
        self._log(judged, columns)
        return rewards

    def compute_score(
        self,
        data_source: str,
        solution_str: str,
        ground_truth: object = None,
        extra_info: Mapping[str, Any] | None = None,
        **_: Any,
    ) -> dict[str, Any]:
        """As verl calls it, which takes a number alone for a score.

        `known` is 0 where `inconclusive` stands for one.
        """
        task = (extra_info or {}).get(self.task_column) or self.task or ground_truth
        if not isinstance(task, str) or not task:
            raise _errors.UsageError(
                f"extra_info: has no {self.task_column!r}, and the ground truth is "
                "no name of a task"
            )
        (one,) = self.components([task], [solution_str])
        score = scalar(one, self.scheme)
        low, high = one.bounds(self.scheme) or (math.nan, math.nan)
        return {
            "score": self.inconclusive if score is None else score,
            "known": float(score is not None),
            "passed": float(one.passed),
            "speedup": math.nan if one.speedup is None else one.speedup,
            "score_low": low,
            "score_high": high,
        }

    def components(
        self, tasks: Sequence[str], completions: Sequence[Completion]
    ) -> list[Components]:
        """What there is to know of each, in their order."""
        if len(tasks) != len(completions):
            raise _errors.UsageError(
                f"{len(tasks)} tasks for {len(completions)} completions",
                "each completion's row names its task",
            )
        sources = [source_of(completion) for completion in completions]
        kernels = [
            None if source is None or why_unfit(source) else (task, source)
            for task, source in zip(tasks, sources, strict=True)
        ]
        judged = self._judged([kernel for kernel in kernels if kernel is not None])
        return [
            NO_CANDIDATE if kernel is None else Components.of(judged[kernel])
            for kernel in kernels
        ]

    def _tasks_of(self, columns: Mapping[str, Any], count: int) -> list[str]:
        tasks = columns.get(self.task_column)
        if tasks is None and self.task is not None:
            return [self.task] * count
        if tasks is None:
            raise _errors.UsageError(
                f"the data has no column {self.task_column!r}",
                "name the task of each row there, or give task=",
            )
        return [str(task) for task in tasks]

    def _log(self, judged: Sequence[Components], columns: Mapping[str, Any]) -> None:
        """To where TRL wants it said, if it is TRL."""
        log_extra, log_metric = columns.get("log_extra"), columns.get("log_metric")
        if log_extra is not None:
            bounds = [one.bounds(self.scheme) or (None, None) for one in judged]
            log_extra("verdict", [one.verdict for one in judged])
            log_extra("speedup", [one.speedup for one in judged])
            log_extra("reward_low", [low for low, _ in bounds])
            log_extra("reward_high", [high for _, high in bounds])
        if log_metric is not None and judged:
            for name, count in (
                ("passed", sum(one.passed for one in judged)),
                ("known", sum(one.is_known for one in judged)),
            ):
                log_metric(f"kernels/{name}", count / len(judged))

    def _judged(self, kernels: Sequence[_Kernel]) -> dict[_Kernel, Evaluation]:
        verdicts = self._file()
        wanted = dict.fromkeys(kernels)
        judged: dict[_Kernel, Evaluation] = {}
        if verdicts is not None:
            for task, source in wanted:
                answer = verdicts.find(task, self.tier, source)
                if answer is not None:
                    judged[task, source] = _evaluation_of(task, "", answer)
        for is_last in (False, True):
            left = [kernel for kernel in wanted if kernel not in judged]
            try:
                for (task, source), evaluation in self._judge(left):
                    if verdicts is not None:
                        answer = verdicts.keep(task, self.tier, source, evaluation.raw)
                        evaluation = _evaluation_of(task, "", answer)
                    judged[task, source] = evaluation
                break
            except _errors.ServiceDied:
                # Another service is asked for what is left, though once.
                if is_last or self._evaluator is not None:
                    raise
        return judged

    def _judge(
        self, kernels: Sequence[_Kernel]
    ) -> Iterator[tuple[_Kernel, Evaluation]]:
        if not kernels:
            return
        evaluator = self._evaluator or shared()
        evaluator.service.check_may_wait(None)
        coming = collections.deque(kernels)
        waiting: dict[Future[Evaluation], _Kernel] = {}
        done: queue.SimpleQueue[Future[Evaluation]] = queue.SimpleQueue()
        places = self.parallel  # Fewer where others have the rest.
        pauses = 0
        try:
            while coming or waiting:
                while coming and len(waiting) < places:
                    task, source = kernel = coming.popleft()
                    solution = Solution(source, self.language)
                    judging = evaluator.submit(task, solution, tier=self.tier)
                    waiting[judging] = kernel
                    judging.add_done_callback(done.put)
                judging = done.get()
                kernel = waiting.pop(judging)
                try:
                    evaluation = _result_of(judging, kernel[0])
                except _errors.Busy:
                    if pauses == _MOST_PAUSES:
                        raise
                    coming.appendleft(kernel)
                    places = len(waiting)
                    if not waiting:
                        time.sleep(_PAUSE_S)
                        places, pauses = 1, pauses + 1
                    continue
                places, pauses = min(places + 1, self.parallel), 0
                yield kernel, evaluation
        finally:
            for judging in waiting:
                judging.cancel()

    def _file(self) -> Verdicts | None:
        if self.replay is None:
            return None
        with self._lock:
            if self._verdicts is None or self._verdicts[0] != os.getpid():
                self._verdicts = (os.getpid(), Verdicts(self.replay))
            return self._verdicts[1]


def _result_of(judging: Future[Evaluation], task: str) -> Evaluation:
    """What a model wrote is at fault for what it is; ours are raised."""
    try:
        return result_of(judging)
    except _errors.UsageError as error:
        if not str(error).startswith("source: "):
            raise
        answer = {
            "job": None,
            "state": "done",
            "verdict": "no_candidate",
            "error_head": str(error),
        }
        return _evaluation_of(task, "", answer)


reward = Reward  # As a function that makes one.
