"""The documents' claims: every experiment's stored rows are their evidence."""

from __future__ import annotations

import math
from collections.abc import Container
from functools import cache

from figures import BLOCKS, block
from figures.stored import StoredRun, is_current, markdown_table, stored_runs
from mallard.bench.claims import NOT_REPRODUCED, Entry, ledger
from mallard.bench.claims.claim import claims
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.papers.coverage import coverage
from mallard.bench.view.claims import answer, documents
from mallard.shared.report.figures import plural
from mallard.shared.report.markdown import markdown_table as report_table

BUSY = "busy"  # the kind of a note
FAR = 3.0  # the least factor between a figure and its claim, for the page


BLOCKS["claims_answer"] = lambda: answer(entries(), coverage(row for stored in runs() for row in stored.rows))


def runs() -> list[StoredRun]:
    return [run for name in EXPERIMENTS for run in stored_runs(name)]


@cache
def entries() -> list[Entry]:
    """The first stored run of an experiment passes for its newest; claims about other libraries take the rows
    of a comparison with these."""
    return ledger(row for stored in runs() for row in stored.rows)


@block("claims")
def far() -> str:
    """The claims that are not reproduced by far, without intervals, and the number of the others."""
    missed = [entry for entry in entries() if entry.verdict == NOT_REPRODUCED]
    chosen = [entry for entry in missed if deviation(entry) >= FAR]
    parts = []
    for document in dict.fromkeys(entry.document for entry in chosen):
        lines = [_line(entry) for entry in chosen if entry.document == document]
        parts += [f"### {document}", markdown_table(["claim", "printed", "here"], lines)]
    others = plural(len(missed) - len(chosen), "further claim")
    return "\n\n".join([*parts, f"By less than a factor of {FAR:g}: {others}."])


def deviation(entry: Entry) -> float:
    """The largest factor between a judged figure and the nearest printed one; infinite if signs differ. A
    percentage stands for a share of the time: 5 % instead of 25 % deviate by a factor of 1.2.
    """
    claim = next(claim for claim in claims() if claim.number == entry.number)
    bounds = [bound for bound in (claim.low, claim.high) if bound is not None]
    figures = [estimate.value for estimate in entry.figures]
    if len(figures) == len(bounds) == 2:
        pairs = list(zip(figures, bounds, strict=True))
    else:
        pairs = [(figure, min(max(figure, bounds[0]), bounds[-1])) for figure in figures]
    if claim.unit == "log2":
        pairs = [(2.0**figure, 2.0**bound) for figure, bound in pairs]
    if claim.unit == "percent":
        pairs = [(1.0 + abs(figure - bound) / 100.0, 1.0) for figure, bound in pairs]
    return max(
        (max(figure / bound, bound / figure) if figure * bound > 0 else math.inf for figure, bound in pairs),
        default=1.0,
    )


def _line(entry: Entry) -> list[str]:
    parts = [f"{entry.number}, {entry.section}: {entry.shown_text}", entry.printed, entry.ours]
    return [part.replace("|", "\\|").replace("<", "&lt;") for part in parts]


@block("claims_conditions")
def conditions() -> str:
    return runs_text("Decided by", {entry.run for entry in entries()})


def runs_text(verb: str, numbers: Container[int | None]) -> str:
    """The number and the dates of these runs; bench/results/runs.md has their conditions."""
    named = [stored for stored in runs() if stored.run["id"] in numbers]
    days = sorted({stored.run["started"][:10] for stored in named})
    experiments = {stored.run["experiment"] for stored in named}
    busy = sum(any(note["kind"] == BUSY for note in stored.run.get("notes", [])) for stored in named)
    text = (
        f"{verb} {plural(len(named), 'run')} of {plural(len(experiments), 'experiment')} "
        f"([conditions](runs.md){f'; {busy} on a busy machine' if busy else ''}), "
        f"{' to '.join(dict.fromkeys((days[0], days[-1])))}."
    )
    current = sum(map(is_current, named))
    if current == len(named):
        return text
    return f"{text} The library has changed since{f' {len(named) - current} of them' if current else ''}."


@block("verdict_counts")
def counts() -> str:
    """A line a document, a column a verdict."""
    return report_table(documents(entries()))
