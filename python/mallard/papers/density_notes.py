"""Notes on the tables of Benchmark I."""

from __future__ import annotations

from mallard.papers.note import P0089_PROGRAM, P0213_PROGRAM, Concerns, Note, experiment, named
from mallard.papers.printed import PrintedTable

NESTED = frozenset(f"DS{number}" for number in range(5, 13))
STRINGS_INSIDE = frozenset({"DS6", "DS8", "DS10", "DS12"})
STRINGS = STRINGS_INSIDE | {"DS2", "DS4"}
SETS = frozenset({"DS3", "DS4", *(f"DS{number}" for number in range(7, 13))})
HASHED_COMPOSITES = frozenset({"DS9", "DS10", "DS11", "DS12"})


def _is_of(table: PrintedTable, paper: str, names: frozenset[str]) -> bool:
    return table.experiment == "density" and table.data_of == paper and table.place.get("ds") in names


def _of_structures(paper: str, names: frozenset[str]) -> Concerns:
    """The averages concern every structure."""
    return lambda table: _is_of(table, paper, names) or (paper == "P0213" and table.name == "p0213:8")


DENSITY_NOTES = (
    Note(
        "reading",
        "Printed seconds are for 2^27 leaf elements; ours are nanoseconds a leaf element, so 1 s printed "
        "is 7.45 ns. Machines differ: compare the percents of new-delete.",
        "P0089R1 section 7; P0213R0 section 9",
        lambda table: table.experiment == "density" and "ds" in table.place,
    ),
    Note(
        "error",
        "The algorithm is listed with 2,560 repetitions, the text holds the leaf elements at 2^27; the "
        "program divides 2^27 by the size, and so do we.",
        "P0213R0 section 9; " + P0213_PROGRAM,
        experiment("density", "P0213"),
    ),
    Note(
        "error",
        "The first revision of P0089 transposed columns of this benchmark. These are the corrected data.",
        "P0213R0 section 9 and appendix 1",
        experiment("density", "P0089"),
    ),
    Note(
        "error",
        "The first revision of P0089 gives string lengths of 33 to 100; 33 to 1000 were used.",
        "P0213R0 section 9, footnote",
        lambda table: _is_of(table, "P0089", STRINGS),
    ),
    Note(
        "reading",
        "P0089R1 prints DS1 with one decimal, so its percents are coarse (0.2 s is anything from 0.15 to "
        "0.25); P0213's copy has two: p0213:5 and p0213:21.",
        "P0089R1 Table 3; P0213R0 Tables 5 and 21",
        named("p0089:3"),
    ),
    Note(
        "error",
        "The text names AS3-AS6 where only AS7-AS10 fits the figures of its table.",
        "P0089R1 section 7.6",
        named("p0089:8", "p0213:26"),
    ),
    Note(
        "error",
        "The text puts AS11-AS14 at 77 % of AS1 at most; the table has 78.9 % at 2^8.",
        "P0213R0 section 9, DS2",
        named("p0213:6"),
    ),
    Note(
        "reading",
        "new-delete/base doubles at 2^11, new-delete only at 2^12: in one row the first stands at 210 % "
        "of the second. It alone adds 0.8 to the first's mean in Table 8 and 0.12 to the 0.78 % that "
        "virtual dispatch is said to cost.",
        "computed from P0213R0 Table 6",
        named("p0213:6", "p0213:8"),
    ),
    Note(
        "reading",
        "The mean is over rows, each in percent of its own new-delete: a structure with small times "
        "counts as much as one with large times. Recomputed from the printed (rounded) seconds it agrees "
        "within 0.15.",
        "P0213R0 Table 8, from Tables 4, 6 and 33-42",
        named("p0213:8"),
    ),
    Note(
        "departure",
        "P0089's program: wall time of the whole loop. Random string lengths are drawn inside the timed "
        "part; ours are drawn beforehand.",
        P0089_PROGRAM,
        experiment("density", "P0089"),
    ),
    Note(
        "departure",
        "P0089's program: the static buffer of 2^30 bytes is filled before the process forks, so the "
        "monotonic strategies pay a copy-on-write fault at the first touch of each page. Ours is a "
        "choice: --buffer none, cold or warm.",
        P0089_PROGRAM,
        experiment("density", "P0089"),
    ),
    Note(
        "departure",
        "P0089's program: only the type-parameter strategies write a zero byte into each block that they "
        "allocate. Ours touches elements alike under every strategy.",
        P0089_PROGRAM,
        experiment("density", "P0089"),
    ),
    Note(
        "departure",
        "P0089's program: one inner container is built and copied once more than was reserved for, so an "
        "outer vector reallocates once in every iteration. Ours never outgrows its reserve.",
        P0089_PROGRAM,
        _of_structures("P0089", NESTED),
    ),
    Note(
        "departure",
        "P0089's program: a composite hashes to its address, so the allocator decides how the buckets "
        "fill. Ours does not depend on where memory lies.",
        P0089_PROGRAM,
        _of_structures("P0089", HASHED_COMPOSITES),
    ),
    Note(
        "departure",
        "Both programs: the multipool has size classes at powers of two from 8 to 4096 with a header of "
        "16 bytes a block, chunks of at most 32 blocks, and sends larger requests upstream; released "
        "chunks go back to malloc. Ours has no header and keeps released chunks for the next use.",
        P0089_PROGRAM + "; the same allocators serve P0213",
        experiment("density"),
    ),
    Note(
        "departure",
        "P0213's program: CPU time, a process a cell, as ours. The type parameter is a pointer to a class "
        "with virtual functions that is not final, so these columns may dispatch like the others: the "
        "0.78 % is to be doubted.",
        P0213_PROGRAM,
        experiment("density", "P0213"),
    ),
    Note(
        "departure",
        "P0213's program: an unordered_set hashes to a global counter and compares addresses, so no "
        "element is read; but the hash takes the element by value, so every insertion copies it as well: "
        "a string, or in DS9-DS12 a whole inner structure. Ours reads the element where it is.",
        P0213_PROGRAM + ", benchmark_1.cc at afd85f95",
        _of_structures("P0213", SETS),
    ),
    Note(
        "departure",
        "P0213's program: every inner structure gets the same 128 texts.",
        P0213_PROGRAM,
        _of_structures("P0213", STRINGS_INSIDE),
    ),
    Note(
        "departure",
        "P0213's program: the static buffer of 2^30 bytes is not touched before the clock starts. Every "
        "iteration begins at its start again, so the first pays for the pages and the others find them. "
        "The nearest of ours is --buffer cold.",
        P0213_PROGRAM,
        experiment("density", "P0213"),
    ),
)
