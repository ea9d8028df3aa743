"""What the tables of Benchmark II show: P0089R1 Tables 15-21, P0213R0 Tables 9-11 and 43-46.

A row is a list length |S|, a column an access factor (in Table 15 a shuffle factor). P0089 prints only the
effect of shuffling (after / before), and in Tables 20 and 21 how much smaller it is with a local multipool.
P0213 prints the effect and the seconds behind it. Its Table 11 compares the shuffled times of both
allocators as multipool / global, the inverse of P0089's ratio.
"""

from __future__ import annotations

# The two times of a cell's ratio. `strategy` in a table's place names the allocator of the lists.
DEGRADATION = "shuffled / unshuffled"
IMPROVEMENT = "degradation with the global allocator / with the local one"
LOCAL_TO_GLOBAL = "local / global, both shuffled"
TIME = "time of an access"
ONSET = "shuffle factor n / 0"

GLOBAL = "new-delete"
LOCAL = "multipool"  # the unsynchronized multipool; each list has its own
