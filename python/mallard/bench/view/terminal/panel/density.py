"""Density: a heat map and a sentence for each data structure, then the averages: P0213's Table 8, the cost of
dispatch and the gain of winking out, on this machine. The answer has a line for each structure.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mallard.bench.analysis.averages import Effect
from mallard.bench.analysis.names import BASE, NULL
from mallard.bench.analysis.panel.density import Summary, Verdict, in_brief, sentence, summaries
from mallard.bench.papers.catalogue import strategy_text
from mallard.bench.papers.tables import P0213
from mallard.bench.result import Row
from mallard.bench.strategy_names import paper_number
from mallard.bench.view.terminal.panel import Answer
from mallard.bench.view.terminal.table import legend, ratio_style, show_heat_map
from mallard.shared.stats import Ratio
from mallard.shared.view.terminal.console import print_line


def show(console: Console, rows: Sequence[Row], *, everything: bool) -> list[Answer]:
    answers = []
    for summary in summaries(rows):
        for table, verdict in zip(summary.tables, summary.verdicts, strict=True):
            console.print(Text.assemble((f"{table.structure} ", "bold"), table.type))
            show_heat_map(console, table, everything=everything)
            console.print(sentence(verdict))
            console.print()
        console.print(legend(), style="dim")
        console.print()
        show_averages(console, summary)
        answers.append(Answer(summary.setting, _in_lines(summary.verdicts)))
    return answers


def _in_lines(verdicts: Sequence[Verdict]) -> list[str]:
    widths = [
        max(map(len, column))
        for column in zip(*((verdict.structure, verdict.type) for verdict in verdicts), strict=True)
    ]
    return [
        f"{verdict.structure:{widths[0]}}  {verdict.type:{widths[1]}}  {in_brief(verdict)}"
        for verdict in verdicts
    ]


# P0213 section 9, "Analysis", in percent.
PRINTED_DISPATCH = 0.78
PRINTED_WINK_OUT = 8.4
# A terminal of this width has room for descriptions of strategies.
DESCRIBED_WIDTH = 92


def show_averages(console: Console, summary: Summary) -> None:
    grid = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    grid.add_column("strategy", no_wrap=True)
    grid.add_column("AS", no_wrap=True)
    headings = ("mean", "interval", *(["without '"] if summary.built_once else []), "P0213")
    for heading in headings:
        grid.add_column(heading, justify="right", no_wrap=True)
    grid.add_column("")
    for name, mean in summary.means.items():
        if name not in (BASE, NULL):
            grid.add_row(
                name,
                paper_number(name),
                Text(f" {_mean_percent(mean)} ", ratio_style(mean.median)),
                _interval(mean),
                *([_repeated(summary, name)] if summary.built_once else []),
                "" if (printed := summary.printed_mean(P0213, name)) is None else f"{printed:.1f}",
                _remark(name, mean, summary.rows, console.width >= DESCRIBED_WIDTH),
            )
    if not grid.row_count:
        return
    title = (f"Mean over {summary.population}, percent of {BASE}", "bold")
    console.print(Text.assemble(title, "; beside it P0213's of the same rows"))
    console.print(grid)
    console.print()
    _show_effect(console, "cost of virtual dispatch", summary.dispatch, PRINTED_DISPATCH)
    _show_effect(console, "gain of winking out", summary.wink_out, PRINTED_WINK_OUT)


def _repeated(summary: Summary, name: str) -> str:
    return f"{100 * summary.repeated[name].median:.1f}" if name in summary.repeated else ""


def _show_effect(console: Console, label: str, effect: Effect, printed: float) -> None:
    mean = effect.overall
    if mean is not None:
        bounds = f"{mean.low:.1f} to {mean.high:.1f}" if mean.bounded else "one repetition: no interval"
        figures = f"{mean.value:.1f} % ({bounds})"
        none = ", no difference" if mean.bounded and mean.includes_zero else ""
        print_line(console, f"{label}: {figures}{none}; P0213 printed {printed} %")
        print_line(console, f"  in the middle cell: {effect.middle:.1f} %")
        for name, part in effect.parts.items():
            print_line(console, f"  of monotonic, {name}: {part.value:.1f} %")


def _mean_percent(ratio: Ratio) -> str:
    return f"{100 * ratio.median:.1f}{'=' if ratio.verdict == 'no difference' else ' '}"


def _interval(ratio: Ratio) -> str:
    return f"{100 * ratio.low:.1f} to {100 * ratio.high:.1f}" if ratio.bounded else "one repetition"


def _remark(name: str, mean: Ratio, rows: int, described: bool) -> str:
    parts = [strategy_text(name)] if described else []
    if mean.n < rows:
        parts.append(f"{mean.n} rows only")
    return "; ".join(parts)
