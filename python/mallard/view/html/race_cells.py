"""The cells of a race of strategies against new-delete, as spans of kinds: p percent of new-delete, i its
interval, n nanoseconds an operation, f page faults, m memory, c beside P0213, d beside P0089.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mallard.analysis.cells import Cell
from mallard.analysis.names import BASE, FLOOR
from mallard.evidence.beside import Beside
from mallard.view.html.figures import interval, mebibytes, percent, step_beside, step_of, three_digits
from mallard.view.html.heat_map import HeatMap, figure
from mallard.view.html.markup import Markup

NOTHING = "\u2013"


@dataclass(frozen=True)
class Wording:
    """What the figures of an experiment are of."""

    operation: str  # a leaf, a pair
    operations: str  # leaves, pairs
    what: str  # a leaf element, made and destroyed
    clock: str = "CPU"
    memory: str = "peak memory"
    memory_text: str = "Peak resident memory of the process"

    @property
    def terms(self) -> list[str]:
        """What `told` says of a cell, in the same order."""
        return [
            "of new-delete",
            f"ns {self.operation}",
            "here / P0213",
            "here / P0089",
            "page faults",
            self.memory,
            "in the kernel",
            "not every time",
        ]


@dataclass(frozen=True)
class Published:
    """The same cell in the papers, None where they have none."""

    p0213: Beside | None = None
    p0089: Beside | None = None


def race_cell(
    table: HeatMap,
    name: str,
    cell: Cell | None,
    published: Published,
    wording: Wording,
    memory: float,
    least: float,
    best: bool,
) -> Markup:
    """`memory` is this cell's, `least` the least of its row."""
    if cell is None:
        return table.empty()
    if not cell.finished:
        return table.broken(name, cell.status, cell.detail)
    ratio = cell.ratio
    colour = "plain" if ratio is None or name in (BASE, FLOOR) else step_of(ratio)
    spans = {
        "p": figure("p", colour, percent(ratio.median) if ratio else NOTHING),
        "i": figure("i", colour, interval(ratio) if ratio else NOTHING),
        "n": figure("n", colour, three_digits(cell.ns_per_operation)),
        "f": figure("f", f"z{_fault_step(cell.faults_per_1000)}", count(cell.faults_per_1000)),
        "m": figure("m", f"z{memory_step(memory, least)}", mebibytes(memory)),
        "c": _beside(published.p0213, "c", name),
        "d": _beside(published.p0089, "d", name),
    }
    told = _told(cell, name, published, wording, memory)
    return table.cell(name, [spans[kind] for kind in table.kinds if kind in spans], told, best)


def _told(cell: Cell, name: str, published: Published, wording: Wording, memory: float) -> Sequence[str]:
    ratio = cell.ratio
    low, high = cell.spread
    times = f"{len(cell.times)} repetition{'' if len(cell.times) == 1 else 's'}"
    between = f" ({interval(ratio)})" if ratio and ratio.bounded else ""
    major = f", {count(cell.major_faults)} major" if cell.major_faults else ""
    return [
        f"{percent(ratio.median)} %{between}" if ratio else "",
        f"{three_digits(cell.ns_per_operation)} ({three_digits(low)}\u2013{three_digits(high)}; {times})",
        _beside_text(published.p0213, name, wording),
        _beside_text(published.p0089, name, wording),
        f"{count(cell.faults_per_1000)} in 1000 {wording.operations}{major}",
        f"{mebibytes(memory)} MiB",
        "" if cell.system_share is None else f"{100 * cell.system_share:.0f} % of the time",
        cell.detail,
    ]


def _beside(beside: Beside | None, kind: str, name: str) -> Markup:
    if beside is None:
        return figure(kind, "none", "·")
    if beside.printed is None:
        return figure(kind, "none", "fail", "there")
    ours, theirs = beside.ours, percent(beside.printed)
    if name == BASE and beside.ours_ns is not None and beside.printed_ns is not None:
        return figure(kind, "plain", three_digits(beside.ours_ns), f"{three_digits(beside.printed_ns)} ns")
    ratio = beside.ratio_of_ratios
    if ratio is None or ours is None:
        return figure(kind, "none", NOTHING, f"{NOTHING} / {theirs}")
    return figure(kind, step_beside(ratio), _quotient(ratio), f"{percent(ours.median)} / {theirs}")


def _beside_text(beside: Beside | None, name: str, wording: Wording) -> str:
    if beside is None or beside.ours is None:
        return ""
    if beside.printed is None:
        return "failed there"
    if name == BASE and beside.ours_ns is not None and beside.printed_ns is not None:
        return f"{three_digits(beside.ours_ns)} / {three_digits(beside.printed_ns)} ns {wording.operation}"
    if beside.ratio_of_ratios is None:
        return ""
    both = f"{percent(beside.ours.median)} / {percent(beside.printed)} % of new-delete"
    return f"{both}: ratio {_quotient(beside.ratio_of_ratios)}"


def _quotient(value: float) -> str:
    return f"{value:.2f}" if value >= 0.095 else f"{value:.2g}"


def count(value: float) -> str:
    if 0 < value < 0.1:
        return "<0.1"
    return f"{value:.2g}" if value < 9.95 else three_digits(value)


def _fault_step(per_1000: float) -> int:
    return sum(per_1000 >= end for end in (0.1, 1.0, 10.0, 100.0))


def memory_step(peak: float, least: float) -> int:
    return sum(peak > least * factor for factor in (1.1, 1.5, 2.0, 4.0))
