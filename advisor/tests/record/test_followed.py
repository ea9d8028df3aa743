"""Child programs: recorded under --follow, otherwise counted and reported."""

import os
import shutil
import subprocess

import pytest
from advisor_programs import FOR_EVER, end_orphan

CALLS = 500
FOLLOW = ["--follow"]
NOT = "not followed: "
COULD_NOT = "could not be followed: "


@pytest.fixture
def search_path(toys, monkeypatch):
    monkeypatch.setenv("PATH", str(toys.calls.parent), prepend=":")


@pytest.fixture
def starts(toys):
    return toys.build("starts", ["starts.c"])


WAYS = ("vfork", "vfork-in-thread", "spawn", "spawnp", "system", "popen", "execvp", "execlp")


def command_for(method, program):
    name = program if method in ("vfork", "vfork-in-thread", "spawn") else program.name
    return [f"exec {name} {CALLS} calls"] if method in ("system", "popen") else [name, CALLS, "calls"]


@pytest.mark.usefixtures("search_path")
@pytest.mark.parametrize("method", WAYS)
def test_a_started_program_is_followed(record, toys, starts, method):
    done = record(starts, method, *command_for(method, toys.calls), options=FOLLOW, count=True)
    assert done.status == 0, done.messages
    assert done.events == done.counted >= 2 * CALLS + 2
    assert "in 2 processes" in done.messages or method in ("system", "popen")
    assert NOT not in done.messages
    assert COULD_NOT not in done.messages


def test_a_program_is_started_without_the_loaders_lock(record, toys):
    """The child of a vfork has no other thread that could give it back."""
    source = ["starts_while_loading.c"]
    library = toys.build("loading.so", source, "-shared", "-fPIC", "-DLIBRARY")
    starting = toys.build("starts-while-loading", source, "-rdynamic")
    done = record(starting, library, toys.calls, CALLS, "calls", 7, options=FOLLOW)
    assert done.status == 7, done.messages
    assert done.events >= 2 * CALLS


@pytest.mark.usefixtures("search_path")
@pytest.mark.parametrize("method", ["vfork", "spawnp", "popen", "execlp"])
def test_a_started_program_is_counted_once(record, toys, starts, method):
    done = record(starts, method, *command_for(method, toys.calls))
    assert done.events < CALLS
    assert "not followed: 1 executed program; --follow records them too" in done.messages


@pytest.mark.usefixtures("search_path")
@pytest.mark.parametrize("method", ["spawn", "system", "execvp"])
def test_reports_a_static_program(record, toys, starts, method):
    static = toys.build("static", ["calls.c"], "-static")
    done = record(starts, method, *command_for(method, static), options=FOLLOW)
    assert done.status == 0
    assert f"{COULD_NOT}1 executed program; the reason may be a static program" in done.messages


@pytest.mark.parametrize("options", [[], FOLLOW])
@pytest.mark.parametrize("method", ["searches", "spawnp", "vfork"])
def test_does_not_count_a_missing_program(record, starts, options, method):
    done = record(starts, method, "/no/program", options=options)
    assert done.status == 0
    assert done.events >= 2
    assert NOT not in done.messages
    assert COULD_NOT not in done.messages


@pytest.mark.parametrize("bits", ["u+s", "g+s"])
def test_reports_a_program_with_elevated_rights(record, toys, starts, tmp_path, bits):
    """Root has all rights, so the file belongs to another user."""
    if os.geteuid() != 0:
        pytest.skip("only root can make a program of another user's")
    copy = tmp_path / "copy"
    shutil.copy(toys.calls, copy)
    shutil.chown(copy, 65534, 65534)
    subprocess.run(["chmod", bits, copy], check=True)
    done = record(starts, "spawn", copy, CALLS, "calls", options=FOLLOW)
    assert f"{COULD_NOT}1 executed program" in done.messages


def test_reports_a_program_with_a_cleared_environment(record, toys):
    words = f"env -i {toys.calls} {CALLS} calls; {toys.calls} {CALLS} calls"
    done = record("sh", "-c", words, options=FOLLOW)
    assert done.status == 0
    assert 2 * CALLS <= done.events < 4 * CALLS
    assert f"{COULD_NOT}1 executed program" in done.messages


