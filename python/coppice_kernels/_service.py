"""A client of `coppice serve --stdio`: JSON-RPC 2.0, a line for each message.

One process answers all calls of a client, in the order in which they end.  Its
stdin is its life: when this side is gone, so is it within two seconds.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import json
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from . import _errors, _program
from ._typed import Request, decode, encode

PROTOCOL = "coppice-service/1"
WAIT_S = 50.0  # In one request; the service keeps the job until it is asked.
_UNDER_WAY = ("queued", "running")
_LINES_KEPT = 20  # Of stderr, for the message when the process dies.

# JSON-RPC's numbers, where `data.code` does not say more.
_OF_NUMBER = {-32600: "usage", -32601: "usage", -32602: "usage"}


R = TypeVar("R")


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

    def __init__(self, service: Service, number: int) -> None:
        super().__init__()
        self._service = service
        self._number = number

    def cancel(self) -> bool:
        cancelled = super().cancel()
        if cancelled:
            self._service._drop(self._number)
        return cancelled


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
        self._lock = threading.Lock()  # Guards what is written and the maps.
        self._calls: dict[int, tuple[Call, OnProgress | None]] = {}
        self._stderr: collections.deque[str] = collections.deque(maxlen=_LINES_KEPT)
        self._closed = False
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,  # ^C is for us to pass on.
            )
        except OSError as error:
            raise _errors.Unavailable(f"{self._command[0]}: {error}") from error
        self._threads = [
            threading.Thread(target=work, daemon=True)
            for work in (self._read_answers, self._read_stderr)
        ]
        for thread in self._threads:
            thread.start()
        hello = self.ask("hello", {"protocol": PROTOCOL})
        if hello.get("protocol") != PROTOCOL:
            self.close()
            raise _errors.Unavailable(
                f"{self._command[0]}: speaks {hello.get('protocol')!r}, not {PROTOCOL}"
            )
        self.version = str(hello.get("version", ""))
        self.operations = [str(name) for name in hello.get("operations", [])]

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def alive(self) -> bool:
        return not self._closed and self._process.poll() is None

    def start(
        self,
        method: str,
        params: Mapping[str, Any],
        progress: OnProgress | None = None,
    ) -> Call:
        """Asks, and returns at once."""
        call = Call(self, next(self._numbers))
        message = {"id": call._number, "method": method, "params": dict(params)}
        with self._lock:
            if self._closed:
                raise _errors.UsageError("the service was closed")
            self._calls[call._number] = (call, progress)
            # Whoever reads its answers tells of its end.
            with contextlib.suppress(OSError):
                self._write(message)
        if not self._threads[0].is_alive():
            self._fail_all()
        return call

    def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Asks, and waits.  ^C cancels what was asked."""
        return self._waited(method, params, None)

    def _waited(
        self, method: str, params: Mapping[str, Any], progress: OnProgress | None
    ) -> dict[str, Any]:
        call = self.start(method, params, progress)
        try:
            return call.result()
        except KeyboardInterrupt:
            call.cancel()
            raise

    def do(self, request: Request[R], progress: OnProgress | None = None) -> R:
        """Asks for one of `operations`, and waits for its job, if there is one."""
        answer = self._waited(request.operation, encode(request), progress)
        while answer.get("state") in _UNDER_WAY:
            more = {"job": answer["job"], "wait_s": WAIT_S}
            answer = self._waited("get_job", more, progress)
            if answer.get("state") == "cancelled":
                raise _errors.Cancelled(f"{request.operation}: its job was cancelled")
        return cast("R", decode(request.result, answer))

    def close(self) -> None:
        """Ends the process; what it has not answered is cancelled."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            left = [call for call, _ in self._calls.values()]
            self._calls.clear()
        for call in left:
            Future.cancel(call)
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(timeout=5)
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _drop(self, number: int) -> None:
        with self._lock:
            if self._calls.pop(number, None) is None or self._closed:
                return
            with contextlib.suppress(OSError):
                self._write({"method": "cancel", "params": {"id": number}})

    def _write(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        line = json.dumps({"jsonrpc": "2.0", **message}, allow_nan=False)
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _read_answers(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                self._stderr.append(f"no JSON: {line.strip()[:200]}")
                break
            self._take(message)
        if not self._closed:
            self._fail_all()

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._stderr.append(line.rstrip("\n"))

    def _take(self, message: dict[str, Any]) -> None:
        if message.get("method") == "progress":
            params = message.get("params", {})
            with self._lock:
                found = self._calls.get(params.get("id"))
            if found is not None and found[1] is not None:
                found[1](
                    Progress(
                        str(params.get("stage", "")),
                        float(params.get("done") or 0),
                        float(params.get("total") or 0),
                        str(params.get("message", "")),
                    )
                )
            return
        with self._lock:
            answered = self._calls.pop(message.get("id", -1), None)
        if answered is None:
            return  # Cancelled, and the answer was on its way.
        error = message.get("error")
        try:
            if error is None:
                answered[0].set_result(message.get("result", {}))
            else:
                answered[0].set_exception(_error_of(error))
        except InvalidStateError:
            pass  # Cancelled meanwhile.

    def _fail_all(self) -> None:
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._threads[1].join(timeout=1)
        said = "\n".join(self._stderr) or "it said nothing"
        error = _errors.ServiceDied(
            f"the service ended with {self._process.returncode}: {said}"
        )
        with self._lock:
            calls = [call for call, _ in self._calls.values()]
            self._calls.clear()
        for call in calls:
            with contextlib.suppress(InvalidStateError):
                call.set_exception(error)


def _error_of(error: Mapping[str, Any]) -> _errors.Error:
    data: Mapping[str, Any] = error.get("data") or {}
    code = data.get("code") or _OF_NUMBER.get(error.get("code", 0), "error")
    return _errors.make(
        str(code), str(error.get("message", "")), str(data.get("hint") or "")
    )
