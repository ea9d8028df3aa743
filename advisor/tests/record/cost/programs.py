"""The programs whose recording is measured: loops that do nothing else, and programs as Debian has them."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
LEVELS = (10, 25, 55)
NEW = (1, 2, 4)
HOT_EVENTS = 2_000_000
WORK = (0, 25, 50, 100, 200, 400, 800)  # multiplications between two events
CURVE_LEVELS, CURVE_NEW, CURVE_EVENTS = 25, 2, 500_000
MESSAGES = 400
LARGE_EVENTS, LARGE_MESSAGES = 100_000_000, 3000

SOURCE = """#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <vector>
int main() {
    std::map<std::string, std::vector<int>> words{{"a", {1, 2}}};
    std::cout << words.size() << std::regex_match("a", std::regex("a+"));
}
"""
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(small LANGUAGES C CXX)
find_package(Threads REQUIRED)
foreach(number RANGE 1 ${LIBRARIES})
  add_library(part_${number} STATIC part.cpp)
  target_link_libraries(part_${number} PUBLIC Threads::Threads)
endforeach()
"""
SCRIPT = """import json
rows = [{"number": each, "text": str(each) * 3} for each in range(20_000)]
text = json.dumps(rows)
assert json.loads(text) == rows
"""
# A tree of hashes, built, walked and dropped again and again: in perl the interpreter is one loop, in ruby
# each level of the tree is some ten calls of C.
PERL_ROUNDS, RUBY_ROUNDS = 2500, 24_000
PERL = """sub children { my ($d) = @_; return $d ? [node($d - 1), ($d % 4 ? () : node($d - 2))] : [] }
sub node { my ($d) = @_; return { v => "n$d", k => children($d) } }
sub total { my ($n) = @_; my $t = length $n->{v}; $t += total($_) for @{$n->{k}}; return $t }
my $sum = 0;
for (1 .. $ARGV[0]) {
    $sum += total(node(40));
    my @words = map { "w$_" x 3 } 1 .. 200;
    $sum += length join ",", sort @words;
}
print "$sum\n";
"""
RUBY = """def children(d) = d > 0 ? (d % 6 == 0 ? [1, 2] : [1]).map { node(d - 1) } : []
def node(d) = { v: "n" * 60 + d.to_s, k: children(d) }
def total(n) = n[:v].size + n[:k].sum { |k| total(k) }
sum = 0
ARGV[0].to_i.times do
  sum += total(node(36))
  sum += (1..200).map { |i| "word#{i}" * 8 }.sort.join(",").size
end
puts sum
"""


@dataclass(frozen=True)
class Case:
    """A program to run."""

    name: str
    command: tuple[str, ...]
    levels: int = 0
    new: int = 0
    work: int = 0
    under_heaptrack: bool = False  # too
    scratch: Path | None = None  # a folder that is removed before each run


def hot(folder: Path) -> Iterator[Case]:
    program = _hot_program(folder)
    for levels in LEVELS:
        for new in NEW:
            words = (program, str(levels), str(new), str(HOT_EVENTS), "0")
            yield Case("hot", words, levels, new)


def curve(folder: Path) -> Iterator[Case]:
    program = _hot_program(folder)
    for work in WORK:
        words = (program, str(CURVE_LEVELS), str(CURVE_NEW), str(CURVE_EVENTS), str(work))
        yield Case("curve", words, CURVE_LEVELS, CURVE_NEW, work)


def real(folder: Path) -> Iterator[Case]:
    """Those that are installed."""
    (folder / "x.cpp").write_text(SOURCE)
    (folder / "part.cpp").write_text("int part;\n")
    (folder / "CMakeLists.txt").write_text(PROJECT)
    (folder / "x.proto").write_text(_messages())
    (folder / "x.py").write_text(SCRIPT)
    # In memory: some disks take longer to make a folder than cmake to fill it.
    build = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else folder))
    configure = ("cmake", "-S", ".", "-B", str(build))
    cases = [
        Case("clang++-16 -fsyntax-only", ("clang++-16", "-fsyntax-only", "x.cpp"), under_heaptrack=True),
        Case("cmake, a small project", (*configure, "-DLIBRARIES=1"), under_heaptrack=True, scratch=build),
        Case("cmake, 200 libraries", (*configure, "-DLIBRARIES=200"), under_heaptrack=True, scratch=build),
        Case("protoc", ("protoc", "--cpp_out=.", "x.proto"), under_heaptrack=True),
        Case("python3", ("/usr/bin/python3", "x.py")),
    ]
    return (case for case in cases if shutil.which(case.command[0]))


def large(folder: Path) -> Iterator[Case]:
    """Recordings that are long to read: of programs that free their blocks, and of one that keeps them."""
    words = (_hot_program(folder), str(CURVE_LEVELS), str(CURVE_NEW), str(LARGE_EVENTS), "0")
    cases = [
        Case("a loop", words),
        Case("protoc, a large file", ("protoc", "--cpp_out=.", "large.proto")),
        Case("perl, a tree", ("perl", "tree.pl", str(PERL_ROUNDS))),
        Case("ruby, a tree", ("ruby", "tree.rb", str(RUBY_ROUNDS))),
    ]
    (folder / "large.proto").write_text(_messages(LARGE_MESSAGES))
    (folder / "tree.pl").write_text(PERL)
    (folder / "tree.rb").write_text(RUBY)
    return (case for case in cases if shutil.which(case.command[0]))


def _hot_program(folder: Path) -> str:
    return str(compiled(folder / "hot", "hot.c"))


def compiled(into: Path, source: str, *flags: str) -> Path:
    if not into.exists():
        command = ["cc", "-O2", "-fomit-frame-pointer", *flags, str(FOLDER / source), "-o", str(into)]
        subprocess.run(command, check=True)
    return into


def _messages(count: int = MESSAGES) -> str:
    lines = ['syntax = "proto3";', "package cost;"]
    for number in range(count):
        fields = (
            f"  {kind} field_{place} = {place};"
            for place, kind in enumerate(("int32", "string", "repeated double", "map<string, int64>"), 1)
        )
        lines += [f"message Message{number} {{", *fields, "}"]
    return "\n".join([*lines, ""])
