"""The figures of density: means beside the papers', a sentence a structure, the picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from figures.heat_map_image import heat_map_image
from figures.stored import conditions, load, percent_interval
from mallard.analysis.names import BASE
from mallard.analysis.summary import Summary, paper_average, summaries
from mallard.analysis.verdicts import sentence
from mallard.papers.tables import AVERAGES, P0089, printed_table
from mallard.strategy_names import number_of

HASHED_STRINGS = ("unordered_set", "string")


@cache
def summary() -> Summary:
    return summaries(load("density").rows)[0]


def blocks() -> dict[str, Callable[[], str]]:
    return {
        "averages": averages,
        "conditions": lambda: conditions("density"),
        "verdicts": verdicts,
    }


def image() -> str:
    return heat_map_image(summary())


def averages() -> str:
    lines = [
        f"| strategy | AS | here, % of {BASE} | interval | P0213 | P0089 |",
        "|---|---|---:|---:|---:|---:|",
    ]
    printed = printed_table(AVERAGES).lines[0]
    for name, mean in summary().means.items():
        if name == BASE:
            continue
        beside = (
            [f"{printed[name]:.2f}", f"{paper_average(P0089, name):.1f}"] if name in printed else ["", ""]
        )
        shown = f"{100 * mean.median:.1f}"
        here = f"{shown} | {percent_interval(mean)}"
        lines.append(f"| {name} | {number_of(name)} | {here} | {beside[0]} | {beside[1]} |")
    return "\n".join(lines)


def verdicts() -> str:
    """Of the structures whose times do not depend on how much of a string is hashed."""
    said = [
        (verdict.type, sentence(verdict))
        for verdict in summary().verdicts
        if not all(part in verdict.type for part in HASHED_STRINGS)
    ]
    return "\n".join(f"- {text.replace(type_, f'`{type_}`', 1)}" for type_, text in said)
