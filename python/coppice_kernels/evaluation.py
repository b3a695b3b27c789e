"""Judging kernels: one, many in order or as they are done.

A wrong kernel is a result, never an exception.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pathlib
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from . import _errors
from ._service import WAIT_S, OnProgress, Progress, Service, result_of
from ._typed import Request, decode
from .campaign import Verdict
from .operations import EvaluateKernelResult, WorkloadResult

if TYPE_CHECKING:
    from .tasks import Task

Tier = Literal["check", "fast", "full"]
Language = Literal["cpp", "cuda", "python", "triton"]

__all__ = ["Evaluation", "Evaluator", "Progress", "Solution", "Workload", "evaluate"]

R = TypeVar("R")

_IN_FLIGHT = 32  # Of a batch's: enough to keep compilers and a device busy.


@dataclass(frozen=True, slots=True)
class Solution:
    """A kernel's text and its language; by default that of the task's root."""

    source: str
    language: Language | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Workload:
    """How one workload went."""

    name: str
    verdict: Verdict
    speedup: float | None  # Over the task's root.
    runtime_s: float | None
    error_ratio: float | None  # The worst error, over what is allowed.


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a kernel did."""

    task: str
    verdict: Verdict
    passed: bool
    speedup: float | None  # Over the task's root; None of tier "check".
    interval: tuple[float, float] | None  # 95 %.
    cannot_tell: bool  # Whether it is faster than the root.
    runtime_s: float | None
    workloads: tuple[Workload, ...]
    error: str  # The first lines of what went wrong.
    log_file: str | None
    profile: str
    cached: bool
    job: str | None
    name: str = ""
    raw: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)

    @property
    def log(self) -> str:
        """All of what compiler and checker said, while its file is there."""
        if self.log_file:
            try:
                return pathlib.Path(self.log_file).read_text(errors="replace")
            except FileNotFoundError:
                pass
        return self.error

    def raise_for_verdict(self) -> Evaluation:
        """Itself if it passed, else KernelFailed."""
        if self.passed:
            return self
        first = next(iter(self.error.splitlines()), "")
        raise _errors.KernelFailed(f"{self.task}: {self.verdict}: {first}".rstrip(": "))

    def _repr_html_(self) -> str:
        from . import _html

        return _html.evaluation(self)


def _workload_of(of: WorkloadResult) -> Workload:
    is_timed = bool(of.runtime_s and of.root_runtime_s)
    return Workload(
        name=of.workload,
        verdict=of.verdict,
        speedup=(of.root_runtime_s or 0) / (of.runtime_s or 1) if is_timed else None,
        runtime_s=of.runtime_s,
        error_ratio=of.error_ratio,
    )


def _evaluation_of(task: str, name: str, raw: Mapping[str, Any]) -> Evaluation:
    said = decode(EvaluateKernelResult, raw)
    if said.verdict is None:
        raise _errors.Corrupt(f"{task}: a job is done, and has no verdict")
    return Evaluation(
        task=task,
        verdict=said.verdict,
        passed=said.passed or False,
        speedup=said.speedup,
        interval=said.interval,
        cannot_tell=said.cannot_tell or False,
        runtime_s=said.runtime_s,
        workloads=tuple(map(_workload_of, said.workloads or ())),
        error=said.error_head or "",
        log_file=said.log_file or None,
        profile=said.profile or "",
        cached=said.cached or False,
        job=said.job,
        name=name,
        raw=raw,
    )


Source = str | os.PathLike[str] | Solution


def _is_path_by_mistake(text: str) -> bool:
    return "\n" not in text and text.endswith((".cc", ".cpp", ".cu", ".py", ".c"))


def _solution_of(source: Source) -> Solution:
    if isinstance(source, Solution):
        return source
    if isinstance(source, str):
        if _is_path_by_mistake(source):
            raise _errors.UsageError(
                f"{source!r} is taken as the text of a kernel",
                "give pathlib.Path(...) for a file",
            )
        return Solution(source)
    path = pathlib.Path(source)
    try:
        return Solution(path.read_text(encoding="utf-8"), name=str(path))
    except UnicodeDecodeError as error:
        raise _errors.UsageError(f"{path}: is no UTF-8") from error
    except FileNotFoundError as error:
        raise _errors.NotFound(f"{path}: no such file") from error
    except OSError as error:
        raise _errors.IoError(f"{path}: {error.strerror}") from error


class _Judging(Future[Evaluation]):
    """An evaluation to come: a request, and further ones while its job runs."""

    def __init__(
        self,
        service: Service,
        task: str,
        solution: Solution,
        request: Mapping[str, Any],
        progress: OnProgress | None,
    ) -> None:
        super().__init__()
        self._service = service
        self._task = task
        self._name = solution.name
        self._progress = progress
        self._call = service.start("evaluate_kernel", request, progress)
        self._call.add_done_callback(self._on_answer)

    def cancel(self) -> bool:
        cancelled = super().cancel()
        if cancelled:
            self._call.cancel()
        return cancelled

    def _on_answer(self, call: Future[dict[str, Any]]) -> None:
        try:
            if call.cancelled():
                super().cancel()
                return
            answer = call.result()
            state = answer.get("state", "done")
            if state == "done":
                self.set_result(_evaluation_of(self._task, self._name, answer))
            elif state == "cancelled":
                raise _errors.Cancelled(f"{self._task}: the job was cancelled")
            else:
                self._call = self._service.follow(answer["job"], self._progress)
                self._call.add_done_callback(self._on_answer)
                if self.cancelled():  # Before there was this to cancel.
                    self._call.cancel()
        except InvalidStateError:
            pass  # Cancelled meanwhile.
        except BaseException as error:
            with contextlib.suppress(InvalidStateError):
                self.set_exception(error)


