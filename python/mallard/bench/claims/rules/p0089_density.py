"""P0089R1 section 7, Benchmark I, structure by structure.

A range such as "~5 % to 15 %" in the paper's text is about the bulk of a table, so the middle cell is judged.
The text has lost its exponents. The sizes of "platform boundaries" are those at which its tables jump.
"""

from __future__ import annotations

from mallard.bench.claims.figures import (
    ALL,
    BASE,
    COMBINED,
    GLOBAL,
    GLOBAL_DISPATCH,
    LOCAL,
    LOCAL_DISPATCH,
    MONOTONIC,
    MONOTONIC_DISPATCH,
    MULTIPOOL,
    SECONDS,
    against_base,
    as_percent,
    jumps,
    over_pairs,
    overheads,
    percent_better,
    percent_longer,
    percent_saved,
    reductions,
    times_as_long,
    times_faster,
    wink_out_pairs,
)
from mallard.bench.claims.rule import Cells, Rules
from mallard.bench.claims.statement import ABOUT, MOSTLY_CLOSE_TO, TYPICALLY, UP_TO
from mallard.bench.evidence import Evidence
from mallard.bench.papers.catalogue import SIZES_LOG2

claim = Rules("P0089R1", "density", "mallard bench density")
TWO_SMALLEST = SIZES_LOG2[:2]
FROM_256 = SIZES_LOG2[2:]
LARGER = tuple(size for size in SIZES_LOG2 if size >= 11)
HUGE = tuple(size for size in SIZES_LOG2 if size >= 15)


def bench(number: int, sizes: str = "") -> str:
    return f"mallard bench density --ds {number}" + (f" --size {sizes}" if sizes else "")


@claim("7.1 DS1", "virtual overhead AS2 vs AS1, larger vectors", TYPICALLY, bench(1))
def ds1_global_dispatch_of_larger_vectors(e: Evidence) -> Cells:
    """new-delete/base against new-delete from 2^8 on."""
    return overheads(e, ["DS1"], GLOBAL_DISPATCH, FROM_256)


@claim("7.1 DS1", "virtual overhead AS2 vs AS1, two smallest vectors (64;128)", TYPICALLY, bench(1, "6,7"))
def ds1_global_dispatch_of_smallest_vectors(e: Evidence) -> Cells:
    """new-delete/base against new-delete at 2^6 and 2^7."""
    return overheads(e, ["DS1"], GLOBAL_DISPATCH, TWO_SMALLEST)


@claim(
    "7.1 DS1",
    "cost of deviating from AS3;AS7;AS11 (virtual or wink) within each local allocator",
    TYPICALLY,
    bench(1),
)
def ds1_cost_of_deviating(e: Evidence) -> Cells:
    """Each local allocator's other three strategies against the direct one with normal destruction."""
    pairs = [(group[0], name) for group in (MONOTONIC, MULTIPOOL, COMBINED) for name in group[1:]]
    return over_pairs(e, ["DS1"], pairs, percent_longer)


@claim("7.1 DS1", "local AS3-AS14 vs AS1, except two smallest sizes", MOSTLY_CLOSE_TO, bench(1))
def ds1_local_speedup(e: Evidence) -> Cells:
    """new-delete / local from 2^8 on."""
    return against_base(e, ["DS1"], LOCAL, times_faster, FROM_256)


@claim("7.2 DS2", "global AS1-AS2 run time above the local strategies", TYPICALLY, bench(2))
def ds2_global_above_local(e: Evidence) -> Cells:
    """Each of new-delete and new-delete/base against each local strategy."""
    return over_pairs(e, ["DS2"], [(local, name) for name in GLOBAL for local in LOCAL], percent_longer)


@claim("7.2 DS2", "monotonic AS3-AS6 run time relative to global", ABOUT, bench(2))
def ds2_monotonic(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, ["DS2"], MONOTONIC, as_percent)


