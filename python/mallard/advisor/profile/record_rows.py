"""Makes a record of a row: each field is of the column with its name, or with the name of the record around
it in front (`contained.bytes` is `contained_bytes`). A record without a value in any of its columns is None.
A field has its default if there is no such column: a dimension has the figures of its letter.

Names are escaped, because a database may come from elsewhere. A name that is a keyword of Python ends in an
underscore.
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, Union

from mallard.advisor.profile.database import WrongRowError, finite
from mallard.shared.prose import printable_name

T = TypeVar("T")
Row = Mapping[str, Any]
Reader = Callable[[Row], Any]


def record(kind: Callable[..., T], row: Row, prefix: str = "", **given: Any) -> T:
    """`given` has the fields that are not of columns. Raises a WrongRowError."""
    return _made(kind, {name: read(row) for name, read in _readers(kind, prefix, frozenset(given))} | given)


def _made(kind: Callable[..., T], values: dict[str, Any]) -> T:
    for name in _needed(kind):
        if values.get(name, ...) is None:
            raise WrongRowError(f"'{name}' of {getattr(kind, '__name__', kind)} is null")
    return kind(**values)


@cache
def _needed(kind: Any) -> tuple[str, ...]:
    """The fields that are never None."""
    hints = typing.get_type_hints(kind)
    return tuple(
        field.name
        for field in dataclasses.fields(kind)
        if typing.get_origin(hints[field.name]) not in (Union, types.UnionType)
    )


@cache
def _readers(kind: Any, prefix: str, given: frozenset[str]) -> tuple[tuple[str, Reader], ...]:
    """The fields that are in columns, each with its reader."""
    hints = typing.get_type_hints(kind)
    return tuple(
        (field.name, _reader(hints[field.name], prefix + field.name.rstrip("_"), field.default))
        for field in dataclasses.fields(kind)
        if field.name not in given and not _has_rows(hints[field.name])
    )


def _has_rows(kind: Any) -> bool:
    """True for a tuple of records or of numbers, which are rows of another table."""
    return typing.get_origin(kind) is tuple and kind != tuple[float, float]


def _reader(kind: Any, column: str, default: Any) -> Reader:
    optional = typing.get_origin(kind) in (Union, types.UnionType)
    if optional:
        (kind,) = (candidate for candidate in typing.get_args(kind) if candidate is not types.NoneType)
    if dataclasses.is_dataclass(kind):
        return _nested(kind, f"{column}_", optional)
    if kind == tuple[float, float]:
        prefix = column.removesuffix("interval")
        return lambda row: _interval(row.get(f"{prefix}low"), row.get(f"{prefix}high"))
    convert = CONVERSIONS[kind]

    def read(row: Row) -> Any:
        value = row[column] if default is dataclasses.MISSING else row.get(column, default)
        return None if value is None else convert(value)

    return read


def _nested(kind: Any, prefix: str, optional: bool) -> Reader:
    def read(row: Row) -> Any:
        values = {name: reader(row) for name, reader in _readers(kind, prefix, frozenset())}
        return None if optional and all(value is None for value in values.values()) else _made(kind, values)

    return read


def _interval(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (finite(low), finite(high))


def _words(text: str) -> tuple[str, ...]:
    try:
        words = json.loads(text)
    except (ValueError, RecursionError):
        words = None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise WrongRowError("a command is no list of words")
    return tuple(map(printable_name, words))


CONVERSIONS: dict[Any, Callable[[Any], Any]] = {
    str: printable_name,
    float: finite,
    int: int,
    bool: bool,
    tuple[str, ...]: _words,
}
