"""Lists: what can be measured, what the papers print, and the runs in a database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence

from rich.table import Table
from rich.text import Text

from mallard.analysis.names import in_table_order
from mallard.contenders import CONTENDERS, LIBRARIES
from mallard.experiments import EXPERIMENTS
from mallard.papers.catalogue import described, structures
from mallard.papers.registry import UNNUMBERED, all_tables
from mallard.selection import in_words
from mallard.store import Run, Store
from mallard.strategy_names import mechanism_of, number_of
from mallard.view.terminal.console import output_console

PIPE_WIDTH = 80
SUFFIXES = (
    "AS: the numbers in P0089. /base: bound by abstract base, all others by type parameter. /wink: winked "
    "out, so no destructor runs. 'also /wink' is a name too: monotonic/wink."
)


def show_list(name: str) -> None:
    output_console(PIPE_WIDTH).print(LISTS[name]())


def show_runs(store: Store) -> None:
    console = output_console(PIPE_WIDTH)
    runs = store.runs()
    console.print(_runs(store, runs))
    abouts = Counter(map(_about, runs)).most_common()
    for place, (about, _) in enumerate(abouts):
        numbers = ", ".join(str(run.id) for run in runs if _about(run) == about)
        where = f"run {numbers}" if place else "every other run" if len(abouts) > 1 else "every run"
        console.print(f"{where}: {about}", markup=False)


def _experiments() -> Table:
    return _table(["name", "what it does"], [[each.name, each.text] for each in EXPERIMENTS.values()])


def _structures() -> Table:
    rows = [[name, each.type, f"2^{each.inner_log2}"] for name, each in structures().items()]
    return _table(["name", "type", "leaves of an element"], rows)


def _strategies() -> Table:
    known = described()
    rows = []
    for names in _grouped(in_table_order(known), lambda name: (mechanism_of(name), known[name].allocator)):
        numbers = in_words([number for name in names if (number := number_of(name))])
        rows.append([names[0], numbers, f"{known[names[0]].allocator}{_also(names)}"])
    listed = _table(["name", "AS", "allocator"], rows)
    listed.caption = SUFFIXES
    listed.caption_justify = "left"
    return listed


def _contenders() -> Table:
    """The strategies of a library below its name."""
    listed = Table.grid(padding=(0, 2, 0, 0))
    listed.add_column(no_wrap=True)
    listed.add_column(overflow="fold")
    for library in LIBRARIES.values():
        package = f"package {library.package}" if library.package else "comes with the compiler"
        listed.add_row(Text(library.name, "bold"), Text(package, "dim"))
        here = [name for name, each in CONTENDERS.items() if each.library == library.name]
        for names in _grouped(here, mechanism_of):
            listed.add_row(f"  {names[0]}", f"{CONTENDERS[names[0]].text}{_also(names)}")
    return listed


def _grouped(names: Iterable[str], key: Callable[[str], Hashable]) -> list[list[str]]:
    """Names with equal keys, where the first of them stands."""
    groups: dict[Hashable, list[str]] = {}
    for name in names:
        groups.setdefault(key(name), []).append(name)
    return list(groups.values())


def _also(names: Sequence[str]) -> str:
    """` (also /wink, /base)` of monotonic, monotonic/wink and monotonic/base."""
    others = [name.removeprefix(mechanism_of(name)) for name in names[1:]]
    return f" (also {', '.join(others)})" if others else ""


def _tables() -> Table:
    rows = [[name, table.experiment, table.caption] for name, table in all_tables().items()]
    listed = _table(["name", "experiment", "what it has"], rows)
    listed.caption = UNNUMBERED
    listed.caption_justify = "left"
    return listed


def _runs(store: Store, runs: Sequence[Run]) -> Table:
    rows = [
        [
            str(run.id),
            run.started.replace("T", " ")[:16],
            run.experiment,
            run.scale,
            str(len(store.rows(run.id))),
            "finished" if run.finished else "interrupted",
        ]
        for run in runs
    ]
    return _table(["run", "started (UTC)", "experiment", "scale", "rows", "state"], rows)


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
