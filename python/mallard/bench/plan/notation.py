"""P0089's notation for a run of locality: `-20 18 32 -3 8` is |G| |S| af sf rf (P0089 section 8).

A negative |G| makes |G| and |S| exponents of two. The sign of sf puts the accesses before the shuffle (-)
or after it (+). The shuffle is made in both cases, and is not timed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mallard.shared.errors import UsageError

USAGE = "write |G| |S| af sf rf, as in: mallard bench locality -20 18 32 -3 8"
NUMBERS = (
    ("|G|", "links in all; a negative number makes |G| and |S| exponents of two: -20 18 is |G| = 2^20"),
    ("|S|", "links of a list at first; it divides |G|"),
    ("af", "access factor: how often a visit traverses its list"),
    ("sf", "shuffle factor: passes of the shuffle; -3 accesses before them, 3 after them"),
    ("rf", "repeat factor: how often every list is visited"),
)
MOST_DIGITS = 12


@dataclass(frozen=True)
class Notation:
    text: str
    links: int
    list_length: int
    access_factor: int
    shuffle_factor: int
    access_first: bool  # the access comes before the shuffle
    repeat_factor: int

    @property
    def timed_factor(self) -> int:
        """The passes of the shuffle before the timed accesses."""
        return 0 if self.access_first else self.shuffle_factor

    @property
    def sentence(self) -> str:
        lists = self.links // self.list_length
        passes = _count(self.shuffle_factor, "pass", "passes")
        when = "before" if self.access_first else "after"
        shuffle = f"{when} a shuffle of {passes}" if self.shuffle_factor else "without a shuffle"
        return (
            f"{self.text}: {self.links} links in {_count(lists, 'list', 'lists')} of {self.list_length}, "
            f"each traversed {_count(self.access_factor, 'time', 'times')} in a visit, "
            f"all visited {_count(self.repeat_factor, 'time', 'times')}, {shuffle}"
        )


def read_notation(words: Sequence[str], most_links: int = 2**62) -> Notation:
    """Raises a UsageError with the reason if the numbers make no sense."""
    text = " ".join(words)
    if len(words) != 5:
        raise UsageError(f"'{text}' has {len(words)} numbers where P0089's notation has five; {USAGE}")
    g, s, af, sf, rf = (_number(word, text) for word in words)
    links, length = _sizes(g, s, text, most_links)
    _refuse_idle(text, af, rf)
    return Notation(
        text=text,
        links=links,
        list_length=length,
        access_factor=af,
        shuffle_factor=abs(sf),
        access_first=words[3].startswith("-"),
        repeat_factor=rf,
    )


def check_lengths(links: int, list_length: int, where: str) -> None:
    """Refuses lists of unequal lengths, and a system without a list."""
    if list_length > links:
        raise UsageError(
            f"{where}: a list of {list_length} links (|S|) is longer than the whole system of {links} (|G|); "
            f"|S| is at most |G|"
        )
    if links % list_length:
        raise UsageError(
            f"{where}: {links} links (|G|) cannot be divided into lists of {list_length} (|S|); choose a "
            "divisor of |G|, such as a power of two if |G| is one"
        )


def _sizes(g: int, s: int, text: str, most_links: int) -> tuple[int, int]:
    if g == 0:
        raise UsageError(f"{text}: |G| is 0, a system without links; {USAGE}")
    if s < 0 or (s == 0 and g > 0):
        raise UsageError(
            f"{text}: |S| is {s}, and a list has at least one link; a negative |G| alone makes both "
            f"exponents of two, so -20 18 is |G| = 2^20, |S| = 2^18; {USAGE}"
        )
    if g < 0 and max(-g, s) >= most_links.bit_length():
        raise UsageError(
            f"{text}: 2^{max(-g, s)} links are too many; a negative |G| makes |G| and |S| exponents of "
            f"two, and |G| may have up to 2^{most_links.bit_length() - 1} links"
        )
    if g > most_links:
        raise UsageError(f"{text}: {g} links are too many; |G| may have up to {most_links}")
    links, length = (2**-g, 2**s) if g < 0 else (g, s)
    check_lengths(links, length, text)
    return links, length


def _refuse_idle(text: str, af: int, rf: int) -> None:
    for name, value in (("af", af), ("rf", rf)):
        if value < 0:
            raise UsageError(f"{text}: {name} is {value}, and must be 1 or more; {USAGE}")
    if af == 0:
        raise UsageError(
            f"{text}: af = 0 accesses nothing. P0089 ran that to subtract the time of the shuffle and of the "
            "visits. Here the accesses alone are timed, so nothing is to be subtracted; give af of 1 or more"
        )
    if rf == 0:
        raise UsageError(
            f"{text}: rf = 0 visits no list, so af = {af} accesses nothing. P0089 finds the time of the "
            "shuffle in this way. Here every row has it as a figure (shuffle_ns); give rf of 1 or more"
        )


def _number(word: str, text: str) -> int:
    if not re.fullmatch(rf"[+-]?\d{{1,{MOST_DIGITS}}}", word, re.ASCII):
        raise UsageError(f"{text}: '{word}' is not a whole number; {USAGE}")
    return int(word)


def _count(number: int, singular: str, more: str) -> str:
    return f"{number} {singular if number == 1 else more}"
