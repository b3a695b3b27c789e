"""An episode: a campaign that one agent does, attempt after attempt.

What is asked, told and judged stands in the database, as of any campaign, so a
training run can be looked at, replayed and judged again.
"""

from __future__ import annotations

import contextlib
import secrets
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .. import _errors
from .._service import Service
from .completion import why_unfit
from .components import Components

Follow = Literal["last", "policy"]

_WAIT_S = 50.0  # In one request; the service keeps the job until it is asked.
_SEEDS_TRIED = 20


def fresh_seed() -> int:
    """Not of any generator: whoever has the same seed would have its campaign."""
    return secrets.randbelow(1 << 62)


@dataclass(frozen=True, slots=True)
class Turn:
    """What came of an attempt."""

    node: int
    components: Components
    feedback: str  # What compiler and checker said.
    speedup: float | None
    best_speedup: float | None  # Of the episode, and of its root if none is better.


class Episode:
    """`prompt` and `source` are of the attempt to do next; None after the last."""

    def __init__(
        self,
        service: Service,
        task: str,
        turns: int,
        *,
        seed: int | None = None,
        follow: Follow = "last",
        policy: str | None = None,
        model: str = "policy",
        lease_s: float = 3600.0,
    ) -> None:
        """Begins a campaign of its own, by a service of `outside_service`.

        Without `seed`, or where the file has a campaign of that, it is one that
        nobody has; two that begin at once must not give the same.  An attempt
        goes on from the one before it, or from where the campaign's policy says.
        """
        self.task = task
        self.follow: Follow = follow
        self._service = service
        self._model = model
        self._lease_s = lease_s
        self._agent = f"episode-{uuid.uuid4()}"
        self._told = 0
        self._from: int | None = 0 if follow == "last" else None
        self.ended_because = ""
        self.seed = fresh_seed() if seed is None else seed
        for _ in range(_SEEDS_TRIED):
            self._offer = self._begin(turns, policy)
            if self._offer is not None:
                return
            self.seed = fresh_seed()
        raise _errors.Busy(
            f"{task}: {_SEEDS_TRIED} seeds in a row are of other campaigns",
            "give the environment another file",
        )

    def _begin(self, turns: int, policy: str | None) -> dict[str, Any] | None:
        """The first attempt; None where somebody has the campaign of this seed."""
        request = {"task": self.task, "budget": turns, "agent": "outside"}
        if policy is not None:
            request["policy"] = policy
        begun = self._service.ask("start_campaign", {**request, "seed": self.seed})
        self.campaign = str(begun["campaign"])
        name = self.campaign.replace("'", "''")
        question = f"SELECT count(*) AS n FROM attempts WHERE campaign = '{name}'"
        if self._service.ask("query", {"sql": question})["rows"] != [[0]]:
            return None
        self._offer = offer = self._ask()
        if offer is not None and offer["role"] != "code":
            self.leave()
            raise _errors.UsageError(
                f"{self.campaign}: its agents plan before they write",
                "take the service that ck.rl.outside_service(db) begins",
            )
        if offer is not None and offer["decision"] == 0:
            return offer
        self.leave()  # Another has begun it at the same time.
        return None

    @property
    def is_over(self) -> bool:
        return self._offer is None

    @property
    def prompt(self) -> Mapping[str, str] | None:
        """`system` and `user`, as a built-in agent would be sent them."""
        return None if self._offer is None else self._offer["prompt"]

    @property
    def source(self) -> str | None:
        """The source of the node to go on from."""
        if self._offer is None:
            return None
        return next(
            (
                str(seen["source"])
                for seen in self._offer["window"]
                if seen["node"] == self._offer["parent"]
            ),
            None,
        )

    def tell(
        self, source: str | None, *, usage: Mapping[str, Any] | None = None
    ) -> Turn:
        """Has a source judged, and asks for the next attempt.

        None, or a source that cannot be taken, is an attempt without a candidate.
        """
        if self._offer is None:
            raise _errors.UsageError(f"{self.campaign}: {self.ended_because}")
        told: dict[str, Any] = {
            "ticket": self._offer["ticket"],
            "usage": {"model": self._model, **(usage or {})},
        }
        unfit = why_unfit(source)
        if unfit is not None:
            answer = self._answer({**told, "none_reason": unfit})
        else:
            try:
                answer = self._answer({**told, "source": source})
            except _errors.UsageError as refused:
                faults = str(refused).split("; ")
                if any(fault.startswith("usage") for fault in faults):
                    raise
                # The ticket is open still, and was charged with the usage.
                told["usage"] = {"model": self._model}
                answer = self._answer({**told, "none_reason": str(refused)})
        self._told += 1
        node = int(answer["node"])
        if self.follow == "last" and answer["verdict"] != "no_candidate":
            self._from = node
        turn = Turn(
            node=node,
            components=Components.of_receipt(answer),
            feedback=str(answer.get("log_head") or ""),
            speedup=answer.get("speedup"),
            best_speedup=answer.get("best_speedup"),
        )
        self._offer = self._ask()
        return turn

    def leave(self) -> None:
        """Gives up what was asked for and is not told."""
        if self._offer is not None:
            request = {"ticket": self._offer["ticket"], "lease_s": 0}
            with contextlib.suppress(_errors.Error):
                self._service.ask("renew", {**request, "reason": "episode left"})
        self._offer = None
        self.ended_because = "the episode was left"

    def _ask(self) -> dict[str, Any] | None:
        request: dict[str, Any] = {
            "campaign": self.campaign,
            "agent": self._agent,
            "request": f"turn-{self._told}",
            "lease_s": self._lease_s,
        }
        if self._from is not None:
            request["parent"] = self._from
        offer = self._service.ask("ask", request)
        while offer.get("measuring"):  # Its root, which may take a while.
            offer = self._service.ask("ask", {**request, "wait_s": _WAIT_S})
        if offer["ticket"] is not None:
            return offer
        self.ended_because = str(offer["reason"])
        return None

    def _answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        answer = self._service.ask("tell", {**request, "wait_s": _WAIT_S})
        while answer["state"] != "done":
            if answer["state"] == "cancelled":
                raise _errors.Cancelled(f"{self.campaign}: the job was cancelled")
            job = {"job": answer["job"], "wait_s": _WAIT_S}
            answer = self._service.ask("get_job", job)
        return answer
