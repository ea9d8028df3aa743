"""The stacks that allocated in a recording, as functions, with their blocks.

They come from the export of folded stacks, which has all of them. Names are shortened, and of the standard
library's functions only the one that the program called is kept, so that a stack fits on a line and does not
change with small edits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import dropwhile

from mallard.advisor.budget.document import UNLISTED, Stacks
from mallard.advisor.profile.decode import printable
from mallard.advisor.profile.short_name import is_library_function, names_function, short_name

MOST_FUNCTIONS = 8  # of a stack, counted from the innermost
MOST_STACKS = 12  # of a scope
# The start of the program or of a thread. Without debug information of libc, its frames have no name.
STARTUP = ("_start", "__libc_start_", "start_thread", "clone", "__clone", "thread_start", "libc.so.6+0x")
C_LIBRARY = ("_IO_", "__GI_", "__vf")
ARROW = " > "
INLINED = "_[i]"


class AllocationStacks:
    def __init__(self, folded: str) -> None:
        stacks = [_names_and_blocks(line) for line in folded.splitlines() if line]
        self._names = {name for names, _ in stacks for name in names}
        self._stacks = [(tuple(map(short_name, names)), blocks) for names, blocks in stacks]

    def of(self, function: str | None) -> Counter[str]:
        """The stacks that pass through the function, by its short name; all stacks if it is None."""
        blocks_by_stack: Counter[str] = Counter()
        for functions, blocks in self._stacks:
            if function is None or function in functions:
                blocks_by_stack[_text(functions)] += blocks
        return blocks_by_stack

    def have(self, name: str) -> bool:
        """True if a function with this name allocated, directly or not, also where it is inlined."""
        return any(names_function(name, full) for full in self._names)


def _names_and_blocks(line: str) -> tuple[list[str], int]:
    names, _, blocks = line.rpartition(" ")
    return [printable(name.removesuffix(INLINED)) for name in names.split(";")], int(blocks)


def _text(functions: Sequence[str]) -> str:
    frames = list(dropwhile(lambda name: name.startswith(STARTUP), functions)) or list(functions)
    program_frames = [
        index
        for index, name in enumerate(frames)
        if not is_library_function(name) and not name.startswith(C_LIBRARY)
    ]
    end = program_frames[-1] + 1 if program_frames else len(frames)
    # The names of mallard's functions change with the build.
    if not frames[end : end + 1] or not frames[end].startswith("mallard::"):
        end += 1
    return ARROW.join(frames[:end][-MOST_FUNCTIONS:])


def heaviest(blocks: Counter[str], margin: float) -> dict[str, int]:
    """The stacks for a budget, with a margin, and the most blocks of the stacks that are not listed."""
    rows = sorted(blocks.items(), key=lambda row: (-row[1], row[0]))
    listed = {stack: with_margin(count, margin) for stack, count in rows[:MOST_STACKS]}
    dropped = rows[MOST_STACKS : MOST_STACKS + 1]
    return {**listed, UNLISTED: with_margin(dropped[0][1], margin) if dropped else 0}


def with_margin(value: float, margin: float) -> int:
    """Rounded up, so that the run itself is within its budget."""
    quotient, remainder = divmod(round(value) * (100 + round(100 * margin)), 100)
    return quotient + (remainder > 0)


def largest_excess(blocks: Iterable[tuple[str, int]], known: Stacks) -> tuple[str, int] | None:
    """The stack that exceeds the blocks in the file the most, and by how many."""
    unlisted = known.get(UNLISTED, 0)
    excesses = [(count - known.get(stack, unlisted), stack) for stack, count in blocks]
    excess, stack = max(excesses, default=(0, ""))
    return (stack, excess) if excess > 0 else None
