"""How servers age, and the model's prediction: tables of the rows of advisor/aged_servers/measure.py."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import log
from pathlib import Path
from statistics import median
from typing import Any

from figures import block, whole_table
from figures.stored import markdown_table
from mallard.bench.analysis.words import times_text
from mallard.shared.age import OLD
from mallard.shared.mallocs import OWN
from mallard.shared.stats import Ratio

STORED = Path(__file__).resolve().parents[2] / "bench/results" / "aged_servers.json"
NEAR = 1.3  # the factor within which a prediction is to be
ALIKE = 1.05  # a factor between two predictions
USED = "used"
NAMES = {"documents": "documents in Python", "redis": "Redis", "postgresql": "PostgreSQL"}


@dataclass(frozen=True)
class Row:
    data: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{NAMES[self.data['server']]}, {self.data['request']}"

    @property
    def milliseconds(self) -> list[float]:
        """Of each load."""
        return [1e3 * float(load["cpu_seconds"]) for load in self.data["loads"]]

    @property
    def young_ms(self) -> float:
        """The median load before the first churn, without the one that fills the caches."""
        return median(self.milliseconds[1 : 1 + self.data["compared"]])

    @property
    def first_ms(self) -> float:
        """After the first round of churn."""
        return self.milliseconds[-self.data["rounds"]]

    @property
    def last_ms(self) -> float:
        """The median of the last loads."""
        return median(self.milliseconds[-self.data["compared"] :])

    @property
    def observed(self) -> Ratio:
        return Ratio(**self.data["slower"])

    def predicted(self, age: str) -> Ratio:
        return Ratio(**next(row["slower"] for row in self.data["model"] if row["age"] == age))

    def of_observed(self, age: str) -> float:
        """The prediction as a multiple of what was observed."""
        return self.predicted(age).median / self.observed.median

    def is_near(self, age: str) -> bool:
        return 1 / NEAR <= self.of_observed(age) <= NEAR

    def nearness(self, age: str) -> str:
        """In bold if it is not near."""
        factor = f"{self.of_observed(age):.2f}"
        return factor if self.is_near(age) else f"**{factor}**"

    def error(self, age: str) -> float:
        return abs(log(self.of_observed(age)))

    @property
    def ages_differ(self) -> bool:
        """Beyond a few percent, which no load of a server resolves."""
        return abs(log(self.predicted(USED).median / self.predicted(OLD).median)) > log(ALIKE)


@cache
def rows() -> list[Row]:
    stored = [Row(row) for row in json.loads(STORED.read_text(encoding="utf-8"))["rows"]]
    order = [*NAMES]
    return sorted(
        stored,
        key=lambda row: (
            *(order.index(row.data["server"]), row.data["request"], row.data["churn"]),
            row.data["malloc"] != "glibc",
        ),
    )


@block("aged_servers")
def _table() -> str:
    heading = [
        *("server, request", "churn", "malloc", "young, ms", "after the churn"),
        *("`used`", "`old`", "`used` of observed", "`old` of observed"),
    ]
    lines = [
        [
            *(
                row.name,
                row.data["churn"],
                row.data["malloc"],
                f"{row.young_ms:.0f}",
                times_text(row.observed),
            ),
            *(f"{row.predicted(age).median:.2f}" for age in (USED, OLD)),
            *(row.nearness(age) for age in (USED, OLD)),
        ]
        for row in rows()
    ]
    return markdown_table(heading, lines)


@block("aged_servers_answer")
def answer(servers: Sequence[Row] | None = None) -> str:
    """What the rows say of the ages, of peaks and of mallocs."""
    servers = rows() if servers is None else servers
    count = len(servers)
    near = {age: sum(row.is_near(age) for row in servers) for age in (USED, OLD)}
    above = sum(row.of_observed(OLD) < 1 for row in servers)
    beyond = sum(row.observed.low > row.predicted(OLD).median for row in servers)
    apart = [row for row in servers if row.ages_differ]
    nearer = sum(row.error(USED) < row.error(OLD) for row in apart)
    more = f"{above} of these {count} aged more than `{OLD}` by the medians, {beyond} beyond the interval"
    of_ages = (
        f"{f'**`{OLD}` is not an upper end**: ' if above else ''}{more}. `{USED}` predicts "
        f"{near[USED]} of {count} within a factor of {NEAR}, `{OLD}` {near[OLD]}; where the two differ by "
        f"more than {100 * (ALIKE - 1):.0f} %, `{USED}` is nearer in {nearer} of {len(apart)}."
    )
    points = [of_ages, *_peaks(servers), *_mallocs(servers)]
    return "\n".join(f"- {point}" for point in points)


def _peaks(servers: Sequence[Row]) -> Iterator[str]:
    """The same requests with peaks and without."""
    for steady in servers:
        same = [row for row in servers if _key(row, "churn") == _key(steady, "churn") and row is not steady]
        if steady.data["churn"] == "steady" and same:
            (peaks,) = same
            word = "**Peaks make the age**: " if peaks.observed.low > steady.observed.high else ""
            yield f"{word}{peaks.name}, {_course(peaks)}; without peaks {_course(steady)}."


def _course(row: Row) -> str:
    return (
        f"{row.young_ms:.0f} ms before, {row.first_ms:.0f} after the first round, {row.last_ms:.0f} at the "
        "end"
    )


def _mallocs(servers: Sequence[Row]) -> Iterator[str]:
    """The same churn under another malloc."""
    texts = []
    for other in servers:
        same = [row for row in servers if _key(row, "malloc") == _key(other, "malloc")]
        glibc = next((row for row in same if row.data["malloc"] == OWN), None)
        if glibc and other.data["malloc"] != OWN:
            is_less = other.observed.high < glibc.observed.low
            unless = "" if is_less else ": not resolved"
            texts.append(f"{other.name}, under {other.data['malloc']}{unless}")
    if texts:
        yield f"**Another malloc may age less**: {'; '.join(texts)}."


def _key(row: Row, without: str) -> tuple[str, ...]:
    return tuple(row.data[name] for name in ("server", "request", "churn", "malloc") if name != without)


@whole_table("aged_servers_heaps")
def _heaps() -> str:
    """What glibc's heap held before the first churn, after the first, and at the end; and the model's."""
    heading = ["server, churn", "rounds", "resident, MB", "free, MB", "free chunks", "bytes of a chunk"]
    large = [row.data for row in rows() if row.data["malloc"] == "glibc" and row.data["request"] == "large"]
    lines = []
    for data in large:
        loads = data["loads"]
        churned = len(loads) - data["rounds"]
        points = [loads[churned - 1], loads[churned], loads[-1]]
        name = f"{NAMES[data['server']]}, {data['churn']}"
        lines.append([name, f"0 / 1 / {data['rounds']}", *_heap_cells(points, "resident_bytes")])
    histories = {model["age"]: model["history"] for data in large for model in data["model"]}
    lines += [
        [f"model, `{age}`", "", *_heap_cells([history], "resident_after")]
        for age, history in histories.items()
        if history["live_blocks"]
    ]
    return markdown_table(heading, lines)


def _heap_cells(points: list[dict[str, Any]], resident: str) -> list[str]:
    known = [point for point in points if point["free_chunks"]]
    return [
        " / ".join(f"{point[resident] / 1e6:.0f}" for point in points),
        " / ".join(_figure(point["free_bytes"], 1e6) for point in points),
        " / ".join(_figure(point["free_chunks"], 1) for point in points),
        f"{known[-1]['free_bytes'] / known[-1]['free_chunks']:,.0f}" if known else "-",
    ]


def _figure(value: int | None, unit: float) -> str:
    return "-" if value is None else f"{value / unit:,.0f}"


@block("aged_servers_conditions")
def _conditions() -> str:
    data = [row.data for row in rows()]
    machine = data[0]["machine"]
    dates = sorted({row["date"] for row in data})
    versions = ", ".join(dict.fromkeys(row["version"] for row in data))
    replaced = sorted(row["requests"] for row in data)
    load = median(row["machine"]["load1"] for row in data)
    return (
        f"{machine['cpu']}, {machine['cores']} {'virtual ' if machine['virtual'] else ''}processors, "
        f"{machine['libc']}; {' to '.join(dict.fromkeys((dates[0], dates[-1])))}; {versions}. "
        f"Replaced items: {replaced[0]:,} to {replaced[-1]:,}, in an hour {replaced[0] / 3600:.1f} to "
        f"{replaced[-1] / 3600:.1f} a second. "
        f"The machine had other work (load {load:.1f} at the median start), so times are CPU times."
    )
