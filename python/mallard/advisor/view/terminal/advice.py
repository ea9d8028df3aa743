"""Advice in the terminal: the answer first, then the figures that it rests on, then code to paste."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict, replace

from rich.console import Console

from mallard.advisor.advice.study import Study
from mallard.advisor.advice.verdict import Verdict
from mallard.shared.view.terminal.console import print_line

COLOURS = {"local": "bold green", "global": "bold green"}
INDENT = 2


def advice_json(study: Study, verdict: Verdict) -> str:
    facts = [{"label": label, "text": text} for label, text in verdict.facts]
    answer = {"kind": verdict.kind, **asdict(verdict), "facts": facts}
    fields = asdict(replace(study, profile=None))
    del fields["profile"]
    head = {"format": "mallard advice", "version": 1, **answer, "wall": study.wall}
    return json.dumps({**head, "study": fields}, indent=1)


def show_advice(console: Console, study: Study, verdict: Verdict) -> None:
    console.print()
    _paragraph(console, verdict.headline, COLOURS.get(verdict.kind, "bold"), 0)
    for label, text in verdict.facts:
        _paragraph(console, f"{label}: {text}", "", INDENT)
    if verdict.notes:
        console.print()
    for note in verdict.notes:
        _paragraph(console, note, "dim", 0)
    if verdict.code:
        console.print()
        print_line(console, "Code to paste:", "bold")
        for line in verdict.code.splitlines():
            print_line(console, f"  {line}" if line else "")


def _paragraph(console: Console, text: str, style: str, indent: int) -> None:
    """Broken between words to the width of the console; further lines stand below the first, indented."""
    hanging = " " * (indent + (4 if indent else 0))
    for line in textwrap.wrap(
        text,
        max(console.width, 40),
        initial_indent=" " * indent,
        subsequent_indent=hanging,
        break_on_hyphens=False,
        break_long_words=False,
    ):
        print_line(console, line, style)
