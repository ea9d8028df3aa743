"""Benchmark V: the work of density in a heap that was used before (P0213 section 13)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mallard.errors import UsageError
from mallard.experiments.density import NONE
from mallard.experiments.description import STRATEGIES, Scale
from mallard.experiments.fragmentation import EXPERIMENT, FREED, HEAP, UNTOUCHED, UPSTREAMS
from mallard.papers.catalogue import Structure
from mallard.plan import density
from mallard.plan.assembly import assemble, chosen_strategies, merged, of_grid
from mallard.plan.planned import Plan, PlannedRow
from mallard.plan.request import Host, Options, Request
from mallard.result import Parameters
from mallard.runner import Runner
from mallard.selection import select_sizes

Grid = Mapping[str, tuple[Any, ...]]


def plan(request: Request, runner: Runner, host: Host, continued: Options) -> Plan:
    scale = EXPERIMENT.scales[request.scale]
    there = runner.names_of(request.experiment)
    chosen, messages = chosen_strategies(request, there, runner.usual_names_of(request.experiment))
    buffer_bytes, smaller = density.buffer_of(request, host, continued)
    grids = _named(request, runner, scale)
    planned: list[PlannedRow] = []
    for grid in grids:
        wanted = of_grid(request, chosen, grid.get(STRATEGIES))
        places, left = _places(request, runner, host, grid, buffer_bytes)
        messages += [text for text in left if text not in messages]
        planned += _rows(request, grid, places, wanted, buffer_bytes)
    rows = merged(planned, there)
    return assemble(
        request,
        host,
        rows,
        time_limit=scale.time_limit,
        options={
            "structures": list(dict.fromkeys(row.parameters["ds"] for row in rows)),
            "sizes_log2": sorted({row.parameters["size_log2"] for row in rows}),
            "freed": [word for word in FREED if any(word in grid["freed"] for grid in grids)],
            "upstreams": [word for word in UPSTREAMS if any(word in grid["upstream"] for grid in grids)],
            "strategies": [name for name in there if any(name in row.strategies for row in rows)],
            **density.setting_of(request, buffer_bytes),
        },
        messages=[*messages, *filter(None, [smaller])],
    )


def _named(request: Request, runner: Runner, scale: Scale) -> list[Grid]:
    """The scale's grids, or the one that the options name, with the state that R needs."""
    given = request.given
    if not {"ds", "size", "freed", "upstream"} & set(given):
        return list(scale.grids)
    there = [each.name for each in runner.structures]
    own = [name for name in there if any(name in grid["ds"] for grid in scale.grids)]
    names = request.several("ds", there, own)
    sizes = (
        select_sizes(given["size"], "--size", runner.sizes_log2)
        if "size" in given
        else sorted({size for grid in scale.grids for size in grid["size_log2"]})
    )
    freed = request.several("freed", FREED, FREED)
    if freed == [UNTOUCHED]:
        raise UsageError(
            "--freed none alone is density, since R compares it with another state; add one, as in --freed "
            "none,half, or say 'mallard bench density'"
        )
    return [
        {
            **scale.grids[0],
            "ds": tuple(names),
            "size_log2": tuple(sizes),
            "freed": tuple(word for word in FREED if word in freed or word == UNTOUCHED),
            "upstream": tuple(request.several("upstream", UPSTREAMS, UPSTREAMS[:1])),
        }
    ]


def _places(
    request: Request, runner: Runner, host: Host, grid: Grid, buffer_bytes: int
) -> tuple[density.Wanted, list[str]]:
    structures = [each for each in runner.structures if each.name in grid["ds"]]
    wanted = [(each, size) for each in structures for size in grid["size_log2"]]
    allocators = {strategy.allocator for strategy in runner.strategies_of(request.experiment)}
    return density.within_memory(request, host, wanted, allocators, buffer_bytes)


def _rows(
    request: Request,
    grid: Grid,
    places: density.Wanted,
    strategies: list[str],
    buffer_bytes: int,
) -> list[PlannedRow]:
    (product_log2,) = grid["product_log2"]
    return [
        PlannedRow(
            request.experiment,
            {
                **_parameters(request, structure, size, product_log2, buffer_bytes, upstream),
                "freed": freed,
                "upstream": upstream,
            },
            tuple(strategies),
            density.repetitions_of(request, structure, product_log2),
        )
        for structure, size in places
        for upstream in grid["upstream"]
        for freed in grid["freed"]
    ]


def _parameters(
    request: Request, structure: Structure, size: int, product_log2: int, buffer_bytes: int, upstream: str
) -> Parameters:
    """The parameters. A local allocator with a buffer takes no chunks from the perturbed heap."""
    if upstream == HEAP:
        request = replace(request, given={**request.given, "buffer": NONE})
    return density.parameters_of(request, structure, size, product_log2, buffer_bytes)
