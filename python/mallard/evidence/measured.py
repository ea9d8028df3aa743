"""Rows become evidence: one for each repetition, under one setting.

A setting is every parameter that does not say which cell of a table a row belongs to. What a place of
`Evidence` names itself (buffer of utilization and contention, upstream of fragmentation) is a setting too
when tables are made, and is none when claims are judged, which may need both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from mallard.evidence.evidence import AnyPlace, Evidence
from mallard.result import Row

Setting = tuple[tuple[str, object], ...]
Repetition = tuple[int, int]  # run, number

IN_TABLE = {
    "density": {"ds", "size_log2", "inner_log2"},
    "locality": {"links", "list_length", "shuffle_factors", "access_factors"},
    "utilization": {"total_log2", "active_log2", "block_log2"},
    "contention": {"threads", "iterations_log2", "block_log2"},
    "fragmentation": {"ds", "size_log2", "inner_log2", "freed"},
}
IN_PLACE = {"utilization": {"buffer"}, "contention": {"buffer"}, "fragmentation": {"upstream"}}
ACCESS_FIGURE = re.compile(r"sf(\d+)_af(\d+)_ns")


@dataclass(frozen=True)
class Measured:
    """The rows of one experiment under one setting."""

    experiment: str
    setting: Setting
    repetitions: dict[Repetition, Evidence] = field(default_factory=dict)
    failures: dict[AnyPlace, str] = field(default_factory=dict)  # of a cell: the status of its last failure
    runs: set[int] = field(default_factory=set)

    @property
    def finished(self) -> bool:
        return bool(self.repetitions)


def by_setting(rows: Iterable[Row], *, joined: bool = False) -> list[Measured]:
    """One for each experiment and setting; `joined` puts those together that differ in `IN_PLACE` only."""
    found: dict[tuple[str, Setting], Measured] = {}
    for row in rows:
        if row.experiment not in IN_TABLE:
            continue
        apart = IN_TABLE[row.experiment] | (IN_PLACE.get(row.experiment, set()) if joined else set())
        setting: Setting = tuple(sorted((k, v) for k, v in row.parameters.items() if k not in apart))
        measured = found.setdefault((row.experiment, setting), Measured(row.experiment, setting))
        _add(measured, row)
    return list(found.values())


def _add(measured: Measured, row: Row) -> None:
    measured.runs.add(row.run_id)
    if not row.ok:
        measured.failures[place_of(row)] = row.status
        return
    evidence = measured.repetitions.setdefault((row.run_id, row.repetition), Evidence())
    if row.experiment == "locality":
        links, length = int(row.parameters["links"]), int(row.parameters["list_length"])
        for name, nanoseconds in row.figures.items():
            factors = ACCESS_FIGURE.fullmatch(name)
            if factors:
                place = (links, length, int(factors[1]), int(factors[2]), row.strategy)
                evidence.locality[place] = nanoseconds
        return
    times: dict[AnyPlace, float] = getattr(evidence, row.experiment)
    times[place_of(row)] = row.ns_per_operation


def place_of(row: Row) -> AnyPlace:
    """Where the time of a row stands in `Evidence`; of locality, which has many a row, without factors."""
    values = row.parameters
    names = {
        "density": ("ds", "size_log2"),
        "locality": ("links", "list_length"),
        "utilization": ("buffer", "total_log2", "active_log2", "block_log2"),
        "contention": ("buffer", "iterations_log2", "block_log2", "threads"),
        "fragmentation": ("upstream", "ds", "size_log2", "freed"),
    }[row.experiment]
    return (*(values[name] for name in names), row.strategy)
