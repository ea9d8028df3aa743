"""A checked build knows each block: a member that hands one out or takes one has a namesake in the registry.

A mechanism's class derives from the registry in a checked build (impl/checking/by_default.hpp). A member that
the registry does not redeclare would be inherited from the mechanism, and its blocks would be unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

INCLUDE = Path(__file__).resolve().parents[2] / "include" / "mallard"
# The public members of all mechanisms; heaps share those of heap_calls.
MECHANISMS = (*sorted((INCLUDE / "local").glob("*.hpp")), INCLUDE / "impl/space/heap_calls.hpp")
REGISTRY = tuple(INCLUDE / "impl/checking" / name for name in ("checked_calls.hpp", "checked_expansion.hpp"))
# A region_heap has no registry. An arena gives rooms to a pool, not blocks to a caller.
# Declarations have no members.
WITHOUT = ("region_heap.hpp", "arenas.hpp", "fwd.hpp")
WITHOUT_OWN = ("heap.hpp",)  # all members with blocks are those of heap_calls
HANDED_OUT = {"void*", "sized_block", "block_chain", "expansion_result"}
TAKEN = {"void*", "block_chain&&", "block_chain"}

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\[\[[^\]]*\]\]", re.DOTALL)  # attributes too
CLASS = re.compile(r"\b(?:class|struct)\s+(\w+)[^;{}()]*$")
ACCESS = re.compile(r"\b(public|protected|private)\s*:(?!:)")
FUNCTION = re.compile(
    r"(?P<returned>[\w:]+[*&]?)\s+(?P<name>\w+)\((?P<parameters>[^()]*(?:\([^()]*\)[^()]*)*)\)", re.DOTALL
)
Member = tuple[str, tuple[str, ...]]  # its name and the types of its parameters


def public_statements(text: str) -> Iterator[str]:
    """The heads of the declarations in the public parts of all classes."""
    text = ACCESS.sub(lambda match: f"{match[1]}:;", COMMENT.sub("", text))
    stack: list[str] = []  # for each open brace: the access of a class, or empty
    head = ""
    for mark in re.findall(r"[^;{}]+|[;{}]", text):
        if mark == "{":
            opened = CLASS.search(head)
            if stack and stack[-1] == "public" and not opened:
                yield head
            stack.append(("public" if "struct" in head else "private") if opened else "")
            head = ""
        elif mark == "}":
            stack.pop()
            head = ""
        elif mark == ";":
            access = re.fullmatch(r"\s*(public|protected|private):\s*", head)
            if access and stack:
                stack[-1] = access[1]
            elif stack and stack[-1] == "public":
                yield head
            head = ""
        else:
            head += mark


def parameter_types(parameters: str) -> tuple[str, ...]:
    """The types, without names and defaults."""
    every = [part.partition("=")[0].strip() for part in re.split(r",(?![^<]*>)", parameters) if part.strip()]
    return tuple(re.sub(r"\s*\b(?!const\b)\w+$", "", part) if " " in part else part for part in every)


def members_with_blocks(text: str) -> set[Member]:
    members = set()
    for head in public_statements(text):
        for match in FUNCTION.finditer(head.partition(" requires ")[0]):
            types = parameter_types(match["parameters"])
            if match["returned"] in HANDED_OUT or any(type_name in TAKEN for type_name in types):
                members.add((match["name"], types))
            break
    return members


def declared(files: tuple[Path, ...]) -> set[Member]:
    return {member for file in files for member in members_with_blocks(file.read_text(encoding="utf-8"))}


@pytest.mark.parametrize(
    "file", [file for file in MECHANISMS if file.name not in WITHOUT], ids=lambda file: file.name
)
def test_the_registry_redeclares_members_with_blocks(file: Path) -> None:
    members = members_with_blocks(file.read_text(encoding="utf-8"))
    assert bool(members) != (file.name in WITHOUT_OWN), "no member was found"
    assert members <= declared(REGISTRY), (
        "redeclare it in impl/checking/checked_calls.hpp or checked_expansion.hpp"
    )


@pytest.mark.parametrize(
    "added",
    [
        "[[nodiscard]] void* allocate_zeroed(std::size_t bytes) { return nullptr; }",
        "sized_block take_largest() noexcept;",
        "void give_away(void* p) noexcept { lose(p); }",
        "void deallocate(void* p, std::size_t bytes) noexcept;",
        "void splice(block_chain&& blocks) noexcept;",
    ],
)
def test_detects_a_member_that_bypasses_the_registry(added: str) -> None:
    (multipool,) = (file for file in MECHANISMS if file.name == "multipool.hpp")
    text = multipool.read_text(encoding="utf-8")
    begin = text.index("public:") + len("public:")
    assert members_with_blocks(f"{text[:begin]}\n{added}\n{text[begin:]}") - declared(REGISTRY)
    assert not members_with_blocks(text) - declared(REGISTRY)
