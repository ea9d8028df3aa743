"""A run in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib import import_module

from rich.console import Console

from mallard.bench.analysis.averages import compiler_effects
from mallard.bench.analysis.names import in_table_order
from mallard.bench.analysis.peers import has_contenders
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.panel import Own, Phases, Race, Spreads, Works
from mallard.bench.footprint import readable
from mallard.bench.result import Row
from mallard.bench.run import Outcome
from mallard.bench.store import Note, Run, Store
from mallard.bench.view.terminal.panel import Answer, show_answers
from mallard.bench.view.terminal.panel.phases import show_phases, show_works
from mallard.bench.view.terminal.panel.races import show_race
from mallard.bench.view.terminal.panel.spreads import show_spreads
from mallard.bench.view.terminal.table import folded_names, ratio_piece, show_beside, strategy_block
from mallard.shared.view.terminal.console import print_line

__all__ = ["show_outcome", "show_run"]

# The most kinds of failure that are shown; the database has all.
FAILURES_SHOWN = 10


def show_run(
    console: Console, run: Run, rows: Sequence[Row], notes: Sequence[Note] = (), *, everything: bool = False
) -> None:
    """Prints the figures and, last, what to use. The notes are those that the caller has not shown.
    `everything`: heat maps with all bindings and variants of a strategy."""
    console.print(heading(run), style="bold")
    for note in notes:
        print_line(console, f"{note.kind}: {note.text}")
    console.print()
    experiment = EXPERIMENTS[run.experiment]
    answers: list[Answer] = []
    match experiment.panel:
        case Phases() as panel:
            answers = show_phases(console, experiment, panel, rows)
        case Race() as panel:
            answers = show_race(console, experiment, panel, run, rows, everything=everything)
        case Works() as panel:
            answers = show_works(console, experiment, panel, rows)
        case Spreads() as panel:
            show_spreads(console, experiment, panel, rows)
        case Own(module):
            show = import_module(f"{__name__}.panel.{module}").show
            answers = show(console, rows, everything=everything)
    show_compilers(console, rows)
    show_answers(console, answers)


def heading(run: Run) -> str:
    """The circumstances that the figures depend on, in one line."""
    cores = f"{run.machine.get('cores')} cores"
    parts = [
        f"Run {run.id}: {run.experiment} --{run.scale}",
        f"{run.repetitions} repetitions or more",
        str(run.machine.get("cpu") or run.machine.get("architecture")) + f", {cores}",
        str(run.machine.get("libc") or ""),
        str(run.runner.get("compiler")),
    ]
    buffer = run.options.get("buffer") if "buffer_bytes" in run.options else None
    if buffer == "none":
        parts.append("monotonic strategies without a buffer")
    elif buffer:
        parts.append(f"{buffer} buffer of {readable(run.options['buffer_bytes'])}")
    if pages := run.options.get("pages"):
        parts.append(f"{pages if isinstance(pages, str) else ' and '.join(pages)} pages")
    return "; ".join(filter(None, parts))


def show_outcome(console: Console, outcome: Outcome, store: Store) -> None:
    """The failures, and the place of the results."""
    rows = store.rows(outcome.run_id)
    failures = Counter((row.status, row.strategy, row.detail) for row in rows if not row.ok)
    console.print()
    for (status, strategy, detail), count in failures.most_common(FAILURES_SHOWN):
        print_line(console, f"{count} x {strategy} {status.replace('_', ' ')}: {detail}")
    if len(failures) > FAILURES_SHOWN:
        console.print(
            f"and {len(failures) - FAILURES_SHOWN} more kinds of failure: 'mallard show export' has them all"
        )
    if outcome.not_tried_again:
        console.print(
            f"{outcome.not_tried_again} repetitions of cells out of memory or time were not tried again"
        )
    for mismatch in outcome.mismatches:
        print_line(console, mismatch, "bold")
    run = store.run(outcome.run_id)
    printed = not isinstance(EXPERIMENTS[run.experiment].panel, Spreads)
    page = "; 'mallard show page' shows it beside the published figures" if printed else ""
    peers = "; 'mallard show peers' compares with other libraries" if has_contenders(rows) else ""
    print_line(console, f"run {run.id} in {store.path}{page}{peers}")


def show_compilers(console: Console, rows: Sequence[Row]) -> None:
    effects = compiler_effects(rows)
    if not effects:
        return
    names = in_table_order({name for effect in effects for name in effect.means})
    widest = max(len(effect.compiler) for effect in effects)
    console.print()
    show_beside(
        console,
        (
            strategy_block(
                f"Time with another compiler / with {effects[0].base}, mean over rows (=: no difference)",
                "",
                group,
                [
                    (effect.compiler, [ratio_piece(effect.means.get(name)) for name in group])
                    for effect in effects
                ],
            )
            for group in folded_names(names, console.width - widest - 1)
        ),
    )
