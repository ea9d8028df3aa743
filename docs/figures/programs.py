"""The documents' figures of the programs: a line for each strategy, a column for each program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import geometric_mean

from figures import BLOCKS, block
from figures.age import ages_after_young, cells_at, slower_glibc
from figures.bar_chart_image import Bar, Panel, bar_chart_image
from figures.stored import (
    StoredRun,
    changed_since,
    conditions,
    initial_buffers,
    load,
    markdown_table,
    nanoseconds,
    run_link,
    with_strategy,
)
from mallard.bench.analysis.cell_tables import median_figure
from mallard.bench.analysis.names import BASE, malloc
from mallard.bench.analysis.panel.works import (
    FASTEST_MALLOC,
    Work,
    cells_by_work,
    compare,
    figure_ratios,
    group_works,
    mean_over_works,
    with_fastest_malloc,
    work_strategies,
)
from mallard.bench.analysis.words import factor, in_a_list, percent, percent_text
from mallard.bench.cells import Cell
from mallard.bench.experiments.programs import HELD, MAIN, NAME, ONE_POOL, SIZES
from mallard.bench.strategy_names import BASE_MARK
from mallard.shared.age import YOUNG
from mallard.shared.mallocs import OWN
from mallard.shared.stats import Outcome, Ratio, spread

MULTIPOOL, MONOTONIC = "multipool", "monotonic"
MULTIPOOL_BASE, MONOTONIC_BASE = "multipool/base", "monotonic/base"  # bound as std::pmr's are
PMR_POOL, PMR_MONOTONIC, BOOST_POOL = "pmr-unsynchronized", "pmr-monotonic", "boost-pmr-unsynchronized"
PMR_CACHED = "pmr-monotonic-cached"  # over the upstream of mallard's monotonic
MIMALLOC = f"{BASE}@mimalloc3"
LABELS = {
    BASE: "glibc's malloc",
    FASTEST_MALLOC: "fastest malloc of each",
    PMR_POOL: "std::pmr pool",
    MULTIPOOL: "mallard multipool",
}
COMPARED = (BASE, FASTEST_MALLOC, PMR_POOL, MULTIPOOL)  # in README's picture
ALTERNATIVES = (
    (MULTIPOOL, FASTEST_MALLOC, "each program's fastest malloc"),
    (MONOTONIC_BASE, FASTEST_MALLOC, "each program's fastest malloc"),
    (MULTIPOOL_BASE, FASTEST_MALLOC, "each program's fastest malloc"),
    (MULTIPOOL, MIMALLOC, "mimalloc 3, preloaded"),
    (MULTIPOOL_BASE, PMR_POOL, "`std::pmr`'s pool"),
    (MULTIPOOL_BASE, BOOST_POOL, "Boost's pmr pool"),
    (MONOTONIC_BASE, PMR_MONOTONIC, "`std::pmr`'s monotonic over malloc"),
    (MONOTONIC_BASE, PMR_CACHED, "`std::pmr`'s monotonic, same upstream"),
)
NOT_MEASURED = "not measured"
VARIANTS = ("-last", "-first", "/inline")
SHOWN = (
    MONOTONIC,
    MULTIPOOL,
    ONE_POOL,
    MULTIPOOL_BASE,
    PMR_MONOTONIC,
    PMR_POOL,
)  # of the table on the page
MIB = 1 << 20
OUTCOMES: tuple[Outcome, ...] = ("faster", "even", "not resolved", "slower")
Cells = Mapping[str, Mapping[str, Cell]]


BLOCKS.update(
    programs_against=lambda: f"{against()}\n\n{against_conditions()}",
    programs_conditions=lambda: conditions(NAME),
    programs_large=lambda: _times(_works("large")),
)


def _works(size: str, stored: StoredRun | None = None) -> Sequence[Work]:
    by_setting = group_works(NAME, (stored or load(NAME)).rows)
    wanted = {"size": size, "age": YOUNG}
    found = (works for setting, works in by_setting.items() if wanted.items() <= dict(setting).items())
    return next(found, ())


def bars() -> str:
    """The picture of README's first screen: mallard and what its readers have."""
    panels = [
        Panel(
            f"young: {len(_works(SIZES[0]))} programs, small and large, in a new process",
            _bars(_every_cell()),
        )
    ]
    slower = []
    has_standard = True
    for age in ages_after_young():
        cells, best = cells_at(age)
        panels.append(Panel(f"{age}: {len(cells)} large programs, mallard over {best}", _bars(cells)))
        has_standard = has_standard and _mean(cells, PMR_POOL) is not None
        slower.append(f"{factor(slower_glibc(age).median)} times ({age})")
    notes = ["Geometric means, less is better. Lines: 95 % intervals."]
    if slower:
        notes.append("100 % is glibc in the same heap.")
        notes.append(f"glibc itself takes {in_a_list(slower)} its young time.")
        about = "over glibc" if has_standard else "not measured"
        notes.append(f"In heaps with a history std::pmr is {about}.")
    return bar_chart_image("CPU time of programs, in percent of glibc's malloc", panels, notes)


