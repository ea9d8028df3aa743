"""`mallard verify` and `mallard budget` on real programs. No time decides."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import tomllib
from advisor_programs import front, wait_until
from source_tree import ROOT

Mallard = Callable[..., subprocess.CompletedProcess[str]]
INCLUDE = f"-I{ROOT / 'include'}"


@pytest.fixture
def mallard(tmp_path: Path) -> Mallard:
    def call(*words: str | Path) -> subprocess.CompletedProcess[str]:
        return front(*words, folder=tmp_path)

    return call


@pytest.fixture
def batches(toys) -> Path:
    return toys.build("batches", ["batches.cpp"], INCLUDE)


@pytest.fixture
def pooled(toys) -> Path:
    return toys.build("pooled", ["batches.cpp"], INCLUDE, "-DPOOLED=1")


@pytest.fixture
def null(toys) -> Path:
    return toys.build("null", ["batches.cpp"], INCLUDE, "-DNULL_OF_THE_REWRITE")


def verified(done: subprocess.CompletedProcess[str]) -> dict:
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_three_programs(mallard, batches, pooled, null):
    done = mallard("verify", batches, pooled, null, "--rounds", "3", "--json", "--", "50")
    verdict = verified(done)
    assert done.returncode == 0
    assert verdict["sound"] is True
    of = verdict["comparison"]
    assert of["rounds"] == 3
    assert of["compared"] is True
    assert set(of["programs"]) == {"before", "after", "null"}
    assert of["allocator"]["time"]["n"] == 3
    # A program's peak is its own, and not that of the interpreter that started it.
    assert 0 < of["programs"]["before"]["peak_bytes"] < 6 << 20
    (pool,) = [pool for pool in verdict["ownership"]["pools"] if pool["name"] == "batches"]
    assert pool["allocations"] == 500
    assert pool["releases"] == 50
    assert sum(pool[kind] for kind in ("outlived", "of_other", "of_malloc", "by_malloc")) == 0


@pytest.mark.parametrize(
    ("fault", "name", "kind"), [("late", "batches", "outlived"), ("foreign", "others", "of_other")]
)
def test_wrong_frees_of_the_changed_program(mallard, batches, pooled, fault, name, kind):
    done = mallard("verify", batches, pooled, "--rounds", "3", "--json", "--", "2", fault)
    assert done.returncode == 1
    verdict = verified(done)
    (pool,) = [pool for pool in verdict["ownership"]["pools"] if pool["name"] == name]
    assert pool[kind] == 2
    assert any("free_wrongly" in function for function in pool["first"])
    page = mallard("verify", batches, pooled, "--rounds", "3", "--", "2", fault).stdout
    assert "The first: " in page


def test_a_changed_program_that_crashes(mallard, batches, toys, tmp_path):
    crashes = tmp_path / "crashes"
    crashes.write_text(f'#!/bin/sh\nexec {batches} "$1" crash\n')
    crashes.chmod(0o755)
    done = mallard("verify", batches, crashes, "--rounds", "3", "--", "2")
    assert done.returncode == 1
    assert "The program after the change ended by SIGABRT" in done.stdout


def test_programs_that_do_not_start_or_end(mallard, batches, tmp_path):
    (tmp_path / "damaged").write_bytes(b"\x7fELF")
    (tmp_path / "damaged").chmod(0o755)
    done = mallard("verify", batches, "./damaged", "--rounds", "3", "--", "2")
    assert done.returncode == 2
    assert "./damaged does not start: Exec format error" in done.stderr
    (tmp_path / "endless").write_text("#!/bin/sh\nsleep 1000\n")
    (tmp_path / "endless").chmod(0o755)
    done = mallard("verify", batches, "./endless", "--rounds", "3", "--time-limit", "0.2", "--", "2")
    assert done.returncode == 2
    assert "ran for more than 0.2 s" in done.stderr


# ---- budgets ------------------------------------------------------------------------------------------


def rows(output):
    return [line.split() for line in output.splitlines()]


def test_a_budget_is_of_the_named_process(mallard, batches, tmp_path):
    own = mallard("budget", "own.toml", "--write", "--scopes", "", "--", batches, "100")
    assert own.returncode == 0, own.stderr
    words = ("sh", "-c", f"{batches} 100; true")
    done = mallard("budget", "x.toml", "--write", "--scopes", "", "--process", batches.name, "--", *words)
    assert done.returncode == 0, done.stderr
    documents = [tomllib.loads((tmp_path / name).read_text()) for name in ("own.toml", "x.toml")]
    assert documents[0]["process"]["allocations"] == documents[1]["process"]["allocations"]
    assert mallard("budget", "x.toml", "--process", batches.name, "--", *words).returncode == 0
    wrong = mallard("budget", "x.toml", "--process", "other", "--", *words)
    assert wrong.returncode == 2
    assert batches.name in wrong.stderr


def test_a_budget_holds_until_the_program_allocates_more(mallard, batches, tmp_path):
    done = mallard("budget", "x.toml", "--write", "--", batches, "100")
    assert done.returncode == 0, done.stderr
    assert "limits of the process and of batch" in done.stdout
    text = (tmp_path / "x.toml").read_text()
    assert "allocations = 1050 " in text
    assert "peak_bytes = 336 " in text
    assert '[scope."batch"]' in text
    done = mallard("budget", "x.toml", "--", batches, "100")
    assert done.returncode == 0, done.stdout
    assert "all hold" in done.stdout
    done = mallard("budget", "x.toml", "--", batches, "100", "keep")
    assert done.returncode == 1
    assert ["EXCEEDED", "batch", "escaped", "100", "0", "100"] in rows(done.stdout)
    done = mallard("budget", "x.toml", "--", batches, "100", "more")
    assert done.returncode == 1
    assert re.search(r"^EXCEEDED +process +allocations +1,5", done.stdout, re.MULTILINE)
    assert re.search(
        r"^First new stack, 500 blocks beyond the file:\n  main > .*other", done.stdout, re.MULTILINE
    )


def test_functions_can_be_named(mallard, batches, tmp_path):
    done = mallard("budget", "x.toml", "--write", "--scopes", "other", "--", batches, "1", "more")
    assert done.returncode == 0, done.stderr
    assert "allocations = 525 " in (tmp_path / "x.toml").read_text()
    assert mallard("budget", "x.toml", "--", batches, "1", "more").returncode == 0
    # A new run of --write has the scopes of the file.
    assert "and of other" in mallard("budget", "x.toml", "--write", "--", batches, "1", "more").stdout


def test_an_unknown_scope_leaves_the_file_alone(mallard, batches, tmp_path):
    (tmp_path / "x.toml").write_text("[scope.batsch]\nallocations = 1\n")
    for words in ((), ("--write",)):
        done = mallard("budget", "x.toml", *words, "--", batches, "1")
        assert done.returncode == 2
        assert "There is no scope 'batsch'" in done.stderr
        assert "batch" in done.stderr.partition("nearest names are")[2]
    assert (tmp_path / "x.toml").read_text() == "[scope.batsch]\nallocations = 1\n"


def test_a_scope_that_allocates_nothing_holds(mallard, batches, tmp_path):
    done = mallard("budget", "x.toml", "--write", "--scopes", "batch,other", "--", batches, "1", "more")
    assert done.returncode == 0, done.stderr
    # Neither the marker is reached nor the function called.
    done = mallard("budget", "x.toml", "--", batches, "0")
    assert done.returncode == 0, done.stdout + done.stderr
    assert ["holds", "batch", "allocations", "0", "11"] in rows(done.stdout)
    assert ["holds", "other", "allocations", "0", "525"] in rows(done.stdout)
    done = mallard("budget", "x.toml", "--write", "--", batches, "0")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "x.toml").read_text()
    assert text.count("allocations = 0 ") == 2


def test_an_unknown_scope_hides_no_limit(mallard, batches, tmp_path):
    (tmp_path / "x.toml").write_text(
        "[process]\nallocations = 1\n[scope.othr]\nallocations = 1\n[scope.batch]\nallocations = 10\n"
    )
    done = mallard("budget", "x.toml", "--", batches, "1")
    assert done.returncode == 2
    assert "x.toml, [scope.\"othr\"]: There is no scope 'othr'" in done.stderr
    assert ["EXCEEDED", "process", "allocations"] in [row[:3] for row in rows(done.stdout)]
    assert ["holds", "batch", "allocations", "10", "10"] in rows(done.stdout)


def test_a_new_budget_names_functions_of_the_program(mallard, toys, tmp_path):
    program = toys.build("layers", ["layers.cpp"])
    done = mallard("budget", "x.toml", "--write", "--", program)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "x.toml: limits of the process and of (anonymous)::read, (anonymous)::parse\n"
    text = (tmp_path / "x.toml").read_text()
    assert "mallard::" not in text
    assert mallard("budget", "x.toml", "--", program).returncode == 0
    # A file of an older mallard loses such scopes when it is written again.
    (tmp_path / "x.toml").write_text(text + '[scope."mallard::chunks::grow"]\nbytes = 1\n')
    assert mallard("budget", "x.toml", "--write", "--", program).returncode == 0
    assert (tmp_path / "x.toml").read_text() == text


def test_a_scope_inlined_meanwhile_holds(mallard, toys, tmp_path):
    (tmp_path / "x.toml").write_text(
        '[scope."(anonymous)::parse"]\nallocations = 4\n[scope."(anonymous)::parze"]\nallocations = 4\n'
    )
    program = toys.build("layers_inlined", ["layers.cpp"], "-O2", "-g", "-DSILENT")
    done = mallard("budget", "x.toml", "--", program)
    assert done.returncode == 2
    assert ["holds", "(anonymous)::parse", "allocations", "0", "4"] in rows(done.stdout)
    assert "(anonymous)::parze" in done.stderr
    assert '(anonymous)::parse"]' not in done.stderr


def test_a_run_that_crashes_is_no_measure(mallard, batches, tmp_path):
    assert mallard("budget", "x.toml", "--write", "--", batches, "1").returncode == 0
    done = mallard("budget", "x.toml", "--", batches, "1", "crash")
    assert done.returncode == 2
    assert "ended with exit status -6" in done.stderr


# ---- patches ------------------------------------------------------------------------------------------

CALL = "    std::free(std::malloc(9));\n"
SOURCE = f"#include <cstdlib>\nint main() {{\n{CALL}{CALL}    return 0;\n}}\n"
DIFF = f"--- a/x.cpp\n+++ b/x.cpp\n@@ -3,3 +3,2 @@\n {CALL}-{CALL}     return 0;\n"
BUILD = "g++ -fno-builtin x.cpp -o x"


@pytest.fixture
def patched(mallard, tmp_path):
    """`mallard verify --patch` in a folder with a source and a patch."""
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "x.cpp").write_text(SOURCE)
    (folder / "x.patch").write_text(DIFF)
    words = ("verify", "--rounds", "3", "--json", "--patch", "x.patch", "--build")
    return lambda build=BUILD, *program: front(*(*words, build, "--", *(program or ("./x",))), folder=folder)


def test_a_patch_is_built_and_compared(patched, tmp_path):
    done = patched()
    assert done.returncode == 0, done.stderr
    verdict = verified(done)
    assert verdict["patch"] == "x.patch"
    assert verdict["allocations_before"] == verdict["ownership"]["allocations"] + 1
    for program in verdict["comparison"]["programs"].values():
        assert program["measured_seconds"] > 0
    assert sorted(file.name for file in (tmp_path / "sources").iterdir()) == ["x.cpp", "x.patch"]


@pytest.mark.parametrize(
    ("build", "program", "message"),
    [
        ("echo first; echo broken >&2; exit 3", "./x", "ended with exit status 3 (broken), before the patch"),
        ("true", "./x", "--build 'true' made no program ./x"),
        ("cp /bin/true x", "./x", "made the same ./x with and without the patch"),
        (BUILD, "../x", "../x is not below the current folder"),
        ("mkfifo x", "./x", "made no program ./x"),
    ],
)
def test_refuses_a_build_without_two_programs(patched, build, program, message):
    done = patched(build, program)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr


@pytest.mark.parametrize("tools", [["git"], ["patch"], []])
def test_a_patch_that_does_not_apply(patched, tmp_path, monkeypatch, tools):
    if missing := [name for name in tools if shutil.which(name) is None]:
        pytest.skip(f"{missing[0]} is not installed")
    (tmp_path / "sources/x.cpp").write_text(SOURCE.replace("9", "10"))
    monkeypatch.setattr("shutil.which", lambda name, **_: name if name in tools else None)
    done = patched()
    assert done.returncode == 2
    expected = "does not apply to the files of the current folder (" if tools else "needs git or patch"
    assert expected in done.stderr


def test_a_folder_of_cmake_is_not_copied(patched, tmp_path):
    folder = tmp_path / "sources"
    (folder / "old/inner").mkdir(parents=True)
    (folder / "old/CMakeCache.txt").touch()
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("x.cpp")
    folder.joinpath("x.cpp").chmod(0o444)
    done = patched("test ! -e old -a ! -e pipe -a -L link || exit 1; " + BUILD)
    assert done.returncode == 0, done.stderr
    assert "not copied, because it is bound to its place or no file: old, pipe" in done.stderr


def test_an_interrupted_build_leaves_nothing_behind(patched, tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    started = tmp_path / "started"
    threading.Thread(target=lambda: interrupt_when(started.exists), daemon=True).start()
    done = patched(f"touch {started}; sleep 1000")
    assert done.returncode == 130
    assert list(scratch.iterdir()) == []


def interrupt_when(condition):
    wait_until(condition)
    os.kill(os.getpid(), signal.SIGINT)
