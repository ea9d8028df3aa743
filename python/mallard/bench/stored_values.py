"""Checks the values in a database that its schema cannot, so that errors name where they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def check_experiment(name: str) -> None:
    """Raises a RowError."""
    if name not in EXPERIMENTS:
        raise RowError(f"'experiment' is {shown(name)}; one of {', '.join(EXPERIMENTS)} is needed")


def check_parameters(experiment: str, parameters: Mapping[str, Any]) -> None:
    """Raises a RowError that names the parameter, or an unknown experiment. Unknown parameters pass."""
    check_experiment(experiment)
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
