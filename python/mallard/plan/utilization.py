"""Benchmark III: 2^T bytes allocated in total, 2^A of them live at a time, in blocks of 2^S."""

from __future__ import annotations

from dataclasses import dataclass

from mallard.errors import UsageError
from mallard.plan.assembly import assemble, chosen_strategies
from mallard.plan.blocks import chosen_pairs, exponents
from mallard.plan.planned import Plan, PlannedRow
from mallard.plan.request import PAPER, QUICK, REPETITIONS, STANDARD, Host, Options, Request
from mallard.runner import Runner

BUFFERS = ("warm", "cold", "none")
FINAL_FREES = ("timed", "untimed")
# P0089 section 10 and P0213 section 11 print these rows (A, S) for every T.
PRINTED = tuple((active, 10) for active in range(15, 21)) + tuple((20, block) for block in range(11, 16))


# A multipool takes about a millisecond at the papers' smallest T.
SHORT_REPETITIONS = 5
SHORT_TOTAL_LOG2 = 30


@dataclass(frozen=True)
class Scale:
    totals_log2: dict[str, tuple[int, ...]]  # buffer -> T
    time_limit: float


PRINTED_TOTALS = tuple(range(30, 36))
SCALES = {
    QUICK: Scale({"warm": (30,)}, 60),
    STANDARD: Scale({"warm": PRINTED_TOTALS, "none": (30,)}, 300),
    PAPER: Scale({"warm": PRINTED_TOTALS}, 3600),
}


def plan(request: Request, runner: Runner, host: Host, continued: Options) -> Plan:
    scale, name = SCALES[request.scale], request.experiment
    strategies, messages = chosen_strategies(request, runner.names_of(name), runner.usual_names_of(name))
    named = exponents(request, "total", runner.limit(name, "total_log2"))
    buffers = request.several("buffer", BUFFERS, list(scale.totals_log2))
    totals = {buffer: named or scale.totals_log2.get(buffer, scale.totals_log2["warm"]) for buffer in buffers}
    every_total = sorted({total for some in totals.values() for total in some})
    limits = (
        runner.limit(name, "active_log2"),
        runner.limit(name, "block_log2"),
    )
    pairs = chosen_pairs(request, ("active", "block"), limits, PRINTED)
    for active, block in pairs:
        _check(every_total[0], active, block)
    final_frees = request.several("final-frees", FINAL_FREES, FINAL_FREES[:1])
    return assemble(
        request,
        host,
        [
            PlannedRow(
                name,
                {
                    "total_log2": total,
                    "active_log2": active,
                    "block_log2": block,
                    "buffer": buffer,
                    "final_frees": frees,
                },
                tuple(strategies),
                request.repetitions or (SHORT_REPETITIONS if total <= SHORT_TOTAL_LOG2 else REPETITIONS),
            )
            for frees in final_frees
            for buffer in buffers
            for total in totals[buffer]
            for active, block in pairs
        ],
        time_limit=scale.time_limit,
        options={
            "totals_log2": every_total,
            "blocks": [list(pair) for pair in pairs],
            "buffers": buffers,
            "final_frees": final_frees,
            "strategies": strategies,
        },
        messages=messages,
    )


def _check(total: int, active: int, block: int) -> None:
    if block > active:
        raise UsageError(
            f"--block {block} with --active {active}: a block of 2^{block} bytes (S) is larger than the "
            f"2^{active} that are live at a time (A); choose S up to A"
        )
    if active > total:
        raise UsageError(
            f"--active {active} with --total {total}: 2^{active} bytes live at a time (A) are more than the "
            f"2^{total} allocated in all (T); choose A up to T"
        )
