"""The word that was meant, where one that is allowed is near to what was typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

# Of the letters of both: two of six may be wrong, or two neighbours changed.
ALIKE = 0.66


def nearest(word: str, allowed: Iterable[str]) -> str:
    """Empty where none is near. Of AS15 neither AS5 nor AS14 was meant: another number is another thing."""
    by_lower = {each.lower(): each for each in allowed if _letters(each) != _letters(word)}
    found = get_close_matches(word.lower(), by_lower, n=1, cutoff=ALIKE)
    return by_lower[found[0]] if found else ""


def _letters(word: str) -> str:
    return "".join(letter for letter in word.lower() if not letter.isdigit())


def meant(word: str, allowed: Iterable[str], aliases: Mapping[str, str] | None = None) -> str:
    """To stand after a message that ends with the word: ` (did you mean density?)`, or nothing. An alias
    is told by the name that it stands for.
    """
    known = {**{each: each for each in allowed}, **(aliases or {})}
    found = nearest(word, known)
    return f" (did you mean {known[found]}?)" if found else ""
