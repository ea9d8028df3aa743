"""The front door of this tree with the real program behind it."""

import re
import shutil
import subprocess
from functools import cache

import pytest
from source_tree import ROOT

from mallard.bench.experiments import EXPERIMENTS

VERBS = (
    "bench",
    "show",
    "choose",
    "doctor",
    "advise",
    "record",
    "profile",
    "try",
    "age",
    "verify",
    "budget",
    "test",
    "docs",
)


@cache
def call(*words):
    return subprocess.run([ROOT / "mallard", *words], capture_output=True, text=True, timeout=300, cwd="/")


def test_a_path_with_a_colon_is_refused(tmp_path):
    (tmp_path / "a:b").mkdir()
    shutil.copy(ROOT / "mallard", tmp_path / "a:b")
    failed = subprocess.run([tmp_path / "a:b/mallard", "show"], capture_output=True, text=True, timeout=300)
    assert failed.returncode == 2
    assert f"'{tmp_path}/a:b' has a colon in its path" in failed.stderr
    assert not (tmp_path / "a:b/build").exists()


def test_prints_version():
    done = call("--version")
    assert done.returncode == 0
    assert done.stdout.strip().split()[-1].count(".") == 2


MISTYPED = (
    ("bench", "locality", "-20", "18", "32"),
    ("bnech",),
    ("test", "a-stage"),
    ("show", "export"),
    ("profile", "nowhere.trace"),
)


@pytest.mark.parametrize("words", MISTYPED, ids=" ".join)
def test_refuses_bad_command_before_setup(clone, words):
    clone.native_tools()
    failed = clone.call(*words)
    assert failed.returncode == 2
    assert failed.stdout == ""
    assert failed.stderr.startswith("mallard: error: ")
    assert "missing" not in failed.stderr
    assert not (clone.root / "build").exists()


@pytest.mark.parametrize("words", [[], ["--help"], ["help", "bench"], ["bench", "-h"]], ids=" ".join)
def test_answers_help_before_setup(clone, words):
    (clone.root / "python/mallard/__main__.py").write_text((ROOT / "python/mallard/__main__.py").read_text())
    done = clone.call(*words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: mallard")
    assert done.stderr == ""
    assert not (clone.root / "build").exists()


def test_refuses_bad_command_without_venv_module(clone):
    python = clone.python
    clone.program("python3", f'case "$*" in *ensurepip*) exit 1 ;; esac\n{python}')
    assert "unknown experiment 'foo'" in clone.call("bench", "foo").stderr
    assert "missing: python3 python3-venv" in clone.call("doctor").stderr


def test_front_door_hardcodes_no_options():
    """The command line is read in one place, and that is not the shell."""
    script = (ROOT / "mallard").read_text()
    screens = [*([verb] for verb in VERBS), ["bench", "density"]]
    outputs = [call(*words, "--help").stdout for words in screens]
    options = {word for text in outputs for word in re.findall(r"--[a-z][\w-]*", text)}
    assert {"--strategy", "--compiler", "--malloc", "--contenders", "--list"} <= options
    # cmake and pip have one of this name, too.
    spelled = set(re.findall(r"--[a-z][\w-]*", script)) & (options - {"--version"})
    assert spelled == set()
    words = set(re.findall(r"[\w+-]+", script))
    assert words & (set(EXPERIMENTS) - {"programs"}) == set()  # a word of English, too
    # A folder and a group of packages have these names.
    assert words & (set(VERBS) - {"bench", "test"}) == set()


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_refuses_a_deleted_working_directory(clone, shell):
    clone.native_tools()
    gone = clone.root.parent / "gone"
    gone.mkdir()
    door = clone.root.parent / "deleter"
    front = f'{shutil.which(shell)} "{clone.root}/mallard"'
    door.write_text(f'#!/bin/sh\ncd "{gone}" && {shutil.which("rmdir")} "{gone}" && exec {front} "$@"\n')
    door.chmod(0o755)
    failed = clone.call("bench", "density", door=door)
    assert failed.returncode == 2
    # The shell itself complains first.
    assert [line for line in failed.stderr.splitlines() if line.startswith("mallard: ")] == [
        "mallard: error: the working directory does not exist any more; go to another one, as with 'cd'"
    ]
    assert not (clone.root / "build").exists()


@pytest.mark.parametrize("words", [["bench", "density"], ["--help"]], ids=" ".join)
def test_refuses_closed_output_before_setup(clone, words):
    (clone.root / "python/mallard/__main__.py").write_text((ROOT / "python/mallard/__main__.py").read_text())
    door = clone.root.parent / "closed"
    door.write_text(f'#!/bin/sh\nexec "{clone.root}/mallard" "$@" >&-\n')
    door.chmod(0o755)
    failed = clone.call(*words, door=door)
    assert failed.returncode == 2
    assert failed.stderr.startswith("mallard: error: standard output is closed; ")
    assert len(failed.stderr.splitlines()) == 1
    assert not (clone.root / "build").exists()


@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full"])
def test_setup_works_with_closed_stderr(clone, where):
    door = clone.root.parent / "deaf"
    door.write_text(f'#!/bin/sh\nexec "{clone.root}/mallard" "$@" {where}\n')
    door.chmod(0o755)
    assert clone.arguments("doctor", door=door)["words"] == ["doctor"]
