"""Benchmark I: data structures of 2^6 to 2^16 elements, built and destroyed.

docs/results.md computes the time of --standard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mallard.errors import UsageError
from mallard.footprint import MONOTONIC, fitting_buffer, readable, row_bytes
from mallard.papers.catalogue import Strategy, Structure
from mallard.plan.assembly import assemble, chosen_strategies
from mallard.plan.planned import Plan, PlannedRow
from mallard.plan.request import (
    PAPER,
    QUICK,
    REPETITIONS,
    STANDARD,
    USABLE_MEMORY,
    Host,
    Options,
    Request,
)
from mallard.result import Parameters
from mallard.runner import Runner
from mallard.selection import in_words, select_sizes

BUFFERS = ("warm", "cold", "none")
HASHES = ("prefix", "full")
PAGES = ("huge", "small")
BUFFER_BYTES = 1 << 30
# A cell of about a millisecond suffers from every disturbance, but more of them are still cheap. In a
# vector of integers, a leaf takes a nanosecond.
SHORT_REPETITIONS = 9
SHORT_LEAVES_LOG2 = 22
QUICK_LEAF = "vector<int>"


@dataclass(frozen=True)
class Scale:
    product_log2: int  # leaf elements made in the timed part
    time_limit: float  # seconds for one process
    # Without --size: every second size, up to the product of leaves in one structure.
    few_sizes: bool = False


SCALES = {QUICK: Scale(20, 60, few_sizes=True), STANDARD: Scale(22, 600), PAPER: Scale(27, 3600)}

Wanted = list[tuple[Structure, int]]


def plan(request: Request, runner: Runner, host: Host, continued: Options) -> Plan:
    """The plan. A continued run keeps the size of its buffer."""
    scale = SCALES[request.scale]
    structures = chosen_structures(request, runner)
    there, usual = runner.names_of(request.experiment), runner.usual_names_of(request.experiment)
    strategies, messages = chosen_strategies(request, there, usual)
    buffer_bytes, smaller = buffer_of(request, host, continued)
    explicit = "size" in request.given
    sizes = (
        select_sizes(request.given["size"], "--size", runner.sizes_log2)
        if explicit
        else list(runner.sizes_log2[:: 2 if scale.few_sizes else 1])
    )
    wanted = [(structure, size) for structure in structures for size in sizes]
    if scale.few_sizes and not explicit:
        wanted, left = _within_product(wanted, scale.product_log2, request.scale)
        messages += left
    known = runner.strategies_of(request.experiment)
    wanted, left = within_memory(request, host, wanted, _allocators(known, strategies), buffer_bytes)
    messages += left
    if smaller and any(MONOTONIC in allocator for allocator in _allocators(known, strategies)):
        messages.append(smaller)
    return assemble(
        request,
        host,
        [
            PlannedRow(
                request.experiment,
                parameters_of(request, structure, size, scale.product_log2, buffer_bytes),
                tuple(strategies),
                repetitions_of(request, structure, scale.product_log2),
            )
            for structure, size in wanted
        ],
        time_limit=scale.time_limit,
        options={
            "structures": [structure.name for structure in structures],
            "sizes_log2": sizes,
            "strategies": strategies,
            **setting_of(request, buffer_bytes),
        },
        messages=messages,
    )


def chosen_structures(request: Request, runner: Runner) -> list[Structure]:
    by_name = {structure.name: structure for structure in runner.structures}
    return [by_name[name] for name in request.several("ds", list(by_name))]


def setting_of(request: Request, buffer_bytes: int) -> Options:
    """The setting of a run, for its headings."""
    return {
        "buffer": request.one("buffer", BUFFERS),
        "buffer_bytes": buffer_bytes,
        "hash": request.one("hash", HASHES),
        "pages": request.one("pages", PAGES),
    }


def buffer_of(request: Request, host: Host, continued: Options) -> tuple[int, str]:
    """The size of the buffer, and a message about it."""
    if request.one("buffer", BUFFERS) == "none":
        return 0, ""
    if continued.get("buffer_bytes") is not None:
        return int(continued["buffer_bytes"]), ""
    size = fitting_buffer(BUFFER_BYTES, host.available_bytes)
    if size == BUFFER_BYTES:
        return size, ""
    return size, (
        f"the initial buffer of the monotonic strategies is {readable(size)} instead of "
        f"{readable(BUFFER_BYTES)}: {readable(host.available_bytes or 0)} of memory are free"
    )


def repetitions_of(request: Request, structure: Structure, product_log2: int) -> int:
    short = QUICK_LEAF in structure.type and product_log2 <= SHORT_LEAVES_LOG2
    return request.repetitions or (SHORT_REPETITIONS if short else REPETITIONS)


def parameters_of(
    request: Request, structure: Structure, size: int, product_log2: int, buffer_bytes: int
) -> Parameters:
    parameters: Parameters = {
        "ds": structure.name,
        "size_log2": size,
        "product_log2": product_log2,
        "inner_log2": structure.inner_log2,
        **setting_of(request, buffer_bytes),
    }
    if parameters["buffer"] == "none":
        del parameters["buffer_bytes"]
    return parameters


def within_memory(
    request: Request, host: Host, wanted: Wanted, allocators: set[str], buffer_bytes: int
) -> tuple[Wanted, list[str]]:
    """The rows that fit into memory. Others are an error if their size was requested, and a message
    otherwise."""
    usable = host.usable_bytes(request)
    needed = [(each, size, row_bytes(each, size, allocators, buffer_bytes)) for each, size in wanted]
    fitting = [(each, size) for each, size, need in needed if usable is None or need <= usable]
    too_large = [(each, size) for each, size in wanted if (each, size) not in fitting]
    if usable is None or not too_large:
        return fitting, []
    what = _in_words(too_large)
    need = readable(max(need for each, size, need in needed if (each, size) in too_large))
    if "size" in request.given:
        raise UsageError(
            f"--size: {what} cannot fit in memory: up to {need} are needed, {_room(host, usable)}; "
            f"leave these sizes out of --size or these structures out of --ds, or free memory"
        )
    return fitting, [
        f"left out: {what}, which cannot fit in memory (up to {need} needed, {_room(host, usable)})"
    ]


def _room(host: Host, usable: int) -> str:
    free = host.available_bytes
    if free is not None and usable < int(free * USABLE_MEMORY):
        return f"{readable(usable)} is the limit of a process: --memory-limit GIB"
    return f"{readable(free or 0)} are free"


def _allocators(known: Sequence[Strategy], names: Sequence[str]) -> set[str]:
    return {strategy.allocator for strategy in known if strategy.name in names}


def _within_product(wanted: Wanted, product_log2: int, scale: str) -> tuple[Wanted, list[str]]:
    inside = [(each, size) for each, size in wanted if size + each.inner_log2 <= product_log2]
    outside = [pair for pair in wanted if pair not in inside]
    if not outside:
        return wanted, []
    return inside, [
        (
            f"left to --standard: {_in_words(outside)}, where one structure alone has more than the "
            f"2^{product_log2} leaf elements of --{scale}"
        )
    ]


def _in_words(pairs: Wanted) -> str:
    """Structures by their first size: DS6, DS8 from 2^15 on; DS5 from 2^16 on."""
    starts: dict[int, list[str]] = {}
    for name in dict.fromkeys(each.name for each, _ in pairs):
        starts.setdefault(min(size for each, size in pairs if each.name == name), []).append(name)
    return "; ".join(f"{in_words(names)} from 2^{size} on" for size, names in sorted(starts.items()))
