"""Test equipment: profiles as the native program prints them, with figures that are known beforehand."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import Any

from profile_rows import (
    FUNCTIONS,
    LETTERS,
    amount,
    figures,
    flame,
    flame_node,
    hill,
    pairs,
    scope,
    sites,
    timeline,
)

HOSTILE = "</script><b onclick='x'>&amp;\"" + "ns::T<" * 600 + "int" + ">" * 600 + "::f(int)"


def document(**changes: Any) -> dict[str, Any]:
    """A compiler with one thread; every part has something."""
    functions = [
        {"name": name, "object": "/usr/bin/clang-16", "file": file, "line": line}
        for name, file, line in FUNCTIONS
    ]
    command = ["clang++-16", "-fsyntax-only", "x.cpp"]
    fields = {
        "format": "mallard profile",
        "version": 1,
        "trace": {"file": "clang.trace", "bytes": 2_345_678, "torn_bytes": 0},
        "processes": [
            {
                "number": 4242,
                "parent": 1,
                "executable": "/usr/bin/clang-16",
                "command": command,
                "events": 2_400_000,
                "seconds": 2.31,
                "threads": 1,
                "chosen": True,
            },
            {
                "number": 4243,
                "parent": 4242,
                "executable": "/usr/bin/ld",
                "command": ["ld"],
                "events": 900,
                "seconds": 0.1,
                "threads": 1,
                "chosen": False,
            },
        ],
        "process": {
            "number": 4242,
            "parent": 1,
            "executable": "/usr/bin/clang-16",
            "command": command,
            "seconds": 2.31,
            "ticks_per_second": 2.4e9,
            "threads": 1,
            "events": 2_400_000,
            "stacks": "descriptions",
            "sampled_one_in": 1,
            "timed_one_in": 64,
            "timed_events": 37_500,
            "stopped": None,
            "exit_status": 0,
            "torn": False,
            "nested_events": 0,
            "forks_not_followed": 0,
            "programs_not_followed": 0,
        },
        "completeness": {
            "events": 2_400_000,
            "complete": 2_399_500,
            "share": 2_399_500 / 2_400_000,
            "by_end": {
                "outermost": 2_399_000,
                "null": 0,
                "loader": 500,
                "unknown_code": 500,
                "unreadable": 0,
                "too_deep": 0,
            },
            "scopes": "shown",
            "reason": None,
        },
        "figures": figures(1_200_000, 312_000_000, 1.0),
        "foreign": {"frees": 0, "double_allocations": 0},
        "functions": functions,
        "places": [
            {"function": at, "file": file, "line": line and line + 7, "inlined": at == 4}
            for at, (_, file, line) in enumerate(FUNCTIONS)
        ],
        "stacks": [[4, 3, None, 2, 1, 0], [5, 7, 1, 0], [6, 0]],
        "scopes": [
            scope(11, 1, 1_100_000, 290_000_000, 0.98),
            scope(12, 2, 900_000, 200_000_000, 0.61),
            scope(13, 3, 40_000, 80_000_000, 0.04, owned=amount(10, 900)),
        ],
        "scopes_not_listed": {"scopes": 412, "most_allocations": 90},
        "sites": sites(),
        "sites_not_listed": {"sites": 31, **amount(400, 9000)},
        "leaks": [
            {"place": 4, **amount(40_000, 9_000_000), "stack": 0},
            {"place": 5, **amount(1, 4_000_000), "stack": 1},
        ],
        "leaks_not_listed": {"sites": 3, **amount(19_999, 1000)},
        "temporary": [{"place": 7, **amount(300_000, 39_000_000), "stack": 1}],
        "temporary_not_listed": {"sites": 0, **amount(0, 0)},
        "peak": [
            {"place": 4, **amount(52_000, 60_000_000), "stack": 0},
            {"place": 5, **amount(1, 30_000_000), "stack": 1},
        ],
        "peak_not_listed": {"sites": 4, **amount(900, 6_000_000)},
        "pairs": pairs(),
        "pairs_not_listed": {"pairs": 210, **amount(5000, 90_000)},
        "iterations": [
            {
                "function": 2,
                "returns": 400,
                "activations": 1,
                **amount(8000, 640_000),
                "most_bytes_between": 4096,
                "sites": [{"place": 4, **amount(8000, 640_000), "returns": 400}],
            },
        ],
        "owners": [
            {
                "function": 6,
                "class": "clang::ASTContext",
                **amount(70_000, 5_000_000),
                "calls": 1,
                "blocks_a_call": 70_000.0,
                "stacks": 900,
                "sites": [{"place": 5, **amount(60_000, 4_000_000)}],
            },
        ],
        "almost_contained": [
            {
                "scope": 11,
                "containment": 0.98,
                "escapes_from": [{"place": 7, **amount(22_000, 5_000_000)}],
                "break_even": {"share": 0.42, "saved_ns_per_block": 51.0, "cost_ns_per_activation": 2600.0},
            },
        ],
        "already_pooled": [
            {
                "place": 5,
                "blocks": 800,
                "bytes": 52_000_000,
                "smallest": 4096,
                "largest": 1 << 20,
                "growing": True,
                "most_alive": 700,
                "frees": 12,
                "named": True,
            },
        ],
        "markers": {"scopes": [], "instances": [], "progress": [], "unmatched_ends": 0, "names_lost": 0},
        "pools": [],
        "timeline": timeline(120, [11, 12, 13]),
        "lifetimes": {
            "by_bytes": hill(4, 28, 12),
            "by_time": hill(6, 31, 14),
            "alive": amount(60_000, 15_000_000),
        },
        "flame": flame(300),
    }
    return fields | changes


def in_depth(**changes: Any) -> dict[str, Any]:
    """The part that --scope adds."""
    return {
        "kind": "function",
        "row": scope(11, 1, 1_100_000, 290_000_000, 0.98),
        "sites": sites(),
        "pairs": pairs(),
        "callers": [{"function": 0, **amount(1_100_000, 290_000_000), "activations": 120}],
        "escapes": scope(11, 1, 1, 1, 1.0)["escapes"],
        "activation_bytes_classes": [[1024 << step, 60 >> step] for step in range(6)],
        "activation_peak_classes": [[512 << step, 50 >> step] for step in range(6)],
    } | changes


def empty() -> dict[str, Any]:
    """A process without an event."""
    nothing = figures(0, 0, 0.0, sizes=[], size_classes=0, smallest=None, largest=None, drag=None)
    unknown = {"raw": None, "scaled": None}
    lists = ("functions", "places", "stacks", "scopes", "sites", "pairs", "iterations", "owners")
    return document(
        **{name: [] for name in (*lists, "almost_contained", "already_pooled")},
        process=document()["process"] | {"events": 0, "timed_events": 0, "threads": 0, "seconds": 0.0},
        completeness={
            "events": 0,
            "complete": 0,
            "share": None,
            "by_end": {},
            "scopes": "shown",
            "reason": None,
        },
        figures=nothing
        | dict.fromkeys(LETTERS, unknown)
        | {"mean_lifetime_seconds": None, "mean_lifetime_bytes": None},
        scopes_not_listed={"scopes": 0, "most_allocations": 0},
        timeline={
            "seconds": [],
            "live_bytes": [],
            "peak_bytes": 0,
            "peak_seconds": None,
            "scopes": [],
            "reason": None,
        },
        lifetimes={"by_bytes": [], "by_time": [], "alive": amount(0, 0)},
        flame={"nodes": [flame_node(None, None, 0)], "pruned": 0},
    )


def withheld() -> dict[str, Any]:
    """A process whose stacks are incomplete."""
    reason = "Scopes are withheld: 61 % of the stacks are complete; scopes need 95 %."
    return document(
        completeness={
            "events": 1000,
            "complete": 610,
            "share": 0.61,
            "by_end": {
                "outermost": 610,
                "null": 0,
                "loader": 0,
                "unknown_code": 380,
                "unreadable": 10,
                "too_deep": 0,
            },
            "scopes": "withheld",
            "reason": reason,
        },
        scopes=[],
        iterations=[],
        owners=[],
        almost_contained=[],
        timeline=document()["timeline"] | {"scopes": [], "reason": "scopes are withheld"},
    )


def hostile() -> dict[str, Any]:
    """Names that would break a page or a terminal, and names that are missing."""
    names = [
        HOSTILE,
        "\x1b[31mred[/]",
        "",
        "[bold]f[/bold]",
        "f\nnew line",
        "\u202eright to left",
        "\ud800",
        "0x7f00",
    ]
    functions = [{"name": name, "object": None, "file": f"</style>{name[:40]}", "line": 3} for name in names]
    return document(
        functions=functions,
        trace={"file": HOSTILE[:200], "bytes": 1, "torn_bytes": 999},
        process=document()["process"] | {"command": ["</script>", "\x1b[2J", HOSTILE]},
    )


def fake_program(folder: Path, answer: Any, *, status: int = 0, error: str = "", crash: int = 0) -> Path:
    """A mallard-profile that prints the answer, and writes its arguments to `words`."""
    (folder / "answer").write_text(
        answer if isinstance(answer, str) else json.dumps(answer), encoding="utf-8"
    )
    program = folder / "mallard-profile"
    program.write_text(
        f"#!{sys.executable} -S\n"
        "import os, pathlib, sys\n"
        f"folder = pathlib.Path({str(folder)!r})\n"
        "(folder / 'words').write_text('\\n'.join(sys.argv[1:]))\n"
        "sys.stdout.write((folder / 'answer').read_text(encoding='utf-8'))\n"
        "sys.stdout.flush()\n"
        f"sys.stderr.write({error!r})\n"
        "sys.stderr.flush()\n"
        f"if {crash}: os.kill(os.getpid(), {crash})\n"
        f"sys.exit({status})\n",
        encoding="utf-8",
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program
