"""The documents' losses: the cells of the survey's experiments in which a malloc or another library is faster
than mallard's default."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from figures import BLOCKS, age, block, locality, whole_table
from figures.claims import runs_text
from figures.programs import MULTIPOOL_BASE, PMR_POOL, SIZES, fastest_mallocs, pool_to
from figures.stored import is_special, load, markdown_table, processors, run_conditions, stored_runs
from mallard.bench.analysis.cell_tables import Setting
from mallard.bench.analysis.names import ours
from mallard.bench.analysis.panel.works import FASTEST_MALLOC
from mallard.bench.analysis.peers import (
    TIME,
    CellNames,
    CellResult,
    Side,
    cell_times,
    losses,
    newest_results,
    ratio_text,
    value_text,
)
from mallard.bench.analysis.survey import QUESTIONS
from mallard.bench.analysis.words import percent_text
from mallard.bench.contenders import find_peer
from mallard.bench.experiments.programs import NAME as PROGRAMS
from mallard.bench.strategy_names import WINK_MARK
from mallard.shared.mallocs import OWN

# One allocator for everything. Where it cannot take part: for vectors that grow in place, for blocks that
# another thread frees.
DEFAULTS = ("multipool", "heap", "concurrent-multipool")
EXPERIMENTS = tuple(dict.fromkeys(question.experiment for question in QUESTIONS))
MOST_WINNERS = 5  # that a sentence names
Place = tuple[str, Setting]  # experiment and cell
HEADING = ["experiment", "cell", "the fastest beyond the interval", "mallard / it"]


BLOCKS.update(
    gains_and_losses=lambda: "\n\n".join(
        (gains(), "\n".join(f"- {text}" for text in (age.sentence(), locality.nearest(), lost_cells())))
    ),
    gains_conditions=lambda: (
        f"{run_conditions(load(PROGRAMS), *age.compared_runs(), *locality.gain_runs())} All on "
        f"{processors(load(PROGRAMS).run)}, small pages, in one thread; 95 % intervals are of measuring the "
        "same cells again, not of other programs."
    ),
    losses_conditions=lambda: runs_text("Compared in", {result.run for result in all_results()}),
)


@cache
def all_results() -> list[CellResult]:
    """The default against each malloc and each strategy of another library, in the newest run of a cell."""
    results = []
    for experiment in EXPERIMENTS:
        runs = (run for run in stored_runs(experiment) if not is_special(run))
        for entry in cell_times(row for run in runs for row in run.rows):
            default = next((name for name in DEFAULTS if name in entry.times), None)
            if default is None or entry.quantity != TIME:
                continue
            place = (entry.run, experiment, TIME, entry.cell)
            own = Side(default, entry.times[default])
            results += [
                CellResult(*place, name, own, Side(name, times))
                for name, times in entry.times.items()
                if not ours(name) and find_peer(name)
            ]
    return newest_results(results)


def lost(*, to_mallocs: bool = False) -> dict[str, list[CellResult]]:
    """Experiment -> the fastest winner of each lost cell, or the fastest malloc, the worst cell first."""
    by_cell: dict[tuple[str, object], CellResult] = {}
    for result in losses(result for result in all_results() if _is_malloc(result) or not to_mallocs):
        key = (result.experiment, result.cell)
        by_cell[key] = min(by_cell.get(key, result), result, key=_winning_time)
    by_experiment: dict[str, list[CellResult]] = {experiment: [] for experiment in EXPERIMENTS}
    for result in losses(by_cell.values()):
        by_experiment[result.experiment].append(result)
    return by_experiment


def _winning_time(result: CellResult) -> float:
    assert result.theirs.value is not None
    return result.theirs.value


def with_rivals(results: Iterable[CellResult]) -> set[Place]:
    """The cells in which another malloc than the C library's, or another library, took part."""
    return {
        (result.experiment, result.cell) for result in results if find_peer(result.theirs.strategy) != OWN
    }


@block("losses_answer")
def answer() -> str:
    """The lost cells of the programs and of the other experiments, each with its population."""
    everything = all_results()
    numbers = Counter(
        experiment for experiment, _ in {(result.experiment, result.cell) for result in everything}
    )
    population, others, alone = _outside_of_programs(lost())
    _, to_mallocs, _ = _outside_of_programs(lost(to_mallocs=True))
    against_glibc = numbers.total() - numbers[PROGRAMS] - len(population)
    return (
        "Beyond the 95 % interval mallard's default is slower than some malloc or other library in "
        f"{len(lost()[PROGRAMS])} of {numbers[PROGRAMS]} programs, each size counted, and than the fastest "
        f"malloc in {_lost_to_the_fastest_malloc(everything)}. In the other experiments it loses "
        f"{len(others)} of the {len(population)} cells in which another malloc than glibc's, or another "
        f"library, took part, {len(to_mallocs)} of them to a malloc, and {len(alone)} of the "
        f"{against_glibc} with glibc's malloc alone."
    )


def _outside_of_programs(
    lost_cells: dict[str, list[CellResult]],
) -> tuple[set[Place], list[CellResult], list[CellResult]]:
    """The cells with rivals of the other experiments; of the lost ones these, and those with glibc's
    malloc alone.
    """
    population = with_rivals(result for result in all_results() if result.experiment != PROGRAMS)
    results = [result for experiment, some in lost_cells.items() if experiment != PROGRAMS for result in some]
    shared = [result for result in results if (result.experiment, result.cell) in population]
    return population, shared, [result for result in results if result not in shared]


