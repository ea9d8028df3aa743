"""Makes records of JSON: dataclasses, whose fields have the names of the JSON's, and are texts, numbers,
truths or records.

Texts are escaped, because they may come from a recorded program and its files: they must not control a
terminal or break a page. A field that JSON lacks gets its default. Without a default, or with a value of
another type, the document is refused with the place of the fault. JSON may have additional fields.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from typing import Any, TypeVar, Union

from mallard.shared.prose import printable_name

T = TypeVar("T")


class WrongDocumentError(Exception):
    """The text says which field, and what is wrong with it."""


def decode(kind: type[T], value: Any, place: str = "the document") -> T:
    """Raises a WrongDocumentError."""
    if not isinstance(value, dict):
        raise WrongDocumentError(f"{place} is {_shown(value)}, which is not an object")
    arguments = {}
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        if field.name in value:
            arguments[field.name] = _field(hints[field.name], value[field.name], f"{place}.{field.name}")
        elif field.default is dataclasses.MISSING:
            raise WrongDocumentError(f"{place} has no field '{field.name}'")
    return kind(**arguments)


def _field(kind: Any, value: Any, place: str) -> Any:
    if typing.get_origin(kind) in (Union, types.UnionType):
        if value is None:
            return None
        (kind,) = (candidate for candidate in typing.get_args(kind) if candidate is not types.NoneType)
    if dataclasses.is_dataclass(kind):
        return decode(kind, value, place)  # type: ignore[arg-type]
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


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
