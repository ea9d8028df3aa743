"""Test equipment: the parts of a made up profile, as `mallard-profile` prints them."""

from __future__ import annotations

import math
import random
from typing import Any

FUNCTIONS = (
    ("main", "driver.cpp", 210),
    ("clang::ParseAST(clang::Sema&, bool, bool)", "clang/lib/Parse/ParseAST.cpp", 115),
    (
        "clang::Parser::ParseTopLevelDecl(clang::OpaquePtr<clang::DeclGroupRef>&)",
        "clang/lib/Parse/Parser.cpp",
        600,
    ),
    ("clang::Preprocessor::HandleIncludeDirective(clang::Token&)", "clang/lib/Lex/PPDirectives.cpp", 1810),
    ("std::vector<int, std::allocator<int> >::_M_realloc_insert<int>(int*)", None, None),
    ("llvm::FoldingSetBase::GrowBucketCount(unsigned int)", "llvm/lib/Support/FoldingSet.cpp", 220),
    ("clang::ASTContext::~ASTContext()", "clang/lib/AST/ASTContext.cpp", 930),
    ("libLLVM-16.so.1+0x8f31a0", None, None),
)
LETTERS = {"D": 0.084, "V": 0.71, "L": 0.35, "U": 0.31, "C": 0.0, "F": 0.22}


def amount(allocations: int, bytes_: int) -> dict[str, int]:
    return {"allocations": allocations, "bytes": bytes_}


