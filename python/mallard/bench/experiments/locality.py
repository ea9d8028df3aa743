"""Benchmark II: a system of |G| links in lists of |S|, which are shuffled between the lists and then
visited."""

from __future__ import annotations

from typing import Any

from mallard.bench.experiments.description.axis import AMOUNT, COUNT, COUNTS, FOLLOWS, Axis
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Own
from mallard.bench.experiments.description.scale import PAPER, QUICK, REPEATED, STANDARD, STRATEGIES, Scale

ACCESS_FACTORS = tuple(2**exponent for exponent in range(8, -1, -1))
SHUFFLE_FACTORS = (0, 5)
ACCESSES = 2**20  # of one time, at least
PAPER_ACCESSES = 2560  # to each link: P0089 kept af x rf at this number
MOSTLY = ("new-delete", "multipool")
SMALL, LARGE, DECIMAL = 2**21, 2**25, 10**7
Grid = dict[str, tuple[Any, ...]]


def grid(links: int, list_lengths: tuple[int, ...], accesses: int = ACCESSES) -> Grid:
    return {
        "links": (links,),
        "list_length": list_lengths,
        "shuffle_factors": SHUFFLE_FACTORS,
        "access_factors": ACCESS_FACTORS,
        "accesses": (accesses,),
        STRATEGIES: MOSTLY,
    }


def powers(*exponents: int) -> tuple[int, ...]:
    return tuple(2**exponent for exponent in exponents)


SHUFFLE_EFFECTS = {  # P0089 Table 15
    **grid(DECIMAL, tuple(10**exponent for exponent in range(8)), 10 * DECIMAL),
    "shuffle_factors": tuple(range(10)),
    "access_factors": (10,),
    STRATEGIES: ("new-delete",),
}


EXPERIMENT = Experiment(
    name="locality",
    text="walk through lists with shuffled links (Benchmark II)",
    examples=(
        ("--links 2^21 --list-length 2^9..2^12", "lists of 512 to 4096 links"),
        ("-20 18 32 -3 8", "one run, as P0089 writes it"),
    ),
    operation="an access",
    title="Locality",
    heading="Locality: lists whose links are scattered",
    explanation="Each subsystem is a list of |S| links. A shuffle pops links and pushes them onto other "
    "lists, so that their memory scatters. The access factor is the number of traversals of a list before "
    "the next list: a small one means little temporal locality.",
    axes=(
        Axis(
            *("links", COUNTS, "|G|, links in all, such as 2^21,2^25 (2^21 if another of these is given)"),
            value_format="|G| = {count}",
        ),
        Axis(
            *("list_length", COUNTS, "|S|, links of a list at first, such as 2^0..2^21 or 1,1024"),
            value_format="|S| = {count}",
        ),
        # A process measures all factors.
        Axis(
            *("access_factors", COUNTS, "access factors: traversals of a list in a visit, such as 2^0..2^8"),
            role=FOLLOWS,
            option="af",
        ),
        Axis(
            *(
                "shuffle_factors",
                COUNTS,
                "shuffle factors: passes of the shuffle, such as 0..9; 0 is before any",
            ),
            role=FOLLOWS,
            option="sf",
        ),
        Axis("accesses", COUNT, "approximate accesses in a time, such as 2^20", role=AMOUNT),
        Axis("repeat_factor", text="rf, instead of accesses", role=AMOUNT),
        Axis("access_factor", value_format="af = {}"),  # of one access
    ),
    places=("links", "list_length", "access_factor"),
    scales={
        # The corners (lists of one link, one list of all links) and the ridge between them.
        QUICK: Scale(120, grids=(grid(SMALL, powers(0, 5, 9, 14, 18, 20, 21)),)),
        # All lists of Tables 16, 18 and 20 under the tables' strategies, the others on the ridge; of Tables
        # 17, 19 and 21 the corners and the ridge.
        STANDARD: Scale(
            900,
            grids=(
                grid(SMALL, powers(*range(22))),
                {**grid(SMALL, powers(0, 6, 9, 12, 15, 18)), STRATEGIES: ()},
                {**grid(LARGE, powers(0, 6, 9, 14, 18, 22), 2**22), REPEATED: (1,)},
                {**SHUFFLE_EFFECTS, "accesses": (DECIMAL,), REPEATED: (1,)},
            ),
        ),
        PAPER: Scale(
            24 * 3600,
            grids=(
                grid(SMALL, powers(*range(22)), PAPER_ACCESSES * SMALL),
                grid(LARGE, powers(*range(26)), PAPER_ACCESSES * LARGE),
                SHUFFLE_EFFECTS,
            ),
        ),
    },
    plan="locality",
    claimed=("links", "list_length"),
    joined=("accesses", "repeat_factor"),
    panel=Own(),
)
