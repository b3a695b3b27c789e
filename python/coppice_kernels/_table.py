"""Rows of a view or of a question, as columns with types."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Type = Literal["INTEGER", "REAL", "TEXT"]
Value = int | float | str | None


@dataclass(frozen=True, slots=True)
class Column:
    """What a column is; `unit` is "s", "USD", "B", ... or empty."""

    name: str
    type: Type
    unit: str = ""
    doc: str = ""


def _needed(package: str) -> Any:
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(
            f"{package} is not installed: pip install 'coppice-kernels[frames]'"
        ) from error


class Table:
    """Columns in memory.  Also an Arrow stream, so any library of frames that
    knows the PyCapsule protocol takes it as it is: `polars.DataFrame(table)`.
    """

    __slots__ = ("_arrow", "_values", "columns")

    def __init__(
        self,
        columns: Sequence[Column],
        values: list[list[Any]] | None = None,
        arrow: Any = None,
    ) -> None:
        """Takes `values`, a list for each column, or an Arrow table."""
        self.columns = tuple(columns)
        self._values = values
        self._arrow = arrow

    def _lists(self) -> list[list[Any]]:
        if self._values is None:
            self._values = [column.to_pylist() for column in self._arrow.columns]
        return self._values

    def __len__(self) -> int:
        if self._values is None:
            return int(self._arrow.num_rows)
        return len(self._values[0]) if self._values else 0

    def __getitem__(self, name: str) -> list[Any]:
        for i, column in enumerate(self.columns):
            if column.name == name:
                return self._lists()[i]
        raise KeyError(name)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = [column.name for column in self.columns]
        for row in zip(*self._lists(), strict=True):
            yield dict(zip(names, row, strict=True))

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.columns)
        return f"<Table of {len(self)} rows: {names}>"

    def _repr_html_(self) -> str:
        from . import _html

        return _html.table(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        if self._arrow is not None:
            return self._arrow.__arrow_c_stream__(requested_schema)
        from . import _arrow

        return _arrow.stream(
            [
                _arrow.Field(column.name, column.type, values)
                for column, values in zip(self.columns, self._lists(), strict=True)
            ]
        )

    def arrow(self) -> pyarrow.Table:
        if self._arrow is None:
            self._arrow = _needed("pyarrow").table(self)
        return cast("pyarrow.Table", self._arrow)

    def pl(self) -> polars.DataFrame:
        return cast("polars.DataFrame", _needed("polars").DataFrame(self))

    def df(self) -> pandas.DataFrame:
        """Integers are Int64, reals float64 with NaN for NULL, and texts
        pandas' strings, in every database alike."""
        made_by = _needed("pandas")
        if self._arrow is not None or "pyarrow" in sys.modules:
            frame = self.arrow().to_pandas(types_mapper=self._pandas_type)
            return cast("pandas.DataFrame", frame)
        made: dict[str, Any] = {}
        for column, values in zip(self.columns, self._lists(), strict=True):
            made[column.name] = made_by.array(values, dtype=_PANDAS[column.type])
        return cast("pandas.DataFrame", made_by.DataFrame(made))

    @staticmethod
    def _pandas_type(of: Any) -> Any:
        pandas = _needed("pandas")
        if str(of) == "int64":
            return pandas.Int64Dtype()
        if str(of) in ("string", "large_string"):
            return pandas.StringDtype()
        return None


# Fixed, so that a column has one type in every database.
_PANDAS = {"INTEGER": "Int64", "REAL": "float64", "TEXT": "string"}
