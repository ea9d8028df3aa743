"""The numbers of P0089's strategies in a claim's text, with their names in front.

AS5                     monotonic/base (AS5)
AS3;AS7                 monotonic (AS3); multipool (AS7)
multipool AS7-AS10      multipool (AS7-AS10)
AS6 (virtual)           monotonic/base/wink (AS6, virtual)
(Table 8 best AS4)      (Table 8 best monotonic/wink, AS4)
"""

from __future__ import annotations

import re

from mallard.strategy_names import PAPERS, mechanism_of

# A list of numbers or ranges, with the name behind it or the bracket that follows.
_LISTS = re.compile(r"(?P<listed>AS\d+(?:-AS\d+)?(?:;AS\d+)*)(?P<after> \(| multipool\b)?")
_OPENING = " ("


def with_names(text: str) -> str:
    """The text as printed, but for the names in front of its strategies' numbers."""
    return _LISTS.sub(lambda match: _named(match, text[: match.start()]), text)


def _named(match: re.Match[str], before: str) -> str:
    each = match["listed"].split(";")
    after = match["after"] or ""
    if before.count("(") > before.count(")"):
        return f"{'; '.join(f'{_name(numbers)}, {numbers}' for numbers in each)}{after}"
    if len(each) == 1 and after:
        remark = ", " if after == _OPENING else ")"
        return f"{_told(each[0], before)}({each[0]}{remark}"
    return f"{'; '.join(f'{_told(numbers, before)}({numbers})' for numbers in each)}{after}"


def _told(numbers: str, before: str) -> str:
    """The name and a space; nothing if the text before it says the name, or if several are meant."""
    name = _name(numbers)
    return f"{name} " if name and not before.endswith(f"{name} ") else ""


def _name(numbers: str) -> str:
    """The strategy of a number, the mechanism of a range; empty for a range of several mechanisms."""
    first, _, last = numbers.partition("-")
    order = list(PAPERS)
    its = order[order.index(first) : order.index(last or first) + 1]
    mechanisms = {mechanism_of(PAPERS[number]) for number in its}
    if not last:
        return PAPERS[first]
    return mechanisms.pop() if len(mechanisms) == 1 else ""
