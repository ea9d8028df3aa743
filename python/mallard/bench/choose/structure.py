"""Finds the nearest of the twelve measured structures for a C++ type (P0089 section 7).

A type is parsed as a tree of names and arguments. Its blocks decide: a contiguous container has one block for
all elements, a node-based container has a block for each. A string has a block; any other value has none.
Containers nested more than two deep count as two deep. A user-defined class, which needs a namespace, counts
as node-based, and a note reports the guess.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mallard.bench.papers.catalogue import structures
from mallard.shared.errors import UsageError
from mallard.shared.prose import did_you_mean

CONTIGUOUS = "vector"
NODES = "unordered_set"
VALUE = "int"
TEXT = "string"

_CONTIGUOUS_NAMES = {
    *("vector", "array", "deque", "stack", "queue", "priority_queue", "span"),
    *("inplace_vector", "static_vector", "small_vector", "flat_set", "flat_map"),
}
_NODE_NAMES = {
    *("list", "forward_list", "set", "multiset", "map", "multimap", "unique_ptr", "shared_ptr"),
    *("unordered_set", "unordered_multiset", "unordered_map", "unordered_multimap"),
}
_TEXT_NAMES = {"string", "wstring", "u8string", "u16string", "u32string", "basic_string"}
_VALUE_NAMES = {
    *("bool", "char", "byte", "short", "int", "unsigned", "long", "float", "double", "size_t", "ptrdiff_t"),
    *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}
_TRANSPARENT = {"pair", "tuple", "optional", "variant"}  # no block of their own: their parts count
_CONTAINERS = _CONTIGUOUS_NAMES | _NODE_NAMES
_KNOWN = _CONTAINERS | _TEXT_NAMES | _VALUE_NAMES | _TRANSPARENT
_PARTS_OF_ELEMENT = {"map": 2, "multimap": 2, "unordered_map": 2, "unordered_multimap": 2, "flat_map": 2}
_IGNORED = re.compile(r"\b(?:std|pmr)::|\b(?:const|signed)\b|[&*\s]+")
_TOKEN = re.compile(r"[\w:]+|[<>,]")
ALLOWED = (
    "containers of the standard library with their elements, such as vector<int> or map<int,string>, DS1 to "
    "DS12, and a class of your own with its namespace, such as app::tree"
)


@dataclass(frozen=True)
class Type:
    written: str  # with its namespace, unless that is std
    arguments: tuple[Type, ...] = ()

    @property
    def name(self) -> str:
        return self.written.rpartition("::")[2]

    @property
    def parts(self) -> tuple[Type, ...]:
        """The arguments that an element consists of, without comparison, hash or allocator."""
        count = len(self.arguments) if self.name in _TRANSPARENT else _PARTS_OF_ELEMENT.get(self.name, 1)
        return self.arguments[:count]


@dataclass(frozen=True)
class Match:
    """`requested` is the user's text; `name` and `type` are those of the measured structure that represents
    it. `guesses` has a sentence for each unknown name.
    """

    requested: str
    name: str
    type: str
    exact: bool
    guesses: tuple[str, ...] = ()

    @property
    def one_block(self) -> bool:
        """True for a structure with one allocation for any number of elements, which is neither dense nor
        scattered.
        """
        return self.type == f"{CONTIGUOUS}<{VALUE}>"

    @property
    def sizes_vary(self) -> bool:
        return TEXT in self.type


def nearest_structure(text: str, sizes_vary: bool = False) -> Match:
    """The measured structure for `text`. `sizes_vary` applies to elements of unknown types.

    Throws: UsageError if the text is not a type, or its name is unknown and has no namespace.
    """
    names = {structure.type: name for name, structure in structures().items()}
    if text.upper() in structures():
        return Match(text, text.upper(), structures()[text.upper()].type, exact=True)
    normalized = _IGNORED.sub("", text)
    if normalized in names:
        return Match(text, names[normalized], normalized, exact=True)
    type_ = _parse(text)
    _refuse_unknown(text, type_)
    type_name = _container(type_, sizes_vary, deepest=2)
    if type_name in (VALUE, TEXT):
        # A string, or an unknown class.
        kind = CONTIGUOUS if type_.name in _TEXT_NAMES | _VALUE_NAMES | _TRANSPARENT else NODES
        type_name = f"{kind}<{type_name}>"
    return Match(
        text, names[type_name], type_name, exact=False, guesses=tuple(_describe_guesses(type_, sizes_vary))
    )


def _refuse_unknown(text: str, type_: Type) -> None:
    if type_.name not in _KNOWN and "::" not in type_.written:
        raise UsageError(
            f"--structure '{text}': {type_.name} is unknown{did_you_mean(type_.name, sorted(_KNOWN))}; "
            f"allowed are {ALLOWED}"
        )
    _refuse_empty(text, type_)


def _refuse_empty(text: str, type_: Type) -> None:
    if type_.name in _CONTAINERS and not type_.arguments:
        name = type_.name
        raise UsageError(
            f"--structure '{text}': {name} lacks its element type; write {name}<int> or {name}<string>"
        )
    for part in type_.parts:
        _refuse_empty(text, part)


def _describe_guesses(type_: Type, sizes_vary: bool, inside: bool = False) -> list[str]:
    guesses = []
    if type_.name not in _KNOWN:
        value = "a string, which has a block" if sizes_vary else "a value without a block"
        assumption = value if inside and not type_.arguments else "a container with a block for each element"
        guesses.append(f"{type_.written} is unknown; it is treated as {assumption}")
    return guesses + [
        guess for part in type_.parts for guess in _describe_guesses(part, sizes_vary, inside=True)
    ]


def _container(type_: Type, sizes_vary: bool, deepest: int) -> str:
    """`int`, `string`, or a container of one of the two kinds, in the catalogue's spelling."""
    if type_.name in _TEXT_NAMES:
        return TEXT
    if not type_.arguments:
        return TEXT if sizes_vary and type_.name not in _VALUE_NAMES else VALUE
    depth = deepest - (type_.name not in _TRANSPARENT)
    parts = [_container(part, sizes_vary, max(depth, 0)) for part in type_.parts]
    element = max(parts, key=lambda part: ("<" in part, TEXT in part))
    if type_.name in _TRANSPARENT:
        return element
    if deepest == 0:
        return TEXT if TEXT in element else VALUE
    kind = CONTIGUOUS if type_.name in _CONTIGUOUS_NAMES else NODES
    return f"{kind}<{element}>"


def _parse(text: str) -> Type:
    tokens = _TOKEN.findall(_IGNORED.sub(" ", text))
    unparsed = _IGNORED.sub("", _TOKEN.sub("", text))
    try:
        if unparsed:
            raise IndexError
        type_, end = _type_at(tokens, 0)
        if end != len(tokens):
            raise IndexError
    except IndexError:
        raise UsageError(f"--structure '{text}' is not a C++ type; allowed are {ALLOWED}") from None
    return type_


def _type_at(tokens: list[str], index: int) -> tuple[Type, int]:
    """Parses the type at a token. Returns the type and the next index, or raises IndexError."""
    words = []
    while index < len(tokens) and tokens[index] not in "<>,":
        words.append(tokens[index])
        index += 1
    if not words:
        raise IndexError
    written = words[-1]
    if index == len(tokens) or tokens[index] != "<":
        return Type(written), index
    arguments = []
    while tokens[index] != ">":
        argument, index = _type_at(tokens, index + 1)
        arguments.append(argument)
        if tokens[index] not in ",>":
            raise IndexError
    return Type(written, tuple(arguments)), index + 1
