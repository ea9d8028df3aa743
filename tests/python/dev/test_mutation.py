"""The mutants of a source: the changes, the code left alone, and the accepted survivors."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from dev.mutation import run
from dev.mutation.mutants import Mutant, find_mutants

ROOT = Path(__file__).resolve().parents[3]
SOURCE = "int f(int a) {\n    return a < 7;\n}\n"


def lines_after(source: str) -> list[str]:
    return [mutant.line_after for mutant in find_mutants("x.hpp", source)]


@pytest.mark.parametrize(
    ("line", "mutated"),
    [
        ("x = a < b;", ["x = a <= b;", "x = a >= b;"]),
        ("x = a != b;", ["x = a == b;"]),
        ("x = a && !b;", ["x = a || !b;", "x = a && b;"]),
        ("x = a - b;", ["x = a + b;"]),
        ("x += y;", ["x -= y;"]),
        ("++x;", ["--x;"]),
        ("x = 0;", ["x = 1;"]),
        ("x = 7U;", ["x = 8U;"]),
        ("x = 1'000;", ["x = 1001;"]),
        ("x = 0xFF;", ["x = 256;"]),
        ("x = a + 1;", ["x = a;", "x = a - 1;", "x = a + 0;", "x = a + 2;"]),
    ],
)
def test_each_change_is_made_once(line: str, mutated: list[str]) -> None:
    assert lines_after(line) == mutated


@pytest.mark.parametrize(
    "line",
    [
        "std::vector<int> x;",
        "template <class T, std::size_t N = 4>",
        "T&& x = f<a>(*p, &q);",
        "static_assert(sizeof(x) == 8 && a < b);",
        "MALLARD_EXPECTS(n < 8);",
        "#define X (a < 1)",
        "say(\"a < b, 7 + 1\", '0'); // x < 8",
        'auto s = R"(a < 1)";',
        "virtual void f() const = 0;",
        "bool operator==(const x&) const = default;",
        "if constexpr (a < b) {}",
        "    requires(!has(a, b) && c != d)",
        "template <class A>\nconcept c = a<A> && requires(A x) { x.f(n, 7); };",
        "[[nodiscard]] double f(); /* a < b */",
        "x = 1.5;",
        "#if MALLARD_CHECKED\nint x = a < b;\n#endif",
    ],
)
def test_what_does_not_run_is_left_alone(line: str) -> None:
    assert lines_after(line) == []


def test_what_follows_a_branch_that_is_not_compiled_is_changed() -> None:
    assert lines_after("#if MALLARD_CHECKED\nx = 1;\n#else\nx = 3;\n#endif\nx = 5;") == ["x = 4;", "x = 6;"]


def test_only_early_returns_are_removed() -> None:
    source = "int f() {\n    if (a) [[unlikely]] {\n        return b;\n    }\n    return c;\n}\n"
    (mutant,) = find_mutants("x.cpp", source)
    assert (mutant.line, mutant.line_after) == (3, ";")
    assert mutant.applied(source) == source.replace("return b;", ";")
    assert lines_after("int f() {\n    return g([] { return a; });\n}\n") == []


def test_a_mutant_changes_one_place() -> None:
    source = "int a = b;\nint c = d < e; // 5 < 6\n"
    first, _ = find_mutants("include/x.hpp", source)
    assert first.description == "include/x.hpp:2: int c = d < e; // 5 < 6  ->  int c = d <= e; // 5 < 6"
    assert first.applied(source) == source.replace("d < e", "d <= e")


def test_every_folder_of_the_library_has_tests() -> None:
    mutants = run.draw(None, count=10**6, seed=1)
    assert len(mutants) > 1000
    folders = {path.name for path in (ROOT / "tests/unit").rglob("*") if path.is_dir()}
    assert {Path(mutant.file).parent.name for mutant in mutants} - {"mallard"} <= folders
    assert run.find_tests("include/mallard/impl/space/heap_block.hpp") == "mallard_impl_space_tests"
    assert run.find_tests("src/mallard/upstream/pages.cpp") == "mallard_upstream_tests"


def test_documented_commands_start() -> None:
    page = (ROOT / "tests" / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^(.+ -m dev\.mutation\.run .+)$", page, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        _, *words = shlex.split(command)
        done = subprocess.run([sys.executable, *words, "--list"], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert ".hpp" in done.stdout


def test_the_interval_is_that_of_wilson() -> None:
    assert run.wilson_interval(0, 0) == (0.0, 1.0)
    assert run.wilson_interval(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_the_percentage_is_of_those_that_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = find_mutants("x.hpp", SOURCE)
    accepted = tmp_path / "accepted.json"
    entry = {"file": "x.hpp", "line": third.line_before, "mutated": third.line_after, "reason": "made up"}
    accepted.write_text(json.dumps([entry]), encoding="utf-8")
    monkeypatch.setattr(run, "ACCEPTED", accepted)
    figures = run.sums(
        [
            (first, "killed", run.RANDOM_OPERATIONS),
            (second, "not compiled", ""),
            (third, "survived", ""),
            (third, "equivalent", ""),
        ]
    )
    assert figures["killed_percent"] == 50.0
    assert (figures["drawn"], figures["not_compiled"], figures["judged"]) == (4, 1, 2)
    assert (figures["survived"], figures["accepted"], figures["killed_by_random_operations"]) == (1, 1, 1)


def test_a_mutant_is_judged_by_its_tests_then_by_random_operations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is as before after each verdict."""
    file = tmp_path / "x" / "tree" / "src/mallard/core/x.cpp"
    file.parent.mkdir(parents=True)
    file.write_text(SOURCE, encoding="utf-8")
    judge = run.Judge.__new__(run.Judge)
    judge.tree, judge.sound, answers = tmp_path / "x" / "tree", {"mallard_core_tests": SOURCE}, []
    monkeypatch.setattr(run, "ROOT", judge.tree)
    monkeypatch.setattr(judge, "fails", lambda *_, **__: answers.pop(0))
    monkeypatch.setattr(judge, "fails_in_soak", lambda: answers.pop(0))
    mutant = find_mutants("src/mallard/core/x.cpp", SOURCE)[0]
    for results, code, outcome in (
        ([True], "", ("not compiled", "")),
        ([False, True], "", ("killed", "mallard_core_tests")),
        ([False, False, True], "", ("killed", run.RANDOM_OPERATIONS)),
        ([False, False, False], SOURCE, ("equivalent", "")),
        ([False, False, False], "other", ("survived", "")),
    ):
        answers[:] = results
        monkeypatch.setattr(judge, "code", lambda _, code=code: code)
        assert judge.judge(mutant) == outcome
        assert file.read_text(encoding="utf-8") == SOURCE


def test_the_reasons_of_the_tree_are_about_its_sources() -> None:
    for entry in json.loads(run.ACCEPTED.read_text(encoding="utf-8")):
        mutants: list[Mutant] = find_mutants(
            entry["file"], (ROOT / entry["file"]).read_text(encoding="utf-8")
        )
        assert any(mutant.line_after == entry["mutated"] for mutant in mutants), entry
        assert entry["reason"].strip()
