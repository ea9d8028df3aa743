"""Notes on the tables of the Loki test and of Optimized C++."""

from __future__ import annotations

from mallard.bench.papers.fixed_block import TIMES
from mallard.bench.papers.note import Note, experiment, named

LOKI = "small object allocation (Loki), 2012"
OPTIMIZED = "Optimized C++ (2016), chapter 13"

SMALL_OBJECTS_NOTES = (
    Note(
        "reading",
        "SYSTEM_ALLOC is new-delete here, and USE_LOKI_SOA is loki. The blog used GCC 4.7 on a Core 2 Duo, "
        "with one run each and no interval. Its seconds are for a million objects; mallard's times are "
        "nanoseconds of CPU time an object.",
        LOKI,
        experiment("small-objects"),
    ),
    Note(
        "error",
        "The text calls Loki's deallocation 40 times slower than the system's. The table has 30 times (1 "
        "byte) to 93 times (50 bytes).",
        LOKI,
        named("loki:time-shuffled"),
    ),
    Note(
        "reading",
        "The blog's program ends after one round of frees. mallard also measures the memory held afterwards "
        "and the next million objects, in the other columns of the experiment.",
        LOKI,
        experiment("small-objects"),
    ),
    Note(
        "reading",
        "The blog counts the memory of the whole process, with its vector of a million pointers. mallard "
        "counts the growth of the process for the objects, and eight bytes a pointer.",
        LOKI,
        named("loki:memory"),
    ),
)

FIXED_BLOCK_NOTES = (
    Note(
        "error",
        "The book counts the ratio of the times less one. Its 15 times faster are 64 and 4 ms, its 3.3 "
        "times are 107 and 25 ms, and its 110 % are 142 and 67.4 us.",
        OPTIMIZED,
        named(TIMES),
    ),
    Note(
        "reading",
        "The book does not give the number of calls of remove_ctrl() that took 2,693 and 1,124 ms. The "
        "nanoseconds here are those of the whole test, so only the percents compare.",
        OPTIMIZED,
        named(TIMES),
    ),
    Note(
        "reading",
        "mallard's counterparts of the fixed blocks are class-new for the class-specific operator new, "
        "fixed-pool for the containers, and fixed-string for the string. new-delete is the default.",
        OPTIMIZED,
        named(TIMES),
    ),
    Note(
        "departure",
        "The book allocates a million instances. It does not say if it frees them in between, and its "
        "program is not published. mallard allocates and frees one block at a time.",
        OPTIMIZED,
        named(TIMES),
    ),
)

SMALL_NOTES = (*SMALL_OBJECTS_NOTES, *FIXED_BLOCK_NOTES)
