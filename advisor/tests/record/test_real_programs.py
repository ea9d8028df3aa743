"""Programs as a distribution ships them, from their start to the trace. An independent counter agrees."""

import re
import shutil

import pytest
from advisor_programs import front

MOST_PAGE_BYTES = 5_000_000
SOURCE = """#include <map>
#include <string>
int main() { return std::map<std::string, int>{{"a", 1}}.at("a"); }
"""
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(small LANGUAGES C)
add_executable(small x.c)
"""
MESSAGES = """syntax = "proto3";
message Small { map<string, int64> numbers = 1; repeated Small parts = 2; string name = 3; }
"""
SCRIPT = """import json
assert json.loads(json.dumps([str(each) * 300 for each in range(5000)]))
"""


@pytest.mark.parametrize(
    ("command", "file", "text", "least"),
    [
        ("clang++-16 -fsyntax-only x.cpp", "x.cpp", SOURCE, 50_000),
        ("cmake -S . -B build", "CMakeLists.txt", PROJECT, 50_000),
        ("protoc --cpp_out=. x.proto", "x.proto", MESSAGES, 20_000),
        ("/usr/bin/python3 x.py", "x.py", SCRIPT, 5_000),
    ],
    ids=["clang", "cmake", "protoc", "python3"],
)
def test_records_every_call_with_the_full_stack(record, tmp_path, command, file, text, least):
    """With the programs that cmake starts, which are counted too."""
    program = command.split()[0]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    (tmp_path / file).write_text(text)
    (tmp_path / "x.c").write_text("int main(void) { return 0; }\n")
    done = record(*command.split(), options=["--follow"], count=True)
    assert done.status == 0, done.messages
    assert done.events == done.counted >= least
    assert "lost" not in done.messages
    complete = re.search(r"([\d.]+) % of", done.messages)
    assert complete is not None
    assert float(complete[1]) > 99.5
    page = front("profile", done.trace, "--html", "x.html", folder=tmp_path)
    assert page.returncode == 0, page.stderr
    assert 100_000 < (tmp_path / "x.html").stat().st_size <= MOST_PAGE_BYTES
