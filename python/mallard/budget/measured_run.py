"""A recorded run of the program: the figures of the process and of scopes."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mallard.budget.document import PROCESS
from mallard.budget.stacks import AllocationStacks
from mallard.errors import UsageError
from mallard.profile.document import Profile, read_profile
from mallard.profile.names import Names
from mallard.profile.native import ask
from mallard.profile.scopes import Scope

MOST_OWN = 3  # functions of a new file
OUTERMOST = ("main", "_start")


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
        """Raises a UsageError with the nearest names for an unknown scope."""
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
        return self._asked(name)

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
        return in_program and name not in OUTERMOST and not name.startswith(("std::", "__", "operator "))


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
