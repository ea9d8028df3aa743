"""The reports of mallard and other libraries: counterpart against counterpart and a line for each library;
or in full a table of all experiments, the cells that another library wins, and each experiment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from mallard.bench.analysis.peers import (
    COUNTED,
    PLAIN,
    SLOWER,
    TIME,
    UNFINISHED,
    CellNames,
    CellResult,
    Counterpart,
    Summary,
    by_quantity,
    counterpart_sentence,
    losses,
    nearest,
    peer_sentences,
    peers_in,
    result_text,
    summaries,
    title,
    value_text,
    worst_text,
)
from mallard.bench.store import Run
from mallard.shared.report.figures import ratio_figure
from mallard.shared.report.model import (
    Cell,
    Column,
    Figure,
    Interval,
    Mood,
    Paragraph,
    Report,
    Row,
    Section,
    Table,
    Unit,
    text_columns,
)
from mallard.shared.stats import Ratio

LOSSES_SHOWN = 40
REMEDY = "--html and --json have every one"
MORE = "'mallard show peers EXPERIMENT' has one in full, '--all' every one"
SUMMARY_LEGEND = (
    "mallard / it: mallard's time / the other's, a mean of experiments; by library that of the fastest of "
    "each side, chosen after the fact, lowest to highest experiment."
)
LEGEND = (
    "In each cell the fastest of mallard's strategies is compared with the fastest strategy of each other "
    "library. mallard / it: mallard's time by the other's, paired by repetition, a geometric mean of cells "
    "with its 95 % interval; below 1 mallard is faster. faster, even, not resolved, slower: mallard, in "
    "cells; even: within 5 percent of 1; not resolved: a wider interval that holds 1; not finished: the "
    "other. =: no difference. glibc, jemalloc, mimalloc and tcmalloc can serve the whole process."
)
RATIO = Column("mallard / it", "the time of mallard's by the other's")
COUNTS = tuple(Column(verdict, "of mallard, in cells") for verdict in COUNTED)
FAILED = Column(UNFINISHED, "the other")


def summary_report(results: Sequence[CellResult], pairs: Sequence[Counterpart]) -> Report:
    """The plain strategies alone, each with its fastest counterpart, and each library."""
    plain = [pair for pair in nearest(pairs) if pair.ours in PLAIN]
    timed = [result for result in results if result.quantity == TIME]
    tables = [counterparts_table(plain), _libraries(timed)] if plain else [_libraries(timed)]
    return Report(
        title="mallard and other libraries",
        answer=Paragraph(counterpart_sentence(pairs) or peer_sentences(results)[0]),
        sections=tuple(Section(table.caption, (table,)) for table in tables),
        notes=(SUMMARY_LEGEND, MORE),
    )


def peers_report(
    results: Sequence[CellResult],
    pairs: Sequence[Counterpart],
    runs: Sequence[Run] = (),
    absent: str = "",
    *,
    has_overview: bool = True,
) -> Report:
    """Every experiment, by these runs. `absent` names the libraries that were not measured. A page has a map
    in place of the overview and of the further figures.
    """
    first, *others = peer_sentences(results, pairs)  # there is a time of each result
    experiments = list(dict.fromkeys(result.experiment for result in results))
    sections = [
        Section("Mallard and each library", tuple(map(Paragraph, others))),
        Section(
            "Counterpart against counterpart", (counterparts_table(pairs),) if pairs else (), is_headed=True
        ),
        Section("All experiments", (overview_table(results),) if has_overview else (), is_headed=True),
        *(_experiment(name, results, has_further=has_overview) for name in experiments),
        _losses(results),
    ]
    names = ", ".join(f"{run.experiment} {run.id} ({run.scale})" for run in runs)
    return Report(
        title="Other libraries",
        answer=Paragraph(first),
        sections=tuple(section for section in sections if section.blocks),
        notes=tuple(filter(None, (LEGEND, absent, f"here: runs {names}" if names else ""))),
    )


def counterparts_table(pairs: Iterable[Counterpart]) -> Table:
    """The mean of all experiments, the cells, and the experiment in which mallard's is slowest."""
    worst = Column("slowest in", numeric=False, is_extra=True)
    columns = (*text_columns("mallard's", "its counterpart"), RATIO, *COUNTS, worst)
    rows = (
        Row(
            (
                pair.ours,
                pair.theirs,
                Figure(pair.ratio, Unit.TIMES_RATIO) if pair.ratio else UNFINISHED,
                *_counts(pair.counts, COUNTED),
                worst_text(pair),
            )
        )
        for pair in pairs
    )
    return Table("Counterpart against counterpart", columns, tuple(rows))


