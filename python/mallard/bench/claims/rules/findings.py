"""The findings of this project that the papers lack, each as a statement with a rule and a verdict.

(a) Page return, not pooling, makes the "multipool pessimization" of P0213. (b) One free list, last freed
first, diffuses a subsystem. (c) An inlined deallocate that does nothing makes normal destruction as fast as
winking out. The statements are predictions of these explanations, not measurements.
"""

from __future__ import annotations

from collections.abc import Callable

from mallard.bench.claims.claim import Claim
from mallard.bench.claims.figures import MULTIPOOL, against_base, as_percent, over_pairs, percent_saved
from mallard.bench.claims.rule import Cells, Figures, Rules
from mallard.bench.claims.statement import MIDDLE_AT_LEAST, MIDDLE_BELOW, MOSTLY_BELOW, TYPICALLY, Statement
from mallard.bench.evidence import Evidence
from mallard.bench.evidence.evidence import FRESH, SHUFFLED

SOURCE = "mallard"
density = Rules(SOURCE, "density", "mallard bench density")
locality = Rules(SOURCE, "locality", "mallard bench locality")
fragmentation = Rules(SOURCE, "fragmentation", "mallard bench fragmentation")

FINDINGS: list[Claim] = []

PAGE_RETURN = "page return"
REUSE = "order of reuse"
DESTRUCTION = "normal destruction"
LARGE_LOG2 = tuple(range(12, 17))
# Nodes or buffers freed one by one; a vector of integers frees once a structure.
MANY_FREES = tuple(f"DS{number}" for number in (2, 3, 4, 6, 7, 8, 10, 11, 12))


def finding(
    rules: Rules,
    section: str,
    text: str,
    statement: Statement,
    figures: tuple[float | None, float | None],
    unit: str,
    command: str,
) -> Callable[[Figures], Figures]:
    low, high = figures
    metric = "reduction_percent" if statement is TYPICALLY and unit == "percent" else ""
    FINDINGS.append(Claim(f"M{len(FINDINGS) + 1}", SOURCE, section, text, metric, low, high, unit, 0.0))
    return rules(section, text, statement, command)


@finding(
    density,
    PAGE_RETURN,
    "with the platform's page return off, new-delete needs less than three quarters of its time, "
    "vector<string> from 2^12 elements on",
    MIDDLE_BELOW,
    (None, 75.0),
    "percent",
    "mallard bench density --ds 2 --size 12..16",
)
def page_return_of_the_global_allocator(e: Evidence) -> Cells:
    """new-delete-keep in percent of new-delete, DS2, 2^12 to 2^16."""
    return against_base(e, ["DS2"], ["new-delete-keep"], as_percent, LARGE_LOG2)


@finding(
    fragmentation,
    PAGE_RETURN,
    "a multipool that keeps its chunks for the next use is faster than one that gives them back to the heap, "
    "vector<string>",
    MIDDLE_BELOW,
    (None, 100.0),
    "percent",
    "mallard bench fragmentation --ds 2 --freed none,half --upstream cache,heap",
)
def kept_chunks(e: Evidence) -> Cells:
    """multipool over the chunk cache in percent of multipool over the heap, DS2, nothing perturbed."""
    return [
        as_percent(time, e.fragmentation["heap", structure, size, freed, strategy])
        for (upstream, structure, size, freed, strategy), time in e.fragmentation.items()
        if (upstream, structure, freed, strategy) == ("cache", "DS2", FRESH, "multipool")
        and ("heap", structure, size, freed, strategy) in e.fragmentation
    ]


@finding(
    density,
    PAGE_RETURN,
    "with kept chunks the multipool is not a pessimization: it takes less time than new-delete on "
    "vector<string> (P0213: 84 to 255 %)",
    MOSTLY_BELOW,
    (None, 100.0),
    "percent",
    "mallard bench density --ds 2",
)
def multipool_without_page_return(e: Evidence) -> Cells:
    """multipool in percent of new-delete, bound and ended in each way, DS2."""
    return against_base(e, ["DS2"], MULTIPOOL, as_percent)


REUSE_COMMAND = (
    "mallard bench locality --links 2^21 --list-length 2^9..2^20 --strategy multipool-last,multipool-first"
)


def shuffled_times(e: Evidence, numerator: str, denominator: str) -> Cells:
    """Access after the shuffle, one strategy by another, lists of 2^9 links and more but not one alone."""
    return [
        time / base_time
        for (links, length, shuffled, factor, strategy), time in e.locality.items()
        if strategy == numerator
        and shuffled >= SHUFFLED
        and 1 << 9 <= length < links
        and (base_time := e.locality.get((links, length, shuffled, factor, denominator)))
    ]


@finding(
    locality,
    REUSE,
    "one free list, last freed first, diffuses a subsystem: after the shuffle an access takes at least 1.1 "
    "times as long as with first freed first (|S| >= 2^9)",
    MIDDLE_AT_LEAST,
    (1.1, None),
    "x",
    REUSE_COMMAND,
)
def last_freed_first(e: Evidence) -> Cells:
    """multipool-last / multipool-first after the shuffle."""
    return shuffled_times(e, "multipool-last", "multipool-first")


@finding(
    locality,
    REUSE,
    "with first freed first a shuffle costs next to nothing: shuffled / unshuffled almost always below 1.3 "
    "(|S| >= 2^9)",
    MOSTLY_BELOW,
    (None, 1.3),
    "x",
    REUSE_COMMAND,
)
def degradation_with_first_freed_first(e: Evidence) -> Cells:
    """Shuffled / unshuffled of multipool-first."""
    places = [place for place in e.locality if place[4] == "multipool-first" and place[2] == 0]
    ratios = (
        e.degradation(links, length, factor, "multipool-first")
        for links, length, _, factor, _ in places
        if 1 << 9 <= length < links
    )
    return [ratio for ratio in ratios if ratio is not None]


@finding(
    density,
    DESTRUCTION,
    "bound by type, a monotonic allocator's empty deallocate is compiled away: winking out "
    "(monotonic/wink) saves next to nothing of monotonic",
    TYPICALLY,
    (-2.0, 2.0),
    "percent",
    "mallard bench density --ds 2-4,6-8,10-12",
)
def wink_out_of_type_bound_monotonic(e: Evidence) -> Cells:
    """The share of monotonic's time that monotonic/wink saves, for structures that free block by block."""
    return over_pairs(e, MANY_FREES, [("monotonic", "monotonic/wink")], percent_saved)


@finding(
    density,
    DESTRUCTION,
    "behind the abstract base that call remains: winking out (monotonic/base/wink) saves more of "
    "monotonic/base than monotonic/wink does of monotonic, by one percentage point at least",
    MIDDLE_AT_LEAST,
    (1.0, None),
    "percent",
    "mallard bench density --ds 2-4,6-8,10-12",
)
def wink_out_behind_the_base(e: Evidence) -> Cells:
    """The saving of winking out behind the abstract base, less that without it, row by row."""
    by_type = over_pairs(e, MANY_FREES, [("monotonic", "monotonic/wink")], percent_saved)
    by_base = over_pairs(e, MANY_FREES, [("monotonic/base", "monotonic/base/wink")], percent_saved)
    if len(by_type) != len(by_base):
        return []
    return [base - direct for base, direct in zip(by_base, by_type, strict=True)]
