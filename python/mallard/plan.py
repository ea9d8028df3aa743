"""What a run will measure: the rows of a selection at a scale, and what was left out of it and why.

    selection x scale x machine's memory -> Plan -> rows -> cells -> repetitions

A row is the cells that differ only in strategy. `identity` of a plan tells whether an interrupted run is
the one that is asked for now: same cells, scale, seed, repetitions, machine and build of the runner.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from mallard.errors import UsageError
from mallard.footprint import MONOTONIC, fitting_buffer, readable, row_bytes
from mallard.papers.catalogue import Structure
from mallard.process import Repetition
from mallard.result import Parameters, canonical
from mallard.runner import Runner
from mallard.selection import in_words, select_names, select_sizes

BASE = "AS1"
BUFFERS = ("warm", "cold", "none")
HASHES = ("prefix", "full")
PAGES = ("huge", "small")
BUFFER_BYTES = 1 << 30
REPETITIONS = 3
# A cell of about a millisecond is at the mercy of whatever else the machine does in it; more of them are
# still cheap. Where the leaves are integers in a vector, a leaf takes a nanosecond.
SHORT_REPETITIONS = 9
SHORT_LEAVES_LOG2 = 22
QUICK_LEAF = "vector<int>"
# Of MemAvailable; the rest is for the system and this program.
USABLE_MEMORY = 0.9


@dataclass(frozen=True)
class Scale:
    name: str
    product_log2: int  # leaf elements made in the timed part
    primitives_log2: int  # pairs or creations made in the timed part
    time_limit: float  # seconds for one process
    size_step: int  # of the sizes that are measured when none are asked for


SCALES = {
    "quick": Scale("quick", 20, 24, 60, 2),
    "standard": Scale("standard", 24, 26, 600, 1),
    "paper": Scale("paper", 27, 27, 3600, 1),
}


@dataclass(frozen=True)
class Request:
    """What the user asked for; None where nothing was said."""

    scale: Scale = SCALES["quick"]
    structures: str | None = None
    sizes: str | None = None
    operations: str | None = None
    strategies: str | None = None
    repetitions: int | None = None
    seed: int = 1
    buffer: str = "warm"
    hash: str = "prefix"
    pages: str = "huge"
    pin: bool = True
    time_limit: float | None = None


@dataclass(frozen=True)
class PlannedRow:
    experiment: str
    parameters: Parameters
    strategies: tuple[str, ...]
    repetitions: int


@dataclass(frozen=True)
class Plan:
    experiment: str
    scale: str
    rows: tuple[PlannedRow, ...]
    repetitions: int  # of most rows; the short ones may have more
    seed: int
    time_limit: float
    options: dict[str, Any]
    messages: tuple[str, ...] = field(default=(), compare=False)  # what the user should know before the start

    @property
    def processes(self) -> int:
        return sum(row.repetitions * len(row.strategies) for row in self.rows)

    def identity(self, machine: str, build_id: str) -> str:
        """Without `buffer_bytes`: free memory may differ when a run goes on, and its buffer stays."""
        options = {name: value for name, value in self.options.items() if name != "buffer_bytes"}
        repetitions = [row.repetitions for row in self.rows]
        facts = [self.experiment, self.scale, repetitions, self.seed, options, machine, build_id]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def in_order(self) -> Iterator[Repetition]:
        """Every row once, then every row again ...; the strategies of a row in an order drawn from the seed.

        Repetitions of a cell lie minutes apart, so that a disturbance meets one of them, and strategies of
        a row lie next to each other, so that it meets them all.
        """
        for repetition in range(max(row.repetitions for row in self.rows)):
            for row in self.rows:
                if repetition >= row.repetitions:
                    continue
                drawn = list(row.strategies)
                place = f"{self.seed} {repetition} {row.experiment} {canonical(row.parameters)}"
                random.Random(place).shuffle(drawn)
                for strategy in drawn:
                    yield Repetition(row.experiment, row.parameters, strategy, repetition, self.seed)


def plan_density(
    request: Request, runner: Runner, available_bytes: int | None, buffer_bytes: int | None = None
) -> Plan:
    """`buffer_bytes` is that of the interrupted run which is continued; None for a new run."""
    scale = request.scale
    by_name = {structure.name: structure for structure in runner.structures}
    structures = [by_name[name] for name in _selected(request.structures, "--ds", list(by_name))]
    strategies, messages = _with_base(request, [strategy.name for strategy in runner.strategies])
    buffer_bytes, smaller = _buffer(request, available_bytes, buffer_bytes)
    sizes = (
        select_sizes(request.sizes, "--size", runner.sizes_log2)
        if request.sizes is not None
        else [size for size in runner.sizes_log2 if (size - min(runner.sizes_log2)) % scale.size_step == 0]
    )
    wanted = [(structure, size) for structure in structures for size in sizes]
    if request.sizes is None:
        wanted, left = _within_product(wanted, scale)
        messages += left
    uses_buffer = {strategy.name for strategy in runner.strategies if MONOTONIC in strategy.allocator}
    needed = _needed(wanted, strategies, runner, buffer_bytes)
    wanted, left = _within_memory(needed, available_bytes, explicit=request.sizes is not None)
    messages += left
    if smaller and uses_buffer & set(strategies):
        messages.append(smaller)
    if not wanted:
        raise UsageError(f"nothing is left to measure: {'; '.join(messages)}")
    return Plan(
        experiment="density",
        scale=scale.name,
        rows=tuple(
            PlannedRow(
                "density",
                _density_parameters(request, structure, size, buffer_bytes),
                tuple(strategies),
                _density_repetitions(request, structure),
            )
            for structure, size in wanted
        ),
        repetitions=request.repetitions or REPETITIONS,
        seed=request.seed,
        time_limit=request.time_limit or scale.time_limit,
        options={
            "structures": [structure.name for structure in structures],
            "sizes_log2": sizes,
            "strategies": strategies,
            "buffer": request.buffer,
            "buffer_bytes": buffer_bytes,
            "hash": request.hash,
            "pages": request.pages,
            "pin": request.pin,
        },
        messages=tuple(messages),
    )


def plan_primitives(request: Request, runner: Runner) -> Plan:
    operations = _selected(request.operations, "--operation", list(runner.operations))
    strategies = _selected(request.strategies, "--strategy", runner.primitive_strategies)
    parameters = [
        {"operation": operation, "product_log2": request.scale.primitives_log2} for operation in operations
    ]
    return Plan(
        experiment="primitives",
        scale=request.scale.name,
        rows=tuple(
            PlannedRow("primitives", each, tuple(strategies), request.repetitions or REPETITIONS)
            for each in parameters
        ),
        repetitions=request.repetitions or REPETITIONS,
        seed=request.seed,
        time_limit=request.time_limit or request.scale.time_limit,
        options={"operations": operations, "strategies": strategies, "pin": request.pin},
    )


def _selected(text: str | None, option: str, there: Sequence[str]) -> list[str]:
    return list(there) if text is None else select_names(text, option, there)


def _with_base(request: Request, there: Sequence[str]) -> tuple[list[str], list[str]]:
    chosen = _selected(request.strategies, "--strategy", there)
    if BASE in chosen or BASE not in there:
        return chosen, []
    return (
        [name for name in there if name in chosen or name == BASE],
        [f"{BASE} is measured as well: every ratio is to it"],
    )


def _buffer(request: Request, available: int | None, continued: int | None) -> tuple[int, str]:
    if request.buffer == "none":
        return 0, ""
    if continued is not None:
        return continued, ""
    size = fitting_buffer(BUFFER_BYTES, available)
    if size == BUFFER_BYTES:
        return size, ""
    return size, (
        f"the initial buffer of the monotonic strategies is {readable(size)} instead of "
        f"{readable(BUFFER_BYTES)}: {readable(available or 0)} of memory are free"
    )


def _density_repetitions(request: Request, structure: Structure) -> int:
    short = QUICK_LEAF in structure.type and request.scale.product_log2 <= SHORT_LEAVES_LOG2
    return request.repetitions or (SHORT_REPETITIONS if short else REPETITIONS)


def _density_parameters(request: Request, structure: Structure, size: int, buffer_bytes: int) -> Parameters:
    parameters: Parameters = {
        "ds": structure.name,
        "size_log2": size,
        "product_log2": request.scale.product_log2,
        "inner_log2": structure.inner_log2,
        "buffer": request.buffer,
        "hash": request.hash,
        "pages": request.pages,
    }
    return parameters if request.buffer == "none" else {**parameters, "buffer_bytes": buffer_bytes}


Wanted = list[tuple[Structure, int]]


def _within_product(wanted: Wanted, scale: Scale) -> tuple[Wanted, list[str]]:
    inside = [(each, size) for each, size in wanted if size + each.inner_log2 <= scale.product_log2]
    outside = [pair for pair in wanted if pair not in inside]
    if not outside:
        return wanted, []
    return inside, [
        (
            f"left to --standard: {_in_words(outside)}, where one structure alone has more than the "
            f"2^{scale.product_log2} leaf elements of --{scale.name}"
        )
    ]


def _in_words(pairs: Wanted) -> str:
    """Structures that start at the same size together: DS6, DS8 from 2^15 on; DS5 from 2^16 on."""
    starts: dict[int, list[str]] = {}
    for name in dict.fromkeys(each.name for each, _ in pairs):
        starts.setdefault(min(size for each, size in pairs if each.name == name), []).append(name)
    return "; ".join(f"{in_words(names)} from 2^{size} on" for size, names in sorted(starts.items()))


def _needed(
    wanted: Wanted, strategies: list[str], runner: Runner, buffer: int
) -> list[tuple[Structure, int, int]]:
    allocators = {strategy.allocator for strategy in runner.strategies if strategy.name in strategies}
    return [(each, size, row_bytes(each, size, allocators, buffer)) for each, size in wanted]


def _within_memory(
    needed: list[tuple[Structure, int, int]], available: int | None, *, explicit: bool
) -> tuple[Wanted, list[str]]:
    usable = None if available is None else int(available * USABLE_MEMORY)
    fitting = [(each, size) for each, size, need in needed if usable is None or need <= usable]
    too_large = [(each, size) for each, size, need in needed if (each, size) not in fitting]
    if not too_large:
        return fitting, []
    what = _in_words(too_large)
    need = readable(max(need for each, size, need in needed if (each, size) in too_large))
    free = readable(available or 0)
    if explicit:
        raise UsageError(
            f"--size: {what} cannot fit in memory: up to {need} are needed, {free} are free; "
            f"leave these sizes out of --size or these structures out of --ds, or free memory"
        )
    return fitting, [f"left out: {what}, which cannot fit in memory (up to {need} needed, {free} free)"]
