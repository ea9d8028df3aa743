"""The runner of an installed package, with a stand-in for the build."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from mallard.bench.doctor import toolchain
from mallard.bench.doctor.finding import Finding, State
from mallard.cli import installed, native_build
from mallard.cli.needs import Needs
from mallard.shared import version
from mallard.shared.errors import UsageError
from mallard.shared.native_file import COLLECTOR, RUNNER


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sources of an installed package."""
    folder = tmp_path / "package/source"
    (folder / "include").mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text("project(\n  mallard\n  VERSION 7.8.9\n")
    for module in (version, installed):
        monkeypatch.setattr(module, "PACKAGED_SOURCES", folder)
    monkeypatch.delenv("MALLARD_ROOT", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The arguments of each build, on a machine that has all tools."""
    found = Finding(toolchain.GROUP, "tool", State.OK, "1.0")
    for name in ("chosen_compiler", "cmake", "program"):
        monkeypatch.setattr(toolchain, name, lambda *words: found)
    monkeypatch.setattr(toolchain, "identify", lambda compiler: ("g++", "12.2.0"))
    calls: list[Any] = []
    monkeypatch.setattr(native_build, "build", lambda *arguments: calls.append(arguments) or 0)
    return calls


def test_finds_the_sources_of_the_package(sources: Path, tmp_path: Path) -> None:
    assert version.is_installed()
    assert version.source_root() == sources
    assert version.version.__wrapped__() == "7.8.9"
    assert version.build_root().is_relative_to(tmp_path / "cache/mallard")
    assert version.bench_command() == "mallard bench"


def test_a_clone_is_not_an_installed_package(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLARD_ROOT", "/tree")
    assert not version.is_installed()
    assert version.build_root() == version.source_root() == Path("/tree")


def test_builds_with_links_to_the_sources(sources: Path, builds: list[Any]) -> None:
    installed.build_runners(Needs(presets=("release",)))
    installed.build_runners(Needs(presets=("release",), survey=True))
    root = version.build_root()
    assert (root / "include").resolve() == sources / "include"
    assert [call[0] for call in builds] == [root, root]
    assert [call[2] for call in builds] == ["release", "release"]
    assert [call[3] for call in builds] == ["mallard-bench", "mallard-bench-survey"]


def test_builds_with_libraries_by_prefix(
    sources: Path, builds: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MALLARD_WITH", "")
    installed.build_runners(Needs(presets=("release",)))
    installed.build_runners(Needs(presets=("release-with",), prefixes="bde=/opt/bde"))
    assert [call[2] for call in builds] == ["release", "release-with"]
    assert builds[1][5] == f"{builds[0][5]} bde=/opt/bde", "another prefix is configured anew"
    assert os.environ["MALLARD_WITH"] == "bde=/opt/bde"


def test_the_advisor_is_not_built(sources: Path, builds: list[Any], tmp_path: Path) -> None:
    installed.build_runners(Needs(presets=("advisor",)))
    assert builds == []
    assert not (tmp_path / "cache").exists()


def test_names_what_is_missing(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError) as error:
        installed.build_runners(Needs(presets=("release",)))
    message = str(error.value)
    assert "\n" not in message
    assert "compiler (c++ is not a C++ compiler): set CXX to g++ 12 or later" in message
    assert "cmake (none): apt-get install cmake; build tool (none): apt-get install ninja-build" in message


def test_reports_a_cache_that_cannot_be_written(sources: Path, builds: list[Any], tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    with pytest.raises(UsageError, match=r"cannot build in .*cache/mallard.*XDG_CACHE_HOME"):
        installed.build_runners(Needs(presets=("release",)))


def test_reports_a_failed_build(sources: Path, builds: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_build, "build", lambda *arguments: native_build.FAILED)
    with pytest.raises(UsageError, match=r"could not be built by .*; the output is in .*setup.log"):
        installed.build_runners(Needs(presets=("release",)))


def test_a_missing_native_file_names_the_remedy(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for native in (RUNNER, COLLECTOR):
        monkeypatch.delenv(native.variable, raising=False)
        with pytest.raises(UsageError, match=f"{native.name} is missing; .*; reinstall mallard, "):
            native.find()
