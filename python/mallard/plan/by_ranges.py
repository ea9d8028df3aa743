"""Bursts and adaptive pools: nodes of a list inserted and erased by ranges, one by one and in bursts
(allocplus, chapters 2 and 3)."""

from __future__ import annotations

from dataclasses import dataclass

from mallard.errors import UsageError
from mallard.plan.assembly import assemble, chosen_strategies
from mallard.plan.planned import Plan, PlannedRow
from mallard.plan.request import PAPER, QUICK, REPETITIONS, STANDARD, Host, Option, Options, Request
from mallard.runner import Runner
from mallard.selection import select_count, select_counts

OPTIONS = (
    Option("range", "LIST", "nodes inserted or erased at a time: 10^1..10^4 or 10,1000"),
    Option("nodes", "N", "how many in all: 2000000 (the default)"),
)
RANGES = (10, 100, 1000, 10_000)  # the article's
NODES = 2_000_000
RANGE_LENGTHS, NODE_COUNTS = (1, 10**8), (1, 10**9)


@dataclass(frozen=True)
class Scale:
    repetitions: int
    time_limit: float


SCALES = {
    QUICK: Scale(REPETITIONS, 20),
    STANDARD: Scale(5, 120),
    PAPER: Scale(9, 600),
}


def plan(request: Request, runner: Runner, host: Host, continued: Options) -> Plan:
    scale, name = SCALES[request.scale], request.experiment
    strategies, messages = chosen_strategies(request, runner.names_of(name))
    ranges = _ranges(request, runner)
    nodes = _nodes(request, runner)
    _check(ranges, nodes)
    return assemble(
        request,
        host,
        [
            PlannedRow(
                name,
                {"range": length, "nodes": nodes},
                tuple(strategies),
                request.repetitions or scale.repetitions,
            )
            for length in ranges
        ],
        time_limit=scale.time_limit,
        options={"ranges": ranges, "nodes": nodes, "strategies": strategies},
        messages=messages,
    )


def _ranges(request: Request, runner: Runner) -> list[int]:
    text = request.given.get("range")
    if text is None:
        return list(RANGES)
    return select_counts(text, "--range", *runner.limit(request.experiment, "range", RANGE_LENGTHS))


def _nodes(request: Request, runner: Runner) -> int:
    text = request.given.get("nodes")
    if text is None:
        return NODES
    return select_count(text, "--nodes", *runner.limit(request.experiment, "nodes", NODE_COUNTS))


def _check(ranges: list[int], nodes: int) -> None:
    odd = [length for length in ranges if nodes % length]
    if odd:
        raise UsageError(
            f"--range {odd[0]} with --nodes {nodes}: all ranges have one length, so allowed are divisors of "
            f"the nodes; choose another range, or --nodes {nodes - nodes % odd[0] or odd[0]}"
        )
