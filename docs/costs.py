"""Measures the bytes that the library adds to a program, and the instructions to compile its headers.

    build/venv/bin/python docs/costs.py build/mine/libmallard.a      writes bench/results/costs.json

The sizes are those of `size`: code and data, with and without initial value. valgrind counts the compiler's
instructions, so that a busy machine changes nothing. docs/refresh.py writes the tables.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
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


def run(command: Sequence[str | Path]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def program_bytes(source: Path, library: Path) -> int:
    """Code and data of the linked program."""
    program = source.with_suffix("")
    run(["g++", *OPTIONS, source, library, "-o", program])
    return sum(int(number) for number in run(["size", program]).splitlines()[1].split()[:3])


def compile_instructions(source: Path) -> int:
    """Of the compiler proper, which is the largest of the processes that g++ starts."""
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--trace-children=yes"]
    out = run([*valgrind, "--cachegrind-out-file=/dev/null", "g++", *OPTIONS, "-fsyntax-only", source])
    return max(int(count.replace(",", "")) for count in re.findall(r"I +refs: +([\d,]+)", out))


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
        instructions = {}
        for headers in HEADERS:
            source.write_text("".join(f"#include <{header}>\n" for header in headers.split()))
            instructions[headers] = compile_instructions(source)
    compiler = run(["g++", "-dumpfullversion"]).strip()
    results = {"compiler": f"g++ {compiler}", "bytes": sizes, "instructions": instructions}
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
