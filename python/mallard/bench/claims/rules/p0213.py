"""P0213R0 sections 9 to 13, Benchmarks I to V.

Its ranges are the extremes of its tables, so all cells are judged; its averages are means of percents of
new-delete.
"""

from __future__ import annotations

from mallard.bench.claims.figures import (
    COMBINED,
    EVERY_STRUCTURE,
    LOCAL,
    MONOTONIC,
    MULTIPOOL,
    against_base,
    as_percent,
    in_blocks,
    overheads,
    percent_longer,
    percent_saved,
    reductions,
    times_as_long,
    times_faster,
)
from mallard.bench.claims.rule import Cells, Rules
from mallard.bench.claims.statement import ABOUT, AS_LOW_AS, BELOW, BETWEEN, BUT_ONE, UP_TO
from mallard.bench.evidence import Evidence
from mallard.bench.papers.fragmentation import AVERAGED, PARTLY_FREED

SOURCE = "P0213R0"
density = Rules(SOURCE, "density", "mallard bench density")
utilization = Rules(SOURCE, "utilization", "mallard bench utilization --buffer cold")
contention = Rules(SOURCE, "contention", "mallard bench contention --buffer static")
p0089_contention = Rules(SOURCE, "contention", "mallard bench contention --buffer none")
fragmentation = Rules(SOURCE, "fragmentation", "mallard bench fragmentation")

FURTHER = EVERY_STRUCTURE[2:]
LOCAL_TYPE_AND_BASE = (
    "monotonic",
    "monotonic/base",
    "multipool",
    "multipool/base",
    "multipool+monotonic",
    "multipool+monotonic/base",
)
UNTOUCHED = ("cold",)  # the timed part touches its static buffer for the first time
ANY_BUFFER = ("cold", "none", "warm", "static")  # of strategies without a buffer
STATIC = ("static",)
NO_BUFFER = ("none",)
POOLED_LOG2 = 12  # the largest block of its multipool

# ---- Benchmark I --------------------------------------------------------------------------------------

DS1 = "mallard bench density --ds 1"
DS2 = "mallard bench density --ds 2"
DS3_TO_12 = "mallard bench density --ds 3-12"


@density("9 DS1", "monotonic AS3-AS6 range", BETWEEN, DS1)
def p0213_ds1_monotonic_range(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, ["DS1"], MONOTONIC, as_percent)


@density("9 DS1", "monotonic AS3-AS6 average", ABOUT, DS1)
def p0213_ds1_monotonic_average(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, ["DS1"], MONOTONIC, as_percent)


@density("9 DS1", "multipool AS7-AS10 range", BETWEEN, DS1)
def p0213_ds1_multipool_range(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, ["DS1"], MULTIPOOL, as_percent)


@density("9 DS1", "multipool AS7-AS10 average", ABOUT, DS1)
def p0213_ds1_multipool_average(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, ["DS1"], MULTIPOOL, as_percent)


@density("9 DS1", "multipool+monotonic AS11-AS14 range", BETWEEN, DS1)
def p0213_ds1_both_range(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, ["DS1"], COMBINED, as_percent)


@density("9 DS1", "multipool+monotonic AS11-AS14 average", ABOUT, DS1)
def p0213_ds1_both_average(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, ["DS1"], COMBINED, as_percent)


@density("9 DS2", "monotonic AS3-AS6 range", BETWEEN, DS2)
def p0213_ds2_monotonic_range(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, ["DS2"], MONOTONIC, as_percent)


@density("9 DS2", "monotonic AS3-AS6 average", ABOUT, DS2)
def p0213_ds2_monotonic_average(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, ["DS2"], MONOTONIC, as_percent)


@density("9 DS2", "multipool AS7-AS10 range", BETWEEN, DS2)
def p0213_ds2_multipool_range(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, ["DS2"], MULTIPOOL, as_percent)


@density("9 DS2", "multipool AS7-AS10 average", ABOUT, DS2)
def p0213_ds2_multipool_average(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, ["DS2"], MULTIPOOL, as_percent)


@density("9 DS2", "multipool+monotonic AS11-AS14 range", BETWEEN, DS2)
def p0213_ds2_both_range(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, ["DS2"], COMBINED, as_percent)


