"""Campaigns as child processes of this one.

The run is its file: whatever becomes of this process, `ck.open(db).runs()`
finds it again, and `ck.resume(db)` goes on.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from . import _program
from ._errors import Error

if TYPE_CHECKING:
    from .campaign import Node
    from .history import History
    from .tasks import Task

Option = str | int | float | bool | os.PathLike[str] | Sequence[str] | None

# Becomes the program, after asking the kernel for a SIGINT at the end of the
# thread that started it.  It may have ended before.
_LAUNCHER = """\
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGINT)
if os.getppid() != int(sys.argv[1]): sys.exit(130)
os.execv(sys.argv[2], sys.argv[2:])
"""


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is, by its last event."""

    campaign: str = ""
    attempts: int = 0
    of: int = 0
    node: int | None = None  # The last one committed,
    verdict: str = ""  # and what it did.
    best_node: int = 0
    best_speedup: float = 1.0
    best_interval: tuple[float, float] | None = None
    left_s: float | None = None
    elapsed_s: float = 0.0
    said: str = ""  # The last line for people.


_NOTHING_YET = RunProgress()


class Run:
    """A child that searches.  Its events are followed by a thread."""

    def __init__(self, arguments: Sequence[str], db: pathlib.Path, *, detach: bool):
        self.db = db
        self.arguments = list(arguments)
        self._progress = _NOTHING_YET
        self._changed = threading.Condition()
        self._campaigns: set[str] = set()  # Of which it has told a node.
        self._lines: list[str] = []  # For the message if it fails.
        self._stdout = ""
        self._started = threading.Event()
        self._failure: BaseException | None = None
        self._process: subprocess.Popen[str] | None = None
        # The thread lives as long as the child, so its end is ours.
        self._thread = threading.Thread(
            target=self._attend, args=(detach,), daemon=True
        )
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            raise self._failure

    def __repr__(self) -> str:
        p = self._progress
        state = "running" if self.running else f"ended with {self.returncode}"
        return (
            f"<Run {' '.join(self.arguments[:2])}: {p.attempts} of {p.of} attempts, "
            f"best {p.best_speedup:.3g}x, {state}>"
        )

    @property
    def _child(self) -> subprocess.Popen[str]:
        assert self._process is not None
        return self._process

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    @property
    def returncode(self) -> int | None:
        """0: done; 3: done, and nothing beat the root; 130: stopped."""
        if self.running:
            return None
        # Before it can drain there is nothing yet that it could keep.
        is_stopped = self._child.returncode == -signal.SIGINT
        return 130 if is_stopped else self._child.returncode

    def progress(self) -> RunProgress:
        return self._progress

    def stop(self) -> None:
        """Asks it to drain; asked again, it ends at once.  Nothing is lost."""
        with contextlib.suppress(ProcessLookupError):
            self._child.send_signal(signal.SIGINT)

    def wait(self, timeout_s: float | None = None) -> Run:
        """Until it ends.  Raises what the program says if it failed."""
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            from ._errors import Timeout

            raise Timeout(f"{self.db}: still running after {timeout_s} s")
        if self.returncode not in (0, 3, 130):
            raise _program.error_of(self._child.returncode, "\n".join(self._lines))
        return self

    @property
    def report(self) -> Mapping[str, Any]:
        """What `coppice run --json` reports; empty before the end."""
        try:
            report: Mapping[str, Any] = json.loads(self._stdout)
        except ValueError:
            return {}
        return report

    @property
    def _reported(self) -> Sequence[Mapping[str, Any]]:
        """Of each task, what a run came to; a comparison tells their names alone."""
        return [one for one in self.report.get("tasks", ()) if isinstance(one, Mapping)]

    @property
    def history(self) -> History:
        from .history import History

        return History(self.db)

    def _history_if_any(self) -> History | None:
        """Not while the child has yet to make its file."""
        try:
            return self.history
        except Error:
            return None

    def follow(self, every_s: float = 0.1) -> Iterator[Node]:
        """Nodes of its campaigns, from the first on, until the run ends."""
        from .campaign import Campaign

        while (history := self._history_if_any()) is None:
            if not self.running:
                return
            time.sleep(every_s)
        with history:
            seen: dict[str, int] = {}
            while True:
                ended = not self.running  # Asked first: nothing comes after it.
                own = self._campaigns | {one["campaign"] for one in self._reported}
                for name, nodes in history.rows(
                    "SELECT campaign, nodes FROM campaigns"
                ):
                    if name not in own:  # The file may have others.
                        continue
                    for number in range(seen.get(name, -1) + 1, int(nodes)):
                        seen[name] = number
                        yield Campaign(history, str(name))[number]
                if ended:
                    return
                time.sleep(every_s)

    def _repr_html_(self) -> str:
        from . import _html

        return _html.run(self)

    def _attend(self, detach: bool) -> None:
        try:
            program = _program.path()
            command = [program, *self.arguments]
            if not detach and sys.executable:
                launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER]
                command = [*launcher, str(os.getpid()), *command]
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,  # ^C is for us to pass on.
            )
        except BaseException as error:
            self._failure = error
            return
        finally:
            self._started.set()
        reader = threading.Thread(target=self._read_stdout, daemon=True)
        reader.start()
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._take(line.rstrip("\n"))
        reader.join()
        self._process.wait()
        self._take_report()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        with self._changed:
            self._changed.notify_all()

    def _read_stdout(self) -> None:
        assert self._child.stdout is not None
        self._stdout = self._child.stdout.read()

    def _take_report(self) -> None:
        """What was confirmed, in place of what the last event held for best."""
        for one in self._reported:
            if one["campaign"] == self._progress.campaign and "speedup_low" in one:
                self._progress = replace(
                    self._progress,
                    best_node=one["best_node"],
                    best_speedup=one["speedup"],
                    best_interval=(one["speedup_low"], one["speedup_high"]),
                )

    def _take(self, line: str) -> None:
        event: dict[str, Any] = {}
        with contextlib.suppress(ValueError):
            event = json.loads(line)
        with self._changed:
            if event.get("event") == "node":
                low, high = event["best_low"], event["best_high"]
                self._campaigns.add(event["campaign"])
                self._progress = RunProgress(
                    campaign=event["campaign"],
                    attempts=event["attempts"],
                    of=event["of"],
                    node=event["node"],
                    verdict=event["verdict"],
                    best_node=event["best_node"],
                    best_speedup=event["best_speedup"],
                    best_interval=None if low is None else (low, high),
                    left_s=event["left_s"],
                    elapsed_s=event["elapsed_s"],
                    said=self._progress.said,
                )
            elif event.get("event") in (None, "said"):
                said = str(event.get("text", line))
                self._lines.append(said)
                self._progress = replace(self._progress, said=said)
            self._changed.notify_all()

    def changes(self, every_s: float) -> Iterator[RunProgress]:
        """Each time that something has changed, though no more often."""
        last = _NOTHING_YET
        while True:
            ended = not self.running
            if self._progress is not last:
                last = self._progress
                yield last
            if ended:
                return
            with self._changed:
                self._changed.wait(every_s)
            time.sleep(every_s / 2)


