"""Vectors that grow by one element at a time, forward or backward, and that shrink (allocplus, chapter 1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mallard.errors import UsageError
from mallard.plan.assembly import assemble, chosen_strategies
from mallard.plan.planned import Plan, PlannedRow
from mallard.plan.request import PAPER, QUICK, REPETITIONS, STANDARD, Host, Option, Options, Request
from mallard.result import Parameters
from mallard.runner import Runner
from mallard.selection import select_count, select_counts

INT, MY_INT = "int", "myint"  # the article's class, with a copy constructor and an assignment of its own
TYPES = (INT, MY_INT)
REALLOC = "realloc"  # moves bytes, so it has no part with MY_INT
SHRINK = "shrink-to-fit"
OPTIONS = (
    Option("elements", "LIST", "of a vector: 10^1..10^7 or 10,10000"),
    Option("type", "LIST", "of the elements: int, myint"),
    Option("iterations", "N", "vectors in a time: enough of each size (the default)"),
)
SHRINK_OPTIONS = (
    *OPTIONS,
    Option("step", "N", "elements erased at a time: 5, of large vectors more (the default)"),
)
ELEMENT_COUNTS, ITERATIONS, STEPS = (1, 10**8), (1, 10**9), (1, 10**8)
ARTICLES = (10, 100, 1000, 10_000)
POWERS = tuple(10**power for power in range(1, 8))
SHRUNK = (10, 100, 500, 1000, 2000, 10_000)  # with those of the article: 500, 2,000 and 10,000


@dataclass(frozen=True)
class Scale:
    """The sizes of each experiment and type."""

    grown: dict[str, Sequence[int]]
    shrunk: dict[str, Sequence[int]]
    repetitions: int
    time_limit: float


SCALES = {
    QUICK: Scale(
        {INT: POWERS, MY_INT: ARTICLES},
        {INT: (10, 100, 1000, 10_000, 1_000_000), MY_INT: (500, 10_000)},
        REPETITIONS,
        60,
    ),
    STANDARD: Scale(
        {INT: POWERS, MY_INT: POWERS},
        {INT: (*SHRUNK, 100_000, 1_000_000, 10_000_000), MY_INT: SHRUNK},
        5,
        300,
    ),
    PAPER: Scale(
        {INT: POWERS, MY_INT: POWERS},
        dict.fromkeys(TYPES, (*SHRUNK, 100_000, 1_000_000, 10_000_000)),
        9,
        1200,
    ),
}


def plan(request: Request, runner: Runner, host: Host, continued: Options) -> Plan:
    scale, name = SCALES[request.scale], request.experiment
    strategies, messages = chosen_strategies(request, runner.names_of(name))
    sizes = _sizes(request, runner, scale)
    rows = [
        PlannedRow(
            name,
            {"elements": elements, "type": type_, **_counted(request, runner, elements)},
            tuple(_able(strategies, type_)),
            request.repetitions or scale.repetitions,
        )
        for type_ in request.several("type", TYPES)
        for elements in sizes[type_]
    ]
    return assemble(
        request,
        host,
        rows,
        time_limit=scale.time_limit,
        options={
            "elements": sorted({row.parameters["elements"] for row in rows}),
            "types": list(dict.fromkeys(row.parameters["type"] for row in rows)),
            "strategies": strategies,
        },
        messages=messages,
    )


def _sizes(request: Request, runner: Runner, scale: Scale) -> dict[str, Sequence[int]]:
    text = request.given.get("elements")
    if text is None:
        return scale.shrunk if request.experiment == SHRINK else scale.grown
    limit = runner.limit(request.experiment, "elements", ELEMENT_COUNTS)
    return dict.fromkeys(TYPES, select_counts(text, "--elements", *limit))


def _counted(request: Request, runner: Runner, elements: int) -> Parameters:
    """Empty where the runner is to choose."""
    found: Parameters = {}
    for name, limit in (("step", STEPS), ("iterations", ITERATIONS)):
        text = request.given.get(name)
        if text is not None:
            found[name] = select_count(text, f"--{name}", *runner.limit(request.experiment, name, limit))
    step = found.get("step", 1)
    if elements % step:
        raise UsageError(
            f"--step {step} with --elements {elements}: the last elements are erased in equal steps, so "
            f"allowed are divisors of the elements; choose another step, or --elements "
            f"{elements - elements % step or step}"
        )
    return found


def _able(strategies: Iterable[str], type_: str) -> list[str]:
    return [name for name in strategies if type_ == INT or name != REALLOC]
