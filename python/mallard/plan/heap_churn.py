"""A heap that ages: blocks of random sizes, freed at random and allocated again."""

from __future__ import annotations

from dataclasses import dataclass

from mallard.errors import UsageError
from mallard.plan.assembly import assemble, chosen_strategies
from mallard.plan.planned import Plan, PlannedRow
from mallard.plan.request import PAPER, QUICK, REPETITIONS, STANDARD, Host, Option, Options, Request
from mallard.runner import Limit, Runner
from mallard.selection import select_count, select_counts

OPTIONS = (
    Option("live", "LIST", "blocks in use at a time: 10^5 (the default) or 10^3..10^5"),
    Option(
        "operations", "N", "frees with their allocations: 5000000, with --standard 10^7, with --paper 10^8"
    ),
    Option("least-bytes", "N", "of a block: 16 (the default)"),
    Option("most-bytes", "N", "of a block: 4096 (the default)"),
)
LIVE = 100_000
LEAST_BYTES, MOST_BYTES = 16, 4096
LIVE_COUNTS, OPERATION_COUNTS, BLOCK_BYTES = (1, 10**8), (1, 10**10), (9, 1 << 20)


@dataclass(frozen=True)
class Scale:
    operations: int
    repetitions: int
    time_limit: float


SCALES = {
    QUICK: Scale(5 * 10**6, REPETITIONS, 60),
    STANDARD: Scale(10**7, 5, 120),
    PAPER: Scale(10**8, 5, 1200),
}


def plan(request: Request, runner: Runner, host: Host, continued: Options) -> Plan:
    scale, name = SCALES[request.scale], request.experiment
    strategies, messages = chosen_strategies(request, runner.names_of(name))
    live = _live(request, runner)
    operations = _number(request, runner, "operations", OPERATION_COUNTS, scale.operations)
    least = _number(request, runner, "least-bytes", BLOCK_BYTES, LEAST_BYTES)
    most = _number(request, runner, "most-bytes", BLOCK_BYTES, MOST_BYTES)
    if least > most:
        raise UsageError(
            f"--least-bytes {least} is more than --most-bytes {most}: sizes are drawn between them; allowed "
            f"is --least-bytes up to {most}"
        )
    sizes = {"least_bytes": least, "most_bytes": most}
    return assemble(
        request,
        host,
        [
            PlannedRow(
                name,
                {"live": count, "operations": operations, **sizes},
                tuple(strategies),
                request.repetitions or scale.repetitions,
            )
            for count in live
        ],
        time_limit=scale.time_limit,
        options={"live": live, "operations": operations, **sizes, "strategies": strategies},
        messages=messages,
    )


def _live(request: Request, runner: Runner) -> list[int]:
    text = request.given.get("live")
    if text is None:
        return [LIVE]
    return select_counts(text, "--live", *runner.limit(request.experiment, "live", LIVE_COUNTS))


def _number(request: Request, runner: Runner, name: str, limit: Limit, default: int) -> int:
    text = request.given.get(name)
    if text is None:
        return default
    of_runner = runner.limit(request.experiment, name.replace("-", "_"), limit)
    return select_count(text, f"--{name}", *of_runner)
