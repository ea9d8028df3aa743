"""A heat map of a race of strategies, with new-delete among the columns. Kinds: p percent of new-delete, i
its interval, n nanoseconds per operation, f page faults, m memory, c beside P0213, d beside P0089.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mallard.bench.analysis.cell_tables import Line
from mallard.bench.analysis.names import BASE, NULL
from mallard.bench.analysis.ranking import pick_strategy
from mallard.bench.cells import Cell as Measured
from mallard.bench.evidence.beside import NOT_MEASURED, Beside
from mallard.bench.experiments.description.panel import Wording
from mallard.bench.papers.printed import Key, PrintedTable
from mallard.bench.view.html.cells.heat_map import (
    EMPTY,
    NOTHING,
    Cell,
    Choice,
    Form,
    HeatMap,
    Steps,
    strategy_columns,
)
from mallard.shared.view.html.figures import (
    LEGEND,
    interval,
    mebibytes,
    percent,
    ratio_step,
    step_beside,
    three_digits,
)
from mallard.shared.view.html.markup import Markup

BESIDE = (
    "Upper figure: (here / new-delete here) divided by ({paper} / its new-delete); above 1 the strategy "
    "does worse here than there. Lower: percent of new-delete here / there. Under new-delete: nanoseconds "
    "{operation} here, and there."
)
BESIDE_LEGEND: Steps = tuple(("eq", "within 1.1") if name == "eq" else (name, text) for name, text in LEGEND)
PAPERS = {"c": "P0213", "d": "P0089"}
FAULTS: Steps = (
    ("z0", "under 0.1"),
    ("z1", "0.1\u20131"),
    ("z2", "1\u201310"),
    ("z3", "10\u2013100"),
    ("z4", "over 100"),
)
MEMORY: Steps = (
    ("z0", "least of the row"),
    ("z1", "over 1.1 times"),
    ("z2", "over 1.5"),
    ("z3", "over 2"),
    ("z4", "over 4"),
)


@dataclass(frozen=True)
class Published:
    """The papers' figures for a cell; None if they have none."""

    p0213: Beside | None = None
    p0089: Beside | None = None


def race_form(wording: Wording, kinds: str) -> Form:
    choices = {choice.kind: choice for choice in _choices(wording)}
    return Form(
        tuple(choices[kind] for kind in kinds),
        (
            ("of new-delete", "{percent} %[ ({interval})]"),
            (f"ns {wording.operation}", "{ns} ({range}; {repetitions})"),
            *((f"here / {paper}", _beside_template(kind, wording)) for kind, paper in PAPERS.items()),
            ("page faults", f"{{faults}} in 1000 {wording.operations}[, {{major}} major]"),
            (wording.memory, "{memory} MiB"),
            ("in the kernel", "{kernel} % of the time"),
            ("not every time", "{detail}"),
        ),
    )


def _choices(wording: Wording) -> list[Choice]:
    operation, operations = wording.operation, wording.operations
    first = "Time in percent of new-delete's in the same row. Framed: mallard's fastest of its row."
    between = "The 95 % interval of that percent. What holds 100 is no difference."
    times = f"{wording.clock} nanoseconds for {wording.description}. Colours as in % of new-delete."
    faults = f"Minor page faults of the timed part, in 1000 {operations}."
    held = f"{wording.memory_text}, MiB. Darker: more than others in the row."
    return [
        Choice("p", "% of new-delete", first, LEGEND, "{percent}"),
        Choice("i", "interval", between, LEGEND, "{interval}", "p", missing="none"),
        Choice("n", f"ns {operation}", times, LEGEND, "{ns}", "p"),
        *(
            Choice(
                kind,
                f"beside {paper}",
                BESIDE.format(paper=paper, operation=operation),
                BESIDE_LEGEND,
                f"{{{kind}}}\n[{{percent}} / {{{kind} there}}][{{{kind} ns}} ns][{{{kind} note}}]",
                missing="\u00b7",
            )
            for kind, paper in PAPERS.items()
        ),
        Choice("f", "page faults", faults, FAULTS, "{faults}"),
        Choice("m", "memory", held, MEMORY, "{memory}"),
    ]


def _beside_template(kind: str, wording: Wording) -> str:
    ratio = f"[{{percent}} / {{{kind} there}} % of new-delete: ratio {{{kind}}}]"
    base = f"[{{{kind}}} / {{{kind} ns}} ns {wording.operation}]"
    return f"{ratio}{base}[{{{kind}}} {{{kind} note}}]"


