"""A recorded run of the program: the figures of the process and of scopes."""

from __future__ import annotations

import mmap
import os
import re
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mallard.advisor.budget.document import PROCESS, SCOPE_FIGURES
from mallard.advisor.budget.stacks import AllocationStacks
from mallard.advisor.profile.decode import printable
from mallard.advisor.profile.document import Profile, read_profile
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.native import ask
from mallard.advisor.profile.scopes import Scope
from mallard.advisor.profile.short_name import is_library_function, names_function, short_name
from mallard.shared.errors import UsageError

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
    def __init__(self, trace: Path) -> None:
        self._trace = trace
        self.profile = read_profile(ask([str(trace)]))
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
        matches = [scope for scope in self.profile.scopes if name in self._names_of_scope(scope)]
        if len(matches) == 1:
            return Figures(_scope_figures(matches[0]), self._names.short(matches[0].function))
        if self._never_allocates(name):
            return Figures(dict.fromkeys(SCOPE_FIGURES, 0), name)
        return self._query_scope(name)

    def _never_allocates(self, name: str) -> bool:
        """True for a function or a marker of the program that is on no stack of an allocation."""
        return not self.stacks.have(name) and (self._has_function(name) or self._has_marker(name))

    def _has_function(self, name: str) -> bool:
        listed = ask([str(self._trace), "--symbols", _in_symbol(name)]).decode(errors="replace")
        return any(names_function(name, printable(full)) for full in listed.splitlines())

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

    def _names_of_scope(self, scope: Scope) -> tuple[str, ...]:
        return self._names.short(scope.function), self._names.full(scope.function)

    def _query_scope(self, name: str) -> Figures:
        """Asks the native program, which also accepts parts of names."""
        profile = read_profile(ask([str(self._trace), "--scope", name]))
        if profile.scope is None:
            raise UsageError(f"mallard-profile returned nothing for the scope '{name}'; build it again")
        row = profile.scope.row
        return Figures(
            _scope_figures(row), None if row.name is not None else Names(profile).short(row.function)
        )

    @cached_property
    def stacks(self) -> AllocationStacks:
        with tempfile.TemporaryDirectory(prefix="mallard-budget-") as folder:
            file = Path(folder) / "folded"
            ask([str(self._trace), "--export", "folded-blocks", "-o", str(file)])
            return AllocationStacks(file.read_text(encoding="utf-8", errors="replace"))

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
