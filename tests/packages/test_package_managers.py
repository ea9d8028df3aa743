"""The recipes of a release, for Conan by its own program, and for vcpkg by the rules of its functions."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from consumer import EXPECTED, PROJECT, run
from source_tree import ROOT

from dev.package.tree import library_version

FUNCTIONS = Path(__file__).with_name("vcpkg") / "run_port.cmake"
# What vcpkg's schema of a port allows, and this one needs.
FIELDS = {"name", "version", "description", "license", "supports", "dependencies"}
# Of the library and of the program of the test.
VARIABLES = {"CMAKE_UNITY_BUILD": "ON", "CMAKE_EXPORT_COMPILE_COMMANDS": "ON", "MALLARD_CHECKED": "OFF"}
TOOLCHAIN = f"tools.cmake.cmaketoolchain:extra_variables={VARIABLES}"


def test_conan_creates_and_tests_it(client: Callable[[str], Path], release: Path, tmp_path: Path) -> None:
    recipe = shutil.copytree(release / "conan", tmp_path / "conan")
    conan, home = client("conan"), {"CONAN_HOME": tmp_path / "home"}
    run(conan, "profile", "detect", **home)
    settings = ("-s", "compiler.cppstd=20", "-s", "build_type=Debug", "-c", TOOLCHAIN)
    run(conan, "create", recipe, "--no-remote", *settings, **home)
    listed = json.loads(run(conan, "list", "mallard/*", "--format=json", **home))
    assert list(listed["Local Cache"]) == [f"mallard/{library_version(ROOT)}"]
    (package,) = (tmp_path / "home/p/b").glob("mall*/p")
    assert (package / "lib/libmallard.a").is_file()
    assert (package / "licenses/LICENSE").is_file()
    # A debug build whose checks the program turned off.
    (commands,) = (recipe / "test_package").rglob("compile_commands.json")
    assert "-DMALLARD_CHECKED=0 " in commands.read_text()


def test_conan_refuses_an_older_standard(
    client: Callable[[str], Path], release: Path, tmp_path: Path
) -> None:
    conan, home = client("conan"), {"CONAN_HOME": tmp_path}
    run(conan, "profile", "detect", **home)
    run(conan, "export", release / "conan", **home)
    command = [conan, "install", "--no-remote", "-s", "compiler.cppstd=17", "--requires=mallard/[*]"]
    environment = {**os.environ, "CONAN_HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode != 0
    assert "cppstd (17) is lower than the required C++ standard (20)" in done.stderr


def test_vcpkg_manifest_follows_the_schema(release: Path) -> None:
    manifest = json.loads((release / "vcpkg/mallard/vcpkg.json").read_text())
    assert set(manifest) <= FIELDS
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", manifest["name"])
    assert manifest["version"] == library_version(ROOT)
    # docs/platforms.md has what ran there.
    assert set(manifest["supports"].split(" | ")) == {"linux", "osx", "mingw"}
    assert all(set(entry) == {"name", "host"} and entry["host"] for entry in manifest["dependencies"])


def test_vcpkg_port_installs_both_configurations(release: Path, tmp_path: Path) -> None:
    """Its functions are stated in tests/packages/vcpkg, because vcpkg downloads its own from elsewhere."""
    port, packages = release / "vcpkg/mallard", tmp_path / "packages"
    variables = {"PORT": "mallard", "CURRENT_PORT_DIR": port, "CURRENT_PACKAGES_DIR": packages}
    variables["CURRENT_BUILDTREES_DIR"] = tmp_path / "buildtrees"
    run("cmake", *(f"-D{name}={value}" for name, value in variables.items()), "-P", FUNCTIONS)
    assert (packages / "lib/libmallard.a").is_file()
    assert (packages / "debug/lib/libmallard.a").is_file()
    assert not (packages / "debug/include").exists()
    assert {file.name for file in (packages / "share/mallard").iterdir()} == {"copyright", "debug", "usage"}
    usage = (packages / "share/mallard/usage").read_text()
    lists = (PROJECT / "CMakeLists.txt").read_text()
    assert "target_link_libraries(main PRIVATE mallard::mallard)" in usage
    (tmp_path / "user").mkdir()
    shutil.copy(PROJECT / "main.cpp", tmp_path / "user")
    (tmp_path / "user/CMakeLists.txt").write_text(lists)
    run("cmake", "-S", tmp_path / "user", "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={packages}")
    run("cmake", "--build", tmp_path / "build")
    assert run(tmp_path / "build/consumer") == EXPECTED
