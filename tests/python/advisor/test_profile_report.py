"""A profile as a report: the figures of its sections, and screens whose lines fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from profile_rows import amount, figures, scope
from report_lines import screen
from synthetic_profile import document, empty, hostile, in_depth, withheld

from mallard.advisor.profile.dimensions import DIMENSIONS
from mallard.advisor.profile.document import read_profile
from mallard.advisor.profile.sentences import names_remedy, process_title
from mallard.advisor.view.profile import profile_report
from mallard.advisor.view.profile.sites import LEAKS, PEAK, TEMPORARY, list_report
from mallard.shared.report.figures import cell_text
from mallard.shared.report.model import Facts, Mood, Report, Row, Section, Table, Timeline


def report(profile: dict[str, Any], *, all_rows: bool = False) -> Report:
    return profile_report(read_profile(json.dumps(profile)), all_rows=all_rows)


def listed(profile: dict[str, Any], kind: str, *, all_rows: bool = False) -> Report:
    return list_report(read_profile(json.dumps(profile)), kind, all_rows=all_rows)


def section(shown: Report, title: str) -> Section:
    return next(section for section in shown.sections if section.title == title)


def table(shown: Report, title: str) -> Table:
    return next(block for block in section(shown, title).blocks if isinstance(block, Table))


def texts(row: Row) -> list[str]:
    return [" ".join(cell_text(cell).split()) for cell in row.cells]


def fact(shown: Report, label: str) -> str:
    """The first fact with the label."""
    facts = (
        fact
        for section in shown.sections
        for block in section.blocks
        if isinstance(block, Facts)
        for fact in block.facts
    )
    return next(f"{cell_text(fact.value)} {fact.text}".strip() for fact in facts if fact.label == label)


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


def test_the_answer_names_a_loop_that_never_ends() -> None:
    case = document()
    case["scopes"][0]["activations"] |= {"seen": 1, "allocating": 1, "open": 1}
    row = {"function": 1, "activations": 1, "returns": 500, "most_bytes_between": 900, "sites": []}
    case["iterations"] = [{**row, "allocations": 1_000_000, "bytes": 9_000_000}]
    assert report(case).answer.text.endswith(
        "\nMost blocks live and die in rounds of a loop in clang::ParseAST: 1.00 M allocations; the last "
        "live block was freed 500 times."
    )
    case["iterations"][0]["allocations"] = 1000
    assert "before it returns" in report(case).answer.text


def test_the_report_begins_with_the_answer() -> None:
    shown = report(document())
    assert shown.subject == "clang++-16 -fsyntax-only x.cpp"
    assert shown.conditions == (
        "process 4242, 1 thread, 2.31 s, exit status 0",
        "with 4243 ld (--process NAME)",
        "clang.trace",
    )
    assert shown.answer.text == (
        "In the allocator: 8.4 % of the time (7.9 to 8.9 %), 71 ns an operation.\n"
        "Most blocks live and die in clang::ParseAST: 1.10 M allocations; of the freed blocks, "
        "\u2264 98 % are freed before it returns."
    )
    assert fact(shown, "stacks complete") == (
        "99.98 % of 2.40 M events; 500 end in code without a description"
    )
    assert fact(shown, "operations timed") == "4,096 for the interval, at 95 %"
    assert fact(shown, "allocations") == "1.20 M of 298 MiB in all, 1.14 M frees"
    assert fact(shown, "peak") == "91.6 MiB after 2.10 s"
    assert fact(shown, "alive at the end") == "60,000 of 14.9 MiB"


def test_one_screen_shows_a_whole_program() -> None:
    assert len(screen(profile_report(read_profile(json.dumps(document())), is_brief=True))) <= 48


def test_scope_has_figures_and_escapes() -> None:
    scopes = table(report(document()), "Scopes")
    assert [column.title for column in scopes.columns[:9]] == [
        *("function", "contained", "allocations", "bytes", "p50", "p99", "max", "drag", "apart")
    ]
    first = scopes.rows[0]
    assert texts(first)[:9] == [
        *("clang::ParseAST", "\u2264 98 %", "1.10 M 92 %", "277 MiB 93 %"),
        *("3.46 MiB", "13.8 MiB", "27.7 MiB", "3.34", "83 %"),
    ]
    assert first.cells[0].source == "clang/lib/Parse/ParseAST.cpp:115"
    assert first.note == "100 activations; 20,900 escape: clang::ASTContext::~ASTContext frees 2.9 %"


def test_separated_scope_has_no_bound() -> None:
    sure = scope(11, 1, 1000, 9000, 0.5, separations={"seen": 7, "at_most": 7})
    (row,) = table(report(document(scopes=[sure])), "Scopes").rows
    assert "\u2264" not in "".join(texts(row))
    assert texts(row)[8] == "100 %"


def test_control_calls_that_take_time_are_shown() -> None:
    calls = [
        {"name": "malloc_trim", "place": 4, "calls": 200, "seconds": 0.231, "stack": 0},
        {"name": "mallopt", "place": 5, "calls": 1, "seconds": 0.000_002, "stack": 1},
    ]
    (row,) = table(report(document(control_calls=calls)), "Control calls").rows
    assert texts(row)[:1] + texts(row)[2:5] == ["malloc_trim", "200", "231 ms", "10 %"]
    every = table(report(document(control_calls=calls), all_rows=True), "Control calls")
    assert [texts(row)[0] for row in every.rows] == ["malloc_trim", "mallopt"]
    titles = [section.title for section in report(document(control_calls=calls[1:])).sections]
    assert "Control calls" not in titles


def test_large_blocks_that_are_mostly_unwritten_are_shown() -> None:
    rows = [
        {"place": 4, "allocations": 2, "bytes": 128 << 20, "resident_bytes": 32 << 20, "stack": 0},
        {"place": 5, "allocations": 1, "bytes": 1 << 20, "resident_bytes": 1 << 20, "stack": 1},
    ]
    (row,) = table(report(document(large_blocks=rows)), "Large blocks").rows
    assert texts(row)[1:4] == ["2", "64.0 MiB", "25 %"]
    assert len(table(report(document(large_blocks=rows), all_rows=True), "Large blocks").rows) == 2
    (heading,) = [line for line in screen(report(document(large_blocks=rows)), 80) if "Large blocks" in line]
    assert heading.endswith("at the exit")
    titles = [section.title for section in report(document(large_blocks=rows[1:])).sections]
    assert "Large blocks" not in titles


def test_timeline_has_resident_memory_as_its_area() -> None:
    samples = [[0.1, 9_000_000, 4_000_000], [2.0, 140_000_000, 4_000_000]]
    timeline = document()["timeline"] | {"resident": samples}
    shown = report(document(timeline=timeline))
    (picture,) = (block for block in section(shown, "Timeline").blocks if isinstance(block, Timeline))
    names = [name for name, _ in picture.series]
    assert names[:2] == ["resident memory, without files", "the whole process"]
    assert max(picture.series[0][1]) == 136_000_000.0
    assert picture.title == "Resident memory and live bytes over time"
    rows = [texts(row)[:2] for row in table(shown, "Timeline").rows[:2]]
    assert rows == [["the whole process", "91.6 MiB"], ["resident memory, without files", "130 MiB"]]


def test_exact_markers_precede_functions() -> None:
    marked = scope(0, 0, 500, 9000, 1.0) | {"name": "<parse>", "kind": "marker", "function": None}
    profile = document(
        markers={
            "scopes": [marked],
            "instances": [{"name": "session", "instances": 3, **amount(30, 900)}],
            "progress": [{"name": "request", "count": 40, "per_second": 12.5, "allocations_between": 30.0}],
            "unmatched_ends": 2,
            "names_lost": 1,
        },
        pools=[{"name": "nodes", "pools": 1, **amount(30, 900)}],
    )
    shown = report(profile)
    titles = [section.title for section in shown.sections]
    assert titles.index("Marked scopes") < titles.index("Scopes")
    assert texts(table(shown, "Marked scopes").rows[0])[0] == "<parse>"
    assert [texts(row) for row in table(shown, "Marked progress, instances and pools").rows] == [
        ["request: 40 marks, 12.5 a second, 30 allocations between two"],
        ["session: 3 instances, 30 allocations of 900 B"],
        ["nodes: 1 recorded pool, 30 allocations of 900 B"],
    ]
    assert "2 markers ended without a beginning." in shown.doubts
    assert "1 marker lost the name." in shown.doubts


def test_memory_that_no_function_owns_is_shown() -> None:
    shown = report(document())
    (iteration,) = table(shown, "Iterations").rows
    assert texts(iteration) == [
        *("clang::Parser::ParseTopLevelDecl", "8,000", "625 KiB", "400", "4.00 KiB"),
        "std::vector<>::_M_realloc_insert<> (clang-16) 8,000 blocks",
    ]
    (owner,) = table(shown, "Lifetimes of objects").rows
    assert texts(owner)[:6] == [
        *("clang::ASTContext::~ASTContext", "clang::ASTContext", "70,000", "4.77 MiB", "1", "900")
    ]
    (almost,) = table(shown, "Almost contained").rows
    assert texts(almost)[1:3] == ["98 %", "42 %"]
    (pool,) = table(shown, "Already pooled").rows
    assert texts(pool)[1:6] == ["800", "49.6 MiB", "4.00 KiB", "1.00 MiB", "growing"]
    assert texts(pool)[7] == "12"


def test_withheld_scopes_are_the_answer() -> None:
    shown = report(withheld())
    assert shown.answer.mood is Mood.BAD
    assert shown.answer.text.startswith(
        "Scopes are withheld: 61 % of the stacks are complete; scopes need 95 %.\n"
    )
    assert "61 % of 1,000 events" in fact(shown, "stacks complete")
    titles = [section.title for section in shown.sections]
    assert "Already pooled" in titles
    assert "Scopes" not in titles


def test_a_process_without_events_has_no_figures() -> None:
    shown = report(empty())
    assert shown.answer.text == "No event was recorded."
    assert [section.title for section in shown.sections] == ["Definitions"]
    torn = empty() | {"trace": {"file": "x", "bytes": 9, "torn_bytes": 8}}
    assert report(torn).answer.text == "No event could be read."


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
    text = "\n".join((*report(profile).conditions, *report(profile).doubts))
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
    profile["figures"]["D"] |= {"raw": 0.37, "interval": [0.0, 0.97]}
    disturbed = "a few of the timed operations were disturbed"
    answer = report(profile).answer.text
    assert answer.startswith(f"In the allocator: 0 to 97 % of the time; {disturbed}.")
    profile["figures"]["D"] |= {"raw": 0.37, "interval": [0.0, 1.07]}
    assert report(profile).answer.text.startswith(f"In the allocator: not known: {disturbed}.")


@pytest.mark.parametrize(("recorder_ns", "is_known"), [(99.0, True), (101.0, False)])
def test_recorder_with_most_of_the_time_hides_density(recorder_ns: float, is_known: bool) -> None:
    """Of 100 ns of the program without the recorder, for each operation."""
    profile = document()
    density = {"raw": 0.5, "interval": [0.45, 0.55], "ns_per_operation": 50.0}
    profile["figures"]["D"] |= density | {"recorder_ns_per_operation": recorder_ns}
    text = "50 % of the time (45 to 55 %)" if is_known else "not known: the recorder took most of the time."
    assert report(profile).answer.text.startswith(f"In the allocator: {text}")


def test_clamped_density_is_not_known() -> None:
    """The profiler counts no more than the whole time, which a busy machine exceeds."""
    profile = document(scope=in_depth())
    for row in (profile["figures"], profile["scope"]["row"]["figures"]):
        row["D"] |= {"raw": 1.0, "scaled": 1.0, "interval": [0.6, 1.4]}
    answer = report(profile | {"scope": None}).answer.text
    assert answer.startswith("In the allocator: not known: the machine was busy.")
    density = table(report(profile), "Dimensions").rows[0]
    assert texts(density)[1:] == ["", "-", "not known: the machine was busy"]


def test_reports_frequent_interrupted_operations() -> None:
    profile = document()
    profile["process"] |= {"timed_events": 9989, "interrupted_events": 11}
    answer = report(profile).answer.text
    assert "; 11 timed operations were interrupted, and are left out" in answer
    profile["process"] |= {"timed_events": 9990, "interrupted_events": 10}
    assert "interrupted" not in report(profile).answer.text


def test_files_without_symbols_name_the_remedy() -> None:
    profile = document(
        functions=[{"name": f"git+0x{number}f", "object": "/usr/bin/git"} for number in range(8)]
        + [{"name": "f", "object": "/lib/libc.so.6"}]
    )
    text = " ".join(report(profile).doubts)
    assert "Many functions of git have addresses for names; debug symbols give them" in text
    assert "libc.so.6 have" not in text
    assert "addresses for names" not in " ".join(report(document()).doubts)


def test_names_the_package_of_debug_symbols(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    dpkg = tmp_path / "dpkg"
    dpkg.write_text(FAKE_DPKG)
    dpkg.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    files = ["tool", "libtool.so.1", "libc.so.6", "mine"]
    profile = document(functions=[{"name": f"{file}+0x1f", "object": file} for file in files[:3]])
    profile["process"] |= {"executable": "/opt/x/tool"}
    text = " ".join(report(profile).doubts)
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
    shown = report(document(scope=in_depth() | {"row": row}))
    assert fact(shown, "activations").startswith(
        "1 activation; 1 call told apart of at most 1,000, so sizes are of what was live together"
    )
    assert fact(shown, "back to zero") == "1,000 times; at most 9.00 KiB between"
    facts = [fact.label for fact in section(shown, "clang::ParseAST in depth").blocks[0].facts]  # type: ignore[union-attr]
    assert not {"fresh pages", "a region keeps"} & set(facts)
    (figures_row,) = table(report(document(scopes=[row])), "Scopes").rows
    assert texts(figures_row)[4:8] == ["-", "-", "9.00 KiB", "-"]


def test_scope_in_depth_has_sections_of_its_own() -> None:
    shown = report(document(scope=in_depth()))
    assert shown.answer.text == (
        "clang::ParseAST: 1.10 M allocations; of the freed blocks, \u2264 98 % are freed before it returns."
    )
    assert fact(shown, "name") == "clang::ParseAST(clang::Sema&, bool, bool)"
    dimensions = table(shown, "Dimensions").rows
    assert [texts(row)[0] for row in dimensions] == [f"{item.letter} {item.name}" for item in DIMENSIONS]
    assert texts(dimensions[0])[2:] == ["0.08", "8.4 % of the time (7.9 to 8.9 %)"]
    for title in ("Bytes of an activation", "Sizes of blocks", "Sites in it", "Pairs in it", "Callers"):
        assert table(shown, title).rows
    pair = texts(table(shown, "Pairs in it").rows[0])
    assert pair[3].startswith("vector<>::_M_realloc_insert<> < Preprocessor::HandleIncludeDirective < ")
    assert "alive at the end" in [texts(row)[4] for row in table(shown, "Pairs in it").rows]


def test_a_screen_in_depth_has_no_figures_of_the_process() -> None:
    lines = screen(report(document(scope=in_depth())))
    assert any(line.startswith("Dimensions") for line in lines)
    assert not any(line.startswith(("Iterations", "Scopes", "stacks complete")) for line in lines)


def test_option_all_prints_long_lists() -> None:
    many = [scope(number, number % 8, 1000, 9000, 0.5) for number in range(40)]
    profile = document(scopes=many)
    short, long = screen(report(profile)), screen(report(profile, all_rows=True))
    assert any(line.startswith("Scopes  4 of 452 (--all): ") for line in short)
    assert any(line.startswith("Scopes  40 of 452 (--all): ") for line in long)
    assert any(line.startswith("40 ") for line in long)


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


def test_leaks_name_site_and_callers() -> None:
    shown = listed(document(), "leaks")
    assert shown.answer.text == f"60,000 blocks of 14.9 MiB, 5.0 % of 1.20 M. {LEAKS}"
    leaks = table(shown, "Leaks")
    assert texts(leaks.rows[0])[:3] == ["std::vector<>::_M_realloc_insert<>", "40,000", "8.58 MiB"]
    # The stack begins behind the site.
    assert texts(leaks.rows[0])[3].startswith("Preprocessor::HandleIncludeDirective < ")
    assert leaks.unlisted == 3


def test_part_of_the_time_has_what_is_exact() -> None:
    between = {
        "begin_seconds": 0.5,
        "end_seconds": 2.0,
        "live_at_begin": amount(10, 2048),
        "live_at_end": amount(30, 4096),
    }
    profile = withheld() | {"between": between}
    shown = report(profile)
    assert shown.answer.text == (
        "Between 500 ms and 2.00 s: 1.20 M allocations of 298 MiB, 1.14 M frees.\n"
        "2.00 KiB are live at the beginning, 4.00 KiB at the end."
    )
    titles = [part.title for part in shown.sections]
    assert titles == ["Summary", "Flame graph", "Timeline", "Sites"]
    assert shown.notes == (profile["completeness"]["reason"],)
    leaks = listed(profile, "leaks").answer.text
    assert leaks == "30 blocks of 4.00 KiB. Blocks that are live after 2.00 s."


def test_suppressed_leaks_are_counted() -> None:
    patterns = [
        {"pattern": "libfoo", **amount(20_000, 5_000_000)},
        {"pattern": "old", **amount(0, 0)},
        {"pattern": "^x$", **amount(0, 0)},
    ]
    profile = document(suppressions=patterns)
    hidden = (
        "1 of 3 suppressions matches 20,000 blocks of 4.77 MiB, which are not listed. "
        "leak:old and leak:^x$ match nothing."
    )
    others = "40,000 blocks of 10.1 MiB, 3.3 % of 1.20 M."
    assert listed(profile, "leaks").answer.text == f"{others} {LEAKS} {hidden}"
    assert report(profile).notes == (hidden,)
    assert report(document()).notes == ()


def test_temporary_allocations_are_listed() -> None:
    shown = listed(document(), "temporary")
    assert shown.answer.text == f"300 k blocks of 37.2 MiB, 25 % of 1.20 M. {TEMPORARY}"
    assert section(shown, "Temporary allocations").about == "sites with the most blocks first"
    assert table(shown, "Temporary allocations").unlisted == 0


def test_blocks_of_the_peak_are_listed() -> None:
    shown = listed(document(), "peak")
    assert shown.answer.text == f"52,901 blocks of 91.6 MiB, 4.4 % of 1.20 M. {PEAK}"
    assert texts(table(shown, "Live at the peak").rows[0])[:3] == [
        "std::vector<>::_M_realloc_insert<>",
        "52,000",
        "57.2 MiB",
    ]
    assert table(shown, "Live at the peak").unlisted == 4


def test_reports_absence_of_leaks() -> None:
    clean = document(leaks=[], leaks_not_listed=None, figures=figures(19, 100))
    shown = listed(clean, "leaks")
    assert shown.answer.text.startswith("0 blocks of 0 B, none of 19.")
    assert shown.sections == ()


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("kind", DOCUMENTS)
def test_lines_fit_the_terminal(kind: str, width: int) -> None:
    from rich.cells import cell_len

    for all_rows in (False, True):
        lines = screen(report(DOCUMENTS[kind](), all_rows=all_rows), width)
        for name in ("leaks", "temporary", "peak"):
            lines += screen(listed(DOCUMENTS[kind](), name, all_rows=all_rows), width)
        assert max(map(cell_len, lines)) <= width
        assert all(line.isprintable() for line in lines)
