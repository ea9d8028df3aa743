"""The grids of locality for --quick, --standard and --paper. docs/results.md computes their time."""

from __future__ import annotations

from dataclasses import dataclass

from mallard.plan.request import PAPER, QUICK, STANDARD

ACCESS_FACTORS = tuple(2**exponent for exponent in range(8, -1, -1))
SHUFFLE_FACTORS = (0, 5)
# P0089 kept af x rf at 2,560, the accesses to each link.
PAPER_ACCESSES = 2560
MOSTLY = ("new-delete", "multipool")
SMALL, LARGE, DECIMAL = 2**21, 2**25, 10**7


@dataclass(frozen=True)
class Grid:
    """Lists of one system. `strategies` None: all. A process measures all factors."""

    links: int
    list_lengths: tuple[int, ...]
    strategies: tuple[str, ...] | None = MOSTLY
    shuffle_factors: tuple[int, ...] = SHUFFLE_FACTORS
    access_factors: tuple[int, ...] = ACCESS_FACTORS
    accesses: int = 2**20  # of one time, at least
    repetitions: int = 3


@dataclass(frozen=True)
class Scale:
    grids: tuple[Grid, ...]
    accesses: int | None  # of a grid that the user names; None: as many as in the papers
    time_limit: float


def powers(base: int, *exponents: int) -> tuple[int, ...]:
    return tuple(base**exponent for exponent in exponents)


def shuffle_effects(repetitions: int, accesses: int) -> Grid:
    """P0089 Table 15."""
    return Grid(
        links=DECIMAL,
        list_lengths=powers(10, *range(8)),
        strategies=("new-delete",),
        shuffle_factors=tuple(range(10)),
        access_factors=(10,),
        accesses=accesses,
        repetitions=repetitions,
    )


SCALES = {
    # The corners (lists of one link, one list of all links) and the ridge between them.
    QUICK: Scale((Grid(SMALL, powers(2, 0, 5, 9, 14, 18, 20, 21)),), 2**20, 120),
    # All lists of Tables 16, 18 and 20 under the tables' strategies, the others on the ridge; of Tables 17,
    # 19 and 21 the corners and the ridge.
    STANDARD: Scale(
        (
            Grid(SMALL, powers(2, *range(22))),
            Grid(SMALL, powers(2, 0, 6, 9, 12, 15, 18), strategies=None),
            Grid(LARGE, powers(2, 0, 6, 9, 14, 18, 22), accesses=2**22, repetitions=1),
            shuffle_effects(1, 10**7),
        ),
        2**20,
        900,
    ),
    PAPER: Scale(
        (
            Grid(SMALL, powers(2, *range(22)), accesses=PAPER_ACCESSES * SMALL),
            Grid(LARGE, powers(2, *range(26)), accesses=PAPER_ACCESSES * LARGE),
            shuffle_effects(3, 10 * DECIMAL),
        ),
        None,
        24 * 3600,
    ),
}
