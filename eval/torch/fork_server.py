"""Workers without the seconds that importing torch takes: each is forked from
this process, which has imported it, and enters a sandbox of its own.

No code of a task or a candidate ever runs here.  The parent (eval/fork_server.
cc) sends what it would tell coppice-jail, with the descriptors that the new
process is to have, and is answered with a descriptor of that process.
"""

import ctypes
import gc
import importlib
import json
import os
import signal
import socket
import sys
import traceback
from typing import Any, NoReturn

# As a worker's main module is called by what is beside it.
import worker
import problem  # noqa: F401

PARENT = 3  # Descriptor.
MOST_BYTES = 1 << 20
MOST_DESCRIPTORS = 16
ANSWER = b"."
IMPORTS = "COPPICE_IMPORTS"  # In a worker's environment, of torch's own.


def place(descriptors: list[int]) -> None:
    """As 0, 1, 2, ...: first out of the way of these numbers."""
    high = 1 + max(*descriptors, len(descriptors))
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, high + number)
    for number in range(len(descriptors)):
        os.dup2(high + number, number)


def become(order: dict[str, Any], descriptors: list[int], jail: Any) -> NoReturn:
    """A worker, in its sandbox."""
    try:
        os.setsid()
        os.sched_setaffinity(0, order["processors"])
        os.environ.clear()
        os.environ.update(order["environment"])
        place(descriptors)
        words = [word.encode() for word in order["arguments"]]
        jail.coppice_jail_enter(
            len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None)
        )
        sys.argv = order["arguments"][order["arguments"].index("--") + 1 :]
        while sys.argv and os.path.basename(sys.argv[0]) != "worker.py":
            del sys.argv[0]
        worker.main()
    except BaseException:  # pylint: disable=broad-except
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(1)


def have(order: dict[str, Any]) -> None:
    """What the new process will import anyway, so that it is paid for once."""
    for name in dict(order["environment"]).get(IMPORTS, "").split():
        if name in sys.modules:
            continue
        try:
            importlib.import_module(name)
        except Exception:  # pylint: disable=broad-except
            continue  # Whoever needs it will be told so.
        gc.collect()
        gc.freeze()


def reap(*_: Any) -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def serve() -> None:
    parent = socket.socket(fileno=PARENT)
    jail = ctypes.PyDLL(os.path.join(os.path.dirname(__file__), "jail.so"))
    signal.signal(signal.SIGCHLD, reap)
    gc.collect()
    gc.freeze()  # A collection would copy what all of them share.
    parent.send(ANSWER)
    while True:
        message, descriptors, _, _ = socket.recv_fds(
            parent, MOST_BYTES, MOST_DESCRIPTORS
        )
        if not message:
            return
        order = json.loads(message)
        have(order)
        # It is nobody else's number until it is reaped.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
            parent.detach()  # It will be closed with all others.
            become(order, list(descriptors), jail)
        handle = os.pidfd_open(child)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        socket.send_fds(parent, [ANSWER], [handle])
        for descriptor in [handle, *descriptors]:
            os.close(descriptor)


if __name__ == "__main__":
    serve()
