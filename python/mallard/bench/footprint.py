"""Estimates the memory of a cell of density before it runs.

Estimates err on the large side: they decide which cells cannot fit. If a cell does not fit anyway,
it is recorded as out of memory.
"""

from __future__ import annotations

from collections.abc import Iterable

from mallard.bench.papers.catalogue import Structure

INT_BYTES = 4
# A string object, the mean of its 33 to 1000 characters, and malloc's header.
STRING_BYTES = 32 + 517 + 16
# A node of an unordered_set: links, cached hash, malloc's header, and a bucket.
NODE_BYTES = 40
CONTAINER_BYTES = 112
# Size classes waste up to an eighth, and chunks are larger than their present use.
POOL_FACTOR = 1.25
# A monotonic allocator without room in its buffer doubles its chunks.
MONOTONIC_FACTOR = 2.0
PROCESS_BYTES = 64 << 20

MONOTONIC = "monotonic"


def structure_bytes(structure: Structure, size_log2: int) -> int:
    """The bytes of one structure under the global allocator."""
    outer, _, inner = structure.type.partition("<")
    leaf = STRING_BYTES if "string" in structure.type else INT_BYTES
    innermost = inner if "<" in inner else outer
    leaves = 1 << (size_log2 + structure.inner_log2)
    total = leaves * (leaf + (NODE_BYTES if innermost.startswith("unordered_set") else 0))
    if structure.inner_log2:
        total += (1 << size_log2) * (CONTAINER_BYTES + (NODE_BYTES if outer == "unordered_set" else 0))
    return total


def cell_bytes(structure: Structure, size_log2: int, allocator: str, buffer_bytes: int) -> int:
    """The peak memory of the process that measures this cell. Only the used part of a buffer counts."""
    needed = int(structure_bytes(structure, size_log2) * POOL_FACTOR)
    if MONOTONIC in allocator:
        needed += int(max(0, needed - buffer_bytes) * (MONOTONIC_FACTOR - 1.0))
    return needed + PROCESS_BYTES


def row_bytes(structure: Structure, size_log2: int, allocators: Iterable[str], buffer_bytes: int) -> int:
    return max(cell_bytes(structure, size_log2, allocator, buffer_bytes) for allocator in allocators)


def fitting_buffer(wanted_bytes: int, available_bytes: int | None) -> int:
    """The size of the monotonic strategies' buffer: halved until it fits into a quarter of the free
    memory."""
    if available_bytes is None:
        return wanted_bytes
    while wanted_bytes > available_bytes // 4:
        wanted_bytes //= 2
    return wanted_bytes


def readable(size: int) -> str:
    value, unit = float(size), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024 or unit == "TiB":
            break
        value /= 1024
    return f"{value:.0f} {unit}" if value >= 10 or unit == "B" else f"{value:.1f} {unit}"