def overview_table(results: Iterable[CellResult]) -> Table:
    """A line for each experiment and quantity, a column for each library: the mean, and the cells."""
    all_summaries = summaries(results)
    peers = peers_in(all_summaries)
    rows = (
        Row((title(*place), *(_summary(by_peer.get(peer)) for peer in peers)))
        for place, by_peer in by_quantity(all_summaries).items()
    )
    return Table("All experiments", (*text_columns(""), *map(Column, peers)), tuple(rows))


def _summary(summary: Summary | None) -> str:
    if summary is None:
        return ""
    cells = "/".join(str(summary.counts[verdict]) for verdict in COUNTED)
    return f"{ratio_figure(summary.mean.median) if summary.mean else UNFINISHED} ({cells})"


def _libraries(timed: Sequence[CellResult]) -> Table:
    all_summaries = summaries(timed)
    rows = []
    for peer in peers_in(all_summaries):
        peer_summaries = [summary for summary in all_summaries if summary.peer == peer]
        counts = sum((summary.counts for summary in peer_summaries), Counter[str]())
        means = [summary.mean.median for summary in peer_summaries if summary.mean]
        ratio: Cell = Interval(min(means), max(means), Unit.TIMES_RATIO) if means else None
        if means and ratio_figure(min(means)) == ratio_figure(max(means)):
            ratio = Figure(min(means), Unit.TIMES_RATIO)
        rows.append(Row((peer, ratio, *_counts(counts, (*COUNTED, UNFINISHED)))))
    return Table(
        "The fastest of each library", (*text_columns("library"), RATIO, *COUNTS, FAILED), tuple(rows)
    )


def _experiment(name: str, all_results: Sequence[CellResult], *, has_further: bool) -> Section:
    """The time against each library, and the further figures."""
    results = [result for result in all_results if result.experiment == name]
    names = CellNames(results)
    cells = len({result.cell for result in results})
    timed = [summary for summary in summaries(results) if summary.quantity == TIME]
    further = [summary for summary in summaries(results) if summary.quantity != TIME]
    tables = [
        _summaries(f"{name}: time", timed, names, is_extra=False),
        _summaries(f"{name}: further figures", further, names, is_extra=True),
    ]
    return Section(
        f"{name}, {cells} cell{'' if cells == 1 else 's'}",
        tuple(table for table in tables[: 1 + has_further] if table.rows),
        is_headed=True,
    )


def _summaries(caption: str, all_summaries: Sequence[Summary], names: CellNames, *, is_extra: bool) -> Table:
    worst = Column("slowest in", numeric=False, is_extra=is_extra)
    columns = (*text_columns("library"), RATIO, Column("95 % interval"), *COUNTS, FAILED, worst)
    rows = (
        Row(
            (
                title(summary.peer, summary.quantity),
                *_ratio(summary.mean),
                *_counts(summary.counts, (*COUNTED, UNFINISHED)),
                result_text(summary.worst, names) if summary.worst else None,
            )
        )
        for summary in all_summaries
    )
    return Table(caption, columns, tuple(rows))


def _ratio(ratio: Ratio | None) -> tuple[Cell, Cell]:
    """The ratio and its interval. One repetition has none."""
    if ratio is None:
        return UNFINISHED, None
    verdict = ratio.verdict if ratio.bounded else ""
    mood = {"faster": Mood.GOOD, "slower": Mood.BAD}.get(verdict)
    figure = Figure(ratio.median, Unit.TIMES_RATIO, mood=mood, is_equal=verdict == "no difference")
    return figure, Interval(ratio.low, ratio.high, Unit.TIMES_RATIO) if ratio.bounded else "one repetition"


def _counts(counts: Counter[str], verdicts: Sequence[str]) -> list[Cell]:
    return [
        Figure(counts[verdict], Unit.COUNT, mood=Mood.BAD if verdict == SLOWER and counts[verdict] else None)
        for verdict in verdicts
    ]


def _losses(results: Sequence[CellResult]) -> Section:
    lost = losses(results)
    names = CellNames(results)
    columns = (
        *(*text_columns("experiment", "library"), RATIO, Column("95 % interval")),
        *text_columns("cell", "mallard's", "the other's"),
    )
    rows = (
        Row(
            (
                title(result.experiment, result.quantity),
                result.peer,
                *_ratio(result.ratio),
                names.of(result),
                f"{result.ours.strategy} {value_text(result.ours, result)}",
                f"{result.theirs.strategy} {value_text(result.theirs, result)}",
            )
        )
        for result in lost
    )
    caption = "Where another library is faster"
    table = Table(
        caption,
        columns,
        tuple(rows),
        LOSSES_SHOWN,
        noun="further comparison",
        remedy=REMEDY,
    )
    heading = f"{caption}, {len(lost)} of {len(results)} comparisons"
    return Section(heading, (table,) if lost else (), is_headed=True)
