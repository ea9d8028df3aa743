"""Resolves the numbers of a profile to names, and shortens names of functions.

`std::vector<int, std::allocator<int> >::push_back(int&&)` is `std::vector<>::push_back`. A name that is not
C++ is unchanged. Every name takes linear time, however deeply it nests, and no result is empty.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from mallard.advisor.profile.document import Function, Place, Profile
from mallard.advisor.profile.records import Scope
from mallard.shared.prose import printable_name
from mallard.shared.report.model import Name, Stack

LONGEST = 5000  # characters of a name that are read
STRING = re.compile(
    r"std::(?:__cxx11::)?basic_string<char, std::char_traits<char>, std::allocator<char> ?>"
    r"(?:::basic_string)?"
)
OPERATOR = re.compile(
    r"operator(?:\(\)|\[\]|<=>|->\*?|<<=?|>>=?|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%^&|~!=<>,]=?"
    r"|\"\"\s?\w+| (?:new|delete)(?:\[\])?| co_await)"
)
INLINE = re.compile(r"\b(?:__cxx11|__1|_V2|__debug)::")
PAIRS = {"(": ")", "<": ">", "{": "}", "[": "]"}
LIBRARY = ("std::", "mallard::", "__gnu_cxx::", "__cxxabiv1::", "operator ")
QUALIFIERS = re.compile(r"\s*(?:const|volatile|noexcept|&&?)(?![\w:])")


def short_name(name: str) -> str:
    text = INLINE.sub("", STRING.sub("std::string", name[:LONGEST]))
    shortened = _shortened(text).strip()
    return printable_name(shortened or name.strip()) or "?"


def is_library_function(short: str) -> bool:
    """True for functions of mallard and of the standard library, by their short names."""
    return short.startswith(LIBRARY)


def names_function(name: str, full: str) -> bool:
    """True if `name` is the function's full or short name, or the end of one behind `::`."""
    behind = f"::{name}"
    return any(candidate == name or candidate.endswith(behind) for candidate in (full, short_name(full)))


def _shortened(text: str) -> str:
    kept: list[str] = []  # outside of all brackets
    open_: list[str] = []  # the brackets that are missing
    place = begin = 0
    operator_seen = False
    while place < len(text):
        letter = text[place]
        symbol = OPERATOR.match(text, place) if letter == "o" and _begins_word(text, place) else None
        if symbol:
            kept += [] if open_ else [symbol[0]]
            operator_seen |= not open_
            place = symbol.end()
            continue
        if not open_ and letter == " ":
            place, done = _skip_space(text, place, kept, operator_seen)
            if done:
                break
            continue
        if letter in PAIRS:
            begin = begin if open_ else place
            open_.append(PAIRS[letter])
        elif not open_:
            kept.append(letter)
        elif letter == open_[-1] and not (letter == ">" and text[place - 1] == "-"):
            open_.pop()
            kept += [] if open_ else [_instead(text[begin : place + 1])]
        place += 1
    # Not C++, or its middle was left out.
    return _without_middle(text, begin) if open_ else "".join(kept)


def _skip_space(text: str, place: int, kept: list[str], operator_seen: bool) -> tuple[int, bool]:
    """A space ends a return type, or the name. Returns the next place, and true if the name is complete."""
    qualifiers = QUALIFIERS.match(text, place)
    if qualifiers:
        return qualifiers.end(), False
    if text.startswith(" [clone", place):
        return place, True
    if operator_seen and text.startswith(" <", place):  # operator< <int>
        return place + 1, False
    if "".join(kept[-8:]) == "operator":  # a conversion: its type is the name
        kept.append(" " + text[place + 1 :].partition("(")[0])
        return len(text), True
    kept.clear()
    return place + 1, False


def _instead(brackets: str) -> str:
    """The replacement of a pair of brackets and its contents."""
    if brackets == "(anonymous namespace)":
        return "(anonymous)"
    if brackets[0] == "<":
        return "<>"
    if brackets[0] == "[" and not brackets.startswith("[abi:"):
        return brackets
    if brackets[0] == "{":
        number = re.search(r"#\d+\}$", brackets)
        kind = re.match(r"\{([\w' -]+)", brackets)
        return f"{{{kind[1] if kind else ''}{number[0][:-1] if number else ''}}}"
    return ""


def _without_middle(text: str, place: int) -> str:
    """Shortens a name that lost brackets, `std::_Rb_tree<a, b...c>::f`, to its beginning and its last
    part."""
    last = text.rpartition("::")[2]
    if "..." not in text or not last.isidentifier():
        return text
    return f"{text[:place].rpartition(' ')[2]}<>::{last}"


def _begins_word(text: str, place: int) -> bool:
    previous = text[place - 1] if place else " "
    return not (previous.isalnum() or previous == "_")


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

    def full(self, number: int | None) -> str:
        return self.function(number).name or self.short(number)

    def source(self, number: int | None) -> str:
        """`file:line` of a function, or else its library; empty if neither is known."""
        function = self.function(number)
        if function.file:
            return _at(function.file, function.line)
        return printable_name(os.path.basename(function.object or ""))

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

    def inlined_calls(self, function: int) -> Iterator[tuple[str, str] | None]:
        """The caller and its line for each inlined call of the function on the stacks of sites; None for a
        call that is not inlined.
        """
        for site in self._profile.sites:
            for amount in site.stacks:
                for inner, outer in pairwise(self.stack(amount.stack)):
                    if inner is not None and self.place(inner).function == function:
                        is_inlined = outer is not None and self.place(inner).inlined
                        yield (self.place_function(outer), self.place_source(outer)) if is_inlined else None

    def scope(self, scope: Scope) -> str:
        return printable_name(scope.name) if scope.name is not None else self.short(scope.function)

    @cached_property
    def _scopes(self) -> dict[int, Scope]:
        return {scope.id: scope for scope in self._profile.scopes if scope.id is not None}

    def find_scope(self, number: int) -> Scope | None:
        return self._scopes.get(number)

    def scope_name(self, number: int) -> str:
        scope = self.find_scope(number)
        return self.scope(scope) if scope else UNKNOWN

    def function_cell(self, number: int | None) -> Name:
        """For a report."""
        wide = printable_name(self.function(number).short_name or "")
        return Name(self.short(number), wide, self.full(number), self.source(number))

    def scope_cell(self, scope: Scope) -> Name:
        if scope.name is not None:
            return Name(printable_name(scope.name))
        return self.function_cell(scope.function)

    def place_cell(self, number: int | None) -> Name:
        """The function of a line of code, with the line as its source."""
        if number is None:
            return Name(SKIPPED_LEVELS)
        function = self.function_cell(self.place(number).function)
        return replace(function, source=self.place_source(number))

    def stack_cell(self, places: Sequence[int | None], about: str = "") -> Stack:
        return Stack(tuple(map(self._level, places)), about)

    def _level(self, number: int | None) -> Name:
        level = self.place_cell(number)
        return replace(level, source=f"{level.source}, inlined") if self.place(number).inlined else level


def _at(file: str, line: int | None) -> str:
    file = printable_name(file)
    return f"{file}:{line}" if line else file