class Evaluator:
    """One service process, for as many kernels as there are.

    It compiles side by side and measures one by one, so whole batches are best
    given at once.
    """

    def __init__(
        self,
        *,
        threads: int | None = None,
        arguments: Sequence[str] = (),
        command: Sequence[str] | None = None,
    ) -> None:
        """`threads` that a kernel may use; `arguments` of `coppice serve`."""
        more = [] if threads is None else ["--threads", str(threads)]
        self.service = Service([*more, *arguments], command=command)

    def __enter__(self) -> Evaluator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.service.close()

    def do(self, request: Request[R], *, progress: OnProgress | None = None) -> R:
        """Any of `ck.operations`.  Waits for its job, if it becomes one."""
        return self.service.do(request, progress)

    def submit(
        self,
        task: str | os.PathLike[str] | Task,
        source: Source,
        *,
        tier: Tier = "fast",
        language: Language | None = None,
        progress: OnProgress | None = None,
    ) -> Future[Evaluation]:
        """Begins, and returns at once."""
        solution = _solution_of(source)
        name = argument_of(task)
        request: dict[str, Any] = {
            "task": name,
            "source": solution.source,
            "tier": tier,
            "wait_s": WAIT_S,
        }
        if (spoken := language or solution.language) is not None:
            request["language"] = spoken
        return _Judging(self.service, name, solution, request, progress)

    def evaluate(
        self,
        task: str | os.PathLike[str] | Task,
        source: Source,
        *,
        tier: Tier = "fast",
        language: Language | None = None,
        progress: OnProgress | None = None,
    ) -> Evaluation:
        """Judges one kernel.  ^C takes it back."""
        self.service.check_may_wait(progress)
        judging = self.submit(
            task, source, tier=tier, language=language, progress=progress
        )
        try:
            return result_of(judging)
        except BaseException:
            judging.cancel()
            raise

    def map(
        self,
        task: str | os.PathLike[str] | Task,
        sources: Iterable[Source],
        *,
        tier: Tier = "fast",
        language: Language | None = None,
    ) -> Iterator[Evaluation]:
        """Evaluations in the order of the sources."""
        ready: dict[int, Evaluation] = {}
        due = 0
        for index, result in self.as_completed(
            task, sources, tier=tier, language=language
        ):
            ready[index] = result
            while due in ready:
                yield ready.pop(due)
                due += 1

    def as_completed(
        self,
        task: str | os.PathLike[str] | Task,
        sources: Iterable[Source],
        *,
        tier: Tier = "fast",
        language: Language | None = None,
    ) -> Iterator[tuple[int, Evaluation]]:
        """(index of the source, evaluation), first done first.

        Whoever leaves the loop takes back what is not done.
        """
        self.service.check_may_wait(None)
        coming = enumerate(sources)
        judged: dict[Future[Evaluation], int] = {}
        done: queue.SimpleQueue[Future[Evaluation]] = queue.SimpleQueue()
        try:
            while True:
                for index, source in coming:
                    judging = self.submit(task, source, tier=tier, language=language)
                    judged[judging] = index
                    judging.add_done_callback(done.put)
                    if len(judged) >= _IN_FLIGHT:
                        break
                if not judged:
                    return
                judging = done.get()
                yield judged.pop(judging), result_of(judging)
        finally:
            for judging in judged:
                judging.cancel()


def argument_of(task: str | os.PathLike[str] | Task) -> str:
    if isinstance(task, str):
        return task
    argument: Callable[[], str] | None = getattr(task, "argument", None)
    return argument() if argument is not None else os.fspath(task)  # type: ignore[arg-type]


_shared: tuple[int, Evaluator] | None = None  # With the process that made it.
_shared_lock = threading.Lock()


def _renew_lock() -> None:
    """In a forked child, where whoever held it is not."""
    global _shared_lock
    _shared_lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)


def shared() -> Evaluator:
    """The evaluator of `evaluate`: one for a process, made when it is needed."""
    global _shared
    with _shared_lock:
        if _shared is not None and _shared[0] == os.getpid():
            if _shared[1].service.alive:
                return _shared[1]
            _shared[1].close()
            atexit.unregister(_shared[1].close)
        evaluator = Evaluator()
        _shared = (os.getpid(), evaluator)
        atexit.register(evaluator.close)
        return evaluator


def evaluate(
    task: str | os.PathLike[str] | Task,
    source: Source,
    *,
    tier: Tier = "fast",
    language: Language | None = None,
    progress: OnProgress | None = None,
) -> Evaluation:
    """Judges one kernel: its text, a pathlib.Path of it, or a Solution.

    Tier "check" has no clock: it compiles and compares.  "fast" measures, too,
    and "full" with sanitizers and further inputs.
    """
    return shared().evaluate(
        task, source, tier=tier, language=language, progress=progress
    )
