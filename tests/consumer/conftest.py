"""The library, installed once for all tests."""

import fcntl
import os
import re
import subprocess

import pytest
from source_tree import ROOT


def install_lines():
    """The commands of the README's section on installing."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Install\n")[2]
    block = re.search(r"```sh\n(.*?)```", section, re.DOTALL)
    return block[1]


@pytest.fixture(scope="session")
def installation(tmp_path_factory, worker_id):
    """A tree without build directories and a home directory, after the README's lines. Tests that run side by
    side share them."""
    base = tmp_path_factory.getbasetemp()
    place = (base if worker_id == "master" else base.parent) / "readme"
    place.mkdir(exist_ok=True)
    tree, home = place / "tree", place / "home"
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not home.exists():
            install(tree, home)
    return tree, home


def install(tree, home):
    """Installed below one name and moved to another, with a space in it: no file may hold the old name."""
    for folder in (tree, home):
        folder.mkdir()
    for entry in ROOT.iterdir():
        if entry.name not in ("build", ".git"):
            (tree / entry.name).symlink_to(entry)
    # The compiler notes its options in each object file.
    flags = {"CXXFLAGS": "-frecord-gcc-switches", "CMAKE_EXPORT_COMPILE_COMMANDS": "ON"}
    overridden = ("CMAKE_BUILD_TYPE", "CMAKE_GENERATOR", "CMAKE_CONFIG_TYPE")
    kept = {name: value for name, value in os.environ.items() if name not in overridden}
    environment = {**kept, "HOME": str(home), "CMAKE_BUILD_PARALLEL_LEVEL": "2", **flags}
    command = ["sh", "-e", "-c", install_lines()]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tree, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    (home / ".local").rename(home / "second place")


@pytest.fixture(scope="session")
def prefix(installation):
    return installation[1] / "second place"
