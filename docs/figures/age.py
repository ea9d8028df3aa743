"""The documents' figures of programs in young, used and old heaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from statistics import geometric_mean, median

from figures import BLOCKS, block
from figures.stored import StoredRun, markdown_table, run_conditions, stored_runs
from mallard.bench.analysis.cell_tables import median_figure
from mallard.bench.analysis.names import BASE, in_table_order
from mallard.bench.analysis.panel.works import (
    FASTEST_MALLOC,
    Comparison,
    Work,
    cells_by_work,
    compare,
    group_works,
    with_fastest_malloc,
)
from mallard.bench.analysis.words import in_a_list, percent, percent_text
from mallard.bench.cells import Cell, paired
from mallard.bench.experiments.programs import HELD, NAME, ONE_POOL
from mallard.bench.library import AGED, REUSES
from mallard.shared.age import OLD, YOUNG, levels
from mallard.shared.mallocs import OWN, split, under
from mallard.shared.stats import Ratio, geometric_mean_ratio

HISTORY = "history_held_bytes"
TIDY = "tidy_ns"
POOLS = ("multipool", "monotonic")
STANDARD_POOL = "pmr-unsynchronized"
# What was to be reached in old processes: of the fastest malloc's time, and of a new pool's.
MOST = {POOLS[0]: 0.80, POOLS[1]: 0.72, AGED[1]: 1.10}
MOST_HELD = 1.15
Cells = Mapping[str, Mapping[str, Cell]]  # program -> strategy -> cell

BLOCKS["age_conditions"] = lambda: run_conditions(_mallocs_run().run)
BLOCKS["age_pools_conditions"] = lambda: run_conditions(_pools_run().run)


@dataclass(frozen=True)
class AgedRun:
    """A stored run of programs at several ages, young and old among them."""

    run: StoredRun

    @cached_property
    def works(self) -> dict[str, list[Work]]:
        """By age, the youngest first."""
        by_setting = group_works(NAME, self.run.rows)
        works = {
            age: [
                work for setting, works in by_setting.items() if dict(setting)["age"] == age for work in works
            ]
            for age in levels()
        }
        return {age: of_age for age, of_age in works.items() if of_age}

    @cached_property
    def cells(self) -> dict[str, Cells]:
        return {age: cells_by_work(works) for age, works in self.works.items()}

    @property
    def ages(self) -> list[str]:
        return list(self.works)

    def compared(self, names: Iterable[str], base: str) -> Iterator[tuple[str, list[Comparison], Ratio]]:
        """Those that can be compared at every age, with the time in old processes relative to young ones."""
        for name in names:
            comparisons = [compare(cells, name, base) for cells in self.cells.values()]
            known = [comparison for comparison in comparisons if comparison]
            aged = self.aged(name)
            if len(known) == len(comparisons) and aged:
                yield name, known, aged

    def aged(self, name: str) -> Ratio | None:
        """The time in an old heap as a ratio to that in a young one."""
        return _aged(self.cells[YOUNG], self.cells[OLD], name)

    def names(self) -> list[str]:
        return in_table_order({name for cells in self.cells[OLD].values() for name in cells})


@cache
def _mallocs_run() -> AgedRun:
    """Under several mallocs, at most ages."""
    runs = (run for run in _runs_of_ages() if run.run["options"].get("mallocs"))
    return AgedRun(max(runs, key=lambda run: len(run.run["options"]["ages"])))


@cache
def _pools_run() -> AgedRun:
    """Of pools that have had the history themselves."""
    return AgedRun(next(run for run in _runs_of_ages() if AGED[0] in run.run["options"]["strategies"]))


def compared_runs() -> list[StoredRun]:
    """Those of sentence()."""
    return [_mallocs_run().run, _pools_run().run]


def _runs_of_ages() -> Iterator[StoredRun]:
    return (run for run in stored_runs(NAME) if len(run.run["options"].get("ages", [])) > 1)


def ages_after_young() -> list[str]:
    return _mallocs_run().ages[1:]


def cells_at(age: str) -> tuple[Cells, str]:
    """Of processes of an age, and the malloc with the least mean there: the pools' cells are those over it,
    std::pmr's are over glibc.
    """
    works = _mallocs_run().cells[age]
    best = _best_malloc(works)
    chosen = {BASE: BASE, FASTEST_MALLOC: FASTEST_MALLOC, STANDARD_POOL: STANDARD_POOL}
    chosen |= {name: under(name, best) for name in POOLS}
    cells = {
        work: {name: of_work[stored] for name, stored in chosen.items() if stored in of_work}
        for work, of_work in works.items()
    }
    return cells, best


def slower_glibc(age: str) -> Ratio:
    """The time of programs under glibc's malloc at an age, relative to young processes."""
    cells = _mallocs_run().cells
    slower = _aged(cells[YOUNG], cells[age], BASE)
    assert slower
    return slower


