"""Names and sizes of files, and a unit test for each public header."""

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from source_tree import ROOT, files, includes, text

MOST_LINES = 700
NAMES_THAT_SAY_NOTHING = {"detail", "details", "util", "utils", "common", "misc", "helper", "helpers"}
SOURCES = ("*.hpp", "*.cpp", "*.def", "*.py", "*.cmake", "CMakeLists.txt", "mallard", ".ci/run")
SNAKE_CASE = re.compile(r"_*[a-z0-9]+(_[a-z0-9]+)*_*")


def says_nothing(file: Path) -> bool:
    return bool(NAMES_THAT_SAY_NOTHING & {part.split(".")[0].lower() for part in file.parts})


def unit_test_path(header: Path) -> Path:
    """include/mallard/core/alignment.hpp -> tests/unit/core/alignment_test.cpp"""
    below = header.relative_to("include/mallard")
    return Path("tests/unit") / below.with_name(f"{below.stem}_test.cpp")


def headers() -> list[Path]:
    return files("*.hpp", under="include")


def test_finds_headers_and_modules():
    assert len(headers()) > 10
    assert len(files("*.py")) > 10


def test_files_are_short():
    long = {str(file): n for file in files(*SOURCES) if (n := len(text(file).splitlines())) > MOST_LINES}
    assert long == {}


def test_no_file_or_folder_has_a_vague_name():
    assert [str(file) for file in files() if says_nothing(file)] == []


def test_names_are_snake_case():
    wrong = [file for file in files("*.hpp", "*.cpp", "*.py") if not SNAKE_CASE.fullmatch(file.stem)]
    assert [str(file) for file in wrong] == []


@pytest.mark.parametrize("header", headers(), ids=str)
def test_a_public_header_has_a_unit_test(header):
    test = unit_test_path(header)
    assert (ROOT / test).is_file(), f"{test} is missing"
    assert re.search(r"^\s*(TYPED_)?TEST(_[FP])?\s*\(", text(test), re.MULTILINE), f"{test} has no TEST"
    assert str(header.relative_to("include")) in includes(text(test)), f"{test} does not include it"


@pytest.mark.parametrize("header", headers(), ids=str)
def test_a_public_header_begins_with_a_comment(header):
    source = text(header)
    assert "#pragma once" in source
    assert source.lstrip().startswith(("//", "/*"))


def starters_of_threads(source: str) -> list[str]:
    """suite.name of each; where a function before the tests starts threads, of all of them."""
    preamble, *tests = re.split(r"^TEST(?:_F|_P)?\(", source, flags=re.MULTILINE)
    starts = re.compile(r"std::j?thread(\(| \w|>\s+\w)|std::async\(")
    names = []
    for test in tests:
        if starts.search(preamble) or starts.search(test):
            names.append(".".join(re.match(r"\s*(\w+),\s*(\w+)", test).groups()))
    return names


def test_tsan_runs_every_test_with_threads():
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["testPresets"]
    (pattern,) = [preset["environment"]["GTEST_FILTER"] for preset in presets if preset["name"] == "tsan"]
    names = [name for file in files("*.cpp", under="tests") for name in starters_of_threads(text(file))]
    assert len(names) >= 5
    assert [name for name in names if not fnmatchcase(name, pattern)] == []


def test_the_check_sees_threads_in_fixtures():
    alone = "TEST(a, b) {\n    std::thread([] {}).join();\n}\nTEST(a, c) {\n    f<std::thread>();\n}\n"
    assert starters_of_threads(alone) == ["a.b"]
    shared = "void go() {\n    std::vector<std::thread> all;\n}\nTEST_F(a, b) {\n    go();\n}\n"
    assert starters_of_threads(shared) == ["a.b"]


@pytest.mark.parametrize("name", ["tests/utils/x.py", "src/detail/a.cpp", "python/mallard/helpers.py"])
def test_the_check_knows_vague_names(name):
    assert says_nothing(Path(name))
    assert not says_nothing(Path("include/mallard/core/alignment.hpp"))


def test_only_one_function_catches_everything():
    """A forced unwinding, which ends a cancelled thread, has to pass: null_if_throws() lets it."""
    sources = files("*.hpp", "*.cpp", under="include") + files("*.hpp", "*.cpp", under="src")
    handlers = {str(file): text(file).count("catch (...)") for file in sources if "catch (...)" in text(file)}
    assert handlers == {"include/mallard/core/quiet_request.hpp": 1}
    assert "catch (const abi::__forced_unwind&) {\n        throw;" in text(
        "include/mallard/core/quiet_request.hpp"
    )
