"""What whole programs show for a recommended strategy, against the mallocs that a user could preload.

    rows of programs -> Evidence -> for each size the fullest table, the newest of equals -> InPrograms

A recommendation rests on the rows of one structure, and the programs show what it is worth outside of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from mallard.bench import described
from mallard.bench.analysis.names import BASE, malloc
from mallard.bench.analysis.panel.works import (
    FASTEST_MALLOC,
    Comparison,
    compare,
    figure_ratios,
    mallocs_in,
    with_fastest_malloc,
)
from mallard.bench.analysis.words import in_a_list, percent, percent_text
from mallard.bench.cells import Cell
from mallard.bench.choose.case import counterpart
from mallard.bench.choose.deciding import Evidence
from mallard.bench.choose.findings import POOL
from mallard.bench.experiments.programs import HELD, NAME, ONE_POOL, SIZES
from mallard.bench.strategy_names import GLOBAL_STRATEGIES
from mallard.shared.age import YOUNG, heap_named
from mallard.shared.mallocs import MALLOCS, OWN
from mallard.shared.stats import Outcome

# What follows from the time of a strategy for the malloc.
CONCLUSIONS: dict[Outcome, str] = {
    "even": "is as fast in whole programs",
    "slower": "is faster in whole programs",
    "not resolved": "may be as fast in whole programs: not resolved",
}


@dataclass(frozen=True)
class InPrograms:
    note: str = ""
    missing: str = ""  # the command that measures the missing rows


@dataclass(frozen=True)
class _Table:
    """The programs of one size in a run, with FASTEST_MALLOC among their cells."""

    run: int
    size: str
    age: str
    cells: dict[str, dict[str, Cell]]

    @property
    def other_mallocs(self) -> list[str]:
        """The global allocator under other mallocs than the C library's."""
        names = mallocs_in(name for cells in self.cells.values() for name in cells)
        return [name for name in dict.fromkeys(names) if malloc(name)]


@dataclass(frozen=True)
class _Measured:
    """A strategy relative to the malloc that is fastest in each program."""

    table: _Table
    strategy: str
    comparison: Comparison

    @property
    def programs(self) -> str:
        count = len(self.comparison.ratios)
        heap = "" if self.table.age == YOUNG else f" in {heap_named(self.table.age)}"
        return f"in {count} {self.table.size} program{'s' if count > 1 else ''}{heap}"


def compare_in_programs(strategy: str, evidence: Evidence, age: str = YOUNG) -> InPrograms:
    """The time of the strategy, or of its counterpart with the same mechanism and binding, relative to the
    mallocs, in processes of an age. For the global allocator, the time of the best malloc relative to the C
    library's.
    """
    is_global = strategy in GLOBAL_STRATEGIES
    names = [BASE] if is_global else list(dict.fromkeys((strategy, counterpart(strategy))))
    names = [name for name in names if name in described.names_in(NAME)]
    if not names:
        return InPrograms(f"the programs have one thread, and no counterpart of {strategy}")
    sizes = SIZES if age == YOUNG else SIZES[-1:]  # a history is much larger than a small program
    by_size = {size: _find(_tables(evidence, size, age), names) for size in sizes}
    measured = [entry for entry in by_size.values() if entry]
    missing = [size for size, entry in by_size.items() if not entry or not entry.table.other_mallocs]
    texts = []
    for entry in measured:
        texts += [_best_malloc(entry) if is_global else _against_mallocs(entry), _one_pool(entry)]
    runs = sorted({entry.table.run for entry in measured})
    source = f"run{'s' if len(runs) > 1 else ''} {in_a_list(list(map(str, runs)))}"
    note = "; ".join(filter(None, texts))
    return InPrograms(
        f"{note} (geometric means of {source})" if note else "",
        _command(names[0], missing, age) if missing else "",
    )


def _tables(evidence: Evidence, size: str, age: str) -> list[_Table]:
    """A table for each run and setting."""
    tables: dict[tuple[object, ...], _Table] = {}
    for place in evidence.places(NAME, size=size, age=age):
        setting = sorted(item for item in place.parameters.items() if item[0] != "program")
        table = tables.setdefault((place.run, *setting), _Table(place.run, size, age, {}))
        table.cells[str(place.parameters["program"])] = with_fastest_malloc(place.cells)
    return list(tables.values())


def _find(tables: Iterable[_Table], names: Sequence[str]) -> _Measured | None:
    """The first of the strategies that was measured with other mallocs, or else alone, in the table with
    most of its programs, the newest of equals.
    """
    measured = [
        _Measured(table, name, comparison)
        for table in tables
        for name in names
        if (comparison := compare(table.cells, name, FASTEST_MALLOC))
    ]
    return max(
        measured,
        key=lambda entry: (
            bool(entry.table.other_mallocs),
            -names.index(entry.strategy),
            len(entry.comparison.ratios),
            entry.table.run,
        ),
        default=None,
    )


def _against_mallocs(measured: _Measured) -> str:
    comparison = measured.comparison
    takes = f"{measured.programs} {measured.strategy} takes {percent_text(comparison.mean)} of"
    if not measured.table.other_mallocs:
        return f"{takes} {OWN}'s time, and no other malloc was measured"
    text = f"{takes} the fastest malloc's time, and a malloc is faster in {len(comparison.slower)}"
    conclusion = CONCLUSIONS.get(comparison.mean.outcome) if comparison.mean.bounded else None
    return f"{text}: {_preloaded(comparison)} {conclusion}" if conclusion else text


def _one_pool(measured: _Measured) -> str:
    """Of a pool that all parts of a program share, beside one for each part."""
    cells = measured.table.cells
    if measured.strategy != POOL or (shared := compare(cells, ONE_POOL, POOL)) is None:
        return ""
    held = figure_ratios(cells, ONE_POOL, POOL, HELD.figure)
    memory = f" and {percent(geometric_mean(held.values()))} % of its memory" if held else ""
    return f"one for all parts, by static_allocator, takes {percent_text(shared.mean)} of its time{memory}"


def _preloaded(comparison: Comparison) -> str:
    names = [name for name, _ in Counter(comparison.mallocs.values()).most_common() if name]
    if not names:
        return f"{OWN}'s malloc"
    return f"a preloaded {names[0]}" if len(names) == 1 else f"a preloaded malloc, most often {names[0]},"


def _best_malloc(measured: _Measured) -> str:
    """Mallocs that did not finish every program do not compete."""
    comparisons = {
        name: comparison
        for name in measured.table.other_mallocs
        if (comparison := compare(measured.table.cells, name, BASE))
        if len(comparison.ratios) == len(measured.comparison.ratios)
    }
    if not comparisons:
        return ""
    best = min(comparisons, key=lambda name: comparisons[name].mean.median)
    share = percent_text(comparisons[best].mean)
    return f"{measured.programs} a preloaded {malloc(best)} takes {share} of {OWN}'s time"


def _command(strategy: str, sizes: Sequence[str], age: str) -> str:
    """A place of Evidence has two strategies that a program can choose."""
    names = ",".join(dict.fromkeys((BASE, strategy if strategy != BASE else POOL)))
    size = f" --size {','.join(sizes)}" if len(sizes) < len(SIZES) else ""
    history = "" if age == YOUNG else f" --age {age}"
    return f"mallard bench {NAME}{size}{history} --strategy {names} --malloc {','.join(MALLOCS)}"
