"""Columns out through the Arrow C stream interface, without pyarrow.

https://arrow.apache.org/docs/format/CStreamInterface.html and
CDataInterface/PyCapsuleInterface.html have the rules.  A table is one batch.
What a structure points to is kept in `_alive` until its consumer releases it,
which it may do on any thread.
"""

from __future__ import annotations

import ctypes
import itertools
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple


class Field(NamedTuple):
    name: str
    type: str  # INTEGER, REAL or TEXT.
    values: Sequence[Any]


_FORMATS = {"INTEGER": b"l", "REAL": b"g", "TEXT": b"U"}


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_Fill = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_LastError = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)

_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    ("get_schema", _Fill),
    ("get_next", _Fill),
    ("get_last_error", _LastError),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]

_NULLABLE = 2
_EINVAL = 22
_alive: dict[int, Any] = {}
_keys = itertools.count(1)


def _keep(things: Any) -> int:
    key = next(_keys)
    _alive[key] = things
    return key


def _releaser(structure: type[_Schema] | type[_Array]) -> Any:
    def release(address: int) -> None:
        of = structure.from_address(address)
        for i in range(of.n_children):
            child = of.children[i].contents
            if child.release:
                _Release(child.release)(ctypes.addressof(child))
        of.release = None
        _alive.pop(of.private_data, None)

    return _Release(release)


_release_schema = _releaser(_Schema)
_release_array = _releaser(_Array)


def _address(function: Any) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


def _fill_schema(
    out: _Schema, code: bytes, name: bytes, children: list[_Schema]
) -> None:
    pointers = (ctypes.POINTER(_Schema) * max(len(children), 1))(
        *[ctypes.pointer(child) for child in children]
    )
    out.format = code
    out.name = name
    out.metadata = None
    out.dictionary = None
    out.flags = _NULLABLE
    out.n_children = len(children)
    out.children = ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(_Schema)))
    out.release = _address(_release_schema)
    out.private_data = _keep((code, name, children, pointers))


def _fill_array(
    out: _Array,
    length: int,
    nulls: int,
    buffers: list[bytes | None],
    children: list[_Array],
) -> None:
    addresses = (ctypes.c_void_p * len(buffers))()
    kept: list[Any] = []
    for i, buffer in enumerate(buffers):
        if buffer is not None:  # The address is that of its bytes themselves.
            held = ctypes.c_char_p(buffer)
            addresses[i] = ctypes.cast(held, ctypes.c_void_p).value
            kept.append(held)
    pointers = (ctypes.POINTER(_Array) * max(len(children), 1))(
        *[ctypes.pointer(child) for child in children]
    )
    out.dictionary = None
    out.length = length
    out.null_count = nulls
    out.offset = 0
    out.n_buffers = len(buffers)
    out.buffers = ctypes.cast(addresses, ctypes.POINTER(ctypes.c_void_p))
    out.n_children = len(children)
    out.children = ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(_Array)))
    out.release = _address(_release_array)
    out.private_data = _keep((kept, addresses, children, pointers))


def _validity(values: Sequence[Any], nulls: int) -> bytes | None:
    """A bit each, from the lowest of the first byte on: 1 is a value."""
    if nulls == 0:
        return None
    bits = "".join(["0" if value is None else "1" for value in values])
    return int(bits[::-1], 2).to_bytes((len(bits) + 7) // 8 + 8, "little")


def _packed(code: str, values: Sequence[Any]) -> bytes:
    return struct.pack(f"{len(values)}{code}", *values)


def _column(field: Field) -> _Array:
    values = field.values
    nulls = values.count(None)
    valid = _validity(values, nulls)
    if nulls:
        nothing: Any = "" if field.type == "TEXT" else 0
        values = [nothing if value is None else value for value in values]
    buffers: list[bytes | None]
    if field.type == "TEXT":
        texts: Sequence[Any] = values
        joined = "".join(values).encode()
        if len(joined) != sum(map(len, texts)):  # Not all are ASCII.
            texts = [value.encode() for value in values]
        offsets = itertools.accumulate(map(len, texts), initial=0)
        buffers = [valid, _packed("q", list(offsets)), joined]
    else:
        code = "q" if field.type == "INTEGER" else "d"
        buffers = [valid, _packed(code, values)]
    out = _Array()
    _fill_array(out, len(field.values), nulls, buffers, [])
    return out


def _get_schema(stream: int, out: int) -> int:
    fields: list[Field] = _alive[_Stream.from_address(stream).private_data][0]
    children: list[_Schema] = []
    for field in fields:
        child = _Schema()
        _fill_schema(child, _FORMATS[field.type], field.name.encode(), [])
        children.append(child)
    _fill_schema(_Schema.from_address(out), b"+s", b"", children)
    return 0


def _get_next(stream: int, out: int) -> int:
    state = _alive[_Stream.from_address(stream).private_data]
    fields: list[Field] = state[0]
    if state[1]:
        _Array.from_address(out).release = None  # The end.
        return 0
    state[1] = True
    try:
        children = [_column(field) for field in fields]
    except Exception as error:
        state[2] = ctypes.create_string_buffer(str(error).encode())
        return _EINVAL
    length = len(fields[0].values) if fields else 0
    _fill_array(_Array.from_address(out), length, 0, [None], children)
    return 0


def _get_last_error(stream: int) -> int | None:
    said = _alive[_Stream.from_address(stream).private_data][2]
    return None if said is None else ctypes.addressof(said)


def _release(address: int) -> None:
    stream = _Stream.from_address(address)
    stream.release = None
    _alive.pop(stream.private_data, None)


_schema_callback = _Fill(_get_schema)
_next_callback = _Fill(_get_next)
_error_callback = _LastError(_get_last_error)
_release_callback = _Release(_release)

_NAME = b"arrow_array_stream"
_new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", ctypes.pythonapi))
_streams: dict[int, _Stream] = {}  # By the address of their capsule.


def _drop_capsule(capsule: int) -> None:
    stream = _streams.pop(capsule, None)
    if stream is not None and stream.release:
        _release(ctypes.addressof(stream))


_capsule_callback = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_drop_capsule)


def stream(fields: list[Field]) -> object:
    """A capsule for `__arrow_c_stream__`."""
    out = _Stream()
    out.get_schema = _schema_callback
    out.get_next = _next_callback
    out.get_last_error = _error_callback
    out.release = _address(_release_callback)
    out.private_data = _keep([fields, False, None])
    capsule = _new_capsule(ctypes.addressof(out), _NAME, _address(_capsule_callback))
    _streams[id(capsule)] = out
    return capsule
