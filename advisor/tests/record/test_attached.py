"""Recordings of programs that were running before: --pid."""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from advisor_programs import LONGEST, process_state, profile_of, wait_until, worded
from source_tree import ROOT

from mallard.advisor.recording.process import check_process
from mallard.shared.errors import UsageError

PROBE = (
    "import ctypes, os, subprocess as s; p = s.Popen(['sleep', '9']);"
    "r = ctypes.CDLL(None).ptrace(0x4206, p.pid, 0, 0); p.kill(); os._exit(r != 0)"
)
CAN_TRACE = (
    os.uname().machine == "x86_64"
    and subprocess.run([sys.executable, "-c", PROBE], check=False).returncode == 0
)
SLEEP = 3  # seconds
pytestmark = pytest.mark.skipif(not CAN_TRACE, reason="ptrace is forbidden here, or is not that of x86-64")


def attach(
    collector: Path, folder: Path, pid: int, *options: str, **environment: str
) -> "subprocess.CompletedProcess[str]":
    words = [str(collector), "-o", str(folder / "x.trace"), "--pid", str(pid), *options]
    try:
        check_process(pid)
    except UsageError as error:
        return subprocess.CompletedProcess(words, 2, "", f"mallard: error: {error}\n")
    done = subprocess.run(
        words, env={**os.environ, **environment}, capture_output=True, text=True, timeout=LONGEST, check=False
    )
    done.stderr = worded(done.stderr)
    return done


def settle(pid: int, count: int) -> None:
    """A process that has died has no mapping and one thread."""
    wait_until(lambda: not maps(pid) or (threads(pid) == count and ".part" not in maps(pid)))
    assert maps(pid), "the process has died"


def wait_until_asleep(pid: int) -> None:
    """The program `sleep` has done all that it does before."""
    wait_until(lambda: "libc.so.6" in maps(pid) and process_state(pid) == "S")


def wait_until_recorded(folder: Path) -> None:
    """The part has a chunk of events behind its header."""
    parts = folder / "x.trace.parts"
    wait_until(lambda: any(part.stat().st_blocks > 16 for part in parts.glob("*.part")))


def masks(pid: int) -> list[str]:
    """The blocked signals of each thread."""
    blocked = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # it has ended
            blocked += re.findall(r"SigBlk:.*", (task / "status").read_text())
    return sorted(blocked)


@contextmanager
def running_until_killed(*words: object, **environment: str) -> "Iterator[subprocess.Popen[str]]":
    settings = {**os.environ, **environment}
    command = [str(word) for word in words]
    with subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, text=True) as running:
        try:
            yield running
        finally:
            running.kill()


@contextmanager
def ready(*words: object, **environment: str) -> "Iterator[subprocess.Popen[str]]":
    """The program has written its first line."""
    with running_until_killed(*words, **environment) as running:
        running.stdout.readline()
        yield running


def collecting(
    collector: Path, trace: Path, pid: int, stderr: int = subprocess.DEVNULL, **settings: object
) -> "subprocess.Popen[str]":
    words = [collector, "-o", trace, "--pid", str(pid)]
    return subprocess.Popen(words, stderr=stderr, text=True, **settings)


@contextmanager
def recording_of(collector: Path, folder: Path, pid: int) -> "Iterator[subprocess.Popen[str]]":
    """A collector that has begun to record the process."""
    with collecting(collector, folder / "x.trace", pid, stderr=subprocess.PIPE) as recording:
        assert "Ctrl-C ends the recording" in worded(recording.stderr.readline())
        yield recording


def maps(pid: int) -> str:
    return Path(f"/proc/{pid}/maps").read_text()


def is_traced(pid: int) -> bool:
    return any(
        "TracerPid:\t0\n" not in (task / "status").read_text() for task in Path(f"/proc/{pid}/task").iterdir()
    )


