"""The sources and the output of smoke.cpp, the tools of a target, and where outcomes are stored."""

import fcntl
import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

import pytest
from source_tree import ROOT, files

BUILD = ROOT / "build/platforms"
RESULTS = BUILD / "results.json"


def run(command: Sequence[str | Path], **environment: str) -> str:
    done = subprocess.run(
        list(map(str, command)),
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def need(*tools: str, package: str) -> None:
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is missing: apt-get install {package}")


def store(target: str, outcome: str) -> None:
    """Adds the outcome of a target to the results, from which docs/refresh.py writes docs/platforms.md, with
    the date and the commit of the run. Files of tests run side by side."""
    head = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    entry = {
        "outcome": outcome,
        "date": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        "commit": head.stdout.strip(),
    }
    BUILD.mkdir(parents=True, exist_ok=True)
    with RESULTS.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        known = json.loads(file.read() or "{}")
        file.truncate(0)
        file.write(json.dumps({**known, target: entry}, indent=1) + "\n")


def library(memory: str, threads: str) -> list[Path]:
    """The sources of the library for a system."""
    chosen = {f"memory_{memory}", f"protection_{memory}", f"threads_{threads}"}
    systems = "(memory|protection)_(posix|windows|plain)|threads_(posix|windows|none)"
    others = re.compile(f"{systems}|failure_quiet")
    return [
        file
        for file in files("*.cpp", under="src/mallard")
        if file.stem in chosen or not others.fullmatch(file.stem)
    ]


def expect_success(output: str) -> str:
    """The first line of smoke.cpp, with the number of its checks."""
    count = re.search(r"^(\d+) checks, 0 failed$", output, re.MULTILINE)
    assert count, output
    return f"{output.splitlines()[0]}; {count[1]} checks"
