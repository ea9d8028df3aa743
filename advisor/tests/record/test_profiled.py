"""Traces of real programs in the tools that read them: redacted ones, torn ones, folded stacks, pages."""

import ctypes
import ctypes.util
import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from advisor_programs import LONGEST, folded_stacks, front

CALLS = 500
FILE_HEAD = 16
FRAME_HEAD = 68
ALLOCATIONS = range(1, 9)  # numbers of `record_kind` in advisor/trace/raw_record.hpp
HUGE = 100_000_000_000
WRITTEN = {"sparse": 1 / 64, "half": 0.5, "nothing": 0.0, "all": 1.0}
MOST_PAGE_BYTES = 5_000_000


def frames(trace):
    """The heads of the frames, as their place, bytes and kind, and what their bodies are made of."""
    zstd = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    file = trace.read_bytes()
    at = FILE_HEAD
    while at < len(file):
        body, plain, kind = struct.unpack_from("<III", file, at)
        text = ctypes.create_string_buffer(plain + 1)
        packed = file[at + FRAME_HEAD : at + FRAME_HEAD + body]
        assert zstd.ZSTD_decompress(text, plain, packed, body) == plain
        yield at, kind, text.raw[:plain]
        at += FRAME_HEAD + body


def run_profiler(collector, *words):
    program = collector.with_name("mallard-profile")
    return subprocess.run([program, *map(str, words)], capture_output=True, timeout=LONGEST, check=False)


