"""A Gymnasium environment: an episode is a campaign, a step an attempt."""

from __future__ import annotations

import contextlib
import os
import string
from collections.abc import Mapping, Sequence
from typing import Any

from .. import _errors
from .._service import Service
from .completion import Completion, source_of
from .episode import Episode, Follow, Turn
from .outside import outside_service
from .schemes import Scheme, rule_of

try:
    import gymnasium
    import numpy as np
except ImportError:
    raise _errors.Error(
        "gymnasium is not installed", "pip install 'coppice-kernels[gym]'"
    ) from None

_MOST_TEXT = 1 << 16  # Of an observation; the whole is in `info`.
_MOST_SPEEDUP = 1e6
_LETTERS = string.printable
_KNOWN_LETTERS = frozenset(_LETTERS)


def _seen(text: str | None) -> str:
    """As far as it fits into a space of texts."""
    cut = (text or "")[:_MOST_TEXT]
    return "".join(c if c in _KNOWN_LETTERS else "?" for c in cut)


class KernelEnv(gymnasium.Env):
    """Actions are completions: a source, bare or in a fenced block.

    Whatever is cut or replaced in an observation is whole in `info`, which also
    has each component of the reward.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        task: str,
        *,
        turns: int = 8,
        db: str | os.PathLike[str] = "rl.db",
        scheme: Scheme = "log",
        inconclusive: float = 0.0,
        follow: Follow = "last",
        policy: str | None = None,
        settings: Mapping[str, object] | None = None,
        command: Sequence[str] | None = None,
    ) -> None:
        """`settings` are those of `coppice run`, such as {"threads": 1}.

        `inconclusive` stands for a reward where there is none, since Gymnasium
        knows of no None; `info` has `reward_known`.
        """
        rule_of(scheme)
        self.task = task
        self.turns = turns
        self.scheme: Scheme = scheme
        self.inconclusive = inconclusive
        self.follow: Follow = follow
        self.policy = policy
        text = gymnasium.spaces.Text(
            min_length=0, max_length=_MOST_TEXT, charset=_LETTERS
        )
        self.observation_space = gymnasium.spaces.Dict(
            {
                "prompt": text,
                "source": text,
                "feedback": text,
                "best_speedup": gymnasium.spaces.Box(
                    0.0, _MOST_SPEEDUP, (), np.float64
                ),
            }
        )
        self.action_space = gymnasium.spaces.Text(
            min_length=0, max_length=_MOST_TEXT, charset=_LETTERS
        )
        self.service = (
            Service(command=command) if command else outside_service(db, settings)
        )
        self.episode: Episode | None = None
        self._best = 1.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins a campaign.  `options` may name another `task`.

        Its seed is not `seed`: environments of equal ones would share a campaign.
        """
        super().reset(seed=seed)
        if self.episode is not None:
            self.episode.leave()
        self._best = 1.0
        self.episode = Episode(
            self.service,
            str((options or {}).get("task", self.task)),
            self.turns,
            follow=self.follow,
            policy=self.policy,
        )
        return self._observation(""), self._info(None)

    def step(
        self, action: Completion
    ) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        if self.episode is None:
            raise _errors.UsageError("step: reset() comes first")
        turn = self.episode.tell(source_of(action, bare=True))
        self._best = turn.best_speedup or self._best
        reward = turn.components.scalar(self.scheme)
        return (
            self._observation(turn.feedback),
            self.inconclusive if reward is None else reward,
            self.episode.is_over,
            False,
            self._info(turn),
        )

    def close(self) -> None:
        if self.episode is not None:
            with contextlib.suppress(_errors.Error):
                self.episode.leave()
            self.episode = None
        self.service.close()

    def _observation(self, feedback: str) -> dict[str, Any]:
        assert self.episode is not None
        prompt = self.episode.prompt or {}
        return {
            "prompt": _seen(prompt.get("user")),
            "source": _seen(self.episode.source),
            "feedback": _seen(feedback),
            "best_speedup": np.array(min(self._best, _MOST_SPEEDUP), np.float64),
        }

    def _info(self, turn: Turn | None) -> dict[str, Any]:
        assert self.episode is not None
        info: dict[str, Any] = {
            "campaign": self.episode.campaign,
            "task": self.episode.task,
            "prompt": self.episode.prompt,
            "source": self.episode.source,
            "ended_because": self.episode.ended_because,
        }
        if turn is not None:
            info["node"] = turn.node
            info["feedback"] = turn.feedback
            info["components"] = turn.components.as_dict()
            info["reward_known"] = turn.components.is_known
            info["reward_bounds"] = turn.components.bounds(self.scheme)
        return info


# So `gymnasium.make` finds it, and knows that clocks are not determined.
gymnasium.register(
    "coppice/Kernel-v0",
    entry_point="coppice_kernels.rl.env:KernelEnv",
    nondeterministic=True,
)
