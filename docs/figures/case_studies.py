"""The tables of the case studies, from advisor/case_studies/results."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "advisor/case_studies"))

import regret
import score
from harness.catalogue import CASES, NULL, UNCHANGED, UNDER
from harness.cells import Cell, read
from harness.places import MISSES
from mallard.shared.stats import Difference

NO_CELL = "No cell is stored yet."
UNEXPLAINED = "Not explained yet."


def blocks() -> dict[str, Callable[[], str]]:
    return {
        "case_summary": lambda: summary(read()),
        "case_order": lambda: order(read()),
        "case_estimates": lambda: estimates(read()),
        "case_studies": lambda: table(read()),
        "case_builds": lambda: builds(read()),
        "case_score": lambda: scores(read()),
        "case_misses": lambda: misses(read(), explanations()),
        "foreign_score": lambda: foreign_score(regret.read(), regret.read_nulls()),
        "foreign_rules": lambda: foreign_rules(regret.read()),
        "foreign_programs": lambda: foreign_programs(regret.read()),
    }


def explanations() -> dict[str, str]:
    """A sentence for each miss, by the cell and the criterion."""
    known: dict[str, str] = json.loads(MISSES.read_text(encoding="utf-8")) if MISSES.is_file() else {}
    return known


def summary(cells: list[Cell]) -> str:
    """The figures that a reader asks for first, each beside what lowers it."""
    programs = len({cell.case for cell in cells})
    signs, kept = (
        score.count_promises(cells, criterion) for criterion in (score.sign_right, score.at_least_promised)
    )
    near, unchanged = (
        score.count_cells(cells, criterion) for criterion in (score.near_best, score.unchanged_near_best)
    )
    return (
        f"On {programs} programs over well-known libraries, in {len(cells)} cells, the advice made "
        f"{kept.total} promises, those of its second halves included: {signs} have the right sign, and "
        f"{kept.right} were kept or exceeded. The program that follows it was within a tenth of the fastest "
        f"build in {near}, the unchanged one in {unchanged.right} "
        f"([case studies](docs/advisor/case_studies.md)). "
        f"{order(cells)}"
    )


def order(cells: list[Cell]) -> str:
    """For how many cells git shows that the advice was there before any measurement of the change."""
    later = [_name(cell) for cell in cells if not cell.advised_first]
    first = f"Git has the advice from before the change was measured in {len(cells) - len(later)} of "
    if not later:
        return f"{first}{len(cells)} cells."
    word = "it" if len(later) == 1 else "they"
    return (
        f"{first}{len(cells)} cells; not in {len(later)}, which were measured for earlier advice, too, "
        f"before {word} got this one: {'; '.join(later)}."
    )


def estimates(cells: list[Cell]) -> str:
    """The estimates of the time in allocation that are less than a fact."""
    compared = [cell for cell in cells if score.facts_under_estimate(cell) is not None]
    below = [
        f"{_name(cell)}: {1e3 * (cell.estimate or 0.0):.1f} ms, saved {1e3 * score.most_saved(cell):.1f} ms"
        for cell in compared
        if not score.facts_under_estimate(cell)
    ]
    return (
        f"It is no bound: in {len(below)} of {len(compared)} cells a build with another allocator saved more "
        f"than the upper end of the estimate ({'; '.join(below) or 'none'})."
    )


def _name(cell: Cell) -> str:
    return f"{CASES[cell.case].title}, {cell.input}"


def table(cells: list[Cell]) -> str:
    if not cells:
        return NO_CELL
    head = [
        "| case, input | before | advice | promised | fact | rewrite | peak | both halves | best of all |",
        "|---|---:|---|---:|---:|---:|---:|---:|---|",
    ]
    return "\n".join([*head, *(row for cell in cells for row in _rows(cell))])


def _rows(cell: Cell) -> list[str]:
    """A row, and one of the second half beside the program under the advised malloc."""
    return [_row(cell), *([_second_row(cell)] if cell.on_top_fact else [])]


def _second_row(cell: Cell) -> str:
    seconds = cell.seconds[cell.build]
    return _joined(
        f"{_name(cell)}, second half",
        _milliseconds(seconds),
        f"{cell.on_top} under {cell.advised}",
        _share(cell.on_top_promised, cell.program_seconds),
        _share(cell.on_top_fact, cell.seconds[UNCHANGED]),
        *[""] * 4,
    )


def _row(cell: Cell) -> str:
    best = min(cell.seconds, key=lambda name: cell.seconds[name])
    peak = cell.peaks.get(cell.build, 0.0) / cell.peaks[UNCHANGED] if cell.peaks.get(UNCHANGED) else 0.0
    return _joined(
        _name(cell),
        _milliseconds(cell.seconds[UNCHANGED]),
        _advice(cell),
        _share(cell.promised, cell.program_seconds),
        _share(cell.fact, cell.seconds[UNCHANGED]),
        _share(cell.facts.get(NULL) if cell.kind == "local" else None, cell.seconds[UNCHANGED]),
        f"{peak:.1f} x" if cell.fact and peak else "",
        _milliseconds(cell.seconds[cell.full_build]) if cell.full_build in cell.seconds else "",
        f"{_words(best)}, {_milliseconds(cell.seconds[best])}" if cell.has_choice else "",
    )


def _advice(cell: Cell) -> str:
    return ", then ".join(half for half in (cell.advised, cell.on_top) if half) or "none"


def builds(cells: list[Cell]) -> str:
    """All builds of which a trial promised something."""
    rows = [
        _joined(
            _name(cell),
            _words(build),
            _share(promised, cell.program_seconds),
            _share(cell.facts[build], cell.seconds[UNCHANGED]),
        )
        for cell in cells
        for build, promised in cell.predicted.items()
        if build in cell.facts
    ]
    return (
        "\n".join(["| case, input | build | promised | the fact |", "|---|---|---:|---:|", *rows])
        if rows
        else NO_CELL
    )


def scores(cells: list[Cell]) -> str:
    if not cells:
        return NO_CELL
    rows = [_joined(name, figure) for figure, name in score.lines(cells)]
    return "\n".join([f"| over {len(cells)} cells | |", "|---|---:|", *rows])


def misses(cells: list[Cell], known: dict[str, str]) -> str:
    missed = score.misses(cells)
    if not missed:
        return "No cell was missed." if cells else NO_CELL
    rows: Iterable[str] = (
        _joined(_name(cell), name, known.get(f"{cell.name}: {name}", UNEXPLAINED)) for cell, name in missed
    )
    return "\n".join(["| case, input | missed | why |", "|---|---|---|", *rows])


NO_FOREIGN = (
    "No program that nobody here wrote is measured yet, so nothing is known of the advice beside rules."
)


def foreign_score(rows: list[regret.Row], nulls: tuple[int, int]) -> str:
    """Which rule of thumb the advice beats, first."""
    judged = regret.with_fact(rows)
    if not judged:
        return NO_FOREIGN
    compared = {
        name: (regret.regret(same, regret.advised_arm), regret.regret(same, rule), len(same))
        for name, rule in regret.RULES.items()
        if (same := regret.followed(judged, rule))
    }
    # A rule that most programs cannot follow is in the table, but it is no rival.
    rivals = [name for name, (_, _, programs) in compared.items() if 4 * programs >= 3 * len(judged)]
    name = min(rivals, key=lambda name: compared[name][1])
    advice, rule, programs = compared[name]
    verb = "beats" if advice < rule else "does not beat"
    worse = len(regret.worse_than_before(judged, regret.advised_arm))
    first = sum(row.advised_first for row in judged)
    false, runs = nulls
    text = (
        f"Over {programs} programs that nobody here wrote, the advice {verb} the best rule of thumb, "
        f'"{name}": it takes {advice:.3f} times the time of the best known, the rule {rule:.3f}. '
        f"It was asked for on another input, in a median of {regret.median_minutes(judged):.1f} minutes; git "
        f"has it from before the fact in {first} of {len(judged)}. The sign is right in "
        f"{regret.signs(judged)}, the intervals of promise and fact meet in {regret.meets(judged)}, and in "
        f"{worse} of {len(judged)} the advised program is slower than it was. {len(rows) - len(judged)} more "
        "have no fact: their advice changes a source, and nobody did."
    )
    if not runs:
        return text
    return f"{text} Of {runs} null runs, of a program beside itself, {false} ended in advice."


def foreign_rules(rows: list[regret.Row]) -> str:
    """Each rule, with the advice over the same programs."""
    judged = regret.with_fact(rows)
    if not judged:
        return NO_FOREIGN
    lines = []
    for name, rule in regret.RULES.items():
        if same := regret.followed(judged, rule):
            worse = len(regret.worse_than_before(same, rule))
            lines.append(
                _joined(
                    name,
                    str(len(same)),
                    f"{regret.regret(same, rule):.3f}",
                    f"{regret.regret(same, regret.advised_arm):.3f}",
                    f"{regret.peak_ratio(same, rule):.2f}",
                    f"{regret.peak_ratio(same, regret.advised_arm):.2f}",
                    str(worse),
                )
            )
    head = [
        "| rule | programs | regret | of the advice | peak memory | of the advice | slower than before |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    return "\n".join([*head, *lines])


def foreign_programs(rows: list[regret.Row]) -> str:
    if not rows:
        return NO_FOREIGN
    head = [
        "| program | before | advice | promised | fact | peak | best of all | minutes |",
        "|---|---:|---|---:|---:|---:|---|---:|",
    ]
    return "\n".join([*head, *(_foreign_row(row) for row in rows)])


def _foreign_row(row: regret.Row) -> str:
    before = row.seconds[UNCHANGED]
    followed = row.arm in row.choices
    chosen = regret.advised_arm(row)
    return _joined(
        row.program,
        _milliseconds(before),
        (row.advised or f"none ({row.kind})")
        + (f", then {_words(row.second.partition(UNDER)[0])}" if row.second else ""),
        _share(row.promised, row.promised_seconds),
        (_share(row.facts.get(row.arm), before) if followed else "no fact"),
        f"{row.peaks[chosen] / row.peaks[UNCHANGED]:.1f} x" if followed and chosen != UNCHANGED else "",
        f"{_words(row.best)}, {_milliseconds(row.choices[row.best])}",
        f"{row.minutes:.1f}",
    )


def _words(build: str) -> str:
    return build.replace("_", " ").replace(UNCHANGED + UNDER, "unchanged, under ").replace(UNDER, ", under ")


def _share(difference: Difference | None, seconds: float) -> str:
    """In milliseconds, with the interval in percent of the run."""
    if difference is None:
        return ""
    low, high = (100 * edge / seconds for edge in (difference.low, difference.high))
    return f"{1e3 * difference.median:+.1f} ms ({low:+.0f} to {high:+.0f} %)"


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.0f} ms"


def _joined(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