def gain() -> list[str]:
    """README's line on old processes: time and memory of a pool over the best malloc."""
    works = _mallocs_run().works[OLD]
    cells, best = cells_at(OLD)
    against = compare(cells, POOLS[0], FASTEST_MALLOC)
    held, added = (share(works, under(POOLS[0], best)) for share in (_memory, _added))
    assert against
    assert held
    assert added
    text = f"the same, {len(against.ratios)} large ones in {OLD} processes, the pool over {best}"
    memory = f"{percent(held)} % with the other blocks, {percent(added)} % without"
    return [text, percent_text(against.mean), memory]


def sentence() -> str:
    """README's, of what its table says on old processes."""
    old, _ = cells_at(OLD)
    against = compare(old, POOLS[0], FASTEST_MALLOC)
    assert against
    past = levels()[OLD]
    return (
        f"**Old processes** are a model: {_mebibytes(OLD)} of other blocks, replaced {past.rounds} times, "
        f"then {percent(1.0 - past.kept)} % of them freed. A new pool in it is {_outcomes(against)}. One "
        f"that has had this past takes {_aged_pool()} ([age](docs/benchmark/age.md))."
    )


def _mebibytes(age: str) -> str:
    return f"{levels()[age].peak_bytes >> 20} MiB"


def _outcomes(comparison: Comparison) -> str:
    """`faster beyond the interval in 3 of 14 programs, slower in 2 (requests, sessions)`"""
    outcomes = {program: ratio.outcome for program, ratio in comparison.ratios.items()}
    slower = [f"`{program}`" for program, outcome in outcomes.items() if outcome == "slower"]
    names = f" ({', '.join(slower)})" if slower else ""
    faster = list(outcomes.values()).count("faster")
    return (
        f"faster beyond the interval in {faster} of {len(outcomes)} programs, slower in {len(slower)}{names}"
    )


def _aged_pool() -> str:
    """Of glibc's time, beside the fastest malloc, in the same programs."""
    aged = compare(_pools_run().cells[OLD], AGED[0], BASE)
    assert aged
    old = _mallocs_run().cells[OLD]
    rival = compare({name: old[name] for name in aged.ratios if name in old}, FASTEST_MALLOC, BASE)
    assert rival
    less = "less, " if rival.mean.high < aged.mean.low else ""
    other = "" if _pools_run() == _mallocs_run() else " in another run"
    return (
        f"{percent_text(aged.mean)} of glibc's time in {len(aged.ratios)} programs; their fastest mallocs "
        f"take {less}{percent_text(rival.mean)}{other}"
    )


