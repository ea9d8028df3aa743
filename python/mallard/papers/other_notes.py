"""Notes on the tables of Benchmarks II to V."""

from __future__ import annotations

from mallard.papers.locality import DEGRADATION, IMPROVEMENT, LOCAL_TO_GLOBAL, ONSET, TIME
from mallard.papers.note import P0089_PROGRAM, P0213_PROGRAM, Concerns, Note, experiment, named


def _showing(*what: str) -> Concerns:
    return lambda table: table.place.get("what") in what


LOCALITY_NOTES = (
    Note(
        "reading",
        "Nanoseconds of CPU time an access, before the shuffle and after it in one process; their ratio is "
        "of the same lists. The shuffle factor is 5 where the table does not say otherwise.",
        "P0089R1 section 8; P0213R0 section 10",
        _showing(DEGRADATION, IMPROVEMENT, LOCAL_TO_GLOBAL, ONSET),
    ),
    Note(
        "reading",
        "Printed seconds are for 2,560 accesses of each of 2^21 links; 1 s printed is 0.186 ns. Machines "
        "differ: compare the tables of ratios, p0213:9 to p0213:11.",
        "P0213R0 section 10 and appendix 3",
        _showing(TIME),
    ),
    Note(
        "error",
        "At |S| = 2^24 and af = 2^8 the table has 0.5 (neighbours 12.7 to 13.1), at |S| = 2^25 and af = 2^7 "
        "1.72 (neighbours about 1): they look like bad runs. Table 21 inherits both (0.5 and 1.77).",
        "P0089R1 Tables 17 and 21",
        named("p0089:17", "p0089:21"),
    ),
    Note(
        "error",
        "At |S| = 2^24 and af = 2^8 the table has 1.00 (neighbours 1.5): it looks like a bad run.",
        "P0089R1 Table 19",
        named("p0089:19"),
    ),
    Note(
        "reading",
        "Degradation with the global allocator by that with a multipool: not the ratio of the times after "
        "the shuffle, which P0213's Table 11 has (the other way round).",
        "P0089R1 Tables 20 and 21 = Tables 16 and 17 by Tables 18 and 19",
        _showing(IMPROVEMENT),
    ),
    Note(
        "departure",
        "P0089's program has no timer inside: the time of a process less that of one that does not access. "
        "It shuffles the other way round than the text: pops from a list drawn at random, pushes to the "
        "lists in turn. It accesses by a fixed number of steps with wrap-around and leaves empty lists at "
        "once, which probably is the dip at |S| = 1 that the paper cannot explain.",
        P0089_PROGRAM,
        experiment("locality", "P0089"),
    ),
    Note(
        "departure",
        "The text says that the synchronized multipool was used; the program uses the unsynchronized one, as "
        "we do.",
        P0089_PROGRAM,
        experiment("locality", "P0089"),
    ),
    Note(
        "departure",
        "P0213's program follows its text; only the access is timed, as here.",
        P0213_PROGRAM,
        experiment("locality", "P0213"),
    ),
)

UTILIZATION_NOTES = (
    Note(
        "reading",
        "T, A and S are exponents of two of bytes: allocated in all, active, of a block. new-delete "
        "stands in nanoseconds a block, the printed seconds by T / S.",
        "P0089R1 section 9; P0213R0 section 11",
        experiment("utilization"),
    ),
    Note(
        "reading",
        "fail: the test exhausted memory.",
        "P0089R1 section 9",
        lambda table: (
            table.experiment == "utilization" and any(None in row.values() for row in table.rows.values())
        ),
    ),
    Note(
        "departure",
        "P0089's program gives the monotonic allocator no buffer and times the final frees; 7 repetitions, "
        "trimmed. The nearest of ours is --buffer none.",
        P0089_PROGRAM,
        experiment("utilization", "P0089"),
    ),
    Note(
        "departure",
        "P0213's program does not time the final frees. Its static buffer's pages are touched for the first "
        "time in the timed part, so the monotonic columns mostly measure page faults. The nearest of ours is "
        "--buffer cold.",
        P0213_PROGRAM,
        experiment("utilization", "P0213"),
    ),
    Note(
        "departure",
        "Both programs: their multipool passes blocks above 2^12 bytes through to its upstream, so the last "
        "three rows show another allocator. Ours pools larger blocks too.",
        "P0089R1 section 9, remark (4); P0213R0 section 11",
        experiment("utilization"),
    ),
    Note(
        "error",
        "The paper prints T = 2^31 in every row; caption and data are T = 2^30, which is shown.",
        "P0213R0 Table 13",
        named("p0213:13"),
    ),
    Note(
        "error",
        "The text has an overhead of 3-5 % for AS2 in all tables; one cell has 6 %.",
        "P0213R0 section 11, Table 12",
        named("p0213:12"),
    ),
    Note(
        "error",
        "The text has the multipool below 50 % of AS1; at S = 2^12 some cells have 52 to 56 %.",
        "P0213R0 section 11",
        named("p0213:12", *(f"p0213:{number}" for number in range(53, 58))),
    ),
)