@density("9 DS2", "multipool+monotonic AS11-AS14 average", ABOUT, DS2)
def p0213_ds2_both_average(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, ["DS2"], COMBINED, as_percent)


@density("9 Further (DS3-DS12)", "monotonic AS3-AS6 range", BETWEEN, DS3_TO_12)
def further_monotonic_range(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, FURTHER, MONOTONIC, as_percent)


@density("9 Further (DS3-DS12)", "monotonic AS3-AS6 average", ABOUT, DS3_TO_12)
def further_monotonic_average(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, FURTHER, MONOTONIC, as_percent)


@density("9 Further (DS3-DS12)", "multipool+monotonic AS11-AS14 range", BETWEEN, DS3_TO_12)
def further_both_range(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, FURTHER, COMBINED, as_percent)


@density("9 Further (DS3-DS12)", "multipool+monotonic AS11-AS14 average", ABOUT, DS3_TO_12)
def further_both_average(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, FURTHER, COMBINED, as_percent)


@density("9 Further (DS3-DS12)", "multipool AS7-AS10 range", BETWEEN, DS3_TO_12)
def further_multipool_range(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, FURTHER, MULTIPOOL, as_percent)


@density("9 Further (DS3-DS12)", "multipool AS7-AS10 average", ABOUT, DS3_TO_12)
def further_multipool_average(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, FURTHER, MULTIPOOL, as_percent)


@density("9 Analysis", "virtual call overhead, average over everything", ABOUT)
def average_dispatch(e: Evidence) -> Cells:
    """Seven pairs, all structures and sizes."""
    return overheads(e, EVERY_STRUCTURE)


@density("9 Analysis", "wink-out reduction, average over everything", ABOUT)
def average_wink_out(e: Evidence) -> Cells:
    """Six pairs, all structures and sizes."""
    return reductions(e, EVERY_STRUCTURE)


@density("9 Conclusions", "monotonic with static buffer: largest improvement (Table 8 best AS4)", ABOUT)
def average_of_best(e: Evidence) -> Cells:
    """monotonic/wink in percent of new-delete, all structures and sizes."""
    return against_base(e, EVERY_STRUCTURE, ["monotonic/wink"], as_percent)


# ---- Benchmark III ------------------------------------------------------------------------------------


@utilization("11 B III", "monotonic AS3;AS5 slower than AS1 at T=2^30", BETWEEN)
def monotonic_at_low_utilization(e: Evidence) -> Cells:
    """Monotonic / new-delete in the rows of T = 2^30."""
    return in_blocks(
        e.utilization,
        ("monotonic", "monotonic/base"),
        times_as_long,
        lambda place: place[0] == 30,
        UNTOUCHED,
    )


@utilization("11 B III", "virtual overhead of global (AS2), consistent", BETWEEN)
def utilization_global_dispatch(e: Evidence) -> Cells:
    """new-delete/base against new-delete in every row."""
    return in_blocks(e.utilization, ("new-delete/base",), percent_longer, buffers=ANY_BUFFER)


@utilization("11 B III", "multipool run time vs AS1 (within its size limit), below", BELOW)
def utilization_multipool(e: Evidence) -> Cells:
    """multipool and multipool/base in percent of new-delete, blocks up to 2^12."""
    return in_blocks(
        e.utilization,
        ("multipool", "multipool/base"),
        as_percent,
        lambda place: place[2] <= POOLED_LOG2,
        ANY_BUFFER,
    )


@utilization("11 B III", "P0089 anomaly: AS2 as low as", AS_LOW_AS, "mallard bench utilization --buffer none")
def utilization_dispatch_anomaly(e: Evidence) -> Cells:
    """new-delete/base in percent of new-delete, every row."""
    return in_blocks(e.utilization, ("new-delete/base",), as_percent, buffers=(*NO_BUFFER, *ANY_BUFFER))


# ---- Benchmark IV -------------------------------------------------------------------------------------


def first_table(e: Evidence, strategies: tuple[str, ...], buffers: tuple[str, ...]) -> Cells:
    """N = 2^15 (times the multiplier), S = 2^6, percent of new-delete."""
    return in_blocks(e.contention, strategies, as_percent, lambda place: place[:2] == (15, 6), buffers)