def _best_malloc(works: Cells) -> str:
    """The one that has finished most programs, and of these the one with the least mean."""
    names = in_table_order({name for cells in works.values() for name in cells if split(name)[0] == BASE})
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
def _allocators() -> str:
    """A line for glibc, the best malloc in old processes, the pools over it, and two that ran over glibc: at
    each age against each program's fastest malloc, and against itself.
    """
    _, best = cells_at(OLD)
    shown = [*(under(name, best) for name in (BASE, *POOLS)), BASE, ONE_POOL, STANDARD_POOL]
    run = _mallocs_run()
    names = sorted(filter(shown.__contains__, run.names()), key=lambda name: split(name)[0] != BASE)
    lines = []
    for name, comparisons, aged in run.compared(names, FASTEST_MALLOC):
        held = _memory(run.works[OLD], name)
        texts = [percent_text(ratio) for ratio in (*(one.mean for one in comparisons), aged)]
        programs = str(len(comparisons[-1].ratios))
        lines.append([_label(name), *texts, f"{percent(held)} %" if held else "", programs])
    heading = [
        *("allocator", "young, of the fastest malloc"),
        *(f"{age}, of the fastest" for age in run.ages[1:]),
        *("old, of itself young", "old, memory of that malloc's", "programs"),
    ]
    return markdown_table(heading, lines)


@block("which_malloc")
def _mallocs() -> str:
    """A line for each malloc, glibc's first: the time of programs without a local allocator in percent of
    glibc's at each age, the programs in which it is the fastest, and the memory of the process.
    """
    run = _mallocs_run()
    lines = []
    mallocs = (name for name in run.names() if split(name)[0] == BASE)
    for name, comparisons, _ in run.compared(mallocs, BASE):
        means = ["100 %" if name == BASE else percent_text(one.mean) for one in comparisons]
        fastest = [
            sum(of_work[FASTEST_MALLOC].strategy == name for of_work in cells.values())
            for cells in run.cells.values()
        ]
        held = [_memory(works, name, BASE) for works in run.works.values()]
        shares = " / ".join(f"{percent(share)} %" if share else "" for share in held)
        lines.append([_label(name), *means, " / ".join(map(str, fastest)), shares])
    ages = " / ".join(run.ages)
    times = [f"time, {age}" for age in run.ages]
    return markdown_table(["malloc", *times, f"fastest in, {ages}", f"memory, {ages}"], lines)


@block("which_malloc_answer")
def _best_mallocs() -> str:
    """The mallocs with the least mean time and memory at each age, and those not resolved from them."""
    run = _mallocs_run()
    texts = []
    for age, cells in run.cells.items():
        best = under(BASE, _best_malloc(cells))
        mean = compare(cells, best, BASE)
        assert mean
        rivals = in_table_order(
            {name for of_work in cells.values() for name in of_work if split(name)[0] == BASE} - {best}
        )
        level = [_label(name) for name in rivals if _is_level(compare(cells, name, best))]
        held = {
            name: percent(share) for name in (best, *rivals) if (share := _memory(run.works[age], name, BASE))
        }
        least = min(held.values(), key=float)
        smallest = [_label(name) for name, share in held.items() if share == least]
        texts.append(
            f"in {age} processes {_label(best)} takes {percent_text(mean.mean)} of the time of glibc's "
            f"malloc{f' (not resolved from {in_a_list(level)})' if level else ''}, and "
            f"{in_a_list(smallest)} {least} % of its memory"
        )
    return f"The best means: {'; '.join(texts)}."


def _is_level(comparison: Comparison | None) -> bool:
    return comparison is not None and comparison.mean.verdict == "no difference"


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


@block("age_pools")
def _pools() -> str:
    """A line for each pool that had the history, against `multipool`."""
    run = _pools_run()
    lines = []
    for name, comparisons, aged in run.compared((POOLS[0], *AGED), POOLS[0]):
        means = ["100 %" if name == POOLS[0] else percent_text(one.mean) for one in comparisons]
        lines.append([f"`{name}`", *means, percent_text(aged), str(len(comparisons[-1].ratios))])
    further = [f"{age}, of it" for age in run.ages[1:]]
    return markdown_table(
        ["pool", "young, of `multipool`", *further, "old, of itself young", "programs"], lines
    )


