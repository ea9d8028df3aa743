"""The claims ledger in the terminal: a line for each claim if there is room, else a block for each."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mallard.bench.claims import (
    NOT_APPLICABLE,
    NOT_MEASURED,
    NOT_REPRODUCED,
    REPRODUCED,
    VERDICTS,
    Entry,
    counts,
)
from mallard.bench.store import Run
from mallard.shared.view.terminal.console import print_line

# In a narrower terminal the columns would break every word.
WIDTH_OF_TABLE = 150
STYLES = {
    REPRODUCED: "bold",
    NOT_REPRODUCED: "bold reverse",
    NOT_APPLICABLE: "dim",
    NOT_MEASURED: "dim italic",
}


def show_claims(
    console: Console, entries: Sequence[Entry], runs: Sequence[Run], hidden: Collection[str] = ()
) -> None:
    """Claims with a verdict among those left out are counted, but not shown."""
    if not entries:
        console.print("No claim has this verdict in this document.")
        return
    for document in dict.fromkeys(entry.document for entry in entries):
        claims = [entry for entry in entries if entry.document == document]
        print_line(console, Text.assemble((document, "bold"), f": {_counted(claims)}"))
        show = _table if console.width >= WIDTH_OF_TABLE else _blocks
        show(console, [entry for entry in claims if entry.verdict not in hidden])
        console.print()
    console.print(_runs_text(runs))
    more = f"; --all shows those {' and '.join(hidden)}" if hidden else ""
    print_line(console, f"{len(entries)} claims: {_counted(entries)}{more}")


def _counted(entries: Sequence[Entry]) -> str:
    by_verdict = counts(entries)
    return ", ".join(f"{by_verdict[verdict]} {verdict}" for verdict in VERDICTS if by_verdict[verdict])


def _runs_text(runs: Sequence[Run]) -> str:
    if not runs:
        return "Nothing was measured yet; 'mallard bench EXPERIMENT' measures."
    numbers = {
        name: " ".join(str(run.id) for run in runs if run.experiment == name)
        for name in dict.fromkeys(run.experiment for run in runs)
    }
    names = ", ".join(f"{name} {ids}" for name, ids in numbers.items())
    return f"here: runs {names}; in brackets 95 % intervals over the repetitions"


def _table(console: Console, entries: Sequence[Entry]) -> None:
    grid = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", show_edge=False)
    grid.add_column("", justify="right", no_wrap=True, style="dim")
    grid.add_column("section", ratio=2)
    grid.add_column("claim", ratio=6)
    grid.add_column("printed", ratio=3)
    grid.add_column("here", ratio=4)
    grid.add_column("verdict", ratio=6)
    for entry in entries:
        claim = Text.assemble(entry.shown_text, (f"  ({entry.shown_note})" if entry.note else "", "dim"))
        grid.add_row(entry.number, entry.section, claim, entry.printed, _our_figure(entry), _verdict(entry))
    console.print(grid)


def _blocks(console: Console, entries: Sequence[Entry]) -> None:
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(justify="right", no_wrap=True, style="dim")
    grid.add_column()
    for entry in entries:
        figures = Text.assemble(("printed ", "dim"), entry.printed)
        if entry.ours:
            figures.append_text(Text.assemble(("; here ", "dim"), _our_figure(entry)))
        grid.add_row(entry.number, Text(f"{entry.section}: {entry.shown_text}"))
        grid.add_row("", figures)
        grid.add_row("", _verdict(entry))
        if entry.note:
            grid.add_row("", Text(f"note: {entry.shown_note}", "dim"))
    console.print(grid)


def _our_figure(entry: Entry) -> str:
    return f"{entry.ours} ({entry.interval})" if entry.interval else entry.ours


def _verdict(entry: Entry) -> Text:
    text = Text(entry.verdict, STYLES[entry.verdict])
    if entry.reason:
        text.append(f": {entry.reason}", "dim" if entry.verdict == NOT_APPLICABLE else "")
    if entry.command:
        text.append(f"; {entry.command}", "")
    return text
