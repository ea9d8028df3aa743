"""Makes records of JSON: dataclasses, whose fields have the names of the JSON's.

Texts are escaped, because they may come from a recorded program and its files: they must not control a
terminal or break a page. A field that JSON lacks gets its default. Without a default, or with a value of
another type, the document is refused with the place of the fault. JSON may have additional fields. A name
that is a keyword of Python ends in an underscore.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from functools import cache
from typing import Any, TypeVar, Union

from mallard.shared.prose import printable_name

T = TypeVar("T")


class WrongDocumentError(Exception):
    """The text says which field, and what is wrong with it."""


def decode(kind: type[T], value: Any, place: str = "the document") -> T:
    """Raises a WrongDocumentError."""
    result: T = _decoded(kind, value, place)
    return result


def _decoded(kind: Any, value: Any, place: str) -> Any:
    if kind is Any:
        return value
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Union, types.UnionType):
        return _optional(inside, value, place)
    if origin is tuple:
        return _tuple(inside, value, place)
    if dataclasses.is_dataclass(kind):
        return _instance(kind, value, place)
    if kind is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return _finite(value, place)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise WrongDocumentError(f"{place} is {_shown(value)}, which is not of type {kind.__name__}")
    return printable_name(value) if isinstance(value, str) else value


def _finite(value: float, place: str) -> float:
    """JSON has no NaN and no infinity, but Python reads them."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise WrongDocumentError(f"{place} is {_shown(value)}, which is not a finite number")
    return number


def _optional(kinds: tuple[Any, ...], value: Any, place: str) -> Any:
    if value is None:
        return None
    (kind,) = (candidate for candidate in kinds if candidate is not types.NoneType)
    return _decoded(kind, value, place)


def _tuple(kinds: tuple[Any, ...], value: Any, place: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise WrongDocumentError(f"{place} is {_shown(value)}, which is not a list")
    if kinds[-1] is Ellipsis:
        return tuple(_decoded(kinds[0], item, f"{place}[{at}]") for at, item in enumerate(value))
    if len(value) != len(kinds):
        raise WrongDocumentError(f"{place} has {len(value)} values; it must have {len(kinds)}")
    return tuple(_decoded(kind, item, place) for kind, item in zip(kinds, value, strict=True))


def _instance(kind: Any, value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        raise WrongDocumentError(f"{place} is {_shown(value)}, which is not an object")
    arguments = {}
    for name, key, field_kind, needed in _fields(kind):
        if key in value:
            arguments[name] = _decoded(field_kind, value[key], f"{place}.{key}")
        elif needed:
            raise WrongDocumentError(f"{place} has no field '{key}'")
    return kind(**arguments)


@cache
def _fields(kind: Any) -> tuple[tuple[str, str, Any, bool], ...]:
    hints = typing.get_type_hints(kind)
    missing = dataclasses.MISSING
    return tuple(
        (field.name, field.name.rstrip("_"), hints[field.name], field.default is missing)
        for field in dataclasses.fields(kind)
    )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
