"""`mallard doctor`: what this machine can measure, each line with its remedy."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import asdict
from itertools import groupby

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mallard.doctor import Finding, State, examine

HELP = "show what this machine can measure, and what to do where it cannot"
EXAMPLES = """\
mallard doctor               a line for each thing looked at, with its remedy where it is not ok
mallard doctor --json        the same for programs"""

STYLES = {State.OK: "green", State.NOTE: "yellow", State.MISSING: "magenta"}
STATE_WIDTH, TOPIC_WIDTH = 7, 16
# Where no terminal wraps the lines, commands stay in one piece.
PIPE_WIDTH = 240


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")


def run(arguments: argparse.Namespace) -> int:
    findings = examine()
    if arguments.json:
        print(json.dumps({"format": 1, "findings": [asdict(finding) for finding in findings]}, indent=2))
    else:
        console = Console(highlight=False)
        if not console.is_terminal:
            console.width = PIPE_WIDTH
        with console.capture() as shown:
            show(console, findings)
        print(*(line.rstrip() for line in shown.get().splitlines()), sep="\n")
    return 0


def show(console: Console, findings: list[Finding]) -> None:
    for group, members in groupby(findings, key=lambda finding: finding.group):
        console.print(f"[bold]{group}[/]")
        console.print(Padding(table(list(members)), (0, 0, 0, 2), expand=False))
    counts = Counter(finding.state for finding in findings)
    console.print("\n" + ", ".join(f"{counts[state]} {state}" for state in State))


def table(findings: list[Finding]) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(width=STATE_WIDTH)
    grid.add_column(width=TOPIC_WIDTH)
    grid.add_column(overflow="fold")
    for finding in findings:
        value = Text(finding.value)
        if finding.remedy:
            value.append(f"\nremedy: {finding.remedy}", "italic")
        grid.add_row(Text(finding.state, STYLES[finding.state]), finding.topic, value)
    return grid
