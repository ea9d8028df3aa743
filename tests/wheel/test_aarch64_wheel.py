"""The wheel for aarch64, cross-compiled, and its contents in qemu-user with Debian's Python."""

import json
import subprocess
import sys

import pytest
from aarch64_system import SYSTEM, compile_program, emulate, install_system
from source_tree import ROOT

from dev.package.foreign_debian import LIBRARIES
from dev.package.release import build_wheel

TAG = "manylinux_2_35_aarch64"


@pytest.fixture(scope="module")
def aarch64_wheel(tmp_path_factory):
    install_system()
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"), SYSTEM)


@pytest.fixture(scope="module")
def aarch64_site(aarch64_wheel, tmp_path_factory):
    """What pip installs on aarch64: it refuses the wheel for another platform."""
    folder = tmp_path_factory.mktemp("site")
    options = ["--quiet", "--no-deps", "--only-binary=:all:", f"--platform={TAG}", f"--target={folder}"]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, aarch64_wheel], check=True)
    return folder


@pytest.fixture
def call(aarch64_site, tmp_path):
    def run(*words):
        command = ["/usr/bin/python3", "-m", "mallard", *words]
        return emulate(*command, folder=tmp_path, PYTHONPATH=str(aarch64_site))

    return run


def test_the_tag_is_that_of_its_symbols(aarch64_wheel):
    show = [sys.executable, "-m", "auditwheel", "show", aarch64_wheel]
    report = subprocess.run(show, capture_output=True, text=True, check=True).stdout
    assert f'constrains the platform tag to "{TAG}"' in report.replace("\n", " ")
    assert aarch64_wheel.name.endswith(f"-py3-none-{TAG}.whl")


def test_every_native_file_is_for_aarch64(aarch64_site):
    native = [file for folder in ("bin", "lib") for file in (aarch64_site / "mallard" / folder).iterdir()]
    assert len(native) == 6
    for file in native:
        header = file.read_bytes()[:20]
        assert header.startswith(b"\x7fELF")
        assert int.from_bytes(header[18:20], "little") == 183  # EM_AARCH64


def test_has_the_licences_of_linked_libraries(aarch64_site):
    texts = {file.name for file in (aarch64_site / "mallard/licences").iterdir()}
    assert {"libgcc-s1", *LIBRARIES} <= texts


def test_records_profiles_and_tries_in_emulation(call, tmp_path):
    program = compile_program("advisor/tests/record/toys/requests.cpp", tmp_path / "requests", "-O2", "-g")
    assert "100 % of " in call("record", "-o", "toy.trace", "--", program, "50").stderr
    assert "handle" in call("profile", "toy.trace").stdout
    words = ("--scope", "handle", "--strategy", "monotonic", "--rounds", "3", "--json")
    result = json.loads(call("try", *words, "--", program, "50").stdout)
    (effect,) = result["baselines"][0]["trial"]["effects"]
    assert effect["counts"]["served"] == 50 * 60
