"""The sentences about an experiment in phases: a function for each kind in its description."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import singledispatch

from mallard.analysis.cell_tables import CellTable, Line
from mallard.analysis.names import BASE, NULL, contestants
from mallard.analysis.panel.phases import (
    SHARES,
    amount_of,
    amount_text,
    fastest_text,
    least_text,
    most_of,
    of_figure,
    span_text,
    timed,
    value_of,
)
from mallard.analysis.ranking import mallocs_sentence, pairings_of, ranking_of, under_mallocs
from mallard.analysis.unfinished import unfinished_sentences
from mallard.analysis.words import in_a_list, percent_text, times_text
from mallard.experiments import EXPERIMENTS
from mallard.experiments.description.panel import Phases
from mallard.experiments.description.sentence import (
    Bursts,
    Fastest,
    FromTo,
    Least,
    LeastAt,
    OfNull,
    Pairs,
    PerPlace,
    Sentence,
    Share,
)
from mallard.library import BURST
from mallard.stats import mean_ratio


def sentences_of(experiment: str, table: CellTable, without: tuple[type[Sentence], ...] = ()) -> list[str]:
    """Of all kinds but those that the caller shows in another way."""
    panel = EXPERIMENTS[experiment].panel
    assert isinstance(panel, Phases)
    kinds = [kind for kind in panel.sentences if not isinstance(kind, without)]
    own = [sentence for kind in kinds for sentence in said(kind, table)]
    whole = timed(table, panel.relative) if panel.relative else table
    return [
        *dict.fromkeys(own),
        *mallocs_sentence(under_mallocs([whole])),
        *unfinished_sentences(table, panel.unfinished, lambda line: str(line.place[0])),
    ]


@singledispatch
def said(kind: Sentence, table: CellTable) -> list[str]:
    """The sentences of one kind; none if the cells lack its figures."""
    raise TypeError(f"no sentence is made of {kind}")


@said.register
def _fastest(kind: Fastest, table: CellTable) -> list[str]:
    told = [(time, timed(table, time)) for time in kind.times]
    found = [
        f"Fastest to {time.text}{_sizes(lines) if kind.sizes else ''}: {text}."
        for time, lines in told
        if lines.lines and (text := fastest_text(lines, time.unit))
    ]
    return found or [f"No verdict: {BASE} has not finished in every row."]


def _sizes(table: CellTable) -> str:
    return f" over {len(table.lines)} sizes" if len(table.lines) > 1 else ""


@said.register
def _least(kind: Least, table: CellTable) -> list[str]:
    return _told(kind.text, least_text(most_of(table, kind.quantity.figure), _format(kind.shown)))


@said.register
def _least_at(kind: LeastAt, table: CellTable) -> list[str]:
    line = table.line(kind.place)
    if line is None:
        return []
    found = {name: value_of(line, name, kind.quantity.figure) for name in contestants(table.strategies)}
    there = {name: value for name, value in found.items() if value is not None}
    return _told(kind.text, least_text(there, _format(kind.shown)))


@said.register
def _bursts(kind: Bursts, table: CellTable) -> list[str]:
    """The means over the places."""
    parts = [
        (
            time,
            [
                f"{plain} {percent_text(mean_ratio(pairings))}"
                for plain, burst in with_bursts(table.strategies)
                if (pairings := pairings_of([of_figure(table, time.figure)], burst, plain))
            ],
        )
        for time in kind.times
    ]
    return [
        f"To {time.text} in bursts takes, of the time node by node: {in_a_list(each)}."
        for time, each in parts
        if each
    ]


def with_bursts(names: Iterable[str]) -> list[tuple[str, str]]:
    """The strategies that were measured both ways: (plain, burst)."""
    there = list(names)
    return [(name, f"{name}{BURST}") for name in there if f"{name}{BURST}" in there]


@said.register
def _pairs(kind: Pairs, table: CellTable) -> list[str]:
    lines = timed(table, kind.time)
    parts = [
        f"{name} {percent_text(mean_ratio(pairings))} of {base}'s"
        for name, base in kind.pairs
        if (pairings := pairings_of([lines], name, base))
    ]
    return _told(kind.text, in_a_list(parts))


@said.register
def _from_to(kind: FromTo, table: CellTable) -> list[str]:
    first, last = (f"{kind.quantity.figure}_{share}" for share in (SHARES[0], SHARES[-1]))
    parts = [
        f"{name} {before:.2f} to {after:.2f}"
        for name in contestants(table.strategies)
        for line in table.lines[-1:]
        if (before := value_of(line, name, first)) is not None
        and (after := value_of(line, name, last)) is not None
    ]
    return _told(kind.text, in_a_list(parts))


@said.register
def _share(kind: Share, table: CellTable) -> list[str]:
    line = table.lines[-1]
    if line.place[0] < kind.part.large:
        return []
    parts = [
        f"{name} {100.0 * max(0.0, part) / whole:.0f} %"
        for name in contestants(table.strategies)
        if (whole := value_of(line, name, kind.whole.figure)) and whole > 0.0
        if (part := value_of(line, name, kind.part.figure)) is not None
    ]
    return _told(kind.text.format(line.place[0]), in_a_list(parts))


@said.register
def _of_null(kind: OfNull, table: CellTable) -> list[str]:
    lines = timed(table, kind.time)
    best = ranking_of(lines).best
    pairings = pairings_of([lines], best.strategy, NULL) if best else []
    if best is None or not pairings:
        return []
    null = [line.cells[NULL].ns_per_operation for line in lines.lines if line.finished(NULL)]
    fastest = f"{best.strategy} takes {times_text(mean_ratio(pairings))} that"
    return [f"{kind.text.format(NULL)} {span_text(null)} ns {kind.time.unit}; {fastest}."]


@said.register
def _per_place(kind: PerPlace, table: CellTable) -> list[str]:
    """The strategies that have the amount in every line."""

    def share(line: Line, name: str) -> float | None:
        value = amount_of(table, line, name, kind.quantity, kind.quantity.each)
        return None if value is None else value / line.place[0]

    shares = {name: [share(line, name) for line in table.lines] for name in contestants(table.strategies)}
    whole = {name: [each for each in its if each] for name, its in shares.items() if all(its)}
    if BASE not in whole or len(whole) < 2:
        return []
    least = min(whole, key=lambda name: sum(whole[name]))
    return _told(
        kind.text, in_a_list([f"{name} {span_text(whole[name])}" for name in dict.fromkeys((least, BASE))])
    )


def _told(text: str, told: str) -> list[str]:
    return [f"{text}: {told}."] if told else []


def _format(shown: str) -> Callable[[float], str]:
    return lambda value: amount_text(shown, value)
