"""The wheel in a Debian without compiler, clone and root, with other versions of glibc and Python."""

import os
import shutil
import subprocess
import sys

import pytest
from bare_debian import BareDebian

RELEASE = "trixie"
COMPILERS = ("c++", "cc", "g++", "gcc", "clang", "cmake", "ninja", "make")
DEPENDENCIES = ("rich>=13", "markdown-it-py", "mdurl", "pygments")
USER = 1000


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    debian = BareDebian(tmp_path_factory.mktemp("debian") / "root", RELEASE, ("python3", "python3-venv"))
    yield debian
    debian.remove()


@pytest.fixture(scope="module")
def debian(root, wheel):
    """With the wheels that a user without rights installs."""
    home = root.root / "home/user"
    wheels = home / "wheels"
    # The registry is asked here, because its settings are this machine's.
    download = ["pip", "download", "--quiet", "--no-deps", "--dest", wheels, *DEPENDENCIES]
    subprocess.run([sys.executable, "-m", *download], check=True)
    shutil.copy(wheel, wheels)
    for path in (home, wheels, *wheels.iterdir()):
        os.chown(path, USER, USER)
    return root


@pytest.fixture(scope="module")
def call(debian):
    def run(command, status=0):
        done = debian.run(
            f"cd; exec {command}", f"{USER}:{USER}", HOME="/home/user", PATH="/home/user/mallard/bin:/bin"
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout if status == 0 else done.stderr

    run("python3 -m venv mallard")
    run("pip install --quiet --no-index --find-links wheels mallard")
    return run


def test_has_no_compiler(call):
    for name in COMPILERS:
        call(f"env {name} --version", status=127)


def test_records_profiles_and_budgets(call):
    call("mallard record -o apt.trace -- apt-config dump")
    screen = call("mallard profile apt.trace")
    assert "apt-config dump" in screen
    assert "libapt-pkg" in screen
    call("mallard budget apt.toml --write -- apt-config dump")
    assert "all hold" in call("mallard budget apt.toml -- apt-config dump")


def test_tries_and_advises(call):
    assert "monotonic" in call("mallard try --scope __libc_start_main --rounds 3 -- apt-config dump")
    assert "\n  estimate: " in call("mallard advise --quick -- apt-config dump")


def test_bench_names_what_to_install(call):
    assert "apt-get install g++" in call("mallard bench", status=2)


def test_other_verbs_run(call):
    for words, status in (("doctor", 0), ("choose", 1), ("show", 0), ("show strategies", 0)):
        call(f"mallard {words}", status)
