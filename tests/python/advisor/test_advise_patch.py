"""Patches of synthetic profiles: what is inserted where, and what has no patch."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from profile_rows import amount, figures
from synthetic_profile import document

from mallard.advisor.advice.patch import PATCHED, Patches, find_patches, write_patch
from mallard.advisor.advice.patterns import Pattern
from mallard.advisor.profile.document import read_profile

GROWERS = {
    "vector": "std::vector<point, std::allocator<point> >::_M_realloc_insert<point>(point*)",
    "string": "std::string::_M_mutate(unsigned long)",
    "made": "std::vector<char>::vector(unsigned long)",
}


def ladder(element: int, *blocks: int) -> list[list[int]]:
    """Blocks of 1, 2, 4, ... elements."""
    return [[element << step, number, number * element << step] for step, number in enumerate(blocks)]


USUAL = ladder(24, 100, 100, 100, 100, 99, 1)


def found(
    folder: Path, text: str, kind: str = "reserve", grower: str = "vector", sizes: Any = USUAL, **changes: Any
) -> Patches:
    """Of a file with the text, in which `@` marks the line of the site."""
    file, program = folder / changes.pop("name", "x.cpp"), folder / "program"
    line = text[: text.index("@")].count("\n") + 1
    file.write_bytes(text.replace("@", "").encode())
    program.touch()
    os.utime(file, (1e9, 1e9 + changes.pop("newer", -5)))
    os.utime(program, (1e9, 1e9))
    total = sum(number for _, number, _ in sizes)
    small, large = sizes[0][2] // sizes[0][1], sizes[-1][2] // sizes[-1][1]
    site_figures = figures(
        *(total, 100 * total, 1.0), sizes=sizes, size_classes=len(sizes), smallest=small, largest=large
    )
    functions = [{"name": name, "object": str(program)} for name in ("collect(int)", GROWERS[grower])]
    places = [{"function": index, "file": str(file), "line": line, "inlined": False} for index in range(2)]
    site = {
        "place": 0,
        "figures": site_figures,
        "stacks": [{"stack": 0, **amount(total, 100 * total)}],
        "contexts": 1,
        "owners": [],
        "returns": 100,
    }
    fields: dict[str, Any] = {"functions": functions, "places": places, "stacks": [[1, 0]], "sites": [site]}
    lists = ("pairs", "owners", "already_pooled", "scopes", "almost_contained")
    profile = read_profile(json.dumps(document(**{name: [] for name in lists}, **fields | changes)))
    pattern = Pattern(kind, "collect", f"{file}:{line}", total, 1.0, "", "")
    return find_patches(profile, [pattern], folder)


def added(patches: Patches) -> list[str]:
    assert patches.refused == ()
    lines = patches.diff.split("\n")
    return [line[1:] for line in lines if line.startswith("+") and not line.startswith("+++")]


def reason(patches: Patches) -> str:
    assert patches.patches == ()
    assert patches.diff == ""
    ((_, text),) = patches.refused
    return text


LOOP = """struct point { double x, y, z; };
int collect(int n) {
    std::vector<point> points;
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        points.push_back({});@
    }
    return points.size();
}
"""


def test_reserves_before_the_loop(tmp_path: Path) -> None:
    """99 of 100 vectors end with room for 16 elements."""
    patches = found(tmp_path, LOOP)
    assert added(patches) == ["    points.reserve(16);"]
    assert "@@ -2,6 +2,7 @@" in patches.diff
    (patch,) = patches.patches
    assert (patch.file, patch.statement) == ("x.cpp", "points.reserve(16);")
    (edit,) = patch.edits
    assert (edit.line, edit.column, edit.text) == (5, 1, "    points.reserve(16);\n")


@pytest.mark.parametrize("tool", [["git", "apply"], ["patch", "-p1", "--batch", "-i"]])
@pytest.mark.parametrize(
    ("text", "name"),
    [
        (LOOP, "x.cpp"),
        (LOOP, "my file.cpp"),
        (LOOP.replace("\n", "\r\n"), "x.cpp"),
        (LOOP.replace("    ", "\t"), "x.cpp"),
        (LOOP.rstrip("\n"), "x.cpp"),
    ],
    ids=["plain", "blanks in its name", "CRLF", "tabs", "no last line end"],
)
def test_tools_apply_the_diff(tmp_path: Path, tool: list[str], text: str, name: str) -> None:
    if shutil.which(tool[0]) is None:
        pytest.skip(f"no {tool[0]}")
    patches = found(tmp_path, text, name=name)
    write_patch(patches, tmp_path / "x.patch")
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    subprocess.run([*tool, "x.patch"], cwd=tmp_path, env=environment, check=True, capture_output=True)
    (edit,) = patches.patches[0].edits
    before = text.replace("@", "")
    expected = before[: edit.begin] + edit.text + before[edit.end :]
    assert (tmp_path / name).read_bytes() == expected.encode()
    assert ("\r\n" in text) == edit.text.endswith("\r\n")


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("std::vector<point> v;\n for (auto i : all)\n  v.push_back(i);@", [" v.reserve(16);"]),
        ("std::vector<point> v; for (auto i : all) v.push_back(i);@", None),
        ("std::vector<point> v{};\n while (next()) for (;;) v.emplace_back();@", [" v.reserve(16);"]),
        ("std::vector<point> v;\n do {\n  v.push_back(a);@\n } while (v.size() < 9);", [" v.reserve(16);"]),
        ("std::vector<point> v; /* a\n b */ for (;;) v.push_back(a);@", None),
        ("if (a) {\n std::vector<point> v;\n for (;;) { v.push_back(a);@ }\n}", [" v.reserve(16);"]),
        ("std::vector<point> v;\n for (;;) {\n  v.push_back(a);\n  v.push_back(b);@\n }", None),
    ],
)
def test_finds_the_statement_of_the_loop(tmp_path: Path, body: str, lines: list[str] | None) -> None:
    patches = found(tmp_path, f"void collect() {{\n{body}\n}}\n")
    if "push_back(b)" in body:
        assert "may be two lines" not in added(patches)
    if lines is None:
        assert sum(line.count("v.reserve(16);") for line in added(patches)) == 1
    else:
        assert added(patches) == lines


@pytest.mark.parametrize(
    "body",
    [
        "for (auto i : all) v.push_back(i);@",  # a member, a parameter or a global variable
        "auto v = make();\n for (;;) v.push_back(a);@",
        "std::vector<point>& v = other;\n for (;;) v.push_back(a);@",
        "static std::vector<point> v;\n for (;;) v.push_back(a);@",
        "std::vector<point> v(9);\n for (;;) v.push_back(a);@",
        "std::vector<point> v, w;\n for (;;) v.push_back(a);@",
        "my::vector<point> v;\n for (;;) v.push_back(a);@",
        "std::vector<point> v;\n fill(v);\n for (;;) v.push_back(a);@",
        "std::vector<point> v;\n v.reserve(9);\n for (;;) v.push_back(a);@",
        "std::vector<point> v;\n if (a) for (;;) v.push_back(a);@",
        "std::vector<point> v;\n for (auto i : all) if (i) v.push_back(a);@",
        "std::vector<point> v;\n for (auto i : all) {\n  if (i) continue;\n  v.push_back(a);@\n }",
        "std::vector<point> v;\n if (a) b();\n else\n for (;;) v.push_back(a);@",
        "std::vector<point> v;\n for (auto& v : others) v.push_back(a);@",
        "std::vector<point> v;\n for (;;) { std::vector<point> v; f([&](auto& v) { v.push_back(a);@ }); }",
        "std::vector<point> v;\n for (;;) { f([&] { v.push_back(a);@ }); }",
        "std::vector<point> v;\n for (;;) { v.push_back(a);@ all.push_back(std::move(v)); }",
        "std::vector<point> v;\n for (;;) PUSH(v, a);@",
        "std::vector<point> v;\n EACH(i, all) v.push_back(a);@",
        "std::vector<point> v;\n for (;;) this->v.push_back(a);@",
        "std::vector<point> v;\n for (;;) x.v.push_back(a);@",
        "std::vector<point> v;\n#if A\n for (;;)\n#endif\n v.push_back(a);@",
        "std::vector<point> v;\n for (;;) v.push_back(a), w.push_back(a);@",
        'std::vector<point> v;\n for (;;) log("v.push_back(a)");@',
        "struct s { std::vector<point> v; void f() { for (;;) v.push_back(a);@ } };",
        "std::vector<bool> v;\n for (;;) v.push_back(a);@",
        "std::vector<int> v;\n for (;;) v.push_back(a);@",  # whose blocks were of other sizes
    ],
)
def test_refuses_what_is_not_certain(tmp_path: Path, body: str) -> None:
    assert reason(found(tmp_path, f"std::vector<point> v;\nvoid collect() {{\n{body}\n}}\n"))


@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        (ladder(24, 100, 100, 40, 40, 40, 40, 2), "the lengths differ too much: half end within 2"),
        ([[48, 100, 4000], [96, 100, 9000]], "do not double"),
        (ladder(24, 10, 100), "do not double"),
    ],
)
def test_refuses_sizes_that_give_no_length(tmp_path: Path, sizes: Any, text: str) -> None:
    assert text in reason(found(tmp_path, LOOP, sizes=sizes))


def test_reserves_the_characters_of_strings(tmp_path: Path) -> None:
    text = "void collect() {\n std::string s;\n for (char c : all)\n  s += c;@\n}\n"
    sizes = [[32, 100, 3100], [64, 100, 6100], [128, 100, 12_100]]
    assert added(found(tmp_path, text, grower="string", sizes=sizes)) == [" s.reserve(120);"]


def test_needs_sources_as_they_were_built(tmp_path: Path) -> None:
    changed = found(tmp_path, LOOP, newer=5)
    assert "was changed after the program was built" in reason(changed)
    sentence = write_patch(changed, tmp_path / "x.patch")
    assert sentence.startswith(f"{tmp_path}/x.patch was not written: ")
    assert not (tmp_path / "x.patch").exists()
    inner = tmp_path / "inner"
    inner.mkdir()
    assert "is not below the current folder" in reason(found(inner, LOOP, name="../x.cpp"))
    assert "No such file or directory" in reason(
        found(inner, LOOP, functions=[{"name": name, "object": "/no"} for name in ("f", GROWERS["vector"])])
    )


MADE = "int collect(int n) {\n int sum = 0;\n for (int i = 0; i < n; ++i) {\n  BODY\n }\n return sum;\n}\n"


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("std::vector<char> b(n);@", [" std::vector<char> b;", "  b.clear();", "  b.resize(n);"]),
        ("std::vector<char> b(2 * n, 'x');@", [" std::vector<char> b;", "  b.assign(2 * n, 'x');"]),
        ("std::string b;\n  b.append(n, 'x');@", [" std::string b;", "  b.clear();"]),
        ("std::vector<int> b(s.size() + 1);@", None),
    ],
)
def test_hoists_a_buffer_out_of_its_loop(tmp_path: Path, body: str, lines: list[str] | None) -> None:
    patches = found(tmp_path, MADE.replace("BODY", body), kind="reuse", grower="made", sizes=[[999, 9, 9000]])
    assert added(patches)[-len(lines or ()) :] == (lines or added(patches))


KEPT = (
    "int collect(int n) {\n std::string b(n, 'x');@\n int sum = collect(n - 1) + b.size();\n return sum;\n}\n"
)


def test_keeps_the_buffer_of_a_function(tmp_path: Path) -> None:
    patches = found(tmp_path, KEPT, kind="reuse", grower="made", sizes=[[999, 9, 9000]])
    assert added(patches) == [
        " static thread_local std::string kept_b;",
        " std::string b;",
        " b.swap(kept_b);",
        " struct b_keeper { std::string& own; ~b_keeper() { kept_b.swap(own); } } keeps_b{b};",
        " b.assign(n, 'x');",
    ]


@pytest.mark.parametrize(
    "text",
    [
        KEPT.replace("return sum", "return b"),
        KEPT.replace("int sum", "out = std::move(b);\n int sum"),
        KEPT.replace("int collect", "constexpr int collect"),
        KEPT.replace("return", "co_return"),
        KEPT.replace("n - 1", "kept_b"),
        KEPT.replace("n - 1", "b.capacity()"),
        KEPT.replace("(n, 'x')", " = f(n)"),
        KEPT.replace("std::string b(n, 'x')", "std::vector<point> b(n)"),
        KEPT.replace("std::string b(n, 'x')", "std::vector<char> b(other)"),
        KEPT.replace("std::string b(n, 'x')", "std::vector<char> b(from, to)"),
        KEPT.replace("int collect", "~collect"),
        MADE.replace("BODY", "std::vector<char> sum(n);@"),
        MADE.replace("BODY", "std::vector<char> b(n);@").replace("int n)", "int n, int b)"),
        MADE.replace("BODY", "std::vector<char> b(n);@").replace("int sum", "if (n) goto end; int sum"),
        MADE.replace("BODY", "std::vector<char> b(n);@").replace(" for", " if (n) for"),
    ],
)
def test_keeps_no_buffer_where_that_may_differ(tmp_path: Path, text: str) -> None:
    assert reason(found(tmp_path, text, kind="reuse", grower="made", sizes=[[999, 9, 9000]]))


def test_other_patterns_have_no_reason(tmp_path: Path) -> None:
    assert "single" not in PATCHED
    assert found(tmp_path, LOOP, kind="single") == Patches()
