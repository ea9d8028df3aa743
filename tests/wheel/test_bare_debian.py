"""The wheel in a Debian without compiler, clone and root, with other versions of glibc and Python."""

import os
import shutil
import subprocess
import sys

import pytest

RELEASE = "trixie"
COMPILERS = ("c++", "cc", "g++", "gcc", "clang", "cmake", "ninja", "make")
DEPENDENCIES = ("rich>=13", "markdown-it-py", "mdurl", "pygments")
USER = 1000
# Its words are the folder and a command. The mount ends with the shell.
INSIDE = f"""root=$1; shift; mount -t proc proc "$root/proc"
exec chroot --userspec={USER}:{USER} "$root" env -i HOME=/home/user PATH=/home/user/mallard/bin:/bin \\
    sh -c 'cd; exec "$@"' - "$@"
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    if shutil.which("debootstrap") is None or os.geteuid() != 0:
        pytest.skip("a bare Debian is made by debootstrap, as root")
    root = tmp_path_factory.mktemp("debian") / "root"
    bootstrap = ["debootstrap", "--variant=minbase", "--include=python3,python3-venv", RELEASE, root]
    done = subprocess.run(bootstrap, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    yield root
    shutil.rmtree(root)


@pytest.fixture(scope="module")
def debian(root, wheel):
    """The root folder, with the wheels that a user without rights installs."""
    wheels = root / "home/user/wheels"
    # The registry is asked here, because its settings are this machine's.
    download = ["pip", "download", "--quiet", "--no-deps", "--dest", wheels, *DEPENDENCIES]
    subprocess.run([sys.executable, "-m", *download], check=True)
    shutil.copy(wheel, wheels)
    for path in (root / "home/user", wheels, *wheels.iterdir()):
        os.chown(path, USER, USER)
    return root


@pytest.fixture(scope="module")
def call(debian):
    def run(command, status=0):
        words = ["unshare", "--mount", "--pid", "--fork", "sh", "-ec", INSIDE, "-", debian, *command.split()]
        done = subprocess.run(words, capture_output=True, text=True)
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
