"""The pictures of docs/library/allocators.md: the memory of each allocator, in rows of blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT, PITCH, LABELS = 640, 30, 44, 132
STYLE = """
    text { font: 13px ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
    .soft { fill: #59636e }
    rect { stroke: #ffffff; stroke-width: 1.5 }
    .used { fill: #a9d9c9 } .free { fill: #e3e7eb } .freed { fill: #f3cf9c } .meta { fill: #b9c6f0 }
    @media (prefers-color-scheme: dark) {
        text { fill: #e6edf3 } .soft { fill: #9198a1 } rect { stroke: #0d1117 }
        .used { fill: #1d5c4a } .free { fill: #2d333b } .freed { fill: #7a4f16 } .meta { fill: #2f4380 }
    }
"""
LEGEND = {
    "used": "in use",
    "freed": "freed, waits for reuse",
    "meta": "metadata",
    "free": "not handed out yet",
}


@dataclass(frozen=True)
class Block:
    kind: str
    """`used`, `freed`, `meta` or `free`."""
    width: int
    """In parts of the row."""
    text: str = ""


@dataclass(frozen=True)
class Memory:
    label: str
    blocks: tuple[Block, ...]


def _used(*widths: int) -> tuple[Block, ...]:
    return tuple(Block("used", width) for width in widths)


SLAB = (Block("meta", 2, "bits"), *_used(1, 1), Block("freed", 1), *_used(1), Block("freed", 1), *_used(1, 1))
TAGGED = (Block("meta", 1), *_used(3))
PICTURES: dict[str, tuple[str, Sequence[Memory]]] = {
    "monotonic": (
        "the cursor moves to the right; a free does nothing",
        (
            Memory("buffer", _used(2, 3, 1, 4)),
            Memory("chunk", (*_used(3, 2, 2), Block("free", 5, "cursor, then free memory"))),
        ),
    ),
    "concurrent_monotonic": (
        "each thread adds to the number of bytes that are taken; a free does nothing",
        (
            Memory("chunk", (Block("meta", 1), *_used(2, 3, 1, 2, 4))),
            Memory(
                "current chunk",
                (
                    *(Block("meta", 1), Block("used", 2, "1"), Block("used", 1, "2")),
                    *(Block("used", 3, "1"), Block("free", 6, "number, then free memory")),
                ),
            ),
        ),
    ),
    "multipool": (
        "one chunk for all sizes; a freed block waits in the list of its size",
        (
            Memory(
                "chunk",
                (*_used(1, 1), Block("freed", 4, "520"), *_used(1), Block("freed", 1, "24"), *_used(2, 1)),
            ),
            Memory("newest chunk", (*_used(1, 4, 1), Block("freed", 1, "24"), Block("free", 5, "free"))),
        ),
    ),
    "concurrent_multipool": (
        "a thread takes from its magazines without a lock, in batches from the depot",
        (
            Memory(
                "thread 1",
                (Block("freed", 1), Block("freed", 1), Block("freed", 1), Block("meta", 3, "magazine")),
            ),
            Memory("thread 2", (Block("freed", 1), Block("meta", 5, "magazine"))),
            Memory("depot, locked", (Block("freed", 3, "batch"), Block("freed", 3, "batch"))),
        ),
    ),
    "fixed_pool": (
        "blocks of one size, in an array, a buffer or a chain of chunks",
        (Memory("arena", (*_used(2, 2), Block("freed", 2), *_used(2), Block("free", 4, "free"))),),
    ),
    "small_object_pool": (
        "a bit for each block; a mask of the address finds the bits",
        (Memory("slab of 8 bytes", SLAB), Memory("slab of 12 bytes", (*SLAB[:5], Block("free", 4, "free")))),
    ),
    "adaptive_pool": (
        "the fullest slab serves next; empty slabs go back",
        (
            Memory("serves next", (Block("meta", 1), *_used(1, 1, 1, 1, 1), Block("freed", 1))),
            Memory("fewer nodes", (Block("meta", 1), *_used(1), Block("freed", 5))),
            Memory("goes back", (Block("meta", 1), Block("free", 6))),
        ),
    ),
    "heap": (
        "a tag before each block; free neighbours merge, and a block grows into one",
        (
            Memory(
                "chunk",
                (*TAGGED, Block("meta", 1), Block("freed", 5, "one free block"), *TAGGED),
            ),
        ),
    ),
}


def images() -> dict[str, Callable[[], str]]:
    """Name -> its picture."""
    return {name: lambda name=name: memory_image(*PICTURES[name]) for name in PICTURES}  # type: ignore[misc]


def memory_image(title: str, rows: Sequence[Memory]) -> str:
    """Rows of blocks under a title, with a legend of the kinds that they have."""
    height = 28 + PITCH * len(rows) + 24
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(title)}">',
        f"<style>{STYLE}</style>",
        f'<text x="0" y="16">{escape(title)}</text>',
    ]
    for line, row in enumerate(rows):
        y = 30 + PITCH * line
        unit = (WIDTH - LABELS) / sum(block.width for block in row.blocks)
        parts.append(f'<text class="soft" x="0" y="{y + 20}">{escape(row.label)}</text>')
        x = float(LABELS)
        for block in row.blocks:
            width = block.width * unit
            place = f'x="{x:.1f}" y="{y}" width="{width:.1f}" height="{HEIGHT}"'
            parts.append(f'<rect class="{block.kind}" {place} rx="3"/>')
            if block.text:
                middle = f'x="{x + width / 2:.1f}" y="{y + 20}" text-anchor="middle"'
                parts.append(f"<text {middle}>{escape(block.text)}</text>")
            x += width
    x, y = float(LABELS), 30 + PITCH * len(rows)
    for kind in dict.fromkeys(block.kind for row in rows for block in row.blocks):
        parts.append(f'<rect class="{kind}" x="{x:.1f}" y="{y - 1}" width="14" height="14" rx="3"/>')
        parts.append(f'<text class="soft" x="{x + 20:.1f}" y="{y + 11}">{LEGEND[kind]}</text>')
        x += 36 + 7 * len(LEGEND[kind])
    return "\n".join([*parts, "</svg>", ""])
