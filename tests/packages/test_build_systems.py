"""The library as other build systems take it: CMake's FetchContent, Meson, Bazel."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from consumer import EXPECTED, PROJECT, run
from source_tree import ROOT, files

from dev.package.tree import library_sources, library_version


def test_cmake_fetches_the_source_archive(release: Path, tmp_path: Path) -> None:
    """By the lines of the page, with the checksum of the archive."""
    page = (ROOT / "docs/install.md").read_text(encoding="utf-8")
    use, fetch = re.findall(r"```cmake\n(.*?)```", page, re.DOTALL)
    (archive,) = release.glob("*.tar.xz")
    shutil.copy(archive, tmp_path)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert "SHA256=..." in fetch
    lists = (
        "cmake_minimum_required(VERSION 3.20)\nproject(parent LANGUAGES CXX)\n"
        f"{fetch.replace('...', digest)}"
        f'add_executable(program "{PROJECT}/main.cpp")\n{use}'
    )
    (tmp_path / "CMakeLists.txt").write_text(lists)
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", "-DCMAKE_UNITY_BUILD=ON")
    run("cmake", "--build", tmp_path / "build")
    assert run(tmp_path / "build/program") == EXPECTED


@pytest.mark.skipif(shutil.which("ninja") is None, reason="no ninja: apt-get install ninja-build")
def test_meson_builds_it_as_a_subproject(client: Callable[[str], Path], tmp_path: Path) -> None:
    (tmp_path / "subprojects").mkdir()
    (tmp_path / "subprojects/mallard").symlink_to(ROOT)
    shutil.copy(PROJECT / "main.cpp", tmp_path)
    (tmp_path / "meson.build").write_text(
        "project('parent', 'cpp', default_options: 'cpp_std=c++20')\n"
        "executable('consumer', 'main.cpp', dependencies: dependency('mallard'))\n"
    )
    run(client("meson"), "setup", "--unity=on", tmp_path / "build", folder=tmp_path)
    run("ninja", "-C", tmp_path / "build")
    assert run(tmp_path / "build/consumer") == EXPECTED
    # Meson's default build type is debug, in which allocators are checked.
    assert "-DMALLARD_CHECKED=1" in (tmp_path / "build/build.ninja").read_text()


@pytest.mark.skipif(shutil.which("ninja") is None, reason="no ninja: apt-get install ninja-build")
@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="no pkg-config: apt-get install pkg-config")
def test_pkg_config_finds_what_meson_installs(client: Callable[[str], Path], tmp_path: Path) -> None:
    prefix = tmp_path / "prefix"
    words = ("--unity=on", f"--prefix={prefix}", "-Doptimization=0")
    run(client("meson"), "setup", *words, tmp_path / "build", ROOT)
    run("ninja", "-C", tmp_path / "build", "install")
    installed = {file.relative_to(prefix) for file in (prefix / "include").rglob("*") if file.is_file()}
    assert installed == {*files("*.hpp", under="include"), Path("include/mallard/mallard.cppm")}
    assert (prefix / "share/doc/mallard/LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    (description,) = prefix.rglob("mallard.pc")
    search = {"PKG_CONFIG_PATH": description.parent}
    assert run("pkg-config", "--modversion", "mallard", **search).strip() == library_version(ROOT)
    flags = run("pkg-config", "--cflags", "--libs", "mallard", **search).split()
    compiler = os.environ.get("CXX") or "c++"
    assert not [flag for flag in flags if flag.startswith("-std")]
    run(compiler, "-std=c++20", PROJECT / "main.cpp", "-o", tmp_path / "consumer", *flags)
    assert run(tmp_path / "consumer") == EXPECTED


@pytest.mark.skipif(shutil.which("ninja") is None, reason="no ninja: apt-get install ninja-build")
def test_meson_compiles_the_files_for_size_that_cmake_does(
    client: Callable[[str], Path], tmp_path: Path
) -> None:
    run(client("meson"), "setup", "--buildtype=release", tmp_path / "meson", ROOT)
    assert files_for_size(tmp_path / "meson") == files_for_size_of_cmake(tmp_path / "cmake")


def files_for_size(build: Path) -> set[str]:
    commands = json.loads((build / "compile_commands.json").read_text())
    return {Path(command["file"]).name for command in commands if "-Os" in command["command"].split()}


def files_for_size_of_cmake(build: Path) -> set[str]:
    run("cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    names = files_for_size(build)
    assert "failure.cpp" in names
    assert "chunk_cache.cpp" not in names
    return names


NATIVE_RULES = ("cc_binary", "cc_import", "cc_library", "cc_test", "cc_toolchain", "cc_toolchain_suite")


class BuildFile:
    """The targets of a BUILD.bazel. Its language is a part of Python."""

    def __init__(self, file: Path) -> None:
        self.folder = file.parent
        self.targets: dict[str, dict[str, Any]] = {}
        names = {"load": lambda *_: None, "glob": self._glob, "select": dict}
        names |= {"cc_library": self._add, "config_setting": self._add}
        exec(compile(file.read_text(), str(file), "exec"), names)

    def sources(self, target: str, suffix: str) -> set[Path]:
        return {file for file in self.targets[target]["srcs"] if file.suffix == suffix}

    def _glob(self, patterns: Iterable[str], exclude: Iterable[str] = ()) -> set[Path]:
        matches = {path for pattern in patterns for path in self.folder.glob(pattern)}
        matches -= {path for pattern in exclude for path in self.folder.glob(pattern)}
        return {path.relative_to(self.folder) for path in matches}

    def _add(self, **attributes: Any) -> None:
        self.targets[str(attributes["name"])] = attributes


def test_bazel_takes_every_source_and_header() -> None:
    build_file = BuildFile(ROOT / "BUILD.bazel")
    sources = [file for name in ("cold", "mallard") for file in build_file.sources(name, ".cpp")]
    assert sorted(sources) == sorted(library_sources(ROOT))
    for name in ("cold", "mallard"):
        assert build_file.sources(name, ".hpp") == set(files("*.hpp", under="src"))
        assert build_file.targets[name]["hdrs"] == set(files("*.hpp", under="include"))


def test_bazel_compiles_the_files_for_size_that_cmake_does(tmp_path: Path) -> None:
    build_file = BuildFile(ROOT / "BUILD.bazel")
    by_bazel = {file.name for file in build_file.sources("cold", ".cpp")}
    assert by_bazel == files_for_size_of_cmake(tmp_path)
    assert "-Os" in build_file.targets["cold"]["copts"][":optimized"]
    assert build_file.targets["mallard"]["copts"] == ["-std=c++20"]


@pytest.mark.skipif(
    shutil.which("bazel") is None, reason="no bazel: only the sources and headers of BUILD.bazel are checked"
)
def test_bazel_builds_it(tmp_path: Path) -> None:
    for name in ("BUILD.bazel", "MODULE.bazel", "include", "src"):
        (tmp_path / name).symlink_to(ROOT / name)
    texts = {
        "WORKSPACE": "",
        "consumer/BUILD.bazel": 'load("@rules_cc//cc:defs.bzl", "cc_binary")\n'
        'cc_binary(name = "consumer", srcs = ["main.cpp"], deps = ["//:mallard"])\n',
        "consumer/main.cpp": (PROJECT / "main.cpp").read_text(),
        # Debian has a bazel without the rules, and rules that need a newer one. Old ones are a part of it.
        "rules_cc/WORKSPACE": "",
        "rules_cc/cc/BUILD": "",
        "rules_cc/cc/defs.bzl": "".join(f"{name} = native.{name}\n" for name in NATIVE_RULES),
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    repositories = {"cc": tmp_path / "rules_cc"}
    repositories |= {name: Path("/usr/share/bazel/rules", name) for name in ("java", "proto")}
    overrides = [f"--override_repository=rules_{name}={path}" for name, path in repositories.items()]
    # A server would outlive the test.
    bazel = ["bazel", "--batch", f"--output_user_root={tmp_path / 'root'}"]
    options = ["--compilation_mode=opt", "--subcommands", "--cxxopt=-std=c++20", "--jobs=2"]
    command = [*bazel, "run", *overrides, *options, "//consumer"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    if "Unknown host" in done.stderr or "Error downloading" in done.stderr:
        pytest.skip("bazel cannot download its rules: only the files of BUILD.bazel are checked")
    assert done.returncode == 0, done.stderr
    assert done.stdout == EXPECTED
    compilations = [line.split() for line in done.stderr.splitlines() if " -c src/mallard/" in line]
    assert len(compilations) >= len(library_sources(ROOT))
    for words in compilations:
        source = Path(words[words.index("-c") + 1])
        assert ("-Os" in words) == (source in BuildFile(ROOT / "BUILD.bazel").sources("cold", ".cpp"))
