"""Checks the values in a database, so that a damaged value is reported where it is read.

SQLite stores any value in any column, whatever the type in the schema.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

from mallard.bench import described
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.axis import COUNT, COUNTS, FOLLOWS, PLACE, RANGE, Axis
from mallard.bench.result import RowError
from mallard.shared.errors import StoreError

MOST = 2**63 - 1
MOST_LOG2 = 62
SHOWN = 60  # letters of a wrong value

Kind = tuple[Callable[[Any], bool], str]  # the check, and the allowed values


def damaged_error(path: Path, table: str, identity: object, error: RowError) -> StoreError:
    remedy = (
        "put the file aside"
        if table == "run"
        else f"remove the row (sqlite3 FILE 'DELETE FROM {table} WHERE id = {identity}')"
    )
    return StoreError(
        f"the database {path} is damaged: table {table}, row {identity}: {error}; {remedy}, or give another "
        "file: --db FILE"
    )


def check_columns(values: Mapping[str, Any], kinds: Mapping[str, Kind]) -> None:
    """Raises a RowError that names the column."""
    for name, (allows, allowed) in kinds.items():
        if not allows(values[name]):
            raise RowError(f"'{name}' is {shown(values[name])}; {allowed} is needed")


def read_json(name: str, text: Any) -> Any:
    """Raises a RowError that names the column."""
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise RowError(f"'{name}' is {shown(text)}; a JSON text is needed") from None


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def is_time(value: Any) -> bool:
    try:
        return datetime.fromisoformat(value).year > 0
    except (TypeError, ValueError):
        return False


def is_facts(value: Any) -> bool:
    """An object of JSON without numbers that JSON does not have, which pages of the report could not show."""
    return isinstance(value, dict) and _is_finite(value)


def _is_finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or isfinite(value)


def _or_none(kind: Kind) -> Kind:
    return (lambda value: value is None or kind[0](value)), f"{kind[1]}, or nothing,"


TEXT: Kind = (is_text, "a text")
NUMBER: Kind = (is_number, "a number")
COUNT_: Kind = (is_count, "a whole number of at least 0")
TIME: Kind = (is_time, "a time of ISO 8601")
FACTS: Kind = (is_facts, "an object of JSON")
EXPERIMENT: Kind = (EXPERIMENTS.__contains__, f"one of {', '.join(EXPERIMENTS)}")

RUN: Mapping[str, Kind] = {
    "id": COUNT_,
    "started": TIME,
    "finished": _or_none(TIME),
    "experiment": EXPERIMENT,
    "command": TEXT,
    "scale": TEXT,
    "seed": COUNT_,
    "repetitions": COUNT_,
    "identity": TEXT,
    "options": FACTS,
    "machine": FACTS,
    "runner": FACTS,
    "commit": TEXT,
    "load_start": _or_none(NUMBER),
    "load_end": _or_none(NUMBER),
}
NOTE: Mapping[str, Kind] = {"kind": TEXT, "text": TEXT, "at": TIME}


def check_parameters(experiment: str, parameters: Mapping[str, Any]) -> None:
    """Raises a RowError that names the parameter, or an unknown experiment. Unknown parameters pass."""
    check_columns({"experiment": experiment}, {"experiment": EXPERIMENT})
    known = EXPERIMENTS[experiment]
    for name in (*known.places, *known.apart):
        axis = known.axis(name)
        if name not in parameters and axis is not None and axis.takes and not axis.within:
            raise RowError(f"'parameters' lacks '{name}'")
    for name, value in parameters.items():
        allows, allowed = _parameter_kind(experiment, name)
        if not allows(value):
            raise RowError(f"'parameters' has {name} = {shown(value)}; {allowed} is needed")


@cache
def _parameter_kind(experiment: str, name: str) -> Kind:
    axis = EXPERIMENTS[experiment].axis(name)
    if axis is None:
        return (lambda value: is_text(value) or is_number(value)), "a text or a number"
    if axis.words:
        return (lambda value: value in axis.words), f"one of {', '.join(axis.words)}"
    return _number_kind(experiment, axis)


def _number_kind(experiment: str, axis: Axis) -> Kind:
    if axis.name.endswith("_log2"):
        return (lambda value: is_count(value) and value <= MOST_LOG2), f"a whole number from 0 to {MOST_LOG2}"
    if axis.takes == COUNTS and axis.role == FOLLOWS:
        return _is_list, "a list of whole numbers"
    is_place = axis.role == PLACE and axis.takes in (COUNT, COUNTS, RANGE)
    limits = described.EXPERIMENTS[experiment].get(axis.name, [1])
    least = 1 if is_place and limits[0] != 0 else 0
    return (lambda value: is_count(value) and value >= least), f"a whole number of at least {least}"


def _is_list(value: Any) -> bool:
    return is_text(value) and all(part.isdecimal() for part in value.split(","))
