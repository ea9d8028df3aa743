"""Mutants of a C++ source: one comparison, constant, sign, + 1, logical operator or early return changed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from dev.mutation.cpp_tokens import Token, read_tokens

SWAPPED = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "&&": ("||",),
    "||": ("&&",),
    "+": ("-",),
    "-": ("+",),
}
KINDS = {
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), "comparison"),
    **dict.fromkeys(("&&", "||"), "logic"),
    **dict.fromkeys(("+", "-", "+=", "-=", "++", "--"), "sign"),
}
SWAPPED_ANYWHERE = {"+=": "-=", "-=": "+=", "++": "--", "--": "++"}
INTEGER = re.compile(r"(?P<digits>0[xX][0-9a-fA-F']+|\d[\d']*)(?P<suffix>[uUlLzZ]*)")
LEAVES = ("return", "continue", "break")


@dataclass(frozen=True)
class Mutant:
    """In `file`, the text `before` at `begin` becomes `after`."""

    file: str
    begin: int
    before: str
    after: str
    kind: str
    line: int
    line_before: str
    line_after: str

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def change(self) -> str:
        return f"{self.line_before}  ->  {self.line_after}"

    def applied(self, source: str) -> str:
        return source[: self.begin] + self.after + source[self.begin + len(self.before) :]

    def locate(self, source: str) -> Mutant | None:
        """The change at the current place of its line, the nearest of several; None if the line is gone."""
        candidates = [
            mutant
            for mutant in find_mutants(self.file, source)
            if (mutant.line_before, mutant.line_after) == (self.line_before, self.line_after)
        ]
        return min(candidates, key=lambda mutant: abs(mutant.begin - self.begin), default=None)

    def key(self, source: str) -> str:
        """The same for the same change of the same file, whenever it is drawn."""
        return hashlib.sha256(f"{self.file}\0{self.applied(source)}".encode()).hexdigest()[:24]


def find_mutants(file: str, source: str) -> list[Mutant]:
    """In the order of the source."""
    tokens = read_tokens(source)
    mutants: list[Mutant] = []
    for i, token in enumerate(tokens):
        if token.runs:
            for begin, before, after, kind in changes(source, tokens, i):
                mutants.append(mutant(file, source, begin, before, after, kind))
    return mutants


def mutant(file: str, source: str, begin: int, before: str, after: str, kind: str) -> Mutant:
    first = source.rfind("\n", 0, begin) + 1
    last = source.find("\n", begin + len(before))
    last = len(source) if last < 0 else last
    old = source[first:last]
    new = source[first:begin] + after + source[begin + len(before) : last]
    number = source.count("\n", 0, begin) + 1
    return Mutant(file, begin, before, after, kind, number, " ".join(old.split()), " ".join(new.split()))


def changes(source: str, tokens: list[Token], i: int) -> Iterator[tuple[int, str, str, str]]:
    """begin, before, after, kind of each change that is made at the i-th token."""
    token = tokens[i]
    following = tokens[i + 1] if i + 1 < len(tokens) else None
    previous = tokens[i - 1].text if i else ""
    if token.kind == "number":
        for text in nearby_numbers(token.text):
            yield token.begin, token.text, text, "constant"
    elif token.text in SWAPPED and token.between_blanks and previous != "operator":
        for text in SWAPPED[token.text]:
            yield token.begin, token.text, text, KINDS[token.text]
        if token.text in "+-" and following and re.fullmatch("1[uUlLzZ]*", following.text):
            end = following.begin + len(following.text)
            begin = token.begin - (source[token.begin - 1] == " ")
            yield begin, source[begin:end], "", "one"
    elif token.text in SWAPPED_ANYWHERE and previous != "operator":
        yield token.begin, token.text, SWAPPED_ANYWHERE[token.text], KINDS[token.text]
    elif token.text == "!" and previous != "operator":
        yield token.begin, token.text, "", "negation"
    elif token.text in LEAVES and leaves_early(tokens, i):
        end = end_of_statement(tokens, i)
        yield token.begin, source[token.begin : end - 1], "", "early return"


def nearby_numbers(text: str) -> list[str]:
    match = INTEGER.fullmatch(text)
    if match is None:
        return []
    digits, suffix = match["digits"].replace("'", ""), match["suffix"]
    value = int(digits, 16 if digits[:2] in {"0x", "0X"} else 10)
    if value == 1:
        return [f"0{suffix}", f"2{suffix}"]
    return [f"{value + 1}{suffix}"]


def leaves_early(tokens: list[Token], i: int) -> bool:
    """Whether it stands in a block of an `if`."""
    depth = 0
    for j in range(i - 1, -1, -1):
        text = tokens[j].text
        depth += (text == "}") - (text == "{")
        if depth < 0:
            return opened_by_if(tokens, j)
    return False


def opened_by_if(tokens: list[Token], brace: int) -> bool:
    """Whether the block that begins at `brace` is that of an if, attributes like [[likely]] aside."""
    j = brace - 1
    if tokens[j].text == tokens[j - 1].text == "]":
        while tokens[j].text != "[" or tokens[j - 1].text != "[":
            j -= 1
        j -= 2
    if tokens[j].text != ")":
        return False
    depth = 0
    while j >= 0:
        depth += (tokens[j].text == ")") - (tokens[j].text == "(")
        if depth == 0:
            return j > 0 and tokens[j - 1].text == "if"
        j -= 1
    return False


def end_of_statement(tokens: list[Token], i: int) -> int:
    """Behind its semicolon, in the source."""
    depth = 0
    for token in tokens[i:]:
        depth += (token.text in "([{") - (token.text in ")]}")
        if depth == 0 and token.text == ";":
            return token.begin + 1
    raise ValueError("a statement without an end")
