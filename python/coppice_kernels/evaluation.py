"""Judging kernels: one, many in order or as they are done.

A wrong kernel is a result, never an exception.
"""

from __future__ import annotations

import atexit
import os
import pathlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, InvalidStateError, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from . import _errors
from ._service import OnProgress, Progress, Service
from .campaign import Verdict

if TYPE_CHECKING:
    from .tasks import Task

Tier = Literal["check", "fast", "full"]
Language = Literal["cpp", "cuda", "python", "triton"]

__all__ = ["Evaluation", "Evaluator", "Progress", "Solution", "Workload", "evaluate"]

_WAIT_S = 50.0  # In one request; the service keeps the job until it is asked.
_IN_FLIGHT = 32  # Of a batch: enough to keep compilers and a device busy.


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
    verdict: str
    speedup: float | None
    runtime_s: float | None
    raw: Mapping[str, Any] = field(repr=False)


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


def _workload_of(raw: Mapping[str, Any], number: int) -> Workload:
    return Workload(
        name=str(raw.get("name", raw.get("workload", number))),
        verdict=str(raw.get("verdict", "")),
        speedup=raw.get("speedup"),
        runtime_s=raw.get("runtime_s", raw.get("median_s")),
        raw=raw,
    )


def _evaluation_of(task: str, name: str, raw: Mapping[str, Any]) -> Evaluation:
    interval: Sequence[float] | None = raw.get("interval")
    workloads: Sequence[Mapping[str, Any]] = raw.get("workloads") or ()
    return Evaluation(
        task=task,
        verdict=raw["verdict"],
        passed=bool(raw.get("passed")),
        speedup=raw.get("speedup"),
        interval=(interval[0], interval[1]) if interval else None,
        cannot_tell=bool(raw.get("cannot_tell")),
        runtime_s=raw.get("runtime_s"),
        workloads=tuple(_workload_of(one, i) for i, one in enumerate(workloads)),
        error=str(raw.get("error_head") or ""),
        log_file=raw.get("log_file") or None,
        profile=str(raw.get("profile") or ""),
        cached=bool(raw.get("cached")),
        job=None if raw.get("job") is None else str(raw["job"]),
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
        return Solution(path.read_text(), name=str(path))
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
            elif not self.cancelled():
                request = {"job": answer["job"], "wait_s": _WAIT_S}
                self._call = self._service.start("get_job", request, self._progress)
                self._call.add_done_callback(self._on_answer)
        except InvalidStateError:
            pass  # Cancelled meanwhile.
        except Exception as error:
            if not self.cancelled():
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
            "wait_s": _WAIT_S,
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
        judging = self.submit(
            task, source, tier=tier, language=language, progress=progress
        )
        try:
            return judging.result()
        except KeyboardInterrupt:
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
        coming = enumerate(sources)
        judged: dict[Future[Evaluation], int] = {}
        try:
            while True:
                for index, source in coming:
                    judging = self.submit(task, source, tier=tier, language=language)
                    judged[judging] = index
                    if len(judged) >= _IN_FLIGHT:
                        break
                if not judged:
                    return
                done, _ = wait(judged, return_when=FIRST_COMPLETED)
                for judging in done:
                    yield judged.pop(judging), judging.result()
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


def shared() -> Evaluator:
    """The evaluator of `evaluate`: one for a process, made when it is needed."""
    global _shared
    with _shared_lock:
        if _shared is not None and _shared[0] == os.getpid():
            if _shared[1].service.alive:
                return _shared[1]
            _shared[1].close()
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
