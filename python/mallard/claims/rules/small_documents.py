"""The Loki blog and Optimized C++: mallard has no experiment for them yet, so only the documents' own figures
can be put in.

Places in `Evidence.others`: ("loki", mode, size of the objects, order, phase) and ("optimized", experiment,
variant).
"""

from __future__ import annotations

from mallard.claims.rule import Cells, Rules
from mallard.claims.statement import ABOUT
from mallard.evidence import Evidence

loki = Rules("Loki_SOA_blog", "")
optimized = Rules("Optimized_C++_ch13", "")

SYSTEM = "SYSTEM_ALLOC"


def loki_by_system(e: Evidence, order: str, phase: str) -> dict[int, float]:
    """Size of the objects -> Loki's figure by the system's."""
    return {
        int(size): figure / system
        for (what, mode, size, *rest), figure in e.others.items()
        if what == "loki"
        and mode != SYSTEM
        and rest == [order, phase]
        and (system := e.others.get(("loki", SYSTEM, size, *rest)))
    }


@loki("time", "Loki allocation faster up to object size", ABOUT)
def loki_allocation(e: Evidence) -> Cells:
    """The largest size at which Loki allocates faster in either order."""
    faster = [
        size
        for order in {str(place[3]) for place in e.others if place[0] == "loki"}
        for size, ratio in loki_by_system(e, order, "allocation").items()
        if ratio < 1.0
    ]
    return [float(max(faster))] if faster else []


@loki("time", "Loki deallocation slower, shuffled order", ABOUT)
def loki_shuffled_deallocation(e: Evidence) -> Cells:
    """Loki / system, every size."""
    return list(loki_by_system(e, "shuffled", "deallocation").values())


@loki("memory", "less memory with Loki, 1-byte objects", ABOUT)
def loki_memory_of_one_byte(e: Evidence) -> Cells:
    """System / Loki."""
    ratio = loki_by_system(e, "", "memory").get(1)
    return [1.0 / ratio] if ratio else []


@loki("memory", "less memory with Loki, 20-byte objects", ABOUT)
def loki_memory_of_twenty_bytes(e: Evidence) -> Cells:
    """What Loki saves, in percent."""
    ratio = loki_by_system(e, "", "memory").get(20)
    return [100.0 * (1.0 - ratio)] if ratio else []


def times_faster_less_one(e: Evidence, experiment: str) -> Cells:
    """The book counts "x times faster" as the ratio of times less one."""
    times = [
        figure for (what, name, *_), figure in e.others.items() if what == "optimized" and name == experiment
    ]
    return [max(times) / min(times) - 1.0] if len(times) == 2 else []


@optimized("class-specific new", "1M allocations: fixed block vs malloc", ABOUT)
def fixed_blocks(e: Evidence) -> Cells:
    """Time ratio less one."""
    return times_faster_less_one(e, "class_new_allocate_1M_instances")


@optimized("class-specific new", "random replacement in 100 slots, 1M: fixed block vs malloc", ABOUT)
def random_replacement(e: Evidence) -> Cells:
    """Time ratio less one."""
    return times_faster_less_one(e, "random_replace_in_100_pointers_1M_instances")


@optimized("fixed-block allocator", "std::list of 1000 ints, create+destroy", ABOUT)
def list_of_ints(e: Evidence) -> Cells:
    """Time ratio less one."""
    return times_faster_less_one(e, "list_1000_ints_create_destroy")


@optimized("fixed-block allocator", "std::map of 1000 int keys, create+destroy", ABOUT)
def map_of_ints(e: Evidence) -> Cells:
    """Time ratio less one, in percent."""
    return [100.0 * ratio for ratio in times_faster_less_one(e, "map_1000_int_keys_create_destroy")]


@optimized("string allocator", "remove_ctrl with fixed-block string allocator", ABOUT)
def remove_ctrl(e: Evidence) -> Cells:
    """Time ratio less one."""
    return times_faster_less_one(e, "remove_ctrl_string")
