"""The sentences about an experiment in phases: a function for each kind in its description."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import singledispatch

from mallard.bench.analysis.cell_tables import CellTable, Line
from mallard.bench.analysis.names import BASE, NULL, contestants
from mallard.bench.analysis.panel.phases import (
    SHARES,
    amount_text,
    cell_amount,
    fastest_text,
    figure_table,
    least_text,
    maxima,
    median_figure,
    span_text,
    timed,
)
from mallard.bench.analysis.ranking import collect_pairings, mallocs_sentence, rank_table, under_mallocs
from mallard.bench.analysis.unfinished import unfinished_sentences
from mallard.bench.analysis.words import in_a_list, percent_text, times_text
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.panel import Phases
from mallard.bench.experiments.description.sentence import (
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
from mallard.bench.library import BURST
from mallard.shared.stats import mean_ratio


def phase_sentences(experiment: str, table: CellTable, without: tuple[type[Sentence], ...] = ()) -> list[str]:
    """The sentences of all kinds except those that the caller shows in another way."""
    panel = EXPERIMENTS[experiment].panel
    assert isinstance(panel, Phases)
    kinds = [kind for kind in panel.sentences if not isinstance(kind, without)]
    own = [sentence for kind in kinds for sentence in render(kind, table)]
    timed_table = timed(table, panel.relative) if panel.relative else table
    return [
        *dict.fromkeys(own),
        *mallocs_sentence(under_mallocs([timed_table])),
        *unfinished_sentences(table, panel.unfinished, lambda line: str(line.place[0])),
    ]


@singledispatch
def render(kind: Sentence, table: CellTable) -> list[str]:
    """The sentences of one kind; none if the cells lack its figures."""
    raise TypeError(f"no sentence is made of {kind}")


@render.register
def _fastest(kind: Fastest, table: CellTable) -> list[str]:
    timed_tables = [(time, timed(table, time)) for time in kind.times]
    sentences = [
        f"Fastest to {time.text}{_sizes(lines) if kind.sizes else ''}: {text}."
        for time, lines in timed_tables
        if lines.lines and (text := fastest_text(lines, time.unit))
    ]
    return sentences or [f"No verdict: {BASE} has not finished in every row."]


def _sizes(table: CellTable) -> str:
    return f" over {len(table.lines)} sizes" if len(table.lines) > 1 else ""


@render.register
def _least(kind: Least, table: CellTable) -> list[str]:
    return _listing(kind.text, least_text(maxima(table, kind.quantity.figure), _format(kind.shown)))


@render.register
def _least_at(kind: LeastAt, table: CellTable) -> list[str]:
    line = table.line(kind.place)
    if line is None:
        return []
    values = {name: median_figure(line, name, kind.quantity.figure) for name in contestants(table.strategies)}
    measured = {name: value for name, value in values.items() if value is not None}
    return _listing(kind.text, least_text(measured, _format(kind.shown)))


@render.register
def _bursts(kind: Bursts, table: CellTable) -> list[str]:
    """The means over the places."""
    parts = [
        (
            time,
            [
                f"{plain} {percent_text(mean_ratio(pairings))}"
                for plain, burst in with_bursts(table.strategies)
                if (pairings := collect_pairings([figure_table(table, time.figure)], burst, plain))
            ],
        )
        for time in kind.times
    ]
    return [
        f"To {time.text} in bursts takes, of the time node by node: {in_a_list(shares)}."
        for time, shares in parts
        if shares
    ]


def with_bursts(names: Iterable[str]) -> list[tuple[str, str]]:
    """The strategies that were measured both ways: (plain, burst)."""
    present = list(names)
    return [(name, f"{name}{BURST}") for name in present if f"{name}{BURST}" in present]


@render.register
def _pairs(kind: Pairs, table: CellTable) -> list[str]:
    lines = timed(table, kind.time)
    parts = [
        f"{name} {percent_text(mean_ratio(pairings))} of {base}'s"
        for name, base in kind.pairs
        if (pairings := collect_pairings([lines], name, base))
    ]
    return _listing(kind.text, in_a_list(parts))


@render.register
def _from_to(kind: FromTo, table: CellTable) -> list[str]:
    first, last = (f"{kind.quantity.figure}_{share}" for share in (SHARES[0], SHARES[-1]))
    parts = [
        f"{name} {start:.2f} to {end:.2f}"
        for name in contestants(table.strategies)
        for line in table.lines[-1:]
        if (start := median_figure(line, name, first)) is not None
        and (end := median_figure(line, name, last)) is not None
    ]
    return _listing(kind.text, in_a_list(parts))


@render.register
def _share(kind: Share, table: CellTable) -> list[str]:
    line = table.lines[-1]
    if line.place[0] < kind.part.large:
        return []
    parts = [
        f"{name} {100.0 * max(0.0, part) / total:.0f} %"
        for name in contestants(table.strategies)
        if (total := median_figure(line, name, kind.total.figure)) and total > 0.0
        if (part := median_figure(line, name, kind.part.figure)) is not None
    ]
    return _listing(kind.text.format(line.place[0]), in_a_list(parts))


@render.register
def _of_null(kind: OfNull, table: CellTable) -> list[str]:
    lines = timed(table, kind.time)
    best = rank_table(lines).best
    pairings = collect_pairings([lines], best.strategy, NULL) if best else []
    if best is None or not pairings:
        return []
    null = [line.cells[NULL].ns_per_operation for line in lines.lines if line.finished(NULL)]
    fastest = f"{best.strategy} takes {times_text(mean_ratio(pairings))} that"
    return [f"{kind.text.format(NULL)} {span_text(null)} ns {kind.time.unit}; {fastest}."]


@render.register
def _per_place(kind: PerPlace, table: CellTable) -> list[str]:
    """The strategies that have the amount in every line."""

    def share(line: Line, name: str) -> float | None:
        value = cell_amount(table, line, name, kind.quantity, kind.quantity.per)
        return None if value is None else value / line.place[0]

    shares = {name: [share(line, name) for line in table.lines] for name in contestants(table.strategies)}
    complete = {name: [value for value in values if value] for name, values in shares.items() if all(values)}
    if BASE not in complete or len(complete) < 2:
        return []
    least = min(complete, key=lambda name: sum(complete[name]))
    return _listing(
        kind.text, in_a_list([f"{name} {span_text(complete[name])}" for name in dict.fromkeys((least, BASE))])
    )


def _listing(text: str, items: str) -> list[str]:
    return [f"{text}: {items}."] if items else []


def _format(shown: str) -> Callable[[float], str]:
    return lambda value: amount_text(shown, value)