def _flags(options: Mapping[str, Option]) -> list[str]:
    """`plan_model="a"` is `--plan-model a`; True is the option alone."""
    flags: list[str] = []
    for key, value in options.items():
        if value is None or value is False:
            continue
        flags.append("--" + key.replace("_", "-"))
        if value is True:
            continue
        if isinstance(value, (str, int, float, os.PathLike)):
            flags.append(str(value))
        else:
            flags.append(",".join(value))
    return flags


ProgressTo = Literal["auto", "bar", "lines", "none"] | Callable[[RunProgress], None]


def _db_of(db: str | os.PathLike[str]) -> pathlib.Path:
    return pathlib.Path(os.path.abspath(db))


def start(
    task: str | os.PathLike[str] | Task | Sequence[str],
    *,
    db: str | os.PathLike[str] = "coppice.db",
    detach: bool = False,
    **options: Option,
) -> Run:
    """Begins `coppice run TASK --db DB ...`, and returns at once.

    Unless `detach`, it drains when this process ends.
    """
    return _started(task, db, detach, options)


def _started(
    task: str | os.PathLike[str] | Task | Sequence[str],
    db: str | os.PathLike[str],
    detach: bool,
    options: Mapping[str, Option],
) -> Run:
    from .evaluation import argument_of

    if isinstance(task, Sequence) and not isinstance(task, str):
        tasks = list(task)
    else:
        tasks = [argument_of(task)]
    path = _db_of(db)
    more = ["--db", str(path), "--json", "--progress", "json"]
    return Run(["run", *tasks, *more, *_flags(options)], path, detach=detach)


