"""The commands of docs/advisor/tutorial.md in order, typed in a fresh clone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from compiler_flags import WERROR
from source_tree import ROOT, clone_tree

COMMAND = re.compile(r"(?m)^    \$ (.*)$")
LONGEST = 3600  # seconds
# By a part of the command: words that it prints whatever the machine's speed.
WORDS = {
    "build/tutorial/before 8471 2 &": ("200 orders of",),
    "./mallard advise": ("estimate:",),
    "./mallard record": ("100 % of", "next: mallard profile"),
    "./mallard profile": ("examples/tutorial/server.cpp:", "contained"),
    "./mallard verify": ("the allocator alone", "no block outlived its pool"),
    "--write": ("limits of the process and of handle",),
    "./mallard budget build/tutorial/server.toml -- ": (": all hold.",),
}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The tree as it is here, with what is not committed yet."""
    if not (ROOT / ".git").exists():
        pytest.skip("this tree is no clone of git")
    clone = tmp_path / "mallard"
    clone_tree(clone)
    return clone


def type_command(
    command: str, clone: Path, capsys: pytest.CaptureFixture[str]
) -> subprocess.CompletedProcess[str]:
    # This call's own tools and settings are not those of a user.
    own = {name: value for name, value in os.environ.items() if not name.startswith(("MALLARD_", "PYTHON"))}
    with capsys.disabled():  # a stage that prints nothing for long is ended
        print(f"$ {command}", file=sys.stderr, flush=True)
    return subprocess.run(
        ["bash", "-c", command],
        cwd=clone,
        env={**own, "COLUMNS": "100", "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # without the terminal, in which ./mallard would ask
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )


def compile_pasted(advice: str, clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A slow or noisy machine may prefer a malloc, or resolve nothing: that advice has no code."""
    _, heading, code = advice.partition("Code to paste:\n")
    if not heading:
        assert re.search("LD_PRELOAD=|GLIBC_TUNABLES=|Not resolved:|othing that was tried", advice), advice
        return
    assert "boost::json" in code
    (clone / "build/tutorial/pasted.cpp").write_text(code, encoding="utf-8")
    flags = "-std=c++20 -Wall -Wextra -fsyntax-only -isystem build/tutorial/boost/usr/include -I include"
    done = type_command(f"g++ {' '.join([flags, *WERROR])} build/tutorial/pasted.cpp", clone, capsys)
    assert done.returncode == 0, f"{done.stderr}\n{code}"


def test_the_tutorial_works_in_a_fresh_clone(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands = COMMAND.findall((clone / "docs/advisor/tutorial.md").read_text(encoding="utf-8"))
    assert len(commands) >= 11
    mentioned = set()
    for command in commands:
        done = type_command(command, clone, capsys)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        for part, words in WORDS.items():
            if command.startswith(part) or (part.startswith("--") and part in command):
                mentioned.add(part)
                for word in words:
                    assert word in done.stdout, f"{command}\n{done.stdout}"
            if command.startswith("./mallard advise"):
                compile_pasted(done.stdout, clone, capsys)
    assert mentioned == set(WORDS)
    advice = json.loads((clone / "build/tutorial/advice.json").read_text(encoding="utf-8"))
    (effect,) = advice["baselines"][0]["trial"]["effects"]
    assert (advice["scope"]["name"], effect["strategy"]) == ("handle", "monotonic")
    assert effect["counts"]["served"] == effect["counts"]["freed"] > 900_000
    assert effect["counts"]["started_again"] == 1500  # once an order
