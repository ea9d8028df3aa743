"""Suggests the allowed word that is nearest to an unknown one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

# A share of the letters of both words: two of six may be wrong, or two neighbours exchanged.
ALIKE = 0.66


def nearest(word: str, allowed: Iterable[str]) -> str:
    """Empty if none is near. Another number is another thing: AS15 is neither AS5 nor AS14."""
    by_lower = {each.lower(): each for each in allowed if _letters(each) != _letters(word)}
    found = get_close_matches(word.lower(), by_lower, n=1, cutoff=ALIKE)
    return by_lower[found[0]] if found else ""


def _letters(word: str) -> str:
    return "".join(letter for letter in word.lower() if not letter.isdigit())


def meant(word: str, allowed: Iterable[str], aliases: Mapping[str, str] | None = None) -> str:
    """The end of a message that ends with the word: ` (did you mean density?)`, or nothing. An alias is
    replaced by its name.
    """
    known = {**{each: each for each in allowed}, **(aliases or {})}
    found = nearest(word, known)
    return f" (did you mean {known[found]}?)" if found else ""
