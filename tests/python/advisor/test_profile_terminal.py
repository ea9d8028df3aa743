"""A profile in the terminal: facts come first, lines fit, and no content breaks a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from profile_rows import amount, figures, scope
from synthetic_profile import document, empty, hostile, in_depth, withheld

from mallard.advisor.profile.document import read_profile
from mallard.advisor.profile.sentences import names_remedy, process_title
from mallard.advisor.view.terminal.profile import show_profile
from mallard.advisor.view.terminal.profile.leaks import LISTS, show_list
from mallard.advisor.view.terminal.profile.lines import bar
from mallard.shared.view.terminal.console import PlainConsole


def shown(profile: dict[str, Any], width: int = 80, *, all_rows: bool = False) -> list[str]:
    console = PlainConsole(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    show_profile(console, read_profile(json.dumps(profile)), all_rows=all_rows)
    return console.export_text().splitlines()


def find_fact(lines: list[str], label: str) -> str:
    """The fact with that label, in one line."""
    start = next(at for at, line in enumerate(lines) if line.startswith(label))
    text = lines[start][18:]
    for line in lines[start + 1 :]:
        if line.strip() and not line.startswith(" " * 18):
            break
        text += f" {line.strip()}"
    return text.strip()


def test_titles_a_process_by_its_launcher(tmp_path: Path) -> None:
    for name, target in (("g++", "gcc-12"), ("gcc-12", None)):
        path = tmp_path / name
        path.symlink_to(target) if target else (path.touch(), path.chmod(0o755))
    driver = {"number": 1, "executable": str(tmp_path / "gcc-12"), "command": [str(tmp_path / "g++"), "x"]}
    compiler = {"executable": "/usr/lib/cc1plus", "command": None, "launcher": driver}

    def title(**changes: Any) -> str:
        process = document()["process"] | compiler | changes
        return process_title(read_profile(json.dumps(document(process=process))))

    assert title() == "cc1plus, started by g++"
    assert title(instances=3, instance=2) == "cc1plus (2 of 3 processes with this name), started by g++"
    assert title(launcher=driver | {"command": ["/no/g++"]}) == "cc1plus, started by gcc-12"
    assert title(launcher=None) == "cc1plus"
    assert title(**driver | {"launcher": driver, "instances": 2}) == "g++ (1 of 2 processes with this name)"


def test_the_screen_answers_completeness_first() -> None:
    lines = shown(document())
    assert lines[0] == "clang++-16 -fsyntax-only x.cpp"
    assert lines[1] == "process 4242, 1 thread, 2.31 s, exit status 0"
    assert lines[2] == "other processes   4243 ld: --process NAME"
    assert lines[3].startswith("stacks complete   99.98 % of 2.40 M events")
    assert "500 end in code without a description" in find_fact(lines, "stacks complete")
    assert find_fact(lines, "in the allocator") == "8.4 % of the time (7.9 to 8.9 %), 71 ns an operation"
    assert find_fact(lines, "allocations") == "1.20 M of 298 MiB in all, peak 91.6 MiB"
    assert len(lines) <= 45


def test_scope_has_one_line_of_figures() -> None:
    lines = shown(document())
    name = next(at for at, line in enumerate(lines) if line.startswith(" 1 clang::ParseAST "))
    assert lines[name].endswith("clang/lib/Parse/ParseAST.cpp:115")
    assert lines[name + 1].split("  ") != []
    assert " ".join(lines[name + 1].split()) == (
        "\u2264 98 % 1.10 M 92 % 277 MiB 93 % 3.46 MiB 13.8 MiB 27.7 MiB 3.34 83 %"
    )
    assert "100 activations; 20,900 escape: clang::ASTContext::~ASTContext frees 2.9 %" in lines[name + 2]


def test_separated_scope_has_no_bound() -> None:
    sure = scope(11, 1, 1000, 9000, 0.5, separations={"seen": 7, "at_most": 7})
    lines = shown(document(scopes=[sure]))
    assert not any("\u2264" in line for line in lines)
    assert any(line.endswith("100 %") for line in lines)


def test_exact_markers_precede_functions() -> None:
    marked = scope(0, 0, 500, 9000, 1.0) | {"name": "parse", "kind": "marker", "function": None}
    profile = document(
        markers={
            "scopes": [marked],
            "instances": [{"name": "session", "instances": 3, **amount(30, 900)}],
            "progress": [{"name": "request", "count": 40, "per_second": 12.5, "allocations_between": 30.0}],
            "unmatched_ends": 2,
            "names_lost": 0,
        },
        pools=[{"name": "nodes", "pools": 1, **amount(30, 900)}],
    )
    text = "\n".join(shown(profile))
    assert text.index(" 1 parse") < text.index(" 1 clang::ParseAST")
    assert "request: 40 marks, 12.5 a second, 30 allocations between two" in text
    assert "session: 3 instances, 30 allocations of 900 B" in text
    assert "nodes: 1 recorded pool" in text
    assert "2 markers ended without a beginning." in text


def test_memory_that_no_function_owns_is_shown() -> None:
    text = " ".join(" ".join(shown(document(), 120)).split())
    assert "a loop in clang::Parser::ParseTopLevelDecl" in text
    assert "back to zero 400 times; at most 4.00 KiB between" in text
    assert "objects of clang::ASTContext" in text
    assert "a region breaks even at 42 %" in text
    assert "800 chunks of 4.00 KiB to 1.00 MiB, growing, 49.6 MiB in all, 12 frees" in text


def test_withheld_scopes_keep_remaining_figures() -> None:
    lines = shown(withheld())
    assert "61 % of 1,000 events" in lines[3]
    assert any(
        "Scopes are withheld: 61 % of the stacks are complete; scopes need 95 %." in line for line in lines
    )
    assert any(line.startswith("already pooled") for line in lines)


def test_a_process_without_events_is_three_lines() -> None:
    assert shown(empty())[3:] == ["stacks complete   no event was recorded"]
    torn = empty() | {"trace": {"file": "x", "bytes": 9, "torn_bytes": 8}}
    assert shown(torn)[3] == "stacks complete   no event could be read"


def test_losses_are_reported_in_sentences() -> None:
    process = document()["process"] | {
        "torn": True,
        "stopped": "disk full",
        "sampled_one_in": 10,
        "nested_events": 1,
        "forks_not_followed": 1,
        "programs_not_followed": 2,
        "exit_status": 9,
    }
    profile = document(
        process=process,
        trace={"file": "x", "bytes": 9, "torn_bytes": 2048},
        foreign={"frees": 5, "double_allocations": 1},
    )
    text = "\n".join(shown(profile, 120))
    for sentence in (
        "ended by SIGKILL",
        "The trace was cut off: 2.00 KiB at its end could not be read.",
        "The end of the process is missing",
        "Recording stopped before the program ended: the disk was full.",
        "One activation in 10 was recorded",
        "1 event inside signal handlers could not be recorded.",
        "1 fork was not followed.",
        "2 started programs were not followed.",
        "5 frees of blocks whose allocation was not recorded.",
        "1 allocation at the address of a live block",
    ):
        assert sentence in text, sentence


def test_omits_time_with_wide_interval() -> None:
    profile = document()
    profile["figures"]["D"] |= {"raw": 0.37, "interval": [0.0, 1.07]}
    line = find_fact(shown(profile), "in the allocator")
    assert line == "0 to 100 % of the time; a few of the timed operations were disturbed"


def test_reports_frequent_interrupted_operations() -> None:
    profile = document()
    profile["process"] |= {"timed_events": 9989, "interrupted_events": 11}
    line = find_fact(shown(profile), "in the allocator")
    assert "; 11 timed operations were interrupted, and are left out" in line
    profile["process"] |= {"timed_events": 9990, "interrupted_events": 10}
    assert "interrupted" not in find_fact(shown(profile), "in the allocator")


def test_files_without_symbols_name_the_remedy() -> None:
    profile = document(
        functions=[{"name": f"git+0x{number}f", "object": "/usr/bin/git"} for number in range(8)]
        + [{"name": "f", "object": "/lib/libc.so.6"}]
    )
    text = " ".join(shown(profile))
    assert "Many functions of git have addresses for names; debug symbols give them" in text
    assert "libc.so.6 have" not in text
    assert not any("addresses for names" in line for line in shown(document()))


def test_names_the_package_of_debug_symbols(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    dpkg = tmp_path / "dpkg"
    dpkg.write_text(FAKE_DPKG)
    dpkg.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    files = ["tool", "libtool.so.1", "libc.so.6", "mine"]
    profile = document(functions=[{"name": f"{file}+0x1f", "object": file} for file in files[:3]])
    profile["process"] |= {"executable": "/opt/x/tool"}
    text = " ".join(shown(profile))
    assert (
        "(on Debian: libc6-dbg, libtool1-dbgsym and tool-dbgsym from the debug archive, debian-debug," in text
    )
    assert "(on Debian: packages -dbgsym from" in names_remedy(files[3:], read_profile(json.dumps(profile)))


FAKE_DPKG = """#!/bin/sh
case $2 in
/opt/x/tool) echo "tool: /opt/x/tool" ;;
"*/lib/*/libtool.so.1") echo "libtool1:amd64, libtool1:i386: /usr/lib/a/libtool.so.1" ;;
"*/lib/*/libc.so.6") echo "libc6:amd64: /lib/a/libc.so.6" ;;
*) exit 1 ;;
esac
"""


def merged_scope() -> dict[str, Any]:
    """1,000 calls that count as one, with blocks of 64 KB in all and of 9 KB at a time."""
    row = scope(1, 1, 9000, 64_000, 1.0, separations={"seen": 1, "at_most": 1000})
    row["activations"] |= {"seen": 1, "allocating": 1}
    return row | {"rewind": {"returns": 1000, "peak_bytes": 9216}}


def test_merged_calls_are_sized_by_what_lived_together() -> None:
    row = merged_scope()
    lines = shown(document(scope=in_depth() | {"row": row}))
    assert find_fact(lines, "activations").startswith(
        "1 activation; 1 call told apart of at most 1,000, so sizes are of what was live together"
    )
    assert find_fact(lines, "back to zero") == "1,000 times; at most 9.00 KiB between"
    for label in ("bytes of an activation", "fresh pages", "a region keeps"):
        assert not any(line.startswith(label) for line in lines), label
    figures_row = next(line for line in shown(document(scopes=[row])) if "9.00 KiB" in line)
    assert figures_row.split()[-7:-2] == ["-", "-", "9.00", "KiB", "-"]


def test_scope_in_depth_shows_dimension_bars() -> None:
    lines = shown(document(scope=in_depth()))
    assert lines[0].startswith("clang::ParseAST")
    assert lines[1] == "clang::ParseAST(clang::Sema&, bool, bool)"
    dimensions = [line for line in lines if line[:3].strip() in tuple("DVLUCF")]
    assert [line[1] for line in dimensions] == list("DVLUCF")
    assert "0.08  8.4 % of the time (7.9 to 8.9 %)" in dimensions[0]
    assert "0 % freed by another thread" in " ".join(" ".join(lines).split())
    text = "\n".join(lines)
    for part in ("bytes of an activation", "sizes of blocks", "sites", "pairs of stacks", "callers"):
        assert f"\n{part}" in text
    assert "   + vector<>::_M_realloc_insert<> < Preprocessor::Handle" in text
    assert "alive at the end" in text
    assert "iterations" not in text


def test_option_all_prints_long_lists() -> None:
    many = [scope(number, number % 8, 1000, 9000, 0.5) for number in range(40)]
    profile = document(scopes=many)
    assert len(shown(profile)) < len(shown(profile, all_rows=True))
    assert any(line.startswith("scopes  4 of 452: ") for line in shown(profile))
    assert any(line.startswith("scopes  40 of 452: ") for line in shown(profile, all_rows=True))
    assert any(line.startswith("40 ") for line in shown(profile, all_rows=True))


DOCUMENTS = {
    "all": document,
    "empty": empty,
    "withheld": withheld,
    "hostile": hostile,
    "in depth": lambda: document(scope=in_depth()),
    "hostile in depth": lambda: hostile() | {"scope": in_depth()},
    "one event": lambda: document(figures=figures(1, 0), scopes=[scope(1, 1, 1, 0, 1.0)]),
    "other letters": lambda: document(functions=[{"name": "\u6f22" * 90, "file": "\u6f22" * 90}] * 8),
}


def listed(profile: dict[str, Any], name: str, width: int = 80, *, all_rows: bool = False) -> list[str]:
    console = PlainConsole(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    show_list(console, read_profile(json.dumps(profile)), name, all_rows=all_rows)
    return console.export_text().splitlines()


def test_leaks_name_site_and_callers() -> None:
    lines = listed(document(), "leaks")
    assert lines[1].startswith("60,000 blocks of 14.9 MiB, 5.0 % of 1.20 M. Blocks that are never freed.")
    assert "still reachable" in " ".join(lines[1:4])
    at = next(at for at, line in enumerate(lines) if line.startswith(" - std::vector"))
    assert lines[at + 1] == "   40,000 blocks of 8.58 MiB"
    # The stack begins behind the site.
    assert lines[at + 2].startswith("   < Preprocessor::HandleIncludeDirective < ")
    assert lines[-1] == "  and 3 more sites: --all"


def test_temporary_allocations_are_listed() -> None:
    lines = listed(document(), "temporary")
    assert lines[1].startswith("300 k blocks of 37.2 MiB, 25 % of 1.20 M.")
    assert "temporary allocations  sites with the most blocks first" in lines
    assert not lines[-1].endswith("--all")


def test_a_program_without_leaks_is_told() -> None:
    clean = document(leaks=[], leaks_not_listed=None, figures=figures(19, 100))
    assert listed(clean, "leaks")[1].startswith("0 blocks of 0 B, none of 19.")
    assert "leaks  " not in "".join(listed(clean, "leaks"))


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("kind", DOCUMENTS)
def test_lines_fit_the_terminal(kind: str, width: int) -> None:
    from rich.cells import cell_len

    for all_rows in (False, True):
        lines = shown(DOCUMENTS[kind](), width, all_rows=all_rows)
        for name in LISTS:
            lines += listed(DOCUMENTS[kind](), name, width, all_rows=all_rows)
        assert max(map(cell_len, lines)) <= width
        assert all(line.isprintable() for line in lines)
        assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((None, "\u00b7\u00b7\u00b7"), (0, "\u2591\u2591\u2591"), (1e-9, "\u258f\u2591\u2591")),
        *((1, "\u2588\u2588\u2588"), (7, "\u2588\u2588\u2588")),
    ],
)
def test_bar_shows_tiny_share(value: float | None, expected: str) -> None:
    assert bar(value, 3) == expected
