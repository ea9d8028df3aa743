"""The five dimensions around a centre: for each one a chart and a map of strategies by its values, and the
pick of each value, of which the decision chart has a table.

rows -> race_tables -> varied(table): a Variation for each dimension -> picks
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mallard.bench.analysis.cell_tables import CellTable, Line, setting_text
from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.races import race_tables, series_style
from mallard.bench.analysis.race_map import MARKS, PAPERS, RaceMaps
from mallard.bench.analysis.ranking import (
    mallocs_sentence,
    pick_strategy,
    rank_table,
    under_mallocs,
    unfinished_sentences,
)
from mallard.bench.analysis.words import also_equal, percent_text
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Wording
from mallard.bench.experiments.dimensions import DIMENSIONS, EXPERIMENT, Dimension
from mallard.bench.result import Row
from mallard.shared.report.model import Paragraph, Points, Report, Section
from mallard.shared.report.picture import Chart, drawn_series
from mallard.shared.stats import Ratio

WORDING = Wording(
    *("a block", "blocks", "a block, from its allocation to its deallocation, with its accesses"),
    clock="Wall-clock",
)
LEGEND = "new-delete in ns a block with its accesses, by the wall clock, the others in percent of new-delete."


@dataclass(frozen=True)
class Variation:
    """The lines whose other dimensions are at the centre."""

    dimension: Dimension
    lines: tuple[tuple[int, Line], ...]  # by its value


@dataclass(frozen=True)
class Pick:
    """The strategy to use at a value: new-delete unless another is faster beyond its interval."""

    dimension: Dimension
    value: int
    strategy: str
    ratio: Ratio | None  # to new-delete


def varied(table: CellTable) -> list[Variation]:
    """Those of several values. The centre is the most frequent value of each dimension."""
    columns = list(zip(*(line.place for line in table.lines), strict=True))
    centre = [max(column, key=column.count) for column in columns]
    variations = []
    for at, dimension in enumerate(DIMENSIONS):
        lines = tuple(
            (line.place[at], line)
            for line in table.lines
            if all(line.place[other] == centre[other] for other in range(len(centre)) if other != at)
        )
        if len(lines) > 1:
            variations.append(Variation(dimension, lines))
    return variations


def picks(variation: Variation) -> Iterator[Pick]:
    for value, line in variation.lines:
        name = pick_strategy(line)
        if name is not None:
            yield Pick(variation.dimension, value, name, None if name == BASE else line.cells[name].ratio)


def all_picks(rows: Iterable[Row]) -> list[Pick]:
    """Of the newest run."""
    own_rows = [row for row in rows if row.experiment == EXPERIMENT.name]
    newest = max((row.run_id for row in own_rows), default=0)
    tables = race_tables(EXPERIMENT.name, [row for row in own_rows if row.run_id == newest])
    return [pick for variation in varied(tables[0]) for pick in picks(variation)] if tables else []


def value_text(dimension: Dimension, value: int) -> str:
    """`16 accesses of a block (D = 0.059)`, `1 thread`."""
    plural, space, rest = dimension.text.partition(" ")
    noun = plural.removesuffix("es" if plural.endswith("sses") else "s") if value == 1 else plural
    share = f" ({dimension.letter} = {dimension.share(value):.2g})" if dimension.share else ""
    return f"{value} {noun}{space}{rest}{share}"


def dimensions_report(experiment: Experiment, rows: Sequence[Row], *, everything: bool) -> Report:
    tables = race_tables(experiment.name, rows)
    sections = []
    for table in tables:
        unfinished = unfinished_sentences(
            table, f"({', '.join(experiment.places)})", lambda line: str(line.place)
        )
        answer = Points((_headline(table), *mallocs_sentence(under_mallocs([table])), *unfinished))
        sections.append(Section(setting_text(table.setting), (), is_headed=True, answer=(answer,)))
        sections += [_section(table, variation) for variation in varied(table)]
    return Report(
        experiment.heading, Paragraph(_headline(tables[0])), tuple(sections), (f"{LEGEND} {MARKS}",)
    )


def _headline(table: CellTable) -> str:
    ranking = rank_table(table)
    if ranking.best is None:
        return f"No verdict: {BASE} has not finished in every row."
    if not ranking.worth_it:
        return f"No strategy is faster than {BASE} over all rows{also_equal(ranking.equals)}."
    fastest = f"{ranking.best.strategy} is fastest over {len(table.lines)} rows"
    return f"{fastest}: {percent_text(ranking.best.ratio)} of {BASE}'s time{also_equal(ranking.equals)}."


def _sentence(pick: Pick) -> str:
    against = f", {percent_text(pick.ratio)} of {BASE}'s time" if pick.ratio else ""
    return f"{value_text(pick.dimension, pick.value)}: {pick.strategy}{against}."


def _section(table: CellTable, variation: Variation) -> Section:
    dimension = variation.dimension
    title = f"{dimension.letter}, {dimension.name}: {dimension.text}"
    maps = RaceMaps(WORDING, lambda line, name: [None] * len(PAPERS))
    lines = [((str(value),), line) for value, line in variation.lines]
    caption = f"{title}: a row for each value, the other dimensions at the centre"
    picture = maps.make(title, caption, (dimension.letter,), table.strategies, lines)
    answer = Points(tuple(_sentence(pick) for pick in picks(variation)))
    chart = _chart(title, table, variation)
    blocks = (chart, picture) if chart.series else (picture,)  # nothing has a percent without new-delete
    return Section(title, blocks, answer=(answer,), is_inner=True)


def _chart(title: str, table: CellTable, variation: Variation) -> Chart:
    """Percent of new-delete by the value. An axis begins above 0."""
    shift = 1 if variation.lines[0][0] == 0 else 0
    series = drawn_series(
        (name for name in table.strategies if name != BASE),
        lambda name: (
            (float(value + shift), 100.0 * ratio.median)
            for value, line in variation.lines
            if line.finished(name) and (ratio := line.cells[name].ratio)
        ),
        series_style,
    )
    x_name = f"{variation.dimension.text}{' + 1' if shift else ''}"
    return Chart(title, x_name, f"% of {BASE}", series)
