"""The printers of debug/ in real debuggers, on a program in which the allocators print the same figures.

A program without optimisation, an optimised one and a checked one, each by g++ and by clang++, are stopped in
gdb and in lldb. A figure that an allocator has a function for is compared with it, blocks with the calls."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from advisor_programs import LONGEST
from source_tree import ROOT

HERE = ROOT / "tests/debuggers"
BUILD = ROOT / "build/debuggers"
DOCUMENT = ROOT / "docs/library/debugging.md"
BUILDS = {
    "debug": ("-O0", "-DMALLARD_CHECKED=0"),
    "optimised": ("-O2", "-DNDEBUG"),
    "checked": ("-O0", "-DMALLARD_CHECKED=1"),
}
# Blocks in use after the calls of main(), where a printer counts blocks.
LIVE = {
    "stack": 1,
    "orders": 50,
    "few": 3,
    "given": 30,
    "single": 0,
    "small": 11,
    "nodes": 601,
    "whole_nodes": 10,
    "heap": 7,
    "region": 3,
}
FREE = {
    "below": {24: 1},
    "pool": {40: 3, 104: 1},
    "queues": {40: 280, 80: 4},
    "stacks": {64: 2},
    "many_freed": {16: 20000},
}
LINES = {
    "any": "upstream_ref to monotonic<chunk_cache> at 0x",
    "system_pages": "pages",
    "shared": "concurrent_multipool over chunk_cache: ",
    "together": "concurrent_monotonic over chunk_cache: ",
    "counted": "counted (bytes in use 20, allocations 3, deallocations 1, peak bytes 30, failures 0) of ",
    "limited": "limited (bytes in use 200, limit bytes 1,000) of monotonic over chunk_cache: ",
    "failing": "failing (at 7, requests 2) of heap over chunk_cache: ",
    "recorded": "recorded of multipool over chunk_cache: ",
    "retrying": "retrying of multipool over chunk_cache: ",
    "named": "named multipool over chunk_cache: ",
    "locked": "synchronized of multipool over chunk_cache: ",
    "both": "segregate of small_object_pool over chunk_cache: ",
    "either": "fallback of fixed_pool in a growing_arena: ",
    "checked": "checked (2 live blocks, 1 block in quarantine) of monotonic over chunk_cache: ",
    "by_base": "resource of monotonic over chunk_cache: ",
    "bound": "allocator of monotonic over chunk_cache: ",
    "growing": "expandable_allocator of heap over chunk_cache: ",
    "of_tag": "static_allocator of the pool of tag",
    "objects": "object_arena (objects to destroy 2) of monotonic over chunk_cache: ",
    "before": "checkpoint of monotonic over chunk_cache: ",
}


def compilers() -> list[str]:
    return [name for name in ("g++", "clang++", "clang++-19") if shutil.which(name)][:2]


def lldb() -> str | None:
    return next((name for name in ("lldb", "lldb-19") if shutil.which(name)), None)


def run(*command: str | Path) -> str:
    # lldb finds its own server with these, and a user's settings change what is printed.
    environment = {**os.environ, "HOME": str(BUILD), "LC_ALL": "C.UTF-8"}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LONGEST)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def library() -> Path:
    folder = BUILD / "library"
    run("cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_CXX_COMPILER=g++")
    run("cmake", "--build", folder, "--target", "mallard", "--parallel", "2")
    return folder / "libmallard.a"


@pytest.fixture(scope="session", params=[f"{c} {b}" for c in compilers() for b in BUILDS])
def program(request: pytest.FixtureRequest, library: Path) -> Path:
    compiler, build = request.param.split()
    path = BUILD / f"program-{compiler}-{build}"
    options = ("-std=c++20", "-g", "-Iinclude", *BUILDS[build])
    run(compiler, *options, HERE / "program.cpp", "-o", path, library, "-pthread")
    return path


@dataclass
class Shown:
    line: str = ""
    numbers: dict[str, int] = field(default_factory=dict)
    """The children that are numbers; those of a child are left out."""

    def of_kind(self, kind: str) -> list[int]:
        return [number for name, number in self.numbers.items() if name.startswith(f"[{kind} 0x")]


def variables() -> list[str]:
    declared = re.findall(
        r"^mallard::[^;(]*?\b(\w+)(?:\(.*\)| = .*)?;$",
        (HERE / "program.cpp").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    return [name for name in declared if name not in ("base", "bound_to_base")]


UNMADE = ("unmade.arena", "unmade.pool", "unmade.fixed", "unmade.heap")


def shown(output: str) -> dict[str, Shown]:
    """Both debuggers print a variable as `x = LINE {`, lines of two spaces for children, and `}`."""
    values: dict[str, Shown] = {}
    for part in re.split("^@@", output, flags=re.MULTILINE)[1:]:
        name, _, text = part.partition("\n")
        first, *others = [line for line in text.splitlines() if not line.startswith(("(lldb)", "error: "))]
        children = (re.fullmatch(r"  (\S.*) = (\d+),?", line) for line in others)
        numbers = {child[1]: int(child[2]) for child in children if child}
        line = re.sub(r"^(\(.*?\) @)?0x[0-9a-f]+:? |:? ?(= )?\{\}?$", "", first.partition(" = ")[2])
        values[name] = Shown(line, numbers)
    return values


def in_gdb(program: Path, names: list[str]) -> str:
    commands = ["set pagination off", "set print pretty on", "set print elements unlimited", "set width 0"]
    commands += ["source debug/mallard_gdb.py", "break all_is_used", "run", "up"]
    for name in names:
        commands += [f"echo @@{name}\\n", f"print {name}"]
    script = program.with_suffix(".gdb")
    script.write_text("\n".join([*commands, "kill"]) + "\n")
    return run("gdb", "-nx", "-batch", "-x", script, program)


def in_lldb(program: Path, names: list[str]) -> str:
    commands = ["settings set target.max-children-count 100000", "settings set auto-confirm true"]
    commands += ["settings set target.disable-aslr false", "command script import debug/mallard_lldb.py"]
    commands += ["breakpoint set --name all_is_used", "run", "up"]
    for name in names:
        commands += [f'script print("@@{name}")', f"frame variable {name}"]
    script = program.with_suffix(".lldb")
    script.write_text("\n".join([*commands, "kill"]) + "\n")
    debugger = lldb()
    assert debugger is not None
    return run(debugger, "--no-lldbinit", "--batch", "-s", script, program)


@pytest.fixture(
    scope="session",
    params=[
        pytest.param(
            in_gdb,
            marks=pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is missing: apt-get install gdb"),
        ),
        pytest.param(
            in_lldb, marks=pytest.mark.skipif(not lldb(), reason="lldb is missing: apt-get install lldb-19")
        ),
    ],
    ids=["gdb", "lldb"],
)
def output(request: pytest.FixtureRequest, program: Path) -> str:
    return request.param(program, [*variables(), *UNMADE])


@pytest.fixture(scope="session")
def values(output: str) -> dict[str, Shown]:
    return shown(output)


@pytest.fixture(scope="session")
def told(program: Path) -> dict[str, dict[str, int]]:
    figures: dict[str, dict[str, int]] = {}
    for line in run(program).splitlines():
        name, figure, value = line.split()
        figures.setdefault(name, {})[figure] = int(value)
    return figures


def test_every_object_is_read(values):
    assert len(values) > 35
    assert [
        value for name, value in values.items() if name not in UNMADE and "not readable" in value.line
    ] == []
    assert {name: values[name].line for name in LINES if not values[name].line.startswith(LINES[name])} == {}


def test_figures_are_those_of_the_allocators(values, told, program):
    compared, checked = 0, program.name.endswith("checked")
    for name, figures in told.items():
        numbers = values[name].numbers
        # Blocks of a checked pool have guard zones, which block_bytes() leaves out; a quarantine is in use.
        common = (figures.keys() & numbers.keys()) - ({"block_bytes", "live_blocks"} if checked else set())
        assert {key: numbers[key] for key in common} == {key: figures[key] for key in common}, name
        compared += len(common)
        if "in a " not in values[name].line and name not in (
            "small",
            "region",
        ):  # their chunks are those of a child
            chunks = values[name].of_kind("chunk")
            assert (len(chunks), sum(chunks)) == (figures["chunks"], figures["chunk_bytes"]), name
        large = values[name].of_kind("large block")
        assert len(large) == figures["large_blocks"], name
    assert compared > 30


def test_blocks_in_use_are_those_of_the_calls(values):
    assert {name: values[name].numbers["live_blocks"] for name in LIVE} == LIVE


def test_free_blocks_are_those_of_the_calls(values, program):
    if program.name.endswith("checked"):  # freed blocks wait in quarantine
        assert values["pool"].numbers["blocks_in_quarantine"] == 4
        return
    assert ", 20,000 free blocks or more, " in values["many_freed"].line
    assert ", 20,000 blocks or more freed, " in values["all_freed"].line
    assert "live_blocks" not in values["all_freed"].numbers
    for name, free in FREE.items():
        numbers = values[name].numbers
        assert {key: n for key, n in numbers.items() if key.startswith("[free")} == {
            f"[free blocks of {size} bytes]": n for size, n in free.items()
        }


def test_objects_that_were_never_made_are_unreadable(values):
    """Or have senseless figures; the debugger goes on."""
    assert all(re.match(r"\w+ (is not readable: |over|in a)", values[name].line) for name in UNMADE)


def unnumbered(text: str) -> list[str]:
    return [re.sub(r"0x[0-9a-f]+", "0x", re.sub(r"^\$\d+", "$", line)) for line in text.splitlines()]


def test_the_document_has_real_output(output, program):
    if program.name != "program-g++-debug":
        pytest.skip("the document's program is that of g++ without optimisation")
    prompt = "(lldb)" if "(lldb)" in output else "(gdb)"
    blocks = re.findall(r"```text\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    documented = [line for block in blocks if block.startswith(prompt) for line in unnumbered(block)]
    assert len(documented) >= 10
    commands = [line for line in documented if line.startswith(prompt)]
    assert [line for line in documented if line not in [*unnumbered(output), *commands]] == []
