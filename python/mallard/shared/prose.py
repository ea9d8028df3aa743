"""Words in messages: lists as in a sentence, and the allowed word that is most similar to an unknown one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

# The least similarity: two of six letters may be wrong, or two neighbours exchanged.
ALIKE = 0.66


def nearest(word: str, allowed: Iterable[str]) -> str:
    """The nearest word, or an empty string. Words that differ only in digits are unrelated: AS15 is not
    AS5."""
    by_lower = {choice.lower(): choice for choice in allowed if _letters(choice) != _letters(word)}
    matches = get_close_matches(word.lower(), by_lower, n=1, cutoff=ALIKE)
    return by_lower[matches[0]] if matches else ""


def _letters(word: str) -> str:
    return "".join(letter for letter in word.lower() if not letter.isdigit())


def did_you_mean(word: str, allowed: Iterable[str], aliases: Mapping[str, str] | None = None) -> str:
    """The suggestion for a message that ends with the word: ` (did you mean density?)`, or nothing. An alias
    is replaced by its name.
    """
    known = {**{choice: choice for choice in allowed}, **(aliases or {})}
    match = nearest(word, known)
    return f" (did you mean {known[match]}?)" if match else ""


def in_prose(words: Sequence[str]) -> str:
    """Words as in a sentence: one; one and two; one, two and three."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def printable(text: str) -> str:
    """The text with control characters escaped, except line breaks, so that it cannot control a terminal."""
    return "".join(
        letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in text
    )


def printable_name(name: str) -> str:
    """The name with control characters and line breaks escaped."""
    return name if name.isprintable() else printable(name).replace("\n", "\\n")


def markdown_cell(text: str) -> str:
    """The text as a cell of a table in Markdown, in one line."""
    return markdown_text(text.replace("\n", " "))


def markdown_text(text: str) -> str:
    """The text without control characters, elements of HTML, links, and the marks of Markdown inside of a
    line."""
    return re.sub(r"[|`*]|(?<=\])\(", r"\\\g<0>", printable(text)).replace("<", "&lt;")


def capitalised(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
