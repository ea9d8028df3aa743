"""`mallard show list`: all names on a screen; `mallard show runs` and the like: each of them, described."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from mallard.bench.analysis.names import in_table_order
from mallard.bench.contenders import CONTENDERS, LIBRARIES, Library
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.papers.catalogue import described, offered, structures
from mallard.bench.papers.registry import EXAMPLE, UNNUMBERED, all_tables, in_ranges
from mallard.bench.selection import in_words
from mallard.bench.store import Run, Store
from mallard.bench.strategy_names import (
    BASE_MARK,
    INLINE_MARK,
    WINK_MARK,
    mechanism_name,
    paper_number,
    without_variants,
)
from mallard.cli import exit_status, layout
from mallard.cli.options import check_database, nothing_measured
from mallard.shared.errors import UsageError
from mallard.shared.prose import in_prose

EXAMPLES = (
    ("mallard show list", "all names on one screen"),
    ("mallard show experiments", "the experiments of 'mallard bench'"),
    ("mallard show contenders", "the allocators of other libraries"),
    ("mallard show tables", "the tables of 'mallard show table'"),
    ("mallard show strategies --all", "with every variant"),
    ("mallard show runs --db FILE", "the runs of a database"),
)
RUNS = "runs"
SHORTENED = ("strategies", "contenders", "tables")  # to a screen, unless all are requested
OPTIONS = {"all": f"of {in_prose(SHORTENED)}: each one, described"}

Noted = tuple[str, str]  # a list, and a note below it
IN_COMPILER = "comes with the compiler"
WINK = f"{WINK_MARK}: winked out, without destructors. 'also {WINK_MARK}' is a name too:"
STRATEGIES = (
    f"{BASE_MARK}: behind std::pmr::memory_resource. {INLINE_MARK}: behind "
    f"mallard::inline_resource. Others by type. {WINK} "
    f"monotonic{WINK_MARK}. AS: the papers' numbers, accepted as names."
)


def check(arguments: argparse.Namespace) -> None:
    if arguments.all and arguments.what not in SHORTENED:
        raise UsageError(f"--all is for the lists {in_prose(SHORTENED)}; name one of them, or leave it out")
    check_database(arguments, needed=arguments.what == RUNS)


def run(arguments: argparse.Namespace) -> int:
    if arguments.what in LISTS:
        show_list(arguments.what, everything=arguments.all)
    elif nothing_measured(arguments):
        print(_overview([]))
    else:
        with Store.open_existing(arguments.db) as store:
            if arguments.what == RUNS:
                show_runs(store)
            else:
                print(_overview(store.runs()))
    return exit_status.DONE


def show_list(name: str, *, everything: bool) -> None:
    """Prints a list. `everything`: also of a list longer than a screen."""
    shortened = name in SHORTER and not everything
    table, note = SHORTER[name]() if shortened else LISTS[name]()
    print(table)
    if note:
        print(f"\n{layout.wrapped(note)}")
    if shortened:
        print(f"'mallard show {name} --all' describes each")


def show_runs(store: Store) -> None:
    runs = store.runs()
    print(_runs(store, runs))
    machines = Counter(map(_machine, runs)).most_common()
    for rank, (machine, _) in enumerate(machines):
        numbers = ", ".join(str(run.id) for run in runs if _machine(run) == machine)
        subject = f"run {numbers}" if rank else "every other run" if len(machines) > 1 else "every run"
        print(layout.wrapped(f"{subject}: {machine}"))


def _overview(runs: Sequence[Run]) -> str:
    """The names that the other lists describe, on one screen."""
    papers = Counter(name.partition(":")[0] for name in all_tables())
    defaults = without_variants(in_table_order(offered()))
    mechanisms = dict.fromkeys(map(mechanism_name, defaults))
    rows = [
        ("experiments", ", ".join(EXPERIMENTS)),
        ("structures", in_words(list(structures()))),
        ("strategies", f"{', '.join(mechanisms)}; many also with {BASE_MARK}, {INLINE_MARK} and {WINK_MARK}"),
        ("contenders", f"{len(CONTENDERS)} strategies of {', '.join(LIBRARIES)}"),
        ("tables", ", ".join(f"{number} of {paper}" for paper, number in papers.items())),
        (RUNS, f"{len(runs)}, the newest of {runs[-1].experiment}" if runs else "none yet"),
    ]
    return f"{layout.columns(rows)}\n\n'mallard show NAME' describes each, as in 'mallard show runs'"


def _experiments() -> Noted:
    return layout.table(
        ["name", "what it does"], [[experiment.name, experiment.text] for experiment in EXPERIMENTS.values()]
    ), ""


def _structures() -> Noted:
    rows = [[name, structure.type, f"2^{structure.inner_log2}"] for name, structure in structures().items()]
    return layout.table(["name", "type", "leaves of an element"], rows), ""


def _every_strategy() -> Noted:
    return _strategies(in_table_order(offered())), STRATEGIES


def _default_strategies() -> Noted:
    names = in_table_order(offered())
    defaults = without_variants(names)
    variants = [name for name in names if name not in defaults]
    return _strategies(defaults), f"{STRATEGIES} Not here: {len(variants)} variants, such as {variants[-1]}."


def _strategies(names: Sequence[str]) -> str:
    known = described()
    rows = []
    for uses in _grouped(names, lambda name: (mechanism_name(name), known[name].allocator)):
        numbers = in_words([number for name in uses if (number := paper_number(name))])
        rows.append([uses[0], f"{known[uses[0]].allocator}{_also(uses)}", numbers])
    return layout.table(["name", "allocator", "AS"], rows)


def _every_contender() -> Noted:
    """The strategies of each library, below its name."""
    rows = []
    for library in LIBRARIES.values():
        origin = _origin(library)
        rows.append([library.name, f"package {origin}" if library.package else origin])
        for uses in _grouped(
            _contender_names(library),
            lambda name: (mechanism_name(name), CONTENDERS[name.removesuffix(WINK_MARK)].text),
        ):
            rows.append([f"  {uses[0]}", f"{CONTENDERS[uses[0]].text}{_also(uses)}"])
    return layout.table([], rows), f"{WINK} pmr-monotonic{WINK_MARK}."


def _libraries() -> Noted:
    rows = []
    for library in LIBRARIES.values():
        defaults = dict.fromkeys(map(mechanism_name, without_variants(_contender_names(library))))
        rows.append([library.name, ", ".join(defaults), _origin(library)])
    return layout.table(["library", "strategies", "Debian package"], rows), (
        "'mallard doctor' shows the installed ones, 'mallard bench density --contenders' measures them."
    )


def _origin(library: Library) -> str:
    """The package, or where it is without one."""
    return f"--with {library.word}=PREFIX" if library.by_prefix else library.package or IN_COMPILER


def _contender_names(library: Library) -> list[str]:
    return [name for name, contender in CONTENDERS.items() if contender.library == library.name]


def _grouped(names: Iterable[str], key: Callable[[str], Hashable]) -> list[list[str]]:
    """Names with equal keys, together at the place of the first."""
    groups: dict[Hashable, list[str]] = {}
    for name in names:
        groups.setdefault(key(name), []).append(name)
    return list(groups.values())


def _also(names: Sequence[str]) -> str:
    """` (also /wink, /base)` of monotonic, monotonic/wink and monotonic/base."""
    others = [name.removeprefix(names[0]) for name in names[1:]]
    return f" (also {', '.join(others)})" if others else ""


def _every_table() -> Noted:
    rows = [[name, table.experiment, table.caption] for name, table in all_tables().items()]
    return layout.table(["name", "experiment", "contents"], rows), UNNUMBERED


def _tables_by_experiment() -> Noted:
    """A line for each paper."""
    rows = []
    for experiment in EXPERIMENTS:
        papers: dict[str, list[str]] = {}
        for name, table in all_tables().items():
            if table.experiment == experiment:
                papers.setdefault(table.paper, []).append(name)
        if papers:
            rows.append([experiment, "\n".join(", ".join(in_ranges(names)) for names in papers.values())])
    return layout.table(["experiment", "tables"], rows), (
        f"{UNNUMBERED} 'mallard show table {EXAMPLE}' shows one, with this machine's figures."
    )


def _runs(store: Store, runs: Sequence[Run]) -> str:
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
    return layout.table(["run", "started (UTC)", "experiment", "scale", "rows", "state"], rows)


def _machine(run: Run) -> str:
    return (
        f"{run.machine.get('cpu') or 'unknown processor'}, {run.runner.get('compiler', 'unknown compiler')}"
    )


LISTS: Mapping[str, Callable[[], Noted]] = {
    "experiments": _experiments,
    "structures": _structures,
    "strategies": _every_strategy,
    "contenders": _every_contender,
    "tables": _every_table,
}
SHORTER: Mapping[str, Callable[[], Noted]] = {
    "strategies": _default_strategies,
    "contenders": _libraries,
    "tables": _tables_by_experiment,
}
