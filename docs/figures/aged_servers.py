"""How servers age, and the model's prediction: tables of the rows of advisor/aged_servers/measure.py."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from figures import block, whole_table
from figures.stored import markdown_table
from mallard.bench.analysis.words import times_text
from mallard.shared.stats import Ratio

STORED = Path(__file__).resolve().parents[2] / "bench/results" / "aged_servers.json"
NEAR = 1.3  # the factor within which a prediction is to be
NAMES = {"documents": "documents in Python", "redis": "Redis", "postgresql": "PostgreSQL"}


@dataclass(frozen=True)
class Row:
    data: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{NAMES[self.data['server']]}, {self.data['request']}"

    @property
    def young_ms(self) -> float:
        """The fastest load before the first churn, without the one that fills the caches."""
        loads = self.data["loads"][1 : 1 + self.data["compared"]]
        return 1e3 * float(min(load["cpu_seconds"] for load in loads))

    @property
    def observed(self) -> Ratio:
        return Ratio(**self.data["slower"])

    def predicted(self, age: str) -> Ratio:
        return Ratio(**next(row["slower"] for row in self.data["model"] if row["age"] == age))

    def nearness(self, age: str) -> str:
        """The prediction as a multiple of what was observed; bold if it is not near."""
        factor = self.predicted(age).median / self.observed.median
        return f"{factor:.2f}" if 1 / NEAR <= factor <= NEAR else f"**{factor:.2f}**"


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
        *("server, request", "churn", "malloc", "young, ms", "after an hour"),
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
            *(f"{row.predicted(age).median:.2f}" for age in ("used", "old")),
            *(row.nearness(age) for age in ("used", "old")),
        ]
        for row in rows()
    ]
    return markdown_table(heading, lines)


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
    counts = {
        f"{NAMES[row['server']]} {row['requests']:,} ({row['churn']})": None
        for row in data
        if row["request"] == "large"
    }
    load = median(row["machine"]["load1"] for row in data)
    return (
        f"{machine['cpu']}, {machine['cores']} {'virtual ' if machine['virtual'] else ''}processors, "
        f"{machine['libc']}; {' to '.join(dict.fromkeys((dates[0], dates[-1])))}, commits "
        f"{', '.join(sorted({row['commit'] for row in data}))}; {versions}. "
        f"Replaced items: {', '.join(counts)}. "
        f"The machine had other work (load {load:.1f} at the median start), so times are CPU times."
    )
