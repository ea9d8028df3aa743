"""A recorded run of the program: the figures of the process and of scopes."""

from __future__ import annotations

import mmap
import os
import re
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mallard.budget.document import OF_SCOPE, PROCESS
from mallard.budget.stacks import AllocationStacks
from mallard.errors import UsageError
from mallard.profile.decode import printable
from mallard.profile.document import Profile, read_profile
from mallard.profile.names import Names
from mallard.profile.native import ask
from mallard.profile.scopes import Scope
from mallard.profile.short_name import is_library_function, names_function, short_name

MOST_OWN = 3  # functions of a new file
OUTERMOST = ("main", "_start")
# Words of names that a mangled name does not contain.
NOT_MANGLED = ("anonymous", "namespace", "lambda", "unnamed", "type", "std")


@dataclass(frozen=True)
class Figures:
    """By the names that a file has for them."""

    values: dict[str, int]
    function: str | None  # a short name; None for the process and for a marker


class MeasuredRun:
    def __init__(self, trace: Path) -> None:
        self._trace = trace
        self.profile = read_profile(ask([str(trace)]))
        self._names = Names(self.profile)
        _refuse_incomplete(self.profile)

    @property
    def exit_status(self) -> int:
        """As a shell has it; less than 0 for a signal."""
        status = self.profile.process.exit_status
        return os.waitstatus_to_exitcode(status) if status is not None else 0

    def of(self, name: str) -> Figures:
        """All figures of a scope that the program has and that allocated nothing are 0. Raises a UsageError
        with the nearest names for an unknown scope.
        """
        if name == PROCESS:
            return Figures(_of_process(self.profile), None)
        for scope in self.profile.markers.scopes if self.profile.markers else ():
            if scope.name == name:
                return Figures(_of_scope(scope), None if scope.kind == "marker" else name)
        if self.profile.completeness.withheld:
            raise UsageError(f"scope '{name}' cannot be judged: {self.profile.completeness.reason}")
        same = [scope for scope in self.profile.scopes if name in self._called(scope)]
        if len(same) == 1:
            return Figures(_of_scope(same[0]), self._names.short(same[0].function))
        if self._is_silent(name):
            return Figures(dict.fromkeys(OF_SCOPE, 0), name)
        return self._asked(name)

    def _is_silent(self, name: str) -> bool:
        """True for a function or a marker of the program that no stack of an allocation has."""
        return not self.stacks.have(name) and (self._has_function(name) or self._has_marker(name))

    def _has_function(self, name: str) -> bool:
        listed = ask([str(self._trace), "--symbols", _in_symbol(name)]).decode(errors="replace")
        return any(names_function(name, printable(full)) for full in listed.splitlines())

    def _has_marker(self, name: str) -> bool:
        """A marker that was not reached is in no trace, but its name is a text of the program."""
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

    def _called(self, scope: Scope) -> tuple[str, ...]:
        return self._names.short(scope.function), self._names.full(scope.function)

    def _asked(self, name: str) -> Figures:
        """The native program knows all names, and parts of names."""
        profile = read_profile(ask([str(self._trace), "--scope", name]))
        if profile.scope is None:
            raise UsageError(f"mallard-profile told nothing of the scope '{name}'; build it again")
        row = profile.scope.row
        return Figures(_of_scope(row), None if row.name is not None else Names(profile).short(row.function))

    @cached_property
    def stacks(self) -> AllocationStacks:
        with tempfile.TemporaryDirectory(prefix="mallard-budget-") as folder:
            file = Path(folder) / "folded"
            ask([str(self._trace), "--export", "folded-blocks", "-o", str(file)])
            return AllocationStacks(file.read_text(encoding="utf-8", errors="replace"))

    def worth_a_budget(self) -> list[str]:
        """The markers, or the functions of the program's own that contain the most blocks."""
        markers = self.profile.markers.scopes if self.profile.markers else ()
        marked = [scope.name for scope in markers if scope.name and scope.kind == "marker"]
        if marked:
            return marked
        own = [scope for scope in self.profile.scopes if self._is_own(scope)]
        names = [self._names.short(scope.function) for scope in own]
        return [name for name in dict.fromkeys(names) if names.count(name) == 1][:MOST_OWN]

    def _is_own(self, scope: Scope) -> bool:
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
    """A word that the symbols of a function with that name contain. Operators have other names in symbols,
    and the standard library has abbreviations.
    """
    before_operator = re.split(r"\boperator\b", short_name(name))[0]
    if before_operator.startswith("std::"):
        return ""
    words = [word for word in re.findall(r"[^\W\d]\w*", before_operator) if word not in NOT_MANGLED]
    return words[-1] if words else ""


def _of_process(profile: Profile) -> dict[str, int]:
    figures = profile.figures
    return {
        "allocations": figures.allocations or 0,
        "bytes": figures.bytes or 0,
        "peak_bytes": profile.timeline.peak_bytes or 0 if profile.timeline else 0,
        "alive": figures.alive.allocations if figures.alive else 0,
    }


def _of_scope(scope: Scope) -> dict[str, int]:
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
