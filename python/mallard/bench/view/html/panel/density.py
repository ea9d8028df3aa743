"""Benchmark I: the strategy to use for each structure, averages, the cost of dispatch, the gain of winking
out, and a heat map for each structure.
"""

from __future__ import annotations

from collections.abc import Sequence

from mallard.bench.analysis.averages import Effect, Percent
from mallard.bench.analysis.cell_tables import StructureTable
from mallard.bench.analysis.labels import STATUS_TEXT
from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.density import Summary, Verdict, sentence, summaries
from mallard.bench.experiments.description.panel import Wording
from mallard.bench.papers.catalogue import strategies, strategy_text
from mallard.bench.papers.tables import P0089, P0213, PRINTED_DISPATCH, PRINTED_WINK_OUT, own_table
from mallard.bench.strategy_names import paper_number
from mallard.bench.view.html.cells.heat_map import maps
from mallard.bench.view.html.cells.race import Published, RaceTable, beside, race_form
from mallard.bench.view.html.contents import (
    Measured,
    Section,
    experiment_section,
    introduction,
    setting_text,
    unmeasured,
)
from mallard.shared.view.html import plot
from mallard.shared.view.html.figures import interval, percent, size, times
from mallard.shared.view.html.markup import Markup, breakable, element, joined
from mallard.shared.view.html.tables import chip, data_table, drawn_cell, figure_cell, scrolled, table_row

WORDING = Wording("a leaf", "leaves", "one leaf element, made and destroyed")
RACE = RaceTable(race_form(WORDING, "pincdfm"))
NAME = "density"
TITLE_PARTS = ("buffer", "pages", "hash", "product_log2", "compiler")  # the parts of a setting in a title


def sections(measured: Measured | None) -> list[Section]:
    """The strategy to use for each structure, and the section of the experiment."""
    all_summaries = summaries(measured.rows) if measured else []
    return [_verdict_section(all_summaries), _density(all_summaries)] if all_summaries else [unmeasured(NAME)]


def _verdict_section(summaries: Sequence[Summary]) -> Section:
    blocks = [
        _block(summaries, number, "verdict", joined(reading_help(summary), verdict_table(summary)))
        for number, summary in enumerate(summaries)
    ]
    return Section("verdict", "Verdict", "The strategy to use", joined(*blocks))


def _density(summaries: Sequence[Summary]) -> Section:
    blocks = [
        _block(summaries, number, "density", _everything(summary, number))
        for number, summary in enumerate(summaries)
    ]
    return experiment_section(NAME, joined(introduction(NAME), *blocks), headline(summaries[0]))


def _block(summaries: Sequence[Summary], number: int, name: str, body: Markup) -> Markup:
    """The block of one setting. The first has the section's own anchor; if there are more, each has a
    title."""
    heading = (
        element("h3", setting_text(summaries[number].setting, TITLE_PARTS), class_="setting")
        if len(summaries) > 1
        else None
    )
    return element("div", heading, body, id=f"{name}-{number}" if number else None)


def _everything(summary: Summary, number: int) -> Markup:
    mark = f"-{number}" if number else ""
    return joined(
        element(
            "section",
            element("h3", "Averages over all rows"),
            element(
                "p",
                "Every row counts alike, in percent of its own new-delete, as in P0213's Table 8. Diamonds "
                "are the means of published figures over the same rows: filled P0213, open P0089.",
            ),
            averages_table(summary),
            id=f"averages{mark}",
        ),
        element(
            "section",
            element("h3", "Virtual dispatch and winking out"),
            _effects(summary),
            id=f"effects{mark}",
        ),
        maps(
            f"show{mark}",
            RACE.form,
            *_maps(summary, mark),
            head=element("h3", "A heat map for each data structure"),
            anchor=f"maps{mark}",
        ),
        unfinished_table(summary, mark),
    )


def _effects(summary: Summary) -> Markup:
    dispatch = effect_block(
        "Cost of virtual dispatch",
        summary.dispatch,
        PRINTED_DISPATCH,
        "run time through the abstract base",
        True,
    )
    wink_out = effect_block(
        "Gain of winking out", summary.wink_out, PRINTED_WINK_OUT, "of the run time saved", False
    )
    return element("div", dispatch, wink_out, class_="columns")


def _maps(summary: Summary, mark: str) -> list[Markup]:
    return [
        _map(summary, table, verdict, mark)
        for table, verdict in zip(summary.tables, summary.verdicts, strict=True)
    ]


