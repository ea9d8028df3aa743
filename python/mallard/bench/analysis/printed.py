"""A printed table with this machine's figures: each row has ours, the printed one, and the ratio of both.
In a race of strategies, new-delete is in nanoseconds per operation, and the others are in percent of their
own new-delete. Other tables have ratios only, or nanoseconds only."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mallard.bench.analysis.cell_tables import setting_text
from mallard.bench.analysis.labels import SHORT_STATUS
from mallard.bench.evidence import Measured, by_setting
from mallard.bench.evidence.comparison import (
    NOT_MEASURED,
    CellComparison,
    Comparison,
    compare_with_print,
    has_cells,
)
from mallard.bench.evidence.evidence import BASE
from mallard.bench.papers.catalogue import strategies
from mallard.bench.papers.notes import Note, notes_for
from mallard.bench.papers.printed import Key, PrintedTable
from mallard.bench.papers.registry import tables_of
from mallard.bench.result import Row as ResultRow
from mallard.bench.strategy_names import paper_number
from mallard.shared.report.model import (
    Cell,
    Code,
    Column,
    Figure,
    Mood,
    Paragraph,
    Points,
    Report,
    Row,
    Section,
    Table,
    Unit,
    text_columns,
)

USUAL = (0.5, 2.0)  # a ratio outside of these is marked
NOTE_COLUMNS = text_columns("", "")


def table_report(
    printed: PrintedTable,
    comparisons: Sequence[tuple[str, Comparison]],
    notes: Sequence[Note],
    command: str,
    nanoseconds: bool = False,
) -> Report:
    """A comparison has a heading; `command` measures if there are no figures of this machine."""
    name = f"{printed.paper} {printed.label}"
    figures = _Figures(printed, nanoseconds)
    sections = [
        Section(source, (_table(printed, comparison, figures, name),), is_headed=True)
        for source, comparison in comparisons
    ]
    if command:
        unmeasured = Paragraph("Not measured here yet; this measures it:")
        sections.append(Section("This machine", (unmeasured, Code(command, "sh"))))
    about = [Row((note.kind, f"{note.text} [{note.source}]")) for note in notes]
    return Report(
        title=name,
        answer=Paragraph(f"{name}, {printed.experiment}: {printed.caption}"),
        sections=(
            *sections,
            Section("Legend", (Paragraph(_legend(printed, nanoseconds)),)),
            Section("Notes", (Table(f"Notes on {name}", NOTE_COLUMNS, tuple(about)),)),
        ),
    )


def _table(printed: PrintedTable, comparison: Comparison, figures: _Figures, caption: str) -> Table:
    heads = text_columns(*(printed.axes if printed.place else ()), "")
    columns = (*heads, *(Column(_head(name)) for name in printed.columns))
    lines = _lines(printed, comparison, figures) if printed.place else _averages(printed, comparison, figures)
    return Table(caption, columns, tuple(lines))


def _head(name: str) -> str:
    """The strategy's words and its number in the papers, below each other."""
    if name not in strategies():
        return name
    words = name.replace("/", "\n/").replace("+", "\n+")
    return f"{words}\n{paper_number(name)}".rstrip()


def _lines(printed: PrintedTable, comparison: Comparison, figures: _Figures) -> list[Row]:
    rows = []
    for key, cells in comparison.items():
        labels = row_labels(printed, key)
        measured = any(cell.status != NOT_MEASURED for cell in cells.values())
        if measured:
            rows.append(Row((*labels, "here", *(figures.ours(*item) for item in cells.items()))))
            labels = [""] * len(labels)
        theirs = (figures.theirs(*item) for item in cells.items())
        rows.append(Row((*labels, "printed", *theirs), Mood.PLAIN if measured else None))
        if measured and not figures.are_absolute:
            rows.append(Row((*labels, "ratio", *(figures.ratio(*item) for item in cells.items()))))
    return rows


def row_labels(printed: PrintedTable, key: Key) -> list[str]:
    return [_label(printed, axis, part) for axis, part in zip(printed.axes, key, strict=True)]


def _label(printed: PrintedTable, axis: str, part: int) -> str:
    """The label of a row. Sizes are exponents already, a list length is a power of two or ten; T, A, S, W,
    N stay."""
    if axis in printed.words:
        return printed.words[axis][part]
    if axis == "size":
        return f"2^{part}"
    if axis != "|S|":
        return str(part)
    return f"2^{part.bit_length() - 1}" if part & (part - 1) == 0 else f"10^{len(str(part)) - 1}"


def printed_sections(experiment: str, rows: Sequence[ResultRow]) -> list[Section]:
    """The experiment's printed tables that were measured, by setting, without means over tables."""
    settings = by_setting(rows)
    return [
        _section(printed, entry)
        for printed in tables_of(experiment)
        for entry in settings
        if printed.place and has_cells(printed, entry)
    ]


