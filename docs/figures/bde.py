"""BDE, which the papers measured, and mallard in the same runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from statistics import fmean, median

from figures import block
from figures.claims import runs, runs_text
from figures.stored import StoredRun, markdown_table
from mallard.bench.analysis.averages import mean_over_rows
from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.density import Summary, summaries
from mallard.bench.analysis.peers import (
    COUNTED,
    SLOWER,
    CellNames,
    CellResult,
    Counterpart,
    counterparts,
    losses,
    ratio_text,
    value_text,
)
from mallard.bench.analysis.peers import Summary as PeerSummary
from mallard.bench.result import OK, Row
from mallard.bench.strategy_names import PAPERS, WINK_MARK
from mallard.shared.age import OLD
from mallard.shared.report.figures import ratio_figure
from mallard.shared.stats import Ratio

PREFIX = "bde-"
LEAST_LOSS = 1.02  # as a ratio
NO_BUFFER = "none"
# Another setting of an experiment, as a column next to it.
IN_OLD_PROCESSES = "programs, old"
WITHOUT_BUFFER = "density, no buffer"


@block("bde_conditions")
def conditions() -> str:
    return runs_text("Compared in", {stored.run["id"] for stored in bde_runs()})


@cache
def bde_runs() -> list[StoredRun]:
    return [stored for stored in runs() if any(row.strategy.startswith(PREFIX) for row in stored.rows)]


def runs_of(column: str) -> list[StoredRun]:
    """The runs of a column, which is an experiment or one of its other settings."""
    return [stored for stored in bde_runs() if column in _columns_of(stored)]


def _columns_of(stored: StoredRun) -> tuple[str, ...]:
    name, options = stored.run["experiment"], stored.run["options"]
    if OLD in options.get("ages", ()):
        return (IN_OLD_PROCESSES,)
    return (WITHOUT_BUFFER,) if name == "density" and options.get("buffer") == NO_BUFFER else (name,)


def columns() -> list[str]:
    return list(dict.fromkeys(column for stored in bde_runs() for column in _columns_of(stored)))


@cache
def pairs_of(column: str) -> list[Counterpart]:
    """The pairs of the two libraries. In old processes without the young ones of the same run."""
    rows = [row for stored in runs_of(column) for row in stored.rows]
    if column == IN_OLD_PROCESSES:
        rows = [row for row in rows if row.parameters.get("age") == OLD]
    return [pair for pair in counterparts(rows) if pair.theirs.startswith(PREFIX)]


@cache
def summary() -> Summary:
    """Of the run of density whose strategies begin in a buffer."""
    return summaries(runs_of("density")[0].rows)[0]


def means() -> dict[str, Ratio]:
    """The mean over the rows of density, to new-delete, of the counterpart of each of P0089's strategies."""
    pairs = ((name, mean_over_rows(summary().tables, f"{PREFIX}{name}", BASE)) for name in PAPERS.values())
    return {name: mean for name, mean in pairs if mean}


@block("bde_faults")
def faults() -> str:
    """The page faults of the timed parts of density, of which BDE's multipool has most."""
    theirs = f"{PREFIX}multipool"
    a_leaf = {name: _mean(name, lambda row: row.minor_faults) for name in (theirs, "multipool", BASE)}
    system = _mean(theirs, lambda row: row.system_ns) / _mean(theirs, lambda row: row.cpu_ns)
    return (
        f"The system takes {100 * system:.0f} % of its time in Benchmark I, for page faults: "
        f"{a_leaf[theirs]:.3f} for a leaf element, a mean over the rows, in a `multipool` of mallard's "
        f"{a_leaf['multipool']:.3f}, under `{BASE}` {a_leaf[BASE]:.3f}. At the end of each structure its "
        "chunks return to glibc's malloc, and from there to the system; mallard's wait in a cache."
    )


def _mean(strategy: str, amount: Callable[[Row], int]) -> float:
    """An amount for a leaf element: the mean over the rows of the median of the repetitions."""
    by_cell: dict[str, list[float]] = {}
    for row in runs_of("density")[0].rows:
        if row.strategy == strategy and row.status == OK:
            by_cell.setdefault(str(row.parameters), []).append(amount(row) / row.operations)
    return fmean(map(median, by_cell.values()))


@block("bde_pairs", is_part=True)
def pairs(*, whole: bool = False) -> str:
    """mallard's time by BDE's, a line for each strategy of the papers, a column for each experiment; in the
    whole table with its interval and the number of cells by verdict.
    """
    by_name: dict[str, dict[str, PeerSummary]] = {}
    for column in columns():
        for pair in pairs_of(column):
            by_name.setdefault(pair.ours, {})[column] = pair.summaries[0]
    shown = [name for name in PAPERS.values() if name in by_name and (whole or WINK_MARK not in name)]
    lines = [
        [name, *(_summary(by_name[name].get(column), whole=whole) for column in columns())] for name in shown
    ]
    return markdown_table(["mallard / BDE", *columns()], lines)


def _summary(summary: PeerSummary | None, *, whole: bool) -> str:
    if summary is None or summary.mean is None:
        return ""
    if not whole:
        return ratio_figure(summary.mean.median)
    cells = "/".join(str(summary.counts[verdict]) for verdict in COUNTED)
    return f"{ratio_text(summary.mean)} {cells}"


@block("bde_losses")
def slower() -> str:
    """A line for each experiment with cells in which BDE's counterpart is faster beyond the interval."""
    lines = []
    for column in columns():
        compared = [result for pair in pairs_of(column) for each in pair.summaries for result in each.results]
        lost = [
            result for result in losses(compared) if result.ratio is None or result.ratio.median >= LEAST_LOSS
        ]
        if lost:
            lines.append([column, f"{len(lost)} of {len(compared)}", *_worst(lost, compared)])
    heading = ["experiment", "pairs of cells", "the worst", "mallard's", "BDE's", "mallard / BDE"]
    return markdown_table(heading, lines, texts=1, more_texts=heading[2:5]) if lines else "None."


def _worst(lost: Sequence[CellResult], compared: Sequence[CellResult]) -> list[str]:
    worst = lost[0]
    assert worst.verdict == SLOWER
    cell = CellNames(compared).of(worst).replace(", small pages", "").replace("<", "&lt;")
    sides = (f"`{side.strategy}` {value_text(side, worst)}" for side in (worst.ours, worst.theirs))
    return [cell, *sides, ratio_text(worst.ratio)]
