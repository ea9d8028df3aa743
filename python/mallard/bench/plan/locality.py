"""Benchmark II: a system of |G| links in lists of |S|, which are shuffled between the lists and then
visited.

One process measures every shuffle factor and access factor of one |G|, |S| and strategy.
"""

from __future__ import annotations

from collections.abc import Iterable

from mallard.bench.experiments.description.scale import PAPER, REPEATED, STRATEGIES
from mallard.bench.experiments.locality import ACCESSES, EXPERIMENT, MOSTLY, PAPER_ACCESSES, SMALL, Grid, grid
from mallard.bench.library import LIBRARY, LOCKED
from mallard.bench.plan.assembly import Plan, PlannedRow, assemble, chosen_strategies, merge_rows, of_grid
from mallard.bench.plan.notation import USAGE, Notation, check_lengths, read_notation
from mallard.bench.plan.request import REPETITIONS, Host, Options, Request
from mallard.bench.result import Parameters
from mallard.bench.runner import Runner
from mallard.bench.selection import select_count, select_counts, select_numbers
from mallard.shared.errors import UsageError

MOST_ACCESS_FACTOR = 2**20
MOST_SHUFFLE_FACTOR = 100
MOST_REPEAT_FACTOR = 2**20
# The notation sets the number of accesses, so no scale's limit fits.
NOTATION_TIME_LIMIT = 3600.0


def plan(request: Request, runner: Runner, host: Host, continued: Options) -> Plan:
    least, most = (2**end for end in runner.limit(request.experiment, "links_log2"))
    available = runner.strategy_names(request.experiment)
    defaults = [name for name in available if name not in (*LIBRARY, *LOCKED)]
    chosen, messages = chosen_strategies(request, available, defaults)
    if request.notation:
        notation = _notation(request, least, most)
        messages = [notation.sentence, *messages]
        wanted = of_grid(request, chosen, MOSTLY)
        rows = [_row(request, _notation_parameters(notation), REPETITIONS, wanted)]
        options: Options = {"notation": notation.text}
    else:
        rows = _rows(request, _grids(request, least, most), chosen)
        options = {}
    rows = merge_rows(rows, available)
    return assemble(
        request,
        host,
        rows,
        time_limit=NOTATION_TIME_LIMIT if request.notation else EXPERIMENT.scales[request.scale].time_limit,
        options={**options, **_options(rows, available)},
        messages=messages,
    )


def _rows(request: Request, grids: Iterable[Grid], chosen: list[str]) -> list[PlannedRow]:
    return [
        _row(request, _parameters(grid, length), grid.get(REPEATED, (REPETITIONS,))[0], wanted)
        for grid in grids
        for wanted in [of_grid(request, chosen, grid[STRATEGIES] or None)]
        for length in grid["list_length"]
    ]


def _row(request: Request, parameters: Parameters, repetitions: int, strategies: Iterable[str]) -> PlannedRow:
    repetitions = request.repetitions or repetitions
    return PlannedRow(request.experiment, parameters, tuple(strategies), repetitions)


def _parameters(grid: Grid, length: int) -> Parameters:
    return {
        "links": grid["links"][0],
        "list_length": length,
        "shuffle_factors": _list(grid["shuffle_factors"]),
        "access_factors": _list(grid["access_factors"]),
        "accesses": grid["accesses"][0],
    }


def _notation_parameters(notation: Notation) -> Parameters:
    """Both sides of the shuffle: the requested one, and the one for comparison."""
    return {
        "links": notation.links,
        "list_length": notation.list_length,
        "shuffle_factors": _list(sorted({0, notation.shuffle_factor})),
        "access_factors": str(notation.access_factor),
        "repeat_factor": notation.repeat_factor,
    }


def _list(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))


def _options(rows: list[PlannedRow], available: list[str]) -> Options:
    return {
        "links": sorted({row.parameters["links"] for row in rows}),
        "list_lengths": sorted({row.parameters["list_length"] for row in rows}),
        "shuffle_factors": sorted({row.parameters["shuffle_factors"] for row in rows}),
        "access_factors": sorted({row.parameters["access_factors"] for row in rows}),
        "accesses": sorted({row.parameters.get("accesses", 0) for row in rows}),
        "strategies": [name for name in available if any(name in row.strategies for row in rows)],
    }


def _notation(request: Request, least_links: int, most_links: int) -> Notation:
    others = [f"--{name}" for name in request.options]
    if others:
        raise UsageError(
            f"{' '.join(request.notation)} says the same as {others[0]}; leave one of them out; {USAGE}"
        )
    notation = read_notation(request.notation, most_links)
    for name, value, most in (
        ("af", notation.access_factor, MOST_ACCESS_FACTOR),
        ("sf", notation.shuffle_factor, MOST_SHUFFLE_FACTOR),
        ("rf", notation.repeat_factor, MOST_REPEAT_FACTOR),
    ):
        if value > most:
            raise UsageError(f"{notation.text}: {name} is {value}; allowed is up to {most}; {USAGE}")
    if notation.links < least_links:
        raise UsageError(
            f"{notation.text}: {notation.links} links (|G|) fit in the nearest cache, so no shuffle can "
            f"scatter them; allowed are {least_links} to {most_links}; {USAGE}"
        )
    return notation


def _grids(request: Request, least: int, most: int) -> list[Grid]:
    """The scale's grids, or one grid for each |G| that the options name."""
    options = request.options
    if not options:
        return [dict(grid) for grid in EXPERIMENT.scales[request.scale].grids]
    links = select_counts(options["links"], "--links", least, most) if "links" in options else [SMALL]
    return [_grid(request, link_count, most) for link_count in links]


def _grid(request: Request, links: int, most_links: int) -> Grid:
    options = request.options
    own = EXPERIMENT.scales[request.scale].grids
    # The scale's grid of 10^7 links is Table 15, with one access factor. Only its lengths are used here.
    lengths = next((template["list_length"] for template in own if template["links"] == (links,)), ())
    if "list-length" in options:
        lengths = tuple(select_counts(options["list-length"], "--list-length", 1, most_links))
        for length in lengths:
            check_lengths(links, length, f"--list-length {options['list-length']}")
    result = grid(
        links,
        lengths or _powers_within(links),
        PAPER_ACCESSES * links if request.scale == PAPER else ACCESSES,
    )
    if "af" in options:
        result["access_factors"] = tuple(select_counts(options["af"], "--af", 1, MOST_ACCESS_FACTOR)[::-1])
    if "sf" in options:
        result["shuffle_factors"] = tuple(
            select_numbers(options["sf"], "--sf", range(MOST_SHUFFLE_FACTOR + 1))
        )
    if "accesses" in options:
        result["accesses"] = (select_count(options["accesses"], "--accesses", 1, 2**40),)
    return result


def _powers_within(links: int) -> tuple[int, ...]:
    for base in (2, 10):
        lengths = [1]
        while lengths[-1] < links:
            lengths.append(lengths[-1] * base)
        if lengths[-1] == links:
            return tuple(lengths)
    raise UsageError(f"--links {links} is not a power of two or ten; add --list-length with divisors of it")
