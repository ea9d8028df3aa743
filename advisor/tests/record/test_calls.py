"""The recorder changes no result of an allocator call, and the trace has the kind and bytes of each call."""

import os
import signal
import subprocess
from collections import Counter

import pytest
from advisor_programs import LONGEST, profiled

# Numbers of `record_kind` in advisor/trace/raw_record.hpp.
(MALLOC, CALLOC, REALLOC, ALIGNED, NEW, NEW_ARRAY, ALIGNED_NEW, ALIGNED_NEW_ARRAY) = range(1, 9)
(FREE, DELETE, DELETE_ARRAY, REALLOC_OLD, REALLOC_FAILED) = range(16, 21)


def run_program(*words, **variables):
    done = subprocess.run(
        [str(word) for word in words],
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    return done.returncode, done.stdout


def recorded(collector, trace, *words):
    """What the program writes, and its events as (kind, address, bytes)."""
    done = run_program(collector, "-o", trace, "--", *words)
    return done, read_events(trace)


def read_events(trace):
    lines = [line.split() for line in profiled("--events", trace).splitlines() if line[0].isdigit()]
    return [(int(fields[2]), int(fields[3], 16), int(fields[4])) for fields in lines]


def fate(events, size):
    """The kinds of the events of the block of that size, from its allocation to its end."""
    at = next(place for place, event in enumerate(events) if event[2] == size)
    kinds = [events[at][0]]
    for kind, address, _ in events[at + 1 :]:
        if address == events[at][1]:
            kinds.append(kind)
            if kind != REALLOC_OLD:
                break
    return kinds


def test_malloc_and_its_family(collector, toys, tmp_path):
    program = toys.build("calls-of-c", ["calls_of_c.c"])
    expected = run_program(program)
    done, events = recorded(collector, tmp_path / "x", program)
    assert done == expected
    assert expected[0] == 0
    assert "free: errno 5" in expected[1]
    for size, kinds in {
        1001: [MALLOC, FREE],
        1005: [REALLOC, FREE],  # reallocarray
        1006: [ALIGNED, FREE],  # posix_memalign
        1024: [ALIGNED, FREE],  # aligned_alloc
        1008: [ALIGNED, FREE],  # memalign
        1009: [ALIGNED, FREE],  # valloc
        1010: [ALIGNED, FREE],  # pvalloc
        200003: [REALLOC, FREE],
    }.items():
        assert fate(events, size) == kinds, size
    assert [kind for kind, _, size in events if size == 1001] == [MALLOC, CALLOC]
    # A realloc that moves, one that fails, and one that frees: realloc(p, 0).
    assert fate(events, 1003) in ([MALLOC, REALLOC_OLD], [MALLOC, REALLOC_OLD, REALLOC])
    at = next(place for place, event in enumerate(events) if event[2] == 1011)
    of_block = [kind for kind, address, _ in events[at:] if address == events[at][1]]
    assert of_block[:4] == [MALLOC, REALLOC_OLD, REALLOC_FAILED, FREE]
    assert (REALLOC_OLD, next(event[1] for event in events if event[2] == 1013), 0) in events
    assert not [event for event in events if event[2] > 1 << 20 or event[2] == 1012], (
        "a failed call is no event"
    )
    kinds = Counter(kind for kind, _, _ in events)
    assert kinds[MALLOC] + kinds[CALLOC] + kinds[REALLOC] + kinds[ALIGNED] == (
        kinds[FREE] + kinds[REALLOC_OLD] - kinds[REALLOC_FAILED]
    )


def test_operators_new_and_delete(collector, toys, tmp_path):
    program = toys.build("calls-of-cpp", ["calls_of_cpp.cpp"], "-std=c++17")
    expected = run_program(program)
    done, events = recorded(collector, tmp_path / "x", program)
    assert done == expected
    assert expected[0] == 0
    assert expected[1].count("std::bad_alloc, handlers 2") == 4
    assert expected[1].count("null, handlers 2") == 4
    for size, kinds in {
        2001: [NEW, DELETE],
        2002: [NEW_ARRAY, DELETE_ARRAY],
        2003: [NEW, DELETE],
        2004: [NEW_ARRAY, DELETE_ARRAY],
        2005: [ALIGNED_NEW, DELETE],
        2006: [ALIGNED_NEW_ARRAY, DELETE_ARRAY],
        2007: [ALIGNED_NEW, DELETE],
        2008: [ALIGNED_NEW_ARRAY, DELETE_ARRAY],
        2009: [NEW, DELETE],
        2010: [NEW_ARRAY, DELETE_ARRAY],
        2011: [ALIGNED_NEW, DELETE],
        2012: [ALIGNED_NEW_ARRAY, DELETE_ARRAY],
    }.items():
        assert fate(events, size) == kinds, size
    assert [kind for kind, address, size in events if kind == NEW and size == 0 and address != 0] == [NEW]


@pytest.mark.parametrize("standard_library", ["of the system", "in the library"])
def test_a_c_program_loads_a_cpp_library(collector, toys, tmp_path, standard_library):
    """Its operators are not among those that follow the recorder's. A request that fails needs them."""
    static = ["-static-libstdc++", "-static-libgcc"] if standard_library == "in the library" else []
    library = toys.build(f"plug-in-{len(static)}.so", ["plug_in_new.cpp"], "-shared", "-fPIC", *static)
    host = toys.build("host-in-c", ["host_in_c.c"])
    words = [host, library, "works", "gives_null", "fails", "asks_the_handler"]
    expected = run_program(*words)
    assert expected == (0, "works 1\ngives_null 1\nfails 1\nasks_the_handler 1\nno error\n")
    done, events = recorded(collector, tmp_path / "x", *words)
    assert done == expected
    assert [kind for kind, _, size in events if kind == NEW and size == 4] == [NEW]


def test_lookups_of_operators_are_no_events(collector, toys, tmp_path):
    """Before `works` comes the library's memory for exceptions, not the message of a failed dlsym."""
    library = toys.build("plug-in-0.so", ["plug_in_new.cpp"], "-shared", "-fPIC")
    host = toys.build("host-in-c", ["host_in_c.c"])
    _, events = recorded(collector, tmp_path / "x", host, library, "works")
    sizes = [size for _, _, size in events]
    assert sizes[sizes.index(4) - 1] > 16_384


def test_operator_new_without_a_standard_library(record, toys):
    """Nothing can throw the exception then. The program ends with a reason, and not by a call of null."""
    library = toys.build("only-new.so", ["only_new.cpp"], "-shared", "-fPIC", "-nodefaultlibs", "-lc")
    host = toys.build("host-in-c", ["host_in_c.c"])
    assert record(host, library, "gives_null").status == 0
    done = record(host, library, "gives_null", "fails")
    assert done.status == 128 + signal.SIGABRT
    assert (
        "mallard: there is no memory for an operator new, and no library of the program has one"
        in done.messages
    )