def _map(summary: Summary, table: StructureTable, verdict: Verdict, mark: str) -> Markup:
    p0213, p0089 = own_table(P0213, table.structure), own_table(P0089, table.structure)
    grid = RACE.markup(
        table.type,
        f"{table.structure}, {table.type}: one row for each size of the outer container",
        "size",
        table.strategies,
        [(size(line.size_log2), line) for line in table.lines],
        lambda line, name: Published(
            beside(p0213, line.place, name, line.cells.get(name)),
            beside(p0089, line.place, name, line.cells.get(name)),
        ),
    )
    says = sentence(verdict).removeprefix(f"{table.type}: ")
    return element(
        "section",
        element("h4", table.type, element("small", table.structure)),
        element("p", says[:1].upper() + says[1:], class_="says"),
        grid,
        id=f"{table.structure}{mark}",
        class_="structure",
    )


def headline(summary: Summary) -> Markup:
    """The answer over all rows, in a sentence or two."""
    best = summary.best_overall
    if best is None:
        return joined(f"No strategy has finished in every row beside {BASE}: there is no overall answer.")
    if best.strategy == BASE or best.ratio.verdict != "faster":
        return joined(
            element("strong", f"Keep {BASE}."),
            f" Over {summary.rows} rows no strategy is faster than the global allocator beyond its interval.",
        )
    return joined(
        element(
            "strong",
            f"{best.strategy} is fastest overall: ",
            f"{times(best.ratio.median)} as fast as the global allocator, {BASE}.",
        ),
        f" It is {strategy_text(best.strategy)}. Over {summary.rows} rows of ",
        f"{len(summary.tables)} data structures it takes ",
        f"{percent(best.ratio.median)} % of {BASE}'s time ({interval(best.ratio)}).",
        f" No difference from it: {', '.join(summary.equals_overall)}." if summary.equals_overall else None,
    )


def reading_help(summary: Summary) -> Markup:
    text = f"Means over the sizes of a structure, in percent of {BASE}'s time, with 95 % intervals."
    if any(verdict.keep for verdict in summary.verdicts):
        text += f" Diamonds: {BASE} itself with the platform's return of freed pages switched off."
    return element("p", text)


def verdict_table(summary: Summary) -> Markup:
    ratios = [verdict.best.ratio for verdict in summary.verdicts if verdict.best]
    keeps = [verdict.keep for verdict in summary.verdicts if verdict.keep]
    axis = plot.ratio_axis(
        [end for ratio in (*ratios, *keeps) for end in (ratio.median, ratio.low, ratio.high)]
    )
    heads = (
        *("data structure", "use", f"% of {BASE}'s time", None),
        *("as fast", "no difference from it", "if freed blocks are reused"),
    )
    rows = [_verdict_row(verdict, axis) for verdict in summary.verdicts]
    caption = "The strategy to use for each data structure"
    return scrolled(data_table(heads, rows, "verdicts", caption, axis), "Verdicts")


def _verdict_row(verdict: Verdict, axis: plot.Axis) -> Markup:
    name = joined(
        element("a", verdict.type, href=f"#{verdict.structure}"), element("small", verdict.structure)
    )
    if verdict.best is None:
        return table_row(
            name, element("td", f"no verdict: {BASE} has not finished in every row", colspan="6")
        )
    best, ratio = verdict.best.strategy, verdict.best.ratio
    use, faster, equals, reuse = f"keep {BASE}", "", "", Markup("")
    description = "no strategy is faster beyond its interval"
    if verdict.worth_it:
        use, description, faster = best, strategy_text(best), times(ratio.median)
        equals, reusing = ", ".join(verdict.equals) or "none", verdict.reusing
        reuse = Markup("the same")
        if reusing:
            reuse = joined(element("b", breakable(reusing.strategy)), f" {percent(reusing.ratio.median)} %")
    return table_row(
        name,
        element("td", element("b", breakable(use)), element("small", description), data_label="use"),
        figure_cell(chip(percent(ratio.median), ratio, interval(ratio)), data_label=f"% of {BASE}"),
        drawn_cell(axis, ratio, [(verdict.keep.median, "keep")] if verdict.keep else []),
        figure_cell(faster, data_label="as fast"),
        element("td", breakable(equals), data_label="no difference"),
        element("td", reuse, data_label="reusing"),
    )


