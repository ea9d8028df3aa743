"""Notes on the tables of Benchmarks II to V."""

from __future__ import annotations

from mallard.bench.papers.locality import DEGRADATION, IMPROVEMENT, LOCAL_TO_GLOBAL, ONSET, TIME
from mallard.bench.papers.note import P0089_PROGRAM, P0213_PROGRAM, Concerns, Note, experiment, named


def _showing(*kinds: str) -> Concerns:
    return lambda table: table.place.get("what") in kinds


LOCALITY_NOTES = (
    Note(
        "reading",
        "Times are nanoseconds of CPU time an access. One process measures its lists before and after the "
        "shuffle, and the ratio compares the two. The shuffle factor is 5 unless the table gives another.",
        "P0089R1 section 8; P0213R0 section 10",
        _showing(DEGRADATION, IMPROVEMENT, LOCAL_TO_GLOBAL, ONSET),
    ),
    Note(
        "reading",
        "Printed seconds are for 2,560 accesses of each of 2^21 links; 1 s printed is 0.186 ns. Compare the "
        "tables of ratios, p0213:9 to p0213:11, because machines differ.",
        "P0213R0 section 10 and appendix 3",
        _showing(TIME),
    ),
    Note(
        "error",
        "The table has 0.5 at |S| = 2^24 and af = 2^8 (neighbours 12.7 to 13.1), and 1.72 at |S| = 2^25 and "
        "af = 2^7 (neighbours about 1). Both look like bad runs. Table 21 inherits them as 0.5 and 1.77.",
        "P0089R1 Tables 17 and 21",
        named("p0089:17", "p0089:21"),
    ),
    Note(
        "error",
        "The table has 1.00 at |S| = 2^24 and af = 2^8 (neighbours 1.5). It looks like a bad run.",
        "P0089R1 Table 19",
        named("p0089:19"),
    ),
    Note(
        "reading",
        "The figure is the degradation with the global allocator, divided by the degradation with a "
        "multipool. P0213's Table 11 has another ratio: the multipool's time after the shuffle, divided by "
        "the global allocator's.",
        "P0089R1 Tables 20 and 21 = Tables 16 and 17 by Tables 18 and 19",
        _showing(IMPROVEMENT),
    ),
    Note(
        "departure",
        "P0089's program has no timer. Its figure is the time of a process, less the time of a process "
        "without accesses. It shuffles in the opposite direction to the text: it pops from a list drawn at "
        "random, and pushes to the lists in turn. An access takes a fixed number of steps with wrap-around "
        "and leaves empty lists at once, which probably causes the dip at |S| = 1 that the paper cannot "
        "explain.",
        P0089_PROGRAM,
        experiment("locality", "P0089"),
    ),
    Note(
        "departure",
        "The text names the synchronized multipool. The program uses the unsynchronized one, as mallard "
        "does.",
        P0089_PROGRAM,
        experiment("locality", "P0089"),
    ),
    Note(
        "departure",
        "P0213's program follows its text. It times only the access, as mallard does.",
        P0213_PROGRAM,
        experiment("locality", "P0213"),
    ),
)

UTILIZATION_NOTES = (
    Note(
        "reading",
        "T, A and S are exponents of two: the bytes allocated in all, the active bytes, and the bytes of a "
        "block. new-delete is in nanoseconds a block, which are the printed seconds divided by the "
        "number of blocks.",
        "P0089R1 section 9; P0213R0 section 11",
        experiment("utilization"),
    ),
    Note(
        "reading",
        "A cell marked fail exhausted memory.",
        "P0089R1 section 9",
        lambda table: (
            table.experiment == "utilization" and any(None in row.values() for row in table.rows.values())
        ),
    ),
    Note(
        "departure",
        "P0089's program gives the monotonic allocator no buffer and times the final frees, in 7 "
        "repetitions, trimmed. --buffer none is closest.",
        P0089_PROGRAM,
        experiment("utilization", "P0089"),
    ),
    Note(
        "departure",
        "P0213's program does not time the final frees. It touches the pages of its static buffer for the "
        "first time in the timed part, so the monotonic columns mostly measure page faults. --buffer cold "
        "is closest.",
        P0213_PROGRAM,
        experiment("utilization", "P0213"),
    ),
    Note(
        "departure",
        "In both programs, the multipool passes blocks above 2^12 bytes to its upstream, so the last three "
        "rows show another allocator. mallard's multipool pools larger blocks too.",
        "P0089R1 section 9, remark (4); P0213R0 section 11",
        experiment("utilization"),
    ),
    Note(
        "error",
        "The paper prints T = 2^31 in every row. Caption and data have T = 2^30, as the table here.",
        "P0213R0 Table 13",
        named("p0213:13"),
    ),
    Note(
        "error",
        "The text gives AS2 an overhead of 3-5 % in all tables. One cell has 6 %.",
        "P0213R0 section 11, Table 12",
        named("p0213:12"),
    ),
    Note(
        "error",
        "The text puts the multipool below 50 % of AS1. At S = 2^12 some cells have 52 to 56 %.",
        "P0213R0 section 11",
        named("p0213:12", *(f"p0213:{number}" for number in range(53, 58))),
    ),
)

