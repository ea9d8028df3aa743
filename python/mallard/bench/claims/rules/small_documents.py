"""The Loki blog and Optimized C++.

Loki's own allocator is compared with the default. mallard's stand in for the book's fixed blocks
(`papers.fixed_block`).
"""

from __future__ import annotations

from mallard.bench.claims.figures import BASE
from mallard.bench.claims.rule import Cells, Rules
from mallard.bench.claims.statement import ABOUT
from mallard.bench.evidence import Evidence
from mallard.bench.evidence.printed_place import SMALL_PAGES
from mallard.bench.papers.fixed_block import AS_PRINTED, REMOVE_CTRL, STRATEGIES
from mallard.bench.papers.small_objects import ORDERS, PROCESS

# Loki's frees take longer with every chunk: its cells take ten times as long as others.
BENCH = "mallard bench small-objects --strategy new-delete,loki --time-limit 120"
SHUFFLED = "shuffled"
loki = Rules("Loki_SOA_blog", "small-objects", f"{BENCH} --object-bytes 1,10,20,30,40,50 --order shuffled")
optimized = Rules("Optimized_C++_ch13", "fixed-block", "mallard bench fixed-block")


def loki_by_system(e: Evidence, order: str, figure: str) -> dict[int, float]:
    """Size of the objects -> Loki's figure / the system's, on small pages."""
    return {
        int(size): loki_time / system
        for (quantity, pages, size, kept_order, name), loki_time in e.of("small-objects").items()
        if (quantity, pages, kept_order, name) == (figure, SMALL_PAGES, order, "loki")
        and (system := e.of("small-objects").get((figure, SMALL_PAGES, size, order, BASE)))
    }


@loki(
    "time",
    "Loki allocation faster up to object size",
    ABOUT,
    f"{BENCH} --object-bytes 1,4,8,10,16,20,24,30,32,40,48,50,64 --order shuffled,in-order",
)
def loki_allocation(e: Evidence) -> Cells:
    """The largest size at which Loki allocates faster in either order; 0 if there is none."""
    ratios = [pair for order in ORDERS for pair in loki_by_system(e, order, "allocate_ns").items()]
    return [float(max((size for size, ratio in ratios if ratio < 1.0), default=0))] if ratios else []


@loki("time", "Loki deallocation slower, shuffled order", ABOUT)
def loki_shuffled_deallocation(e: Evidence) -> Cells:
    """Loki / system, every size."""
    return list(loki_by_system(e, SHUFFLED, "free_ns").values())


@loki("memory", "less memory with Loki, 1-byte objects", ABOUT)
def loki_memory_of_one_byte(e: Evidence) -> Cells:
    """System / Loki, the vector of pointers with the objects."""
    ratio = loki_by_system(e, SHUFFLED, PROCESS).get(1)
    return [1.0 / ratio] if ratio else []


@loki("memory", "less memory with Loki, 20-byte objects", ABOUT)
def loki_memory_of_twenty_bytes(e: Evidence) -> Cells:
    """Loki's saving in percent, for the objects with the vector of pointers."""
    ratio = loki_by_system(e, SHUFFLED, PROCESS).get(20)
    return [100.0 * (1.0 - ratio)] if ratio else []


def times_faster_less_one(e: Evidence, work: str, version: str = "") -> Cells:
    """The book counts "x times faster" as the ratio of times less one."""
    default = e.of("fixed-block").get((work, version, BASE))
    block = e.of("fixed-block").get((work, version, STRATEGIES[work]))
    return [default / block - 1.0] if default and block else []


@optimized(
    "class-specific new",
    "1M allocations: fixed block vs malloc",
    ABOUT,
    "mallard bench fixed-block --work new-delete",
)
def fixed_blocks(e: Evidence) -> Cells:
    """new-delete / class-new less one."""
    return times_faster_less_one(e, "new-delete")


@optimized(
    "class-specific new",
    "random replacement in 100 slots, 1M: fixed block vs malloc",
    ABOUT,
    "mallard bench fixed-block --work replace",
)
def random_replacement(e: Evidence) -> Cells:
    """new-delete / class-new less one."""
    return times_faster_less_one(e, "replace")


@optimized(
    "fixed-block allocator",
    "std::list of 1000 ints, create+destroy",
    ABOUT,
    "mallard bench fixed-block --work list",
)
def list_of_ints(e: Evidence) -> Cells:
    """new-delete / fixed-pool less one."""
    return times_faster_less_one(e, "list")


@optimized(
    "fixed-block allocator",
    "std::map of 1000 int keys, create+destroy",
    ABOUT,
    "mallard bench fixed-block --work map",
)
def map_of_ints(e: Evidence) -> Cells:
    """new-delete / fixed-pool less one, in percent."""
    return [100.0 * ratio for ratio in times_faster_less_one(e, "map")]


@optimized(
    "string allocator",
    "remove_ctrl with fixed-block string allocator",
    ABOUT,
    "mallard bench fixed-block --work remove-ctrl --version as-printed",
)
def remove_ctrl(e: Evidence) -> Cells:
    """new-delete / fixed-string less one, the function as the book prints it."""
    return times_faster_less_one(e, REMOVE_CTRL, AS_PRINTED)
