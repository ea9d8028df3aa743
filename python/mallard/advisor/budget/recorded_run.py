"""A recorded run of the program: the figures of the process and of scopes, and the stacks that allocated.

The stacks come from the export of folded stacks, which has all of them. Names are shortened, and of the
standard library's functions only the one that the program called is kept, so that a stack fits on a line and
does not change with small edits.
"""

from __future__ import annotations

import mmap
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import dropwhile
from pathlib import Path

from mallard.advisor.budget.document import PROCESS, SCOPE_FIGURES, UNLISTED, Stacks
from mallard.advisor.profile.document import Profile, ask, read_profile, trace_words
from mallard.advisor.profile.names import Names, is_library_function, names_function, short_name
from mallard.advisor.profile.records import Scope
from mallard.advisor.profile.stacks import FOLDED, folded, read_stacks
from mallard.shared.errors import UsageError
from mallard.shared.prose import printable_name

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
    return [printable_name(name.removesuffix(INLINED)) for name in names.split(";")], int(blocks)


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


MOST_DEFAULT_SCOPES = 3  # functions in a new budget
OUTERMOST = ("main", "_start")
# Words of demangled names that a mangled name does not contain.
NOT_MANGLED = ("anonymous", "namespace", "lambda", "unnamed", "type", "std")


@dataclass(frozen=True)
class Figures:
    """The figures by their names in a budget."""

    values: dict[str, int]
    function: str | None  # short name; None for the process and for a marker


class MeasuredRun:
    def __init__(self, trace: Path, process: str | None = None) -> None:
        self._trace = trace_words(trace, process)
        self.profile = read_profile(ask(self._trace))
        self._names = Names(self.profile)
        _refuse_incomplete(self.profile)

    @property
    def exit_status(self) -> int:
        """The exit status as in a shell; negative for a signal."""
        status = self.profile.process.exit_status
        return os.waitstatus_to_exitcode(status) if status is not None else 0

    def of(self, name: str) -> Figures:
        """The figures of a scope, which are 0 if it allocated nothing. Raises a UsageError with the nearest
        names for an unknown scope.
        """
        if name == PROCESS:
            return Figures(_process_figures(self.profile), None)
        for scope in self.profile.markers.scopes if self.profile.markers else ():
            if scope.name == name:
                return Figures(_scope_figures(scope), None if scope.kind == "marker" else name)
        if self.profile.completeness.withheld:
            raise UsageError(f"scope '{name}' cannot be judged: {self.profile.completeness.reason}")
        short, full = self._names.short, self._names.full
        matches = [
            scope for scope in self.profile.scopes if name in (short(scope.function), full(scope.function))
        ]
        if len(matches) == 1:
            return Figures(_scope_figures(matches[0]), self._names.short(matches[0].function))
        if not self.stacks.have(name) and (self._has_function(name) or self._has_marker(name)):
            return Figures(dict.fromkeys(SCOPE_FIGURES, 0), name)
        return self._query_scope(name)

    def _has_function(self, name: str) -> bool:
        listed = ask([*self._trace, "--symbols", _in_symbol(name)]).decode(errors="replace")
        return any(names_function(name, printable_name(full)) for full in listed.splitlines())

    def _has_marker(self, name: str) -> bool:
        """A marker that was not reached is not in the trace, but its name is a string in the program."""
        if not self.profile.process.executable:
            return False
        try:
            with (
                open(self.profile.process.executable, "rb") as file,
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as program,
            ):
                return program.find(b"\0" + name.encode() + b"\0") >= 0
        except (OSError, ValueError):
            return False

    def _query_scope(self, name: str) -> Figures:
        """Asks the native program, which also accepts parts of names."""
        profile = read_profile(ask([*self._trace, "--scope", name]))
        if profile.scope is None:
            raise UsageError(f"mallard-profile returned nothing for the scope '{name}'; build it again")
        row = profile.scope.row
        return Figures(
            _scope_figures(row), None if row.name is not None else Names(profile).short(row.function)
        )

    @cached_property
    def stacks(self) -> AllocationStacks:
        return AllocationStacks("".join(folded([read_stacks(self._trace)], FOLDED["folded-blocks"])))

    def default_scopes(self) -> list[str]:
        """The markers, or else the functions of the program that contain the most blocks."""
        markers = self.profile.markers.scopes if self.profile.markers else ()
        marked = [scope.name for scope in markers if scope.name and scope.kind == "marker"]
        if marked:
            return marked
        in_program = [scope for scope in self.profile.scopes if self._is_in_program(scope)]
        names = [self._names.short(scope.function) for scope in in_program]
        return [name for name in dict.fromkeys(names) if names.count(name) == 1][:MOST_DEFAULT_SCOPES]

    def _is_in_program(self, scope: Scope) -> bool:
        function, program = self._names.function(scope.function), self.profile.process.executable
        name = self._names.short(scope.function)
        in_program = os.path.basename(function.object or "") == os.path.basename(program or "?")
        return (
            in_program
            and name not in OUTERMOST
            and not name.startswith(("__", "_GLOBAL__"))
            and not is_library_function(name)
        )


def _in_symbol(name: str) -> str:
    """A word that the symbols of a function with this name contain; empty for the standard library, which has
    abbreviations. Operators have other names in symbols.
    """
    qualifier = re.split(r"\boperator\b", short_name(name))[0]
    if qualifier.startswith("std::"):
        return ""
    words = [word for word in re.findall(r"[^\W\d]\w*", qualifier) if word not in NOT_MANGLED]
    return words[-1] if words else ""


def _process_figures(profile: Profile) -> dict[str, int]:
    figures = profile.figures
    return {
        "allocations": figures.allocations or 0,
        "bytes": figures.bytes or 0,
        "peak_bytes": profile.timeline.peak_bytes or 0 if profile.timeline else 0,
        "alive": figures.alive.allocations if figures.alive else 0,
    }


def _scope_figures(scope: Scope) -> dict[str, int]:
    figures, peak = scope.figures, scope.activation_peak
    return {
        "allocations": figures.allocations or 0,
        "bytes": figures.bytes or 0,
        "peak_bytes": round(peak.max or 0) if peak else 0,
        "escaped": figures.escaped.allocations if figures.escaped else 0,
    }


def _refuse_incomplete(profile: Profile) -> None:
    process = profile.process
    if process.stopped or process.torn:
        raise UsageError(
            f"the recording is incomplete ({process.stopped or 'its end is missing'}), so no limit was "
            "compared; give it more room"
        )
