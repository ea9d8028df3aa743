"""Puts the names of P0089's strategies in front of their numbers in a claim's text.

AS5                     monotonic/base (AS5)
AS3;AS7                 monotonic (AS3); multipool (AS7)
multipool AS7-AS10      multipool (AS7-AS10)
AS6 (virtual)           monotonic/base/wink (AS6, virtual)
(Table 8 best AS4)      (Table 8 best monotonic/wink, AS4)
"""

from __future__ import annotations

import re

from mallard.bench.strategy_names import PAPERS, mechanism_name

# A list of numbers or ranges, with the name behind it or the bracket that follows.
_LISTS = re.compile(r"(?P<listed>AS\d+(?:-AS\d+)?(?:;AS\d+)*)(?P<after> \(| multipool\b)?")
_OPENING = " ("


def with_names(text: str) -> str:
    """The printed text, with names in front of the numbers of strategies."""
    return _LISTS.sub(lambda match: _with_name(match, text[: match.start()]), text)


def _with_name(match: re.Match[str], preceding: str) -> str:
    numbers = match["listed"].split(";")
    suffix = match["after"] or ""
    if preceding.count("(") > preceding.count(")"):
        return f"{'; '.join(f'{_name(number)}, {number}' for number in numbers)}{suffix}"
    if len(numbers) == 1 and suffix:
        remark = ", " if suffix == _OPENING else ")"
        return f"{_name_prefix(numbers[0], preceding)}({numbers[0]}{remark}"
    return f"{'; '.join(f'{_name_prefix(number, preceding)}({number})' for number in numbers)}{suffix}"


def _name_prefix(numbers: str, preceding: str) -> str:
    """The name and a space; empty if the preceding text is the name, or if a range has several names."""
    name = _name(numbers)
    return f"{name} " if name and not preceding.endswith(f"{name} ") else ""


def _name(numbers: str) -> str:
    """The strategy of a number, the mechanism of a range; empty for a range of several mechanisms."""
    first, _, last = numbers.partition("-")
    order = list(PAPERS)
    range_numbers = order[order.index(first) : order.index(last or first) + 1]
    mechanisms = {mechanism_name(PAPERS[number]) for number in range_numbers}
    if not last:
        return PAPERS[first]
    return mechanisms.pop() if len(mechanisms) == 1 else ""
