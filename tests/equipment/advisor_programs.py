"""The programs of the advisor, built for the tests that run them."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from source_tree import ROOT


@cache
def programs_of_advisor() -> Path:
    """The folder of mallard-record. MALLARD_ADVISOR names one that is built already."""
    stated = os.environ.get("MALLARD_ADVISOR")
    if stated:
        return Path(stated)
    build = ROOT / "build/recording"
    build.mkdir(parents=True, exist_ok=True)
    # Tests run side by side, and one of them builds. After the stage `recording` there is nothing to build.
    with (build / "tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (build / "CMakeCache.txt").exists():
            run("--preset", "recording")
        run(
            "--build",
            "--preset",
            "recording",
            "--target",
            "mallard-advisor",
            "--parallel",
            str(os.cpu_count()),
        )
    return build / "recorder"


def front(
    *words: object, folder: Path, seconds: float = 60, build: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """`mallard WORDS` in that folder, with these programs, or with those of another folder."""
    return subprocess.run(
        [sys.executable, "-m", "mallard", *map(str, words)],
        cwd=folder,
        env=front_environment(build),
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def front_environment(build: Path | None = None) -> dict[str, str]:
    build = build or programs_of_advisor().parent
    own = {
        "MALLARD_COLLECTOR": str(build / "recorder/mallard-record"),
        "MALLARD_PROFILE": str(build / "advisor/mallard-profile"),
        "MALLARD_MEASURE": str(build / "trial/mallard-measure"),
        "MALLARD_TRIAL_LIBRARY": str(build / "trial/libmallard_trial.so"),
        "MALLARD_ROOT": str(ROOT),
        "PYTHONPATH": str(ROOT / "python"),
    }
    return {**os.environ, **own}


def run(*words: str) -> None:
    done = subprocess.run(["cmake", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.exit(f"the recorder was not built:\n{done.stdout[-3000:]}{done.stderr[-3000:]}", 1)
