"""The limits of contention beyond its description: blocks that other threads free, and memory for buffers."""

from __future__ import annotations

from dataclasses import replace

from mallard.bench.experiments.contention import EXPERIMENT, OTHER, STATIC
from mallard.bench.footprint import readable
from mallard.bench.plan import axes
from mallard.bench.plan.assembly import Plan
from mallard.bench.plan.request import Host, Options, Request
from mallard.bench.runner import Runner
from mallard.shared.errors import UsageError

PROCESS_BYTES = 256 << 20


def plan(request: Request, runner: Runner, host: Host, continued: Options) -> Plan:
    """The plan. Blocks that others free exclude a buffer, so they are measured with the first one only. They
    need two threads.
    """
    draft = axes.plan(EXPERIMENT, request, runner, host)
    _check_freeing(request, draft.options, runner.freed_by_other(EXPERIMENT.name))
    if STATIC in draft.options["buffers"]:
        _check_memory(request, host, draft.options)
    first = draft.options["buffers"][0]
    rows = tuple(
        row
        for row in draft.rows
        if row.parameters["freed_by"] != OTHER
        or (row.parameters["threads"] > 1 and row.parameters["buffer"] == first)
    )
    return replace(draft, rows=rows)


def _check_freeing(request: Request, options: Options, for_others: tuple[str, ...]) -> None:
    """Refuses unsuitable strategies if only they were requested; otherwise they are skipped."""
    if options["freed_by"] != [OTHER]:
        return
    if max(options["threads"]) < 2:
        raise UsageError("--freed-by other needs another thread: --threads 2 or more")
    named = [name for name in options["strategies"] if name not in for_others]
    if request.strategies is not None and named:
        raise UsageError(
            f"--freed-by other: {', '.join(named)} give each thread a private allocator, which no "
            f"other thread may use; allowed are {', '.join(for_others)}"
        )


def _check_memory(request: Request, host: Host, options: Options) -> None:
    """Refuses buffers beyond the memory: each thread has one for all blocks of a round."""
    usable = host.usable_bytes(request)
    threads = max(options["threads"])
    iterations, block = max(options["blocks"], key=sum)
    needed = threads * 2 ** (iterations + block) + PROCESS_BYTES
    if usable is not None and needed > usable:
        raise UsageError(
            f"{threads} static buffers for 2^{iterations} blocks of 2^{block} bytes take "
            f"{readable(needed)}, and a process may take {readable(usable)}; choose smaller --threads, "
            "--iterations or --block, or --buffer none"
        )
