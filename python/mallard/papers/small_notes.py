"""Notes on the tables of the Loki test and of Optimized C++."""

from __future__ import annotations

from mallard.papers.fixed_block import TIMES
from mallard.papers.note import Note, experiment, named

LOKI = "small object allocation (Loki), 2012"
OPTIMIZED = "Optimized C++ (2016), chapter 13"

SMALL_OBJECTS_NOTES = (
    Note(
        "reading",
        "SYSTEM_ALLOC stands as new-delete, USE_LOKI_SOA as loki. GCC 4.7 on a Core 2 Duo; one run each, "
        "without an interval. Printed seconds are for a million objects; ours are nanoseconds of CPU time "
        "an object.",
        LOKI,
        experiment("small-objects"),
    ),
    Note(
        "error",
        "The text has Loki's deallocation 40 times slower than the system's; the table has 30 times (1 byte) "
        "to 93 times (50 bytes).",
        LOKI,
        named("loki:time-shuffled"),
    ),
    Note(
        "reading",
        "The blog frees once and ends. What becomes of the memory afterwards, and of the next million, it "
        "does not ask; ours does: the other columns of the experiment.",
        LOKI,
        experiment("small-objects"),
    ),
    Note(
        "reading",
        "Memory of the whole process, with its vector of a million pointers. Ours is what the process grew "
        "by for the objects, and eight bytes a pointer.",
        LOKI,
        named("loki:memory"),
    ),
)

FIXED_BLOCK_NOTES = (
    Note(
        "error",
        "The book counts the ratio of the times less one: where it says 15 times faster, the times are 64 "
        "and 4 ms; 3.3 times are 107 and 25 ms, 110 % are 142 and 67.4 us.",
        OPTIMIZED,
        named(TIMES),
    ),
    Note(
        "reading",
        "How many calls of remove_ctrl() took 2,693 and 1,124 ms is not told: its nanoseconds are those of "
        "the whole test, and only the percents compare.",
        OPTIMIZED,
        named(TIMES),
    ),
    Note(
        "reading",
        "Ours beside the fixed blocks are class-new for the class-specific operator new, fixed-pool for the "
        "containers and fixed-string for the string; new-delete for the default.",
        OPTIMIZED,
        named(TIMES),
    ),
    Note(
        "departure",
        "The book allocates a million instances; whether it frees them in between is not told, and the text "
        "of the program is not there. Ours are pairs, a block allocated and freed.",
        OPTIMIZED,
        named(TIMES),
    ),
)

SMALL_NOTES = (*SMALL_OBJECTS_NOTES, *FIXED_BLOCK_NOTES)
