"""A decision in the terminal: the strategy to use, the walk to it, the rows behind it, and missing rows."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mallard.bench.choose.case import SCOPE, Case
from mallard.bench.choose.contest import Choice
from mallard.bench.choose.findings import format_percent
from mallard.bench.choose.walk import Decision, Step

INDENT = (0, 0, 0, 2)


def show_decision(console: Console, decision: Decision) -> None:
    console.print(Text(_subject(decision.case), "bold"))
    console.print(_answer(decision))
    lines = [
        *_described("note", decision.programs),
        *_described("runner-up", _runner_up(decision)),
        *_described("no difference from it", ", ".join(decision.equals)),
        *_excluded(decision),
        *(_described("note", note)[0] for note in decision.notes),
    ]
    for line in lines:
        console.print(Padding(line, INDENT, expand=False))
    console.print(Text("\nthe questions, the answers, and what was measured", "dim"))
    console.print(Padding(_walk(decision.steps), INDENT, expand=False))
    _show_list(console, "rests on", _cells(decision))
    _show_list(console, "not measured; this measures it", decision.missing)


def _subject(case: Case) -> str:
    life = "freed by the end of a scope" if case.lifetime == SCOPE else "living as long as the program"
    return f"{case.structure.requested}, 2^{case.elements_log2:.3g} elements, {life}"


def _walk(steps: tuple[Step, ...]) -> Table:
    grid = Table.grid(padding=(0, 2))
    for style in ("dim", "", "bold"):
        grid.add_column(style=style)
    grid.add_column(overflow="fold")
    for step in steps:
        question = step.question
        mark = question.dimension if len(question.dimension) == 1 else ""
        figure = step.finding.figure or "not measured"
        grid.add_row(mark, question.text, step.answer, figure)
    return grid


def _answer(decision: Decision) -> Text:
    recommended = decision.recommended
    if recommended is None:
        return Text(f"no answer yet: {decision.reason}", "bold yellow")
    verb = "use the global allocator" if recommended.is_global else "use"
    return Text.assemble(
        (f"{verb} {recommended.strategy}", "bold green"), f" ({recommended.text}): {decision.reason}"
    )


def _runner_up(decision: Decision) -> str:
    return _named(decision.runner_up) if decision.runner_up else ""


def _named(choice: Choice) -> str:
    if choice.ratio is None:
        return f"{choice.strategy} ({choice.text})"
    return f"{choice.strategy} ({choice.text}): {format_percent(choice.ratio)}"


def _excluded(decision: Decision) -> list[Text]:
    """The exclusions. Strategies with one reason share a line."""
    reasons: dict[str, list[str]] = {}
    for name, reason in decision.excluded.items():
        reasons.setdefault(reason, []).append(name)
    return [
        line
        for reason, names in reasons.items()
        for line in _described("excluded", f"{', '.join(names)}: {reason}")
    ]


def _described(label: str, text: str) -> list[Text]:
    return [Text.assemble((f"{label}: ", "dim"), text)] if text else []


def _cells(decision: Decision) -> tuple[str, ...]:
    """A line for each row of a table, with all its strategies."""
    rows: dict[str, list[str]] = {}
    shown = [decision.recommended, decision.runner_up]
    cells = [cell for choice in shown if choice for cell in choice.cells]
    cells += [cell for step in decision.steps for cell in step.finding.cells]
    for cell in cells:
        names = rows.setdefault(cell.place_text, [])
        if cell.strategy not in names:
            names.append(cell.strategy)
    return tuple(f"{place}: {', '.join(names)}" for place, names in rows.items())


def _show_list(console: Console, title: str, lines: tuple[str, ...]) -> None:
    if not lines:
        return
    console.print(Text(f"\n{title}", "dim"))
    for line in lines:
        console.print(Padding(Text(line), INDENT, expand=False))
