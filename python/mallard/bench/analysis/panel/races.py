"""Races of strategies against new-delete, in experiments whose lines have several parameters: tables,
sentences, charts and maps. With threads, the last place of a table is their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from mallard.bench.analysis.cell_tables import CellTable, Line, cell_tables, median_figure, setting_text
from mallard.bench.analysis.labels import binding, family, place_heads, place_text
from mallard.bench.analysis.names import BASE, malloc, ranked_strategies
from mallard.bench.analysis.race_map import (
    PAPERS,
    RaceMaps,
    compare_cell,
    compared,
    faults_dominate,
    matching,
    peak_memory,
)
from mallard.bench.analysis.ranking import (
    collect_pairings,
    mallocs_sentence,
    rank_table,
    ranked,
    under_mallocs,
    unfinished_sentences,
)
from mallard.bench.analysis.words import (
    also_equal,
    amount,
    in_a_list,
    nanoseconds,
    no_difference,
    percent_text,
    times_text,
)
from mallard.bench.contenders import CONTENDERS
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Most, Race
from mallard.bench.footprint import readable
from mallard.bench.library import SHARED
from mallard.bench.papers.printed import PrintedTable
from mallard.bench.papers.registry import tables_of
from mallard.bench.result import Row
from mallard.shared.report.model import Paragraph, Points, Section
from mallard.shared.report.picture import Chart, HeatMap, drawn_series
from mallard.shared.stats import mean_ratio, median, paired_ratio


def race_tables(experiment: str, rows: Iterable[Row], cores: int | None = None) -> list[CellTable]:
    """A table for each setting. `cores`: of the machine that measured it."""
    return [replace(table, cores=cores) for _, table in cell_tables(rows, experiment)]


def race_sentences(experiment: str, table: CellTable) -> list[str]:
    """Of threads that wait for each other, what sharing costs; of one thread, the fastest strategy."""
    description = EXPERIMENTS[experiment]
    mallocs = mallocs_sentence(under_mallocs([table]))
    if description.threads:
        return [*by_threads(table), *mallocs, *growth(table), *beyond_cores(table)]
    places = f"({', '.join(place_heads(table.places))})"
    unfinished = unfinished_sentences(table, places, partial(_place, table))
    return [*_fastest(table, description.operation, places), *mallocs, *unfinished, *_faults(table)]


def _fastest(table: CellTable, operation: str, places: str) -> list[str]:
    ranking = rank_table(table)
    best = ranking.best
    if best is None:
        return [f"No verdict: {BASE} has not finished in every row."]
    if best.strategy == BASE:
        return [f"No strategy is faster than {BASE}{also_equal(ranking.equals)}."]
    times = [line.cells[best.strategy].ns_per_operation for line in table.lines]
    span = f"{nanoseconds(min(times))} to {nanoseconds(max(times))} ns {operation}"
    fastest = (
        f"{best.strategy} is fastest: {percent_text(best.ratio)} of {BASE}'s time over {best.ratio.n} rows, "
        f"{span}{also_equal(ranking.equals)}."
    )
    not_faster = [line for line in table.lines if not _faster(line, best.strategy)]
    if not not_faster or not best.ratio.bounded:
        return [fastest]
    where = "; ".join(_place(table, line) for line in not_faster)
    return [fastest, f"{best.strategy} is not faster than {BASE} if {places} is {where}."]


def _faster(line: Line, strategy: str) -> bool:
    pairing = line.paired(strategy, BASE)
    return pairing is not None and paired_ratio(*pairing).verdict == "faster"


def _place(table: CellTable, line: Line) -> str:
    values = zip(table.places, line.place, strict=True)
    return ", ".join(amount(1 << value if name.endswith("_log2") else value) for name, value in values)


def _faults(table: CellTable) -> list[str]:
    """A sentence that names the times dominated by page faults."""
    cells = [cell for line in table.lines for cell in line.cells.values() if faults_dominate(cell)]
    if not cells:
        return []
    names = [name for name in table.strategies if any(cell.strategy == name for cell in cells)]
    faults = max(cell.faults_per_1000 for cell in cells)
    share = max(cell.system_share or 0.0 for cell in cells)
    kernel = f"up to {100 * share:.0f} % of the time in the kernel"
    most = f"up to {faults:.0f} page faults in 1000 operations, {kernel}"
    return [f"Most time went into touching new pages with {in_a_list(names)}: {most}."]


def by_threads(table: CellTable) -> list[str]:
    """The fastest strategy and the cost of sharing, for one thread and for as many as there are cores."""
    counts = _counts_within_cores(table)
    return [
        sentence
        for count in dict.fromkeys(counts[:1] + counts[-1:])
        for sentence in _with_threads(table, count)
    ]


FLAT = 1.1  # the largest ratio that does not count as growth


def growth(table: CellTable) -> list[str]:
    """The cost of a pair with the most threads, relative to the fewest, for strategies that have both."""
    counts = _counts_within_cores(table)
    if len(counts) < 2:
        return []
    alone, together = with_threads(table, counts[0]), with_threads(table, counts[-1])
    grown = {
        name: together_ns / alone_ns
        for name in ranked_strategies(table.strategies)
        if (alone_ns := pair_ns(alone, name)) and (together_ns := pair_ns(together, name))
    }
    flat_names = [name for name, ratio in grown.items() if ratio <= FLAT]
    parts = (
        [f"within {100 * (FLAT - 1):.0f} % of that with {counts[0]}: {in_a_list(flat_names)}"]
        if flat_names
        else []
    )
    parts += [f"{name} {ratio:.1f} times" for name, ratio in grown.items() if ratio > FLAT]
    return [f"A pair with {counts[-1]} threads: {'; '.join(parts)}."] if parts else []


def beyond_cores(table: CellTable) -> list[str]:
    """A caution about threads that wait for a core."""
    counts, cores = _counts(table), table.cores
    if cores is None or not counts or counts[-1] <= cores:
        return []
    ran = f"Up to {counts[-1]} threads ran on {cores} cores"
    return [f"{ran}: beyond the cores a pair waits for its turn as well."]


def _counts(table: CellTable) -> list[int]:
    return sorted({line.place[-1] for line in table.lines})


def _counts_within_cores(table: CellTable) -> list[int]:
    """The numbers of threads up to the number of cores."""
    return [count for count in _counts(table) if table.cores is None or count <= table.cores]


def with_threads(table: CellTable, threads: int) -> CellTable:
    return replace(table, lines=[line for line in table.lines if line.place[-1] == threads])


def pair_ns(table: CellTable, strategy: str) -> float | None:
    """Nanoseconds per pair of one thread, as the median over the rows."""
    times = [line.cells[strategy].ns_per_operation for line in table.lines if line.finished(strategy)]
    return median(times) if times else None


def _with_threads(full_table: CellTable, threads: int) -> list[str]:
    table = with_threads(full_table, threads)
    names = ranked_strategies(table.strategies)
    private = [name for name in names if name not in SHARED]
    head = "One thread" if threads == 1 else f"{threads} threads"
    base = pair_ns(table, BASE)
    if base is None:
        return [f"{head}: no verdict, {BASE} has not finished."]
    all_share = {family(name) for name in private} == {family(BASE)}
    ranking = ranked(
        names if all_share else private,
        lambda strategy, reference: collect_pairings([table], strategy, reference),
    )
    best = ranking.best
    if best is None or best.strategy == BASE:
        least = BASE
        sentences = [f"{head}: nothing is faster than {BASE}, {nanoseconds(base)} ns a pair."]
    else:
        least = best.strategy
        times = f"{nanoseconds(base)} ns with {BASE} and {nanoseconds(pair_ns(table, least) or base)} ns with"
        equal = also_equal(ranking.equals)
        sentences = [f"{head}: a pair takes {times} {least}, {percent_text(best.ratio)}{equal}."]
    costs = [_sharing(table, name, least) for name in names if name not in private]
    return sentences if all_share or not any(costs) else [*sentences, f"{head}, sharing: {in_a_list(costs)}."]


def _sharing(table: CellTable, shared: str, private: str) -> str:
    """The cost of one allocator for all threads, compared with one for each."""
    time, pairings = pair_ns(table, shared), collect_pairings([table], shared, private)
    if time is None or not pairings:
        return f"{shared} has not finished"
    ratio = mean_ratio(pairings)
    suffix = " (no difference)" if no_difference(ratio) else ""
    return f"{shared} takes {nanoseconds(time)} ns, {times_text(ratio)} a private {private}'s time{suffix}"


HUES = {
    "new-delete": "global",
    "monotonic": "monotonic",
    "multipool": "multipool",
    "multipool+monotonic": "both",
}


def race_sections(
    experiment: Experiment, panel: Race, rows: Iterable[Row], cores: int | None, *, everything: bool
) -> list[Section]:
    """For each setting charts and maps of strategies by places, with the papers."""
    tables = race_tables(experiment.name, rows, cores)
    return [
        section for table in tables for section in _setting(experiment, panel, table, everything=everything)
    ]


def _setting(experiment: Experiment, panel: Race, table: CellTable, *, everything: bool) -> list[Section]:
    groups = [
        (place, list(lines))
        for place, lines in groupby(table.lines, key=lambda line: line.place[: panel.maps])
    ]
    charts = [_chart(panel, table, place, lines) for place, lines in groups if panel.plotted and lines[1:]]
    text = setting_text(table.setting)
    answer = Points(tuple(race_sentences(experiment.name, table)))
    below = [paragraph for figures in panel.below if (paragraph := _below(table, figures))]
    first = Section(
        text,
        (*map(Paragraph, _remarks(panel, table)), *filter(None, charts), *below),
        is_headed=True,
        answer=(answer,),
    )
    shown = table if everything else table.only(compared(table))
    maps = [
        Section(_title(panel, place), (_map(experiment, panel, shown, place, lines),), is_inner=True)
        for place, lines in groups
    ]
    return [first, *maps]


def _remarks(panel: Race, table: CellTable) -> list[str]:
    return [text for (name, value), text in panel.remarks.items() if dict(table.setting).get(name) == value]


def _chart(panel: Race, table: CellTable, place: tuple[int, ...], lines: list[Line]) -> Chart | None:
    series = drawn_series(
        table.strategies,
        lambda name: (
            (float(line.place[-1]), line.cells[name].ns_per_operation)
            for line in lines
            if line.finished(name)
        ),
        series_style,
    )
    if not series:
        return None
    cores = table.cores
    mark = (float(cores), "cores") if cores and lines[0].place[-1] <= cores <= lines[-1].place[-1] else None
    y_name = f"ns {panel.wording.operation}"
    return Chart(_title(panel, place), panel.plotted, y_name, series, mark=mark)


def series_style(name: str) -> str:
    """A hue for a family, one for all contenders. A dash marks an abstract base, or another malloc."""
    if name in CONTENDERS:
        return "contender"
    if name in SHARED:
        return "concurrent" if "concurrent" in name else "lock"
    dashed = " dashed" if binding(name) == "base" or malloc(name) else ""
    return f"{HUES.get(family(name), 'global')}{dashed}"


def _title(panel: Race, place: tuple[int, ...]) -> str:
    return panel.title.format(*(f"2^{value}" for value in place))


def _map(
    experiment: Experiment, panel: Race, table: CellTable, place: tuple[int, ...], lines: Sequence[Line]
) -> HeatMap:
    title = _title(panel, place)
    printed = [_printed(experiment, panel, table, place, paper) for paper in PAPERS]
    caption = f"{title}, {setting_text(table.setting)}: a row for each {panel.row_text}"
    figure = panel.memory
    memory = (lambda line, name: median_figure(line, name, figure) or 0.0) if figure else peak_memory
    maps = RaceMaps(
        panel.wording,
        lambda line, name: [
            compare_cell(of_paper, _key(of_paper, line), name, line.cells.get(name)) for of_paper in printed
        ],
        memory,
        panel.figures,
    )
    corner = tuple(place_heads(table.places)[panel.maps :])
    labels = [tuple(place_text(table.places, line.place)[panel.maps :]) for line in lines]
    return maps.make(title, caption, corner, table.strategies, list(zip(labels, lines, strict=True)))


def _key(printed: PrintedTable | None, line: Line) -> tuple[int, ...]:
    """The last places of the line, as many as number the rows of the printed table."""
    return line.place[-len(printed.axes) :] if printed else ()


def _printed(
    experiment: Experiment, panel: Race, table: CellTable, place: tuple[int, ...], paper: str
) -> PrintedTable | None:
    """The printed table. The papers have none of a setting that has a remark."""
    if _remarks(panel, table):
        return None
    where = dict(zip(experiment.places, place, strict=False))
    return matching(tables_of(experiment.name), paper, where, {"buffer": dict(table.setting).get("buffer")})


def _below(table: CellTable, most: Most) -> Paragraph | None:
    if most.base:
        ratios = _most_ratio(table, most.figure, most.base)
        words = {name: f"{ratio:.2f}" for name, ratio in ratios.items()}
    else:
        values = {name: _most(table, name, most.figure) for name in table.strategies}
        words = {
            name: readable(int(value)) if most.in_bytes else nanoseconds(value)
            for name, value in values.items()
            if value is not None
        }
    listed = ", ".join(f"{name} {word}" for name, word in words.items())
    return Paragraph(f"{most.text}: {listed}.") if listed else None


def _most_ratio(table: CellTable, figure: str, base: str) -> dict[str, float]:
    """The largest ratio of the figures of a cell, from the lines with several threads."""
    most: dict[str, float] = {}
    for line in table.lines:
        for name in line.cells if line.place[-1] > 1 else ():
            value, least = median_figure(line, name, figure), median_figure(line, name, base)
            if value and least and least > 0:
                most[name] = max(most.get(name, 1.0), value / least)
    return {name: most[name] for name in table.strategies if name in most}


def _most(table: CellTable, name: str, figure: str) -> float | None:
    values = [median_figure(line, name, figure) for line in table.lines if line.finished(name)]
    return max((value for value in values if value is not None), default=None)