CONTENTION_NOTES = (
    Note(
        "reading",
        "Each of W threads allocates and deallocates a block of S bytes N times. new-delete is in "
        "nanoseconds of wall time for such a pair in one thread.",
        "P0089R1 section 10; P0213R0 section 12",
        experiment("contention"),
    ),
    Note(
        "error",
        "The text gives the first row as 0.022 s and 174, 71, 71, 32, 36, 35, 34 percent. The table prints "
        "0.041 s and 91, 40, 39, 26, 26, 24, 24. The text describes older data.",
        "P0089R1 section 10",
        named("p0089:IV-15-6", "p0213:15"),
    ),
    Note(
        "departure",
        "P0089's program times the creation of its threads, and averages only 2 of 7 samples, because a "
        "return is missing. mallard creates its threads before the clock starts.",
        P0089_PROGRAM,
        experiment("contention", "P0089"),
    ),
    Note(
        "departure",
        "P0213's program forks processes instead of starting threads, and times the forks. Its processes "
        "cannot contend for an allocator. mallard starts threads of one process.",
        P0213_PROGRAM,
        experiment("contention", "P0213"),
    ),
    Note(
        "error",
        "The paper prints N = 2^15. The data have 100 x 2^15: they agree with Table 65.",
        "P0213R0 Table 16",
        named("p0213:16"),
    ),
    Note(
        "error",
        "The text puts the multipool at 44-50 % but for one outlier. The table has 43 % at W = 8.",
        "P0213R0 section 12, Table 14",
        named("p0213:14"),
    ),
    Note(
        "error",
        "The text puts P0089's multipool at 15-32 %. One cell of the table has 33 %.",
        "P0213R0 section 12, Table 15",
        named("p0213:15", "p0089:IV-15-6"),
    ),
    Note(
        "reading",
        "All strategies degrade from W = 5 on. The paper blames a quirk of its virtual server.",
        "P0213R0 section 12",
        experiment("contention", "P0213"),
    ),
)

FRAGMENTATION_NOTES = (
    Note(
        "reading",
        "R is below 1 if freeing D of 2^16 chunks beforehand hurts new-delete more than this strategy. R "
        "combines four times, so it has the noise of four.",
        "P0213R0 section 13",
        experiment("fragmentation"),
    ),
    Note(
        "error",
        "The columns are printed under wrong headings. The first, headed AS2, is exactly 1.00 in all rows: "
        "it is AS1, which the text says is left out. Every heading is one too high, and AS14 is missing. "
        "Here the columns have their right names.",
        "P0213R0 Tables 18 and 19, confirmed by its author's spreadsheet (Results.xlsx of his repository)",
        named("p0213:18", "p0213:19"),
    ),
    Note(
        "error",
        "The caption says vector<int>, but DS2 is vector<string>.",
        "P0213R0 Table 19",
        named("p0213:19"),
    ),
    Note(
        "departure",
        "P0213's program perturbs the global heap only, which strategies with a static buffer do not use. "
        "With --upstream heap, mallard's strategies take chunks from the perturbed heap. The program is "
        "stored in a debug setting of 2^23 elements.",
        P0213_PROGRAM,
        experiment("fragmentation"),
    ),
)

BENCHMARK_NOTES = (*LOCALITY_NOTES, *UTILIZATION_NOTES, *CONTENTION_NOTES, *FRAGMENTATION_NOTES)
