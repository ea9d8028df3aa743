"""Utilization and contention: heat maps whose lines are numbered by the papers' parameters, (T, A, S) and
(N, S, W), and what goes with their times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.style import Style
from rich.text import Text

from mallard.analysis.cells import CellTable, Line, setting_text
from mallard.analysis.contention import PLACES, contention_sentences, contention_tables
from mallard.analysis.utilization import utilization_sentences, utilization_tables
from mallard.analysis.words import nanoseconds
from mallard.footprint import readable
from mallard.result import Row
from mallard.store import Run
from mallard.view.terminal.blocks import Piece
from mallard.view.terminal.heat_map import FAULTS, MARKS, show_columns, show_heat_map

UTILIZATION_LEGEND = (
    "T bytes allocated in all, A live at a time, blocks of S. new-delete in ns an allocation with its "
    "deallocation, the others in percent of new-delete. null: blocks already there, taken in turn. "
    f"{MARKS} {FAULTS}"
)
CONTENTION_LEGEND = (
    "N pairs for each allocator made, blocks of S bytes, W threads. new-delete in ns a pair of one thread "
    f"by the wall clock, the others in percent of new-delete. {MARKS} {FAULTS}"
)


def show_utilization(console: Console, rows: Sequence[Row]) -> None:
    for table in utilization_tables(rows):
        _show_table(console, table, utilization_sentences(table))
        _show_ends(console, table)
    console.print(UTILIZATION_LEGEND, style="dim", markup=False)


def show_contention(console: Console, run: Run, rows: Sequence[Row]) -> None:
    cores = run.machine.get("cores")
    for table in contention_tables(rows):
        _show_table(console, table, contention_sentences(table, int(cores) if cores else None))
        console.print(Text("CPU ns a pair, of all threads together", "bold"))
        show_columns(console, table, _cpu)
        _show_words(console, "The slowest thread by the fastest, at most", _unfairness(table))
        console.print()
    console.print(CONTENTION_LEGEND, style="dim", markup=False)


def _show_table(console: Console, table: CellTable, sentences: Sequence[str]) -> None:
    console.print(Text(setting_text(table.setting), "bold"))
    show_heat_map(console, table)
    for sentence in sentences:
        console.print(sentence, markup=False)
    console.print()


def _show_ends(console: Console, table: CellTable) -> None:
    """The memory held at the end, its peak, and the time of a final free."""
    for figure, what, text in (
        ("held_bytes", "Held at the end, at most", lambda value: readable(int(value))),
        ("free_ns", "ns for a free at the end, at most", nanoseconds),
    ):
        most = {name: _most(table, name, figure) for name in table.strategies}
        words = {name: text(value) for name, value in most.items() if value is not None}
        _show_words(console, what, words)
    console.print()


def _show_words(console: Console, what: str, words: Mapping[str, str]) -> None:
    if words:
        each = ", ".join(f"{name} {word}" for name, word in words.items())
        console.print(f"{what}: {each}.", markup=False)


def _unfairness(table: CellTable) -> dict[str, str]:
    """Strategy -> the largest ratio of slowest to fastest thread, from the lines with several threads."""
    most: dict[str, float] = {}
    for line in table.lines:
        for name, cell in line.cells.items():
            slowest, fastest = cell.figure("slowest_ns"), cell.figure("fastest_ns")
            if slowest and fastest and fastest.median > 0 and line.place[PLACES.index("threads")] > 1:
                most[name] = max(most.get(name, 1.0), slowest.median / fastest.median)
    return {name: f"{most[name]:.2f}" for name in table.strategies if name in most}


def _most(table: CellTable, name: str, figure: str) -> float | None:
    cells = [line.cells[name] for line in table.lines if line.finished(name)]
    return max((found.median for cell in cells if (found := cell.figure(figure))), default=None)


def _cpu(line: Line, name: str) -> Piece:
    cell = line.cells.get(name)
    found = cell.figure("cpu_ns_per_pair") if cell else None
    return f"{nanoseconds(found.median) if found else '-'} ", Style()
