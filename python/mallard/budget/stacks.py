"""The stacks that allocated in a recording, as functions, with their blocks.

They come from the export of folded stacks, which has all of them. Names are short, and of the standard
library's functions only the one is kept that the program called, so that a stack fits a line and outlives
small changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import dropwhile

from mallard.budget.document import ANY_OTHER, Stacks
from mallard.profile.decode import printable
from mallard.profile.short_name import is_library_function, names_function, short_name

MOST_FUNCTIONS = 8  # of a stack, from its innermost one
MOST_STACKS = 12  # of a scope
# The start of the program or of a thread. Without the debug information of libc its part has no name.
BEFORE_MAIN = ("_start", "__libc_start_", "start_thread", "clone", "__clone", "thread_start", "libc.so.6+0x")
C_LIBRARY = ("_IO_", "__GI_", "__vf")
ARROW = " > "
INLINED = "_[i]"


class AllocationStacks:
    def __init__(self, folded: str) -> None:
        stacks = [_names_and_blocks(line) for line in folded.splitlines() if line]
        self._names = {name for names, _ in stacks for name in names}
        self._stacks = [(tuple(map(short_name, names)), blocks) for names, blocks in stacks]

    def of(self, function: str | None) -> Counter[str]:
        """Those that pass through the function, whose name is short; all without one."""
        found: Counter[str] = Counter()
        for functions, blocks in self._stacks:
            if function is None or function in functions:
                found[_text(functions)] += blocks
        return found

    def have(self, name: str) -> bool:
        """True if an allocation was made below a function of that name, also where it is inlined."""
        return any(names_function(name, full) for full in self._names)


def _names_and_blocks(line: str) -> tuple[list[str], int]:
    names, _, blocks = line.rpartition(" ")
    return [printable(name.removesuffix(INLINED)) for name in names.split(";")], int(blocks)


def _text(functions: Sequence[str]) -> str:
    kept = list(dropwhile(lambda name: name.startswith(BEFORE_MAIN), functions)) or list(functions)
    own = [
        place
        for place, name in enumerate(kept)
        if not is_library_function(name) and not name.startswith(C_LIBRARY)
    ]
    end = own[-1] + 1 if own else len(kept)
    # The names of mallard's functions change with the build.
    if not kept[end : end + 1] or not kept[end].startswith("mallard::"):
        end += 1
    return ARROW.join(kept[:end][-MOST_FUNCTIONS:])


def heaviest(blocks: Counter[str], margin: float) -> dict[str, int]:
    """As a file of a budget has them: with a margin, and with the most of those that are left out."""
    rows = sorted(blocks.items(), key=lambda row: (-row[1], row[0]))
    kept = {stack: with_margin(count, margin) for stack, count in rows[:MOST_STACKS]}
    others = rows[MOST_STACKS : MOST_STACKS + 1]
    return {**kept, ANY_OTHER: with_margin(others[0][1], margin) if others else 0}


def with_margin(value: float, margin: float) -> int:
    """Rounded up: a run itself is within its budget."""
    whole, part = divmod(round(value) * (100 + round(100 * margin)), 100)
    return whole + (part > 0)


def most_beyond(blocks: Iterable[tuple[str, int]], known: Stacks) -> tuple[str, int] | None:
    """The stack that made the most blocks beyond those of the file, with their number."""
    others = known.get(ANY_OTHER, 0)
    beyond = [(count - known.get(stack, others), stack) for stack, count in blocks]
    most = max(beyond, key=lambda each: (each[0], each[1]), default=(0, ""))
    return (most[1], most[0]) if most[0] > 0 else None
