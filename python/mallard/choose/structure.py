"""A C++ type as somebody writes it -> the nearest of the twelve measured structures (P0089 section 7).

A type is read as a tree of names and arguments. What counts is how blocks come about: a contiguous container
has one block for all elements, a node-based one a block for each; a text has a block of its own length; any
other value has none. Containers more than two deep count as two deep.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mallard.errors import UsageError
from mallard.papers.catalogue import structures

CONTIGUOUS = "vector"
NODES = "unordered_set"
VALUE = "int"
TEXT = "string"

_CONTIGUOUS_NAMES = {
    *("vector", "array", "deque", "stack", "queue", "priority_queue", "span"),
    *("inplace_vector", "static_vector", "small_vector", "flat_set", "flat_map"),
}
_TEXT_NAMES = {"string", "wstring", "u8string", "u16string", "u32string", "basic_string"}
_VALUE_NAMES = {
    *("bool", "char", "byte", "short", "int", "unsigned", "long", "float", "double", "size_t", "ptrdiff_t"),
    *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}
_TRANSPARENT = {"pair", "tuple", "optional", "variant"}  # no block of their own: their parts count
_PARTS_OF_ELEMENT = {"map": 2, "multimap": 2, "unordered_map": 2, "unordered_multimap": 2, "flat_map": 2}
_IGNORED = re.compile(r"\b(?:std|pmr)::|\b(?:const|signed)\b|[&*\s]+")
_TOKEN = re.compile(r"[\w:]+|[<>,]")


@dataclass(frozen=True)
class Type:
    name: str
    arguments: tuple[Type, ...] = ()


@dataclass(frozen=True)
class Match:
    """`asked` is what was written; `name` and `type` are the measured structure that stands for it."""

    asked: str
    name: str
    type: str
    exact: bool

    @property
    def one_block(self) -> bool:
        """One allocation, however many elements: such a structure can neither be dense nor be scattered."""
        return self.type == f"{CONTIGUOUS}<{VALUE}>"

    @property
    def sizes_vary(self) -> bool:
        return TEXT in self.type


def nearest_structure(text: str, sizes_vary: bool = False) -> Match:
    """`sizes_vary` stands for what the name of an element's type does not tell.

    Throws: UsageError if the text is no type."""
    known = {each.type: name for name, each in structures().items()}
    if text.upper() in structures():
        return Match(text, text.upper(), structures()[text.upper()].type, exact=True)
    plain = _IGNORED.sub("", text)
    if plain in known:
        return Match(text, known[plain], plain, exact=True)
    type_ = _parsed(text)
    found = _container(type_, sizes_vary, deepest=2)
    if found in (VALUE, TEXT):
        # A text, or a class of which nothing is known but that it allocates.
        kind = CONTIGUOUS if type_.name in _TEXT_NAMES | _VALUE_NAMES | _TRANSPARENT else NODES
        found = f"{kind}<{found}>"
    return Match(text, known[found], found, exact=False)


def _container(type_: Type, sizes_vary: bool, deepest: int) -> str:
    """`int`, `string`, or a container of one of the two kinds, in the spelling of the catalogue."""
    if type_.name in _TEXT_NAMES:
        return TEXT
    if not type_.arguments:
        return TEXT if sizes_vary and type_.name not in _VALUE_NAMES else VALUE
    count = len(type_.arguments) if type_.name in _TRANSPARENT else _PARTS_OF_ELEMENT.get(type_.name, 1)
    here = deepest - (type_.name not in _TRANSPARENT)
    parts = [_container(part, sizes_vary, max(here, 0)) for part in type_.arguments[:count]]
    element = max(parts, key=lambda part: ("<" in part, TEXT in part))
    if type_.name in _TRANSPARENT:
        return element
    if deepest == 0:
        return TEXT if TEXT in element else VALUE
    kind = CONTIGUOUS if type_.name in _CONTIGUOUS_NAMES else NODES
    return f"{kind}<{element}>"


def _parsed(text: str) -> Type:
    tokens = _TOKEN.findall(_IGNORED.sub(" ", text))
    rest = _IGNORED.sub("", _TOKEN.sub("", text))
    try:
        if rest:
            raise IndexError
        type_, end = _type_at(tokens, 0)
        if end != len(tokens):
            raise IndexError
    except IndexError:
        allowed = ", ".join(each.type for each in structures().values())
        raise UsageError(
            f"--structure {text!r} is no C++ type; give one such as {allowed}, or DS1 to DS12"
        ) from None
    return type_


def _type_at(tokens: list[str], at: int) -> tuple[Type, int]:
    """The type that begins at a token, and where it ends; IndexError where there is none."""
    words = []
    while at < len(tokens) and tokens[at] not in "<>,":
        words.append(tokens[at])
        at += 1
    if not words:
        raise IndexError
    name = words[-1].rpartition("::")[2]
    if at == len(tokens) or tokens[at] != "<":
        return Type(name), at
    arguments = []
    while tokens[at] != ">":
        argument, at = _type_at(tokens, at + 1)
        arguments.append(argument)
        if tokens[at] not in ",>":
            raise IndexError
    return Type(name, tuple(arguments)), at + 1
