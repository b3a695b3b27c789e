"""A file of verdicts that rewards were made of.

With it a training run gets the same rewards again, and can be audited: each row
has the kernel, and what was said of it, as it was said.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .. import _errors

APPLICATION_ID = 0x636B7276  # "ckrv"
_FORMAT = 1

_SCHEMA = """
CREATE TABLE verdict (
  verdict_id  INTEGER PRIMARY KEY,
  task        TEXT NOT NULL,
  tier        TEXT NOT NULL,
  sha256      TEXT NOT NULL,  -- Of the source.
  source      TEXT NOT NULL,
  answer      TEXT NOT NULL,  -- Of evaluate_kernel, as JSON.
  judged_at_s REAL NOT NULL
);
CREATE INDEX verdict_of ON verdict (task, tier, sha256, verdict_id);
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """A verdict of the file: the last one of its kernel."""

    task: str
    tier: str
    source: str
    answer: Mapping[str, Any]
    judged_at_s: float


class Verdicts:
    """By any thread, and by several processes at a time."""

    def __init__(
        self, path: str | os.PathLike[str], *, must_exist: bool = False
    ) -> None:
        self.path = pathlib.Path(path)
        if must_exist and not self.path.exists():
            raise _errors.NotFound(f"{self.path}: no such file")
        self._lock = threading.Lock()
        try:
            self._connection = sqlite3.connect(
                self.path, timeout=60, check_same_thread=False, isolation_level=None
            )
            self._begin()
        except sqlite3.Error as error:
            raise self._error_of(error) from error

    def _error_of(self, error: sqlite3.Error) -> _errors.Error:
        if "not a database" in str(error):
            return _errors.Corrupt(f"{self.path}: is no file of verdicts")
        kind = _errors.Full if "is full" in str(error) else _errors.IoError
        return kind(f"{self.path}: {error}")

    def _is_empty(self) -> bool:
        count = self._connection.execute("SELECT count(*) FROM sqlite_schema")
        return bool(count.fetchone()[0] == 0)

    def _begin(self) -> None:
        """A file that is there is only read, so it may be one that must not change."""
        execute = self._connection.execute
        if self._is_empty():
            execute("BEGIN IMMEDIATE")
            if self._is_empty():  # Still: others may begin it, too.
                for statement in _SCHEMA.split(";\n"):
                    execute(statement)
                execute(f"PRAGMA application_id = {APPLICATION_ID}")
                execute(f"PRAGMA user_version = {_FORMAT}")
            execute("COMMIT")
        application = execute("PRAGMA application_id").fetchone()[0]
        version = execute("PRAGMA user_version").fetchone()[0]
        if application != APPLICATION_ID:
            self._connection.close()
            raise _errors.Corrupt(f"{self.path}: is no file of verdicts")
        if version > _FORMAT:
            self._connection.close()
            raise _errors.NewerFormat(
                f"{self.path}: has format {version}, this version reads {_FORMAT}",
                "pip install --upgrade coppice-kernels",
            )

    def __enter__(self) -> Verdicts:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def _ask(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._connection.execute(question, values).fetchall()
            except sqlite3.Error as error:
                raise self._error_of(error) from error

    def find(self, task: str, tier: str, source: str) -> Mapping[str, Any] | None:
        """The last answer for this very text."""
        rows = self._ask(
            "SELECT answer FROM verdict WHERE task = ? AND tier = ? AND sha256 = ? "
            "ORDER BY verdict_id DESC LIMIT 1",
            *(task, tier, _sha256(source)),
        )
        return dict(json.loads(rows[0][0])) if rows else None

    def keep(
        self,
        task: str,
        tier: str,
        source: str,
        answer: Mapping[str, Any],
        *,
        again: bool = False,
        at_s: float | None = None,
    ) -> Mapping[str, Any]:
        """The answer that counts: of two the first, unless it is judged `again`."""
        kernel = (task, tier, _sha256(source))
        self._ask(
            "INSERT INTO verdict (task, tier, sha256, source, answer, judged_at_s) "
            "SELECT ?, ?, ?, ?, ?, ? WHERE ? OR NOT EXISTS ("
            "SELECT 1 FROM verdict WHERE task = ? AND tier = ? AND sha256 = ?)",
            *(*kernel, source, json.dumps(dict(answer))),
            *(time.time() if at_s is None else at_s, again),
            *kernel,
        )
        return self.find(task, tier, source) or answer

    def __iter__(self) -> Iterator[Kept]:
        rows = self._ask(
            "SELECT task, tier, source, answer, judged_at_s FROM verdict "
            "WHERE verdict_id IN (SELECT max(verdict_id) FROM verdict "
            "GROUP BY task, tier, sha256) ORDER BY verdict_id"
        )
        for task, tier, source, answer, at_s in rows:
            yield Kept(task, tier, source, json.loads(answer), at_s)

    def __len__(self) -> int:
        rows = self._ask("SELECT count(DISTINCT task || tier || sha256) FROM verdict")
        return int(rows[0][0])


def _sha256(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()
