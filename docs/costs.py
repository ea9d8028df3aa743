"""Measures the bytes that the library adds to a program, and instructions: to compile its headers, of checks,
and of a program that is not optimised.

    build/venv/bin/python docs/costs.py build/mine/libmallard.a      writes bench/results/costs.json

The sizes are those of `size`: code and data, with and without initial value. valgrind counts the
instructions, so that a busy machine changes nothing. docs/refresh.py writes the tables.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench/results/costs.json"
OPTIONS = ("-std=c++20", "-O2", "-DNDEBUG", f"-I{ROOT / 'include'}")
# A header, or the headers that a program includes together.
HEADERS = (
    "memory_resource",
    "mallard/mallard.hpp",
    "mallard/fwd.hpp",
    *(f"mallard/local/{name}.hpp" for name in ("monotonic", "multipool", "concurrent_multipool", "heap")),
    *(f"mallard/bind/{name}.hpp" for name in ("allocator", "static_allocator", "resource", "pooled")),
    "mallard/local/monotonic.hpp mallard/bind/allocator.hpp",
    "mallard/local/monotonic.hpp mallard/bind/resource.hpp",
    "mallard/lifetime/wink_out.hpp",
)
# The declarations of a program, and the type of its list.
BINDINGS = {
    "`std::allocator`": ("", "", "std::list<int> numbers"),
    "`std::pmr::unsynchronized_pool_resource`": (
        "memory_resource",
        "std::pmr::unsynchronized_pool_resource pool;",
        "std::pmr::list<int> numbers{&pool}",
    ),
    "`allocator<int, multipool<>>`": (
        "mallard/mallard.hpp",
        "mallard::multipool<> pool;",
        "std::list<int, mallard::allocator<int, mallard::multipool<>>> numbers{pool}",
    ),
    "`static_allocator<int, tag>`, a `multipool` of each thread": (
        "mallard/mallard.hpp",
        "struct tag : mallard::per_thread<tag, mallard::multipool<>> {};",
        "std::list<int, mallard::static_allocator<int, tag>> numbers",
    ),
    "`resource<multipool<>>`": (
        "mallard/mallard.hpp",
        "mallard::resource<mallard::multipool<>> pool;",
        "std::pmr::list<int> numbers{&pool}",
    ),
    "`inline_allocator<int>` on the same": (
        "mallard/mallard.hpp",
        "mallard::resource<mallard::multipool<>> pool;",
        "std::list<int, mallard::inline_allocator<int>> numbers{&pool}",
    ),
    "`resource<monotonic<>>`": (
        "mallard/mallard.hpp",
        "mallard::resource<mallard::monotonic<>> pool;",
        "std::pmr::list<int> numbers{&pool}",
    ),
}
PROGRAM = """\
{include}
#include <list>
int main(int count, char**) {{
    {declarations}
    {numbers};
    for (int i = 0; i != count; ++i) {{
        numbers.push_back(i);
    }}
    return numbers.back();
}}
"""
PAIR = """\
#include <mallard/mallard.hpp>
#include <cstdlib>
int main(int, char** words) {
    mallard::multipool<> pool;
    for (int i = std::atoi(words[1]); i != 0; --i) {
        void* p = pool.allocate(24, 8);
        asm volatile("" : "+r"(p) : : "memory");
        pool.deallocate(p, 24, 8);
    }
}
"""
ELEMENT = """\
#include <mallard/mallard.hpp>
#include <cstdlib>
#include <list>
#include <memory_resource>
int main(int, char** words) {{
    {resource} pool;
    std::pmr::list<int> numbers{{&pool}};
    for (int i = std::atoi(words[1]); i != 0; --i) {{
        numbers.push_back(i);
    }}
}}
"""
NO_STACKS = {"MALLARD_STACK_FRAMES": "0"}
CHECKED = "-DMALLARD_CHECKED=1"
# Program, options, environment. The key says of what an instruction is.
LOOPS: dict[str, tuple[str, tuple[str, ...], dict[str, str]]] = {
    "`allocate` and `deallocate` of a `multipool`": (PAIR, (), {}),
    "the same, checked, without stacks": (PAIR, (CHECKED,), NO_STACKS),
    "the same, checked": (PAIR, (CHECKED,), {}),
    "an element of a `std::pmr::list<int>` on `resource<multipool<>>`, at `-O0`": (
        ELEMENT.format(resource="mallard::resource<mallard::multipool<>>"),
        ("-O0",),
        {},
    ),
    "the same on `std::pmr::unsynchronized_pool_resource`": (
        ELEMENT.format(resource="std::pmr::unsynchronized_pool_resource"),
        ("-O0",),
        {},
    ),
}
LOOP = 20_000
COUNTED = re.compile(r"I +refs: +([\d,]+)")


def run(command: Sequence[str | Path], environment: Mapping[str, str] = os.environ) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def compiled(source: Path, library: Path, options: Sequence[str] = ()) -> Path:
    program = source.with_suffix("")
    run(["g++", *OPTIONS, *options, source, library, "-o", program])
    return program


def program_bytes(source: Path, library: Path) -> int:
    """Code and data of the linked program."""
    return sum(int(number) for number in run(["size", compiled(source, library)]).splitlines()[1].split()[:3])


def instructions(command: Sequence[str | Path], environment: Mapping[str, str] = os.environ) -> int:
    """Of the largest of the processes that the command starts; of g++ that is the compiler proper."""
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--trace-children=yes"]
    out = run([*valgrind, "--cachegrind-out-file=/dev/null", *command], environment)
    return max(int(count.replace(",", "")) for count in COUNTED.findall(out))


def instructions_an_iteration(program: Path, environment: Mapping[str, str]) -> int:
    """Of the second half of many: the first has what is done once."""
    least, most = (instructions([program, str(count)], environment) for count in (LOOP, 2 * LOOP))
    return round((most - least) / LOOP)


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Measure what the library costs in bytes and in compilation."
    )
    parser.add_argument("library", type=Path, metavar="LIBMALLARD.A", help="a release build of the library")
    library = parser.parse_args().library.resolve()
    if not library.is_file():
        parser.error(f"{library} is not a file: build the library, and name its archive libmallard.a")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "program.cpp"
        sizes = {}
        for name, (header, declarations, numbers) in BINDINGS.items():
            include = f"#include <{header}>" if header else ""
            source.write_text(PROGRAM.format(include=include, declarations=declarations, numbers=numbers))
            sizes[name] = program_bytes(source, library)
        loops = {}
        for name, (text, options, environment) in LOOPS.items():
            source.write_text(text)
            program = compiled(source, library, options)
            loops[name] = instructions_an_iteration(program, {**os.environ, **environment})
        headers = {}
        for names in HEADERS:
            source.write_text("".join(f"#include <{name}>\n" for name in names.split()))
            headers[names] = instructions(["g++", *OPTIONS, "-fsyntax-only", source])
    compiler = run(["g++", "-dumpfullversion"]).strip()
    results = {"compiler": f"g++ {compiler}", "bytes": sizes, "loops": loops, "instructions": headers}
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
