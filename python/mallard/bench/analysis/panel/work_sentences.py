"""The sentences about works: a function for each kind in the description."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.beside_book import beside_book
from mallard.bench.analysis.panel.phases import fastest_text
from mallard.bench.analysis.panel.works import Work
from mallard.bench.analysis.ranking import mallocs_sentence, under_mallocs
from mallard.bench.analysis.unfinished import unfinished_sentences
from mallard.bench.analysis.words import factor, nanoseconds
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.panel import Works
from mallard.bench.experiments.description.sentence import (
    BesidePrinted,
    BetterVersion,
    FastestOfEach,
    Mallocs,
    Unfinished,
    WorkSentence,
)


def work_sentences(experiment: str, works: Sequence[Work]) -> list[str]:
    panel = EXPERIMENTS[experiment].panel
    assert isinstance(panel, Works)
    return [sentence for kind in panel.sentences for sentence in _render(kind, works)]


def _render(kind: WorkSentence, works: Sequence[Work]) -> list[str]:
    match kind:
        case FastestOfEach():
            return [f"{work.label}: {_fastest(work)}." for work in works]
        case BesidePrinted(text):
            return _compare_with_book(text, works)
        case BetterVersion(work, version, text):
            return _better_version(
                text, version, [candidate for candidate in works if candidate.name == work]
            )
        case Mallocs():
            return mallocs_sentence(under_mallocs([work.table for work in works]))
        case Unfinished():
            return [sentence for work in works for sentence in _unfinished(work)]


def _fastest(work: Work) -> str:
    return fastest_text(work.table, work.operation) or f"no verdict, {BASE} has not finished"


def _compare_with_book(text: str, works: Sequence[Work]) -> list[str]:
    parts = [
        f"{row.work.name} {factor(1.0 / row.ours.median)} ({factor(1.0 / row.printed)})"
        for row in beside_book(works)
        if row.ours
    ]
    return [f"{text}: {', '.join(parts)}."] if parts else []


def _better_version(text: str, first: str, works: Sequence[Work]) -> list[str]:
    versions = [work for work in works if work.line.finished(BASE)]
    printed = next((work for work in versions if work.version == first), None)
    if printed is None or len(versions) < 2:
        return []
    best = min(versions, key=lambda work: work.line.cells[BASE].ns_per_operation)
    if best is printed:
        return []
    times = [work.line.cells[BASE].ns_per_operation for work in (printed, best)]
    return [
        (
            f"{text} takes {nanoseconds(times[0])} ns with {BASE}, {best.version} "
            f"{nanoseconds(times[1])} ns: {factor(times[0] / times[1])} times as fast."
        )
    ]


def _unfinished(work: Work) -> list[str]:
    return unfinished_sentences(work.table, "the work", lambda line: work.label)
