"""A claim: a figure in the prose of a document, as printed, by the columns of claims.csv."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from mallard.bench.papers.files import read_csv
from mallard.bench.strategy_names import PAPERS as NUMBERED
from mallard.bench.strategy_names import mechanism_name

OWN = "mallard"  # predictions from the explanations of this project that the papers lack, not measurements
DOCUMENTS = {
    "P0089R1": ("p0089", "P0089R1, On Quantifying Memory-Allocation Strategies"),
    "P0213R0": ("p0213", "P0213R0, Validation of Memory-Allocation Benchmarks"),
    "Loki_SOA_blog": ("loki", "Small object allocation (Loki), 2012"),
    "allocplus_v0.1": ("allocplus", "Classic allocation strategies and C++ containers (allocplus)"),
    "Optimized_C++_ch13": ("optimized", "Optimized C++ (2016), chapter 13"),
    OWN: ("mallard", "Findings of this project"),
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
    rounding: float  # half a unit in the last printed place; 0 of a prediction of this project
    note: str = ""
    known_error: str = (
        ""  # the document's own tables contradict the claim; the tests hold it to exactly those
    )
    not_applicable: str = ""  # the reason why no figure of this machine decides it

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
def claim_rows() -> tuple[dict[str, str], ...]:
    return tuple(read_csv("claims.csv"))


@cache
def claims() -> tuple[Claim, ...]:
    """Every figure in the prose of the five documents, in order; then the findings of this project."""
    documented = [row for row in claim_rows() if row["source"] != OWN]
    findings = [row for row in claim_rows() if row["source"] == OWN]
    return (
        *(_claim(str(number), row) for number, row in enumerate(documented, 1)),
        *(_claim(f"M{number}", row) for number, row in enumerate(findings, 1)),
    )


def _claim(number: str, row: Mapping[str, str]) -> Claim:
    printed = [text for text in (row["value_low"], row["value_high"]) if text]
    decimals = max(len(text.partition(".")[2]) for text in printed)
    return Claim(
        number=number,
        source=row["source"],
        section=row["section"],
        text=row["claim"],
        metric=row["metric"],
        low=float(row["value_low"]) if row["value_low"] else None,
        high=float(row["value_high"]) if row["value_high"] else None,
        unit=row["unit"],
        rounding=0.0 if row["source"] == OWN else 0.5 * 10.0**-decimals,
        note="; ".join(filter(None, (row["note"], row["known_error"]))),
        known_error=row["known_error"],
        not_applicable=row["not_applicable"],
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


# A list of numbers or ranges, with the name behind it or the bracket that follows.
_LISTS = re.compile(r"(?P<listed>AS\d+(?:-AS\d+)?(?:;AS\d+)*)(?P<after> \(| multipool\b)?")
_OPENING = " ("


def with_names(text: str) -> str:
    """The printed text, with names in front of the numbers of strategies.

    AS5                     monotonic/base (AS5)
    AS3;AS7                 monotonic (AS3); multipool (AS7)
    multipool AS7-AS10      multipool (AS7-AS10)
    AS6 (virtual)           monotonic/base/wink (AS6, virtual)
    (Table 8 best AS4)      (Table 8 best monotonic/wink, AS4)
    """
    return _LISTS.sub(lambda match: _with_name(match, text[: match.start()]), text)


def _with_name(match: re.Match[str], preceding: str) -> str:
    numbers = match["listed"].split(";")
    suffix = match["after"] or ""
    if preceding.count("(") > preceding.count(")"):
        return f"{'; '.join(f'{_name(number)}, {number}' for number in numbers)}{suffix}"
    if len(numbers) == 1 and suffix:
        remark = ", " if suffix == _OPENING else ")"
        return f"{_name_prefix(numbers[0], preceding)}({numbers[0]}{remark}"
    return f"{'; '.join(f'{_name_prefix(number, preceding)}({number})' for number in numbers)}{suffix}"


def _name_prefix(numbers: str, preceding: str) -> str:
    """The name and a space; empty if the preceding text is the name, or if a range has several names."""
    name = _name(numbers)
    return f"{name} " if name and not preceding.endswith(f"{name} ") else ""


def _name(numbers: str) -> str:
    """The strategy of a number, the mechanism of a range; empty for a range of several mechanisms."""
    first, _, last = numbers.partition("-")
    order = list(NUMBERED)
    range_numbers = order[order.index(first) : order.index(last or first) + 1]
    mechanisms = {mechanism_name(NUMBERED[number]) for number in range_numbers}
    if not last:
        return NUMBERED[first]
    return mechanisms.pop() if len(mechanisms) == 1 else ""