def threads(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


@pytest.fixture
def allocating(toys) -> "Iterator[subprocess.Popen[str]]":
    program = toys.build("attached", ["attached.cpp"], "-pthread")
    with subprocess.Popen([program, "3"], stdout=subprocess.PIPE, text=True) as running:
        running.stdout.readline()
        yield running
        running.kill()


def assert_goes_on(running: "subprocess.Popen[str]") -> None:
    """The program still works, and nothing of the recording is left but the library."""
    wait_until(lambda: threads(running.pid) == 4 and ".part" not in maps(running.pid))
    first = int(running.stdout.readline())
    wait_until(lambda: int(running.stdout.readline()) > first)
    assert running.poll() is None


def test_records_a_running_program_twice(collector, allocating, tmp_path):
    for _ in range(2):
        done = attach(collector, tmp_path, allocating.pid, "--for", "500")
        assert done.returncode == 0, done.stderr
        assert "the recording ended by --for; the program goes on" in done.stderr
        facts = profile_of(tmp_path / "x.trace")
        assert facts["process"]["threads"] == 3
        assert facts["process"]["events"] > 1000
        assert facts["foreign"]["frees"] > 0  # of blocks from before
        assert_goes_on(allocating)


def test_ctrl_c_ends_the_recording_only(collector, allocating, tmp_path):
    with collecting(collector, tmp_path / "x.trace", allocating.pid, stderr=subprocess.PIPE) as recording:
        wait_until_recorded(tmp_path)
        recording.send_signal(signal.SIGINT)
        messages = worded(recording.communicate(timeout=LONGEST)[1])
    assert recording.returncode == 0
    assert "the recording ended by Ctrl-C; the program goes on" in messages
    assert_goes_on(allocating)


def test_takes_precedence_over_a_busy_process(collector, allocating, tmp_path):
    own = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        os.setpriority(os.PRIO_PROCESS, allocating.pid, own - 1)
    except OSError:
        pytest.skip("no right to a higher priority")
    with recording_of(collector, tmp_path, allocating.pid) as recording:
        assert os.getpriority(os.PRIO_PROCESS, recording.pid) < own
        recording.send_signal(signal.SIGINT)


def test_program_outlives_a_killed_collector(collector, allocating, tmp_path):
    with collecting(collector, tmp_path / "x.trace", allocating.pid) as recording:
        wait_until_recorded(tmp_path)
        recording.kill()
        assert_goes_on(allocating)  # before the collector's parent takes its status
    recovered = subprocess.run(
        [collector, "--recover", tmp_path / "x.trace"], capture_output=True, text=True, check=False
    )
    assert recovered.returncode == 0, recovered.stderr
    assert (tmp_path / "x.trace").is_file()


def test_kills_while_attaching_do_no_harm(collector, allocating, tmp_path):
    for turn in range(20):
        with collecting(collector, tmp_path / f"{turn}.trace", allocating.pid) as recording:
            time.sleep(0.001 * (turn + 1))
            recording.kill()
        assert allocating.poll() is None
    assert_goes_on(allocating)


@pytest.fixture
def meddle(toys) -> str:
    return str(toys.build("libmeddle.so", ["meddle.c"], "-shared", "-fPIC"))


def test_a_kill_before_any_call_does_no_harm(collector, allocating, meddle, tmp_path):
    before = masks(allocating.pid)
    for number in range(1, 1000):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = attach(
            collector, folder, allocating.pid, "--for", "1", LD_PRELOAD=meddle, MEDDLE=f"kill {number}"
        )
        wait_until(lambda: masks(allocating.pid) == before)
        settle(allocating.pid, 4)
        if done.returncode != -signal.SIGKILL:
            break
    assert number > 20
    assert_goes_on(allocating)


@pytest.mark.parametrize("stops", [0, 1, 6])
def test_fails_if_a_thread_does_not_stop(collector, allocating, meddle, tmp_path, stops):
    before = masks(allocating.pid)
    messages = refused(collector, tmp_path, allocating.pid, LD_PRELOAD=meddle, MEDDLE=f"hide {stops}")
    assert "did not answer for 2 s" in messages
    settle(allocating.pid, 4)
    wait_until(lambda: masks(allocating.pid) == before)
    assert_goes_on(allocating)


def test_a_fault_while_attaching_is_undone(collector, allocating, meddle, tmp_path):
    before = masks(allocating.pid)
    messages = refused(collector, tmp_path, allocating.pid, LD_PRELOAD=meddle, MEDDLE="fault")
    assert "failed to call its C library (signal 11)" in messages
    assert masks(allocating.pid) == before
    assert_goes_on(allocating)


def test_refuses_a_program_executed_meanwhile(collector, meddle, tmp_path):
    code = (
        "import os, signal\n"
        "signal.signal(signal.SIGUSR1, lambda *_: os.execvp('sleep', ['sleep', '600']))\n"
        "print('ready', flush=True)\nwhile True: signal.pause()"
    )
    with ready(sys.executable, "-c", code) as running:
        messages = refused(collector, tmp_path, running.pid, LD_PRELOAD=meddle, MEDDLE="execute")
        assert "has executed another program meanwhile" in messages
        assert running.poll() is None


def test_names_the_remedy_for_unreadable_memory(collector, allocating, meddle, tmp_path):
    messages = refused(collector, tmp_path, allocating.pid, LD_PRELOAD=meddle, MEDDLE="deny")
    assert "may not be traced; allow it: sudo sysctl kernel.yama.ptrace_scope=0" in messages


def test_reports_a_thread_that_cannot_start(collector, tmp_path):
    with subprocess.Popen(["sleep", "600"]) as running:
        wait_until_asleep(running.pid)
        pages = int(Path(f"/proc/{running.pid}/statm").read_text().split()[0])
        addresses = (pages + 256) * resource.getpagesize()  # no room for a stack
        resource.prlimit(running.pid, resource.RLIMIT_AS, (addresses, addresses))
        assert "cannot start a thread for the recorder" in refused(collector, tmp_path, running.pid)
        assert running.poll() is None
        running.kill()


def test_setuid_does_not_wait_for_the_recorder(collector, tmp_path):
    code = "import os\nprint('ready', flush=True)\nwhile True: os.seteuid(os.geteuid())"
    with ready(sys.executable, "-c", code) as running:
        attach(collector, tmp_path, running.pid, "--for", "500")
        settle(running.pid, 1)


def test_setuid_in_threads_goes_on(collector, toys, tmp_path):
    program = toys.build("credentials", ["credentials.c"], "-pthread")
    with ready(program) as running:
        for turn in range(5):
            folder = tmp_path / str(turn)
            folder.mkdir()
            done = attach(collector, folder, running.pid, "--for", "50")
            assert done.returncode in {0, 2}, done.stderr
            turns = int(running.stdout.readline())
            wait_until(lambda: int(running.stdout.readline()) > turns + 100)  # noqa: B023
        settle(running.pid, 5)
        assert running.poll() is None


def test_does_not_leave_a_thread_in_the_handler_of_setuid(collector, toys, tmp_path):
    program = toys.build("setuid_signals", ["setuid_signals.c"], "-pthread")
    with running_until_killed(program) as running:
        for turn in range(10):
            folder = tmp_path / str(turn)
            folder.mkdir()
            done = attach(collector, folder, running.pid, "--for", "1")
            assert done.returncode in {0, 2}, done.stderr
            settle(running.pid, 2)


@pytest.mark.parametrize("kind", ["large", "nested", "alternate", "restorer"])
def test_starts_from_no_signal_handler(collector, toys, tmp_path, kind):
    program = toys.build("handlers", ["handlers.c"])
    with running_until_killed(program, kind) as running:
        assert running.stdout.readline() == "ready\n"
        assert "in signal handlers" in refused(collector, tmp_path, running.pid)
        assert running.poll() is None


def test_refuses_the_child_of_a_vfork(collector, toys, tmp_path):
    program = toys.build("vforks", ["vforks.c"])
    with running_until_killed(program) as running:
        child = int(running.stdout.readline())
        messages = refused(collector, tmp_path, child)
        os.kill(child, signal.SIGKILL)
        assert f"until it executes a program; record process {running.pid}" in messages


def test_finds_the_c_library_among_files_of_its_name(collector, tmp_path):
    copy = tmp_path / "libc.so.6.copy"
    with running_until_killed("sleep", "600") as running:
        wait_until(lambda: "libc.so.6" in maps(running.pid))
        library = re.search(r"/\S*libc\.so\.6", maps(running.pid))
        shutil.copy(library[0], copy)
    # Behind all libraries, where a search by name would find the copy last.
    code = (
        "import ctypes, re, sys\n"
        "end = int(re.findall(r'-(\\w+) .*/ld-linux', open('/proc/self/maps').read())[-1], 16)\n"
        "file = open(sys.argv[1], 'rb')\n"
        "libc = ctypes.CDLL(None)\n"
        "libc.mmap.argtypes = [ctypes.c_size_t, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_size_t]\n"
        "libc.mmap(end + (16 << 20), 4096, 1, 2, file.fileno(), 0)\n"
        "print('ready', flush=True)\nwhile True: [b'x' * n for n in range(2000)]"
    )
    with ready(sys.executable, "-c", code, copy) as running:
        assert str(copy) in maps(running.pid)
        done = attach(collector, tmp_path, running.pid, "--for", "50")
        assert f"recording process {running.pid}" in done.stderr
        settle(running.pid, 1)


def test_leaves_the_memory_of_one_recording(collector, tmp_path):
    with running_until_killed("sleep", "600") as running:
        wait_until_asleep(running.pid)
        sizes = []
        for turn in range(6):
            folder = tmp_path / str(turn)
            folder.mkdir()
            done = attach(collector, folder, running.pid, "--for", "10")
            assert "had not allocated" in done.stderr
            settle(running.pid, 1)
            pages = int(Path(f"/proc/{running.pid}/statm").read_text().split()[0])
            # Exact, as the resident pages of statm are not; the system may drop pages of files.
            rollup = Path(f"/proc/{running.pid}/smaps_rollup").read_text()
            kibibytes = int(rollup.partition("Anonymous:")[2].split()[0])
            sizes.append((len(maps(running.pid).splitlines()), pages, kibibytes))
    mappings, pages, kibibytes = zip(*sizes[1:], strict=True)
    assert len(set(mappings)) == 1
    assert len(set(pages)) == 1
    assert kibibytes[-1] - kibibytes[0] <= 32


def test_reads_no_mappings_while_a_thread_is_stopped(collector, allocating, meddle, tmp_path):
    done = attach(collector, tmp_path, allocating.pid, "--for", "50", LD_PRELOAD=meddle, MEDDLE="maps")
    assert f"recording process {allocating.pid}" in done.stderr
    assert done.returncode >= 0  # not aborted
    assert_goes_on(allocating)


def test_spares_memory_around_the_stack_of_a_fiber(collector, toys, tmp_path):
    program = toys.build("fiber", ["fiber.cpp"], "-pthread", "-std=c++20")
    with running_until_killed(program) as running:
        wait_until(lambda: int(running.stdout.readline()) > 0)
        done = attach(collector, tmp_path, running.pid, "--for", "200")
        assert done.returncode == 0, done.stderr
        checks = int(running.stdout.readline())
        wait_until(lambda: int(running.stdout.readline() or sys.maxsize) > checks + 2)
        assert running.poll() is None


def test_starts_from_no_library_that_was_removed(collector, toys, tmp_path):
    library = shutil.copy(toys.build("libspin.so", ["spin.c"], "-shared", "-fPIC"), tmp_path)
    code = (
        "import ctypes, os, sys\nspin = ctypes.CDLL(sys.argv[1]).spin\nos.remove(sys.argv[1])\n"
        "print('ready', flush=True)\nspin()"
    )
    with ready(sys.executable, "-c", code, library) as running:
        messages = refused(collector, tmp_path, running.pid)
        assert "was in a place where the recorder can start safely" in messages


@pytest.mark.parametrize(
    ("toy", "flags"),
    [("read_only_slots", ("-no-pie", "-Wl,-z,now", "-Wl,-z,norelro")), ("own_dlopen", ("-rdynamic",))],
)
def test_spares_read_only_slots_and_handles_of_libraries(collector, toys, tmp_path, toy, flags):
    with ready(toys.build(toy, [f"{toy}.c"], *flags)) as running:
        done = attach(collector, tmp_path, running.pid, "--for", "300")
        assert done.returncode == 0, done.stderr
        settle(running.pid, 1)
        assert running.poll() is None


def test_calls_functions_that_were_preloaded(collector, toys, tmp_path):
    answers = toys.build("libanswers.so", ["answers.c"], "-shared", "-fPIC")
    program = toys.build("asks", ["asks.c"])
    with ready(program, LD_PRELOAD=str(answers)) as running:
        done = attach(collector, tmp_path, running.pid, "--for", "500")
        assert "executed program" in done.stderr
        settle(running.pid, 1)
        assert running.poll() is None


def test_ends_before_a_sandbox(collector, toys, tmp_path):
    program = toys.build("late_sandbox", ["late_sandbox.c"])
    with ready(program) as running:
        with recording_of(collector, tmp_path, running.pid) as recording:
            wait_until_recorded(tmp_path)
            running.send_signal(signal.SIGUSR1)
            assert running.stdout.readline() == "restricted\n"
            assert recording.wait(LONGEST) == 0
        settle(running.pid, 1)
        assert running.stdout.readline() == "well\n"


def test_a_sandbox_does_not_wait_for_the_collector(collector, toys, tmp_path):
    program = toys.build("late_sandbox", ["late_sandbox.c"])
    trace = tmp_path / "x.trace"
    with ready(program) as running, collecting(collector, trace, running.pid) as recording:
        try:
            wait_until_recorded(tmp_path)
            recording.send_signal(signal.SIGSTOP)
            running.send_signal(signal.SIGUSR1)
            assert running.stdout.readline() == "restricted\n"
            assert threads(running.pid) == 1
            assert running.stdout.readline() == "well\n"
        finally:
            recording.send_signal(signal.SIGCONT)
        assert recording.wait(LONGEST) == 0


def test_the_thread_leaves_before_the_collector_has_written_the_trace(collector, toys, tmp_path):
    """The slots are restored by then, so that it does not see a sandbox."""
    program = toys.build("late_sandbox", ["late_sandbox.c"])
    end_part = toys.build("end_part", ["end_part.cpp"], "-std=c++20", f"-I{ROOT / 'advisor'}")
    with ready(program) as running, recording_of(collector, tmp_path, running.pid) as recording:
        try:
            wait_until_recorded(tmp_path)
            recording.send_signal(signal.SIGSTOP)
            [part] = (tmp_path / "x.trace.parts").glob("*.part")
            subprocess.run([end_part, part], check=True)
            settle(running.pid, 1)
            running.send_signal(signal.SIGUSR1)
            assert running.stdout.readline() == "restricted\n"
            assert running.stdout.readline() == "well\n"
        finally:
            recording.send_signal(signal.SIGCONT)
        assert recording.wait(LONGEST) == 0
    assert (tmp_path / "x.trace").is_file()


def test_records_the_child_of_a_recorded_process(collector, tmp_path):
    code = (
        "import os, signal\n"
        "signal.signal(signal.SIGUSR1, lambda *_: os.fork() or print(os.getpid(), flush=True))\n"
        "print('ready', flush=True)\nwhile True: [b'x' * n for n in range(2000)]"
    )
    with ready(sys.executable, "-c", code) as running:
        with collecting(collector, tmp_path / "parent.trace", running.pid) as recording:
            wait_until(lambda: ".part" in maps(running.pid))
            running.send_signal(signal.SIGUSR1)
            child = int(running.stdout.readline())
            recording.send_signal(signal.SIGINT)
        try:
            done = attach(collector, tmp_path, child, "--for", "300")
            assert done.returncode == 0, done.stderr
            settle(child, 1)
        finally:
            os.kill(child, signal.SIGKILL)


def test_an_ignored_signal_does_not_end_the_recording(collector, allocating, tmp_path):
    words = [collector, "-o", tmp_path / "x.trace", "--pid", str(allocating.pid)]
    ignore = partial(signal.signal, signal.SIGHUP, signal.SIG_IGN)
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, preexec_fn=ignore) as recording:
        wait_until(lambda: ".part" in maps(allocating.pid))
        recording.send_signal(signal.SIGHUP)
        recording.send_signal(signal.SIGINT)
        assert "the recording ended by Ctrl-C" in worded(recording.communicate(timeout=LONGEST)[1])
    assert_goes_on(allocating)


