"""A setting of an experiment that is timed in phases: what it says, its plots, and a map of strategies whose
buttons choose the phase."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.analysis.cells import CellTable
from mallard.analysis.phases import Quantity
from mallard.view.html.contents import setting_text
from mallard.view.html.controls import maps
from mallard.view.html.markup import Markup, element
from mallard.view.html.says import says
from mallard.view.html.strategy_map import AmountKind, Kind, TimeKind, form_of, strategy_map


def phase_kinds(letters: str, phases: Sequence[Quantity], unit: str) -> tuple[Kind, ...]:
    return tuple(
        TimeKind(letter, phase.short, f"To {phase.text}: CPU nanoseconds {unit}.", phase.figure)
        for letter, phase in zip(letters, phases, strict=True)
    )


def memory_kinds(letters: str, amounts: Sequence[Quantity]) -> tuple[Kind, ...]:
    return tuple(
        AmountKind(letter, amount.short, f"Memory {amount.text}, MiB.", amount.figure)
        for letter, amount in zip(letters, amounts, strict=True)
    )


def phase_maps(name: str, kinds: Sequence[Kind], settings: Sequence[Markup]) -> Markup:
    return maps(name, form_of(kinds), *settings)


def phase_map(
    table: CellTable,
    kinds: Sequence[Kind],
    across: tuple[str, str],
    sentences: Sequence[str],
    plots: Sequence[Markup | None],
    below: Markup | None = None,
) -> Markup:
    """`across`: what a column is, as its head has it and in words."""
    text = setting_text(table.setting)
    head, column = across
    return element(
        "section",
        element("h3", text),
        says(sentences),
        element("div", *plots, class_="plots") if any(plots) else None,
        strategy_map(
            text,
            f"{text}: a row for each strategy, a column for each {column}",
            head,
            [(str(line.place[0]), line) for line in table.lines],
            table.strategies,
            kinds,
        ),
        below,
    )