def test_reports_the_malloc_of_a_followed_program(record, toys, starts):
    own = toys.build("own-malloc", ["own_malloc.c", "calls.c"], "-DVISIBILITY=")
    done = record(starts, "spawn", own, CALLS, "calls", options=FOLLOW)
    assert f"followed, but without an event: 1 executed program; '{own}' has its own malloc" in done.messages


def test_reports_a_child_without_write_access(record, toys, starts, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can give up its rights")
    done = record(starts, "without-rights", toys.calls, CALLS, "calls", options=FOLLOW)
    assert done.status == 0
    assert f"{COULD_NOT}1 fork; the reason may be" in done.messages


def test_followed_programs_under_a_limit_of_file_sizes(record, toys):
    """The limit leaves room for a small part, or for none. The programs continue in both cases."""
    command = f"ulimit -f {{}}; {toys.calls} {CALLS} calls && {toys.calls} {CALLS} calls && exit 7"
    done = record("sh", "-c", command.format(1000), options=FOLLOW)
    assert done.status == 7, done.messages
    assert done.events < 2 * CALLS
    assert COULD_NOT in done.messages
    done = record("sh", "-c", command.format(1_000_000), options=FOLLOW)
    assert done.status == 7, done.messages
    assert done.events >= 4 * CALLS
    assert COULD_NOT not in done.messages


@pytest.mark.parametrize(("error", "reason"), [("ENOMEM", "out of memory"), ("EFAULT", "the disk is full")])
def test_reports_the_reason_for_missing_pages(record, toys, monkeypatch, error, reason):
    library = toys.build(f"no-pages-{error}.so", ["no_pages.c"], "-shared", "-fPIC", f"-DNUMBER={error}")
    monkeypatch.setenv("LD_PRELOAD", str(library))
    done = record(toys.calls, 100 * CALLS, "calls", 3)
    assert done.status == 3
    assert f"stopped before the program ended: {reason}" in done.messages


def test_ignores_programs_without_allocations(record, toys):
    done = record("sh", "-c", f"{toys.calls} 0 calls; {toys.calls} {CALLS} calls", options=FOLLOW)
    assert done.events >= 2 * CALLS
    assert "without an event" not in done.messages


@pytest.fixture
def orphan(toys):
    return toys.build("orphan", ["orphan.c"])


def test_follows_a_process_with_exited_parents(record, toys, orphan):
    done = record(orphan, 300, toys.calls, CALLS, "calls", options=FOLLOW)
    assert done.status == 0
    assert done.events >= 2 * CALLS
    assert COULD_NOT not in done.messages


def test_follows_into_a_namespace_of_processes(record, toys):
    """There the number of the process is that of another one outside."""
    sandbox = ["unshare", "--user", "--map-root-user", "--pid", "--fork"]
    if subprocess.run([*sandbox, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("unshare makes no namespaces here")
    done = record(*sandbox, "sh", "-c", f"{toys.calls} {CALLS} calls; true", options=FOLLOW)
    assert done.status == 0, done.messages
    assert done.events >= 2 * CALLS


def test_does_not_wait_for_unfollowable_processes(record, toys, orphan, tmp_path):
    """Each outlasts its recording."""
    static = shutil.copy(toys.build("static-orphan", ["orphan.c"], "-static"), tmp_path / "static")
    dynamic = shutil.copy(orphan, tmp_path / "dynamic")
    for orphaned, words in ((static, [static]), (dynamic, ["/usr/bin/env", "-i", dynamic])):
        done = record(orphan, 0, *words, FOR_EVER, "/bin/true", options=FOLLOW)
        assert done.status == 0
        assert done.events < CALLS
        end_orphan(orphaned)


def test_follows_children_of_an_exited_parent(record, toys):
    """Often, because the children begin while the collector hears of the parent's end."""
    for _ in range(10):
        words = f"for i in 1 2 3 4; do {toys.calls} {CALLS} calls & done; ({toys.calls} {CALLS} calls &)"
        done = record("sh", "-c", words, options=FOLLOW)
        assert done.events >= 10 * CALLS
        assert COULD_NOT not in done.messages
