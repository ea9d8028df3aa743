"""Mutants of a C++ source: one comparison, constant, sign, + 1, logical operator or early return changed.

The formatting of clang-format is relied on: binary operators stand between blanks, brackets of templates and
references do not. Mutants of code that does not run either do not compile or change no program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Texts, and code for the compiler or, in contract checks, for callers that break the contract.
IGNORED = re.compile(
    r"""//[^\n]*|/\*.*?\*/
      | ^[ \t]*\#\s*if(?:def)?\s+(?:MALLARD_CHECKED|__clang__)\b.*?^[ \t]*\#\s*(?:else|endif)
      | ^[ \t]*\#(?:[^\n\\]|\\.)*
      | R"(?P<delimiter>[^ ()\\\n]*)\(.*?\)(?P=delimiter)"
      | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)+'(?!\d)
      | \b(?:static_assert|MALLARD_EXPECTS|asm)\b.*?;
      | \b(?:noexcept|alignas|sizeof|decltype|if\ constexpr\ )\((?:[^()]|\([^()]*\))*\)
      | ^[ \t]*(?:template|using|concept|friend|requires)\b[^\n]*
      | \[\[.*?\]\] | (?:\)|const|noexcept|override)\ =\ 0;""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
SWAPPED = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "&&": ("||",),
    "||": ("&&",),
    "!": ("",),
    "+": ("-",),
    "-": ("+",),
    "+=": ("-=",),
    "-=": ("+=",),
    "++": ("--",),
    "--": ("++",),
}
PLACE = re.compile(
    r"""(?<![\w.'])(?P<number>0[xX][0-9a-fA-F']+|\d[\d']*)(?P<suffix>[uUlLzZ]*)(?![\w.'])
      | (?<=\s)(?P<operator><=|>=|==|!=|&&|\|\||[-+<>])(?=\s) | (?P<unary>\+=|-=|\+\+|--|!(?!=))
      | (?P<one>\ [-+]\ 1[uUlLzZ]*)(?!\w)
      | (?<=\{)(?P<blanks>\s+)(?P<leave>(?:return|continue|break)\b[^;]*)(?=;\s*\})""",
    re.VERBOSE,
)
IF_BLOCK = re.compile(r"\bif \(.*\)(?: \0+)? \{$")


@dataclass(frozen=True)
class Mutant:
    """In `file`, the text `before` at `begin` becomes `after`."""

    file: str
    begin: int
    before: str
    after: str
    line: int
    line_before: str
    line_after: str

    @property
    def description(self) -> str:
        return f"{self.file}:{self.line}: {self.line_before}  ->  {self.line_after}"

    def applied(self, source: str) -> str:
        return source[: self.begin] + self.after + source[self.begin + len(self.before) :]


def find_mutants(file: str, source: str) -> list[Mutant]:
    """In the order of the source."""
    code = IGNORED.sub(lambda match: re.sub(r"[^\n]", "\0", match[0]), source)
    return [_mutant(file, source, *change) for change in sorted(_changes(code))]


def _changes(code: str) -> Iterator[tuple[int, int, str]]:
    """The begin and the end of a part of the code, and its replacement."""
    position = 0
    while match := PLACE.search(code, position):
        kind = str(match.lastgroup)
        position = match.start() + 1
        if kind == "suffix":
            position = match.end()
            for number in _nearby_numbers(match["number"].replace("'", "")):
                yield *match.span(), f"{number}{match['suffix']}"
        elif kind == "one":
            yield *match.span(), ""
        elif kind == "leave":
            if IF_BLOCK.search(code[code.rfind("\n", 0, match.start()) + 1 : match.start()]):
                yield *match.span("leave"), ""
        elif not code[: match.start()].endswith("operator"):
            position = match.end()
            for after in SWAPPED[match[0]]:
                yield *match.span(), after


def _nearby_numbers(digits: str) -> tuple[int, ...]:
    value = int(digits, 16 if digits[:2] in {"0x", "0X"} else 10)
    return (0, 2) if value == 1 else (value + 1,)


def _mutant(file: str, source: str, begin: int, end: int, after: str) -> Mutant:
    first, last = source.rfind("\n", 0, begin) + 1, source.find("\n", end) % (len(source) + 1)
    old, new = source[first:last], source[first:begin] + after + source[end:last]
    number = source.count("\n", 0, begin) + 1
    return Mutant(file, begin, source[begin:end], after, number, " ".join(old.split()), " ".join(new.split()))
