"""Locality: for each system and strategy the effect of a shuffle on accesses, the shuffled times relative
to new-delete's, and the costs of building, shuffling and refilling the lists. Rows are list lengths,
columns access factors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.console import Console
from rich.style import Style
from rich.text import Text

from mallard.bench.analysis.cell_tables import setting_text
from mallard.bench.analysis.labels import SHORT_STATUS
from mallard.bench.analysis.panel.locality import Surface, System, locality_sentences, locality_systems
from mallard.bench.analysis.words import amount, counted_in_tens, nanoseconds
from mallard.bench.result import Row
from mallard.bench.view.terminal.panel import Answer
from mallard.bench.view.terminal.table import (
    CELL_WIDTH,
    SCATTERED_LOG2,
    Block,
    Piece,
    block,
    fitting,
    ratio_piece,
    show_beside,
)
from mallard.shared.stats import Spread

LENGTH = "|S|"
PLAIN = Style()
HEAD_WIDTH = 4
COST_WIDTH = 7
# (figure, heading, divided by the number of links)
COSTS = (
    ("build_ns", "build", False),
    ("shuffle_ns", "move", False),
    ("reallocate_ns", "refill", False),
    ("reaccess_ns", "again", False),
    ("built_bytes", "built", True),
    ("shuffled_bytes", "after", True),
)
LEGEND = (
    "Rows: |S|, links of a list; columns: af, traversals of a list before the next. =: no difference. "
    "lists: their number. build, refill: ns a link, before and after the shuffle. move: ns for a link that "
    "is moved in it. again: ns an access after refilling. built, after: bytes a link, before and after it."
)


def show(console: Console, rows: Sequence[Row], *, everything: bool) -> list[Answer]:
    answers = []
    for system in locality_systems(rows):
        console.print(Text.assemble((f"{_length(system, system.links)} links", "bold"), _setting(system)))
        for surface in system.surfaces.values():
            show_beside(console, _accesses(system, surface, console.width))
        show_beside(console, [_costs(system, surface) for surface in system.surfaces.values()])
        console.print()
        answers.append(Answer(system.setting, locality_sentences(system)))
    console.print(LEGEND, style="dim")
    return answers


def _setting(system: System) -> str:
    return f"; {setting_text(system.setting)}" if system.setting else ""


def _accesses(system: System, surface: Surface, width: int) -> list[Block]:
    """The effect of each shuffle factor if several were measured, else of the shuffle. Beside it are the
    times: new-delete's in nanoseconds, the others' relative to them.
    """
    base, name = system.base, surface.strategy

    def degradation(length: int, factor: int) -> Piece:
        return ratio_piece(surface.degradation(length, factor), SCATTERED_LOG2)

    def time(length: int, factor: int) -> Piece:
        if base is None or surface is base:
            return _figure(surface.shuffled(length, factor), CELL_WIDTH)
        return ratio_piece(surface.against(base, length, factor))

    title = (
        f"{name}: ns an access, shuffled"
        if base in (None, surface)
        else f"{name} / new-delete, both shuffled"
    )
    if len(surface.shuffle_factors) > 2:
        changes = [
            block
            for factor in surface.access_factors
            for block in _by_shuffles(system, surface, factor, width)
        ]
    else:
        changes = _by_factors(system, surface, f"{name}: shuffled / unshuffled", degradation, width)
    return [*changes, *_by_factors(system, surface, title, time, width)]


def _by_factors(
    system: System, surface: Surface, title: str, piece: Callable[[int, int], Piece], width: int
) -> list[Block]:
    def blocks(factors: Sequence[int]) -> Block:
        lines = _lines(
            system, surface, CELL_WIDTH, lambda length: [piece(length, factor) for factor in factors]
        )
        return block(title, LENGTH, [[amount(factor) for factor in factors]], lines)

    return [blocks(factors) for factors in fitting(surface.access_factors, width - HEAD_WIDTH)]


def _by_shuffles(system: System, surface: Surface, access_factor: int, width: int) -> list[Block]:
    """P0089's Table 15, for our lists."""
    title = f"{surface.strategy}: after n shuffles / before, af = {amount(access_factor)}"

    def piece(length: int, shuffles: int) -> Piece:
        return ratio_piece(surface.degradation(length, access_factor, shuffles), SCATTERED_LOG2)

    def blocks(factors: Sequence[int]) -> Block:
        lines = _lines(
            system, surface, CELL_WIDTH, lambda length: [piece(length, factor) for factor in factors]
        )
        return block(title, LENGTH, [[str(factor) for factor in factors]], lines)

    return [blocks(factors) for factors in fitting(surface.shuffle_factors, width - HEAD_WIDTH)]


def _costs(system: System, surface: Surface) -> Block:
    def pieces(length: int) -> list[Piece]:
        lists = f"{_length(system, surface.links // length):>{COST_WIDTH - 1}} "
        figures = [
            _figure(surface.figure(name, length), COST_WIDTH, surface.links if per_link else 1)
            for name, _, per_link in COSTS
        ]
        return [(lists, PLAIN), *figures]

    return block(
        f"{surface.strategy}: beside the accesses",
        LENGTH,
        [["lists", *(heading for _, heading, _ in COSTS)]],
        _lines(system, surface, COST_WIDTH, pieces),
        COST_WIDTH,
    )


def _lines(
    system: System, surface: Surface, width: int, pieces: Callable[[int], list[Piece]]
) -> Iterable[tuple[str, list[Piece]]]:
    for length in surface.list_lengths:
        head = _length(system, length)
        if length in surface.unfinished:
            status, _ = surface.unfinished[length]
            yield head, [(f"{SHORT_STATUS.get(status, status):>{width - 1}} ", PLAIN)]
        else:
            yield head, pieces(length)


def _length(system: System, length: int) -> str:
    return amount(length, counted_in_tens(system.links))


def _figure(value: Spread | None, width: int, share: int = 1) -> Piece:
    return f"{nanoseconds(value.median / share) if value else '-':>{width - 1}} ", PLAIN
