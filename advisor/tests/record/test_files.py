"""The trace file: complete or absent; killed collectors and full disks."""

import contextlib
import mmap
import os
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
from functools import cached_property
from pathlib import Path

import pytest
from advisor_programs import (
    FOR_EVER,
    LONGEST,
    heed_signals,
    process_state,
    profile_of,
    wait_for_orphan,
    wait_until,
    worded,
)

from mallard.shared.scratch import remove_abandoned

CALLS = 20_000


def test_the_default_name(collector, toys, tmp_path):
    words = [collector, "--", toys.calls, "1", "calls"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["mallard.trace"]


def test_a_folder_without_the_right_to_write(record, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    (tmp_path / "folder").mkdir(mode=0o500)
    done = record("true", options=["-o", str(tmp_path / "folder/x")])
    assert done.status == 2
    assert "cannot create" in done.messages


def test_keeps_the_old_trace_until_completion(record, toys, tmp_path):
    trace = tmp_path / "x.trace"
    trace.write_text("old")
    record("no-such-program")
    assert trace.read_text() == "old"
    assert record(toys.calls, CALLS, "calls").status == 0
    assert len(trace.read_bytes()) > 1000


@pytest.mark.parametrize("folder", ["a folder", "a:b", "$HOME"])
def test_folders_with_separators_of_ld_preload(collector, toys, tmp_path, folder):
    copy = tmp_path / folder
    copy.mkdir()
    for name in ("mallard-record", "libmallard_record.so"):
        shutil.copy(collector.parent / name, copy)
    words = [copy / "mallard-record", "-o", copy / "x", "--", toys.calls, str(CALLS), "calls"]
    assert f"{2 * CALLS:,} events" in run_worded(words).stderr


class Running:
    """A running recording."""

    def __init__(self, collector, trace, *program, options=()):
        self.trace = trace
        self.parts = Path(f"{trace}.parts")
        words = [collector, "-o", trace, *options, "--", *program]
        self.process = subprocess.Popen(
            [str(word) for word in words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=heed_signals,
        )

    @cached_property
    def program(self) -> int:
        """Its process, once it is recorded: the program must be one that does not end by itself."""
        wait_until(lambda: self.parts.is_dir() and any(self.parts.glob("*.part")))
        return int(next(self.parts.glob("*.part")).name.split(".")[0])

    def wait_until_output_closes(self):
        """The program has closed its end of the pipe; the collector keeps its end open."""
        pipe = os.readlink(f"/proc/{os.getpid()}/fd/{self.process.stdout.fileno()}")
        output = f"/proc/{self.program}/fd/1"
        wait_until(lambda: not os.path.lexists(output) or os.readlink(output) != pipe)

    def wait_for_program(self):
        wait_until(lambda: not Path(f"/proc/{self.program}/exe").exists())

    def wait_until_stopped(self):
        wait_until(lambda: process_state(self.program) == "T")


def run_worded(words):
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LONGEST)
    done.stderr = worded(done.stderr)
    return done


def recover(collector, trace, *options):
    words = [str(collector), *options, "--recover", str(trace)]
    return run_worded(words)


def test_a_killed_collector_leaves_a_recoverable_trace(collector, toys, tmp_path):
    """The program goes on. The trace has its first chunks then, its part the last ones, both have some."""
    running = Running(collector, tmp_path / "x", toys.calls, CALLS, "slowly")
    running.wait_until_stopped()
    running.process.kill()
    running.process.wait()
    early = recover(collector, running.trace)
    assert early.returncode == 2
    assert f"process {running.program} of this recording is still running" in early.stderr
    os.kill(running.program, signal.SIGCONT)
    running.wait_for_program()
    again = run_worded([collector, "-o", running.trace, "true"])
    assert again.returncode == 2
    assert f"belongs to an interrupted recording; 'mallard record --recover {running.trace}'" in again.stderr

    done = recover(collector, running.trace)
    assert done.returncode == 0, done.stderr
    assert f"{41 * 2 * CALLS:,} events of 1 thread in" in done.stderr
    assert running.trace.is_file()
    assert not running.parts.exists()


def test_keeps_a_recording_of_another_version(collector, toys, tmp_path):
    """Of an older mallard, whose events this one would not find."""
    running = Running(collector, tmp_path / "x", toys.calls, CALLS, "slowly")
    running.wait_until_stopped()
    running.process.kill()
    running.process.wait()
    (part,) = running.parts.glob("*.part")
    os.kill(running.program, signal.SIGCONT)
    running.wait_for_program()
    files = ((part, b"1", 7, 4), (running.parts / "trace", b"\1", 8, 3))
    for file, version, place, reads in files:
        own = exchange_byte(file, place, version)
        done = recover(collector, running.trace)
        assert done.returncode == 2
        assert "has version 1" in done.stderr
        assert f"reads version {reads}" in done.stderr
        assert "record again" in done.stderr
        assert "free some space" not in done.stderr
        assert exchange_byte(file, place, own) == version
    done = recover(collector, running.trace)
    assert f"{41 * 2 * CALLS:,} events of 1 thread in" in done.stderr


def exchange_byte(path, place, byte):
    with path.open("r+b") as file:
        file.seek(place)
        before = file.read(1)
        file.seek(place)
        file.write(byte)
    return before


def test_nothing_to_recover(collector, tmp_path):
    done = recover(collector, tmp_path / "x")
    assert done.returncode == 2
    assert "so there is nothing to recover" in done.stderr


def test_a_failed_recovery_has_a_status(collector, tmp_path):
    (tmp_path / "x.parts" / "trace").mkdir(parents=True)
    done = recover(collector, tmp_path / "x")
    assert done.returncode == 2
    assert "it is a directory" in done.stderr


def test_one_recording_at_a_time_has_a_name(collector, toys, tmp_path):
    running = Running(collector, tmp_path / "x", toys.calls, 1, "waits")
    running.wait_until_output_closes()
    program = running.program
    for words in (["-o", running.trace, "true"], ["--recover", running.trace]):
        done = run_worded([collector, *words])
        assert done.returncode == 2
        assert "is in use by" in done.stderr
    os.kill(program, signal.SIGTERM)
    assert running.process.wait(LONGEST) == 128 + signal.SIGTERM


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_program_but_completes_the_trace(collector, toys, tmp_path, number):
    running = Running(collector, tmp_path / "x", toys.calls, CALLS, "waits")
    running.wait_until_output_closes()
    running.process.send_signal(number)
    assert running.process.wait(LONGEST) == 128 + number
    assert f"{2 * CALLS:,} events" in worded(running.process.stderr.read())


def test_ctrl_c_stops_waiting_for_a_followed_process(collector, toys, tmp_path):
    orphan = shutil.copy(toys.build("orphan", ["orphan.c"]), tmp_path / "left-behind")
    program = (orphan, FOR_EVER, "/bin/true")
    running = Running(collector, tmp_path / "x", *program, options=["--follow"])
    left_behind = wait_for_orphan(orphan)
    assert running.process.poll() is None
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(LONGEST) == 0
    assert "2 events" in worded(running.process.stderr.read())
    os.kill(left_behind, signal.SIGKILL)


@pytest.fixture
def mount_disk(tmp_path):
    """Mounts a disk of that size."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(size):
        words = ["mount", "-t", "tmpfs", "-o", size, "none", str(folder)]
        if os.geteuid() != 0 or subprocess.run(words, capture_output=True, check=False).returncode != 0:
            pytest.skip("only root can mount a small disk")
        return folder

    yield mount
    subprocess.run(["umount", "--lazy", str(folder)], capture_output=True, check=False)


@pytest.fixture
def small_disk(mount_disk):
    return mount_disk("size=8m")


def test_a_full_disk_ends_only_the_recording(record, toys, small_disk):
    """Each block is filled up before: the recording has a few hundred kilobytes."""
    done = record(toys.calls, 100 * CALLS, "calls", 3, options=["-o", str(small_disk / "x")])
    assert done.status == 3, done.messages
    if "stopped before the program ended" in done.messages:
        assert "the disk is full; free some space" in done.messages
    assert done.events > 1000
    assert [entry.name for entry in small_disk.iterdir()] == ["x"]


def fill(file):
    with contextlib.suppress(OSError), file.open("wb") as full:
        while full.write(bytes(1 << 20)):
            full.flush()


def test_reports_a_deleted_folder_in_words(collector, tmp_path):
    folder = tmp_path / "deleted"
    folder.mkdir()
    script = f'cd "{folder}" && rmdir "{folder}" && exec "$@"'
    words = ["sh", "-c", script, "sh", str(collector), "-o", "x", "--", "/bin/true"]
    done = run_worded(words)
    assert done.returncode == 2
    assert done.stderr.startswith("mallard: error: 'x.parts' cannot be used: No such file or directory; ")


FULL_AT_START = "is full: a recording needs at least 266240 bytes; free some space, or record to another disk"


@pytest.mark.parametrize(
    ("size", "options", "message"),
    [
        ("size=8k", [], FULL_AT_START),
        ("size=12k", ["--signal", str(signal.SIGUSR2.value)], FULL_AT_START),
        ("size=12k", ["--follow"], FULL_AT_START),
        ("nr_inodes=1", [], "x.parts': No space left on device; give another name with -o"),
        ("nr_inodes=2", [], FULL_AT_START),
        (
            "nr_inodes=2",
            ["--signal", str(signal.SIGUSR2.value)],
            "idle': No space left on device; give another name with -o",
        ),
    ],
)
def test_reports_a_full_disk_at_start(record, mount_disk, tmp_path, size, options, message):
    disk = mount_disk(size)
    done = record("touch", tmp_path / "started", options=["-o", str(disk / "x"), *options])
    assert done.status == 2
    assert done.messages.startswith("mallard: error: ")
    assert message in done.messages
    assert len(done.messages.splitlines()) == 1
    assert not (tmp_path / "started").exists()
    assert not list(disk.iterdir())


def test_reports_a_disk_that_fills_up_before_an_allocation(record, toys, small_disk):
    fills = toys.build("fills", ["fills.c"])
    done = record(fills, small_disk / "full", options=["-o", str(small_disk / "x")])
    assert done.status == 2
    assert done.messages.splitlines()[0] == (
        "mallard: error: nothing was recorded: the disk is full; free some space, or record to another disk "
        "with -o"
    )
    assert [entry.name for entry in small_disk.iterdir()] == ["full"]


def test_recovers_from_a_part_without_memory(collector, small_disk):
    """Of a process that got no page for its part's header. The access ended the collector with SIGBUS."""
    parts = small_disk / "x.parts"
    parts.mkdir()
    with (parts / "1234567.0.1.part").open("wb") as part:
        part.truncate(1 << 30)
    (parts / "reserve").write_bytes(bytes(mmap.PAGESIZE))  # for the trace
    fill(small_disk / "full")
    done = recover(collector, small_disk / "x")
    assert done.returncode == 2, done.stderr
    assert "error: " in done.stderr


@pytest.mark.parametrize("existing", [True, False])
def test_writes_through_a_link(record, tmp_path, existing):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    if existing:
        (folder / "target").write_text("old")
    (tmp_path / "middle").symlink_to("elsewhere/target")
    (tmp_path / "link").symlink_to("middle")
    assert record("/bin/ls", options=["-o", str(tmp_path / "link")]).status == 0
    assert (tmp_path / "link").is_symlink()
    assert [path.name for path in folder.iterdir()] == ["target"]
    assert (folder / "target").read_bytes() != b"old"


def test_recovers_through_a_link(collector, toys, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to("elsewhere/target")
    running = Running(collector, tmp_path / "elsewhere/target", toys.calls, CALLS, "slowly")
    running.wait_until_stopped()
    running.process.kill()
    running.process.wait()
    os.kill(running.program, signal.SIGKILL)
    running.wait_for_program()
    done = recover(collector, tmp_path / "link")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "elsewhere/target").is_file()


def test_refuses_a_link_that_leads_to_itself(record, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    done = record("true", options=["-o", str(tmp_path / "loop")])
    assert done.status == 2
    assert done.messages.endswith("loop' is a link that leads to itself; give a file: -o FILE\n")


def test_removes_the_link_folder_of_a_killed_collector(collector, toys, tmp_path, monkeypatch):
    folder = tmp_path / "a folder"
    folder.mkdir()
    for name in ("mallard-record", "libmallard_record.so"):
        shutil.copy(collector.parent / name, folder)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    running = Running(folder / "mallard-record", tmp_path / "x", toys.calls, 1, "waits")
    program = running.program
    (links,) = (tmp_path / "tmp").iterdir()
    remove_abandoned()
    assert (links / "libmallard_record.so").is_symlink()
    running.process.kill()
    running.process.wait()
    remove_abandoned()
    assert not links.exists()
    os.kill(program, signal.SIGKILL)


def test_reports_a_file_size_limit_at_start(record, toys):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 22, 1 << 22))

    done = record(toys.calls, CALLS, "calls", 3, preexec_fn=limit)
    assert done.status == 2
    assert "files are limited to 4194304 bytes here" in done.messages
    assert "ulimit -f unlimited" in done.messages
    assert not done.has_parts


@pytest.mark.parametrize("gibibytes", [1, 8])
def test_a_limit_of_memory_leaves_a_smaller_part(record, toys, gibibytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (gibibytes << 30, gibibytes << 30))

    done = record(toys.calls, CALLS, "calls", 3, preexec_fn=limit)
    assert done.status == 3
    assert done.events == 2 * CALLS


def test_names_a_program_that_exits_immediately(record, toys):
    """The system forgets the name of an ended process, also before the collector looks."""
    for _ in range(10):
        process = profile_of(record(toys.calls, "1", "calls").trace)["process"]
        assert process["executable"] == str(toys.calls)
        assert process["command"] == [str(toys.calls), "1", "calls"]


def test_a_library_whose_program_headers_lie_far_away(record, toys, tmp_path):
    """As tools write them that add a header. No segment has them, so the loader alone knows them."""
    near = toys.build("libin_library.so", ["in_library.c"], "-shared", "-fPIC")
    far = tmp_path / "far.so"
    library = bytearray(near.read_bytes())
    (begin,) = struct.unpack_from("<Q", library, 32)
    (count,) = struct.unpack_from("<H", library, 56)
    headers = library[begin : begin + 56 * count]
    library += bytes((16 << 20) - len(library))
    struct.pack_into("<Q", library, 32, len(library))
    far.write_bytes(library + headers)
    program = toys.build("loads", ["loads.c"])
    done = record(program, far, "in_library")
    assert done.status == 0, done.messages
    assert done.events >= 2 * CALLS
    profile = profile_of(done.trace)
    assert "in_library" in [function["name"] for function in profile["functions"]]
    assert "far.so" not in str(profile["warnings"])