def gains() -> str:
    """README's table: the time and the memory of a `multipool`, of its rivals'."""
    lines = []
    for size in SIZES:
        ratio, memory = pool_to(FASTEST_MALLOC, sizes=[size])
        text = f"the fastest malloc of each of {len(fastest_mallocs(size))} {size} programs, young"
        lines.append([text, percent_text(ratio), memory])
    ratio, memory = pool_to(PMR_POOL, MULTIPOOL_BASE)
    lines.append(age.gain())
    lines.append(["`std::pmr`'s pool, in containers of `std::pmr`", percent_text(ratio), memory])
    lines.append([locality.gain(), locality.gain_text(), ""])
    return markdown_table(["a new `multipool` for each scope, relative to", "time", "memory"], lines)


def lost_cells() -> str:
    """README's one number of losses, over the cells with a current malloc or another library."""
    population, others, _ = _outside_of_programs(lost())
    _, to_mallocs, _ = _outside_of_programs(lost(to_mallocs=True))
    measured = {result.cell for result in all_results() if result.experiment == PROGRAMS}
    return (
        "**Losses**: some malloc or other library is measurably faster than mallard's default in "
        f"{len(lost()[PROGRAMS])} of the {len(measured)} small and large programs, and in {len(others)} of "
        f"{len(population)} cells of other experiments: a malloc in {len(to_mallocs)}, an allocator that "
        f"frees no single block in {sum(frees_no_block(cell.theirs.strategy) for cell in others)} "
        "([where mallard loses](docs/benchmark/losses.md))."
    )


def frees_no_block(strategy: str) -> bool:
    """True if blocks are only released together: by stacks, by monotonic resources, by winking out."""
    mechanism = strategy.split("/")[0].removesuffix("-cached")
    alone = "+" not in mechanism and mechanism.endswith(("-monotonic", "-stack", "-temporary"))
    return alone or strategy.endswith(WINK_MARK)


def _lost_to_the_fastest_malloc(results: Iterable[CellResult]) -> int:
    """The programs in which the malloc with the smallest median is faster beyond the interval."""
    fastest: dict[Place, CellResult] = {}
    for result in results:
        if result.experiment == PROGRAMS and _is_malloc(result) and result.theirs.times:
            place = (result.experiment, result.cell)
            fastest[place] = min(fastest.get(place, result), result, key=_winning_time)
    return len(losses(fastest.values()))


@block("losses_winners")
def winners() -> str:
    """The winners of the lost cells of the other experiments; the ends of objects make no other winner."""
    _, others, _ = _outside_of_programs(lost())
    counts = Counter(
        "a malloc" if _is_malloc(result) else f"`{result.theirs.strategy.removesuffix(WINK_MARK)}`"
        for result in others
    )
    texts = [f"{winner} ({count})" for winner, count in counts.most_common(MOST_WINNERS)]
    more = counts.total() - sum(count for _, count in counts.most_common(MOST_WINNERS))
    rest = f", others ({more})" if more else ""
    return f"The fastest of these {counts.total()} cells: {', '.join(texts)}{rest}."


@block("losses_counts")
def counts() -> str:
    """A line for each experiment: the cells with other mallocs or libraries."""
    everything = all_results()
    population = with_rivals(everything)
    lost_to_mallocs = lost(to_mallocs=True)
    lines = []
    for experiment, results in lost().items():
        measured = {
            (result.experiment, result.cell) for result in everything if result.experiment == experiment
        }
        parts = [results, lost_to_mallocs[experiment]]
        shared = [
            [result for result in part if (result.experiment, result.cell) in population] for part in parts
        ]
        figures = [text for part in shared for text in _number_and_worst(part)]
        lines.append([experiment, str(len(measured & population)), *figures])
    heading = ["experiment", "cells", "lost", "worst, mallard / it", "to a malloc", "worst"]
    return markdown_table(heading, lines)


def _number_and_worst(results: Sequence[CellResult]) -> list[str]:
    return [
        str(len(results)),
        f"{ratio_text(results[0].ratio)}, `{results[0].theirs.strategy}`" if results else "",
    ]


def _is_malloc(result: CellResult) -> bool:
    return result.theirs.strategy.startswith("new-delete")


@block("losses_programs", is_part=True)
def programs(*, whole: bool = False) -> str:
    """The programs in which a malloc is faster beyond the interval; with `whole`, has the smaller median."""
    compared = [(f"{work}, {size}", *rest) for size in SIZES for work, *rest in fastest_mallocs(size)]
    lines = [
        [program, f"`{winner}`", ratio_text(ratio), *(["yes" if ratio.low > 1 else ""] if whole else [])]
        for program, winner, ratio in sorted(compared, key=lambda entry: -entry[2].median)
        if (ratio.median if whole else ratio.low) > 1
    ]
    heading = ["program", "the fastest malloc", "mallard / it"]
    if whole:
        return markdown_table([*heading, "beyond the interval"], lines)
    within = [entry for entry in compared if entry[2].low <= 1 < entry[2].median]
    table = markdown_table(heading, lines)
    if not within:
        return table
    worst, _, ratio = max(within, key=lambda entry: entry[2].median)
    return f"{table}\n\nWithin the interval: {len(within)} more, at most {ratio_text(ratio)} in {worst}."


@whole_table("losses_cells")
def cells() -> str:
    """The lost cells, all on small pages. The programs have a table."""
    names = CellNames(all_results())
    lines = [
        [
            experiment,
            names.of(result).replace(", small pages", ""),
            f"{result.theirs.strategy} {value_text(result.theirs, result)}",
            ratio_text(result.ratio),
        ]
        for experiment, results in lost().items()
        if experiment != PROGRAMS
        for result in results
    ]
    lines = [[cell.replace("|", "\\|").replace("<", "&lt;") for cell in line] for line in lines]
    return markdown_table(HEADING, lines, texts=2)
