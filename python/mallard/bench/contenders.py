"""Contenders: allocators of other libraries that are compared with mallard's, and their libraries.

A contender is one strategy of the runner; a peer is its library. The runner describes both
(`mallard.bench.described`). The mallocs of a whole process (`mallard.shared.mallocs`) are peers, too. Their
strategies are new-delete and new-delete/base under each malloc; without a malloc's name they are the C
library's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from mallard.bench import described
from mallard.bench.library import KEEP
from mallard.bench.strategy_names import GLOBAL_STRATEGIES, WINK_MARK
from mallard.shared import mallocs

REALLOC = "realloc"  # the C library's; the runner does not list it with those that may be missing


@dataclass(frozen=True)
class Library:
    name: str  # the name in the authors' spelling
    word: str  # the word that selects its contenders
    package: str = ""  # Debian 12's
    header: str = ""  # below a folder of headers; empty: it comes with the compiler
    file: str = ""  # the beginning of a file to link with, if there must be one

    @property
    def by_prefix(self) -> bool:
        """True if `--with WORD=PREFIX` says where it is, for want of a package."""
        return bool(self.header) and not self.package

    @property
    def topic(self) -> str:
        """The topic of the doctor's finding. The library's malloc has a separate finding."""
        return f"{self.name}'s heaps" if self.name in mallocs.MALLOCS else self.name


@dataclass(frozen=True)
class Contender:
    name: str
    library: str
    heads: tuple[str, str]  # its column, below the library's name
    text: str

    @property
    def experiments(self) -> tuple[str, ...]:
        """The experiments that have the contender."""
        return tuple(name for name in described.EXPERIMENTS if self.name in described.names_in(name))

    @property
    def label(self) -> str:
        """The heads in one line."""
        first, second = self.heads
        return first[:-1] + second if first.endswith("-") else f"{first} {second}".strip()


def _contender(entry: dict[str, Any]) -> Contender:
    first, _, second = entry["column"].partition("\n")
    return Contender(entry["name"], entry.get("library", mallocs.OWN), (first, second), entry["title"])


def _contenders() -> dict[str, Contender]:
    """The contenders by name. One that can release everything at once has a second strategy with /wink."""
    contenders: dict[str, Contender] = {}
    for name, entry in described.STRATEGIES.items():
        if "library" not in entry and name != REALLOC:
            continue
        plain = contenders.get(name.removesuffix(WINK_MARK))
        contenders[name] = (
            replace(plain, name=name, heads=(plain.label, "wink"), text=f"{plain.text}, winked out")
            if plain
            else _contender(entry)
        )
    return contenders


LIBRARIES = {
    library.name: library
    for library in (*(Library(**entry) for entry in described.LIBRARIES), Library(mallocs.OWN, "libc"))
}
CONTENDERS = _contenders()
# Peers in the order of tables: the mallocs of a whole process, then the libraries.
PEERS = tuple(dict.fromkeys((*mallocs.NAMES, *LIBRARIES)))


def order_of_peer(peer: str) -> tuple[int, str]:
    """The sorting key of a peer. Mallocs given as files come last, by name."""
    return PEERS.index(peer) if peer in PEERS else len(PEERS), peer


# Strategies that are used by a library's containers, and need that library.
CONTAINER_LIBRARIES: dict[str, str] = {
    name: entry["container"]
    for name, entry in described.STRATEGIES.items()
    if entry.get("container", entry.get("library")) != entry.get("library")
}
# Word -> the contenders that it selects. The first word selects all.
GROUPS = {
    "peers": tuple(CONTENDERS),
    **{
        word: tuple(
            name for name, contender in CONTENDERS.items() if LIBRARIES[contender.library].word == word
        )
        for word in dict.fromkeys(library.word for library in LIBRARIES.values())
    },
}


def own_strategies(experiment: str) -> list[str]:
    """mallard's strategies of an experiment."""
    return [name for name in described.names_in(experiment) if name not in CONTENDERS]


def find_peer(strategy: str) -> str:
    """The peer that a strategy belongs to; empty for mallard's strategies, null and unknown names."""
    if strategy in CONTENDERS:
        return CONTENDERS[strategy].library
    plain, malloc = mallocs.split(strategy)
    is_global = plain in (*GLOBAL_STRATEGIES, KEEP)
    return (malloc or mallocs.OWN) if is_global else ""


def serves(strategy: str, block_bytes: int) -> bool:
    """True if a strategy is compiled for blocks of this size. Most serve all sizes."""
    largest = described.STRATEGIES.get(strategy, {}).get("largest_block")
    return largest is None or block_bytes <= int(largest)
