"""What a recording costs: tables of the runs that advisor/tests/record/cost/measure.py stored."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from figures import block, whole_table
from figures.stored import markdown_table

STORED = Path(__file__).resolve().parents[2] / "bench/results" / "recording.json"
MOST_NANOSECONDS = {10: 35, 25: 50, 55: 60}  # that an event is to take, by the levels of its stack
MOST_TIMES = {"clang++-16 -fsyntax-only": 1.2, "cmake, a small project": 1.15}  # the program's own CPU time
HOT_TIMES, HOT_RATE = 1.3, 5.0  # of programs with fewer millions of events a second
PROFILED_RATE, PROFILED_BYTES = 5.0, 2 << 30  # million events a second, and memory
LEAST_PROFILED = 1_000_000
LARGE = ("a loop", "protoc, a large file", "perl, a tree", "ruby, a tree")  # recorded once, to be profiled


@cache
def stored() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8"))
    return data


@dataclass(frozen=True)
class Measured:
    """One program in one way: a list of each figure, a run an entry."""

    rows: list[dict[str, Any]]

    def middle(self, figure: str) -> float:
        return median(row[figure] for row in self.rows)

    def ms(self, figure: str) -> float:
        return self.middle(figure) / 1e6


@dataclass(frozen=True)
class Case:
    """A program's runs; a round has a run of each way, one after the other."""

    name: str
    levels: int
    new: int
    work: int
    ways: dict[str, Measured]

    @property
    def plain(self) -> Measured:
        return self.ways["plain"]

    @property
    def recorded(self) -> Measured:
        return self.ways["recorded"]

    def rounds(self, way: str) -> Iterable[tuple[dict[str, Any], dict[str, Any]]]:
        return zip(self.plain.rows, self.ways[way].rows, strict=True)

    def times(self, way: str) -> list[float]:
        return [row["program"] / plain["program"] for plain, row in self.rounds(way)]

    @property
    def nanoseconds(self) -> list[float]:
        """That an event takes of the program's CPU time."""
        pairs = self.rounds("recorded")
        return [(row["program"] - plain["program"]) / row["events"] for plain, row in pairs]

    @property
    def million_a_second(self) -> float:
        """Events of the program by itself."""
        return self.recorded.middle("events") / self.plain.middle("program") * 1e3


def cases(hot_ones: bool) -> list[Case]:
    by_case: dict[tuple[Any, ...], dict[str, list[dict[str, Any]]]] = {}
    for row in stored()["rows"]:
        key = (row["name"], row["levels"], row["new"], row["work"])
        by_case.setdefault(key, {}).setdefault(row["way"], []).append(row)
    all_cases = [
        Case(*key, {way: Measured(rows) for way, rows in ways.items()}) for key, ways in by_case.items()
    ]
    return [case for case in all_cases if (case.levels > 0) == hot_ones]


@block("recording_conditions")
def conditions() -> str:
    data = stored()
    machine, rounds = data["machine"], len(cases(True)[0].plain.rows)
    versions = ", ".join(data["versions"].values())
    return (
        f"Medians of {rounds} rounds, with the lowest and the highest. Recorder of commit {data['commit']}; "
        f"{machine['cpu']}, {machine['cores']} cores, {machine['libc']}. {versions}."
    )


@whole_table("recording_hot")
def hot() -> str:
    heading = ("levels of a stack", "aim", *(f"{new} new" for new in (1, 2, 4)), "the collector")
    lines = []
    for levels, most in MOST_NANOSECONDS.items():
        some = [case for case in cases(True) if case.name == "hot" and case.levels == levels]
        others = [median(row["others"] / row["events"] for row in case.recorded.rows) for case in some]
        lines.append(
            (
                str(levels),
                f"{most}",
                *(_spread(case.nanoseconds, 0, most) for case in some),
                f"{min(others):.0f} to {max(others):.0f}",
            )
        )
    return markdown_table(heading, lines)


@whole_table("recording_curve")
def curve() -> str:
    heading = ("million events a second", "aim", "CPU time of the program")
    lines = []
    for case in cases(True):
        if case.name == "curve":
            most = HOT_TIMES if case.million_a_second < HOT_RATE else None
            lines.append(
                (
                    f"{case.million_a_second:.1f}",
                    "" if most is None else f"{most} times",
                    f"{_spread(case.times('recorded'), 2, most)} times",
                )
            )
    return markdown_table(heading, lines[::-1])


@block("recording_programs", is_part=True)
def programs(*, whole: bool = False) -> str:
    """The whole table has the collector's time, the number of events and the share of complete stacks."""
    heading = (
        *("program", "CPU time", "recorded, times", "aim", "heaptrack, times", "million a second"),
        *("ns an event", *(("collector, ms", "events", "complete") if whole else ())),
    )
    lines = []
    for case in cases(False):
        if case.name in LARGE:
            continue
        most = MOST_TIMES.get(case.name)
        further = (
            _collecting(case),
            f"{case.recorded.middle('events'):,.0f}",
            f"{case.recorded.middle('complete'):g} %",
        )
        lines.append(
            (
                case.name,
                f"{case.plain.ms('program'):.0f} ms",
                _spread(case.times("recorded"), 2, most),
                "" if most is None else f"{most}",
                _spread(case.times("heaptrack"), 2) if "heaptrack" in case.ways else "",
                f"{case.million_a_second:.1f}",
                f"{median(case.nanoseconds):.0f}",
                *(further if whole else ()),
            )
        )
    return markdown_table(heading, lines)


@whole_table("recording_profiles")
def profiles() -> str:
    """The table of the programs whose recordings are long enough."""
    rate = f"million events a second, aim {PROFILED_RATE:g}"
    heading = ("recording", "events", "seconds", rate, f"memory, MiB, aim {PROFILED_BYTES >> 20}")
    lines = []
    for case in cases(False):
        if "profile" not in case.recorded.rows[0]:
            continue
        events, seconds = case.recorded.middle("events"), case.recorded.middle("profile") / 1e9
        if events < LEAST_PROFILED:
            continue
        held = case.recorded.middle("profile_bytes")
        lines.append(
            (
                case.name,
                f"{events:,.0f}",
                f"{seconds:.1f}",
                _marked_low(events / seconds / 1e6, 1, PROFILED_RATE),
                _marked(held / (1 << 20), 0, PROFILED_BYTES / (1 << 20)),
            )
        )
    return markdown_table(heading, lines)


def _collecting(case: Case) -> str:
    """Ours, then heaptrack's."""
    ours = f"{case.recorded.ms('others'):.0f}"
    return f"{ours}; {case.ways['heaptrack'].ms('others'):.0f}" if "heaptrack" in case.ways else ours


def _spread(values: list[float], digits: int, most: float | None = None) -> str:
    """38 (36 to 41); bold where the median misses its aim."""
    ends = f"({min(values):.{digits}f} to {max(values):.{digits}f})"
    return f"{_marked(median(values), digits, most)} {ends}"


def _marked_low(value: float, digits: int, least: float) -> str:
    text = f"{value:.{digits}f}"
    return f"**{text}**" if value < least else text


def _marked(value: float, digits: int, most: float | None) -> str:
    text = f"{value:.{digits}f}"
    return f"**{text}**" if most is not None and value > most else text
