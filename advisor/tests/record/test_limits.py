"""Programs with little stack, few addresses or restricted system calls."""

from __future__ import annotations

import os
import platform
import resource
import struct
import subprocess
from pathlib import Path

import pytest
from advisor_programs import LONGEST, worded

from mallard.advisor.trial.program import HEADERS_BYTES

# docs/advisor/recording.md names these figures.
MOST_ADDRESSES = 16 << 20
GLIBC = tuple(int(part) for part in platform.libc_ver()[1].split(".")[:2])
MOST_STACK_AT_FIRST = 1536 if GLIBC < (2, 41) else 1600  # the loader of glibc 2.41 takes 64 bytes more
MOST_STACK = 512
STEP = 64


def skip_if_locking_is_limited(words: tuple[str, ...]) -> None:
    """The recorder's memory counts, too, where a user may lock only so much."""
    most = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    if words[-1].startswith("lock") and os.geteuid() != 0 and most != resource.RLIM_INFINITY:
        pytest.skip(f"this user may lock {most} bytes only")


def alone(*words: str | Path) -> tuple[int, str]:
    done = subprocess.run([*map(str, words)], stdout=subprocess.PIPE, text=True, timeout=LONGEST, check=False)
    return done.returncode, done.stdout


def recorded(collector: Path, folder: Path, *words: str | Path) -> tuple[int, str, str]:
    command = [str(collector), "-o", str(folder / "x.trace"), "--", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    return done.returncode, done.stdout, worded(done.stderr)


def least_alternate_stack(program: Path) -> int:
    """The smallest size on which the program runs unrecorded; processor registers take most of it."""
    sizes = range(2048, 1 << 16, STEP)
    return next(size for size in sizes if alone(program, "alternate", str(size))[0] == 0)


@pytest.fixture
def check_unchanged(collector: Path, tmp_path: Path):
    """Checks that output and status match an unrecorded run, and returns the messages of the collector."""

    def check(*words: str | Path) -> str:
        status, output, messages = recorded(collector, tmp_path, *words)
        assert (status, output) == alone(*words), messages
        return messages

    return check


@pytest.fixture
def small_stacks(toys) -> Path:
    """Bound when it is loaded: to bind a call in a handler takes up to KiB, by the processor's registers."""
    return toys.build("small_stacks", ["small_stacks.c"], "-Wl,-z,now")


def test_a_small_alternate_stack_has_no_fault(small_stacks, check_unchanged):
    least = least_alternate_stack(small_stacks)
    for size in (least, least + STEP, least + 512, least + 1024):
        assert "200 events of signal handlers" in check_unchanged(small_stacks, "alternate", str(size))
    assert "lost" not in check_unchanged(small_stacks, "alternate", str(least + 4096))


def test_a_thread_may_have_the_smallest_stack(small_stacks, check_unchanged):
    assert "of 101 threads" in check_unchanged(small_stacks, "thread", "0")


def test_an_event_takes_little_stack(small_stacks, collector, tmp_path):
    _, without = alone(small_stacks, "used")
    _, output, messages = recorded(collector, tmp_path, small_stacks, "used")
    first, later = (
        int(with_) - int(bare) for with_, bare in zip(output.split(), without.split(), strict=True)
    )
    assert first <= MOST_STACK_AT_FIRST, messages
    assert later <= MOST_STACK


def test_the_recorder_takes_few_addresses(toys, collector, tmp_path):
    limits = toys.build("limits", ["limits.c"])
    _, without = alone(limits, "addresses")
    _, output, messages = recorded(collector, tmp_path, limits, "addresses")
    assert (int(output.split()[0]) - int(without.split()[0])) * 1024 <= MOST_ADDRESSES, messages


@pytest.mark.parametrize("limit", ["limit", "lock", "lock-all", "lock-on-fault"])
def test_limited_addresses_end_no_recording(limit, toys, check_unchanged):
    skip_if_locking_is_limited((limit,))
    messages = check_unchanged(toys.build("limits", ["limits.c"]), limit)
    assert "2,000,0" in messages
    assert "stopped" not in messages


@pytest.mark.parametrize("call", ["prctl", "seccomp"])
@pytest.mark.parametrize("action", ["kill", "errno"])
def test_a_sandbox_sees_no_system_call(action, call, toys, check_unchanged):
    """All events are there, with their stacks, also deeper ones than before."""
    messages = check_unchanged(toys.build("sandbox", ["sandbox.c"]), action, call)
    assert "100 % of 2,00" in messages
    assert "stopped" not in messages


def test_an_unseen_sandbox_names_the_recorder(toys, collector, tmp_path):
    status, output, messages = recorded(
        collector, tmp_path, toys.build("sandbox", ["sandbox.c"]), "kill", "raw"
    )
    assert (status, output) == (128 + 31, "")
    assert "the program was killed by SIGSYS with the recorder" in messages
    assert "its sandbox (seccomp) forbids a system call of the recorder" in messages


def tried(library: Path, report: Path, *words: str | Path) -> tuple[int, str, int]:
    """Status and output of a program whose main is the scope of a trial, and the blocks that were served."""
    symbols = subprocess.run(["nm", str(words[0])], stdout=subprocess.PIPE, text=True, check=True).stdout
    main = next(line.split()[0] for line in symbols.splitlines() if line.endswith(" T main"))
    variables = {
        "MALLARD_TRIAL": "multipool",
        "MALLARD_TRIAL_CODE": f":{int(main, 16):x}",
        "MALLARD_TRIAL_REPORT": str(report),
        "LD_PRELOAD": str(library),
    }
    done = subprocess.run(
        [*map(str, words)],
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    (served,) = struct.unpack_from("Q", report.read_bytes(), HEADERS_BYTES)
    return done.returncode, done.stdout, served


@pytest.mark.parametrize(
    "words",
    [
        ("limits", "limit"),
        ("limits", "lock-all"),
        ("sandbox", "kill", "prctl"),
        ("sandbox", "errno", "seccomp"),
    ],
)
def test_a_trial_keeps_to_the_limits(words, toys, collector, tmp_path):
    skip_if_locking_is_limited(words)
    library = collector.with_name("libmallard_trial.so")
    program = toys.build(words[0], [f"{words[0]}.c"])
    status, output, served = tried(library, tmp_path / "report", program, *words[1:])
    assert (status, output) == alone(program, *words[1:])
    assert served >= 1_000_000


def test_a_trial_serves_nothing_on_small_stacks(small_stacks, collector, tmp_path):
    library = collector.with_name("libmallard_trial.so")
    words = ("alternate", str(least_alternate_stack(small_stacks)))
    status, output, _ = tried(library, tmp_path / "report", small_stacks, *words)
    assert (status, output) == alone(small_stacks, *words)


def test_ends_the_recording_if_memory_is_short(record, toys, monkeypatch):
    library = toys.build("no_large_arrays.so", ["no_large_arrays.c"], "-shared", "-fPIC")
    program = toys.build("deep", ["deep.c"])
    monkeypatch.setenv("LD_PRELOAD", str(library))
    done = record(program, 60_000, 1, "there")
    assert done.status == 0
    assert "error: there is not enough memory for the trace\n" in done.messages
    assert "the program continued without the recorder" in done.messages
