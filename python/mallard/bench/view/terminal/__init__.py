"""A run in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from mallard.bench.analysis.names import in_table_order
from mallard.bench.analysis.panels import panel_report
from mallard.bench.analysis.peers import has_contenders
from mallard.bench.analysis.words import nanoseconds
from mallard.bench.cells import cells_by_strategy, figures_by_repetition
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.panel import Spreads
from mallard.bench.footprint import readable
from mallard.bench.plan.notation import Notation
from mallard.bench.result import Row
from mallard.bench.run import Outcome
from mallard.bench.store import Note, Run, Store
from mallard.shared.console import PlainConsole, print_line
from mallard.shared.report.model import Points, Report, visible_blocks
from mallard.shared.report.picture import HeatMap
from mallard.shared.report.terminal import show_section
from mallard.shared.stats import spread

__all__ = ["show_answer", "show_outcome", "show_run"]

# The most kinds of failure that are shown; the database has all.
FAILURES_SHOWN = 10


def show_run(
    console: PlainConsole,
    run: Run,
    rows: Sequence[Row],
    notes: Sequence[Note] = (),
    *,
    everything: bool = False,
) -> None:
    """Prints the figures and, last, what to use. The notes are those that the caller has not shown.
    `everything`: heat maps with all bindings and variants of a strategy."""
    console.print(heading(run), style="bold")
    for note in notes:
        print_line(console, f"{note.kind}: {note.text}")
    console.print()
    report = panel_report(run.experiment, rows, run.machine.get("cores"), everything=everything)
    for section in report.sections:
        show_section(console, section, visible_blocks(section.blocks), is_wrapped=True)
        if section.blocks and not isinstance(section.blocks[-1], HeatMap):
            console.print()
    for text in report.notes:
        console.print(text, style="dim")
    _show_answers(console, report)


def _show_answers(console: PlainConsole, report: Report) -> None:
    """Prints what to use, last, so that it stays on the screen; with several settings, each below its own."""
    answered = [section for section in report.sections if section.answer and section.answer != (Points(()),)]
    if not answered:
        return
    console.print()
    print_line(console, "What to use" if len(answered) == 1 else "What to use, by setting", "bold")
    answers = [block for section in answered for block in section.answer]
    points = [text for block in answers if isinstance(block, Points) for text in block.texts]
    if report.answer.text not in points:
        console.print(report.answer.text)
    for section in answered:
        if len(answered) > 1:
            print_line(console, section.title, "bold")
        blocks = visible_blocks(section.answer)
        show_section(console, replace(section, is_headed=False), blocks, is_wrapped=True)


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


def show_answer(console: PlainConsole, notation: Notation, rows: Sequence[Row]) -> None:
    """The answer in P0089's notation: the accesses before or after the shuffle, as the sign of sf asks."""
    figure = f"sf{notation.timed_factor}_af{notation.access_factor}_ns"
    cells = cells_by_strategy(rows)
    parts = []
    for strategy in in_table_order(cells):
        by_repetition = figures_by_repetition(cells[strategy].rows).get(figure, {})
        times = [value for values in by_repetition.values() for value in values]
        if not times:
            continue
        summary = spread(times)
        interval = f"{nanoseconds(summary.low)} to {nanoseconds(summary.high)}"
        parts.append(f"{strategy} {nanoseconds(summary.median)} ns ({interval})")
    if parts:
        side = "before" if notation.access_first else "after"
        where = f"{side} the shuffle" if notation.shuffle_factor else "without a shuffle"
        console.print(f"{notation.text}: an access {where} takes {', '.join(parts)}")


def show_outcome(console: PlainConsole, outcome: Outcome, store: Store) -> None:
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
    page = "; 'mallard show page' shows it with the published figures" if printed else ""
    peers = "; 'mallard show peers' compares with other libraries" if has_contenders(rows) else ""
    print_line(console, f"run {run.id} in {store.path}{page}{peers}")
