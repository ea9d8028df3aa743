"""Claims that their own document's tables contradict: on those tables, their rules find "not reproduced".

The tests hold this list to exactly those claims.
"""

from __future__ import annotations

from mallard.bench.claims.rule import Key

P0089, P0213, LOKI = "P0089R1", "P0213R0", "Loki_SOA_blog"
STALE = "the text describes older data than the table"
ROUNDED = "its table, of seconds rounded to 0.01, gives {high} %"

KNOWN_ERRORS: dict[Key, str] = {
    (P0089, "7.5 DS5", "wink-out gain"): (
        "the middle cell of its Table 7 saves 5 %; only the monotonic strategies save 10 to 30 %"
    ),
    (P0089, "7.8 DS8", "virtual overhead, global"): "the mean of its Table 10 is 4.6 %; only 2^16 has 10 %",
    (P0089, "7 general", "monotonic speedup over default global"): (
        "its Tables 4-14 span 1.8 to 20.8; the low end is DS3 at small sizes, DS4, and large DS8 and DS12"
    ),
    (P0089, "10 B IV", "prose: first row AS1 (table prints 0.041 s)"): STALE,
    (P0089, "10 B IV", "prose: first row AS2 (table prints 91)"): STALE,
    (P0089, "10 B IV", "prose: first row AS3;AS5 (table prints 40;39)"): STALE,
    (P0089, "10 B IV", "prose: first row AS11;AS13 (table prints 24;24)"): STALE,
    (P0213, "9 DS2", "multipool+monotonic AS11-AS14 range"): "its Table 6 has 78.9 % at 2^8",
    (P0213, "9 Further (DS3-DS12)", "monotonic AS3-AS6 range"): ROUNDED.format(high="94.1"),
    (P0213, "9 Further (DS3-DS12)", "multipool+monotonic AS11-AS14 range"): ROUNDED.format(high="94.1"),
    (P0213, "11 B III", "virtual overhead of global (AS2), consistent"): "its Table 12 has one cell of 6 %",
    (P0213, "11 B III", "multipool run time vs AS1 (within its size limit), below"): (
        "its tables have 52 to 56 % in some cells of S = 2^12"
    ),
    (P0213, "12 B IV", "multipool, Table 14 (one outlier 76)"): "its Table 14 has a cell of 43 %",
    (P0213, "12 B IV", "P0089 Table 15 multipool"): "its Table 15 has a cell of 33 %",
    (P0213, "12 Conclusions", "thread-local allocators vs global, up to"): (
        "its Tables 58-64 have up to 9.5 x; so have Tables 65-71, without the monotonic strategies"
    ),
    (LOKI, "time", "Loki deallocation slower, shuffled order"): (
        "its table has 30 x (1 byte) to 93 x (50 bytes), 53 x in the mean"
    ),
}


def known_error(key: Key) -> str:
    return KNOWN_ERRORS.get(key, "")
