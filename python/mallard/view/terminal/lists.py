"""Lists of what can be measured, what was printed, and what was measured here."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from mallard.analysis.names import in_table_order
from mallard.contenders import CONTENDERS, LIBRARIES
from mallard.experiments import EXPERIMENTS
from mallard.papers.catalogue import EXTRA_STRATEGIES, strategies, structures
from mallard.papers.registry import UNNUMBERED, all_tables
from mallard.selection import in_words
from mallard.store import Run, Store
from mallard.strategy_names import number_of
from mallard.view.terminal.console import output_console

PIPE_WIDTH = 160  # the longest caption of a table


def show_list(name: str, *, heading: bool) -> None:
    """`heading` where others follow."""
    console = output_console(PIPE_WIDTH)
    if heading:
        console.print(f"[bold]{name}[/]")
    console.print(LISTS[name]())
    if heading:
        console.print()


def show_runs(store: Store) -> None:
    output_console(PIPE_WIDTH).print(_runs(store))


def _experiments() -> Table:
    rows = [
        [each.name, each.text, each.operation, in_words(each.strategies)] for each in EXPERIMENTS.values()
    ]
    return _table(["name", "what it does", "a time is of", "strategies"], rows)


def _structures() -> Table:
    rows = [[name, each.type, f"2^{each.inner_log2}"] for name, each in structures().items()]
    return _table(["name", "type", "leaves of an element"], rows)


def _strategies() -> Table:
    every = {each.name: each for each in (*strategies().values(), *EXTRA_STRATEGIES)}
    known = [every[name] for name in in_table_order(every)]
    rows = [
        [each.name, number_of(each.name), each.allocator, each.binding, each.destruction] for each in known
    ]
    return _table(["name", "AS", "allocator", "binding", "destruction"], rows)


def _contenders() -> Table:
    rows = [
        [name, each.library, each.text, LIBRARIES[each.library].package, _where(each.experiments)]
        for name, each in CONTENDERS.items()
    ]
    listed = _table(["name", "library", "what it is", "package", "experiments"], rows)
    listed.columns[0].no_wrap = listed.columns[3].no_wrap = True
    listed.columns[2].overflow = "fold"
    return listed


def _where(experiments: Sequence[str]) -> str:
    left_out = [name for name in EXPERIMENTS if name not in experiments]
    if len(left_out) >= len(experiments):
        return ", ".join(experiments)
    return f"all but {', '.join(left_out)}" if left_out else "all"


def _tables() -> Table:
    rows = [[name, table.experiment, table.caption] for name, table in all_tables().items()]
    listed = _table(["name", "experiment", "what it has"], rows)
    listed.caption = UNNUMBERED
    listed.caption_justify = "left"
    return listed


def _runs(store: Store) -> Table:
    rows = [
        [
            str(run.id),
            run.started.replace("T", " ")[:16],
            run.experiment,
            run.scale,
            str(len(store.rows(run.id))),
            "finished" if run.finished else "interrupted",
            _about(run),
        ]
        for run in store.runs()
    ]
    return _table(["run", "started (UTC)", "experiment", "scale", "rows", "state", "machine, compiler"], rows)


def _about(run: Run) -> str:
    return (
        f"{run.machine.get('cpu') or 'unknown processor'}, {run.runner.get('compiler', 'unknown compiler')}"
    )


def _table(headings: list[str], rows: list[list[str]]) -> Table:
    table = Table(
        box=None, padding=(0, 2, 0, 0), header_style="dim", show_header=any(headings), show_edge=False
    )
    for heading in headings:
        table.add_column(heading)
    for row in rows:
        table.add_row(*row)
    return table


LISTS = {
    "experiments": _experiments,
    "structures": _structures,
    "strategies": _strategies,
    "contenders": _contenders,
    "tables": _tables,
}