def run(
    task: str | os.PathLike[str] | Task | Sequence[str],
    *,
    db: str | os.PathLike[str] = "coppice.db",
    progress: ProgressTo = "auto",
    **options: Option,
) -> Run:
    """The same, and waits for its end.  ^C drains; a second one ends it."""
    return _attended(_started(task, db, False, options), progress)


def resume(
    db: str | os.PathLike[str] = "coppice.db",
    campaign: str | None = None,
    *,
    progress: ProgressTo = "auto",
    **options: Option,
) -> Run:
    """Goes on with what was stopped, or extends it: `budget=100`."""
    path = _db_of(db)
    named = [] if campaign is None else [campaign]
    more = ["--db", str(path), "--json", "--progress", "json"]
    child = Run(["resume", *named, *more, *_flags(options)], path, detach=False)
    return _attended(child, progress)


def _attended(child: Run, progress: ProgressTo) -> Run:
    stopped = False
    with _show(progress) as show:
        while True:
            try:
                for change in child.changes(every_s=0.25):
                    show(change)
                break
            except KeyboardInterrupt:
                stopped = True
                child.stop()
    child.wait()
    if stopped:
        raise KeyboardInterrupt
    return child


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


@contextlib.contextmanager
def _show(to: ProgressTo) -> Generator[Callable[[RunProgress], None]]:
    if callable(to):
        yield to
        return
    if to == "none":
        yield lambda _: None
        return
    if to in ("auto", "bar") and (to == "bar" or _in_notebook() or sys.stderr.isatty()):
        try:
            with _bar() as show:
                yield show
            return
        except ImportError:
            if to == "bar":
                raise Error(
                    "tqdm is not installed", "pip install 'coppice-kernels[progress]'"
                ) from None
    yield _Lines()


@contextlib.contextmanager
def _bar() -> Generator[Callable[[RunProgress], None]]:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # A notebook without widgets gets text.
        from tqdm.auto import tqdm
    bars: dict[str, Any] = {}

    def show(progress: RunProgress) -> None:
        if not progress.campaign:
            return
        bar = bars.get(progress.campaign)
        if bar is None:
            bar = tqdm(total=progress.of, desc=progress.campaign, mininterval=0.25)
            bars[progress.campaign] = bar
        bar.total = progress.of
        bar.set_postfix_str(f"best {progress.best_speedup:.3g}x", refresh=False)
        bar.update(progress.attempts - bar.n)

    try:
        yield show
    finally:
        for bar in bars.values():
            bar.refresh()
            bar.close()


class _Lines:
    """On stderr: each new best, what is said, and a line in ten seconds."""

    def __init__(self) -> None:
        self._best = (-1, "")
        self._said = ""
        self._at = time.monotonic()

    def __call__(self, progress: RunProgress) -> None:
        if progress.said != self._said:
            self._said = progress.said
            print(progress.said, file=sys.stderr)
        if not progress.campaign:
            return
        best = (progress.best_node, progress.campaign)
        due = time.monotonic() - self._at > 10
        if best == self._best and not due and progress.attempts < progress.of:
            return
        self._best = best
        self._at = time.monotonic()
        print(
            f"{progress.campaign}: {progress.attempts}/{progress.of} attempts, "
            f"best {progress.best_speedup:.3g}x at node {progress.best_node}",
            file=sys.stderr,
        )
