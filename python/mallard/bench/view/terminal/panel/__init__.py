"""The tables of a run: a module for each kind of panel, and for each panel of its own. Here is the answer to
a run: what to use, in sentences. It is printed last, so that it stays on the screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from mallard.bench.analysis.cell_tables import Setting, setting_text


@dataclass(frozen=True)
class Answer:
    setting: Setting
    sentences: Sequence[str]


def show_answers(console: Console, answers: Sequence[Answer]) -> None:
    """Prints the sentences; with several settings, each below its own."""
    if not any(answer.sentences for answer in answers):
        return
    console.print()
    console.print(Text("What to use" if len(answers) == 1 else "What to use, by setting", "bold"))
    for answer in answers:
        if len(answers) > 1:
            console.print(Text(setting_text(answer.setting), "bold"))
        for sentence in answer.sentences:
            console.print(sentence)
