"""A program with its own malloc or operator new is named, and recorded as the message states."""

import subprocess

import pytest
from advisor_programs import profile_of

CALLS = 500


def test_an_operator_new_of_the_program_over_malloc(record, toys):
    program = toys.build("own-new", ["own_operators.cpp", "news.cpp"])
    done = record(program, CALLS)
    assert "has its own operator new, linked into it: the memory that it takes from malloc" in done.messages
    assert done.events >= 2 * CALLS


def test_a_custom_operator_new_that_cuts_blocks(record, toys):
    program = toys.build("own-pool", ["own_operators.cpp", "news.cpp"], "-DCUTS_BLOCKS")
    done = record(program, CALLS)
    assert "blocks from elsewhere are not" in done.messages
    assert "error: nothing was recorded" in done.messages or done.events < CALLS


@pytest.mark.parametrize("header", [0, 16])
def test_an_operator_new_of_a_library(record, toys, header):
    """Recorded are its calls, and those of malloc and free below them, but for a free of the same block."""
    library = toys.build(
        f"libown{header}.so", ["own_operators.cpp"], "-shared", "-fPIC", f"-DHEADER={header}"
    )
    where = f"-Wl,-rpath,{library.parent}"
    program = toys.build(f"new-of-library{header}", ["news.cpp"], "-Wl,--no-as-needed", str(library), where)
    done = record(program, CALLS, count=True)
    assert (
        f"operator new comes from libown{header}.so: calls are recorded and forwarded to it" in done.messages
    )
    assert done.events == done.counted + (2 * CALLS if header else CALLS)
    assert "lost" not in done.messages
    profile = profile_of(done.trace)
    assert profile["foreign"]["frees"] == 0
    assert profile["figures"]["alive"]["allocations"] <= 1


def test_a_malloc_of_the_program(record, toys):
    program = toys.build("own-malloc", ["own_malloc.c", "calls.c"], "-DVISIBILITY=")
    done = record(program, CALLS, "calls")
    assert done.status == 2
    assert "has its own malloc, linked into it" in done.messages


def test_a_hidden_malloc_of_the_program(record, toys):
    hidden = '-DVISIBILITY=__attribute__((visibility("hidden")))'
    program = toys.build("hidden-malloc", ["own_malloc.c", "calls.c"], hidden)
    done = record(program, CALLS, "calls")
    assert "has its own malloc, hidden in it: only the calls of its libraries" in done.messages
    assert "error: nothing was recorded" in done.messages or done.events < CALLS


def find_library(name):
    """Debian has the libraries without the names that a linker looks for."""
    answer = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
    paths = [line.split(" => ")[1] for line in answer.splitlines() if line.strip().startswith(name)]
    if not paths:
        pytest.skip(f"{name} is not installed")
    return paths[0]


@pytest.mark.parametrize("name", ["libjemalloc.so", "libtcmalloc_minimal.so", "libmimalloc.so"])
@pytest.mark.parametrize("mode", ["linked", "preloaded"])
def test_a_malloc_of_a_library(record, toys, monkeypatch, name, mode):
    library = find_library(name)
    linked = ["-Wl,--no-as-needed", library] if mode == "linked" else []
    program = toys.build(f"{mode}-{name}", ["calls.c"], *linked)
    program_in_cpp = toys.build(f"news-{mode}-{name}", ["news.cpp"], *linked)
    if mode == "preloaded":
        monkeypatch.setenv("LD_PRELOAD", library)
    for done in (record(program, CALLS, "calls"), record(program_in_cpp, CALLS)):
        assert f"note: malloc comes from {name}" in done.messages
        assert 2 * CALLS <= done.events < 2 * CALLS + 100, done.messages
