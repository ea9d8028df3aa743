"""The strategies that the times of Optimized C++, chapter 13, are compared with.

The book has fixed blocks of three kinds: a class-specific operator new, an allocator of a container, and an
allocator of a string. `STRATEGIES` names mallard's for each.
"""

from __future__ import annotations

from mallard.bench.papers.printed import Key
from mallard.bench.papers.registry import WORKS

TIMES = "optimized:times"
BLOCK = "fixed block"  # the column next to the default's
AS_PRINTED = "as-printed"  # of the versions of remove-ctrl
REMOVE_CTRL = WORKS[-1]  # the work that has versions
STRATEGIES = dict(
    zip(WORKS, ("class-new", "class-new", "fixed-pool", "fixed-pool", "fixed-string"), strict=True)
)


def work_name(key: Key) -> str:
    return WORKS[key[0]]
