"""The tokens of C++ sources as far as mutants need them, and which of them are code that runs.

It relies on the formatting that clang-format gives the tree: binary operators stand between blanks, brackets
of templates and references do not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.)*)
      | (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^ ()\\\n]*)\(.*?\)(?P=delimiter)")
      | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")
      | (?P<character>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
      | (?P<number>(?:0[xX][0-9a-fA-F']+|\d[\d']*(?:\.\d*)?(?:[eE][-+]?\d+)?)[uUlLzZfF]*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<mark><=>|<<=|>>=|->\*|\.\.\.|::|->|\+\+|--|<<|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
NOT_COMPILED_BY_TESTS = re.compile(r"#\s*if(?:def)?\s+(?:MALLARD_CHECKED|__clang__)\b")
# Code behind these is for the compiler, or, in contract checks, for callers that break the contract.
UNTIL_CLOSED = {"static_assert", "MALLARD_EXPECTS", "noexcept", "alignas", "sizeof", "decltype", "asm"}
UNTIL_SEMICOLON = {"concept", "using", "friend"}
OPENING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Token:
    """`kind` is that of TOKEN's groups; `runs`: it belongs to code that runs, or to a constant of it."""

    kind: str
    text: str
    begin: int
    between_blanks: bool
    runs: bool = True


def read_tokens(source: str) -> list[Token]:
    """All tokens but comments; directives are included and do not run."""
    tokens: list[Token] = []
    for match in TOKEN.finditer(source):
        text, kind = match.group(), str(match.lastgroup)
        if kind == "comment" or text.isspace():
            continue
        previous, following = source[: match.start()][-1:], source[match.end() : match.end() + 1]
        between = (not previous or previous.isspace()) and (not following or following.isspace())
        tokens.append(Token(kind, text, match.start(), between))
    return mark_running_code(source, tokens)


def mark_running_code(source: str, tokens: list[Token]) -> list[Token]:
    idle = set[int]()
    for i, token in enumerate(tokens):
        following = tokens[i + 1].text if i + 1 < len(tokens) else ""
        if token.kind == "directive":
            idle.add(i)
            if NOT_COMPILED_BY_TESTS.match(token.text.strip()):
                idle |= set(range(i, end_of_branch(tokens, i)))
        elif (token.text in UNTIL_CLOSED and following == "(") or (
            token.text == "constexpr" and i and tokens[i - 1].text == "if"
        ):
            idle |= set(range(i, closing(tokens, i + 1)))
        elif token.text == "[" and following == "[":
            idle |= set(range(i, closing(tokens, i)))
        elif token.text == "template" and following == "<":
            idle |= set(range(i, end_of_template(tokens, i + 1)))
        elif token.text in UNTIL_SEMICOLON:
            idle |= set(range(i, next_semicolon(tokens, i)))
        elif token.text == "requires":
            idle |= set(range(i, end_of_requires(source, tokens, i)))
        elif (
            token.text == "="
            and following in {"0", "default", "delete"}
            and i
            and tokens[i - 1].text
            in {
                ")",
                "const",
                "noexcept",
                "override",
            }
        ):
            idle.add(i + 1)  # a pure virtual function
    return [Token(t.kind, t.text, t.begin, t.between_blanks, i not in idle) for i, t in enumerate(tokens)]


def closing(tokens: list[Token], opening: int) -> int:
    """The place behind the bracket that closes the one at `opening`."""
    depth = 0
    for i in range(opening, len(tokens)):
        if tokens[i].kind == "mark":
            depth += (tokens[i].text in OPENING) - (tokens[i].text in OPENING.values())
            if depth == 0:
                return i + 1
    return len(tokens)


def end_of_template(tokens: list[Token], opening: int) -> int:
    depth = 0
    for i in range(opening, len(tokens)):
        if not tokens[i].between_blanks or i == opening:
            depth += (tokens[i].text == "<") - (tokens[i].text == ">")
        if depth == 0:
            return i + 1
    return len(tokens)


def next_semicolon(tokens: list[Token], start: int) -> int:
    """The next one that is in no brackets: those of a concept hold some."""
    depth = 0
    for i in range(start, len(tokens)):
        depth += (tokens[i].text in OPENING) - (tokens[i].text in OPENING.values())
        if depth <= 0 and tokens[i].text in {";", "}"}:
            return i + 1
    return len(tokens)


def end_of_requires(source: str, tokens: list[Token], start: int) -> int:
    """A clause or an expression ends with its line, unless a bracket is open or an operator ends the line."""
    depth = 0
    for i in range(start, len(tokens) - 1):
        depth += (tokens[i].text in OPENING) - (tokens[i].text in OPENING.values())
        line_ends = "\n" in source[tokens[i].begin + len(tokens[i].text) : tokens[i + 1].begin]
        if depth < 0 or (depth == 0 and line_ends and tokens[i].text not in {"&&", "||", "="}):
            return i + 1
    return len(tokens)


def end_of_branch(tokens: list[Token], start: int) -> int:
    """The #else, #elif or #endif of the #if at `start`."""
    depth = 0
    for i in range(start, len(tokens)):
        if tokens[i].kind != "directive":
            continue
        word = tokens[i].text.strip().lstrip("#").strip()
        depth += word.startswith("if")
        if depth == 1 and word.startswith(("else", "elif")):
            return i
        depth -= word.startswith("endif")
        if depth == 0:
            return i
    return len(tokens)
