"""Benchmark I: data structures of 2^6 to 2^16 elements, built and destroyed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mallard.bench.experiments.density import BUFFERS, EXPERIMENT, NONE
from mallard.bench.footprint import MONOTONIC, fitting_buffer, readable, row_bytes
from mallard.bench.papers.catalogue import Strategy, Structure
from mallard.bench.plan import axes
from mallard.bench.plan.assembly import Plan, PlannedRow
from mallard.bench.plan.request import QUICK, REPETITIONS, USABLE_MEMORY, Host, Options, Request
from mallard.bench.result import Parameters
from mallard.bench.runner import Runner
from mallard.bench.selection import in_words
from mallard.shared.errors import UsageError

WORDS_OF_ONE = ("buffer", "hash")
BUFFER_BYTES = 1 << 30
# A cell of about a millisecond is sensitive to noise, but repetitions are cheap. In a
# vector of integers, a leaf takes a nanosecond.
SHORT_REPETITIONS = 9
SHORT_LEAVES_LOG2 = 22
QUICK_LEAF = "vector<int>"

Wanted = list[tuple[Structure, int]]


def plan(request: Request, runner: Runner, host: Host, continued: Options) -> Plan:
    """The plan. A continued run keeps the size of its buffer."""
    structures = {structure.name: structure for structure in runner.structures}

    def change(rows: list[PlannedRow], options: Options) -> tuple[list[PlannedRow], Options, list[str]]:
        """The rows that fit, with the derived parameters."""
        rows = [row for row in rows if row.parameters["ds"] in structures]
        buffer_bytes, smaller = choose_buffer(request, host, continued)
        allocators = _allocators(runner.strategies(request.experiment), options["strategies"])
        wanted = [(structures[row.parameters["ds"]], row.parameters["size_log2"]) for row in rows]
        names = list(dict.fromkeys(structure.name for structure, _ in wanted))
        wanted, messages = _within_product(request, wanted, rows[0].parameters["product_log2"])
        wanted, warnings = within_memory(request, host, wanted, allocators, buffer_bytes)
        if smaller and any(MONOTONIC in allocator for allocator in allocators):
            warnings.append(smaller)
        by_place = {(row.parameters["ds"], row.parameters["size_log2"]): row for row in rows}
        kept = [
            _complete(request, by_place[structure.name, size], structure, buffer_bytes)
            for structure, size in wanted
        ]
        return kept, {**options, "structures": names, "buffer_bytes": buffer_bytes}, messages + warnings

    return axes.plan(EXPERIMENT, request, runner, host, change)


def _complete(request: Request, row: PlannedRow, structure: Structure, buffer_bytes: int) -> PlannedRow:
    size, product = row.parameters["size_log2"], row.parameters["product_log2"]
    return replace(
        row,
        parameters=cell_parameters(request, structure, size, product, buffer_bytes),
        repetitions=choose_repetitions(request, structure, product),
    )


def run_setting(request: Request, buffer_bytes: int) -> Options:
    """The setting of a run, for its headings."""
    return {
        **{name: request.one(name, axis.words) for name in WORDS_OF_ONE if (axis := EXPERIMENT.axis(name))},
        "buffer_bytes": buffer_bytes,
    }


def choose_buffer(request: Request, host: Host, continued: Options) -> tuple[int, str]:
    """The size of the buffer, and a message about it."""
    if request.one("buffer", BUFFERS) == NONE:
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


def choose_repetitions(request: Request, structure: Structure, product_log2: int) -> int:
    short = QUICK_LEAF in structure.type and product_log2 <= SHORT_LEAVES_LOG2
    return request.repetitions or (SHORT_REPETITIONS if short else REPETITIONS)


def cell_parameters(
    request: Request, structure: Structure, size: int, product_log2: int, buffer_bytes: int
) -> Parameters:
    parameters: Parameters = {
        "ds": structure.name,
        "size_log2": size,
        "product_log2": product_log2,
        "inner_log2": structure.inner_log2,
        **run_setting(request, buffer_bytes),
    }
    if parameters["buffer"] == NONE:
        del parameters["buffer_bytes"]
    return parameters


def within_memory(
    request: Request, host: Host, wanted: Wanted, allocators: set[str], buffer_bytes: int
) -> tuple[Wanted, list[str]]:
    """The rows that fit into memory. Others are an error if their size was requested, and a message
    otherwise."""
    usable = host.usable_bytes(request)
    needed = [
        (structure, size, row_bytes(structure, size, allocators, buffer_bytes)) for structure, size in wanted
    ]
    fitting = [(structure, size) for structure, size, need in needed if usable is None or need <= usable]
    too_large = [(structure, size) for structure, size in wanted if (structure, size) not in fitting]
    if usable is None or not too_large:
        return fitting, []
    listed = _in_words(too_large)
    need = readable(max(need for structure, size, need in needed if (structure, size) in too_large))
    if "size" in request.options:
        raise UsageError(
            f"--size: {listed} cannot fit in memory: up to {need} are needed, {_room(host, usable)}; "
            f"leave these sizes out of --size or these structures out of --ds, or free memory"
        )
    return fitting, [
        f"left out: {listed}, which cannot fit in memory (up to {need} needed, {_room(host, usable)})"
    ]


def _room(host: Host, usable: int) -> str:
    free = host.available_bytes
    if free is not None and usable < int(free * USABLE_MEMORY):
        return f"{readable(usable)} is the limit of a process: --memory-limit GIB"
    return f"{readable(free or 0)} are free"


def _allocators(known: Sequence[Strategy], names: Sequence[str]) -> set[str]:
    return {strategy.allocator for strategy in known if strategy.name in names}


def _within_product(request: Request, wanted: Wanted, product_log2: int) -> tuple[Wanted, list[str]]:
    """The rows of --quick without structures that have more leaves than the product."""
    if request.scale != QUICK or "size" in request.options:
        return wanted, []
    inside = [(structure, size) for structure, size in wanted if size + structure.inner_log2 <= product_log2]
    outside = [pair for pair in wanted if pair not in inside]
    if not outside:
        return wanted, []
    return inside, [
        (
            f"left to --standard: {_in_words(outside)}, where one structure alone has more than the "
            f"2^{product_log2} leaf elements of --{request.scale}"
        )
    ]


def _in_words(pairs: Wanted) -> str:
    """Structures by their first size: DS6, DS8 from 2^15 on; DS5 from 2^16 on."""
    starts: dict[int, list[str]] = {}
    for name in dict.fromkeys(structure.name for structure, _ in pairs):
        starts.setdefault(min(size for structure, size in pairs if structure.name == name), []).append(name)
    return "; ".join(f"{in_words(names)} from 2^{size} on" for size, names in sorted(starts.items()))