def test_the_rest_of_a_sleep_is_kept(collector, tmp_path):
    """A sleep that began again after each recording would not end."""
    start = time.monotonic()
    with running_until_killed("sleep", SLEEP) as running:
        wait_until_asleep(running.pid)
        recordings = 0
        while running.poll() is None:
            assert time.monotonic() - start < 20 * SLEEP
            done = attach(collector, tmp_path, running.pid, "--for", "10")
            recordings += f"recording process {running.pid}" in done.stderr
    assert recordings > 0
    assert running.returncode == 0
    assert time.monotonic() - start >= SLEEP


def test_records_an_interpreter(collector, tmp_path):
    code = (
        "import os, sys\nprint('ready', flush=True)\n"
        "while not os.path.exists(sys.argv[1]): [b'x' * n for n in range(2000)]\nprint('ok')"
    )
    enough = tmp_path / "enough"
    with (
        ready(sys.executable, "-c", code, enough) as running,
        recording_of(collector, tmp_path, running.pid) as recording,
    ):
        wait_until_recorded(tmp_path)
        enough.touch()
        assert running.communicate()[0] == "ok\n"
        assert recording.wait(LONGEST) == 0
    assert (tmp_path / "x.trace").is_file()


def refused(collector: Path, folder: Path, pid: int, **environment: str) -> str:
    done = attach(collector, folder, pid, "--for", "1000", **environment)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert not list(folder.glob("x.trace*"))
    return done.stderr