def race_cell(
    table: HeatMap,
    name: str,
    cell: Measured | None,
    published: Published,
    memory: float,
    least: float,
    best: bool,
) -> Cell:
    """A cell. `memory` is its own, `least` the least of its row."""
    if cell is None:
        return EMPTY
    if not cell.finished:
        return table.broken(cell.status, cell.detail)
    ratio = cell.ratio
    low, high = cell.spread
    count_text = f"{len(cell.times)} repetition{'' if len(cell.times) == 1 else 's'}"
    values = {
        "percent": percent(ratio.median) if ratio else "",
        "interval": interval(ratio) if ratio and ratio.bounded else "",
        "ns": three_digits(cell.ns_per_operation),
        "range": f"{three_digits(low)}\u2013{three_digits(high)}",
        "repetitions": count_text,
        "faults": count(cell.faults_per_1000),
        "major": count(cell.major_faults) if cell.major_faults else "",
        "memory": mebibytes(memory),
        "kernel": "" if cell.system_share is None else f"{100 * cell.system_share:.0f}",
        "detail": cell.detail,
    }
    steps = {
        "p": "" if ratio is None or name in (BASE, NULL) else ratio_step(ratio),
        "f": f"z{_fault_step(cell.faults_per_1000)}",
        "m": f"z{memory_step(memory, least)}",
    }
    for kind, comparison in (("c", published.p0213), ("d", published.p0089)):
        if comparison is not None:
            texts, steps[kind] = _comparison(comparison, name)
            values |= {f"{kind} {key}".strip(): text for key, text in texts.items()}
    return table.cell(values, steps, "p" if best else "")


def _comparison(comparison: Beside, name: str) -> tuple[dict[str, str], str]:
    """Returns the values, and the step of their colour."""
    if comparison.printed is None:
        return {"": "fail", "note": "there"}, ""
    theirs = percent(comparison.printed)
    if name == BASE and comparison.ours_ns is not None and comparison.printed_ns is not None:
        return {"": three_digits(comparison.ours_ns), "ns": three_digits(comparison.printed_ns)}, ""
    ratio = comparison.ratio_of_ratios
    if ratio is None:
        return {"": NOTHING, "note": f"/ {theirs}"}, ""
    return {"": _quotient(ratio), "there": theirs}, step_beside(ratio)


def _quotient(value: float) -> str:
    return f"{value:.2f}" if value >= 0.095 else f"{value:.2g}"


def count(value: float) -> str:
    if 0 < value < 0.1:
        return "<0.1"
    return f"{value:.2g}" if value < 9.95 else three_digits(value)


def _fault_step(per_1000: float) -> int:
    return sum(per_1000 >= end for end in (0.1, 1.0, 10.0, 100.0))


def memory_step(peak: float, least: float) -> int:
    return sum(peak > least * factor for factor in (1.1, 1.5, 2.0, 4.0))


PublishedOf = Callable[[Line, str], Published]


@dataclass(frozen=True)
class RaceTable:
    """The common parts of an experiment's maps."""

    form: Form
    memory: Callable[[Line, str], float] = lambda line, name: line.cells[name].peak_rss_bytes

    def markup(
        self,
        title: str,
        caption: str,
        corner: str,
        names: Sequence[str],
        lines: Sequence[tuple[str, Line]],
        published: PublishedOf,
    ) -> Markup:
        table = HeatMap(title, caption, corner, strategy_columns(names), self.form, "race")
        return table.markup([(label, self._line(table, line, names, published)) for label, line in lines])

    def _line(self, table: HeatMap, line: Line, names: Sequence[str], published: PublishedOf) -> list[Cell]:
        picked = pick_strategy(line)
        held = {name: self.memory(line, name) for name in line.cells if line.finished(name)}
        least = min(held.values(), default=0.0)
        return [
            race_cell(
                table,
                name,
                line.cells.get(name),
                published(line, name),
                held.get(name, 0.0),
                least,
                name == picked,
            )
            for name in names
        ]


def matching(
    tables: Iterable[PrintedTable], paper: str, place: Mapping[str, object], preferred: Mapping[str, object]
) -> PrintedTable | None:
    """The table with the paper's own measurement at a place. Of several tables, the one closest to the
    setting is preferred, then one that prints seconds."""
    matches = [
        table
        for table in tables
        if table.data_paper == paper and all(table.place.get(key) == value for key, value in place.items())
    ]

    def fit(table: PrintedTable) -> tuple[int, bool]:
        return (
            sum(table.place.get(key) == value for key, value in preferred.items()),
            table.unit == "seconds",
        )

    return max(matches, key=fit, default=None)


def beside(printed: PrintedTable | None, key: Key, name: str, cell: Measured | None) -> Beside | None:
    """The comparison; None if the paper has no such cell."""
    if printed is None or name not in printed.rows.get(key, {}):
        return None
    percent = printed.percent_of_base(key, name)
    return Beside(
        None if percent is None else percent / 100,
        printed.nanoseconds(key, name),
        cell.ratio if cell else None,
        cell.ns_per_operation if cell and cell.finished else None,
        cell.status if cell else NOT_MEASURED,
    )
