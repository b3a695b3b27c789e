"""Processors for processes that measure side by side."""

import contextlib
import os
import pathlib
import queue

GROUPS = pathlib.Path("/sys/fs/cgroup")


class Part:
    """The processors that we may use, in `parts` parts, of which this is
    `number`: what is kept to them measures while others do.

    It is put into a control group of its own where we may make one: only
    there the system tells whether it has to wait for a processor itself, and
    not whether anybody has to.
    """

    def __init__(self, number, parts):
        cores = sorted(os.sched_getaffinity(0))
        width = max(len(cores) // parts, 1)
        first = number * width % len(cores)
        self.cores = cores[first:first + width]
        self.group = None
        if (GROUPS / "cpu.pressure").exists() and os.access(GROUPS, os.W_OK):
            self.group = GROUPS / f"coppice-{os.getpid()}-{number}"
            self.group.mkdir()

    def kept(self, command):
        """The command that runs `command` on them."""
        enter = f"echo 0 > {self.group}/cgroup.procs && " if self.group else ""
        cores = ",".join(map(str, self.cores))
        return ["sh", "-c", f'{enter}exec taskset -c {cores} "$@"', "sh",
                *command]

    def leave(self):
        """When what ran in it has ended."""
        if self.group:
            self.group.rmdir()


@contextlib.contextmanager
def parted(count):
    """A queue of that many parts, from which whoever needs one takes it, and
    gives it back; none is in use when this ends."""
    parts = [Part(number, count) for number in range(count)]
    free = queue.SimpleQueue()
    for part in parts:
        free.put(part)
    try:
        yield free
    finally:
        for part in parts:
            part.leave()


@contextlib.contextmanager
def one_of(free):
    part = free.get()
    try:
        yield part
    finally:
        free.put(part)
