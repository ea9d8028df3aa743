"""The README's figures of density: means beside the papers', a sentence a structure, the picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from figures.heat_map_image import heat_map_image
from figures.stored import conditions, load, percent_interval
from mallard.analysis.averages import Effect
from mallard.analysis.names import BASE, FLOOR
from mallard.analysis.summary import Summary, paper_average, summaries
from mallard.analysis.verdicts import sentence
from mallard.experiments import KEEP
from mallard.papers.tables import (
    AVERAGES,
    P0089,
    PRINTED_DISPATCH,
    PRINTED_WINK_OUT,
    printed_table,
)
from mallard.strategy_names import number_of


@cache
def summary() -> Summary:
    return summaries(load("density").rows)[0]


def blocks() -> dict[str, Callable[[], str]]:
    return {
        "averages": averages,
        "conditions": lambda: conditions("density"),
        "floor": floor_and_keep,
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
    dispatch, wink_out = effect(summary().dispatch), effect(summary().wink_out)
    lines.append("")
    lines.append(f"Cost of virtual dispatch over all cells: {dispatch}; P0213 printed {PRINTED_DISPATCH} %.")
    lines.append(f"Gain of winking out: {wink_out}; P0213 printed {PRINTED_WINK_OUT} %.")
    return "\n".join(lines)


def effect(of: Effect) -> str:
    mean = of.overall
    assert mean is not None
    return f"{mean.value:.1f} % ({mean.low:.1f} to {mean.high:.1f})"


def verdicts() -> str:
    said = [(verdict.type, sentence(verdict)) for verdict in summary().verdicts]
    return "\n".join(f"- {text.replace(type_, f'`{type_}`', 1)}" for type_, text in said)


def floor_and_keep() -> str:
    floor, keep = (100 * summary().means[name].median for name in (FLOOR, KEEP))
    return (
        f"The floor, the same work over memory that is already there, takes {floor:.1f} % of {BASE}; "
        f"{BASE} with its page return switched off takes {keep:.1f} %."
    )
