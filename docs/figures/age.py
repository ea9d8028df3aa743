"""The documents' figures of programs in young and old heaps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from statistics import geometric_mean

from figures import BLOCKS, block, whole_table
from figures.stored import StoredRun, markdown_table, run_conditions, stored_runs
from mallard.bench.analysis.cell_tables import median_figure
from mallard.bench.analysis.names import BASE, in_table_order, malloc
from mallard.bench.analysis.panel.works import (
    FASTEST_MALLOC,
    Comparison,
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
from mallard.shared.age import OLD, YOUNG, levels
from mallard.shared.mallocs import OWN, split, under
from mallard.shared.stats import Ratio, geometric_mean_ratio

HISTORY = "history_held_bytes"
POOLS = ("multipool", "monotonic")
MULTIPOOLS = (POOLS[0], *REUSES, *AGED)
WIDEST = 3.0  # of an interval: its ends, as a ratio
Cells = Mapping[str, Mapping[str, Cell]]  # program -> strategy -> cell

BLOCKS["age_conditions"] = lambda: run_conditions(_mallocs_run().run)
BLOCKS["age_pools_conditions"] = lambda: run_conditions(_pools_run().run)


@dataclass(frozen=True)
class AgedRun:
    """A stored run of programs in several ages: pairs are of young and of old processes."""

    run: StoredRun

    @cached_property
    def works(self) -> list[list[Work]]:
        by_setting = group_works(NAME, self.run.rows)
        return [
            [work for setting, works in by_setting.items() if dict(setting)["age"] == age for work in works]
            for age in (YOUNG, OLD)
        ]

    @cached_property
    def cells(self) -> list[Cells]:
        return list(map(cells_by_work, self.works))

    def compared(
        self, names: Iterable[str], base: str
    ) -> Iterator[tuple[str, Comparison, Comparison, Ratio]]:
        """Those that can be compared at both ages, with the time in old processes relative to young ones."""
        for name in names:
            young, old = (compare(cells, name, base) for cells in self.cells)
            aged = self.aged(name)
            if young and old and aged:
                yield name, young, old, aged

    def aged(self, name: str) -> Ratio | None:
        """The time in an old heap as a ratio to that in a young one."""
        return _aged(*self.cells, name)

    def names(self) -> list[str]:
        return in_table_order({name for cells in self.cells[1].values() for name in cells})


@cache
def _mallocs_run() -> AgedRun:
    """Under several mallocs."""
    return AgedRun(next(run for run in _runs_of_ages() if run.run["options"].get("mallocs")))


@cache
def _pools_run() -> AgedRun:
    """Of pools that have had the history themselves."""
    return AgedRun(next(run for run in _runs_of_ages() if AGED[0] in run.run["options"]["strategies"]))


def compared_runs() -> list[StoredRun]:
    """Those of sentence()."""
    return [_mallocs_run().run, _pools_run().run]


def _runs_of_ages() -> Iterator[StoredRun]:
    return (run for run in stored_runs(NAME) if len(run.run["options"].get("ages", [])) > 1)


def old_cells() -> tuple[Cells, str]:
    """Of old processes, and the malloc with the least mean there: the strategies' cells are those over it."""
    _, works = _mallocs_run().cells
    best = _best_malloc(works)
    chosen = {BASE: BASE, FASTEST_MALLOC: FASTEST_MALLOC} | {name: under(name, best) for name in POOLS}
    cells = {
        work: {name: of_work[stored] for name, stored in chosen.items() if stored in of_work}
        for work, of_work in works.items()
    }
    return cells, best


def sentence() -> str:
    """README's, next to its figures of young processes."""
    run = _mallocs_run()
    old, best = old_cells()
    against, own = compare(old, POOLS[0], FASTEST_MALLOC), run.aged(BASE)
    held = _memory(run.works[1], under(POOLS[0], best))
    assert against
    assert own
    added = _added(run.works[1], under(POOLS[0], best))
    assert held
    assert added
    past = levels()[OLD]
    return (
        f"**Old processes** (a model: of {past.peak_bytes >> 20} MiB of other blocks, replaced {past.rounds} "
        f"times, {percent(1.0 - past.kept)} % were freed): over "
        f"{len(against.ratios)} large programs a new `{POOLS[0]}` for each scope, over {best}, takes "
        f"{percent_text(against.mean)} of the time of each program's fastest malloc, with {percent(held)} % "
        f"of the process's memory; the program's own part is {added:.1f} times as large. glibc's malloc "
        f"takes {times_text(own)} as long as in a young process.{_aged_pool(against.mean)} "
        "([age](docs/benchmark/age.md))."
    )


def _aged_pool(new: Ratio) -> str:
    """What a pool that has served the history loses, and whether to the fastest malloc, too."""
    aged = compare(_pools_run().cells[1], AGED[0], POOLS[0])
    assert aged
    slower = ", more than that malloc" if aged.mean.low * new.low > 1.0 else ""
    return f" A pool that served that past takes {percent_text(aged.mean)} of a new one's time{slower}"


def _best_malloc(works: Cells) -> str:
    """The one that has finished most programs, and of these the one with the least mean."""
    names = {name for cells in works.values() for name in cells if split(name)[0] == BASE}
    comparisons = {name: comparison for name in names if (comparison := compare(works, name, BASE))}
    best = min(comparisons, key=lambda name: (-len(comparisons[name].ratios), comparisons[name].mean.median))
    return split(best)[1] or OWN


def _label(name: str) -> str:
    """`glibc`, `mimalloc3`, `multipool over snmalloc`"""
    plain, under = split(name)
    if plain == BASE:
        return under or OWN
    return f"`{plain}` over {under or OWN}"