def read_profile(collector, *words):
    done = run_profiler(collector, *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def names_of_files(trace, *others):
    """Those that the trace has: of folders of the system, and of the tests."""
    sought = re.compile(rb"/(?:usr|lib|lib64|bin|etc|proc|home|root)/|" + b"|".join(map(re.escape, others)))
    return {path for _, _, text in frames(trace) for path in sought.findall(text)}


def test_tells_plug_ins_at_one_address_apart(record, collector, toys):
    shared = ("-shared", "-fPIC")
    plug_ins = [
        toys.build(f"{name}_plug_in.so", ["reloaded.c"], f"-DFUNCTION={name}", *shared)
        for name in ("first", "other")
    ]
    done = record(toys.build("reloads", ["reloads.c"]), *plug_ins)
    assert done.status == 0, done.messages
    profile = read_profile(collector, done.trace, "--all")
    functions = [function["name"] for function in profile["functions"]]
    allocations = {
        functions[scope["function"]]: scope["figures"]["allocations"] for scope in profile["scopes"]
    }
    assert (allocations["first"], allocations["other"]) == (100, 100)
    assert profile["warnings"] == []


def test_profiles_a_redacted_trace_without_names(record, collector, toys):
    program = toys.build("named-by-build-id", ["calls.c"], "-Wl,--build-id")
    own = (bytes(program.parent), program.name.encode(), b"libc.so", b"forks")
    words = (program, CALLS, "forks")
    assert names_of_files(record(*words, options=["--follow"]).trace, *own) > {program.name.encode()}
    redacted = record(*words, options=["--follow", "--redact"])
    assert redacted.events >= 4 * CALLS
    assert names_of_files(redacted.trace, *own) == set()

    profile = read_profile(collector, redacted.trace)
    assert not profile["process"]["executable"]
    assert not profile["process"]["command"]
    names = [function["name"] for function in profile["functions"]]
    build_id = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
    beginning = re.search(r"Build ID: ([0-9a-f]{8})", build_id)[1]
    assert any(re.fullmatch(rf"\[{beginning}[0-9a-f]*\]\+0x[0-9a-f]+", name) for name in names), names
    assert all(re.fullmatch(r"\[[0-9a-f]+\]\+0x[0-9a-f]+", name) for name in names), names


@pytest.mark.parametrize("ending", ["without its end", "and its end"])
def test_reports_a_trace_with_a_sparse_tail_as_torn(record, collector, toys, ending):
    trace = record(toys.calls, CALLS, "calls").trace
    size = trace.stat().st_size
    if ending == "without its end":
        size, kind, _ = list(frames(trace))[-1]
        assert kind == 7
        os.truncate(trace, size)
    os.truncate(trace, HUGE)
    profile = read_profile(collector, trace)
    assert profile["trace"]["torn_bytes"] == HUGE - size
    assert profile["figures"]["allocations"] == CALLS


def test_refuses_a_sparse_file(collector, tmp_path):
    empty = tmp_path / "empty"
    empty.write_bytes(b"\x89malltr\n" + bytes(8))
    os.truncate(empty, HUGE)
    done = run_profiler(collector, empty)
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"empty" in done.stderr


def folded(lines):
    """What flame graphs draw: the frames of each stack, the outermost first, and its figure."""
    for line in lines:
        stack, _, figure = line.rpartition(" ")
        assert stack, line
        assert figure.isdigit(), line
        calls = stack.split(";")
        assert all(calls), line
        yield tuple(calls), int(figure)


def count_allocations(collector, trace):
    """Blocks and bytes, from the list of events."""
    lines = run_profiler(collector, "--events", trace).stdout.decode().splitlines()
    events = [line.split() for line in lines if line[0].isdigit()]
    of_blocks = [int(fields[4]) for fields in events if int(fields[2]) in ALLOCATIONS and fields[3] != "0"]
    return len(of_blocks), sum(of_blocks)


def test_folded_stacks_have_the_bytes_of_the_events(record, collector):
    script = "import json; print(len(json.dumps([str(each) * 300 for each in range(3000)])))"
    trace = record(sys.executable, "-c", script).trace
    totals = {}
    for name in ("folded", "folded-blocks"):
        stacks = list(folded(folded_stacks(trace, measure=name)))
        assert len(dict(stacks)) == len(stacks) > 50
        assert max(len(stack) for stack, _ in stacks) > 10
        totals[name] = sum(figure for _, figure in stacks)
    assert (totals["folded-blocks"], totals["folded"]) == count_allocations(collector, trace)


def moment_after(collector, trace, size):
    """The time just after the allocation of this size, as --between reads it."""
    process, *lines = run_profiler(collector, "--events", trace).stdout.decode().splitlines()
    first, _, rate = map(float, process.split()[2:5])
    events = [line.split() for line in lines if line[0].isdigit()]
    (ticks,) = (
        int(fields[0]) for fields in events if int(fields[2]) in ALLOCATIONS and fields[4] == str(size)
    )
    return f"{(ticks - int(first) + 0.5) / rate:.15f}s"


def test_counts_a_part_of_the_time_exactly(record, collector, toys):
    program = toys.build("phases", ["phases.c"], "-g")
    trace = record(program).trace
    begin, end = (moment_after(collector, trace, size) for size in (1001, 1002))
    profile = read_profile(collector, trace, "--between", f"{begin},{end}")
    figures, between = profile["figures"], profile["between"]
    assert (figures["allocations"], figures["bytes"], figures["frees"]) == (71, 50 * 64 + 20 * 200 + 1002, 54)
    assert figures["temporary"] == {"allocations": 50, "bytes": 50 * 64}
    live, later = between["live_at_begin"], between["live_at_end"]
    assert later["allocations"] - live["allocations"] == 20 - 4 + 1
    assert later["bytes"] - live["bytes"] == 20 * 200 - 4 * 100 + 1002
    assert profile["timeline"]["peak_bytes"] == later["bytes"]
    (kept,) = (
        site
        for site in profile["leaks"]
        if profile["places"][site["place"]]["line"] == int(toys.line("phases.c", "kept").split(":")[1])
    )
    assert (kept["allocations"], kept["bytes"]) == (20, 20 * 200)
    assert profile["scopes"] == profile["pairs"] == []


def test_samples_resident_memory_beside_live_blocks(record, collector, toys):
    """Of eight threads each keeps 20 MiB, of which 20 MiB are live at a time."""
    program = toys.build("retains", ["retains.cpp"], "-g")
    timeline = read_profile(collector, record(program, 8, 20).trace)["timeline"]
    samples = timeline["resident"]
    assert len(samples) >= 3
    assert [at for at, _, _ in samples] == sorted(at for at, _, _ in samples)
    own = [resident - files for _, resident, files in samples]
    assert max(own) > 100 << 20 > timeline["peak_bytes"]
    # The system counts pages in portions, so that the first samples may have none but those of files.
    assert all(0 < files <= resident < 1 << 30 for _, resident, files in samples)


@pytest.mark.parametrize("ending", ["frees", "keeps", "child"])
@pytest.mark.parametrize("options", [[], ["--follow"]])
def test_counts_the_written_pages_of_large_blocks(record, collector, toys, ending, options):
    program = toys.build("large_blocks", ["large_blocks.c"], "-g")
    done = record(program, ending, options=options)
    assert done.status == 0, done.messages
    profile = read_profile(collector, done.trace)
    lines = {int(toys.line("large_blocks.c", name).split(":")[1]): name for name in WRITTEN}
    shares = {}
    for row in profile["large_blocks"]:
        assert (row["allocations"], row["bytes"]) == (1, 32 << 20)
        shares[lines[profile["places"][row["place"]]["line"]]] = row["resident_bytes"] / row["bytes"]
    assert shares == {name: pytest.approx(share, abs=0.02) for name, share in WRITTEN.items()}


def test_executed_programs_have_memory_of_their_own(record, collector, toys):
    program = toys.build("retains", ["retains.cpp"], "-g")
    done = record("sh", "-c", f"exec {program} 8 20", options=["--follow"])
    shell = Path("/bin/sh").resolve().name
    highest = {}
    for name in (shell, "retains"):
        profile = read_profile(collector, done.trace, "--process", name)
        highest[name] = max((resident for _, resident, _ in profile["timeline"]["resident"]), default=0)
    assert highest[shell] < 50 << 20 < highest["retains"]


def test_reports_the_size_of_the_page(record, toys, tmp_path):
    record(toys.calls, CALLS, "calls")
    done = front("profile", "x.trace", "--html", "x.html", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert 10_000 < (tmp_path / "x.html").stat().st_size <= MOST_PAGE_BYTES
