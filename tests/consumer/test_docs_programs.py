"""The programs of docs/library compile against the installed library, and print what their comments state."""

import os
import re
from pathlib import Path

import pytest
from compiler_flags import WERROR
from consumer import run
from source_tree import ROOT

PROGRAM = re.compile(r"^## (.+?)$|```cpp\n(.*?)```", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"std::cout.*?// (.*)")
MOST_LINES = 15


def programs(page: Path) -> dict[str, str]:
    """Sources by heading; an excerpt has no main()."""
    sources, heading = {}, page.stem
    for match in PROGRAM.finditer(page.read_text(encoding="utf-8")):
        heading = match[1] or heading
        if match[2] and "int main()" in match[2]:
            sources[f"{page.stem}: {heading}"] = match[2]
    return sources


COOKBOOK = programs(ROOT / "docs/library/cookbook.md")
PROGRAMS = {
    name: source
    for page in sorted((ROOT / "docs/library").glob("*.md"))
    for name, source in programs(page).items()
}


def test_finds_the_programs():
    assert len(COOKBOOK) >= 11
    pages = {name.partition(":")[0] for name in PROGRAMS}
    assert pages == {"c_libraries", "cookbook", "real_time"}


@pytest.mark.parametrize("name", COOKBOOK)
def test_a_recipe_is_short(name):
    lines = [line for line in COOKBOOK[name].splitlines() if line and not line.startswith("#include")]
    assert len(lines) <= MOST_LINES


@pytest.mark.parametrize("name", PROGRAMS)
def test_prints_what_its_comments_state(name, prefix, tmp_path):
    expected = "".join(OUTPUT.findall(PROGRAMS[name]))
    assert expected
    source = tmp_path / "program.cpp"
    source.write_text(PROGRAMS[name], encoding="utf-8")
    (library,) = prefix.rglob("libmallard.a")
    flags = ["-std=c++20", "-Wall", "-Wextra", *WERROR, "-pthread", f"-I{prefix / 'include'}"]
    run(os.environ.get("CXX") or "c++", *flags, source, library, "-o", tmp_path / "program")
    assert run(tmp_path / "program", folder=tmp_path) == expected
