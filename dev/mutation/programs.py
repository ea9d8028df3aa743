"""The programs that judge a mutant of a file: random operations, its unit tests, those of its users."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dev.package.tree import library_sources

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
OWN = re.compile(r"^\s*#\s*include\s*<(mallard/[^>]+)>", re.MULTILINE)
PRIVATE = re.compile(r"^\s*#\s*include\s*\"([^\"]+)\"", re.MULTILINE)

# The kinds of random_program.cpp, and the headers that they are about: the first whose headers include
# the mutated one is the program for it.
KINDS = {
    "UPSTREAM": (
        "upstream/chunk_cache.hpp",
        "upstream/pages.hpp",
        "upstream/new_delete.hpp",
        "upstream/buffer.hpp",
    ),
    "MONOTONIC": ("local/monotonic.hpp",),
    "MULTIPOOL": ("local/multipool.hpp",),
    "FIXED_POOL": ("local/fixed_pool.hpp",),
    "SMALL_OBJECT_POOL": ("local/small_object_pool.hpp",),
    "ADAPTIVE_POOL": ("local/adaptive_pool.hpp",),
    "HEAP": ("local/heap.hpp", "local/region_heap.hpp"),
    "CONCURRENT_MULTIPOOL": ("local/concurrent_multipool.hpp",),
    "CONCURRENT_MONOTONIC": ("local/concurrent_monotonic.hpp",),
    "ADAPTOR": (
        *("adapt/checked.hpp", "adapt/counted.hpp", "adapt/failing.hpp", "adapt/limited.hpp"),
        *("adapt/retrying.hpp", "adapt/sealed.hpp", "adapt/synchronized.hpp"),
    ),
    "BINDING": (
        *("bind/allocator.hpp", "bind/expandable_allocator.hpp", "bind/resource.hpp"),
        "bind/static_allocator.hpp",
    ),
}
# All mechanisms that are checked by default include these, which do nothing there.
ONLY_CHECKED = re.compile(r"mallard/(impl/)?checking/\w+\.hpp$")

# A survivor has to be compiled with each of them.
MOST_USER_TESTS = 4


@dataclass(frozen=True)
class Program:
    name: str
    source: Path
    options: tuple[str, ...] = ()
    is_unit_test: bool = False


@cache
def own_includes(file: Path) -> tuple[Path, ...]:
    """Public headers by their paths, private ones by those next to the file."""
    text = file.read_text(encoding="utf-8")
    return (
        *(INCLUDE / name for name in OWN.findall(text)),
        *((file.parent / name).resolve() for name in PRIVATE.findall(text)),
    )


@cache
def all_includes(file: Path) -> frozenset[Path]:
    """Those of this project, with their own."""
    headers: set[Path] = set()
    pending = [*own_includes(file)]
    while pending:
        header = pending.pop()
        if header not in headers and header.exists():
            headers.add(header)
            pending += own_includes(header)
    return frozenset(headers)


def find_header(file: Path) -> Path | None:
    """src/mallard/upstream/pages.cpp -> include/mallard/upstream/pages.hpp; a header itself."""
    if file.is_relative_to(INCLUDE):
        return file
    header = INCLUDE / file.relative_to(ROOT / "src").with_suffix(".hpp")
    return header if header.is_file() else None


def find_headers(file: Path) -> list[Path]:
    """The public headers that a file belongs to. block_zones.cpp is a part of block_registry.hpp, which it
    includes and whose name begins with the same word, and pages_inspect.cpp of pages.hpp in another folder.
    """
    header = find_header(file)
    if header is not None:
        return [header]
    word = file.stem.partition("_")[0]
    headers = [header for header in sorted(all_includes(file)) if f"{header.stem}_".startswith(f"{word}_")]
    headers = [header for header in headers if header.is_relative_to(INCLUDE)]
    folder = INCLUDE / file.parent.relative_to(ROOT / "src")
    near = [header for header in headers if header.parent == folder]
    return near if near or find_users(file) else headers


def find_unit_tests(file: Path) -> list[Path]:
    """space/heap_block.hpp -> tests/unit/impl/space/heap_block_test.cpp, and those whose names begin so. Of a
    private file, also those of its users.
    """
    if find_header(file) is None:
        folder = ROOT / "tests" / "unit" / file.parent.relative_to(ROOT / "src" / "mallard")
        own = folder.glob(f"{file.stem}_test.cpp")
        parents = [*find_headers(file), *find_users(file)]
        return sorted({*own, *(test for parent in parents for test in find_unit_tests(parent))})
    header = find_headers(file)[0]
    folder = ROOT / "tests" / "unit" / header.parent.relative_to(INCLUDE / "mallard")
    longer = {h.stem for h in header.parent.glob(f"{header.stem}_*.hpp")}
    tests = sorted(folder.glob(f"{header.stem}_*test.cpp"))
    return [test for test in tests if not any(test.stem.startswith(f"{stem}_") for stem in longer)]


def find_users(file: Path) -> list[Path]:
    """Of a private header, or of the source that it belongs to: the other sources that include it. The header
    of memory_posix.cpp is memory.hpp.
    """
    header = file.with_suffix(".hpp")
    if not header.is_file():
        header = file.with_name(f"{file.stem.partition('_')[0]}.hpp")
    return [
        source for source in compiled_sources() if source.stem != file.stem and header in own_includes(source)
    ]


@cache
def compiled_sources() -> tuple[Path, ...]:
    """Those of the library, without the parts for other systems."""
    return tuple(sorted(ROOT / name for name in library_sources(ROOT)))


def find_kinds(file: Path) -> str:
    header = find_header(file)
    if header is None:
        found = [find_kinds(parent) for parent in [*find_headers(file), *find_users(file)]]
        return min(found, key=list(KINDS).index, default="ADAPTOR")
    if ONLY_CHECKED.search(str(header)):
        return "ADAPTOR"
    for kinds, heads in KINDS.items():
        if header in {INCLUDE / "mallard" / head for head in heads}:
            return kinds
    for kinds, heads in KINDS.items():
        if any(header in all_includes(INCLUDE / "mallard" / head) for head in heads):
            return kinds
    return "ADAPTOR"


def find_programs(file: Path) -> list[Program]:
    """The cheapest first."""
    kinds = find_kinds(file)
    random = Program(
        f"random operations ({kinds.lower()})",
        ROOT / "dev/mutation/random_program.cpp",
        (f"-DKINDS_OF_{kinds}",),
    )
    own = sorted(find_unit_tests(file), key=file_bytes)
    of_users = sorted(find_user_tests(file) - set(own), key=file_bytes)[:MOST_USER_TESTS]
    return [random, *(Program(test.stem, test, is_unit_test=True) for test in [*own, *of_users])]


def find_user_tests(file: Path) -> set[Path]:
    """The unit tests of the public headers that include this one, or those that this source belongs to."""
    headers = set(find_headers(file))
    users = (user for user in sorted(INCLUDE.rglob("*.hpp")) if headers & set(own_includes(user)))
    return {test for user in users for test in find_unit_tests(user)}


def file_bytes(file: Path) -> int:
    return file.stat().st_size


def sources_to_recompile(file: Path) -> list[Path]:
    """Those that include a public header themselves: in the others, the linker takes the mutated functions.
    No program includes a private header, so all sources that do.
    """
    if file.suffix == ".cpp":
        return [file]
    includes = own_includes if file.is_relative_to(INCLUDE) else all_includes
    return [source for source in compiled_sources() if file in includes(source)]
