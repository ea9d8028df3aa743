"""The blocks of a process by the stacks that allocated them, and the lines of flame graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from mallard.advisor.profile.database import Database
from mallard.advisor.profile.document import BUILD_AGAIN, ask
from mallard.advisor.profile.native_document import WRONG_DOCUMENT, read_document, stack_lists
from mallard.shared.errors import UsageError

FOLDED = {
    "folded": "allocated_bytes",
    "folded-blocks": "allocated_blocks",
    "folded-peak": "peak_bytes",
    "folded-end": "end_bytes",
}
DEEPEST = 1024  # frames of a line, the innermost ones, behind CUT
CUT = "..."
BETWEEN = "\n"  # two names: less than the letters of names, so that paths are sorted name by name
FRAME = "CAST(frame AS TEXT)"  # as in paths
MOST = 2**64 - 1


class Stacks:
    def __init__(self, text: bytes | str) -> None:
        """Of what `mallard-profile --stacks` printed. Raises a UsageError."""
        self._rows = Database()
        try:
            for name, rows in stack_lists(read_document(text)):
                self._rows.add_lists(name, rows)
            (self.process,) = self._rows.connection.execute("SELECT * FROM exports")
        except WRONG_DOCUMENT as error:
            raise UsageError(f"mallard-profile printed wrong stacks: {error}; {BUILD_AGAIN}") from None

    def rows(self, table: str, columns: str) -> Iterator[tuple[Any, ...]]:
        cursor = self._rows.connection.cursor()
        cursor.row_factory = None
        return cursor.execute(f"SELECT {columns} FROM {table} ORDER BY rowid")

    def paths(self) -> Iterator[list[str]]:
        """The frames of each call from behind its caller to itself."""
        return (path.split(",") for (path,) in self.rows("calls", "path"))

    def counts(self, columns: str, most: int = MOST) -> Iterator[tuple[list[int], list[int]]]:
        """The calls of each stack that allocated, the innermost first, at most so many, and its counts in
        these columns.
        """
        callers: list[int | None] = []
        for call, (caller, blocks, *counts) in enumerate(
            self.rows("calls", f"caller, allocated_blocks, {columns}")
        ):
            callers.append(caller)
            if blocks:
                calls = [call]
                while caller is not None and len(calls) < most:
                    calls.append(caller)
                    caller = callers[caller]
                yield calls, counts


def read_stacks(words: Sequence[str]) -> Stacks:
    """Of a process of a trace, with the words that name them. Raises a UsageError."""
    return Stacks(ask([*words, "--stacks"]))


def units(ticks: int, ticks_per_unit: float) -> int:
    """The whole units, at most `MOST`."""
    amount = ticks / ticks_per_unit if ticks_per_unit > 0 else MOST
    return int(min(amount, MOST))


def folded(recordings: Iterable[Stacks], column: str) -> Iterator[str]:
    """A line for each stack by the names of its functions, the outermost first, with its sum, in the order of
    the names. Inlined functions are marked as stackcollapse-perf.pl does. Deep recursions would be files of
    many gigabytes: beyond DEEPEST frames, the outer ones are CUT.
    """
    sums: Counter[str] = Counter()
    for stacks in recordings:
        names: dict[str, str] = {CUT: CUT}
        for frame, name, inlined in stacks.rows("frames", f"{FRAME}, short_name, inlined"):
            own = name.replace(";", ":") + ("_[i]" if inlined else "")
            names[frame] = f"{own}{BETWEEN}{names[frame]}" if frame in names else own
        paths = [path for (path,) in stacks.rows("calls", "path")]
        for calls, (value,) in stacks.counts(column, DEEPEST + 1):
            if value:
                frames = ",".join([paths[call] for call in reversed(calls)]).rsplit(",", DEEPEST)
                if len(frames) > DEEPEST:
                    frames[0] = CUT
                sums[BETWEEN.join([names[frame] for frame in frames])] += value
    for path in sorted(sums):
        yield f"{path.replace(BETWEEN, ';')} {sums[path]}\n"
