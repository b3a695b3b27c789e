"""Tests of fork_server.py: how descriptors are put in place, and what a new
process is before it is a worker."""

import json
import os
import signal
import socket
import subprocess
import sys
import unittest
from typing import Any
from unittest import mock

import fork_server


def in_child(work: Any) -> str:
    """What `work` returns, in a process whose descriptors it may change."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.dup2(write, 100)
            text = work()
        except BaseException as error:  # pylint: disable=broad-except
            text = repr(error)
        os.write(100, text.encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as file:
        return file.read()


def file_of(text: str) -> int:
    descriptor = os.memfd_create("file")
    os.write(descriptor, text.encode())
    return descriptor


class PlaceTest(unittest.TestCase):
    def placed(self, *order: int) -> str:
        """Texts of 0, 1, 2, ..., where files "a", "b", "c" lie at `order`."""

        def work() -> str:
            files = [file_of(name) for name in "abc"[: len(order)]]
            for number, file in enumerate(files):
                os.dup2(file, 50 + number)
            for number, at in enumerate(order):
                os.dup2(50 + number, at)
            fork_server.place(list(order))
            return "".join(
                os.pread(at, 9, 0).decode() for at in range(len(order))
            )

        return in_child(work)

    def test_they_are_0_1_and_2_in_their_order(self) -> None:
        self.assertEqual(self.placed(20, 30, 25), "abc")

    def test_none_is_lost_where_they_are_already(self) -> None:
        self.assertEqual(self.placed(0, 1, 2), "abc")
        self.assertEqual(self.placed(2, 0, 1), "abc")
        self.assertEqual(self.placed(1, 2, 3), "abc")
        self.assertEqual(self.placed(1, 0), "ab")


class Jail:
    """Writes down how it is entered."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails
        self.words: list[str] = []
        self.last: Any = 1

    def coppice_jail_enter(self, count: int, words: Any) -> None:
        if self.fails:
            raise OSError("no namespace")
        self.words = [words[i].decode() for i in range(count)]
        self.last = words[count]


class BecomeTest(unittest.TestCase):
    ORDER = {
        "processors": [1, 2],
        "environment": [["A", "1"], ["B", "2"]],
        "arguments": "jail --ro / -- python -B /x/worker.py watched".split(),
    }

    def became(self, jail: Jail) -> dict[str, Any]:
        found: dict[str, Any] = {}

        def work() -> None:
            found["argv"] = list(sys.argv)
            found["environment"] = dict(os.environ)

        with (
            mock.patch("os.setsid") as session,
            mock.patch("os.sched_setaffinity") as affinity,
            mock.patch("os._exit") as leave,
            mock.patch.dict(os.environ),
            mock.patch.object(sys, "argv", ["fork_server.py"]),
            mock.patch.object(fork_server, "place") as place,
            mock.patch.object(fork_server.worker, "main", work),
            mock.patch("traceback.print_exc") as told,
        ):
            fork_server.become(self.ORDER, [7, 8, 9], jail)
            place.assert_called_once_with([7, 8, 9])
            session.assert_called_once_with()
            affinity.assert_called_once_with(0, [1, 2])
            # It never goes on as the server that it was.
            leave.assert_called_once_with(1)
            found["told"] = told.called
        return found

    def test_it_enters_its_jail_and_is_the_worker_that_is_named(self) -> None:
        jail = Jail()
        found = self.became(jail)
        self.assertEqual(jail.words, self.ORDER["arguments"])
        self.assertIsNone(jail.last)
        self.assertEqual(found["argv"], ["/x/worker.py", "watched"])
        self.assertEqual(found["environment"], {"A": "1", "B": "2"})
        self.assertFalse(found["told"])

    def test_without_a_jail_it_is_nothing(self) -> None:
        found = self.became(Jail(fails=True))
        self.assertNotIn("argv", found)
        self.assertTrue(found["told"])


class HaveTest(unittest.TestCase):
    def imported(self, **environment: str) -> list[str]:
        with (
            mock.patch.object(fork_server.importlib, "import_module") as load,
            mock.patch.object(fork_server.gc, "freeze") as freeze,
        ):
            fork_server.have({"environment": list(environment.items())})
        self.assertEqual(freeze.call_count, load.call_count)
        return [call.args[0] for call in load.call_args_list]

    def test_what_is_named_and_not_there_is_imported(self) -> None:
        self.assertEqual(
            self.imported(COPPICE_IMPORTS="no_such_one json no_such_two", PATH="x"),
            ["no_such_one", "no_such_two"],
        )
        self.assertEqual(self.imported(PATH="no_such_one"), [])


class ReapTest(unittest.TestCase):
    def test_all_that_have_ended_are_reaped(self) -> None:
        def work() -> str:
            children = []
            for _ in range(3):
                child = os.fork()
                if child == 0:
                    os._exit(0)
                children.append(child)
                os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
            fork_server.reap(signal.SIGCHLD, None)
            left = [one for one in children if os.path.exists(f"/proc/{one}")]
            fork_server.reap(signal.SIGCHLD, None)  # There is no child.
            return str(left)

        self.assertEqual(in_child(work), "[]")

    def test_who_still_runs_is_left(self) -> None:
        with mock.patch("os.waitpid", side_effect=[(5, 0), (0, 0)]) as wait:
            fork_server.reap()
        self.assertEqual(wait.call_args_list, [mock.call(-1, os.WNOHANG)] * 2)


# As the server, with a jail that is none and a worker that says who it is.
SERVER = """
import ctypes, os, sys
sys.path.insert(0, sys.argv[1])
import fork_server
class Jail:
    def coppice_jail_enter(self, count, words):
        pass
def main():
    os.write(2, repr((sys.argv, dict(os.environ))).encode())
    os._exit(7)
ctypes.PyDLL = lambda _: Jail()
fork_server.worker.main = main
fork_server.PARENT = int(sys.argv[2])
fork_server.serve()
"""


class ServeTest(unittest.TestCase):
    def test_a_worker_is_forked_for_each_order_until_there_are_no_more(
        self,
    ) -> None:
        own, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        own.settimeout(60)
        folder = os.path.dirname(os.path.abspath(fork_server.__file__))
        server = subprocess.Popen(
            [sys.executable, "-c", SERVER, folder, str(its.fileno())],
            pass_fds=[its.fileno()],
        )
        its.close()
        self.assertEqual(own.recv(64), b".")  # It is ready.
        for name in ("one", "two"):
            said, end = os.pipe()
            order = {
                "processors": sorted(os.sched_getaffinity(0)),
                "environment": [["NAME", name]],
                "arguments": ["jail", "--", "python", "worker.py", name],
            }
            null = os.open("/dev/null", os.O_RDWR)
            socket.send_fds(own, [json.dumps(order).encode()], [null, null, end])
            os.close(end)
            answer, given, _, _ = socket.recv_fds(own, 64, 4)
            self.assertEqual((answer, len(given)), (b".", 1))
            with os.fdopen(said) as file:
                self.assertEqual(
                    file.read(), repr((["worker.py", name], {"NAME": name}))
                )
            os.close(given[0])
            os.close(null)
        own.close()
        self.assertEqual(server.wait(60), 0)


if __name__ == "__main__":
    unittest.main()
