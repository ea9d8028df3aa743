"""The documents' losses: the cells of the survey's experiments in which a malloc or another library is faster
than mallard's default."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

from figures.claims import runs_text
from figures.programs import SIZES, fastest_mallocs
from figures.stored import markdown_table, on_huge_pages, stored_file, stored_runs
from mallard.bench.analysis.names import ours
from mallard.bench.analysis.peers import (
    TIME,
    CellNames,
    Duel,
    Side,
    contests,
    losses,
    newest_duels,
    ratio_text,
    value_text,
)
from mallard.bench.analysis.survey import QUESTIONS
from mallard.bench.contenders import find_peer
from mallard.bench.experiments.programs import NAME as PROGRAMS

# One allocator for everything. Where it cannot take part: for vectors that grow in place, for blocks that
# another thread frees.
DEFAULTS = ("multipool", "heap", "concurrent-multipool")
EXPERIMENTS = tuple(dict.fromkeys(question.experiment for question in QUESTIONS))
HEADING = ["experiment", "cell", "the fastest beyond the interval", "mallard / it"]
MOST_LOSSES = 2  # of an experiment


def blocks() -> dict[str, Callable[[], str]]:
    return {
        "losses_answer": answer,
        "losses_programs": programs,
        "losses_counts": counts,
        "losses_cells": lambda: cells(MOST_LOSSES),
        "losses_conditions": lambda: runs_text("Compared in", {duel.run for duel in all_duels()}),
    }


def whole_tables() -> dict[str, Callable[[], str]]:
    return {"losses_cells": cells}


@cache
def all_duels() -> list[Duel]:
    """The default beside each malloc and each strategy of another library, in the newest run of a cell."""
    duels = []
    for experiment in EXPERIMENTS:
        stored = stored_runs(experiment) if stored_file(experiment).exists() else []
        for contest in contests(row for run in stored if not on_huge_pages(run) for row in run.rows):
            default = next((name for name in DEFAULTS if name in contest.times), None)
            if default is None or contest.quantity != TIME:
                continue
            place = (contest.run, experiment, TIME, contest.cell)
            own = Side(default, contest.times[default])
            duels += [
                Duel(*place, name, own, Side(name, times))
                for name, times in contest.times.items()
                if not ours(name) and find_peer(name)
            ]
    return newest_duels(duels)


def lost(*, to_mallocs: bool = False) -> dict[str, list[Duel]]:
    """Experiment -> the fastest winner of each lost cell, or the fastest malloc, the worst cell first."""
    by_cell: dict[tuple[str, object], Duel] = {}
    for duel in losses(duel for duel in all_duels() if _is_malloc(duel) or not to_mallocs):
        key = (duel.experiment, duel.cell)
        by_cell[key] = min(by_cell.get(key, duel), duel, key=_winning_time)
    by_experiment: dict[str, list[Duel]] = {experiment: [] for experiment in EXPERIMENTS}
    for duel in losses(by_cell.values()):
        by_experiment[duel.experiment].append(duel)
    return by_experiment


def _winning_time(duel: Duel) -> float:
    assert duel.theirs.value is not None
    return duel.theirs.value


def answer() -> str:
    """The lost cells of the programs and of the other experiments, in a sentence."""
    numbers = Counter(
        duel.experiment for duel in {(duel.experiment, duel.cell): duel for duel in all_duels()}.values()
    )
    number = numbers.pop(PROGRAMS)
    others = [duels for experiment, duels in lost().items() if experiment != PROGRAMS]
    return (
        "Beyond the 95 % interval mallard's default is slower than at least one malloc or other library in "
        f"{len(lost()[PROGRAMS])} of {number} programs, and in {sum(map(len, others))} of "
        f"{sum(numbers.values())} cells of the other experiments."
    )


def counts() -> str:
    """A line for each experiment: the cells, those lost, those lost to a malloc, and the worst of both."""
    lines = []
    lost_to_mallocs = lost(to_mallocs=True)
    for experiment, duels in lost().items():
        measured = {duel.cell for duel in all_duels() if duel.experiment == experiment}
        mallocs = lost_to_mallocs[experiment]
        worst = [ratio_text(found[0].ratio) if found else "" for found in (duels, mallocs)]
        lines.append([experiment, str(len(measured)), str(len(duels)), worst[0], str(len(mallocs)), worst[1]])
    heading = ["experiment", "cells", "lost", "the worst, mallard / it", "to a malloc", "the worst of these"]
    return markdown_table(heading, lines)


def _is_malloc(duel: Duel) -> bool:
    return duel.theirs.strategy.startswith("new-delete")


def programs() -> str:
    """The programs in which a malloc has the smaller median, whatever the interval."""
    compared = [(f"{work}, {size}", *rest) for size in SIZES for work, *rest in fastest_mallocs(size)]
    lines = [
        [program, f"`{winner}`", ratio_text(ratio), "yes" if ratio.low > 1 else ""]
        for program, winner, ratio in sorted(compared, key=lambda entry: -entry[2].median)
        if ratio.median > 1
    ]
    return markdown_table(["program", "the fastest malloc", "mallard / it", "beyond the interval"], lines)


def cells(most: int | None = None) -> str:
    """The worst cells of each experiment, or all. All are on small pages. The programs have a table."""
    names = CellNames(all_duels())
    lines = [
        [
            experiment,
            names.of(duel).replace(", small pages", ""),
            f"{duel.theirs.strategy} {value_text(duel.theirs, duel)}",
            ratio_text(duel.ratio),
        ]
        for experiment, duels in lost().items()
        if experiment != PROGRAMS
        for duel in duels[:most]
    ]
    lines = [[cell.replace("|", "\\|").replace("<", "&lt;") for cell in line] for line in lines]
    return markdown_table(HEADING, lines, texts=2)