@block("age_answer")
def _answer() -> str:
    """The programs in which a new pool is faster or slower than the fastest malloc, beyond the interval."""
    old, best = cells_at(OLD)
    against = compare(old, POOLS[0], FASTEST_MALLOC)
    before = compare(_mallocs_run().cells[YOUNG], under(POOLS[0], best), FASTEST_MALLOC)
    assert against
    assert before
    return (
        f"In old processes a new `{POOLS[0]}` over {best} takes {percent_text(against.mean)} of the time of "
        f"each program's fastest malloc, in young ones {percent_text(before.mean)}. In old ones it is "
        f"{_outcomes(against)}."
    )


@block("age_pools_answer")
def _pools_answer() -> str:
    """What a history inside a pool costs, what tidy() takes back, and whether an order of reuse differs."""
    run = _pools_run()
    new, old = run.aged(POOLS[0]), run.cells[OLD]
    aged, tidied = compare(old, AGED[0], POOLS[0]), compare(old, AGED[1], AGED[0])
    orders = {name: compare(old, name, POOLS[0]) for name in REUSES}
    assert new
    assert aged
    assert tidied
    texts = [f"`{name}` {percent_text(order.mean)}" for name, order in orders.items() if order]
    is_open = all(order.mean.verdict == "no difference" for order in orders.values() if order)
    return (
        f"A pool for each structure takes {percent_text(new)} of its time in a young process. One that has "
        f"had the history takes {percent_text(aged.mean)} of a new one's, and just after a call of `tidy()` "
        f"{percent_text(tidied.mean)} of its own{_unless_resolved(tidied.mean)}{_tidying(run)}. It takes "
        f"{_aged_pool()}. "
        f"Other orders of reuse, of the default's time: {in_a_list(texts)}"
        f"{': not resolved, so the default stays' if is_open else ''}."
    )


def _tidying(run: AgedRun) -> str:
    """What the call takes, which is not timed with the program."""
    times = [median_figure(work.line, AGED[1], TIDY) for work in run.works[OLD]]
    known = [time / 1e9 for time in times if time]
    return f", which takes {median(known):.1f} s, {max(known):.1f} at most" if known else ""


def _unless_resolved(ratio: Ratio) -> str:
    return ": not resolved" if ratio.verdict == "no difference" else ""


@block("age_aims")
def _aims() -> str:
    """What was to be reached in old processes, and what was."""
    run, (old, best) = _mallocs_run(), cells_at(OLD)
    of_malloc = {name: compare(old, name, FASTEST_MALLOC) for name in POOLS}
    tidied = compare(_pools_run().cells[OLD], AGED[1], POOLS[0])
    held = _memory(run.works[OLD], under(POOLS[0], best))
    results = [
        *((f"a `{name}` at most", MOST[name], of_malloc[name]) for name in POOLS),
        ("a tidied pool, of a new one's,", MOST[AGED[1]], tidied),
    ]
    texts = [aim(text, most, comparison.mean) for text, most, comparison in results if comparison]
    if held:
        texts.append(
            aim("memory of the process, the history included,", MOST_HELD, Ratio(held, held, held, 1))
        )
    return f"Aims, of the fastest malloc's time over {best}: {'; '.join(texts)}."


def aim(text: str, most: float, result: Ratio) -> str:
    """`a pool 80 % (missed by 3, within the interval)`"""
    if result.median <= most:
        return f"{text} {percent(most)} % (met)"
    missed = 100 * (result.median - most)
    within = ", within the interval" if result.low <= most else ""
    return f"{text} {percent(most)} % (missed by {missed:.{0 if missed >= 1 else 1}f}{within})"


@block("age_chunks")
def _chunks() -> str:
    """A pool over the most aged malloc, whose holes serve small chunks, against one over the least aged."""
    _, best = cells_at(OLD)
    comparison = compare(_mallocs_run().cells[OLD], under(POOLS[0], OWN), under(POOLS[0], best))
    assert comparison
    cost = {"slower": "a ", "faster": "no "}.get(comparison.mean.verdict, "no resolved ")
    return (
        f"Chunks below 128 KiB come from `operator new`, holes included, at {cost}cost: over glibc a pool "
        f"takes {percent_text(comparison.mean)} of its time over {best}."
    )
