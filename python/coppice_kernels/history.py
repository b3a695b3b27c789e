"""A database of coppice, read: views as columns, campaigns, nodes, texts.

Everything here only reads, and a campaign may be writing meanwhile.  Nothing
but the standard library is needed; where ADBC's driver for SQLite is installed
with pyarrow, views are read by it, in half the time.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import pathlib
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import quote

from . import _errors, _program
from ._schema import APPLICATION_ID, FORMAT, VIEWS
from ._table import Column, Table, Type

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from .campaign import Campaign, Node
    from .plots import HistoryPlots

Reader = Literal["auto", "sqlite3", "adbc"]


def open(db: str | os.PathLike[str], *, reader: Reader = "auto") -> History:  # noqa: A001
    """Opens a database to read it; `reader` says by what views are read."""
    return History(db, reader=reader)


@functools.cache
def _columns_of(view: str) -> tuple[Column, ...]:
    columns: list[Column] = []
    for line in VIEWS[view][1].replace("\n  ", " ").splitlines():
        those, _, doc = line.partition(": ")
        for column in those.split(", "):
            name, its_type, *unit = column.split(" ")
            columns.append(Column(name, cast("Type", its_type), "".join(unit), doc))
    return tuple(columns)


class View:
    """A view of a database, which is read when its rows are asked for."""

    __slots__ = ("_history", "_where", "columns", "doc", "name")

    def __init__(
        self,
        history: History,
        name: str,
        columns: Sequence[Column],
        where: Mapping[str, Any],
    ) -> None:
        self._history = history
        self._where = dict(where)
        self.name = name
        self.doc = VIEWS[name][0]
        self.columns = tuple(columns)

    def __call__(self, columns: Sequence[str] | None = None, **where: Any) -> View:
        """Keeps these columns, and the rows where columns have these values."""
        known = {column.name: column for column in _columns_of(self.name)}
        for name in [*(columns or ()), *where]:
            if name not in known:
                raise _errors.UsageError(
                    f"{self.name} has no column {name!r}; it has {', '.join(known)}"
                )
        wanted = self.columns if columns is None else [known[c] for c in columns]
        return View(self._history, self.name, wanted, {**self._where, **where})

    def table(self) -> Table:
        names = ", ".join(f'"{column.name}"' for column in self.columns)
        sql = f'SELECT {names} FROM "{self.name}"'
        if self._where:
            tests = [f'"{name}" IS ?' for name in self._where]
            sql += " WHERE " + " AND ".join(tests)
        return self._history._read(sql, list(self._where.values()), self.columns)

    def df(self) -> pandas.DataFrame:
        return self.table().df()

    def pl(self) -> polars.DataFrame:
        return self.table().pl()

    def arrow(self) -> pyarrow.Table:
        return self.table().arrow()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table().__arrow_c_stream__(requested_schema)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.table())

    def __repr__(self) -> str:
        lines = [f"{self.name}: {self.doc}"]
        for column in self.columns:
            unit = f" [{column.unit}]" if column.unit else ""
            lines.append(f"  {column.name}{unit} {column.type}  {column.doc}".rstrip())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from . import _html

        return _html.view(self)


class Views(Mapping[str, View]):
    """The views of a database, by name."""

    def __init__(self, history: History) -> None:
        self._history = history

    def __getitem__(self, name: str) -> View:
        if name not in VIEWS:
            raise KeyError(name)
        return View(self._history, name, _columns_of(name), {})

    def __iter__(self) -> Iterator[str]:
        return iter(VIEWS)

    def __len__(self) -> int:
        return len(VIEWS)

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {doc}" for name, (doc, _) in VIEWS.items())


class History:
    """A database.  Its views are attributes, too: `h.nodes`, `h.leaderboard`."""

    def __init__(self, db: str | os.PathLike[str], *, reader: Reader = "auto") -> None:
        self.path = pathlib.Path(db)
        if reader == "auto":
            found = all(
                importlib.util.find_spec(package)
                for package in ("adbc_driver_sqlite", "adbc_driver_manager", "pyarrow")
            )
            reader = "adbc" if found else "sqlite3"
        self._reader = reader
        self._adbc: Any = None
        self._uri = _uri_of(self.path)
        self._connection = _connect(self.path, self._uri)

    def __enter__(self) -> History:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()
        if self._adbc is not None:
            self._adbc.close()
            self._adbc = None

    def __repr__(self) -> str:
        return f"<History {self.path}: {len(self.runs())} campaigns>"

    def _repr_html_(self) -> str:
        from . import _html

        return _html.history(self)

    @property
    def views(self) -> Views:
        return Views(self)

    def __getattr__(self, name: str) -> View:
        if name in VIEWS:
            return self.views[name]
        raise AttributeError(f"{type(self).__name__!r} has no {name!r}")

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *VIEWS])

    @property
    def plot(self) -> HistoryPlots:
        from .plots import HistoryPlots

        return HistoryPlots(self)

    def sql(self, question: str, *parameters: Any) -> Table:
        """One SELECT; a column's type is that of its values."""
        try:
            cursor = self._connection.execute(question, parameters)
            if cursor.description is None:
                raise _errors.UsageError("a question is one SELECT")
            names = [str(item[0]) for item in cursor.description]
            values = _by_column(cursor, len(names))
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise _error_of(self.path, error, _errors.UsageError) from error
        columns = [
            Column(name, _settle_type(values[i], name)) for i, name in enumerate(names)
        ]
        return Table(columns, values)

    def rows(self, question: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """The rows of one SELECT, as they are."""
        try:
            return self._connection.execute(question, parameters).fetchall()
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise _error_of(self.path, error, _errors.UsageError) from error

    def runs(self) -> list[Campaign]:
        """All campaigns, in the order in which they began."""
        from .campaign import Campaign

        names = self.rows("SELECT campaign FROM campaigns ORDER BY created_at_s")
        return [Campaign(self, str(name)) for (name,) in names]

    def campaign(self, name: str | None = None) -> Campaign:
        """The campaign of that name, or whose name has that part, or the last."""
        from .campaign import Campaign

        names = [
            str(row[0])
            for row in self.rows("SELECT campaign FROM campaigns ORDER BY updated_at_s")
        ]
        if not names:
            raise _errors.NotFound(f"{self.path}: has no campaign")
        if name is None or name in names:
            return Campaign(self, name or names[-1])
        alike = [known for known in names if name in known]
        if len(alike) == 1:
            return Campaign(self, alike[0])
        what = f"is a part of {', '.join(alike)}" if alike else "is none of"
        those = "" if alike else " " + ", ".join(names[:10])
        raise _errors.NotFound(f"{self.path}: {name!r} {what}{those}")

    def texts(self, ids: Sequence[int]) -> list[str]:
        """Texts by what columns named `*_blob` hold, as the program reads them."""
        if not ids:
            return []
        asked = json.dumps([int(i) for i in ids])
        question = (
            "SELECT key, blob_text(value) AS text "
            f"FROM json_each('{asked}') ORDER BY key"
        )
        answer = _program.output_of(
            "sql", question, "--json", "--db", str(self.path.resolve())
        )
        return [str(row["text"]) for row in json.loads(answer)]

    def text(self, blob: int) -> str:
        return self.texts([blob])[0]

    def follow(
        self, *, timeout_s: float | None = None, every_s: float = 0.1
    ) -> Iterator[Node]:
        """Nodes as they are committed from now on, until a while without one.

        Without `timeout_s` it goes on for ever; `break` ends it.
        """
        seen: dict[str, int] = {
            str(name): int(nodes) - 1
            for name, nodes in self.rows("SELECT campaign, nodes FROM campaigns")
        }
        return self._follow(seen, timeout_s, every_s)

    def _follow(
        self, seen: dict[str, int], timeout_s: float | None, every_s: float
    ) -> Iterator[Node]:
        from .campaign import Campaign

        version = -1
        quiet_since = time.monotonic()
        while True:
            now = self.rows("PRAGMA data_version")[0][0]
            if now != version:
                version = now
                rows = self.rows("SELECT campaign, nodes FROM campaigns")
                for name, nodes in rows:
                    campaign = Campaign(self, str(name))
                    for number in range(seen.get(name, -1) + 1, int(nodes)):
                        seen[name] = number
                        yield campaign[number]
                        quiet_since = time.monotonic()
            if timeout_s is not None and time.monotonic() - quiet_since > timeout_s:
                return
            time.sleep(every_s)

    def _read(
        self, sql: str, parameters: list[Any], columns: Sequence[Column]
    ) -> Table:
        if self._reader == "adbc":
            return Table(columns, arrow=self._read_by_adbc(sql, parameters, columns))
        try:
            cursor = self._connection.execute(sql, parameters)
            return Table(columns, _by_column(cursor, len(columns)))
        except sqlite3.Error as error:
            raise _error_of(self.path, error, _errors.Corrupt) from error

    def _read_by_adbc(
        self, sql: str, parameters: list[Any], columns: Sequence[Column]
    ) -> pyarrow.Table:
        import pyarrow as pa
        from adbc_driver_sqlite import dbapi

        if self._adbc is None:
            self._adbc = dbapi.connect(self._uri)
        # The driver takes a column's type from the first batch, and fails where
        # a later one has another: so one batch is all.
        options = {"adbc.sqlite.query.batch_rows": str(1 << 26)}
        types = {"INTEGER": pa.int64(), "REAL": pa.float64(), "TEXT": pa.string()}
        schema = pa.schema([(c.name, types[c.type]) for c in columns])
        with self._adbc.cursor(adbc_stmt_kwargs=options) as cursor:
            cursor.execute(sql, parameters or None)
            table = cursor.fetch_arrow_table()
        self._adbc.rollback()  # Lets go of what it sees.
        return table.cast(schema)


# What SQLite says, which Python 3.10 has no numbers of.
_SAID: dict[str, type[_errors.Error]] = {
    "is locked": _errors.Busy,
    "I/O error": _errors.IoError,
    "unable to open": _errors.IoError,
    "is malformed": _errors.Corrupt,
    "not a database": _errors.Corrupt,
    "is full": _errors.Full,
}


def _error_of(
    path: pathlib.Path, error: Exception, otherwise: type[_errors.Error]
) -> _errors.Error:
    for words, kind in _SAID.items():
        if words in str(error):
            return kind(f"{path}: {error}")
    return otherwise(f"{path}: {error}")


def _uri_of(path: pathlib.Path) -> str:
    """Where a log cannot be made beside it, a file that has none is taken as
    one that does not change."""
    uri = f"file:{quote(str(path.resolve()))}?mode=ro"
    folder = path.resolve().parent
    wal = path.with_name(path.name + "-wal")
    if not os.access(folder, os.W_OK) and not wal.exists():
        uri += "&immutable=1"
    return uri


def _connect(path: pathlib.Path, uri: str) -> sqlite3.Connection:
    if not path.exists():
        raise _errors.NotFound(f"{path}: no such file")
    try:
        connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        if "not a database" in str(error):
            raise _errors.Corrupt(f"{path}: is no database of coppice") from error
        if "malformed database schema" in str(error):
            raise _errors.Unavailable(
                f"{path}: Python's SQLite {sqlite3.sqlite_version} is too old",
                "it must be 3.38 or later",
            ) from error
        raise _error_of(path, error, _errors.IoError) from error
    if application != APPLICATION_ID:
        connection.close()
        raise _errors.Corrupt(f"{path}: is no database of coppice")
    if version > FORMAT:
        connection.close()
        raise _errors.NewerFormat(
            f"{path}: has format {version}, this version reads {FORMAT}",
            "pip install --upgrade coppice-kernels",
        )
    _add_functions(connection)
    return connection


def _add_functions(connection: sqlite3.Connection) -> None:
    """Those of views that some builds of SQLite leave out."""
    import math

    try:
        connection.execute("SELECT ln(1), exp(1), pow(1, 1), sqrt(1)")
    except sqlite3.OperationalError:
        for name, arguments, function in (
            ("ln", 1, math.log),
            ("exp", 1, math.exp),
            ("sqrt", 1, math.sqrt),
            ("pow", 2, math.pow),
        ):
            connection.create_function(name, arguments, _or_null(function))


def _or_null(function: Any) -> Any:
    def called(*values: float | None) -> float | None:
        try:
            return cast("float", function(*values))
        except (TypeError, ValueError, OverflowError):
            return None

    return called


def _by_column(cursor: sqlite3.Cursor, width: int) -> list[list[Any]]:
    columns: list[list[Any]] = [[] for _ in range(width)]
    while rows := cursor.fetchmany(256):
        for column, values in zip(columns, zip(*rows, strict=True), strict=True):
            column.extend(values)
    return columns


@functools.cache
def _known_types() -> dict[str, Type]:
    """By column, of all views."""
    return {c.name: c.type for view in VIEWS for c in _columns_of(view)}


def _settle_type(values: list[Any], name: str) -> Type:
    """One type for all of them, which are changed to it."""
    types: set[Any] = {type(value) for value in values if value is not None}
    known = _known_types().get(name, "TEXT")
    if not types:
        return known
    if types <= {int} and known != "REAL":
        return "INTEGER"
    if types <= {str}:
        return "TEXT"
    are_numbers = types <= {int, float}
    kind = float if are_numbers else _as_text
    if types != {kind}:
        values[:] = [None if value is None else kind(value) for value in values]
    return "REAL" if are_numbers else "TEXT"


def _as_text(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)
