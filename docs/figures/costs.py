"""What the library costs a program's size and its build, as docs/costs.py measured it."""

from __future__ import annotations

import json
from typing import Any

from costs import RESULTS

from figures import block

from .stored import markdown_table

SHOWN = (
    "memory_resource",
    "mallard/mallard.hpp",
    "mallard/fwd.hpp",
    "mallard/local/monotonic.hpp mallard/bind/allocator.hpp",
    "mallard/local/monotonic.hpp mallard/bind/resource.hpp",
)


def stored() -> dict[str, Any]:
    costs: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return costs


@block("program_bytes")
def program_bytes() -> str:
    costs = stored()
    least = min(costs["bytes"].values())
    lines = [(name, f"{size:,}", f"{size - least:,}") for name, size in costs["bytes"].items()]
    table = markdown_table(("a list of int on", "bytes", "more"), lines)
    return f"{table}\n\n{costs['compiler']}, `-O2 -DNDEBUG`, x86-64; all of `size`."


@block("compile_instructions", is_part=True)
def compile_instructions(*, whole: bool = False) -> str:
    """The page has what most programs include."""
    costs = stored()
    base = costs["instructions"]["memory_resource"]
    lines = [
        (", ".join(f"`<{header}>`" for header in headers.split()), f"{count / base:.2f}")
        for headers, count in costs["instructions"].items()
        if whole or headers in SHOWN
    ]
    table = markdown_table(("header", "instructions of the compiler, `<memory_resource>` = 1"), lines)
    return f"{table}\n\n{costs['compiler']}, `-std=c++20 -fsyntax-only`, counted by valgrind."


@block("loop_instructions")
def loop_instructions() -> str:
    costs = stored()
    lines = [(name, f"{count:,}") for name, count in costs["loops"].items()]
    table = markdown_table(("", "instructions"), lines)
    return f"{table}\n\n{costs['compiler']}, `-O2` or `-O0`, counted by valgrind."