@claim("7.2 DS2", "monotonic+multipool run time relative to global", ABOUT, bench(2))
def ds2_multipool_on_monotonic(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, ["DS2"], COMBINED, as_percent)


@claim("7.2 DS2", "multipool alone run time relative to global", ABOUT, bench(2))
def ds2_multipool(e: Evidence) -> Cells:
    """Percent of new-delete."""
    return against_base(e, ["DS2"], MULTIPOOL, as_percent)


@claim("7.2 DS2", "wink-out reduction", TYPICALLY, bench(2))
def ds2_wink_out(e: Evidence) -> Cells:
    """Six pairs, every size."""
    return reductions(e, ["DS2"])


@claim("7.3 DS3", "virtual access slowdown", TYPICALLY, bench(3))
def ds3_dispatch(e: Evidence) -> Cells:
    """Seven pairs, every size."""
    return overheads(e, ["DS3"])


@claim("7.3 DS3", "wink-out gain", TYPICALLY, bench(3))
def ds3_wink_out(e: Evidence) -> Cells:
    """Six pairs, every size."""
    return reductions(e, ["DS3"])


@claim("7.3 DS3", "best strategy AS4 improvement over global at 2^16", UP_TO, bench(3, "16"))
def ds3_best(e: Evidence) -> Cells:
    """The extra time of new-delete over monotonic/wink at 2^16."""
    return against_base(e, ["DS3"], ["monotonic/wink"], percent_better, [16])


@claim("7.4 DS4", "virtual overhead, local allocators", ABOUT, bench(4))
def ds4_local_dispatch(e: Evidence) -> Cells:
    """Six pairs, every size."""
    return overheads(e, ["DS4"], LOCAL_DISPATCH)


@claim("7.4 DS4", "virtual overhead, global allocator", ABOUT, bench(4))
def ds4_global_dispatch(e: Evidence) -> Cells:
    """new-delete/base against new-delete."""
    return overheads(e, ["DS4"], GLOBAL_DISPATCH)


@claim("7.4 DS4", "wink-out gain, all local", TYPICALLY, bench(4))
def ds4_wink_out(e: Evidence) -> Cells:
    """Six pairs, every size."""
    return reductions(e, ["DS4"])


@claim("7.4 DS4", "AS4;AS6 vs global", ABOUT, bench(4))
def ds4_best(e: Evidence) -> Cells:
    """new-delete / monotonic/wink and new-delete / monotonic/base/wink."""
    return against_base(e, ["DS4"], ["monotonic/wink", "monotonic/base/wink"], times_faster)


@claim("7.4 DS4", "AS6 (virtual) faster than AS4 (direct)", TYPICALLY, bench(4))
def ds4_abstract_base_faster(e: Evidence) -> Cells:
    """The share of monotonic/wink's time that monotonic/base/wink saves."""
    return over_pairs(e, ["DS4"], [("monotonic/wink", "monotonic/base/wink")], percent_saved)


@claim("7.5 DS5", "local better than global", TYPICALLY, bench(5))
def ds5_local(e: Evidence) -> Cells:
    """The extra time of new-delete over each local strategy."""
    return against_base(e, ["DS5"], LOCAL, percent_better)


@claim("7.5 DS5", "wink-out gain", TYPICALLY, bench(5))
def ds5_wink_out(e: Evidence) -> Cells:
    """Six pairs, every size."""
    return reductions(e, ["DS5"])


@claim(
    "7.6 DS6", "wink-out gain, AS11-AS14 and multipool alone (none for monotonic alone)", TYPICALLY, bench(6)
)
def ds6_wink_out(e: Evidence) -> Cells:
    """The pairs of multipool and multipool on monotonic."""
    return reductions(e, ["DS6"], wink_out_pairs(MULTIPOOL, COMBINED))


@claim("7.6 DS6", "platform boundary jump, all strategies", TYPICALLY, bench(6, "7,8"))
def ds6_boundary(e: Evidence) -> Cells:
    """From 2^7 to 2^8, every strategy."""
    return jumps(e, "DS6", ALL, 8)


