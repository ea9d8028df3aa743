"""The documents' figures of programs in young and old heaps."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from statistics import geometric_mean

from figures.stored import StoredRun, markdown_table, run_conditions, stored_runs
from mallard.bench.analysis.cell_tables import median_figure
from mallard.bench.analysis.names import BASE, in_table_order, malloc
from mallard.bench.analysis.panel.works import (
    FASTEST_MALLOC,
    Work,
    cells_by_work,
    compare,
    group_works,
    with_fastest_malloc,
)
from mallard.bench.analysis.words import percent, percent_text, times_text
from mallard.bench.cells import Cell, paired
from mallard.bench.experiments.programs import HELD, NAME
from mallard.bench.library import AGED, REUSES
from mallard.shared.age import OLD, YOUNG
from mallard.shared.mallocs import OWN, split, under
from mallard.shared.stats import Ratio, geometric_mean_ratio

HISTORY = "history_held_bytes"
POOLS = ("multipool", "monotonic")
MULTIPOOLS = (POOLS[0], *REUSES, *AGED)
WIDEST = 3.0  # of an interval: its ends, as a ratio
NOT_MEASURED = "Not measured on this machine yet."
Cells = Mapping[str, Mapping[str, Cell]]


def blocks() -> dict[str, Callable[[], str]]:
    return {
        "age_programs": lambda: _of_run(_main_allocators),
        "which_malloc": lambda: _of_run(_mallocs),
        "which_malloc_answer": lambda: _of_run(_best_mallocs),
        "age_conditions": lambda: _of_run(lambda run: run_conditions(run)),
        "age_pools": lambda: _of_run(_pools, pools_run),
        "age_pools_conditions": lambda: _of_run(lambda run: run_conditions(run), pools_run),
    }


def whole_tables() -> dict[str, Callable[[], str]]:
    return {
        "age_programs": lambda: _of_run(_allocators),
        "age_each": lambda: _of_run(_each_program),
    }


def aged_run() -> StoredRun | None:
    """The stored run of programs in several ages under several mallocs, if there is one."""
    return next((run for run in _runs_of_ages() if run.run["options"].get("mallocs")), None)


def pools_run() -> StoredRun | None:
    """The one of pools that have had the history themselves."""
    return next((run for run in _runs_of_ages() if AGED[0] in run.run["options"]["strategies"]), None)


def compared_runs() -> list[StoredRun]:
    """Those of sentence()."""
    return [run for run in (aged_run(), pools_run()) if run]


def _runs_of_ages() -> Iterator[StoredRun]:
    return (run for run in stored_runs(NAME) if len(run.run["options"].get("ages", [])) > 1)


def old_cells() -> tuple[Cells, str]:
    """Of the stored run's old processes, and the malloc with the least mean there: the strategies' cells are
    those over it. Empty without a stored run.
    """
    run = aged_run()
    if run is None:
        return {}, ""
    works = cells_by_work(_works(run, OLD))
    best = _best_malloc(works)
    chosen = {BASE: BASE, FASTEST_MALLOC: FASTEST_MALLOC} | {name: under(name, best) for name in POOLS}
    cells = {
        work: {name: of_work[stored] for name, stored in chosen.items() if stored in of_work}
        for work, of_work in works.items()
    }
    return cells, best


def sentence() -> str:
    """README's, next to its figures of young processes."""
    run = aged_run()
    old, best = old_cells()
    against = compare(old, POOLS[0], FASTEST_MALLOC)
    own = _aged(cells_by_work(_works(run, YOUNG)), old, BASE) if run else None
    held = _memory(_works(run, OLD), under(POOLS[0], best)) if run else None
    added = _added(_works(run, OLD), under(POOLS[0], best)) if run else None
    if against is None or own is None or held is None or added is None:
        return ""
    return (
        f"**Old processes** (a model: of 96 MB of other blocks, replaced three times, 60 % were freed): over "
        f"{len(against.ratios)} large programs a new `{POOLS[0]}` for each scope, over {best}, takes "
        f"{percent_text(against.mean)} of the time of each program's fastest malloc, with {percent(held)} % "
        f"of the process's memory; the program's own part is {added:.1f} times as large. glibc's malloc "
        f"takes {times_text(own)} as long as in a young process.{_aged_pool(against.mean)} "
        "([age](docs/benchmark/age.md))."
    )