CONTENTION_NOTES = (
    Note(
        "reading",
        "W threads, each N times a block of S bytes; new-delete stands in nanoseconds of wall time a pair of "
        "allocate and deallocate of one thread.",
        "P0089R1 section 10; P0213R0 section 12",
        experiment("contention"),
    ),
    Note(
        "error",
        "The text tells of a first row of 0.022 s and 174, 71, 71, 32, 36, 35, 34 percent; the table prints "
        "0.041 s and 91, 40, 39, 26, 26, 24, 24. The text is of older data.",
        "P0089R1 section 10",
        named("p0089:IV-15-6", "p0213:15"),
    ),
    Note(
        "departure",
        "P0089's program: real threads, whose creation is timed; of 7 samples only 2 are averaged, because "
        "of a missing return. Ours are created before the clock starts.",
        P0089_PROGRAM,
        experiment("contention", "P0089"),
    ),
    Note(
        "departure",
        "P0213's program forks processes in place of starting threads, and times the forking: there is no "
        "contention on an allocator in it. Ours are threads of one process.",
        P0213_PROGRAM,
        experiment("contention", "P0213"),
    ),
    Note(
        "error",
        "The paper prints N = 2^15; the data are of 100 x 2^15 (they agree with Table 65).",
        "P0213R0 Table 16",
        named("p0213:16"),
    ),
    Note(
        "error",
        "The text has the multipool at 44-50 % but for one outlier; the table has 43 % at W = 8.",
        "P0213R0 section 12, Table 14",
        named("p0213:14"),
    ),
    Note(
        "error",
        "The text has P0089's multipool at 15-32 %; the table has one cell of 33 %.",
        "P0213R0 section 12, Table 15",
        named("p0213:15", "p0089:IV-15-6"),
    ),
    Note(
        "reading",
        "All strategies degrade from W = 5 on: the paper takes that for a quirk of the virtual server.",
        "P0213R0 section 12",
        experiment("contention", "P0213"),
    ),
)

FRAGMENTATION_NOTES = (
    Note(
        "reading",
        "R below 1: freeing D of 2^16 chunks beforehand hurts new-delete more than this strategy. R "
        "divides four times, so it has the noise of four.",
        "P0213R0 section 13",
        experiment("fragmentation"),
    ),
    Note(
        "error",
        "Printed one column off: the first column, headed AS2, is exactly 1.00 in all rows: it is AS1, which "
        "the text says is left out; every heading is one too high and AS14 is missing. The columns are shown "
        "here under their right names.",
        "P0213R0 Tables 18 and 19, confirmed by its author's spreadsheet (Results.xlsx of his repository)",
        named("p0213:18", "p0213:19"),
    ),
    Note(
        "error",
        "The caption says vector<int>; DS2 is vector<string>.",
        "P0213R0 Table 19",
        named("p0213:19"),
    ),
    Note(
        "departure",
        "P0213's program perturbs the global heap only, so strategies with a static buffer cannot notice; "
        "--upstream heap lets ours. Its repository has it in a debug setting (2^23 elements).",
        P0213_PROGRAM,
        experiment("fragmentation"),
    ),
)

OTHER_NOTES = (*LOCALITY_NOTES, *UTILIZATION_NOTES, *CONTENTION_NOTES, *FRAGMENTATION_NOTES)
