"""Tables with a line for each strategy: the strategies shown, and the text of a cell's figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from figures.stored import markdown_table, nanoseconds
from mallard.bench.analysis.cell_tables import Line, figure_line, median_figure
from mallard.bench.analysis.labels import SHORT_STATUS
from mallard.bench.analysis.names import BASE, NULL, malloc
from mallard.shared.stats import spread

# A slower strategy of another library, and the one that stands for both.
SHOWN_INSTEAD = {
    "pmr-synchronized": "pmr-unsynchronized",
    "boost-object-pool": "boost-pool",
    "boost-pmr-monotonic": "pmr-monotonic",
    "foonathan-array": "foonathan-node",
    "foonathan-small": "foonathan-node",
    "foonathan-collection": "foonathan-node",
    "foonathan-temporary": "foonathan-stack",
}
SHOWN_MALLOCS = ("new-delete@mimalloc", "new-delete@tcmalloc")
# The strategies that every page compares; the fastest of each column joins them.
DECISIVE = (
    *(NULL, BASE, *SHOWN_MALLOCS, "multipool", "pmr-unsynchronized"),
    *("heap-v2-masked", "heap-v2", "region-heap-v2", "boost-allocator-v2"),
)


def shown(names: Sequence[str]) -> list[str]:
    """Without other bindings, most other mallocs, pools that differ only in their chunks, and SHOWN_INSTEAD:
    they make tables long, and `docs/refresh.py --print` has all.
    """
    hidden = {
        name
        for name in names
        if malloc(name)
        or "/" in name
        or name.endswith(("-large", "-aligned", "-aligned-burst"))
        or "+monotonic" in name
        or SHOWN_INSTEAD.get(name) in names
    }
    return [name for name in names if name in SHOWN_MALLOCS or name not in hidden]


def decisive(
    names: Sequence[str], columns: Iterable[tuple[Line, str]], subjects: Sequence[str] = ()
) -> list[str]:
    """Those of DECISIVE, the subjects of the page, and in each column, a line and its figure, the one with
    the least time: a page that shortens a table hides no winner.
    """
    winners = {fastest(line, names, figure) for line, figure in columns}
    return [name for name in names if name in (*DECISIVE, *subjects) or name in winners]


def fastest(line: Line, names: Iterable[str], figure: str = "") -> str:
    """The strategy with the least time but for null, empty if none finished."""
    cells = (figure_line(line, figure) if figure else line).cells
    finished = [name for name in names if name != NULL and name in cells and cells[name].finished]
    return min(finished, key=lambda name: spread(list(cells[name].times.values())).median, default="")


def time_text(line: Line, name: str, figure: str = "") -> str:
    """Nanoseconds of a cell, or of a figure in its place; its status if it did not finish."""
    cell = (figure_line(line, figure) if figure else line).cells.get(name)
    if cell is None:
        return ""
    if not cell.finished:
        return SHORT_STATUS.get(cell.status, cell.status)
    return nanoseconds(spread(list(cell.times.values())))


@dataclass(frozen=True)
class Column:
    """The time of each strategy in a line, or one of its figures; `text` is the form of an amount."""

    head: str
    line: Line
    figure: str = ""
    text: Callable[[float], str] | None = None

    def cell(self, name: str) -> str:
        if self.text is None:
            return time_text(self.line, name, self.figure)
        value = median_figure(self.line, name, self.figure)
        return "" if value is None else self.text(value)


def decisive_table(
    corner: str, names: Sequence[str], columns: Sequence[Column], subjects: Sequence[str] = ()
) -> str:
    """A line for each strategy that is decisive for the times."""
    times = [(column.line, column.figure) for column in columns if column.text is None]
    lines = [[name, *(column.cell(name) for column in columns)] for name in decisive(names, times, subjects)]
    return markdown_table([corner, *(column.head for column in columns)], lines)
