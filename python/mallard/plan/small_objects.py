"""The Loki test: a million objects of N bytes allocated, freed shuffled or in order, allocated again,
traversed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mallard.contenders import serves
from mallard.plan.assembly import assemble, chosen_strategies, merged
from mallard.plan.planned import Plan, PlannedRow
from mallard.plan.request import PAPER, QUICK, REPETITIONS, STANDARD, Host, Option, Options, Request
from mallard.runner import Runner
from mallard.selection import select_count, select_numbers

ORDERS = ("shuffled", "in-order")
PAGES = ("small", "huge")
OPTIONS = (
    Option("object-bytes", "LIST", "N, bytes of an object: 1,8,16 or 1..64"),
    Option("objects", "N", "how many: 10^6 (the default) or 2^20"),
    Option("order", "LIST", "of the frees: shuffled (the default), in-order"),
    Option("pages", "LIST", "of the allocators' memory: small (the default), huge"),
)
OBJECTS = 1_000_000
SIZES = (1, 4, 8, 10, 16, 20, 24, 30, 32, 40, 48, 50, 64)
PRINTED_SIZES = (1, 10, 20, 30, 40, 50)  # in the blog
OBJECT_BYTES, OBJECT_COUNTS = (1, 4096), (1, 10**9)


@dataclass(frozen=True)
class Grid:
    sizes: tuple[int, ...]
    orders: tuple[str, ...]
    pages: tuple[str, ...]


@dataclass(frozen=True)
class Scale:
    grids: tuple[Grid, ...]
    variants: bool  # whether all orders of reuse take part
    time_limit: float  # Loki's frees take longer the more chunks there are


SCALES = {
    QUICK: Scale(
        (
            Grid((*PRINTED_SIZES, 16, 64), ("shuffled",), ("small",)),
            Grid((16,), ("in-order",), ("small",)),
            Grid((16,), ("shuffled",), ("huge",)),
        ),
        variants=False,
        time_limit=10,
    ),
    STANDARD: Scale(
        (Grid(SIZES, ("shuffled",), PAGES), Grid((*PRINTED_SIZES, 16), ("in-order",), ("small",))),
        variants=True,
        time_limit=60,
    ),
    PAPER: Scale((Grid(SIZES, ORDERS, PAGES),), variants=True, time_limit=600),
}


def plan(request: Request, runner: Runner, host: Host, continued: Options) -> Plan:
    scale, name = SCALES[request.scale], request.experiment
    there = runner.names_of(name)
    usual = there if scale.variants else runner.usual_names_of(name)
    strategies, messages = chosen_strategies(request, there, usual)
    objects = _objects(request, runner)
    grids = _grids(request, runner, scale)
    rows = merged((row for grid in grids for row in _rows(request, grid, objects, strategies)), there)
    return assemble(
        request,
        host,
        rows,
        time_limit=scale.time_limit,
        options={
            "object_bytes": sorted({size for grid in grids for size in grid.sizes}),
            "objects": objects,
            "orders": [order for order in ORDERS if any(order in grid.orders for grid in grids)],
            "pages": [pages for pages in PAGES if any(pages in grid.pages for grid in grids)],
            "strategies": strategies,
        },
        messages=messages,
    )


def _objects(request: Request, runner: Runner) -> int:
    text = request.given.get("objects")
    if text is None:
        return OBJECTS
    least, most = runner.limit(request.experiment, "objects", OBJECT_COUNTS)
    return select_count(text, "--objects", least, most)


def _grids(request: Request, runner: Runner, scale: Scale) -> tuple[Grid, ...]:
    """The scale's grids; or the one that the options name."""
    if not {"object-bytes", "order", "pages"} & set(request.given):
        return scale.grids
    first = scale.grids[0]
    least, most = runner.limit(request.experiment, "object_bytes", OBJECT_BYTES)
    text = request.given.get("object-bytes")
    sizes = first.sizes if text is None else select_numbers(text, "--object-bytes", range(least, most + 1))
    return (
        Grid(
            tuple(sizes),
            tuple(request.several("order", ORDERS, ORDERS[:1])),
            tuple(request.several("pages", PAGES, PAGES[:1])),
        ),
    )


def _rows(request: Request, grid: Grid, objects: int, strategies: Iterable[str]) -> list[PlannedRow]:
    return [
        PlannedRow(
            request.experiment,
            {"object_bytes": size, "objects": objects, "order": order, "pages": pages},
            tuple(name for name in strategies if serves(name, size)),
            request.repetitions or REPETITIONS,
        )
        for pages in grid.pages
        for order in grid.orders
        for size in grid.sizes
    ]
