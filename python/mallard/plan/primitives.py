"""Single operations: an allocation with its deallocation, an allocator's creation."""

from __future__ import annotations

from mallard.plan.assembly import assemble, chosen_strategies
from mallard.plan.planned import Plan, PlannedRow
from mallard.plan.request import PAPER, QUICK, REPETITIONS, STANDARD, Host, Option, Options, Request
from mallard.runner import Runner

OPTIONS = (Option("operation", "LIST", "pair,create (default: all)"),)

PRODUCT_LOG2 = {QUICK: 24, STANDARD: 26, PAPER: 27}  # operations in the timed part
FEWER_LOG2 = {"create": 4}  # of what may take a thousand times as long as a pair
TIME_LIMIT = {QUICK: 60.0, STANDARD: 600.0, PAPER: 3600.0}


def plan(request: Request, runner: Runner, host: Host, continued: Options) -> Plan:
    operations = request.several("operation", list(runner.operations))
    there = runner.names_of(request.experiment)
    strategies, messages = chosen_strategies(request, there, with_base=False)
    return assemble(
        request,
        host,
        [
            PlannedRow(
                request.experiment,
                {
                    "operation": operation,
                    "product_log2": PRODUCT_LOG2[request.scale] - FEWER_LOG2.get(operation, 0),
                },
                tuple(strategies),
                request.repetitions or REPETITIONS,
            )
            for operation in operations
        ],
        time_limit=TIME_LIMIT[request.scale],
        options={"operations": operations, "strategies": strategies},
        messages=messages,
    )
