"""Vectors that grow and shrink, bursts, a heap that ages: a block for each time, counts and memory below."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from mallard.analysis.burst import PHASES, burst_sentences, burst_tables
from mallard.analysis.by_ranges import OVERHEAD
from mallard.analysis.cells import CellTable, Line, setting_text
from mallard.analysis.heap_churn import (
    FRAGMENTATION,
    MEMORY,
    TIMES,
    heap_churn_sentences,
    heap_churn_tables,
    over_time,
)
from mallard.analysis.heap_churn import OVERHEAD as BESIDE
from mallard.analysis.phases import of_figure
from mallard.analysis.vectors import (
    EXPERIMENTS,
    MEASURED_FROM,
    PEAK_LIVE,
    timed,
    vector_sentences,
    vector_tables,
)
from mallard.analysis.words import factor
from mallard.result import Row
from mallard.view.terminal.by_strategy import (
    MARKS,
    Column,
    bytes_of,
    columns_of,
    figure_text,
    say,
    show_figures,
    show_times,
)


def show_vectors(experiment: str, console: Console, rows: Sequence[Row]) -> None:
    of = EXPERIMENTS[experiment]
    for table in vector_tables(rows, experiment):
        console.print(Text(setting_text(table.setting), "bold"))
        columns, names = _vector_columns(table), table.strategies
        for time in of.times:
            of_time = _vector_columns(timed(table, time))
            show_times(console, f"{time.short}: {time.text}, ns", "elements", of_time, names)
        for count in of.counts:
            show_figures(console, count.text, "elements", columns, names, figure_text(count.figure, _count))
        for memory in of.memory:
            large = [column for column in columns if memory == PEAK_LIVE or _measured(column)]
            show_figures(console, memory.text, "elements", large, names, bytes_of(memory.figure))
        say(console, vector_sentences(table, experiment))
    console.print(f"Counts are of one vector. {MARKS}", style="dim", markup=False)


def _vector_columns(table: CellTable) -> list[Column]:
    return [((f"{line.place[0]:,}",), line) for line in table.lines]


def _measured(column: Column) -> bool:
    """Whether the growth of the process tells of its vectors."""
    _, line = column
    return line.place[0] >= MEASURED_FROM


def _count(value: float) -> str:
    return f"{value:,.0f}"


def show_burst(console: Console, rows: Sequence[Row]) -> None:
    for table in burst_tables(rows):
        console.print(Text(setting_text(table.setting), "bold"))
        for phase in PHASES:
            columns = columns_of(of_figure(table, phase.figure))
            show_times(console, f"{phase.short}, ns a node", "range", columns, table.strategies)
        overhead = figure_text(OVERHEAD.figure, lambda percent: f"{percent:.1f}")
        show_figures(console, OVERHEAD.text, "range", columns_of(table), table.strategies, overhead)
        say(console, burst_sentences(table))
    console.print(f"range: nodes inserted or erased at a time. {MARKS}", style="dim", markup=False)


def _ratio(line: Line, name: str) -> str:
    return factor(line.cells[name].ns_per_operation)


def show_heap_churn(console: Console, rows: Sequence[Row]) -> None:
    for table in heap_churn_tables(rows):
        console.print(Text(setting_text(table.setting), "bold"))
        columns, names = columns_of(table), table.strategies
        for time in TIMES:
            of_time = columns_of(of_figure(table, time.figure))
            show_times(console, f"{time.short}: {time.text}, ns", "live", of_time, names)
        for line in table.lines:
            series = over_time(line)
            shares: list[Column] = [((f"{of_share.place[0]} %",), of_share) for of_share in series.lines]
            title = f"held / live as the operations go, {line.place[0]} live blocks"
            show_figures(console, title, "done", shares, names, _ratio)
        show_figures(
            console, FRAGMENTATION.text, "live", columns, names, figure_text(FRAGMENTATION.figure, factor)
        )
        for memory in MEMORY:
            show_figures(console, memory.text, "live", columns, names, bytes_of(memory.figure))
        show_figures(
            console, BESIDE.text, "live", columns, names, figure_text(BESIDE.figure, lambda n: f"{n:.0f}")
        )
        say(console, heap_churn_sentences(table))
    console.print(f"live: blocks in use at a time. {MARKS}", style="dim", markup=False)
