"""A release, built once for all tests, and the package managers from PyPI."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from consumer import locked
from source_tree import ROOT

from dev.package.release import SUMS, build

CLIENTS = ("conan>=2,<3", "meson>=1,<2")


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The products that need no compiler."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "release"
    with locked(folder.with_suffix(".lock")):
        if not (folder / SUMS).is_file():
            build(ROOT, folder, ["header", "source", "changes", "conan", "vcpkg"])
    return folder


@pytest.fixture(scope="session")
def client() -> Callable[[str], Path]:
    """Finds a package manager in an environment of its own: the project's tests do without their packages."""

    def find(name: str) -> Path:
        environment = ROOT / "build/package-clients"
        program = environment / "bin" / name
        with locked(ROOT / "build/package-clients.lock"):
            if not program.is_file():
                subprocess.run([sys.executable, "-m", "venv", environment], check=True, capture_output=True)
                pip = [environment / "bin/python", "-m", "pip", "install", "-q", *CLIENTS]
                if subprocess.run(pip, capture_output=True).returncode != 0:
                    pytest.skip(f"no {name}: pip install {name} has failed")
        return program

    return find
