"""The documents' claims: every experiment's stored rows are their evidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable
from functools import cache

from figures.stored import StoredRun, is_current, markdown_table, run_number, stored_file, stored_runs
from mallard.bench.claims import NOT_MEASURED, NOT_REPRODUCED, Entry, ledger
from mallard.bench.claims.claim import claims
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.papers.coverage import coverage
from mallard.bench.view.claims import documents, sizes
from mallard.shared.report.figures import plural
from mallard.shared.report.markdown import markdown_table as report_table

LONGEST_LIST = 2  # of numbers in a row; more are a range
FAR = 10.0  # the least factor between a figure and its claim, for the page


def blocks() -> dict[str, Callable[[], str]]:
    return {
        "claims": far,
        "claims_conditions": conditions,
        "coverage": lambda: report_table(sizes(coverage(row for stored in runs() for row in stored.rows))),
        "verdict_counts": counts,
    }


def runs() -> list[StoredRun]:
    return [run for name in EXPERIMENTS if stored_file(name).exists() for run in stored_runs(name)]


@cache
def entries() -> list[Entry]:
    """The first stored run of an experiment passes for its newest; claims about other libraries take the rows
    of a comparison with these."""
    return ledger(row for stored in runs() for row in stored.rows)


def whole_tables() -> dict[str, Callable[[], str]]:
    return {"claims": lambda: disagreeing(NOT_REPRODUCED, NOT_MEASURED)}


def far() -> str:
    """The claims that are not reproduced by far, and the number of the others."""
    missed = [entry for entry in entries() if entry.verdict == NOT_REPRODUCED]
    others = sum(deviation(entry) < FAR for entry in missed)
    table = disagreeing(NOT_REPRODUCED, least=FAR)
    return f"{table}\n\nBy less than a factor of {FAR:g}: {plural(others, 'further claim')}."


def deviation(entry: Entry) -> float:
    """The largest factor between a judged figure and the nearest printed one; infinite if signs differ."""
    claim = next(claim for claim in claims() if claim.number == entry.number)
    bounds = [bound for bound in (claim.low, claim.high) if bound is not None]
    figures = [estimate.value for estimate in entry.figures]
    if len(figures) == len(bounds) == 2:
        pairs = list(zip(figures, bounds, strict=True))
    else:
        pairs = [(figure, min(max(figure, bounds[0]), bounds[-1])) for figure in figures]
    if claim.unit == "log2":
        pairs = [(2.0**figure, 2.0**bound) for figure, bound in pairs]
    return max(
        (max(figure / bound, bound / figure) if figure * bound > 0 else math.inf for figure, bound in pairs),
        default=1.0,
    )


def disagreeing(*verdicts: str, least: float = 1.0) -> str:
    """A table of each document's claims with these verdicts, without their intervals."""
    chosen = [entry for entry in entries() if entry.verdict in verdicts and deviation(entry) >= least]
    parts = []
    for document in dict.fromkeys(entry.document for entry in chosen):
        lines = [_line(entry) for entry in chosen if entry.document == document]
        parts += [f"### {document}", markdown_table(["claim", "printed", "here"], lines)]
    return "\n\n".join(parts)


def _line(entry: Entry) -> list[str]:
    """An undecided claim has a question mark behind its figure."""
    figure = f"{entry.ours} ?".lstrip() if entry.verdict == NOT_MEASURED else entry.ours
    parts = [f"{entry.number}, {entry.section}: {entry.shown_text}", entry.printed, figure]
    return [part.replace("|", "\\|").replace("<", "&lt;") for part in parts]


def conditions() -> str:
    return runs_text("Decided by", {entry.run for entry in entries()})


def runs_text(verb: str, numbers: Container[int | None]) -> str:
    """The runs of these numbers; bench/results/runs.md has their conditions."""
    named = [stored for stored in runs() if stored.run["id"] in numbers]
    current = [stored for stored in named if is_current(stored)]
    text = f"{verb} the runs {_run_links(named)}."
    if len(current) == len(named):
        return text
    exception = f", except for {_run_links(current)}" if current else ""
    return f"{text} The library has changed since{exception}."


def _run_links(named: Iterable[StoredRun]) -> str:
    """The numbers of the runs of each experiment."""
    numbers: dict[str, list[int]] = {}
    for stored in named:
        numbers.setdefault(stored.run["experiment"], []).append(run_number(stored))
    return ", ".join(f"[{name}](runs.md#{name}) {as_ranges(some)}" for name, some in numbers.items())


def as_ranges(numbers: Iterable[int]) -> str:
    """1-3, 5, 6 for 1, 2, 3, 5 and 6."""
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1].append(number)
        else:
            ranges.append([number])
    return ", ".join(
        f"{some[0]}-{some[-1]}" if len(some) > LONGEST_LIST else ", ".join(map(str, some)) for some in ranges
    )


def counts() -> str:
    """A line a document, a column a verdict."""
    return report_table(documents(entries()))
