"""Our own failures.  What a kernel did is a verdict, and never raised.

The classes mirror `Errc` of store/records/result.h, one to one; the service
says which by a code.
"""

from __future__ import annotations

from typing import ClassVar


class Error(Exception):
    """Something of coppice failed; `hint` says what to do, if that is known."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message}; {hint}" if hint else message)
        self.hint = hint


class UsageError(Error, ValueError):
    """What was asked for is malformed."""

    code = "usage"


class NotFound(Error, LookupError):
    """A named thing does not exist."""

    code = "not_found"


class Busy(Error):
    """Somebody else holds it; trying again may succeed."""

    code = "busy"


class Timeout(Error, TimeoutError):
    """A deadline passed."""

    code = "timeout"


class Unavailable(Error):
    """A tool, sandbox, device or service is missing."""

    code = "unavailable"


class Corrupt(Error):
    """Stored or received bytes are not what they should be."""

    code = "corrupt"


class IoError(Error, OSError):
    """The operating system refused."""

    code = "io"

    def __str__(self) -> str:
        return str(self.args[0])


class Cancelled(Error):
    """Somebody asked it to stop."""

    code = "cancelled"


class BudgetSpent(Error):
    """A cap on tokens or money would be passed."""

    code = "spent"


class Unanswered(Error):
    """A model gave no answer in its time."""

    code = "unanswered"


class Full(Error):
    """A disk or quota is full."""

    code = "full"


class LeaseLost(Error):
    """Another has taken the attempt over."""

    code = "lost"


class Unfit(Error):
    """A task measures nothing, or takes more than there is here."""

    code = "unfit"


class NewerFormat(Corrupt):
    """A file of a later version, or of none."""


class ServiceDied(Unavailable):
    """The program ended; the message has the last lines of its stderr."""


class KernelFailed(Exception):
    """Raised by `Evaluation.raise_for_verdict`, which is asked for."""


# Kinds of kinds say the code of what they are.
BY_CODE: dict[str, type[Error]] = {kind.code: kind for kind in Error.__subclasses__()}


def make(code: str, message: str, hint: str = "") -> Error:
    return BY_CODE.get(code, Error)(message, hint)
