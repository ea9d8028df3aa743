"""Resolves the numbers of a profile to names: functions, places, stacks, scopes."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property, partial

from mallard.advisor.profile.document import Function, Place, Profile
from mallard.advisor.profile.scopes import Scope
from mallard.advisor.profile.short_name import fitted, short_name

UNKNOWN = "?"
SKIPPED_LEVELS = "levels that were not kept"
NO_FUNCTION = Function("")


class Names:
    def __init__(self, profile: Profile) -> None:
        self._profile = profile

    def function(self, number: int | None) -> Function:
        functions = self._profile.functions
        return functions[number] if number is not None and 0 <= number < len(functions) else NO_FUNCTION

    @cached_property
    def _short(self) -> list[str]:
        return [
            short_name(function.short_name or function.name) if function.name else self._nameless(function)
            for function in self._profile.functions
        ]

    @staticmethod
    def _nameless(function: Function) -> str:
        return f"a function of {os.path.basename(function.object)}" if function.object else UNKNOWN

    def short(self, number: int | None) -> str:
        short = self._short
        return short[number] if number is not None and 0 <= number < len(short) else UNKNOWN

    def within(self, number: int | None, width: int) -> str:
        """With template arguments if there is room for them; never longer than the width."""
        wide = self.function(number).short_name or ""
        return wide if 0 < len(wide) <= width else fitted(self.short(number), width)

    def full(self, number: int | None) -> str:
        return self.function(number).name or self.short(number)

    def source(self, number: int | None) -> str:
        """`file:line` of a function, or else its library; empty if neither is known."""
        function = self.function(number)
        if function.file:
            return _at(function.file, function.line)
        return os.path.basename(function.object or "")

    def place(self, number: int | None) -> Place:
        places = self._profile.places
        return places[number] if number is not None and 0 <= number < len(places) else Place(-1)

    def place_source(self, number: int | None) -> str:
        """`file:line`, or else the library of its function. Empty for levels that were not kept."""
        place = self.place(number)
        return _at(place.file, place.line) if place.file else self.source(place.function)

    def place_function(self, number: int | None) -> str:
        if number is None:
            return SKIPPED_LEVELS
        return self.short(self.place(number).function)

    def stack(self, number: int | None) -> tuple[int | None, ...]:
        """The places of a stack, the innermost first."""
        stacks = self._profile.stacks
        return stacks[number] if number is not None and 0 <= number < len(stacks) else ()

    def scope(self, scope: Scope) -> str:
        return scope.name if scope.name is not None else self.short(scope.function)

    def scope_within(self, scope: Scope) -> Callable[[int], str]:
        """The name of a scope in a number of columns."""
        if scope.name is not None:
            return partial(fitted, scope.name)
        return partial(self.within, scope.function)

    def place_within(self, number: int | None) -> Callable[[int], str]:
        """The function of a place in a number of columns."""
        return partial(self.within, self.place(number).function)

    @cached_property
    def _scopes(self) -> dict[int, Scope]:
        return {scope.id: scope for scope in self._profile.scopes if scope.id is not None}

    def find_scope(self, number: int) -> Scope | None:
        return self._scopes.get(number)

    def scope_name(self, number: int) -> str:
        scope = self.find_scope(number)
        return self.scope(scope) if scope else UNKNOWN


def _at(file: str, line: int | None) -> str:
    return f"{file}:{line}" if line else file


def fitted_source(source: str, width: int) -> str:
    """A `file:line` in at most `width` columns: its last folders, or the end of its name."""
    if len(source) <= width:
        return source
    parts = source.split("/")
    for first in range(1, len(parts)):
        shorter = f"\N{HORIZONTAL ELLIPSIS}/{'/'.join(parts[first:])}"
        if len(shorter) <= width:
            return shorter
    return f"\N{HORIZONTAL ELLIPSIS}{source[-(width - 1) :]}" if width > 1 else ""