def averages_table(summary: Summary) -> Markup:
    theirs = {name: means for name in strategies() if (means := _printed(summary, name))}
    names = [name for name in summary.means if name != BASE]
    values = [value for name in names for value in (summary.means[name].median, *theirs.get(name, ()))]
    axis = plot.ratio_axis(values)
    heads = ("strategy", "AS", "here, %", None, "P0213, %", "here \u00f7 P0213", "P0089, %", "rows")
    rows = [_average_row(summary, name, axis, theirs.get(name)) for name in names]
    caption = "Mean over all rows in percent of new-delete"
    return scrolled(data_table(heads, rows, "averages", caption, axis), "Averages")


def _printed(summary: Summary, name: str) -> tuple[float, float] | None:
    """P0213's mean and P0089's, as ratios."""
    p0213, p0089 = summary.printed_mean(P0213, name), summary.printed_mean(P0089, name)
    return (p0213 / 100, p0089 / 100) if p0213 and p0089 else None


def _average_row(summary: Summary, name: str, axis: plot.Axis, theirs: tuple[float, float] | None) -> Markup:
    mean = summary.means[name]
    marks = [(theirs[0], "p0213"), (theirs[1], "p0089")] if theirs else []
    return table_row(
        joined(breakable(name), element("small", strategy_text(name))),
        paper_number(name),
        figure_cell(chip(percent(mean.median), mean, interval(mean))),
        drawn_cell(axis, mean, marks),
        figure_cell(f"{100 * theirs[0]:.2f}" if theirs else ""),
        figure_cell(f"{mean.median / theirs[0]:.2f}" if theirs else ""),
        figure_cell(f"{100 * theirs[1]:.1f}" if theirs else ""),
        figure_cell(str(mean.n)),
    )


def effect_block(title: str, effect: Effect, printed: float, words: str, less_is_faster: bool) -> Markup:
    if effect.overall is None:
        return element(
            "section",
            element("h3", title),
            element("p", "Not measured: no row has both strategies of a pair."),
            class_="effect",
        )
    entries = [("all cells", effect.overall), ("local allocators only", effect.local_only)]
    rows: list[tuple[str, Percent]] = [(name, percent) for name, percent in entries if percent is not None]
    if effect.local_only is not None and effect.local_only.cells == effect.overall.cells:
        rows = rows[:1]
    rows += [(f"{strategy} ÷ {base}", percent) for (base, strategy), percent in effect.pairs.items()]
    rows += [(f"monotonic: {name}", percent) for name, percent in effect.parts.items()]
    axis = plot.percent_axis(
        [printed, *(value for _, percent in rows for value in (percent.value, percent.low, percent.high))],
        less_is_faster,
    )
    overall = effect.overall
    lead = element(
        "p",
        element("b", f"{_signed(overall.value)} %", class_="big"),
        f" {words} here ({_range(overall)}), the mean of {overall.cells} cells; {_middle(effect)}",
        element("span", f"P0213 found {printed:g} %."),
    )
    body = [
        _effect_row(name, percent, axis, [] if number else [(printed, "p0213")])
        for number, (name, percent) in enumerate(rows)
    ]
    grid = data_table(("pair", "%", None), body, "effects", title, axis)
    return element("section", element("h3", title), lead, grid, class_="effect")


def _middle(effect: Effect) -> str:
    return "" if effect.middle is None else f"{_signed(effect.middle)} % in the middle cell; "


def _effect_row(name: str, percent: Percent, axis: plot.Axis, marks: list[tuple[float, str]]) -> Markup:
    drawing = plot.interval(axis, percent.value, percent.low, percent.high, marks)
    return table_row(
        breakable(name),
        figure_cell(_signed(percent.value), element("small", _range(percent))),
        element("td", drawing, class_="drawn"),
    )


def _signed(value: float) -> str:
    digits = 2 if abs(value) < 1 else 1
    return f"{value:+.{digits}f}".replace("-", "\u2212")


def _range(percent: Percent) -> str:
    if not percent.bounded:
        return "one repetition: no interval"
    return f"{_signed(percent.low)} to {_signed(percent.high)}"


def unfinished_table(summary: Summary, mark: str) -> Markup | None:
    cells = summary.unfinished
    if not cells:
        return None
    rows = [
        table_row(
            table.type,
            size(line.size_log2),
            cell.strategy,
            STATUS_TEXT.get(cell.status, "not every repetition finished"),
            cell.detail,
        )
        for table, line, cell in cells
    ]
    grid = scrolled(
        data_table(("data structure", "size", "strategy", "status", "message"), rows), "Unfinished cells"
    )
    return element("section", element("h3", "Cells that did not finish"), grid, id=f"unfinished{mark}")