def _section(printed: PrintedTable, measured: Measured) -> Section:
    """With the errors of the paper."""
    table = _table(printed, compare_with_print(printed, measured), _Figures(printed, False), printed.caption)
    errors = tuple(note.text for note in notes_for(printed) if note.kind == "error")
    return Section(
        f"{printed.paper} {printed.label}: {printed.caption}",
        (*((Points(errors),) if errors else ()), table, Paragraph(_legend(printed))),
        is_headed=True,
        about=setting_text(measured.setting),
        is_inner=True,
        is_folded=True,
    )


def _legend(printed: PrintedTable, nanoseconds: bool = False) -> str:
    if nanoseconds:
        return f"{'Bytes' if printed.is_memory else 'Nanoseconds'} {_operation(printed)}."
    if printed.unit == "seconds" and not printed.shows_times:
        return "CPU nanoseconds an access. ratio: here / printed, marked outside 0.5 to 2."
    if not printed.shows_times and printed.unit == "ratio":
        mean = "Mean over rows, with the 95 % interval. " if not printed.place else ""
        return f"{mean}= no difference from 1. ratio: here / printed, marked outside 0.5 to 2."
    ratio = "ratio: (here / new-delete) / (printed / new-delete), marked outside 0.5 to 2."
    if not printed.place:
        mean = "Percent of new-delete, mean over the rows measured here, with the 95 % interval"
        return f"{mean}; the printed means are over 132 rows. {ratio}"
    unit = "bytes" if printed.is_memory else "nanoseconds"
    first = f"new-delete: {unit} {_operation(printed)}."
    return f"{first} Others: percent of new-delete; = no difference from new-delete. {ratio}"


def _operation(printed: PrintedTable) -> str:
    return {
        "density": "a leaf element (printed seconds are for 2^27 leaf elements)",
        "utilization": "a block allocated (printed seconds are for T / S blocks)",
        "contention": "of wall time a pair of one thread",
        "small-objects": "an object (printed figures are for a million of them)",
        "fixed-block": "a pair, a replacement, a container (of remove-ctrl in print: the whole test)",
    }[printed.experiment]


class _Figures:
    """The figures of one cell of a table."""

    def __init__(self, printed: PrintedTable, nanoseconds: bool) -> None:
        self.are_absolute = nanoseconds
        self._race = printed.shows_times
        self._nanoseconds = nanoseconds or (printed.unit == "seconds" and not self._race)

    def ours(self, name: str, cell: CellComparison) -> Cell:
        if self._in_ns(name) and cell.ours_ns is not None:
            return Figure(cell.ours_ns, Unit.NUMBER)
        if self._nanoseconds or cell.ours is None:
            return SHORT_STATUS.get(cell.status, "-")
        return self._relative(cell.ours.median, name != BASE and cell.ours.verdict == "no difference")

    def theirs(self, name: str, cell: CellComparison) -> Cell:
        if self._in_ns(name):
            return "fail" if cell.printed_ns is None else Figure(cell.printed_ns, Unit.NUMBER)
        return "fail" if cell.printed is None else self._relative(cell.printed)

    def ratio(self, name: str, cell: CellComparison) -> Cell:
        ratio = cell.ratio_of_ratios
        if ratio is None or name == BASE:
            return None
        low, high = USUAL
        return Figure(ratio, Unit.NUMBER, mood=None if low <= ratio <= high else Mood.OPEN)

    def _in_ns(self, name: str) -> bool:
        return self._nanoseconds or (self._race and name == BASE)

    def _relative(self, value: float, is_equal: bool = False) -> Figure:
        return Figure(value, Unit.HUNDREDTHS if self._race else Unit.NUMBER, is_equal=is_equal)


def _averages(printed: PrintedTable, comparison: Comparison, figures: _Figures) -> list[Row]:
    """The means over all rows, with their intervals."""
    scale = 100.0 if printed.unit == "percent of new-delete" else 1.0
    cells = next(iter(comparison.values()))

    def line(word: str, value: Callable[[CellComparison], float | None], mood: Mood | None = None) -> Row:
        values = [value(cell) for cell in cells.values()]
        return Row(
            (word, *(None if value is None else Figure(scale * value, Unit.NUMBER) for value in values)), mood
        )

    printed_line = line("printed", lambda cell: cell.printed or 0, Mood.PLAIN)
    if not any(cell.ours for cell in cells.values()):
        return [printed_line]
    return [
        line("here", lambda cell: cell.ours.median if cell.ours else None),
        line("from", lambda cell: cell.ours.low if cell.ours and cell.ours.bounded else None),
        line("to", lambda cell: cell.ours.high if cell.ours and cell.ours.bounded else None),
        printed_line,
        Row(("ratio", *(figures.ratio(*item) for item in cells.items()))),
        Row(("rows", *(Figure(cell.ours.n, Unit.COUNT) if cell.ours else None for cell in cells.values()))),
    ]