def _bars(cells: Cells) -> list[Bar]:
    return [
        Bar(
            LABELS[name],
            *(100.0 * share for share in (mean.median, mean.low, mean.high)),
            own=name == MULTIPOOL,
        )
        for name in COMPARED
        if (mean := _mean(cells, name))
    ]


def against() -> str:
    """A strategy against each alternative, in time, memory and single programs."""
    lines = []
    for name, alternative, label in ALTERNATIVES:
        cells = _cells_with(alternative)
        comparison = compare(cells, name, alternative)
        if comparison is None:
            lines.append([f"`{name}`", label, NOT_MEASURED, "", ""])
            continue
        counts = Counter(ratio.outcome for ratio in comparison.ratios.values())
        memory = _memory_ratios(cells, name, alternative)
        share = f"{percent(geometric_mean(memory.values()))} %" if memory else ""
        outcomes = " / ".join(str(counts[outcome]) for outcome in OUTCOMES)
        lines.append([f"`{name}`", label, f"{percent_text(comparison.mean)}", share, outcomes])
    heading = ["mallard's", "against", "time", "memory", " / ".join(OUTCOMES)]
    return markdown_table(heading, lines, texts=2)


def pool_to(alternative: str, name: str = MULTIPOOL, sizes: Sequence[str] = SIZES) -> tuple[Ratio, str]:
    """The pool's time in programs of these sizes, and its memory in those of each, of the alternative's."""
    ends = tuple(f", {size}" for size in sizes)
    cells = {place: works for place, works in _every_cell().items() if place.endswith(ends)}
    comparison = compare(cells, name, alternative)
    assert comparison
    means = (geometric_mean(_memory_ratios(cells, name, alternative, size).values()) for size in sizes)
    shares = [percent(mean) for mean in means]
    if len(set(shares)) == 1:
        return comparison.mean, f"{shares[0]} %"
    return comparison.mean, ", ".join(f"{size} {share} %" for size, share in zip(sizes, shares, strict=True))


def _cells_with(alternative: str) -> Cells:
    """The cells of the experiment's table, or of a later run of the alternative if the table lacks it."""
    cells = _every_cell()
    if any(alternative in works for works in cells.values()):
        return cells
    stored = with_strategy(NAME, alternative)
    return _every_cell(stored) if stored else {}


def _memory_ratios(cells: Cells, name: str, alternative: str, size: str = SIZES[-1]) -> dict[str, float]:
    """Of what both hold at the peak of each program of a size."""
    end = f", {size}"
    of_size = {place.removesuffix(end): works for place, works in cells.items() if place.endswith(end)}
    return figure_ratios(of_size, name, alternative, HELD.figure)


def against_conditions() -> str:
    stored = load(NAME)
    buffers = initial_buffers(stored) or "; no strategy begins in a buffer"
    same = with_strategy(NAME, PMR_CACHED)
    of_same = f" The row with the same upstream: {run_link(same)}." if same else ""
    return (
        f"Geometric means over {len(_works(SIZES[0]))} programs in two sizes (`monotonic`: those that free "
        "little before their scope ends), in percent of the alternative; memory at the peak of the large "
        f"ones.{of_same} Measured {stored.run['started'][:10]} on {stored.run['machine']['cpu']}{buffers}."
        f"{changed_since(stored)}"
    )