@contention("12 B IV", "monotonic with static buffer, Table 14 (one outlier 50)", BUT_ONE)
def contention_monotonic(e: Evidence) -> Cells:
    """monotonic and monotonic/base in percent of new-delete."""
    return first_table(e, ("monotonic", "monotonic/base"), STATIC)


@contention("12 B IV", "multipool, Table 14 (one outlier 76)", BUT_ONE)
def contention_multipool(e: Evidence) -> Cells:
    """multipool and multipool/base in percent of new-delete."""
    return first_table(e, ("multipool", "multipool/base"), (*STATIC, *NO_BUFFER))


@contention("12 B IV", "multipool+monotonic, Table 14", BETWEEN)
def contention_both(e: Evidence) -> Cells:
    """multipool+monotonic and multipool+monotonic/base in percent of new-delete."""
    return first_table(e, ("multipool+monotonic", "multipool+monotonic/base"), STATIC)


@contention("12 B IV", "virtual overhead of global (AS2)", BETWEEN)
def contention_global_dispatch(e: Evidence) -> Cells:
    """new-delete/base against new-delete."""
    return [percent - 100.0 for percent in first_table(e, ("new-delete/base",), (*STATIC, *NO_BUFFER))]


@p0089_contention("12 B IV", "P0089 Table 15 monotonic", BETWEEN)
def contention_monotonic_of_p0089(e: Evidence) -> Cells:
    """monotonic and monotonic/base in percent of new-delete, without a buffer."""
    return first_table(e, ("monotonic", "monotonic/base"), NO_BUFFER)


@p0089_contention("12 B IV", "P0089 Table 15 multipool", BETWEEN)
def contention_multipool_of_p0089(e: Evidence) -> Cells:
    """multipool and multipool/base in percent of new-delete, without a buffer."""
    return first_table(e, ("multipool", "multipool/base"), (*NO_BUFFER, *STATIC))


@p0089_contention("12 B IV", "P0089 Table 15 multipool+monotonic", BETWEEN)
def contention_both_of_p0089(e: Evidence) -> Cells:
    """multipool+monotonic and multipool+monotonic/base in percent of new-delete, without a buffer."""
    return first_table(e, ("multipool+monotonic", "multipool+monotonic/base"), NO_BUFFER)


@contention("12 Conclusions", "thread-local allocators vs global, up to", UP_TO)
def contention_best(e: Evidence) -> Cells:
    """new-delete / private allocator, every row with the static buffer."""
    return in_blocks(e.contention, LOCAL_TYPE_AND_BASE, times_faster, buffers=STATIC)


# ---- Benchmark V --------------------------------------------------------------------------------------


@fragmentation(
    "13 B V", "D=N: ratios deviate from 1 by at most", BELOW, "mallard bench fragmentation --ds 1 --freed all"
)
def whole_heap_freed(e: Evidence) -> Cells:
    """R of DS1 with everything freed beforehand, in percent from 1."""
    return [100.0 * abs(ratio - 1.0) for ratio in ratios(e, ("DS1",), ("new-delete/base", *LOCAL), ("all",))]


@fragmentation(
    "13 B V",
    "local strategies improve relative to global with fragmented memory, average",
    ABOUT,
    "mallard bench fragmentation --ds 1-12",
)
def fragmented_heap(e: Evidence) -> Cells:
    """1 - R in percent, all structures, every size, strategy and D that were measured."""
    averaged = any(place[0] == AVERAGED for place in e.ratios)
    by_structure = [
        ratios(e, (structure,), LOCAL, PARTLY_FREED)
        for structure in ((AVERAGED,) if averaged else EVERY_STRUCTURE)
    ]
    if not all(by_structure):
        return []
    return [percent_saved(ratio, 1.0) for cells in by_structure for ratio in cells]


def ratios(
    e: Evidence, structures: tuple[str, ...], strategies: tuple[str, ...], freed: tuple[str, ...]
) -> Cells:
    """R of the measured strategies."""
    places = {(structure, size) for _, structure, size, *_ in e.fragmentation} | {
        place[:2] for place in e.ratios
    }
    values = (
        e.ratio_of_ratios(structure, size, part, strategy)
        for structure, size in sorted(places)
        if structure in structures
        for part in freed
        for strategy in strategies
    )
    return [ratio for ratio in values if ratio is not None]
