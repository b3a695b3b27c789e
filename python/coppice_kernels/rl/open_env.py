"""An environment of OpenEnv: episodes behind its reset, step and state.

    uvicorn --factory my_module:app      # def app(): return ck.rl.openenv_app("gemv")

A client keeps one episode in a session (its WebSocket), as OpenEnv has them.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

from .. import _errors
from .._service import Service
from .completion import source_of
from .episode import Episode, Follow, Turn
from .outside import outside_service
from .schemes import Scheme, rule_of

try:
    from openenv.core.env_server import (
        Action,
        Environment,
        Observation,
        State,
        create_app,
    )
except ImportError:
    raise _errors.Error(
        "openenv is not installed", "pip install 'coppice-kernels[openenv]'"
    ) from None


class KernelAction(Action):
    """A completion: a source, bare or in a fenced block."""

    completion: str


class KernelObservation(Observation):
    """What to go on from.  `reward` is none where nothing is known; `metadata`
    has each component of it."""

    prompt: str = ""
    source: str = ""
    feedback: str = ""
    best_speedup: float = 1.0


class KernelState(State):
    """Where the episode stands in its file: a campaign."""

    task: str = ""
    campaign: str = ""
    ended_because: str = ""


class OpenKernelEnv(Environment[KernelAction, KernelObservation, KernelState]):
    """See `KernelEnv`, of which it has the arguments."""

    SUPPORTS_CONCURRENT_SESSIONS = True  # Each has a service of its own.

    def __init__(
        self,
        task: str,
        *,
        turns: int = 8,
        db: str | os.PathLike[str] = "rl.db",
        scheme: Scheme = "log",
        follow: Follow = "last",
        policy: str | None = None,
        settings: Mapping[str, object] | None = None,
        command: Sequence[str] | None = None,
    ) -> None:
        super().__init__()
        rule_of(scheme)
        self.task = task
        self.turns = turns
        self.scheme: Scheme = scheme
        self.follow: Follow = follow
        self.policy = policy
        self.service = (
            Service(command=command) if command else outside_service(db, settings)
        )
        self.episode: Episode | None = None
        self._state = KernelState()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any
    ) -> KernelObservation:
        """Begins a campaign, whose seed is not `seed`.  `task=` may name another."""
        self._leave()
        self.episode = Episode(
            self.service,
            str(kwargs.get("task", self.task)),
            self.turns,
            follow=self.follow,
            policy=self.policy,
        )
        self._state = KernelState(
            episode_id=episode_id or self.episode.campaign,
            task=self.episode.task,
            campaign=self.episode.campaign,
        )
        return self._observation(None)

    def step(
        self, action: KernelAction, timeout_s: float | None = None, **kwargs: Any
    ) -> KernelObservation:
        """`timeout_s` is not kept to: what is judged is judged to its end."""
        if self.episode is None:
            raise _errors.UsageError("step: reset() comes first")
        turn = self.episode.tell(source_of(action.completion, bare=True))
        self._state.step_count += 1
        self._state.ended_because = self.episode.ended_because
        return self._observation(turn)

    @property
    def state(self) -> KernelState:
        return self._state

    def close(self) -> None:
        self._leave()
        self.service.close()

    def _leave(self) -> None:
        if self.episode is not None:
            with contextlib.suppress(_errors.Error):
                self.episode.leave()
        self.episode = None

    def _observation(self, turn: Turn | None) -> KernelObservation:
        assert self.episode is not None
        seen = KernelObservation(
            done=self.episode.is_over,
            prompt=(self.episode.prompt or {}).get("user") or "",
            source=self.episode.source or "",
        )
        if turn is not None:
            seen.reward = turn.components.scalar(self.scheme)
            seen.feedback = turn.feedback
            seen.best_speedup = turn.best_speedup or 1.0
            seen.metadata = {
                "node": turn.node,
                "components": turn.components.as_dict(),
                "reward_bounds": turn.components.bounds(self.scheme),
            }
        return seen


def openenv_app(task: str, *, sessions: int = 4, **of: Any) -> Any:
    """The server of `OpenKernelEnv(task, **of)`, for so many sessions at a time."""
    return create_app(
        lambda: OpenKernelEnv(task, **of),
        KernelAction,
        KernelObservation,
        env_name="coppice",
        max_concurrent_envs=sessions,
    )
