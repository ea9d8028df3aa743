"""The Loki test: times and memory over the size of the objects, and the blog's own figures beside them."""

from __future__ import annotations

from mallard.analysis.cells import CellTable, Line
from mallard.analysis.phases import of_figure, value_of
from mallard.analysis.small_objects import (
    FREED,
    HELD,
    MEMORY,
    PHASES,
    bytes_an_object,
    small_objects_sentences,
    small_objects_tables,
)
from mallard.papers.printed import BASE, PrintedTable
from mallard.papers.small_objects import POINTER_BYTES, PROCESS, STRATEGIES, figure_of
from mallard.papers.small_objects import small_objects_tables as printed_tables
from mallard.view.html.cell_form import NOTHING
from mallard.view.html.contents import Measured, Section, introduction, unmeasured
from mallard.view.html.figures import percent, three_digits
from mallard.view.html.markup import Markup, element, joined
from mallard.view.html.phase_maps import memory_kinds, phase_kinds, phase_map, phase_maps
from mallard.view.html.says import answer
from mallard.view.html.strategy_lines import strategy_lines
from mallard.view.html.strategy_map import Kind, TimeKind

NAME = "small-objects"
HEADING = "Small objects: a million of them"
LOKI = STRATEGIES["USE_LOKI_SOA"]
DRAWN = ("multipool", "small-object-pool", "fixed-pool", LOKI)
HOW_TO_READ = (
    "The objects have N bytes. A vector of pointers names them; it is there before the clock starts, and is "
    "shuffled before they are freed from its back. What is left of the memory is what the system counts for "
    "the process. null takes each object from fresh pages and frees nothing: what the pages cost alone."
)
KINDS: tuple[Kind, ...] = (
    *phase_kinds("afrv", PHASES, "an object"),
    TimeKind("p", "% of new-delete", "All phases together, in percent of new-delete's time.", relative=True),
    *memory_kinds("muw", MEMORY),
)


def small_objects_section(measured: Measured | None) -> Section:
    if measured is None:
        return unmeasured(NAME, HEADING)
    tables = small_objects_tables(measured.rows)
    maps = phase_maps(NAME, KINDS, [_setting(table) for table in tables])
    body = joined(introduction(NAME, HOW_TO_READ), maps)
    return Section(NAME, "Small objects", HEADING, body, answer(small_objects_sentences(tables[0])))


def _setting(table: CellTable) -> Markup:
    sentences = small_objects_sentences(table)
    return phase_map(table, KINDS, ("N", "N"), sentences, _plots(table), _beside_blog(table))


def _plots(table: CellTable) -> list[Markup | None]:
    def held(line: Line, name: str) -> float | None:
        return bytes_an_object(table, line, name, HELD.figure)

    def freed(line: Line, name: str) -> float | None:
        return bytes_an_object(table, line, name, FREED.figure)

    lines = strategy_lines(table, "N, bytes of an object", DRAWN, logarithmic_x=False)
    phases = [
        lines.plot(f"To {phase.text}", "ns an object", of_figure(table, phase.figure)) for phase in PHASES
    ]
    return [
        *phases,
        lines.plot(f"Memory {HELD.text}", "bytes an object", table, held),
        lines.plot(f"Memory {FREED.text}", "bytes an object", table, freed),
    ]


def _beside_blog(table: CellTable) -> Markup | None:
    """Loki beside the default, phase by phase, here and as the blog prints it."""
    order = dict(table.setting).get("order")
    if LOKI not in table.strategies:
        return None
    rows = [
        row
        for printed in printed_tables().values()
        if printed.place["order"] == order
        for row in _rows_beside(table, printed)
    ]
    if not rows:
        return None
    heads = (
        "N",
        "what",
        "new-delete here",
        "loki here",
        "% of new-delete",
        "new-delete there",
        "loki there",
        "% of it",
    )
    head = element("tr", *(element("th", text) for text in heads))
    grid = element(
        "table",
        element("caption", "Loki beside the blog", class_="unseen"),
        element("thead", head),
        element("tbody", *rows),
        class_="plain-table",
    )
    return element(
        "details",
        element("summary", "Loki and the default, here and in the blog"),
        element("div", grid, class_="wide", role="region", aria_label="Loki beside the blog", tabindex="0"),
        element("p", "Nanoseconds an object; memory in bytes an object, with the pointer to it."),
    )


def _rows_beside(table: CellTable, printed: PrintedTable) -> list[Markup]:
    found = []
    for key in printed.rows:
        line = table.line(key[0])
        if line is None or LOKI not in line.cells:
            continue
        what = printed.words["phase"][key[1]] if len(key) > 1 else "memory"
        here = [_here(table, line, name, figure_of(printed, key)) for name in (BASE, LOKI)]
        there = [printed.nanoseconds(key, name) for name in (BASE, LOKI)]
        cells = [*_pair(here), *_pair(there)]
        found.append(
            element(
                "tr",
                element("th", str(key[0])),
                element("td", what),
                *(element("td", text, class_="figure") for text in cells),
            )
        )
    return found


def _here(table: CellTable, line: Line, name: str, figure: str) -> float | None:
    if figure != PROCESS:
        return value_of(line, name, figure)
    held = bytes_an_object(table, line, name, HELD.figure)
    return None if held is None else held + POINTER_BYTES


def _pair(values: list[float | None]) -> list[str]:
    """Both, and the second in percent of the first."""
    base, loki = values
    shown = [NOTHING if value is None else three_digits(value) for value in values]
    return [*shown, percent(loki / base) if base and loki else NOTHING]
