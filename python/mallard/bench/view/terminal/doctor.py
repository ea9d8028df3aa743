"""The doctor's findings, a line each."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mallard.bench.doctor import Finding, State
from mallard.shared.view.terminal.console import PlainConsole

STYLES = {State.OK: "green", State.NOTE: "yellow", State.MISSING: "magenta"}
STATE_WIDTH, TOPIC_WIDTH = 7, 18
# Without a terminal to wrap the lines, commands stay in one piece.
PIPE_WIDTH = 240


def findings_text(findings: list[Finding]) -> str:
    console = PlainConsole()
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    with console.capture() as shown:
        _show(console, findings)
    return "\n".join(line.rstrip() for line in shown.get().splitlines())


def _show(console: Console, findings: list[Finding]) -> None:
    for group, members in groupby(findings, key=lambda finding: finding.group):
        console.print(group, style="bold")
        console.print(Padding(_table(list(members)), (0, 0, 0, 2), expand=False))
    counts = Counter(finding.state for finding in findings)
    summary = ", ".join(f"{counts[state]} {_counted(state, counts[state])}" for state in State)
    console.print(f"\n{summary}")


def _counted(state: State, count: int) -> str:
    return "notes" if state is State.NOTE and count != 1 else state.value


def _table(findings: list[Finding]) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(width=STATE_WIDTH)
    grid.add_column(width=TOPIC_WIDTH)
    grid.add_column(overflow="fold")
    for finding in findings:
        value = Text(finding.value)
        if finding.remedy:
            value.append(f"\nremedy: {finding.remedy}", "italic")
        grid.add_row(Text(finding.state.value, STYLES[finding.state]), finding.topic, value)
    return grid
