"""The tokens, blocks and statements of a C++ file, as far as a patch needs them.

No parser: what is not plain (macros that hide braces, conditional compilation inside a function) is not
recognised, and the caller writes no patch. Comments, and the contents of literals, are not tokens.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

LEXEMES = re.compile(
    r"""(?P<directive>^[ \t]*\#(?:\\\r?\n|/\*.*?\*/|[^\n])*)
    |(?P<skipped>[^\S\n]+|\n|//(?:\\\r?\n|[^\n])*|/\*.*?\*/|\\\r?\n)
    |(?P<literal>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"
                |(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
    |(?P<number>0[xX](?:'?[\w.]|(?<=[pP])[+-])*|\.?\d(?:'?[\w.]|(?<=[eE])[+-])*)
    |(?P<name>[^\W\d]\w*)
    |(?P<operator>::|->|\+=|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
PAIRS = {"{": "}", "(": ")", "[": "]"}
LOOPS = ("for", "while", "do")
CONDITIONS = ("for", "while", "if", "switch", "catch")
LITERAL = '""'
IS_NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Token:
    text: str  # of a literal, two quotes; of a directive, #
    begin: int
    end: int


@dataclass(frozen=True)
class Statement:
    """Tokens of a block, without those around: `first` is its first, `last` its last."""

    first: int
    last: int


class CppText:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(_tokens(text))
        self.mates = _mates(self.tokens)

    @cached_property
    def _line_begins(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def position(self, at: int) -> tuple[int, int]:
        """Line and column, both from 1."""
        line = bisect_left(self._line_begins, at + 1)
        return line, at - self._line_begins[line - 1] + 1

    def on_line(self, line: int) -> range:
        """The tokens that begin on the line."""
        begins = [*self._line_begins, len(self.text) + 1]
        if not 1 <= line < len(begins):
            return range(0)
        starts = [token.begin for token in self.tokens]
        return range(bisect_left(starts, begins[line - 1]), bisect_left(starts, begins[line]))

    def words(self, first: int, last: int) -> list[str]:
        """The tokens from the first to the last."""
        return [token.text for token in self.tokens[first : last + 1]]

    def enclosing_blocks(self, at: int) -> Iterator[int]:
        """The opening braces around a token, the innermost first."""
        opening = self._opening(at)
        while opening is not None:
            if self.tokens[opening].text == "{":
                yield opening
            opening = self._opening(opening)

    def _opening(self, at: int) -> int | None:
        """The bracket that is open at a token."""
        place = at - 1
        while place >= 0:
            mate = self.mates.get(place)
            if mate is None or mate > place:
                if self.tokens[place].text in PAIRS:
                    return place
                place -= 1
            else:
                place = mate - 1
        return None

    def control(self, opening: int) -> str:
        """The keyword of the statement whose body begins with this brace; `{` for a plain block; empty for
        everything else, such as a function, a class, a lambda or an initializer.
        """
        before = self.tokens[opening - 1].text if opening else ""
        if before in ("else", "do", "try"):
            return before
        if before in (";", "{", "}"):
            return "{"
        keyword = self._before_parentheses(opening - 1)
        return keyword if keyword in CONDITIONS else ""

    def loop_keyword(self, opening: int) -> int:
        """The token that begins the loop with this brace."""
        return opening - 1 if self.control(opening) == "do" else self.mates[opening - 1] - 1

    def _before_parentheses(self, closing: int) -> str:
        """The word before a pair of parentheses; empty without them."""
        opening = self.mates.get(closing)
        if opening is None or opening == 0 or self.tokens[closing].text != ")":
            return ""
        word = self.tokens[opening - 1].text
        is_constexpr = word == "constexpr" and self.tokens[opening - 2].text == "if"
        return "if" if is_constexpr else word

    def is_function(self, opening: int) -> bool:
        """True of a brace behind `NAME(...)`, with qualifiers."""
        place = opening - 1
        while place > 0 and self.tokens[place].text in ("const", "noexcept", "override", "final"):
            place -= 1
        name = self._before_parentheses(place)
        return bool(IS_NAME.fullmatch(name)) and name not in CONDITIONS and not self.control(opening)

    def statements(self, opening: int) -> Iterator[Statement]:
        """Those directly in a block. One whose end is not plain includes the next."""
        closing = self.mates.get(opening)
        if closing is None:
            return
        first = place = opening + 1
        while place < closing:
            word = self.tokens[place].text
            mate = self.mates.get(place)
            if word in PAIRS:
                if mate is None:
                    return
                ends = word == "{" and self._ends_statement(place, mate, closing)
                place = mate
            else:
                ends = word == ";"
            if ends:
                yield Statement(first, place)
                first = place + 1
            place += 1

    def _ends_statement(self, opening: int, closing: int, end: int) -> bool:
        control = self.control(opening)
        behind = self.tokens[closing + 1].text if closing + 1 < end else ""
        return control not in ("", "do") and behind not in ("else", "catch")


def _tokens(text: str) -> Iterator[Token]:
    for match in LEXEMES.finditer(text):
        kind = match.lastgroup or ""
        if kind != "skipped":
            word = {"literal": LITERAL, "directive": "#"}.get(kind, match[0])
            yield Token(word, match.start(), match.end())


def _mates(tokens: Sequence[Token]) -> dict[int, int]:
    """The place of the bracket that belongs to each one. Brackets that do not match have none."""
    mates: dict[int, int] = {}
    open_: list[int] = []
    for place, token in enumerate(tokens):
        if token.text in PAIRS:
            open_.append(place)
        elif token.text in PAIRS.values():
            while open_ and PAIRS[tokens[open_[-1]].text] != token.text:
                open_.pop()
            if open_:
                mates[place] = open_[-1]
                mates[open_.pop()] = place
    return mates