@block("age_programs")
def _main_allocators() -> str:
    """Of glibc and of the best malloc in old processes."""
    _, best = old_cells()
    return _allocators({OWN, best})


@whole_table("age_programs")
def _allocators(mallocs: Collection[str] = ()) -> str:
    """A line for each allocator, with these mallocs or with all: against each program's fastest malloc, young
    and old, and against itself.
    """
    run = _mallocs_run()
    names = [name for name in run.names() if not mallocs or (split(name)[1] or OWN) in mallocs]
    names = sorted(
        (name for name in names if name != FASTEST_MALLOC), key=lambda name: split(name)[0] != BASE
    )
    lines = []
    for name, young, old, aged in run.compared(names, FASTEST_MALLOC):
        held = _memory(run.works[1], name)
        texts = [percent_text(ratio) for ratio in (young.mean, old.mean, aged)]
        lines.append([_label(name), *texts, f"{percent(held)} %" if held else "", str(len(old.ratios))])
    heading = [
        *("allocator", "young, of each program's fastest malloc", "old, of the fastest malloc there"),
        *("old, of itself young", "memory, of that malloc's", "programs"),
    ]
    return markdown_table(heading, lines)


@block("which_malloc")
def _mallocs() -> str:
    """A line for each malloc, glibc's first: the time of programs without a local allocator in percent of
    glibc's, young and old, the programs in which it is the fastest, and the memory of the process.
    """
    run = _mallocs_run()
    lines = []
    mallocs = (name for name in run.names() if split(name)[0] == BASE)
    for name, young, old, _ in run.compared(mallocs, BASE):
        means = ["100 %" if name == BASE else percent_text(one.mean) for one in (young, old)]
        fastest = [
            sum(of_work[FASTEST_MALLOC].strategy == name for of_work in cells.values()) for cells in run.cells
        ]
        held = [_memory(works, name, BASE) for works in run.works]
        shares = " / ".join(f"{percent(share)} %" if share else "" for share in held)
        lines.append([_label(name), *means, " / ".join(map(str, fastest)), shares])
    heading = ["malloc", "time, young", "time, old", "fastest in, young / old", "memory, young / old"]
    return markdown_table(heading, lines)


@block("which_malloc_answer")
def _best_mallocs() -> str:
    """The mallocs with the least mean time and the least mean memory, young and old."""
    run = _mallocs_run()
    texts = []
    for age, works, cells in zip((YOUNG, OLD), run.works, run.cells, strict=True):
        best = under(BASE, _best_malloc(cells))
        mean = compare(cells, best, BASE)
        held = {
            name: share
            for name in {name for of_work in cells.values() for name in of_work}
            if split(name)[0] == BASE and (share := _memory(works, name, BASE))
        }
        least = min(held, key=lambda name: held[name])
        assert mean
        texts.append(
            f"in {age} processes {_label(best)} takes {percent_text(mean.mean)} of the time of glibc's "
            f"malloc, and {_label(least)} {percent(held[least])} % of its memory"
        )
    return f"The best means: {'; '.join(texts)}."


def _aged(young: Cells, old: Cells, name: str) -> Ratio | None:
    """The time in an old heap as a ratio to that in a young one, over the programs that finished in both."""
    pairings = [
        pairing
        for program, cells in old.items()
        if name in cells and name in young.get(program, {})
        if (pairing := paired(cells[name].times, young[program][name].times))
    ]
    return geometric_mean_ratio(pairings) if pairings else None


def _memory(works: list[Work], name: str, base: str = FASTEST_MALLOC) -> float | None:
    """What the process holds at the peak with all that the history left, against the base in each program. A
    malloc reuses what was freed before; a pool's memory comes on top.
    """
    shares = []
    for work in works:
        cells = with_fastest_malloc(work.line.cells)
        own, other = (_held(work, cells[each].strategy) if each in cells else 0.0 for each in (name, base))
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


@block("age_pools")
def _pools() -> str:
    """A line for each order of reuse and for pools that had the history, against `multipool`."""
    lines = []
    for name, young, old, aged in _pools_run().compared((BASE, *MULTIPOOLS), POOLS[0]):
        label = _label(name) if name == BASE else f"`{name}`"
        means = ["100 %" if name == POOLS[0] else percent_text(one.mean) for one in (young, old)]
        lines.append([label, *means, percent_text(aged), str(len(old.ratios))])
    return markdown_table(
        ["allocator", "young, of `multipool`", "old, of it", "old, of itself young", "programs"], lines
    )


@whole_table("age_each")
def _each_program() -> str:
    """A line for each program: glibc and `multipool` old against young, and the fastest malloc of both."""
    young, old = _mallocs_run().cells
    lines = []
    for program, cells in old.items():
        fastest = [malloc(of[program][FASTEST_MALLOC].strategy) or OWN for of in (young, old)]
        own = _aged({program: young[program]}, {program: cells}, BASE)
        pools = [name for name in cells if split(name)[0] == "multipool" and cells[name].finished]
        if own is None or not pools:
            continue
        pool = min(pools, key=lambda name: cells[name].ns_per_operation)
        against = compare({program: cells}, pool, FASTEST_MALLOC)
        of_malloc = _resolved(against.mean) if against else ""
        lines.append([program, _resolved(own), " / ".join(fastest), _label(pool), of_malloc])
    heading = [
        *("program", "glibc, old of young", "fastest malloc, young / old", "fastest pool, old"),
        "of the fastest malloc",
    ]
    return markdown_table(heading, lines)
