"""Vectors that grow forward or backward, and that shrink: times, counts of one vector, and memory, over the
number of elements."""

from __future__ import annotations

from mallard.analysis.cells import CellTable, Line
from mallard.analysis.phases import Quantity, value_of
from mallard.analysis.vectors import (
    CALLS,
    EXPERIMENTS,
    PEAK_LIVE,
    VectorExperiment,
    timed,
    vector_sentences,
    vector_tables,
)
from mallard.view.html.contents import Measured, Section, introduction, unmeasured
from mallard.view.html.markup import Markup, joined
from mallard.view.html.phase_maps import memory_kinds, phase_kinds, phase_map, phase_maps
from mallard.view.html.says import answer
from mallard.view.html.strategy_lines import strategy_lines
from mallard.view.html.strategy_map import AmountKind, Kind, TimeKind

HEADINGS = {
    "expansion-forward": ("Forward growth", "A vector grows: forward in place"),
    "expansion-backward": ("Backward growth", "A vector grows: backward, to spare memory"),
    "shrink-to-fit": ("Shrinking", "A vector shrinks to fit"),
}
HOW_TO_READ = (
    "heap-v2 stands behind boost::container::vector with an allocator that can grow and shrink a block where "
    "it lies; heap-v2-masked tells the size of what it gives but is told to copy; heap-v1 is an allocator of "
    "the standard's kind. heap is the same allocator behind std::vector, and boost-allocator-... the same "
    "three with Boost's own. myint is the article's class, an int with a copy constructor; int may be moved "
    "by bytes. Counts are of one vector."
)
DRAWN = ("heap", "heap-v1", "heap-v2-masked", "heap-v2")
TIMES, COUNTS, MEMORY = "nc", "aeb", "muvw"  # the letters of the kinds


def vector_section(experiment: str, measured: Measured | None) -> Section:
    title, heading = HEADINGS[experiment]
    if measured is None:
        return unmeasured(experiment, heading)
    of = EXPERIMENTS[experiment]
    tables = vector_tables(measured.rows, experiment)
    maps = phase_maps(experiment, _kinds(of), [_setting(table, of) for table in tables])
    body = joined(introduction(experiment, HOW_TO_READ), maps)
    return Section(experiment, title, heading, body, answer(vector_sentences(tables[0], experiment)))


def _kinds(of: VectorExperiment) -> tuple[Kind, ...]:
    return (
        *phase_kinds(TIMES[: len(of.times)], of.times, of.operation),
        TimeKind(
            "p", "% of new-delete", "In percent of new-delete's time.", of.times[0].figure, relative=True
        ),
        *(_count_kind(letter, count) for letter, count in zip(COUNTS, of.counts, strict=False)),
        *memory_kinds(MEMORY[: len(of.memory)], of.memory),
    )


def _count_kind(letter: str, count: Quantity) -> AmountKind:
    text = f"{count.text[:1].upper()}{count.text[1:]}."
    return AmountKind(letter, count.short, text, count.figure, shown=_whole, least=1.0, unit=count.short)


def _whole(value: float) -> str:
    return f"{value:,.0f}".replace(",", "\u202f")


def _setting(table: CellTable, of: VectorExperiment) -> Markup:
    sentences = vector_sentences(table, of.name)
    return phase_map(table, _kinds(of), ("elements", "number of elements"), sentences, _plots(table, of))


def _plots(table: CellTable, of: VectorExperiment) -> list[Markup | None]:
    """Times; and where it grows, how often it asked for room, and how much of it had at one time."""

    def counted(line: Line, name: str) -> float | None:
        return value_of(line, name, CALLS.figure)

    def live(line: Line, name: str) -> float | None:
        value = value_of(line, name, PEAK_LIVE.figure)
        return None if value is None else value / line.place[0]

    lines = strategy_lines(timed(table, of.times[0]), "elements of the vector", DRAWN)
    times = [lines.plot(f"To {time.text}", f"ns {of.operation}", timed(table, time)) for time in of.times]
    if PEAK_LIVE not in of.memory:
        return [*times]
    return [
        *times,
        lines.plot(f"{CALLS.text[:1].upper()}{CALLS.text[1:]}", "calls", table, counted),
        lines.plot(f"Memory {PEAK_LIVE.text}", "bytes an element", table, live),
    ]
