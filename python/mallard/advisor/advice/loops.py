"""Loops of functions that never return, in which a round is the scope: an event loop, the frames of a game.

Stacks do not distinguish the rounds of a loop from calls of its function. A function is called once if it is
main, the first of a thread, or has an endless loop in its source, and is still active at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mallard.advisor.advice.candidates import (
    Candidate,
    LastingSite,
    is_library,
    is_outermost,
    lasting_sites,
)
from mallard.advisor.advice.cpp_text import LOOPS, CppText
from mallard.advisor.advice.patch import NoPatchError, Sources
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names

LEAST_ROUNDS = 4  # as in the profiler
LEAST_SHARE = 0.01  # of the blocks; other lines are of the function's preparations
ALWAYS = (["true"], ["1"])


@dataclass(frozen=True)
class Loop:
    line: int
    is_endless: bool


def with_loop(profile: Profile, candidate: Candidate, folder: Path) -> Candidate:
    """The candidate with the loop whose rounds are its scope, if it is known to be called once."""
    if candidate.function is None or not candidate.is_open:
        return candidate
    names = Names(profile)
    loop = _find_in_source(profile, names, candidate.function, folder)
    is_certain = candidate.is_main or _begins_thread(profile, names, candidate.function)
    if not is_certain and not (loop and loop.is_endless):
        return candidate
    file = names.source(candidate.function).rpartition(":")[0]
    return replace(
        candidate,
        returns_each_time=False,
        loop=f"{file}:{loop.line}" if loop else "",
        alive_sites=_alive_sites(profile, names, candidate),
    )


def _alive_sites(profile: Profile, names: Names, candidate: Candidate) -> tuple[LastingSite, ...]:
    """Without those of the last round, which the end of the program interrupted."""
    of_rounds = {site.code for site in profile.sites if (site.returns or 0) >= LEAST_ROUNDS}
    scope = next((scope for scope in profile.scopes if scope.function == candidate.function), None)
    if scope is None:
        return tuple(site for site in candidate.alive_sites if site.code not in of_rounds)
    return lasting_sites(names, [site for site in scope.alive_sites if site.code not in of_rounds])


def _begins_thread(profile: Profile, names: Names, function: int) -> bool:
    """True if only functions that start a thread call the function."""
    seen = False
    stacks = (names.stack(amount.stack) for site in profile.sites for amount in site.stacks)
    for stack in stacks:
        levels = [names.place(place).function if place is not None else None for place in stack]
        if function not in levels:
            continue
        seen = True
        callers = levels[len(levels) - levels[::-1].index(function) :]
        if not callers or not all(caller is not None and _starts_thread(names, caller) for caller in callers):
            return False
    return seen


def _starts_thread(names: Names, function: int) -> bool:
    short = names.short(function)
    return short != "main" and (is_outermost(short) or is_library(names, function))


def _find_in_source(profile: Profile, names: Names, function: int, folder: Path) -> Loop | None:
    """The loop around all lines of the function that make blocks of its iteration."""
    code = names.function(function)
    sites = {place.place for row in profile.iterations if row.function == function for place in row.sites}
    lines: Counter[int] = Counter()
    for site in profile.sites:
        if sites and site.place not in sites:
            continue
        for amount in site.stacks:
            for number in names.stack(amount.stack):
                place = names.place(number)
                if place.function == function and place.file == code.file and place.line:
                    lines[place.line] += amount.allocations
    least = LEAST_SHARE * lines.total()
    try:
        sources = Sources(folder)
        text = sources.texts[sources.find(code.file, profile.process.executable)]
    except NoPatchError:
        return None
    return find_loop(text, [line for line, blocks in lines.items() if blocks >= least])


def find_loop(text: CppText, lines: Iterable[int]) -> Loop | None:
    """The loop of a function around all the lines: the innermost endless one, or else the outermost. None
    without one that has braces. Of a closing brace the compiler may have ended several objects.
    """
    around: list[set[int]] = []
    for line in lines:
        tokens = text.on_line(line)
        if tokens and text.tokens[tokens[0]].text != "}":
            around.append(set(_loops_around(text, tokens[0])))
    loops = sorted(set.intersection(*around)) if around else []
    endless = [opening for opening in loops if _is_endless(text, opening)]
    if not loops:
        return None
    keyword = text.loop_keyword(endless[-1] if endless else loops[0])
    return Loop(text.position(text.tokens[keyword].begin)[0], bool(endless))


def _loops_around(text: CppText, at: int) -> Iterator[int]:
    """The braces of loops around a token, in its function."""
    for opening in text.enclosing_blocks(at):
        control = text.control(opening)
        if not control:
            return
        if control in LOOPS:
            yield opening


def _is_endless(text: CppText, opening: int) -> bool:
    """True of `for (...; ; ...)` and `while (true)`."""
    control = text.control(opening)
    if control == "do":
        return False
    words = text.words(text.mates[opening - 1] + 1, opening - 2)
    if control == "while":
        return words in ALWAYS
    first = words.index(";") if ";" in words else None
    return first is not None and words[first + 1 : first + 2] == [";"]
