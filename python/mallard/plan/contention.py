"""Benchmark IV: W threads, which each allocate and deallocate a block of 2^S bytes 2^N times, in rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mallard.contenders import serves
from mallard.errors import UsageError
from mallard.footprint import readable
from mallard.plan.assembly import assemble, chosen_strategies
from mallard.plan.blocks import Pair, chosen_pairs
from mallard.plan.planned import Plan, PlannedRow
from mallard.plan.request import PAPER, QUICK, REPETITIONS, STANDARD, Host, Options, Request
from mallard.result import Parameters
from mallard.runner import Runner
from mallard.selection import select_count, select_numbers

BUFFERS = ("static", "none")
FREED_BY = ("self", "other")
# P0089 section 11 and P0213 section 12 print these rows (N, S), each for W from 1 to 8.
PRINTED = ((15, 6), (15, 7), (15, 8), (16, 8), (17, 8), (18, 8), (19, 8))
PRINTED_THREADS = tuple(range(1, 9))
MULTIPLIER = 100
PROCESS_BYTES = 256 << 20


@dataclass(frozen=True)
class Scale:
    blocks: tuple[Pair, ...]
    threads: tuple[int, ...]  # empty: up to the number of cores
    buffers: tuple[str, ...]
    time_limit: float
    repetitions: int = REPETITIONS


SCALES = {
    # The effect of threads on each other varies more between processes than the work of one thread.
    QUICK: Scale(((15, 6), (15, 8)), (), ("static",), 60, repetitions=5),
    STANDARD: Scale(((15, 6), (15, 8), (17, 8)), PRINTED_THREADS, ("static",), 300),
    PAPER: Scale(PRINTED, PRINTED_THREADS, ("static", "none"), 3600),
}


def plan(request: Request, runner: Runner, host: Host, continued: Options) -> Plan:
    scale, name = SCALES[request.scale], request.experiment
    strategies, messages = chosen_strategies(request, runner.names_of(name), runner.usual_names_of(name))
    threads = _threads(request, runner, host, scale)
    limits = (
        runner.limit(name, "iterations_log2"),
        runner.limit(name, "block_log2"),
    )
    named = "iterations" in request.given or "block" in request.given
    pairs = chosen_pairs(request, ("iterations", "block"), limits, PRINTED) if named else list(scale.blocks)
    buffers = request.several("buffer", BUFFERS, scale.buffers)
    freed_by = request.several("freed-by", FREED_BY)
    for_others = runner.freed_by_other(name)
    _check_freeing(request, freed_by, threads, strategies, for_others)
    if "static" in buffers:
        _check_memory(request, host, max(threads), pairs)
    if max(threads) > host.cores:
        messages.append(f"up to {max(threads)} threads share {host.cores} cores")
    multiplier = _multiplier(request, runner)
    return assemble(
        request,
        host,
        [
            PlannedRow(name, parameters, able, request.repetitions or scale.repetitions)
            for parameters in _parameters(threads, pairs, multiplier, buffers, freed_by)
            if (able := _able(parameters, strategies, for_others))
        ],
        time_limit=scale.time_limit,
        options={
            "threads": threads,
            "blocks": [list(pair) for pair in pairs],
            "multiplier": multiplier,
            "buffers": buffers,
            "freed_by": freed_by,
            "strategies": strategies,
        },
        messages=messages,
        pin=False,
    )


def _threads(request: Request, runner: Runner, host: Host, scale: Scale) -> list[int]:
    least, most = runner.limit(request.experiment, "threads")
    if "threads" in request.given:
        return select_numbers(request.given["threads"], "--threads", range(least, most + 1))
    return list(scale.threads or PRINTED_THREADS[: host.cores])


def _multiplier(request: Request, runner: Runner) -> int:
    text = request.given.get("multiplier")
    if text is None:
        return MULTIPLIER
    least, most = runner.limit(request.experiment, "multiplier")
    return select_count(text, "--multiplier", least, most)


def _parameters(
    threads: list[int], pairs: list[Pair], multiplier: int, buffers: list[str], freed_by: list[str]
) -> list[Parameters]:
    """The parameters. Blocks that others free exclude a buffer, so those are measured once."""
    return [
        {
            "threads": count,
            "iterations_log2": iterations,
            "multiplier": multiplier,
            "block_log2": block,
            "buffer": buffer,
            "freed_by": who,
        }
        for who in freed_by
        for buffer in (buffers if who == "self" else buffers[:1])
        for iterations, block in pairs
        for count in threads
        if who == "self" or count > 1
    ]


def _able(parameters: Parameters, strategies: list[str], for_others: Sequence[str]) -> tuple[str, ...]:
    """A thread's own allocator cannot take back another thread's block; `for_others` can."""
    other, block_bytes = parameters["freed_by"] == "other", 2 ** int(parameters["block_log2"])
    return tuple(
        name for name in strategies if (not other or name in for_others) and serves(name, block_bytes)
    )


def _check_freeing(
    request: Request,
    freed_by: list[str],
    threads: list[int],
    strategies: list[str],
    for_others: Sequence[str],
) -> None:
    """Refuses impossible strategies if nothing else was requested. Otherwise they are not measured."""
    if freed_by != ["other"]:
        return
    if max(threads) < 2:
        raise UsageError("--freed-by other needs another thread: --threads 2 or more")
    named = [name for name in strategies if name not in for_others]
    if request.strategies is not None and named:
        raise UsageError(
            f"--freed-by other: {', '.join(named)} give each thread an allocator of its own, which no "
            f"other thread may use; allowed are {', '.join(for_others)}"
        )


def _check_memory(request: Request, host: Host, threads: int, pairs: list[Pair]) -> None:
    """Refuses buffers beyond the memory: each thread has one for all blocks of a round."""
    usable = host.usable_bytes(request)
    iterations, block = max(pairs, key=sum)
    needed = threads * 2 ** (iterations + block) + PROCESS_BYTES
    if usable is not None and needed > usable:
        raise UsageError(
            f"{threads} static buffers for 2^{iterations} blocks of 2^{block} bytes take "
            f"{readable(needed)}, and a process may take {readable(usable)}; choose smaller --threads, "
            "--iterations or --block, or --buffer none"
        )
