"""A client of `coppice serve --stdio`: JSON-RPC 2.0, a line for each message.

One process answers all calls of a client, in the order in which they end.  Its
stdin is its life: when this side is gone, so is it within two seconds.

Threads of their own write, read and call progress functions.  So whoever reads
answers never waits for a pipe or for a user, and the service never for them.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import itertools
import json
import os
import queue
import subprocess
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, InvalidStateError
from dataclasses import dataclass
from typing import IO, Any, TypeVar, cast

from . import _errors, _program
from ._typed import Request, decode, encode

PROTOCOL = "coppice-service/1"
WAIT_S = 50.0  # In one request; the service keeps the job until it is asked.
_UNDER_WAY = ("queued", "running")
_LINES_KEPT = 20  # Of stderr, for the message when the process dies.
_MOST_LINE = 8 << 20  # Bytes that the service reads as one line.
_MOST_HELD = 16 << 20  # Bytes to be written, until who asks has to wait.

# JSON-RPC's numbers, where `data.code` does not say more.
_OF_NUMBER = {-32600: "usage", -32601: "usage", -32602: "usage"}


R = TypeVar("R")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a call has come."""

    stage: str
    done: float
    total: float
    message: str


OnProgress = Callable[[Progress], None]


class Call(Future[dict[str, Any]]):
    """An answer to come.  `cancel` tells the service, which then stops."""

    def __init__(
        self, service: Service, number: int, progress: OnProgress | None, job: str
    ) -> None:
        super().__init__()
        self._service = service
        self._number = number
        self._progress = progress
        self._job = job  # That is waited for, and goes with the call.
        self._is_taken_back = False

    def cancel(self) -> bool:
        cancelled = super().cancel()
        if cancelled:
            self._service._take_back(self)
        return cancelled


def result_of(future: Future[T]) -> T:
    """As `future.result()`, of one that only closing the service cancels."""
    try:
        return future.result()
    except CancelledError:
        raise _errors.Cancelled("the service was closed") from None