def _aged_pool(new: Ratio) -> str:
    """What a pool that has served the history loses, and whether to the fastest malloc, too."""
    run = pools_run()
    aged = compare(cells_by_work(_works(run, OLD)), AGED[0], POOLS[0]) if run else None
    if aged is None:
        return ""
    slower = ", more than that malloc" if aged.mean.low * new.low > 1.0 else ""
    return f" A pool that served that past takes {percent_text(aged.mean)} of a new one's time{slower}"


def _best_malloc(works: Cells) -> str:
    """The one that has finished most programs, and of these the one with the least mean."""
    names = {name for cells in works.values() for name in cells if split(name)[0] == BASE}
    comparisons = {name: comparison for name in names if (comparison := compare(works, name, BASE))}
    best = min(comparisons, key=lambda name: (-len(comparisons[name].ratios), comparisons[name].mean.median))
    return split(best)[1] or OWN


def _of_run(text: Callable[[StoredRun], str], find: Callable[[], StoredRun | None] = aged_run) -> str:
    run = find()
    return text(run) if run else NOT_MEASURED


def _works(run: StoredRun, age: str) -> list[Work]:
    by_setting = group_works(NAME, run.rows)
    return [work for setting, works in by_setting.items() if dict(setting)["age"] == age for work in works]


def _label(name: str) -> str:
    """`glibc`, `mimalloc3`, `multipool over snmalloc`"""
    plain, under = split(name)
    if plain == BASE:
        return under or OWN
    return f"`{plain}` over {under or OWN}"


def _main_allocators(run: StoredRun) -> str:
    """Of glibc and of the best malloc in old processes."""
    _, best = old_cells()
    return _allocators(run, {OWN, best})


def _allocators(run: StoredRun, mallocs: Collection[str] = ()) -> str:
    """A line for each allocator, with these mallocs or with all: against each program's fastest malloc, young
    and old, and against itself.
    """
    young, old = (cells_by_work(_works(run, age)) for age in (YOUNG, OLD))
    names = in_table_order({name for cells in old.values() for name in cells if name != FASTEST_MALLOC})
    if mallocs:
        names = [name for name in names if (split(name)[1] or OWN) in mallocs]
    lines = []
    for name in sorted(names, key=lambda name: split(name)[0] != BASE):
        against = [compare(cells, name, FASTEST_MALLOC) for cells in (young, old)]
        aged, held = _aged(young, old, name), _memory(_works(run, OLD), name)
        if aged is None or None in against:
            continue
        lines.append(
            [
                _label(name),
                *(percent_text(comparison.mean) for comparison in against if comparison),
                percent_text(aged),
                f"{percent(held)} %" if held else "",
                str(len(against[1].ratios) if against[1] else 0),
            ]
        )
    heading = [
        *("allocator", "young, of each program's fastest malloc", "old, of the fastest malloc there"),
        *("old, of itself young", "memory, of that malloc's", "programs"),
    ]
    return markdown_table(heading, lines)


def _mallocs(run: StoredRun) -> str:
    """A line for each malloc, glibc's first: the time of programs without a local allocator in percent of
    glibc's, young and old, the programs in which it is the fastest, and the memory of the process.
    """
    works = [_works(run, age) for age in (YOUNG, OLD)]
    cells = [cells_by_work(some) for some in works]
    names = in_table_order({name for of_work in cells[1].values() for name in of_work})
    lines = []
    for name in (name for name in names if split(name)[0] == BASE):
        against = [compare(some, name, BASE) for some in cells]
        if None in against:
            continue
        fastest = [
            sum(of_work[FASTEST_MALLOC].strategy == name for of_work in some.values()) for some in cells
        ]
        held = [_memory_of_glibcs(some, name) for some in works]
        lines.append(
            [
                _label(name),
                *("100 %" if name == BASE else percent_text(one.mean) for one in against if one),
                " / ".join(map(str, fastest)),
                " / ".join(f"{percent(share)} %" if share else "" for share in held),
            ]
        )
    heading = ["malloc", "time, young", "time, old", "fastest in, young / old", "memory, young / old"]
    return markdown_table(heading, lines)


def _best_mallocs(run: StoredRun) -> str:
    """The mallocs with the least mean time and the least mean memory, young and old."""
    texts = []
    for age in (YOUNG, OLD):
        works = _works(run, age)
        cells = cells_by_work(works)
        best = under(BASE, _best_malloc(cells))
        mean = compare(cells, best, BASE)
        held = {
            name: share
            for name in {name for of_work in cells.values() for name in of_work}
            if split(name)[0] == BASE and (share := _memory_of_glibcs(works, name))
        }
        least = min(held, key=lambda name: held[name], default="")
        if mean and least:
            texts.append(
                f"in {age} processes {_label(best)} takes {percent_text(mean.mean)} of the time of glibc's "
                f"malloc, and {_label(least)} {percent(held[least])} % of its memory"
            )
    return f"The best means: {'; '.join(texts)}."


