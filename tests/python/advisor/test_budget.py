"""Budgets: the file and its errors, stacks beyond it, and the messages of `mallard budget`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tomli
from report_lines import screen

from mallard.advisor.budget.document import PROCESS, UNLISTED, Budget, read_budget
from mallard.advisor.budget.limits import Judgement, judge, quoted, render_budget
from mallard.advisor.budget.recorded_run import (
    AllocationStacks,
    Figures,
    heaviest,
    largest_excess,
    with_margin,
)
from mallard.advisor.view.budget import budget_report
from mallard.cli import parse_command
from mallard.shared.errors import UsageError

FOLDED = """\
_start;__libc_start_main_impl;main;parse(int);std::vector<int, my<int>>::push_back_[i];operator new 100
_start;__libc_start_main_impl;main;print;printf 3
start_thread;work;std::string::reserve 20
_dl_start_user;_dl_init;libstdc++.so.6+0x1 1
"""
FILE = Path("x.toml")


def run(folded: str = FOLDED, exit_status: int = 0, **scopes: dict[str, int]) -> Any:
    """A measured run of which the process and `parse` are known."""
    figures = {"": {"allocations": 124, "bytes": 5000, "peak_bytes": 900, "alive": 2}}
    figures["parse"] = {"allocations": 100, "bytes": 4000, "peak_bytes": 80, "escaped": 0}
    figures |= scopes

    def of(name: str) -> Figures:
        if name not in figures:
            raise UsageError(f"There is no scope '{name}'.")
        return Figures(figures[name], name or None)

    return SimpleNamespace(of=of, exit_status=exit_status, stacks=AllocationStacks(folded))


def budget(tmp_path: Path, text: str) -> Budget:
    file = tmp_path / "x.toml"
    file.write_text(text)
    return read_budget(file)


def shown(judgement: Judgement) -> str:
    return "\n".join(screen(budget_report(FILE, judgement), 200, is_terminal=False))


# ---- stacks -------------------------------------------------------------------------------------------


def test_shortens_stacks() -> None:
    assert AllocationStacks(FOLDED).of(None) == {
        "main > parse > std::vector<>::push_back": 100,
        "main > print > printf": 3,
        "work > std::string::reserve": 20,
        "_dl_start_user > _dl_init > libstdc++.so.6+0x1": 1,
    }
    assert list(AllocationStacks(FOLDED).of("parse")) == ["main > parse > std::vector<>::push_back"]


def test_stacks_end_before_mallard_functions() -> None:
    folded = "main;handle;mallard::ndebug::resource<mallard::monotonic<> >::do_allocate;mallard::grow 3"
    assert AllocationStacks(folded).of(None) == {"main > handle": 3}


def test_stacks_accept_full_short_and_unqualified_names() -> None:
    stacks = AllocationStacks("main;(anonymous namespace)::handle(int);std::list<int>::push_back_[i] 3")
    for name in ("(anonymous namespace)::handle(int)", "(anonymous)::handle", "handle", "push_back"):
        assert stacks.have(name), name
    for name in ("andle", "handl", "handle(long)", "list"):
        assert not stacks.have(name), name


def test_merges_stacks_with_equal_short_names() -> None:
    assert AllocationStacks("f<int>;a 1\nf<long>;a 2\n").of(None) == {"f<> > a": 3}


def test_ignores_startup_frames_with_or_without_names() -> None:
    named = AllocationStacks("_start;__libc_start_main_impl;main;parse;libc.so.6+0x77 3").of(None)
    nameless = AllocationStacks("libc.so.6+0x271d0;main;parse;libc.so.6+0x77 3").of(None)
    assert named == nameless
    assert all("libc.so.6+0x77" in stack for stack in named)


def test_deep_stack_keeps_its_innermost_frames() -> None:
    deep = ";".join(f"f{number}" for number in range(50))
    inner = " > ".join(f"f{number}" for number in range(42, 50))
    assert list(AllocationStacks(f"{deep} 7\n").of("f1")) == [inner]


def test_finds_the_largest_excess_over_the_file() -> None:
    known = {"a": 100, "b": 5, UNLISTED: 4}
    assert largest_excess({"a": 110, "b": 5, "c": 4}.items(), known) == ("a", 10)
    assert largest_excess({"a": 110, "c": 20}.items(), known) == ("c", 16)
    assert largest_excess({"a": 100, "c": 4}.items(), known) is None
    assert largest_excess([], {}) is None


def test_file_lists_the_heaviest_stacks() -> None:
    stacks = heaviest(Counter({f"f{number:02}": number for number in range(1, 21)}), 0.05)
    assert len(stacks) == 13
    assert stacks["f20"] == 21
    assert stacks[UNLISTED] == with_margin(8, 0.05) == 9
    assert heaviest(Counter(a=1), 0.05)[UNLISTED] == 0


@pytest.mark.parametrize(
    ("value", "limit"), [(0, 0), (1, 2), (20, 21), (100, 105), (10**17, 105 * 10**15), (101, 107)]
)
def test_margins_are_exact(value: int, limit: int) -> None:
    assert with_margin(value, 0.05) == limit


# ---- the file -----------------------------------------------------------------------------------------


def test_run_is_within_its_own_budget(tmp_path: Path) -> None:
    measured = run()
    text = render_budget(measured, ["parse"], ["./a b", "--x\n"])
    assert "# The run: './a b' '--x?'" in text
    assert all("#" in line for line in text.splitlines() if line and line[0].islower())
    read = budget(tmp_path, text)
    assert read.limits[PROCESS] == {"allocations": 131, "bytes": 5250, "peak_bytes": 945, "alive": 3}
    assert read.limits["parse"]["escaped"] == 0
    judged = judge(FILE, read, measured)
    assert judged.holds
    assert len(judged.limits) == 8
    assert "8 limits of x.toml: all hold." in shown(judged)


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a.b", "a\nb", "operator<", "\N{BELL}", "ns::f(int*)"])
def test_quotes_any_name_as_key(name: str) -> None:
    assert tomli.loads(f"{quoted(name)} = 1") == {name: 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no limit; 'mallard budget"),
        ("[process]\n", "has no limit"),
        ("[process\n", "is not TOML: Expected ']' at the end of a table declaration (at line 1"),
        (
            "[process]\nalocations = 1",
            "line 2: 'alocations' (did you mean allocations?) is not a limit; allowed",
        ),
        ("[process]\n\nbytes = -1", "line 3: bytes = -1; allowed are whole numbers from 0 on"),
        ("[process]\nbytes = 1.5", "line 2: bytes = 1.5; allowed"),
        ("[process]\nbytes = true", "line 2: bytes = True; allowed"),
        ("[process]\nbytes = '9'", "line 2: bytes = '9'; allowed"),
        ("[process]\nbytes = 99999999999999999999", "line 2: bytes = 99999999999999999999; allowed"),
        ("[process]\nescaped = 1", "line 2: 'escaped' is not a limit; allowed are exit_status, allocations"),
        ("[process]\nexit_status = 256", "line 2: exit_status = 256; allowed are -64 to 255"),
        ('[scope."a.b"]\nbytes = 1\npeek_bytes = 2', "line 3: 'peek_bytes' (did you mean peak_bytes?)"),
        (
            "[scope.f]\nalive = 1",
            "line 2: 'alive' is not a limit; allowed are allocations, bytes, peak_bytes, esc",
        ),
        (
            "[proces]\nbytes = 1",
            "line 1: 'proces' (did you mean process?); allowed are process, scope, stacks",
        ),
        ("scope = 3", "line 1: 'scope' = 3; it must be a table: [scope]"),
        ("[scope]\nf = 3", "line 2: 'f' = 3; it must be a table: [scope.f]"),
        ("[process]\nbytes = 1\n[stacks.f]\n'a > b' = -3", "line 4: a > b = -3; allowed"),
    ],
)
def test_reports_the_line_of_an_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        budget(tmp_path, text)
    assert message in str(error.value)


def test_rejects_binary_files(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xff\xfe\0")
    with pytest.raises(UsageError, match="is not a text file"):
        read_budget(tmp_path / "x")


# ---- the comparison -----------------------------------------------------------------------------------


def test_exceeded_limit_names_the_first_new_stack(tmp_path: Path) -> None:
    read = budget(tmp_path, render_budget(run(), ["parse"], ["a"]))
    more = FOLDED + "_start;main;parse;read_all;std::vector<char>::reserve 60\n"
    judged = judge(FILE, read, run(more, parse={**run().of("parse").values, "allocations": 160}))
    assert not judged.holds
    assert judged.new_stack.functions == "main > parse > read_all > std::vector<>::reserve"
    text = shown(judged)
    lines = [line.split() for line in text.splitlines()]
    assert ["EXCEEDED", "parse", "allocations", "160", "105", "55"] in lines
    assert ["holds", "process", "allocations", "124", "131"] in lines
    assert "1 of 8 limits of x.toml exceeded." in text
    assert "First new stack, 60 blocks beyond the file:\n  main > parse > read_all" in text


def test_larger_blocks_need_no_new_stack(tmp_path: Path) -> None:
    read = budget(tmp_path, render_budget(run(), ["parse"], ["a"]))
    judged = judge(FILE, read, run(parse={**run().of("parse").values, "bytes": 9000}))
    assert "No stack made more blocks than in the file: they are larger, or live longer." in shown(judged)


def test_reports_a_file_without_stacks(tmp_path: Path) -> None:
    judged = judge(FILE, budget(tmp_path, "[scope.parse]\nallocations = 7"), run())
    assert [limit.value for limit in judged.limits] == [100]
    assert "The file has no stacks of it; --write stores them." in shown(judged)


def test_unknown_scope_leaves_other_limits_judged(tmp_path: Path) -> None:
    text = "[process]\nbytes = 7000\n[scope.parze]\nbytes = 7\n[scope.parse]\nbytes = 7"
    judged = judge(FILE, budget(tmp_path, text), run())
    assert judged.unjudged == ("x.toml, [scope.\"parze\"]: There is no scope 'parze'.",)
    assert [(limit.scope, limit.holds) for limit in judged.limits] == [(PROCESS, True), ("parse", False)]
    page = shown(judged)
    assert "2 limits of x.toml judged, 1 exceeded; 1 scope not judged." in page
    assert "all hold" not in page


def test_only_unknown_scopes_show_no_limit(tmp_path: Path) -> None:
    judged = judge(FILE, budget(tmp_path, "[scope.parze]\nbytes = 7"), run())
    assert shown(judged).strip() == "0 limits of x.toml judged, 0 exceeded; 1 scope not judged."


def test_rejects_a_run_with_unexpected_exit_status(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="ended with exit status -6, so its run cannot be judged"):
        judge(FILE, budget(tmp_path, "[process]\nbytes = 7"), run(exit_status=-6))
    assert judge(FILE, budget(tmp_path, "[process]\nexit_status = 3\nbytes = 7000"), run(exit_status=3)).holds


# ---- arguments --------------------------------------------------------------------------------------------


def test_recording_has_the_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ok.toml").write_text("[process]\nbytes = 1\n")
    limits = []

    def record(words: Any, stdin: Any, trace: Path, seconds_limit: float, *, follow: bool) -> Path:
        limits.append(seconds_limit)
        raise UsageError("it was too long")

    monkeypatch.setattr("mallard.advisor.trial.process.record", record)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="it was too long"):
        parse_command(["budget", "ok.toml", "--time-limit", "7", "--", "ls"]).run()
    assert limits == [7.0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "FILE is missing: mallard budget FILE -- PROGRAM"),
        ("ok.toml", "PROGRAM is missing; give it after '--': mallard budget ok.toml -- PROGRAM"),
        ("ok.toml ls", "unexpected argument 'ls'"),
        (
            "none.toml -- ls",
            "there is no file none.toml; 'mallard budget none.toml --write -- ls ...' makes it",
        ),
        ("bad.toml -- ls", "bad.toml is not TOML"),
        ("bad.toml --write -- ls", "bad.toml is not TOML"),
        ("ok.toml -- ./none", "'./none' does not exist"),
        ("ok.toml --scopes f -- ls", "--scopes is of --write"),
        ("ok.toml --write --json -- ls", "--json is of a comparison"),
        ("no/x.toml --write -- ls", "there is no directory no"),
        (". --write -- ls", ". is a directory"),
        ("ok.toml --input none -- ls", "--input none is not a file"),
    ],
)
def test_rejects_bad_input(words: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ok.toml").write_text("[process]\nbytes = 1\n")
    (tmp_path / "bad.toml").write_text("precious data")
    with pytest.raises(UsageError) as error:
        parse_command(["budget", *words.split()])
    assert message in str(error.value)
    assert (tmp_path / "bad.toml").read_text() == "precious data"
