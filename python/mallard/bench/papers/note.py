"""A remark that a reader needs to compare a printed table with a measured one, and the tables that it
concerns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mallard.bench.papers.printed import PrintedTable

Concerns = Callable[[PrintedTable], bool]

P0089_PROGRAM = "bloomberg/bde-allocator-benchmarks, the program of P0089"
P0213_PROGRAM = "gbleaney/Allocator-Benchmarks, the program of P0213"


@dataclass(frozen=True)
class Note:
    kind: str  # "error" of the paper, "departure" of its program, or "reading": a hint for the comparison
    text: str
    source: str
    concerns: Concerns


def named(*names: str) -> Concerns:
    return lambda table: table.name in names


def experiment(name: str, data_paper: str | None = None) -> Concerns:
    return lambda table: table.experiment == name and data_paper in (None, table.data_paper)
