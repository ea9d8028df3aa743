"""Notes on the tables of Benchmark I."""

from __future__ import annotations

from mallard.bench.papers.note import P0089_PROGRAM, P0213_PROGRAM, Concerns, Note, experiment, named
from mallard.bench.papers.printed import PrintedTable

NESTED = frozenset(f"DS{number}" for number in range(5, 13))
STRINGS_INSIDE = frozenset({"DS6", "DS8", "DS10", "DS12"})
STRINGS = STRINGS_INSIDE | {"DS2", "DS4"}
SETS = frozenset({"DS3", "DS4", *(f"DS{number}" for number in range(7, 13))})
HASHED_COMPOSITES = frozenset({"DS9", "DS10", "DS11", "DS12"})


def _is_density_table(table: PrintedTable, paper: str, names: frozenset[str]) -> bool:
    return table.experiment == "density" and table.data_paper == paper and table.place.get("ds") in names


def _of_structures(paper: str, names: frozenset[str]) -> Concerns:
    """The averages concern every structure."""
    return lambda table: (
        _is_density_table(table, paper, names) or (paper == "P0213" and table.name == "p0213:8")
    )


DENSITY_NOTES = (
    Note(
        "reading",
        "Printed seconds are for 2^27 leaf elements; mallard prints nanoseconds a leaf element, so 1 s "
        "printed is 7.45 ns. Compare the percents of new-delete, because machines differ.",
        "P0089R1 section 7; P0213R0 section 9",
        lambda table: table.experiment == "density" and "ds" in table.place,
    ),
    Note(
        "error",
        "The listing has 2,560 repetitions, but the text fixes the leaf elements at 2^27. The program "
        "divides 2^27 by the size. So does mallard.",
        "P0213R0 section 9; " + P0213_PROGRAM,
        experiment("density", "P0213"),
    ),
    Note(
        "error",
        "The first revision of P0089 transposed columns of this benchmark. The table shows the corrected "
        "data.",
        "P0213R0 section 9 and appendix 1",
        experiment("density", "P0089"),
    ),
    Note(
        "error",
        "The first revision of P0089 prints string lengths of 33 to 100. The strings had 33 to 1000 "
        "characters.",
        "P0213R0 section 9, footnote",
        lambda table: _is_density_table(table, "P0089", STRINGS),
    ),
    Note(
        "reading",
        "P0089R1 prints DS1 with one decimal, so its percents are coarse: 0.2 s stands for 0.15 to 0.25 s. "
        "P0213's copies have two decimals: p0213:5 and p0213:21.",
        "P0089R1 Table 3; P0213R0 Tables 5 and 21",
        named("p0089:3"),
    ),
    Note(
        "error",
        "The text names AS3-AS6, but only AS7-AS10 fits the figures of its table.",
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
        "new-delete/base doubles at 2^11, new-delete only at 2^12, so new-delete/base has 210 % of "
        "new-delete's time in one row. That row alone adds 0.8 to the mean of new-delete/base in Table 8, "
        "and 0.12 to the 0.78 % that the paper gives for virtual dispatch.",
        "computed from P0213R0 Table 6",
        named("p0213:6", "p0213:8"),
    ),
    Note(
        "reading",
        "The mean is over rows, each in percent of its own new-delete. A structure with small times "
        "therefore counts as much as one with large times. The mean of the printed, rounded seconds agrees "
        "within 0.15.",
        "P0213R0 Table 8, from Tables 4, 6 and 33-42",
        named("p0213:8"),
    ),
    Note(
        "departure",
        "P0089's program measures the wall time of the whole loop, and draws random string lengths inside "
        "it. mallard draws them beforehand.",
        P0089_PROGRAM,
        experiment("density", "P0089"),
    ),
    Note(
        "departure",
        "P0089's program fills the static buffer of 2^30 bytes before the process forks, so the monotonic "
        "strategies pay a copy-on-write fault at the first touch of each page. mallard offers the choice: "
        "--buffer none, cold or warm.",
        P0089_PROGRAM,
        experiment("density", "P0089"),
    ),
    Note(
        "departure",
        "In P0089's program, only the type-parameter strategies write a zero byte into each block that they "
        "allocate. mallard touches elements alike under every strategy.",
        P0089_PROGRAM,
        experiment("density", "P0089"),
    ),
    Note(
        "departure",
        "P0089's program reserves room for one inner container too few, so an outer vector reallocates once "
        "in every iteration. mallard's vectors never outgrow their reserve.",
        P0089_PROGRAM,
        _of_structures("P0089", NESTED),
    ),
    Note(
        "departure",
        "P0089's program hashes a composite by its address, so the allocator decides how the buckets fill. "
        "mallard's hash does not depend on addresses.",
        P0089_PROGRAM,
        _of_structures("P0089", HASHED_COMPOSITES),
    ),
    Note(
        "departure",
        "In both programs, the multipool has size classes at powers of two from 8 to 4096, a header of 16 "
        "bytes a block, and chunks of at most 32 blocks. It sends larger requests upstream, and released "
        "chunks go back to malloc. mallard's multipool has no headers and keeps released chunks for the "
        "next use.",
        P0089_PROGRAM + "; the same allocators serve P0213",
        experiment("density"),
    ),
    Note(
        "departure",
        "P0213's program measures CPU time with a process for each cell, as mallard does. Its type "
        "parameter points to a class with virtual functions that is not final, so these columns may "
        "dispatch virtually too. The 0.78 % is doubtful.",
        P0213_PROGRAM,
        experiment("density", "P0213"),
    ),
    Note(
        "departure",
        "In P0213's program, an unordered_set hashes to a global counter and compares addresses, so it "
        "reads no element. Its hash takes the element by value, so every insertion copies a string, or in "
        "DS9-DS12 a whole inner structure. mallard's hash reads the element in place.",
        P0213_PROGRAM + ", benchmark_1.cc at afd85f95",
        _of_structures("P0213", SETS),
    ),
    Note(
        "departure",
        "P0213's program gives all inner structures one list of 128 texts.",
        P0213_PROGRAM,
        _of_structures("P0213", STRINGS_INSIDE),
    ),
    Note(
        "departure",
        "P0213's program does not touch the static buffer of 2^30 bytes before the clock starts. Every "
        "iteration begins at the start of the buffer, so the first one pays for the pages. --buffer cold is "
        "closest.",
        P0213_PROGRAM,
        experiment("density", "P0213"),
    ),
)
