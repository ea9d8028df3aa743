"""The wheel, made once for all tests, and a Python environment with nothing else in it."""

import fcntl
import os
import subprocess
import sys

import pytest
from source_tree import ROOT

from dev.package.release import build_wheel


@pytest.fixture(scope="session")
def wheel(tmp_path_factory, worker_id):
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "wheel"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return next(folder.glob("*.whl"), None) or build_wheel(ROOT, folder)


@pytest.fixture(scope="session")
def site(wheel, tmp_path_factory):
    """An environment of its own, as pipx makes it."""
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin/pip", "install", "--quiet", wheel], check=True)
    return folder


@pytest.fixture
def call(site, tmp_path):
    """Runs a program of the environment."""

    def run(program, *words, status=0, **variables):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MALLARD_")}
        done = subprocess.run(
            [site / "bin" / program, *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**kept, **variables},
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done

    return run