class Service:
    """A process of the program and the calls that it answers."""

    def __init__(
        self,
        arguments: Sequence[str] = (),
        *,
        command: Sequence[str] | None = None,
    ) -> None:
        """`arguments` follow `serve --stdio`; `command` takes the place of all."""
        self._command = list(
            command or [_program.path(), "serve", "--stdio", *arguments]
        )
        self._numbers = itertools.count()
        self._changed = threading.Condition()  # Guards the four that follow.
        self._calls: dict[int, Call] = {}
        # Why nothing can be asked any more.
        self._ended: tuple[type[_errors.Error], str] | None = None
        self._outgoing: collections.deque[bytes] = collections.deque()
        self._held = 0  # Bytes of these, and of what is being written.
        self._told: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._stderr: collections.deque[str] = collections.deque(maxlen=_LINES_KEPT)
        try:
            # Without buffers: a forked child would find their locks held.
            self._process = subprocess.Popen(
                self._command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # ^C is for us to pass on.
            )
        except OSError as error:
            raise _errors.Unavailable(f"{self._command[0]}: {error}") from error
        _services.add(self)
        self._reader, self._complainer, self._teller, self._writer = self._threads = [
            threading.Thread(target=work, daemon=True)
            for work in (
                self._read_answers,
                self._read_stderr,
                self._tell,
                self._write_requests,
            )
        ]
        for thread in self._threads:
            thread.start()
        try:
            hello = self.ask("hello", {"protocol": PROTOCOL})
            if hello.get("protocol") != PROTOCOL:
                raise _errors.Unavailable(
                    f"{self._command[0]}: speaks {hello.get('protocol')!r}, "
                    f"not {PROTOCOL}"
                )
        except BaseException:
            self.close()
            raise
        self.version = str(hello.get("version", ""))
        self.operations = [str(name) for name in hello.get("operations", [])]

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def alive(self) -> bool:
        return self._ended is None and self._process.poll() is None

    def start(
        self,
        method: str,
        params: Mapping[str, Any],
        progress: OnProgress | None = None,
    ) -> Call:
        """Asks, and returns at once, unless much is to be written yet."""
        if threading.current_thread() is not self._reader:
            with self._changed:
                self._changed.wait_for(lambda: self._ended or self._held < _MOST_HELD)
        return self._start(method, params, progress)

    def follow(self, job: str, progress: OnProgress | None = None) -> Call:
        """Asks for a job's answer.  Whoever cancels this takes the job back."""
        return self._start("get_job", {"job": job, "wait_s": WAIT_S}, progress, job)

    def _start(
        self,
        method: str,
        params: Mapping[str, Any],
        progress: OnProgress | None,
        job: str = "",
    ) -> Call:
        call = Call(self, next(self._numbers), progress, job)
        line = _line_of(id=call._number, method=method, params=dict(params))
        with self._changed:
            if self._ended is not None:
                kind, why = self._ended
                raise kind(why)
            self._calls[call._number] = call
            self._send(line)
        return call

    def _send(self, line: bytes) -> None:
        self._outgoing.append(line)
        self._held += len(line)
        self._changed.notify_all()

    def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Asks, and waits.  ^C cancels what was asked."""
        self.check_may_wait(None)
        return self._waited(self.start(method, params))

    def _waited(self, call: Call) -> dict[str, Any]:
        try:
            return result_of(call)
        except BaseException:
            call.cancel()
            raise

    def check_may_wait(self, progress: OnProgress | None) -> None:
        """Raises UsageError on threads that would wait for themselves."""
        here = threading.current_thread()
        if here is self._reader or (here is self._teller and progress is not None):
            raise _errors.UsageError(
                "a callback would wait for itself",
                "wait in another thread; a progress function may wait for what "
                "has none",
            )

    def do(self, request: Request[R], progress: OnProgress | None = None) -> R:
        """Asks for one of `operations`, and waits for its job, if there is one."""
        self.check_may_wait(progress)
        call = self.start(request.operation, encode(request), progress)
        answer = self._waited(call)
        while answer.get("state") in _UNDER_WAY:
            answer = self._waited(self.follow(answer["job"], progress))
            if answer.get("state") == "cancelled":
                raise _errors.Cancelled(f"{request.operation}: its job was cancelled")
        return cast("R", decode(request.result, answer))

    def close(self) -> None:
        """Ends the process; what it has not answered is cancelled."""
        if self._process.poll() is not None:
            self._fail_all()  # Nobody closed what others wait for: it died.
        for call in self._end(_errors.UsageError, "the service was closed"):
            Future.cancel(call)
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(timeout=5)
        for pipe in self._pipes():
            pipe.close()

    def _pipes(self) -> list[IO[bytes]]:
        process = self._process
        return [p for p in (process.stdin, process.stdout, process.stderr) if p]

    def _end(self, kind: type[_errors.Error], why: str) -> list[Call]:
        """Lets nobody ask any more; those who wait are for the caller to tell."""
        with self._changed:
            self._ended = self._ended or (kind, why)
            left = list(self._calls.values())
            self._calls.clear()
            self._changed.notify_all()
        return left

    def _take_back(self, call: Call) -> None:
        """Its answer may be on its way, and is no longer wanted."""
        with self._changed:
            if call._number not in self._calls or call._is_taken_back:
                return
            call._is_taken_back = True
            if not call._job:
                del self._calls[call._number]
                self._send(_line_of(method="cancel", params={"id": call._number}))
        if call._job:
            self._take_job_back(call._job)  # Which answers the call.

    def _take_job_back(self, job: str) -> None:
        with contextlib.suppress(_errors.Error):
            self._start("cancel_job", {"job": job}, None)

    def _write_requests(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        # Whoever reads its answers tells of its end.
        with contextlib.suppress(OSError, ValueError):
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._ended or self._outgoing)
                    if self._ended:
                        break
                    line = self._outgoing.popleft()
                rest = memoryview(line)
                while rest:
                    rest = rest[pipe.write(rest) :]
                with self._changed:
                    self._held -= len(line)
                    self._changed.notify_all()
        with contextlib.suppress(OSError):
            pipe.close()

    def _read_answers(self) -> None:
        assert self._process.stdout is not None
        why = ""
        try:
            for line in _lines_of(self._process.stdout):
                try:
                    message = json.loads(line)
                except ValueError:
                    said = line[:200].decode(errors="replace")
                    self._stderr.append(f"no JSON: {said}")
                    break
                why = self._take(message)
                if why:
                    self._process.kill()
                    break
        finally:
            self._fail_all(why)
            self._told.put(None)

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        for line in _lines_of(self._process.stderr):
            self._stderr.append(line.decode(errors="replace"))

    def _tell(self) -> None:
        while (tell := self._told.get()) is not None:
            with contextlib.suppress(BaseException):  # SystemExit of a callback.
                tell()

    def _take(self, message: dict[str, Any]) -> str:
        """Returns why nothing further can be believed, if that is so."""
        if message.get("method") == "progress":
            params = message.get("params", {})
            with self._changed:
                call = self._calls.get(params.get("id"))
            if call is not None and call._progress is not None:
                progress = Progress(
                    str(params.get("stage", "")),
                    float(params.get("done") or 0),
                    float(params.get("total") or 0),
                    str(params.get("message", "")),
                )
                self._told.put(functools.partial(self._tell_one, call, progress))
            return ""
        if message.get("id") is None:
            error = message.get("error")
            said = error and error.get("message", "")
            return f"the service could not read a request: {said}" if error else ""
        with self._changed:
            answered = self._calls.pop(message["id"], None)
        settle = functools.partial(self._settle, answered, message)
        if answered is None or answered._progress is None:
            settle()
        else:  # After all that was told of it.
            self._told.put(settle)
        return ""

    def _settle(self, call: Call | None, message: Mapping[str, Any]) -> None:
        result, error = message.get("result") or {}, message.get("error")
        try:
            if call is None:
                raise InvalidStateError
            if error is None:
                call.set_result(result)
            else:
                call.set_exception(_error_of(error))
        except InvalidStateError:  # Cancelled, and the answer was on its way.
            is_left = call is None or not call._is_taken_back
            if is_left and result.get("state") in _UNDER_WAY and result.get("job"):
                self._take_job_back(result["job"])

    def _tell_one(self, call: Call, progress: Progress) -> None:
        assert call._progress is not None
        if call.done():
            return
        try:
            call._progress(progress)
        except BaseException as error:
            with contextlib.suppress(InvalidStateError):
                call.set_exception(error)
            self._take_back(call)

    def _fail_all(self, why: str = "") -> None:
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._complainer.join(timeout=1)
        said = "\n".join(self._stderr.copy()) or "it said nothing"
        why = why or f"the service ended with {self._process.returncode}: {said}"
        error = _errors.ServiceDied(why)
        for call in self._end(_errors.ServiceDied, why):
            with contextlib.suppress(InvalidStateError):
                call.set_exception(error)

    def _leave_to_parent(self) -> None:
        """In a forked child, whose copies of the pipes would keep it alive."""
        self._changed = threading.Condition()  # Whoever held it is not here.
        self._ended = (_errors.UsageError, "the service is that of another process")
        self._calls = {}
        self._process.returncode = 0  # So nothing here waits for it or kills it.
        null = os.open(os.devnull, os.O_RDWR)
        for pipe in self._pipes():
            if not pipe.closed:
                os.dup2(null, pipe.fileno(), inheritable=False)
        os.close(null)


_services: weakref.WeakSet[Service] = weakref.WeakSet()


def _leave_all_to_parent() -> None:
    for service in list(_services):
        service._leave_to_parent()


os.register_at_fork(after_in_child=_leave_all_to_parent)


def _line_of(**message: Any) -> bytes:
    try:
        text = json.dumps(
            {"jsonrpc": "2.0", **message}, ensure_ascii=False, allow_nan=False
        )
        line = text.encode()
    except (TypeError, ValueError) as error:  # Half a surrogate pair, too.
        raise _errors.UsageError(
            f"{message['method']}: is no JSON in UTF-8: {error}"
        ) from error
    if len(line) > _MOST_LINE:
        raise _errors.UsageError(
            f"{message['method']}: has {len(line)} bytes, more than {_MOST_LINE}"
        )
    return line + b"\n"


def _lines_of(pipe: IO[bytes]) -> Iterator[bytes]:
    parts: list[bytes] = []
    with contextlib.suppress(OSError, ValueError):  # Closed meanwhile.
        while chunk := pipe.read(1 << 16):
            first, *more = chunk.split(b"\n")
            parts.append(first)
            for begun in more:
                yield b"".join(parts)
                parts = [begun]
    if any(parts):
        yield b"".join(parts)


def _error_of(error: Mapping[str, Any]) -> _errors.Error:
    data: Mapping[str, Any] = error.get("data") or {}
    code = data.get("code") or _OF_NUMBER.get(error.get("code", 0), "error")
    return _errors.make(
        str(code), str(error.get("message", "")), str(data.get("hint") or "")
    )
