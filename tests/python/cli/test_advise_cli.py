"""Files that a page or a patch of the advisor's verbs may not replace."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from mallard.cli import parse_command
from mallard.cli.verbs.advise import tries_switches
from mallard.shared.errors import UsageError


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("server", "input", "a.trace"):
        (tmp_path / name).touch(mode=0o755)
    return tmp_path / "server"


@pytest.mark.parametrize("page", ["server", "input", "a.trace"])
def test_a_page_replaces_no_file_of_the_command(server: Path, page: str) -> None:
    with pytest.raises(UsageError, match=f"--html {page} would replace a file of the command"):
        parse_command(["advise", "--trace", "a.trace", "--html", page, "--", "./server", "input"])


@pytest.mark.parametrize(
    "words",
    [
        "age --input input --html input -- ./server",
        "age --age old,young --history a.trace --html a.trace -- ./server",
        "try --scope f --trace a.trace --html a.trace -- ./server",
        "verify --html server ./server ./other",
        "budget limits.toml --html limits.toml -- ./server",
    ],
)
def test_no_verb_replaces_a_file_of_its_command(server: Path, words: str) -> None:
    (server.parent / "other").touch(mode=0o755)
    (server.parent / "limits.toml").write_text("[process]\nbytes = 7\n")
    with pytest.raises(UsageError, match="would replace a file of the command"):
        parse_command(words.split())


def test_a_page_replaces_no_program_of_the_path(server: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(server.parent))
    with pytest.raises(UsageError, match="would replace a file of the command"):
        parse_command(["advise", "--html", "server", "--", "server"])


def test_an_older_page_is_replaced(server: Path) -> None:
    (server.parent / "advice.html").touch()
    assert parse_command(["advise", "--html", "advice.html", "--", "./server"])


@pytest.mark.parametrize("verb", [["advise"], ["try", "--scope", "handle"]])
@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("./no", "'./no' does not exist"),
        ("./input.txt", "is not executable"),
        ("servre", "not a program in PATH"),
    ],
)
def test_a_wrong_program_costs_no_build(server: Path, verb: list[str], program: str, said: str) -> None:
    (server.parent / "input.txt").touch()
    with pytest.raises(UsageError, match=said):
        parse_command([*verb, "--", program])


def test_a_function_without_a_name_is_refused(server: Path) -> None:
    assert parse_command(["try", "--scope", "f", "--without", "g", "--without", "h", "--", "./server"])
    with pytest.raises(UsageError, match="--without is empty"):
        parse_command(["try", "--scope", "f", "--without", " ", "--", "./server"])


@pytest.mark.parametrize(
    "options", [[], ["--for", "time"], ["--for", "memory"], ["--for", "memory", "--age", "young"]]
)
def test_advice_has_a_goal(server: Path, options: list[str]) -> None:
    goal = options[1] if options else "time"
    assert parse_command(["advise", *options, "--", "./server"]).arguments.goal == goal


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--for", "memroy"], r"--for 'memroy' \(did you mean memory\?\); allowed are time, memory"),
        (["--for", ""], r"--for ''; allowed are time, memory"),
        (
            ["--for", "memory", "--age", "young,old"],
            r"--for memory compares young heaps, .* leave --age young,old out",
        ),
        (["--for", "memory", "--history", "a.trace"], r"leave --history a.trace out"),
        (["--for", "time", "--for", "memory"], r"--for is given twice"),
    ],
)
def test_wrong_goals_are_refused(server: Path, options: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_command(["advise", *options, "--", "./server"])


@pytest.mark.parametrize(
    ("options", "tried"),
    [
        ([], True),
        (["--quick"], False),
        (["--quick", "--for", "memory"], True),
        (["--for", "memory", "--global", "glibc"], False),
        (["--global", f"glibc,jemalloc,mimalloc,tcmalloc,other={sys.executable}"], True),
        (["--global", "glibc,jemalloc,mimalloc,tcmalloc,glibc:arena_max=2"], False),
    ],
)
def test_switches_are_tried_by_default(server: Path, options: list[str], tried: bool) -> None:
    assert tries_switches(parse_command(["advise", *options, "--", "./server"]).arguments) is tried


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--patch x.patch -- ./server", "--build CMD is missing"),
        ("--build make -- ./server", "--patch FILE is missing"),
        ("--patch x.patch --build make", "PROGRAM is missing behind '--'"),
        ("--patch x.patch --build make ./server -- ./server", "'./server' stands before '--'"),
        ("--patch no.patch --build make -- ./server", "--patch no.patch is not a file"),
        ("--patch x.patch --build make -- /bin/true", "/bin/true is not below the current folder"),
    ],
)
def test_refuses_half_a_patch(server: Path, words: str, message: str) -> None:
    (server.parent / "x.patch").touch()
    with pytest.raises(UsageError, match=re.escape(message)):
        parse_command(["verify", *words.split()])
    assert parse_command(["verify", "--patch", "x.patch", "--build", "make", "--", "./not-yet-built", "7"])


def test_a_patch_replaces_no_file_of_the_command(server: Path) -> None:
    with pytest.raises(UsageError, match="--patch server would replace a file of the command"):
        parse_command(["advise", "--patch", "server", "--", "./server"])
