"""Dataclasses of JSON, and JSON of them, by their fields' types.

Objects may have more members than a class has fields: those of a later version.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, TypeVar, cast

from . import _errors

T = TypeVar("T")
R = TypeVar("R")


class Request(Generic[R]):
    """What may be asked of the service: a dataclass of its arguments."""

    __slots__ = ()
    operation: ClassVar[str]
    result: ClassVar[type[Any]]  # R.


def encode(value: Any) -> Any:
    """None is left out of objects: it is how an argument is not given."""
    if dataclasses.is_dataclass(value):
        return {
            field.name: encode(inner)
            for field in dataclasses.fields(value)
            if (inner := getattr(value, field.name)) is not None
        }
    if isinstance(value, (list, tuple)):
        return [encode(one) for one in value]
    return value


def decode(kind: type[T], raw: Mapping[str, Any]) -> T:
    """Raises Corrupt where `raw` lacks what a `kind` must have."""
    given: dict[str, Any] = {}
    for name, convert, must in _fields(cast("Any", kind)):
        if name in raw:
            given[name] = convert(raw[name])
        elif must:
            raise _errors.Corrupt(f"{kind.__name__}: there is no {name}")
    return kind(**given)


Convert = Callable[[Any], Any]


@functools.cache
def _fields(kind: Any) -> tuple[tuple[str, Convert, bool], ...]:
    hints = typing.get_type_hints(kind)
    return tuple(
        (
            field.name,
            _converter(hints[field.name]),
            field.default is field.default_factory is dataclasses.MISSING,
        )
        for field in dataclasses.fields(kind)
    )


def _converter(hint: Any) -> Convert:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):  # `X | None` is all there is.
        convert = _converter(inner[0])
        return lambda raw: None if raw is None else convert(raw)
    if origin is tuple:
        convert = _converter(inner[0])
        return lambda raw: tuple(convert(one) for one in raw)
    if dataclasses.is_dataclass(hint):
        return functools.partial(decode, cast("type[Any]", hint))
    return float if hint is float else lambda raw: raw
