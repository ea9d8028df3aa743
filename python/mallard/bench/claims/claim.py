"""A claim: a figure in the prose of a document, as printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from mallard.bench.papers.files import read_csv

DOCUMENTS = {
    "P0089R1": ("p0089", "P0089R1, On Quantifying Memory-Allocation Strategies"),
    "P0213R0": ("p0213", "P0213R0, Validation of Memory-Allocation Benchmarks"),
    "Loki_SOA_blog": ("loki", "Small object allocation (Loki), 2012"),
    "allocplus_v0.1": ("allocplus", "Classic allocation strategies and C++ containers (allocplus)"),
    "Optimized_C++_ch13": ("optimized", "Optimized C++ (2016), chapter 13"),
    "mallard": ("mallard", "Findings of this project"),
}
PAPERS = tuple(short for short, _ in DOCUMENTS.values())

UNITS = {"percent": " %", "x": " x", "seconds": " s", "ratio": ""}
# Units that are differences of two times in percent. A quarter of a small difference means nothing.
DIFFERENCES = frozenset({"overhead_percent", "reduction_percent", "deviation_percent"})


@dataclass(frozen=True)
class Claim:
    """`low` and `high` are as printed. A bound has one of them; in a single figure both are equal."""

    number: str
    source: str
    section: str
    text: str
    metric: str
    low: float | None
    high: float | None
    unit: str
    rounding: float  # half a unit in the last printed place
    note: str = ""

    @property
    def paper(self) -> str:
        return DOCUMENTS[self.source][0]

    @property
    def document(self) -> str:
        return DOCUMENTS[self.source][1]

    @property
    def key(self) -> tuple[str, str, str]:
        return self.source, self.section, self.text

    @property
    def is_difference(self) -> bool:
        return self.metric in DIFFERENCES

    def with_unit(self, figure: float) -> str:
        if self.unit == "log2":
            return f"2^{figure:g}"
        return f"{figure_text(figure)}{UNITS.get(self.unit, f' {self.unit}' if self.unit else '')}"


@cache
def claims() -> tuple[Claim, ...]:
    """Every figure in the prose of the five documents, in order."""
    return tuple(_claim(number, row) for number, row in enumerate(read_csv("claims.csv"), 1))


def _claim(number: int, row: Mapping[str, str]) -> Claim:
    printed = [text for text in (row["value_low"], row["value_high"]) if text]
    decimals = max(len(text.partition(".")[2]) for text in printed)
    return Claim(
        number=str(number),
        source=row["source"],
        section=row["section"],
        text=row["claim"],
        metric=row["metric"],
        low=float(row["value_low"]) if row["value_low"] else None,
        high=float(row["value_high"]) if row["value_high"] else None,
        unit=row["unit"],
        rounding=0.5 * 10.0**-decimals,
        note=row["note"],
    )


def range_text(claim: Claim, low: float, high: float) -> str:
    """28 to 67 %; a single figure if both are equal."""
    if low == high:
        return claim.with_unit(low)
    first = f"2^{low:g}" if claim.unit == "log2" else figure_text(low)
    return f"{first} to {claim.with_unit(high)}"


def figure_text(value: float) -> str:
    """Three digits, without trailing zeros after the point."""
    if abs(value) >= 99.95:
        return f"{value:.0f}"
    decimals = 1 if abs(value) >= 9.995 else 2 if abs(value) >= 0.0995 else 4
    text = f"{value:.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
