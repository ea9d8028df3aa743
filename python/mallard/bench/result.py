"""The result row: the measurements of one repetition of one cell (format 1; bench/results/README.md has
the fields)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from math import isfinite
from typing import Any

from mallard.bench.experiments import absent_values, clock_field, follows
from mallard.bench.strategy_names import current

FORMAT = 1

OK = "ok"
OUT_OF_MEMORY = "out_of_memory"
CRASHED = "crashed"
TIMED_OUT = "timed_out"
FAILED = "failed"
STATUSES = (OK, OUT_OF_MEMORY, CRASHED, TIMED_OUT, FAILED)

Parameters = dict[str, Any]
Figures = dict[str, float]


class RowError(ValueError):
    """A row that is not of format 1. The text names the field."""


@dataclass(frozen=True)
class Row:
    run_id: int
    experiment: str
    parameters: Parameters
    strategy: str
    repetition: int
    seed: int
    status: str
    cpu_ns: int = 0
    wall_ns: int = 0
    user_ns: int = 0
    system_ns: int = 0
    operations: int = 0
    iterations: int = 0
    minor_faults: int = 0
    major_faults: int = 0
    peak_rss_bytes: int = 0
    checksum: str = ""  # empty if this repetition computed none
    allocations: int | None = None  # of one structure; None if they were not counted
    deallocations: int | None = None
    spills: int = 0
    pinned_cpu: int | None = None
    load1: float = 0.0
    notes: tuple[str, ...] = ()
    detail: str = ""
    figures: Figures = field(default_factory=dict)  # further quantities; the unit is in the name
    malloc: str = ""  # the process's malloc; empty if the runner did not report it

    def __post_init__(self) -> None:
        """Replaces a paper's number of the strategy by its name, and adds parameters that came later."""
        object.__setattr__(self, "strategy", current(self.strategy))
        if missing := absent_values(self.experiment):
            object.__setattr__(self, "parameters", {**missing, **self.parameters})

    @property
    def ok(self) -> bool:
        return self.status == OK

    @property
    def ns_per_operation(self) -> float:
        """The time of one operation, on the clock of the experiment."""
        if not self.ok:
            raise ValueError(f"{self.strategy} has no time: {self.status}")
        return self._time_ns / self.operations

    @property
    def _time_ns(self) -> int:
        return int(getattr(self, clock_field(self.experiment)))

    @property
    def requested(self) -> Parameters:
        """The requested parameters, without those that the runner chooses and reports only if it finishes."""
        chosen = follows(self.experiment)
        return {name: value for name, value in self.parameters.items() if name not in chosen}

    @classmethod
    def from_native(cls, run_id: int, native: Mapping[str, Any]) -> Row:
        """Checks a result row of the runner. A missing field, or one of a wrong type, is a RowError."""
        row_format = native.get("format", FORMAT)
        if row_format != FORMAT:
            raise RowError(f"format {row_format!r}; this mallard reads format {FORMAT}")
        values: dict[str, Any] = {"run_id": run_id}
        for name in (column.name for column in fields(cls)):
            if name == "run_id":
                continue
            if name not in native:
                if name in REQUIRED:
                    raise RowError(f"the field '{name}' is missing")
                continue
            values[name] = _checked(name, native[name])
        unknown = sorted(set(native) - {column.name for column in fields(cls)} - {"format"})
        if unknown:
            raise RowError(f"unknown field '{unknown[0]}'")
        row = cls(**values)
        if row.status not in STATUSES:
            raise RowError(f"'status' is '{row.status}'; allowed are {', '.join(STATUSES)}")
        if row.ok and row.operations <= 0:
            raise RowError(f"'operations' is {row.operations}; at least 1 is needed with status {OK}")
        if row.ok and row._time_ns <= 0:
            name = clock_field(row.experiment)
            raise RowError(f"'{name}' is {row._time_ns}; at least 1 is needed with status {OK}")
        return row

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "notes": list(self.notes)}


REQUIRED = ("experiment", "parameters", "strategy", "repetition", "seed", "status")
ABSENT_IS_NONE = ("allocations", "deallocations", "pinned_cpu")
TEXTS = ("experiment", "strategy", "status", "checksum", "detail", "malloc")


def canonical(parameters: Mapping[str, Any]) -> str:
    """Parameters as JSON with sorted keys, so that equal parameters give equal text."""
    return json.dumps(parameters, sort_keys=True, separators=(",", ":"))


def _checked(name: str, value: Any) -> Any:
    if name in TEXTS:
        if isinstance(value, str):
            return value
        raise RowError(f"'{name}' is {value!r}; a text is needed")
    if name == "parameters":
        if isinstance(value, Mapping):
            return dict(value)
        raise RowError(f"'{name}' is {value!r}; an object is needed")
    if name == "notes":
        if isinstance(value, (list, tuple)) and all(isinstance(note, str) for note in value):
            return tuple(value)
        raise RowError(f"'{name}' is {value!r}; a list of texts is needed")
    if name == "figures":
        if isinstance(value, Mapping) and all(_is_number(figure) for figure in value.values()):
            return {str(figure): float(number) for figure, number in value.items()}
        raise RowError(f"'{name}' is {value!r}; an object of numbers is needed")
    if name == "load1":
        if _is_number(value):
            return float(value)
        raise RowError(f"'{name}' is {value!r}; a number is needed")
    if name in ABSENT_IS_NONE and value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise RowError(f"'{name}' is {value!r}; a whole number of at least 0 is needed")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