def test_refuses_what_is_no_process(collector, tmp_path):
    assert "there is no process 2147483647" in refused(collector, tmp_path, 2147483647)
    assert "is mallard itself, or started it" in refused(collector, tmp_path, os.getpid())


def test_refuses_a_stopped_process(collector, tmp_path):
    with subprocess.Popen(["sleep", "60"]) as running:
        running.send_signal(signal.SIGSTOP)
        wait_until(lambda: "State:\tT" in Path(f"/proc/{running.pid}/status").read_text())
        assert "is stopped; continue it first" in refused(collector, tmp_path, running.pid)
        running.kill()
        os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT)
        assert "has ended (zombie)" in refused(collector, tmp_path, running.pid)


def test_refuses_a_process_without_its_first_thread(collector, tmp_path):
    code = (
        "import ctypes, threading, time\n"
        "threading.Thread(target=time.sleep, args=[600]).start()\n"
        "print('ready', flush=True)\nctypes.CDLL(None).syscall(60, 0)"
    )
    with running_until_killed(sys.executable, "-c", code) as running:
        wait_until(lambda: "State:\tZ" in Path(f"/proc/{running.pid}/status").read_text())
        assert "has ended its first thread" in refused(collector, tmp_path, running.pid)


def test_refuses_a_static_program(collector, toys, tmp_path):
    program = toys.build("static_idle", ["attached.cpp"], "-pthread", "-static")
    with ready(program, 1) as running:
        assert "it is statically linked" in refused(collector, tmp_path, running.pid)


def test_refuses_a_second_recording(collector, allocating, tmp_path):
    with collecting(collector, tmp_path / "first.trace", allocating.pid) as recording:
        wait_until(lambda: ".part" in maps(allocating.pid) and not is_traced(allocating.pid))
        try:
            assert "is being recorded already" in refused(collector, tmp_path, allocating.pid)
        finally:
            recording.send_signal(signal.SIGINT)
    assert_goes_on(allocating)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a process of another user")
def test_refuses_a_process_of_another_user(collector, tmp_path):
    with subprocess.Popen(["sleep", "60"], user=65534) as running:
        assert "runs as user 65534" in refused(collector, tmp_path, running.pid)
        running.kill()
