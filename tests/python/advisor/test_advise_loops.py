"""Loops of functions that never return: which one is found, and where a round of one is the scope."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from profile_rows import amount, figures, scope
from synthetic_profile import document
from synthetic_study import baseline, candidate, effect, result, study

from mallard.advisor.advice.candidates import Candidate, requested_candidates
from mallard.advisor.advice.cpp_text import CppText
from mallard.advisor.advice.loops import Loop, find_loop, with_loop
from mallard.advisor.advice.verdict import decide
from mallard.advisor.profile.document import read_profile

EVENTS = """void serve() {
    std::vector<std::string> names;
    for (;;) {
        std::map<int, int> fields;
        for (int i = 0; i < 9; ++i) {
            fields[i] = i;
        }
    }
}
"""
THREAD_START = ({"name": "start_thread", "object": "/lib/libc.so.6"},)
MAIN = ({"name": "main"}, {"name": "__libc_start_call_main", "object": "/lib/libc.so.6"})


def loop_of(text: str, *lines: int) -> Loop | None:
    return find_loop(CppText(text), lines)


@pytest.mark.parametrize("head", ["for (;;)", "for (int n = 0;; ++n)", "while (true)", "while (1)"])
def test_finds_the_endless_loop(head: str) -> None:
    assert loop_of(EVENTS.replace("for (;;)", head), 4, 6) == Loop(3, is_endless=True)


def test_finds_the_outermost_loop_with_an_end() -> None:
    assert loop_of(EVENTS.replace("for (;;)", "while (wait())"), 6) == Loop(3, is_endless=False)
    body = EVENTS.replace("for (;;)", "do").replace("    }\n}", "    } while (wait());\n}")
    assert loop_of(body, 6) == Loop(3, is_endless=False)


def test_lines_before_a_loop_are_in_none() -> None:
    assert loop_of(EVENTS, 2, 6) is None
    assert loop_of(EVENTS) is None


def test_a_closing_brace_is_not_a_line_that_allocates() -> None:
    assert loop_of(EVENTS, 6, 9) == Loop(3, is_endless=True)


def test_a_loop_ends_at_its_function() -> None:
    text = "void all() {\n    while (true) {\n        run([] {\n            use();\n        });\n    }\n}\n"
    assert loop_of(text, 4) is None


def scope_with_loop(
    folder: Path, callers: tuple[dict[str, Any], ...], text: str = EVENTS, opened: int = 1
) -> Candidate:
    """The first function, which allocates on the lines 4 and 6; `callers` call it."""
    file, program = folder / "x.cpp", folder / "program"
    file.write_text(text)
    program.touch()
    os.utime(file, (1e9, 1e9))
    functions = [{"name": "serve()", "object": "program", "file": str(file), "line": 1}, *callers]
    places = [
        *({"function": 0, "file": str(file), "line": line, "inlined": False} for line in (4, 6)),
        *({"function": 1 + at, "file": None, "line": None} for at in range(len(callers))),
    ]
    outer = [2 + at for at in range(len(callers))]
    sites = [
        {
            "place": place,
            "figures": figures(1000, 64_000, 1.0),
            "stacks": [{"stack": place, **amount(1000, 64_000)}],
            "contexts": 1,
            "owners": [],
            "returns": returns,
            "file": "program",
            "instruction": place,
        }
        for place, returns in ((0, 500), (1, 0))
    ]
    row = scope(
        *(1, 0, 2000, 128_000, 1.0),
        activations={"seen": 1, "allocating": 1, "contained": 0, "open": opened, "seconds": 1.0},
        alive_sites=[{"site": at, **amount(9, 90), "file": "program", "instruction": at} for at in range(2)],
    )
    lists = ("pairs", "owners", "already_pooled", "almost_contained", "iterations", "leaks", "temporary")
    fields = {"functions": functions, "places": places, "sites": sites, "stacks": [[0, *outer], [1, *outer]]}
    made = document(**{name: [] for name in lists}, **fields, scopes=[row])
    made["process"]["executable"] = str(program)
    made["timeline"] = None
    profile = read_profile(json.dumps(made))
    return with_loop(profile, requested_candidates(profile, [profile.scopes[0]])[0], folder)


def test_a_thread_has_the_loop_of_its_first_function(tmp_path: Path) -> None:
    text = EVENTS.replace("for (;;)", "while (wait())")
    candidate = scope_with_loop(tmp_path, THREAD_START, text)
    assert candidate.loop == f"{tmp_path / 'x.cpp'}:3"
    assert candidate.with_loop == "the loop of serve() (x.cpp:3)"
    assert not candidate.returns_each_time


def test_a_loop_without_source_has_no_line(tmp_path: Path) -> None:
    candidate = scope_with_loop(tmp_path, THREAD_START, "")
    assert candidate.loop == ""
    assert candidate.with_loop == "the loop of serve() (x.cpp:1)"


def test_an_endless_loop_in_the_source_is_enough(tmp_path: Path) -> None:
    assert scope_with_loop(tmp_path, MAIN).is_iteration
    assert not scope_with_loop(tmp_path, MAIN, EVENTS.replace("for (;;)", "while (wait())")).is_iteration


def test_a_function_that_has_returned_is_no_loop(tmp_path: Path) -> None:
    assert not scope_with_loop(tmp_path, THREAD_START, opened=0).is_iteration


def test_keeps_sites_whose_last_round_is_alive(tmp_path: Path) -> None:
    (lasting,) = scope_with_loop(tmp_path, THREAD_START).alive_sites
    assert lasting.code == "program:1-2"


def test_a_rewind_in_a_loop_is_no_return():
    verdict = decide(study(chosen=candidate("main", rank=4, returns_each_time=False)))
    assert verdict.headline.startswith(
        "Put a monotonic allocator, rewound when none of its blocks is live, into the loop of main() "
        "(server.cpp:88): "
    )
    assert any(note.endswith("Rewind at the end of a round of the loop.") for note in verdict.notes)
    assert "return" not in verdict.headline
    pool = decide(
        study(
            chosen=candidate("main", rank=4, returns_each_time=False),
            trial=result(baseline(effect("multipool", 38.7))),
            on_top=None,
        )
    )
    assert pool.headline.startswith("Put a multipool into main() (server.cpp:88): ")


def test_a_loop_that_never_returns_has_its_line():
    chosen = candidate(returns_each_time=False, loop="src/server.cpp:91", inlined="inlined into main")
    verdict = decide(study(chosen=chosen))
    assert verdict.headline.startswith(
        "Put a monotonic allocator, rewound when none of its blocks is live, into the loop of handle() "
        "(server.cpp:91): "
    )
    assert any("handle() does not return between the rewinds" in note for note in verdict.notes)
