"""P0089R1: the claims of section 7 on all of Benchmark I, and sections 8 to 10, Benchmarks II to IV."""

from __future__ import annotations

from mallard.bench.claims.figures import (
    BASE,
    EVERY_STRUCTURE,
    LOCAL_DISPATCH,
    MONOTONIC,
    MULTIPOOL,
    against_base,
    as_percent,
    in_blocks,
    over_pairs,
    overheads,
    percent_better,
    times_as_long,
    times_faster,
)
from mallard.bench.claims.rule import Cells, Rules
from mallard.bench.claims.statement import (
    ABOUT,
    BELOW,
    BETWEEN,
    MOSTLY_AT_LEAST,
    MOSTLY_BELOW,
    OCCASIONALLY,
    SOMETIMES,
    TYPICALLY,
)
from mallard.bench.evidence import Evidence

VECTORS_OF_STRUCTURES = ("DS5", "DS6", "DS7", "DS8")
SETS_OF_INT_INSIDE = ("DS7", "DS11")
PER_LIST = "multipool"  # the multipool of each list in Benchmark II
FIRST_UTILIZATION = (30, 15, 10)  # T, A, S
FIRST_CONTENTION = (15, 6, 1)  # N, S, W
NO_BUFFER = ("none",)
ANY_BUFFER = ("none", "cold", "warm", "static")  # of strategies without a buffer

density = Rules("P0089R1", "density", "mallard bench density")
locality = Rules("P0089R1", "locality", "mallard bench locality")
utilization = Rules("P0089R1", "utilization", "mallard bench utilization --total 30 --buffer none")
contention = Rules("P0089R1", "contention", "mallard bench contention --buffer none")

# ---- Benchmark I, all structures ----------------------------------------------------------------------


@density("7 general", "monotonic speedup over default global", BETWEEN)
def monotonic_speedup(e: Evidence) -> Cells:
    """new-delete / monotonic in DS2 to DS12; DS1 has one allocation a structure."""
    return against_base(e, EVERY_STRUCTURE[1:], MONOTONIC, times_faster)


@density("7 general", "virtual vs direct access overhead where present", TYPICALLY)
def dispatch_overhead(e: Evidence) -> Cells:
    """Seven pairs, all structures and sizes."""
    return overheads(e, EVERY_STRUCTURE)


@density("7 general", "multipool gain over default global", TYPICALLY)
def multipool_gain(e: Evidence) -> Cells:
    """The extra time of new-delete over a multipool, all structures but DS7 and DS11."""
    names = [name for name in EVERY_STRUCTURE if name not in SETS_OF_INT_INSIDE]
    return against_base(e, names, MULTIPOOL, percent_better)


@density("7 general", "multipool gain for DS7 and DS11", MOSTLY_AT_LEAST, "mallard bench density --ds 7,11")
def multipool_gain_of_sets_of_int(e: Evidence) -> Cells:
    """new-delete / multipool in DS7 and DS11."""
    return against_base(e, SETS_OF_INT_INSIDE, MULTIPOOL, times_faster)


CLANG = "mallard bench density --ds 5-8 --compiler clang++"


@density(
    "7.8 / 7 general",
    "Clang only: abstract-base vs direct run time, DS5-DS8",
    TYPICALLY,
    CLANG,
    compiler="clang++",
)
def clang_dispatch(e: Evidence) -> Cells:
    """Abstract base / type parameter of the local allocators, built with clang++."""
    return over_pairs(e, VECTORS_OF_STRUCTURES, LOCAL_DISPATCH, times_as_long)


@density(
    "7 general",
    "Clang: monotonic via abstract base vs default, DS5-DS8",
    TYPICALLY,
    CLANG,
    compiler="clang++",
)
def clang_monotonic_behind_the_base(e: Evidence) -> Cells:
    """new-delete / monotonic/base and new-delete / monotonic/base/wink, built with clang++."""
    return against_base(e, VECTORS_OF_STRUCTURES, ("monotonic/base", "monotonic/base/wink"), times_faster)


# ---- Benchmark II -------------------------------------------------------------------------------------