def figures(
    allocations: int = 1000, bytes_: int = 64_000, contained: float = 0.9, **changes: Any
) -> dict[str, Any]:
    """Of the blocks that are freed, that share is contained; a twentieth is alive."""
    alive = allocations // 20
    inside = round((allocations - alive) * contained)
    escaped = allocations - alive - inside
    mean_bytes = bytes_ // max(allocations, 1)
    further: dict[str, dict[str, Any]] = {
        "D": {
            "interval": [0.079, 0.089],
            "samples": 4096,
            "ns_per_operation": 71.0,
            "operations_per_second": 1.2e6,
        },
        "V": {},
        "L": {"footprint_bytes": bytes_ // 3, "transitions": 12},
        "U": {},
        "C": {"samples": 4096, "freed_by_other_thread": 0.0},
        "F": {"pages_spanned": 400, "pages_needed": 100, "samples": 32},
    }
    fields = {
        "allocations": allocations,
        "bytes": bytes_,
        "frees": allocations - alive,
        "sizes": [[16 << step, allocations >> (step + 1), bytes_ >> (step + 1)] for step in range(8)],
        "size_classes": 8,
        "smallest": 1,
        "largest": 65_536,
        "contained": amount(inside, inside * mean_bytes),
        "escaped": amount(escaped, escaped * mean_bytes),
        "alive": amount(alive, alive * mean_bytes),
        "containment": inside / (inside + escaped) if inside + escaped else None,
        "containment_bytes": inside / (inside + escaped) if inside + escaped else None,
        "freed_by_other_thread": None,
        "temporary": amount(allocations // 4, bytes_ // 8),
        **{
            letter: {"raw": scaled, "scaled": scaled, **further[letter]} for letter, scaled in LETTERS.items()
        },
        "drag": {"peak_ratio": 1.63, "area_ratio": 3.34},
        "mean_lifetime_seconds": 0.012,
        "mean_lifetime_bytes": 80_000.0,
    }
    return fields | changes


def percentiles(most: float) -> dict[str, float]:
    return {"p50": most / 8, "p90": most / 4, "p99": most / 2, "max": most, "mean": most / 6}


def scope(
    number: int, function: int, allocations: int, bytes_: int, contained: float, **changes: Any
) -> dict[str, Any]:
    return {
        "id": number,
        "function": function,
        "figures": figures(allocations, bytes_, contained),
        "activations": {"seen": 120, "allocating": 100, "contained": 97, "open": 0, "seconds": 1.5},
        "owned": amount(allocations // 2, bytes_ // 2),
        "separations": {"seen": 100, "at_most": 120},
        "activation_bytes": percentiles(bytes_ / 10),
        "activation_peak": percentiles(bytes_ / 30),
        "rewind": {"returns": 40, "peak_bytes": bytes_ // 40},
        "page_faults": {"fresh": 1200, "per_activation": 12.0},
        "escapes": [
            {**amount(600, 9000), "freed_by": 6, "freed_at": 6, "container": 0, "thread": "same", "stack": 2},
            {
                **amount(40, 700),
                "freed_by": 7,
                "freed_at": 7,
                "container": None,
                "thread": "other",
                "stack": 2,
            },
        ],
        "escape_sites": [{"site": 4, **amount(500, 8000)}, {"site": 5, **amount(140, 1700)}],
        "timeline": None,
        "threads": 1,
        **changes,
    }


def sites() -> list[dict[str, Any]]:
    return [
        {
            "place": place,
            "figures": figures(4000 >> place, 256_000 >> place, 0.5),
            "stacks": [{"stack": 0, **amount(100, 5000)}],
            "contexts": 17,
            "owners": [{"function": 1, **amount(90, 4000)}],
            "peak_bytes": 9000,
            "returns": 3,
        }
        for place in (4, 5, 7)
    ]


def pairs() -> list[dict[str, Any]]:
    kept = {"container": 2, "thread": "same", "mean_lifetime_seconds": 0.002, "mean_lifetime_bytes": 4096.0}
    unknown = {"container": None, "thread": None, "mean_lifetime_seconds": None, "mean_lifetime_bytes": None}
    return [
        {"allocated": 0, "freed": 2, **amount(9000, 700_000), **kept},
        {"allocated": 1, "freed": 2, **amount(700, 80_000), **kept, "thread": "other"},
        {"allocated": 1, "freed": None, **amount(300, 20_000), **unknown},
    ]


def timeline(points: int, scopes: list[int]) -> dict[str, Any]:
    def live(most: float, ends: float) -> list[int]:
        return [
            round(most * min(1.0, at / (points * 0.7)) * (1.0 if at < points * ends else 0.15))
            for at in range(points)
        ]

    return {
        "seconds": [at * 2.31 / max(points - 1, 1) for at in range(points)],
        "live_bytes": live(96e6, 0.93),
        "peak_bytes": 96_000_000,
        "peak_seconds": 2.1,
        "scopes": [
            {"id": scope, "live_bytes": live(80e6 / 1.8**place, 0.9 - place / 12)}
            for place, scope in enumerate(scopes)
        ],
        "reason": None,
    }


def hill(first: int, end: int, top: int) -> list[list[int]]:
    return [
        [power, round(40_000 * math.exp(-((power - top) ** 2) / 25)), 5000 * power]
        for power in range(first, end)
    ]


def flame(nodes: int) -> dict[str, Any]:
    """A random tree: a node has at most what its parent has left."""
    draw = random.Random(7)
    flame_nodes = [flame_node(None, None, 1_000_000)]
    remaining = [1_000_000]
    while len(flame_nodes) < nodes:
        parent = draw.randrange(max(0, len(flame_nodes) - 40), len(flame_nodes))
        share = round(remaining[parent] * draw.uniform(0.2, 0.8))
        if share < 2:
            parent, share = 0, 1
        remaining[parent] -= share
        flame_nodes.append(flame_node(parent, draw.randrange(len(FUNCTIONS)), share))
        remaining.append(share)
    return {"nodes": flame_nodes, "pruned": 41}


def flame_node(parent: int | None, function: int | None, operations: int) -> dict[str, Any]:
    return {
        "parent": parent,
        "function": function,
        **amount(operations // 2, operations * 40),
        "contained_allocations": operations // 4,
        "contained_bytes": operations * 30,
        "operations": operations,
        "peak_bytes": operations * 20,
        "alive_bytes": operations * 10,
    }
