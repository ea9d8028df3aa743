"""`mallard record`: its words are understood, refused or handed on before anything is built or started."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from source_tree import ROOT

from mallard.cli import parse_command
from mallard.cli.needs import Needs
from mallard.shared.errors import UsageError

# Replaces the collector, and prints its arguments.
COLLECTOR = """#!/bin/sh
for word; do printf '%s\\n' "$word"; done
echo "root=${MALLARD_ROOT-none} ctype=${LC_CTYPE-none}"
grep SigIgn /proc/self/status
exit 7
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MALLARD_COLLECTOR", raising=False)


@pytest.mark.parametrize(
    ("words", "program"),
    [
        (["ls"], ["ls"]),
        (["ls", "a", "b"], ["ls", "a", "b"]),
        (["--", "ls", "-l", "--follow", "-o"], ["ls", "-l", "--follow", "-o"]),
        (["--follow", "-o", "x", "--", "ls", "--", "-x", "--help"], ["ls", "--", "-x", "--help"]),
        (["-o", "--", "ls"], None),
        (["--sample=3", "--", "ls", ""], ["ls", ""]),
    ],
)
def test_program_keeps_its_arguments(words: list[str], program: list[str] | None) -> None:
    if program is None:
        with pytest.raises(UsageError, match="--output: its value is missing"):
            parse_command(["record", *words])
        return
    assert parse_command(["record", *words]).arguments.program == program


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "PROGRAM is missing; give it after '--'"),
        (["--"], "PROGRAM is missing"),
        (
            ["ls", "-l"],
            "'-l' follows the program 'ls'; if it is the program's, write 'mallard record -- ls",
        ),
        (["x", "--", "ls"], "'x' comes before '--'"),
        (["--folow", "--", "ls"], "unknown option '--folow' (did you mean --follow?)"),
        (["--stacks", "some", "ls"], "--stacks 'some'; allowed are auto, fp, unwind, none"),
        (["--sample", "0", "ls"], "--sample: '0' is not allowed"),
        (["--sample", "1000001", "ls"], "--sample 1000001: allowed are 1 to 1000000"),
        *(
            (["--for", amount, "ls"], f"--for: '{amount}' is not allowed; allowed are whole numbers of ms, s")
            for amount in ("0", "3x", "99999999999999999999", "9999999h")
        ),
        *(
            (
                ["--limit", size, "ls"],
                f"--limit: '{size}' is not allowed; allowed are whole numbers of bytes, K",
            )
            for size in ("0", "1.5G", "x", "9999999999T")
        ),
        (["-o", "", "ls"], "-o . is a directory"),
        (["-o", ".", "ls"], "-o . is a directory; give a file in it: -o mallard.trace"),
        (["-o", "no/x", "ls"], "-o no/x: there is no directory no; make it first"),
        (["-o", "a", "-o", "b", "ls"], "-o is given twice"),
        (["--recover", "x", "ls"], "--recover does not start a program; leave 'ls' out"),
        (["--recover", "x", "--follow"], "--recover does not start a program; leave '--follow' out"),
        (["--recover", "x", "--for", "1s"], "--recover does not start a program; leave '--for' out"),
        (["--recover", "x", "--limit", "1G"], "--recover does not start a program; leave '--limit' out"),
        (["--recover", "x", "--pid", "1"], "--recover does not start a program; leave '--pid' out"),
        (["--recover", "x", "--signal", "USR2"], "--recover does not start a program; leave '--signal' out"),
        (["--signal", "HUP", "--", "ls"], "--signal 'HUP'; allowed are USR1, USR2"),
        (["--pid", "1", "--signal", "USR2"], "--signal: a running process is recorded at once"),
        (["--pid", "x"], "--pid 'x': allowed is the number of a process; 'ps -e' lists them"),
        (["--pid", "0"], "--pid '0': allowed is the number of a process"),
        (["--pid", "1", "--", "ls"], "--pid starts no program; leave 'ls' out"),
        (["--pid", "1", "--follow"], "--follow: only programs that mallard starts are followed"),
    ],
    ids=" ".join,
)
def test_refuses_bad_input(words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_command(["record", *words])
    assert message in str(error.value)


def test_keeps_what_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for place, message in (
        ("folder", "is a directory"),
        ("pipe", "is not a regular file"),
        ("pipe/x", "no directory"),
    ):
        with pytest.raises(UsageError, match=message):
            parse_command(["record", "-o", place, "ls"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "pipe"]


def test_the_nearest_program_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("compile", "link"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/no/folder")
    with pytest.raises(UsageError, match=r"'compil' is not a program in PATH \(did you mean compile\?\)"):
        parse_command(["record", "compil"])


def test_needs_the_advisor() -> None:
    assert parse_command(["record", "ls"]).needs() == Needs(presets=("advisor",))


def record(tmp_path: Path, *words: str, **settings: str) -> tuple[int, list[str]]:
    collector = tmp_path / "collector"
    collector.write_text(COLLECTOR)
    collector.chmod(0o755)
    own = {
        "MALLARD_COLLECTOR": str(collector),
        "MALLARD_ROOT": str(ROOT),
        "PYTHONPATH": str(ROOT / "python"),
        "MALLARD_IGNORED": "0",  # whatever the caller of `mallard test` ignores
    }
    command = [sys.executable, "-m", "mallard", "record", *words]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    done = subprocess.run(
        command, env={**environment, **own, **settings}, capture_output=True, text=True, check=False
    )
    facts, _, *printed = done.stdout.splitlines()
    assert facts == "--facts"
    return done.returncode, printed


def test_the_collector_takes_the_place_of_the_command(tmp_path: Path) -> None:
    status, command = record(tmp_path, "--follow", "--sample", "5", "--", "ls", "-l")
    assert status == 7
    *words, root, ignored = command
    options = ["--follow", "-o", "mallard.trace", "--stacks", "unwind", "--sample", "5"]
    ls = shutil.which("ls")
    assert words == [*options, "--started", ls, "--elf", ls, "--", "ls", "-l"]
    assert root == "root=none ctype=none"
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them
        assert not int(ignored.split()[1], 16) & 1 << number - 1


def test_signals_that_the_caller_ignores_stay_ignored(tmp_path: Path) -> None:
    caller = f"{1 << signal.SIGPIPE - 1:016x}"
    ignored = record(tmp_path, "--", "ls", MALLARD_IGNORED=caller)[1][-1]
    assert int(ignored.split()[1], 16) & 1 << signal.SIGPIPE - 1
    assert not int(ignored.split()[1], 16) & 1 << signal.SIGXFSZ - 1


def test_limits_are_passed_on(tmp_path: Path) -> None:
    words = record(tmp_path, "--for", "30s", "--limit", "2G", "--", "ls")[1]
    assert words[4:8] == ["--for", "30000", "--limit", str(2 << 30)]


def test_signal_is_passed_on(tmp_path: Path) -> None:
    words = record(tmp_path, "--signal", "USR1", "--", "ls")[1]
    assert words[4:6] == ["--signal", str(signal.SIGUSR1.value)]


@pytest.mark.skipif("Seccomp:\t0" not in Path("/proc/self/status").read_text(), reason="seccomp")
def test_process_is_passed_on(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "60"]) as running:
        words = record(tmp_path, "--pid", str(running.pid), "--for", "30s")[1][:-2]
        running.kill()
    assert words[4:] == ["--pid", str(running.pid), "--for", "30000"]


def test_recovery_takes_no_other_options(tmp_path: Path) -> None:
    assert record(tmp_path, "--recover", "x")[1][:-2] == ["--recover", "x"]


def test_reports_missing_collector(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MALLARD_ROOT", str(tmp_path))
    with pytest.raises(UsageError, match="the native program mallard-record is missing"):
        parse_command(["record", "ls"]).run()
    monkeypatch.setenv("MALLARD_COLLECTOR", str(tmp_path / "none"))
    with pytest.raises(UsageError, match="is not a program; unset it"):
        parse_command(["record", "ls"]).run()
