"""The Loki test: a line for each size of the objects (N), a table for each setting (order, pages, objects,
compiler). The time of a cell is that of all phases that are timed; each phase is a figure.
"""

from __future__ import annotations

from collections.abc import Iterable

from mallard.analysis.cells import CellTable, Line, cell_tables
from mallard.analysis.names import BASE, FLOOR, contestants
from mallard.analysis.phases import (
    Quantity,
    bytes_text,
    fastest_text,
    least_text,
    most_of,
    of_figure,
    span_text,
    value_of,
)
from mallard.analysis.ranking import mallocs_sentence, pairings_of, ranking_of, under_mallocs
from mallard.analysis.unfinished import unfinished_sentences
from mallard.analysis.words import in_a_list, times_text
from mallard.result import Row
from mallard.stats import mean_ratio

EXPERIMENT = "small-objects"
PLACES = ("object_bytes",)
PHASES = (
    Quantity("allocate_ns", "allocate", "allocate them all"),
    Quantity("free_ns", "free", "free them all, from the back of the vector"),
    Quantity("reallocate_ns", "again", "allocate them all again, after that free"),
    Quantity("traverse_ns", "traverse", "touch each of these, in the order of the vector"),
)
HELD = Quantity("held_bytes", "held", "held after the first allocation")
FREED = Quantity("freed_bytes", "freed", "still held after the first free, nothing trimmed")
RETURNED = Quantity("returned_bytes", "returned", "still held at the end, after release and trim")
MEMORY = (HELD, FREED, RETURNED)
FIRST = (("order", "shuffled"), ("pages", "small"))  # of several settings


def small_objects_tables(rows: Iterable[Row]) -> list[CellTable]:
    tables = [table for _, table in cell_tables(rows, EXPERIMENT, PLACES)]
    return sorted(tables, key=lambda table: [dict(table.setting).get(name) != word for name, word in FIRST])


def bytes_an_object(table: CellTable, line: Line, strategy: str, figure: str) -> float | None:
    held, objects = value_of(line, strategy, figure), dict(table.setting).get("objects")
    return held / objects if held is not None and isinstance(objects, int) and objects else None


def small_objects_sentences(table: CellTable) -> list[str]:
    return [
        *_fastest(table),
        *_phases(table),
        *_floor(table),
        *_least_held(table),
        *_after_free(table),
        *mallocs_sentence(under_mallocs([table])),
        *unfinished_sentences(table, "N", _place),
    ]


def _fastest(table: CellTable) -> list[str]:
    if ranking_of(table).best is None:
        return [f"No verdict: {BASE} has not finished in every row."]
    sizes = f" over {len(table.lines)} sizes" if len(table.lines) > 1 else ""
    return [f"Fastest in all phases together{sizes}: {fastest_text(table, 'an object')}."]


def _phases(table: CellTable) -> list[str]:
    told = [(phase, fastest_text(of_figure(table, phase.figure), "an object")) for phase in PHASES]
    return [f"Fastest to {phase.text}: {text}." for phase, text in told if text]


def _floor(table: CellTable) -> list[str]:
    """What new pages cost alone is what `null` shows."""
    allocation = of_figure(table, PHASES[0].figure)
    best = ranking_of(allocation).best
    pairings = pairings_of([allocation], best.strategy, FLOOR) if best else []
    if best is None or not pairings:
        return []
    floor = [line.cells[FLOOR].ns_per_operation for line in allocation.lines if line.finished(FLOOR)]
    return [
        (
            f"Taking the pages alone ({FLOOR}) costs {span_text(floor)} ns an object; "
            f"{best.strategy} allocates in {times_text(mean_ratio(pairings))} that."
        )
    ]


def _least_held(table: CellTable) -> list[str]:
    """Who holds least, over all sizes, and what that is of the bytes asked for."""
    held = {
        name: [_share_of_asked(table, line, name) for line in table.lines]
        for name in contestants(table.strategies)
    }
    whole = {name: [each for each in shares if each] for name, shares in held.items() if all(shares)}
    if BASE not in whole or len(whole) < 2:
        return []
    least = min(whole, key=lambda name: sum(whole[name]))
    told = [f"{name} {span_text(whole[name])}" for name in dict.fromkeys((least, BASE))]
    return [f"Bytes held for each byte asked for, least and {BASE}: {in_a_list(told)}."]


def _share_of_asked(table: CellTable, line: Line, name: str) -> float | None:
    held = bytes_an_object(table, line, name, HELD.figure)
    return held / line.place[0] if held is not None else None


def _after_free(table: CellTable) -> list[str]:
    """What is kept of the memory once all is freed, at most over the sizes."""
    told = least_text(most_of(table, FREED.figure), bytes_text)
    return [f"Still held after the first free, at most: {told}."] if told else []


def _place(line: Line) -> str:
    return str(line.place[0])
