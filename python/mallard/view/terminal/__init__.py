"""A run in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.text import Text

from mallard.analysis.peers import has_contenders
from mallard.analysis.summary import summaries
from mallard.analysis.verdicts import sentence
from mallard.experiments import EXPERIMENTS
from mallard.experiments.description import Phases
from mallard.footprint import readable
from mallard.result import Row
from mallard.run import Outcome
from mallard.store import Note, Run, Store
from mallard.view.terminal.averages import show_averages
from mallard.view.terminal.compilers import show_compilers
from mallard.view.terminal.console import print_line
from mallard.view.terminal.fixed_block import show_fixed_block
from mallard.view.terminal.fragmentation import show_fragmentation
from mallard.view.terminal.heat_map import legend, show_heat_map
from mallard.view.terminal.locality import show_locality
from mallard.view.terminal.phases import show_phases
from mallard.view.terminal.primitives import show_primitives
from mallard.view.terminal.races import show_contention, show_utilization

__all__ = ["show_outcome", "show_run"]

# The most kinds of failure that are shown; the database has all.
FAILURES_SHOWN = 10


def show_run(console: Console, run: Run, rows: Sequence[Row], notes: Sequence[Note] = ()) -> None:
    """The notes are those that the caller has not shown."""
    console.print(heading(run), style="bold", markup=False)
    for note in notes:
        print_line(console, f"{note.kind}: {note.text}")
    console.print()
    if run.experiment == "contention":
        show_contention(console, run, rows)
    else:
        experiment = EXPERIMENTS[run.experiment]
        panel = experiment.panel
        if isinstance(panel, Phases):
            show_phases(console, experiment, panel, rows)
        else:
            SHOW[run.experiment](console, rows)
    show_compilers(console, rows)


def _show_density(console: Console, rows: Sequence[Row]) -> None:
    for summary in summaries(rows):
        for table, verdict in zip(summary.tables, summary.verdicts, strict=True):
            console.print(Text.assemble((f"{table.structure} ", "bold"), table.type))
            show_heat_map(console, table)
            console.print(sentence(verdict), markup=False)
            console.print()
        console.print(legend(), style="dim")
        console.print()
        show_averages(console, summary)


SHOW: dict[str, Callable[[Console, Sequence[Row]], None]] = {
    "density": _show_density,
    "primitives": show_primitives,
    "locality": show_locality,
    "utilization": show_utilization,
    "fragmentation": show_fragmentation,
    "fixed-block": show_fixed_block,
}


def heading(run: Run) -> str:
    """The circumstances that the figures depend on, in one line."""
    cores = f"{run.machine.get('cores')} cores"
    parts = [
        f"Run {run.id}: {run.experiment} --{run.scale}",
        f"{run.repetitions} repetitions or more",
        str(run.machine.get("cpu") or run.machine.get("architecture")) + f", {cores}",
        str(run.machine.get("libc")),
        str(run.runner.get("compiler")),
    ]
    buffer = run.options.get("buffer") if run.experiment == "density" else None
    if buffer == "none":
        parts.append("monotonic strategies without a buffer")
    elif buffer:
        parts.append(f"{buffer} buffer of {readable(run.options['buffer_bytes'])}")
    if pages := run.options.get("pages"):
        parts.append(f"{pages if isinstance(pages, str) else ' and '.join(pages)} pages")
    return "; ".join(parts)


def show_outcome(console: Console, outcome: Outcome, store: Store) -> None:
    """The failures, and the place of the results."""
    rows = store.rows(outcome.run_id)
    failures = Counter((row.status, row.strategy, row.detail) for row in rows if not row.ok)
    console.print()
    for (status, strategy, detail), count in failures.most_common(FAILURES_SHOWN):
        print_line(console, f"{count} x {strategy} {status.replace('_', ' ')}: {detail}")
    if len(failures) > FAILURES_SHOWN:
        console.print(
            f"and {len(failures) - FAILURES_SHOWN} more kinds of failure: 'mallard export' has them all"
        )
    if outcome.not_tried_again:
        console.print(
            f"{outcome.not_tried_again} repetitions of cells out of memory or time were not tried again"
        )
    for mismatch in outcome.mismatches:
        print_line(console, mismatch, "bold")
    run = store.run(outcome.run_id)
    page = (
        "; 'mallard report' shows it beside the published figures" if run.experiment != "primitives" else ""
    )
    peers = "; 'mallard peers' compares with other libraries" if has_contenders(rows) else ""
    print_line(console, f"run {run.id} in {store.path}{page}{peers}")