def _memory_of_glibcs(works: list[Work], name: str) -> float | None:
    """What the process holds at the peak, with what a history left."""
    pairs = [
        (_held(work, name), _held(work, BASE))
        for work in works
        if {name, BASE} <= work.line.cells.keys() and work.line.finished(name)
    ]
    shares = [own / other for own, other in pairs if own and other]
    return geometric_mean(shares) if shares else None


def _aged(young: Cells, old: Cells, name: str) -> Ratio | None:
    """The time in an old heap as a ratio to that in a young one, over the programs that finished in both."""
    pairings = [
        pairing
        for program, cells in old.items()
        if name in cells and name in young.get(program, {})
        if (pairing := paired(cells[name].times, young[program][name].times))
    ]
    return geometric_mean_ratio(pairings) if pairings else None


def _memory(works: list[Work], name: str) -> float | None:
    """What the process holds at the peak with all that the history left, against the fastest malloc of each
    program. A malloc reuses what was freed before; a pool's memory comes on top."""
    shares = []
    for work in works:
        rival = with_fastest_malloc(work.line.cells).get(FASTEST_MALLOC)
        own = _held(work, name) if name in work.line.cells else None
        other = _held(work, rival.strategy) if rival else None
        if own and other:
            shares.append(own / other)
    return geometric_mean(shares) if shares else None


def _added(works: list[Work], name: str) -> float | None:
    """What the programs themselves hold at their peaks, in sum, relative to the same under their fastest
    mallocs."""
    own = other = 0.0
    for work in works:
        rival = with_fastest_malloc(work.line.cells).get(FASTEST_MALLOC)
        if rival and name in work.line.cells:
            own += median_figure(work.line, name, HELD.figure) or 0.0
            other += median_figure(work.line, rival.strategy, HELD.figure) or 0.0
    return own / other if other else None


def _held(work: Work, name: str) -> float:
    return sum(median_figure(work.line, name, figure) or 0.0 for figure in (HISTORY, HELD.figure))


def _resolved(ratio: Ratio) -> str:
    """An interval that spans more than a factor says nothing but its median."""
    if ratio.bounded and ratio.high > WIDEST * ratio.low:
        return f"{percent(ratio.median)} %, not resolved"
    return percent_text(ratio)


def _pools(run: StoredRun) -> str:
    """A line for each order of reuse and for pools that had the history, against `multipool`."""
    young, old = (cells_by_work(_works(run, age)) for age in (YOUNG, OLD))
    lines = []
    for name in (BASE, *MULTIPOOLS):
        against = [compare(cells, name, POOLS[0]) for cells in (young, old)]
        aged = _aged(young, old, name)
        if aged is None or None in against:
            continue
        lines.append(
            [
                _label(name) if name == BASE else f"`{name}`",
                *("100 %" if name == POOLS[0] else percent_text(one.mean) for one in against if one),
                percent_text(aged),
                str(len(against[1].ratios) if against[1] else 0),
            ]
        )
    return markdown_table(
        ["allocator", "young, of `multipool`", "old, of it", "old, of itself young", "programs"], lines
    )


def _each_program(run: StoredRun) -> str:
    """A line for each program: glibc and `multipool` old against young, and the fastest malloc of both."""
    young, old = (cells_by_work(_works(run, age)) for age in (YOUNG, OLD))
    lines = []
    for program, cells in old.items():
        fastest = [malloc(of[program][FASTEST_MALLOC].strategy) or OWN for of in (young, old)]
        own = _aged({program: young[program]}, {program: cells}, BASE)
        pools = [name for name in cells if split(name)[0] == "multipool" and cells[name].finished]
        if own is None or not pools:
            continue
        pool = min(pools, key=lambda name: cells[name].ns_per_operation)
        against = compare({program: cells}, pool, FASTEST_MALLOC)
        lines.append(
            [
                *(program, _resolved(own), " / ".join(fastest), _label(pool)),
                _resolved(against.mean) if against else "",
            ]
        )
    heading = [
        *("program", "glibc, old of young", "fastest malloc, young / old", "fastest pool, old"),
        "of the fastest malloc",
    ]
    return markdown_table(heading, lines)
