"""A service whose campaigns are done by agents of other programs alone."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping

from .. import _program
from .._service import Service

# One agent writes each source, and nobody plans before it.
_ALONE = {
    "agents": "alone",
    **{f"{role}_model": "outside" for role in ("plan", "code", "debug")},
}


def _settings_text(settings: Mapping[str, object]) -> str:
    """A settings file: what a user has said of his, then these."""
    rows = json.loads(_program.output_of("config", "show", "--json"))
    said = {
        str(row["key"]): str(row["value"]) for row in rows if row["origin"] != "default"
    }
    said.pop("db", None)
    said.update({key: str(value) for key, value in {**settings, **_ALONE}.items()})
    return "".join(f"{key} = {value}\n" for key, value in said.items())


def outside_service(
    db: str | os.PathLike[str], settings: Mapping[str, object] | None = None
) -> Service:
    """For episodes.  `settings` are those of `coppice run`: {"threads": 1}."""
    text = _settings_text(settings or {})
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(text)
        file.flush()
        # It has read the file when it greets.
        return Service(["--db", os.path.abspath(db), "--config", file.name])