SMALL = "mallard bench locality --links 2^15..2^18 --strategy new-delete,multipool"
SMALLEST = 1 << 16  # a size this small must be measured: a benefit at it begins too early
NO_BENEFIT = 1.05  # the least gain that counts as a benefit of a local allocator


def degradations(e: Evidence, strategy: str) -> Cells:
    """After the shuffle / before it, at all points with both and one of P0089's sizes of |G|."""
    places = [
        place
        for place in e.locality
        if place[2] == 0 and place[4] == strategy and place[0] in (1 << 21, 1 << 25)
    ]
    ratios = (e.degradation(links, length, factor, strategy) for links, length, _, factor, _ in places)
    return [ratio for ratio in ratios if ratio is not None]


def improvements(e: Evidence) -> Cells:
    """Degradation with the global allocator by that with a multipool, 2^12 <= |S| < |G|."""
    cells = []
    for links, length, shuffled, factor, strategy in e.locality:
        if strategy != PER_LIST or shuffled != 0 or not 1 << 12 <= length < links:
            continue
        local = e.degradation(links, length, factor, PER_LIST)
        base = e.degradation(links, length, factor, BASE)
        if local is not None and base is not None:
            cells.append(base / local)
    return cells


@locality("8 B II", "log2 of total size |G| below which local allocators showed no benefit", ABOUT, SMALL)
def size_without_benefit(e: Evidence) -> Cells:
    """The smallest |G| measured at which the middle access after the shuffle is faster with a multipool.

    The rows must have a |G| well below 2^18, for which the claim denies a benefit.
    """
    sizes = sorted({place[0] for place in e.locality})
    if not sizes or sizes[0] > SMALLEST:
        return []
    for links in sizes:
        speedups = sorted(
            time / pool_time
            for (g, length, shuffled, factor, strategy), time in e.locality.items()
            if g == links
            and strategy == BASE
            and shuffled > 0
            and 1 < length < links
            and (pool_time := e.locality.get((g, length, shuffled, factor, PER_LIST)))
        )
        if speedups and speedups[len(speedups) // 2] >= NO_BENEFIT:
            return [float(links.bit_length() - 1)]
    return [float(sizes[-1].bit_length())]


@locality("8 B II", "ratio shuffled/unshuffled near the low-temporal-locality edge, global", TYPICALLY)
def degradation_at_the_edge(e: Evidence) -> Cells:
    """Global allocator at access factor 1, more than one link in a list and more than one list."""
    places = [
        place for place in e.locality if place[2] == 0 and place[3:] == (1, BASE) and 1 < place[1] < place[0]
    ]
    ratios = (e.degradation(links, length, 1, BASE) for links, length, *_ in places if links >= 1 << 21)
    return [ratio for ratio in ratios if ratio is not None]


@locality("8 B II", "degradation with local multipool, always below", BELOW)
def degradation_with_multipool(e: Evidence) -> Cells:
    """Every |S| and access factor."""
    return degradations(e, PER_LIST)


@locality("8 B II", "degradation with local multipool, almost always below", MOSTLY_BELOW)
def usual_degradation_with_multipool(e: Evidence) -> Cells:
    """Every |S| and access factor."""
    return degradations(e, PER_LIST)


@locality("8 B II", "improvement factor for |S| >= 2^12, almost always at least", MOSTLY_AT_LEAST)
def usual_improvement(e: Evidence) -> Cells:
    """The degradation with the global allocator / with a multipool for each list."""
    return improvements(e)


@locality("8 B II", "improvement factor for |S| >= 2^12, sometimes", SOMETIMES)
def improvement_of_one_cell_in_ten(e: Evidence) -> Cells:
    """The degradation with the global allocator / with a multipool for each list."""
    return improvements(e)


@locality("8 B II", "improvement factor for |S| >= 2^12, occasionally", OCCASIONALLY)
def best_improvement(e: Evidence) -> Cells:
    """The degradation with the global allocator / with a multipool for each list."""
    return improvements(e)


# ---- Benchmark III ------------------------------------------------------------------------------------


def first_row(e: Evidence, *strategies: str, buffers: tuple[str, ...] = NO_BUFFER) -> Cells:
    """Percent of new-delete at T = 2^30, A = 2^15, S = 2^10, monotonic without a buffer."""
    return in_blocks(e.utilization, strategies, as_percent, lambda place: place == FIRST_UTILIZATION, buffers)


@utilization("9 B III", "first row (T=2^30;A=2^15;S=2^10): AS1 run time", ABOUT, of_machine=True)
def utilization_first_row_seconds(e: Evidence) -> Cells:
    """Seconds of new-delete for 2^20 blocks."""
    times = [e.utilization.get((buffer, *FIRST_UTILIZATION, BASE)) for buffer in ANY_BUFFER]
    return [time * 1e-9 * (1 << 20) for time in times if time is not None][:1]


@utilization("9 B III", "first row: AS3 relative to AS1 (0.277 s)", ABOUT)
def utilization_first_row_monotonic(e: Evidence) -> Cells:
    """monotonic in percent of new-delete."""
    return first_row(e, "monotonic")


@utilization("9 B III", "first row: AS5", ABOUT)
def utilization_first_row_monotonic_behind_the_base(e: Evidence) -> Cells:
    """monotonic/base in percent of new-delete."""
    return first_row(e, "monotonic/base")


@utilization("9 B III", "first row: AS7 / AS9", ABOUT)
def utilization_first_row_multipool(e: Evidence) -> Cells:
    """multipool and multipool/base in percent of new-delete."""
    return first_row(e, "multipool", "multipool/base", buffers=ANY_BUFFER)


# ---- Benchmark IV -------------------------------------------------------------------------------------


def first_threads(e: Evidence, *strategies: str, buffers: tuple[str, ...] = NO_BUFFER) -> Cells:
    """Percent of new-delete with one thread, N = 2^15, S = 2^6, monotonic without a buffer."""
    return in_blocks(e.contention, strategies, as_percent, lambda place: place == FIRST_CONTENTION, buffers)


@contention("10 B IV", "multipool-based strategies (AS7;AS9;AS11;AS13) over default", ABOUT)
def contention_speedup(e: Evidence) -> Cells:
    """new-delete / strategy in every row; a multipool takes one chunk, so its buffer hardly matters."""
    return in_blocks(
        e.contention,
        ("multipool", "multipool/base", "multipool+monotonic", "multipool+monotonic/base"),
        times_faster,
        buffers=ANY_BUFFER,
    )


@contention("10 B IV", "prose: first row AS1 (table prints 0.041 s)", ABOUT, of_machine=True)
def contention_first_row_seconds(e: Evidence) -> Cells:
    """Seconds of new-delete for 2^15 pairs of one thread."""
    times = [e.contention.get((buffer, *FIRST_CONTENTION, BASE)) for buffer in ANY_BUFFER]
    return [time * 1e-9 * (1 << 15) for time in times if time is not None][:1]


@contention("10 B IV", "prose: first row AS2 (table prints 91)", ABOUT)
def contention_first_row_dispatch(e: Evidence) -> Cells:
    """new-delete/base in percent of new-delete."""
    return first_threads(e, "new-delete/base", buffers=ANY_BUFFER)


@contention("10 B IV", "prose: first row AS3;AS5 (table prints 40;39)", ABOUT)
def contention_first_row_monotonic(e: Evidence) -> Cells:
    """monotonic and monotonic/base in percent of new-delete."""
    return first_threads(e, "monotonic", "monotonic/base")


@contention("10 B IV", "prose: first row AS7;AS9 (table prints 26;26)", ABOUT)
def contention_first_row_multipool(e: Evidence) -> Cells:
    """multipool and multipool/base in percent of new-delete."""
    return first_threads(e, "multipool", "multipool/base", buffers=ANY_BUFFER)


@contention("10 B IV", "prose: first row AS11;AS13 (table prints 24;24)", ABOUT)
def contention_first_row_multipool_on_monotonic(e: Evidence) -> Cells:
    """multipool+monotonic and multipool+monotonic/base in percent of new-delete."""
    return first_threads(e, "multipool+monotonic", "multipool+monotonic/base")