def fastest_mallocs(size: str) -> list[tuple[str, str, Ratio]]:
    """Each program with the malloc that is fastest in it, and the time of `multipool` relative to it."""
    cells = cells_by_work(_works(size))
    both = compare(cells, MULTIPOOL, FASTEST_MALLOC)
    assert both
    return [
        (work, malloc(cells[work][FASTEST_MALLOC].strategy) or OWN, ratio)
        for work, ratio in both.ratios.items()
    ]


def _every_cell(stored: StoredRun | None = None) -> Cells:
    """Of the experiment's table, or of another run."""
    return {
        f"{work}, {size}": cells
        for size in SIZES
        for work, cells in cells_by_work(_works(size, stored) if stored else _works(size)).items()
    }


def _mean(cells: Cells, name: str) -> Ratio | None:
    comparison = compare(cells, name, BASE)
    return comparison.mean if comparison else None


def _held(work: Work) -> dict[str, float]:
    """What each strategy takes from the system at its peak."""
    figures = {name: median_figure(work.line, name, HELD.figure) for name in work.line.cells}
    return {name: held for name, held in figures.items() if held and work.line.finished(name)}


def _with_fastest_malloc(works: Sequence[Work]) -> list[Work]:
    return [
        replace(work, line=replace(work.line, cells=with_fastest_malloc(work.line.cells))) for work in works
    ]


def _times(works: Sequence[Work]) -> str:
    """Of the mallocs glibc's and the fastest of each program."""
    strategies = [BASE, FASTEST_MALLOC, *(name for name in work_strategies(works) if name in SHOWN)]
    works = _with_fastest_malloc(works)
    lines = []
    for name in strategies:
        mean = mean_over_works(works, name) if name != BASE else None
        times = [_time(work.line.cells.get(name)) for work in works]
        lines.append([name, *times, f"**{percent(mean.median)}**" if mean else ""])
    return markdown_table(["% of new-delete", *(work.label for work in works), "geometric mean"], lines)


def _time(cell: Cell | None) -> str:
    """Percent of new-delete's time; nanoseconds of new-delete itself."""
    if cell is None or not cell.finished:
        return ""
    if cell.strategy == BASE:
        return f"{nanoseconds(spread(list(cell.times.values())))} ns"
    return percent(cell.ratio.median) if cell.ratio else ""


@block("programs_memory")
def _memory_ends() -> str:
    """The memory at the peak of the large programs, of each one's fastest malloc: the mean, and the ends."""
    texts = []
    for name in (MONOTONIC, MULTIPOOL):
        ratios = _memory_ratios(_every_cell(), name, FASTEST_MALLOC)
        least, *_, most = sorted(ratios.items(), key=lambda entry: entry[1])
        ends = " to ".join(f"{percent(ratio)} % ({work})" for work, ratio in (least, most))
        texts.append(f"`{name}` {percent(geometric_mean(ratios.values()))} %, from {ends}")
    return f"Memory at the peak, of the fastest malloc's: {'; '.join(texts)}."


@block("programs_mallocs")
def _against_mallocs() -> str:
    """A line for each size and main strategy against the malloc that is fastest in each program."""
    lines = []
    for size in SIZES:
        cells = cells_by_work(_works(size))
        for name in (*(name for name in MAIN if not name.endswith((*VARIANTS, BASE_MARK))), ONE_POOL):
            comparison = compare(cells, name, FASTEST_MALLOC)
            if comparison is None:
                continue
            medians = [ratio.median for ratio in comparison.ratios.values()]
            span = f"{percent(min(medians))} to {percent(max(medians))}"
            memory = figure_ratios(cells, name, FASTEST_MALLOC, HELD.figure)
            share = f"{percent(geometric_mean(memory.values()))} %" if memory else ""
            line = [f"{name}, {size}", percent_text(comparison.mean), span, share, str(len(medians))]
            lines.append(line)
    heading = ["% of the fastest malloc of each program", "mean", "from, to", "memory", "programs"]
    return markdown_table(heading, lines)