@claim("7.7 DS7", "virtual overhead, local allocators", TYPICALLY, bench(7))
def ds7_local_dispatch(e: Evidence) -> Cells:
    """Six pairs, every size."""
    return overheads(e, ["DS7"], LOCAL_DISPATCH)


@claim("7.7 DS7", "monotonic vs global", UP_TO, bench(7))
def ds7_monotonic(e: Evidence) -> Cells:
    """new-delete / monotonic."""
    return against_base(e, ["DS7"], MONOTONIC, times_faster)


@claim("7.7 DS7", "wink-out gain", TYPICALLY, bench(7))
def ds7_wink_out(e: Evidence) -> Cells:
    """Six pairs, every size."""
    return reductions(e, ["DS7"])


@claim("7.8 DS8", "virtual overhead, global", ABOUT, bench(8))
def ds8_global_dispatch(e: Evidence) -> Cells:
    """new-delete/base against new-delete."""
    return overheads(e, ["DS8"], GLOBAL_DISPATCH)


@claim("7.8 DS8", "monotonic via base class better than direct (larger sizes)", TYPICALLY, bench(8))
def ds8_abstract_base_faster(e: Evidence) -> Cells:
    """The share of monotonic's time that monotonic/base saves, from 2^11 on."""
    return over_pairs(e, ["DS8"], [("monotonic", "monotonic/base")], percent_saved, LARGER)


@claim("7.8 DS8", "wink-out gain", TYPICALLY, bench(8))
def ds8_wink_out(e: Evidence) -> Cells:
    """Six pairs, every size."""
    return reductions(e, ["DS8"])


@claim("7.9 DS9", "global slower than local", TYPICALLY, bench(9))
def ds9_global(e: Evidence) -> Cells:
    """The extra time of new-delete over each local strategy."""
    return against_base(e, ["DS9"], LOCAL, percent_better)


@claim("7.9 DS9", "virtual overhead, global (none for local)", TYPICALLY, bench(9))
def ds9_global_dispatch(e: Evidence) -> Cells:
    """new-delete/base against new-delete."""
    return overheads(e, ["DS9"], GLOBAL_DISPATCH)


@claim("7.9 DS9", "wink-out gain, larger sizes", TYPICALLY, bench(9))
def ds9_wink_out(e: Evidence) -> Cells:
    """Six pairs from 2^11 on."""
    return reductions(e, ["DS9"], sizes=LARGER)


@claim("7.10 DS10", "monotonic vs global", TYPICALLY, bench(10))
def ds10_monotonic(e: Evidence) -> Cells:
    """The extra time of new-delete over each monotonic strategy."""
    return against_base(e, ["DS10"], MONOTONIC, percent_better)


@claim("7.10 DS10", "virtual overhead, global (none for local)", TYPICALLY, bench(10))
def ds10_global_dispatch(e: Evidence) -> Cells:
    """new-delete/base against new-delete."""
    return overheads(e, ["DS10"], GLOBAL_DISPATCH)


@claim("7.11 DS11", "global slower than best (AS3-AS6; AS11-AS14)", TYPICALLY, bench(11))
def ds11_best(e: Evidence) -> Cells:
    """new-delete / the fastest of AS3-AS6 and AS11-AS14, at each size."""
    return [
        e.density["DS11", size, BASE] / min(times)
        for size in SIZES_LOG2
        if ("DS11", size, BASE) in e.density
        and (
            times := [
                e.density["DS11", size, name]
                for name in (*MONOTONIC, *COMBINED)
                if ("DS11", size, name) in e.density
            ]
        )
    ]


@claim("7.11 DS11", "virtual overhead, global", TYPICALLY, bench(11))
def ds11_global_dispatch(e: Evidence) -> Cells:
    """new-delete/base against new-delete."""
    return overheads(e, ["DS11"], GLOBAL_DISPATCH)


