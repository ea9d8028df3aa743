"""Benchmark V: the work of density in a heap that was used before (P0213 section 13).

Adds to the description: the limits of memory and the derived parameters, as in density, and the fresh
heap that R needs.
"""

from __future__ import annotations

from dataclasses import replace

from mallard.bench.experiments.density import NONE
from mallard.bench.experiments.fragmentation import EXPERIMENT, FREED, HEAP, UNTOUCHED
from mallard.bench.papers.catalogue import Structure
from mallard.bench.plan import axes, density
from mallard.bench.plan.assembly import Plan, PlannedRow
from mallard.bench.plan.request import Host, Options, Request
from mallard.bench.runner import Runner
from mallard.shared.errors import UsageError


def plan(request: Request, runner: Runner, host: Host, continued: Options) -> Plan:
    structures = {structure.name: structure for structure in runner.structures}
    allocators = {strategy.allocator for strategy in runner.strategies(request.experiment)}
    buffer_bytes, smaller = density.choose_buffer(request, host, continued)

    def change(rows: list[PlannedRow], options: Options) -> tuple[list[PlannedRow], Options, list[str]]:
        """The rows that fit, with the derived parameters."""
        places = [(row, structures[row.parameters["ds"]], row.parameters["size_log2"]) for row in rows]
        wanted = list(dict.fromkeys((structure, size) for _, structure, size in places))
        fitting, messages = density.within_memory(request, host, wanted, allocators, buffer_bytes)
        kept = [
            _complete(request, row, structure, buffer_bytes)
            for row, structure, size in places
            if (structure, size) in fitting
        ]
        present = {name for row in kept for name in row.strategies}
        of_rows = {
            "structures": list(dict.fromkeys(row.parameters["ds"] for row in kept)),
            "sizes_log2": sorted({row.parameters["size_log2"] for row in kept}),
            "strategies": [name for name in options["strategies"] if name in present],
            "buffer_bytes": buffer_bytes,
        }
        return kept, options | of_rows, [*messages, *filter(None, [smaller])]

    return axes.plan(EXPERIMENT, _with_fresh_heap(request), runner, host, change)


def _with_fresh_heap(request: Request) -> Request:
    """The request, with the fresh heap that R compares other heaps with."""
    if "freed" not in request.options:
        return request
    freed = request.several("freed", FREED)
    if freed == [UNTOUCHED]:
        raise UsageError(
            "--freed none alone is density, since R compares it with another state; add one: --freed "
            "none,half, or run 'mallard bench density'"
        )
    return replace(
        request, options={**request.options, "freed": ",".join({UNTOUCHED: 0} | dict.fromkeys(freed))}
    )


def _complete(request: Request, row: PlannedRow, structure: Structure, buffer_bytes: int) -> PlannedRow:
    """The row. A local allocator with a buffer takes no chunks from the perturbed heap."""
    if row.parameters["upstream"] == HEAP:
        request = replace(request, options={**request.options, "buffer": NONE})
    size, product = row.parameters["size_log2"], row.parameters["product_log2"]
    follow = density.cell_parameters(request, structure, size, product, buffer_bytes)
    heap = {name: row.parameters[name] for name in ("freed", "upstream")}
    return replace(
        row,
        parameters=follow | heap,
        repetitions=density.choose_repetitions(request, structure, product),
    )
