"""The mutants of a source: the changes, the code left alone, and the accepted survivors."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from dev.mutation.accepted import Accepted, read_accepted, stale
from dev.mutation.account import Judged, Kept, page, sums, wilson_interval
from dev.mutation.mutants import Mutant, find_mutants
from dev.mutation.programs import (
    PRIVATE,
    compiled_sources,
    find_kinds,
    find_programs,
    find_unit_tests,
    sources_to_recompile,
)
from dev.mutation.run import store
from dev.mutation.verdict import UnsoundProgramError, Verdict, Workshop

ROOT = Path(__file__).resolve().parents[3]


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
        ("x = a + 1;", ["x = a - 1;", "x = a;", "x = a + 0;", "x = a + 2;"]),
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
    assert (mutant.kind, mutant.line, mutant.line_after) == ("early return", 3, ";")
    assert mutant.applied(source) == source.replace("return b;", ";")


def test_a_lambda_in_an_if_is_no_early_return() -> None:
    assert lines_after("int f() {\n    return g([] { return a; });\n}\n") == []


def test_a_mutant_changes_one_place() -> None:
    source = "int a = b;\nint c = d < e; // 5 < 6\n"
    first, second = find_mutants("include/x.hpp", source)
    assert first.place == "include/x.hpp:2"
    assert first.change == "int c = d < e; // 5 < 6  ->  int c = d <= e; // 5 < 6"
    assert first.applied(source) == source.replace("d < e", "d <= e")
    assert first.key(source) != second.key(source)
    assert first.key(source) != first.key(source + "\n")


INTERNAL = ("core", "checking", "reuse", "impl")


def test_every_source_has_mutants_and_a_program() -> None:
    files = [
        *(file for name in INTERNAL for file in (ROOT / "include" / "mallard" / name).rglob("*.hpp")),
        *compiled_sources(),
        *(ROOT / "src").rglob("*.hpp"),
    ]
    assert len(files) > 50
    for file in files:
        source = file.read_text(encoding="utf-8")
        assert all(mutant.applied(source) != source for mutant in find_mutants(file.name, source))
        programs = find_programs(file)
        assert any(program.is_unit_test for program in programs), file
        assert all(program.source.is_file() for program in programs)


def names(tests: list[Path]) -> list[str]:
    return [test.name for test in tests]


def test_programs_of_a_file_are_unit_test_and_soaks() -> None:
    include = ROOT / "include" / "mallard"
    assert names(find_unit_tests(include / "local" / "fixed_pool.hpp")) == [
        "fixed_pool_in_arrays_test.cpp",
        "fixed_pool_test.cpp",
    ]
    assert names(find_unit_tests(include / "impl/reuse/free_list.hpp")) == ["free_list_test.cpp"]
    pages = ROOT / "src" / "mallard" / "upstream" / "pages.cpp"
    assert names(find_unit_tests(pages)) == ["pages_test.cpp"]
    zones = ROOT / "src" / "mallard/impl/checking/block_zones.cpp"
    assert "block_registry_test.cpp" in names(find_unit_tests(zones))
    assert find_unit_tests(ROOT / "src" / "mallard" / "platform" / "pages_inspect.cpp") == find_unit_tests(
        pages
    )
    assert zones in sources_to_recompile(zones.with_name("block_record.hpp"))
    assert find_kinds(include / "impl/space" / "coalescing_space.hpp") == "HEAP"
    assert find_kinds(include / "impl/slab" / "bitmap_slots.hpp") != "HEAP"
    assert find_kinds(include / "impl/checking" / "block_registry.hpp") == "ADAPTOR"
    assert find_kinds(include / "bind" / "resource.hpp") == "BINDING"
    assert pages in sources_to_recompile(include / "upstream" / "pages.hpp")


def test_private_files_are_judged_by_the_programs_of_their_users() -> None:
    source = ROOT / "src" / "mallard"
    bins = source / "upstream" / "chunk_bins.hpp"
    assert names(find_unit_tests(bins)) == ["chunk_bins_test.cpp", "chunk_cache_test.cpp"]
    assert find_kinds(bins) == find_kinds(source / "platform" / "memory_posix.cpp") == "UPSTREAM"
    rooms = names(find_unit_tests(source / "impl" / "threads" / "thread_rooms.cpp"))
    assert rooms == ["thread_cache_test.cpp", "chunk_cache_test.cpp"]
    table = find_programs(source / "impl" / "checking" / "block_table.cpp")
    assert "checked_calls_test" in {program.name for program in table}


def test_documented_commands_start() -> None:
    page = (ROOT / "tests" / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^(.+ -m dev\.mutation\.run .+)$", page, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        interpreter, *words = shlex.split(command)
        interpreter = sys.executable if interpreter == "build/venv/bin/python" else interpreter
        done = subprocess.run([interpreter, *words, "--list"], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert ".hpp" in done.stdout


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    shop = Workshop(tmp_path)
    shop.once.mkdir()
    (shop.once / "standard.hpp").touch()
    return shop


def test_mutated_sources_find_their_private_headers(workshop: Workshop, tmp_path: Path) -> None:
    users = [
        source
        for source in compiled_sources()
        if any(name.startswith("../") for name in PRIVATE.findall(source.read_text(encoding="utf-8")))
    ]
    assert len(users) > 5
    for source in users:
        name, place = str(source.relative_to(ROOT)), tmp_path / "place"
        workshop.overlay(name, source.read_text(encoding="utf-8"), place)
        workshop.compile(place / name, tmp_path / "preprocessed", "-E", overlay=place)
        included = Path(f"{tmp_path / 'preprocessed'}.d").read_text(encoding="utf-8")
        assert str(place / "src") in included
        assert str(ROOT / "src") not in included


def test_programs_are_found_from_their_own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    workshop = Workshop(Path("mutants"))
    assert workshop.directory == tmp_path / "mutants"
    assert workshop.once == tmp_path / "mutants" / "once"


def test_a_line_that_an_if_leaves_out_is_inactive(workshop: Workshop, tmp_path: Path) -> None:
    name = "src/mallard/platform/threads_posix.cpp"
    source = "int f() {\n#ifdef _WIN32\n    return 2;\n#else\n    return 3;\n#endif\n}\n"
    windows, posix = find_mutants(name, source)
    assert not workshop.is_active(windows, source, [], tmp_path / "place")
    assert workshop.is_active(posix, source, [], tmp_path / "place")


def test_a_file_that_does_not_compile_ends_the_run(workshop: Workshop, tmp_path: Path) -> None:
    name = "src/mallard/platform/threads_posix.cpp"
    workshop.overlay(name, '#include "no_such_header.hpp"\n', tmp_path / "place")
    with pytest.raises(UnsoundProgramError, match="no_such_header"):
        workshop.expect_compiles(name, [], tmp_path / "place")


def test_the_interval_is_that_of_wilson() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert wilson_interval(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)


SOURCE = "int f(int a) {\n    return a < 7;\n}\n"


def judged(mutant: Mutant, how: str, by: str = "") -> Judged:
    return Judged(mutant, mutant.key(SOURCE), Verdict(how, by), 1.5)


def test_the_percentage_is_of_those_that_compile(tmp_path: Path) -> None:
    first, second, third = find_mutants("x.hpp", SOURCE)
    everything = [
        judged(first, "killed", "random operations (heap)"),
        judged(second, "not compiled"),
        judged(third, "survived"),
    ]
    reason = Accepted("x.hpp", third.line_before, third.line_after, "made up")
    figures = sums(everything, [reason])
    assert figures["killed_percent"] == 50.0
    assert (figures["drawn"], figures["not_compiled"], figures["judged"]) == (3, 1, 2)
    assert (figures["survived"], figures["accepted"], figures["killed_by_random_operations"]) == (1, 1, 1)
    without, accepted = page(everything, [reason]).split("## Accepted")
    assert third.place in accepted
    assert third.place not in without


def test_a_change_is_found_where_its_line_stands_now() -> None:
    for mutant in find_mutants("x.hpp", SOURCE):
        moved = "\n\n" + SOURCE
        found = mutant.locate(moved)
        assert found.applied(moved) == "\n\n" + mutant.applied(SOURCE)
        assert mutant.locate("int other;\n") is None


def test_what_became_of_survivors_is_with_their_run(tmp_path: Path) -> None:
    file = tmp_path / "mutation.json"
    store(file, {"seed": 1, "killed": 5}, again=False)
    store(file, {"seed": 2, "killed": 6}, again=False)
    store(file, {"seed": 1, "killed": 7}, again=True)
    first, second = json.loads(file.read_text(encoding="utf-8"))
    assert (first["killed"], first["again"]["killed"], second["killed"]) == (5, 7, 6)
    store(file, {"seed": 1, "killed": 8}, again=False)
    assert json.loads(file.read_text(encoding="utf-8"))[1] == {"seed": 1, "killed": 8}


def test_a_torn_last_line_keeps_earlier_verdicts(tmp_path: Path) -> None:
    first, second, third = find_mutants("x.hpp", SOURCE)
    file = tmp_path / "judged.jsonl"
    kept = Kept(file)
    kept.add(judged(first, "killed", "x_test"))
    kept.add(judged(second, "hung", "x_test"))
    for missing in (2, 20):  # a brace and the end of the line; more
        file.write_text(file.read_text(encoding="utf-8")[:-missing], encoding="utf-8")
        again = Kept(file)
        assert list(again.judged) == [first.key(SOURCE)]
        assert again.judged[first.key(SOURCE)] == judged(first, "killed", "x_test")
        again.add(judged(third, "survived"))
        assert list(Kept(file).judged) == [first.key(SOURCE), third.key(SOURCE)]


def test_a_reason_follows_a_moved_line(tmp_path: Path) -> None:
    (tmp_path / "x.hpp").write_text("\n\n" + SOURCE, encoding="utf-8")
    entry = Accepted("x.hpp", "return a < 7;", "return a <= 7;", "made up")
    other = Accepted("x.hpp", "return a < 8;", "return a <= 8;", "made up")
    gone = Accepted("y.hpp", "return a < 7;", "return a <= 7;", "made up")
    assert stale([entry, other, gone], tmp_path) == [other, gone]


def test_a_reason_has_to_be_given(tmp_path: Path) -> None:
    file = tmp_path / "accepted.json"
    entry = {"file": "x.hpp", "line": "a", "mutated": "b", "reason": " "}
    file.write_text(json.dumps([entry]), encoding="utf-8")
    with pytest.raises(ValueError, match="reason"):
        read_accepted(file)


def test_the_reasons_of_the_tree_are_about_its_sources() -> None:
    assert stale(read_accepted(), ROOT) == []