@claim("7.11 DS11", "virtual overhead, local", TYPICALLY, bench(11))
def ds11_local_dispatch(e: Evidence) -> Cells:
    """Six pairs, every size."""
    return overheads(e, ["DS11"], LOCAL_DISPATCH)


@claim("7.11 DS11", "maximum absolute virtual overhead, local", UP_TO, bench(11), of_machine=True)
def ds11_absolute_dispatch(e: Evidence) -> Cells:
    """Base minus type parameter in seconds for 2^27 leaf elements."""
    return over_pairs(e, ["DS11"], LOCAL_DISPATCH, lambda time, base: SECONDS * (time - base))


@claim("7.11 DS11", "multipool alone slower than other local strategies", ABOUT, bench(11))
def ds11_multipool_against_local(e: Evidence) -> Cells:
    """Each multipool strategy against those of the other two allocators, bound and ended alike."""
    pairs = [(family[n], MULTIPOOL[n]) for family in (MONOTONIC, COMBINED) for n in range(4)]
    return over_pairs(e, ["DS11"], pairs, times_as_long)


@claim("7.11 DS11", "multipool alone faster than global", TYPICALLY, bench(11))
def ds11_multipool(e: Evidence) -> Cells:
    """new-delete / multipool."""
    return against_base(e, ["DS11"], MULTIPOOL, times_faster)


@claim("7.11 DS11", "wink-out gain", TYPICALLY, bench(11))
def ds11_wink_out(e: Evidence) -> Cells:
    """Six pairs, every size."""
    return reductions(e, ["DS11"])


@claim("7.11 DS11", "global platform boundary jump", ABOUT, bench(11, "9,10"))
def ds11_global_boundary(e: Evidence) -> Cells:
    """From 2^9 to 2^10, new-delete and new-delete/base."""
    return jumps(e, "DS11", GLOBAL, 10)


@claim("7.11 DS11", "local platform boundary jump", TYPICALLY, bench(11, "11,12"))
def ds11_local_boundary(e: Evidence) -> Cells:
    """From 2^11 to 2^12, every local strategy."""
    return jumps(e, "DS11", LOCAL, 12)


@claim("7.12 DS12", "global slower than monotonic", TYPICALLY, bench(12))
def ds12_global(e: Evidence) -> Cells:
    """The extra time of new-delete over each monotonic strategy."""
    return against_base(e, ["DS12"], MONOTONIC, percent_better)


@claim("7.12 DS12", "platform boundary jump, all allocators", TYPICALLY, bench(12, "7,8"))
def ds12_boundary(e: Evidence) -> Cells:
    """From 2^7 to 2^8, every strategy."""
    return jumps(e, "DS12", ALL, 8)


@claim("7.12 DS12", "virtual overhead, global, up to the boundary", TYPICALLY, bench(12))
def ds12_global_dispatch_below(e: Evidence) -> Cells:
    """new-delete/base against new-delete up to 2^14."""
    return overheads(e, ["DS12"], GLOBAL_DISPATCH, [size for size in SIZES_LOG2 if size not in HUGE])


@claim("7.12 DS12", "virtual overhead, global, above the boundary", ABOUT, bench(12, "15,16"))
def ds12_global_dispatch_above(e: Evidence) -> Cells:
    """new-delete/base against new-delete at 2^15 and 2^16."""
    return overheads(e, ["DS12"], GLOBAL_DISPATCH, HUGE)


@claim("7.12 DS12", "monotonic: virtual faster than direct", TYPICALLY, bench(12))
def ds12_abstract_base_faster(e: Evidence) -> Cells:
    """monotonic/base against monotonic from 2^11 on."""
    return overheads(e, ["DS12"], MONOTONIC_DISPATCH[:1], LARGER)


@claim("7.12 DS12", "wink-out gain", TYPICALLY, bench(12))
def ds12_wink_out(e: Evidence) -> Cells:
    """Six pairs, every size."""
    return reductions(e, ["DS12"])
