"""Finding the native runner and hearing it describe itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from mallard.bench.runner import find_runner, load_builds, load_runner
from mallard.shared.errors import UsageError

FAKE = Path(__file__).resolve().parents[1] / "fake_bench.py"


def test_the_description(fake: object) -> None:
    runner = load_runner()
    assert runner.path == FAKE
    assert runner.build_id == "fake-build"
    assert [structure.inner_log2 for structure in runner.structures] == [0] * 4 + [7] * 8
    assert runner.strategies("density")[2].name == "new-delete-keep"
    assert runner.strategy_names("primitives") == [
        "new-delete",
        "monotonic",
        "monotonic/base",
        "multipool",
        "multipool/base",
    ]
    assert runner.limit("locality", "links_log2") == (10, 27)
    with pytest.raises(UsageError, match="reports no limits for nodes of contention; build it again"):
        runner.limit("contention", "nodes")
    assert runner.sizes_log2 == tuple(range(6, 17))
    assert "experiments" not in runner.about


def test_the_source_tree_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = tmp_path / "build" / "release" / "bench" / "mallard-bench"
    built.parent.mkdir(parents=True)
    built.symlink_to(FAKE)
    monkeypatch.delenv("MALLARD_BENCH", raising=False)
    monkeypatch.setenv("MALLARD_ROOT", str(tmp_path))
    assert find_runner() == built


def test_missing_runner_error_names_searched_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MALLARD_BENCH", raising=False)
    monkeypatch.setenv("MALLARD_ROOT", str(tmp_path))
    with pytest.raises(UsageError) as error:
        find_runner()
    assert str(tmp_path / "build" / "release" / "bench" / "mallard-bench") in str(error.value)
    assert "'./mallard bench density' in the source tree builds it" in str(error.value)


def test_missing_runner_from_environment_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLARD_BENCH", str(tmp_path / "none"))
    with pytest.raises(UsageError, match="is not a program; unset it"):
        find_runner()


def program(directory: Path, script: str) -> Path:
    path = directory / "bench"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exit 1", "--describe failed"),
        ("echo no", "is not a mallard-bench"),
        ("echo 1", "is not a mallard-bench"),
        ("echo '{}'", "is not a mallard-bench"),
        ("""echo '{"format": 2}'""", "format 2, this mallard reads 1"),
        ("""echo '{"format": 1, "optimised": false}'""", "without optimisation"),
        ("""echo '{"format": 1, "optimised": true, "sanitizers": "address"}'""", "with sanitizers .address"),
        ("""echo '{"format": 1, "optimised": true, "sanitizers": ""}'""", "describes itself incompletely"),
    ],
)
def test_runners_that_are_not_measured_with(tmp_path: Path, script: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_runner(program(tmp_path, script))


def put_in(root: Path, *presets: str) -> None:
    for preset in presets:
        path = root / "build" / preset / "bench" / "mallard-bench"
        path.parent.mkdir(parents=True)
        path.symlink_to(FAKE)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("MALLARD_BENCH", raising=False)
    monkeypatch.setenv("MALLARD_ROOT", str(tmp_path))
    return tmp_path


def test_loads_one_runner_per_compiler(tree: Path) -> None:
    put_in(tree, "release", "release-clang")
    builds = load_builds(["g++", "clang++"])
    assert builds.about["compiler"] == "g++ 12.2.0, clang++ 16.0.6"
    assert {name: about["compiler"] for name, about in builds.about["builds"].items()} == {
        "g++": "g++ 12.2.0",
        "clang++": "clang++ 16.0.6",
    }
    assert builds.build_id == "fake-build g++ 12.2.0 fake-build clang++ 16.0.6"
    assert "release-clang" in str(builds.of({"compiler": "clang++"}).path)


def test_loads_default_runner_without_compilers(fake: object) -> None:
    builds = load_builds([])
    assert builds.of({"ds": "DS1"}) == builds.first
    assert "builds" not in builds.about


def test_missing_build_names_the_command(tree: Path) -> None:
    put_in(tree, "release")
    with pytest.raises(
        UsageError, match=r"there is no mallard-bench from clang\+\+.*'./mallard bench density'"
    ):
        load_builds(["g++", "clang++"])


def test_refuses_build_by_another_compiler(tree: Path) -> None:
    path = tree / "build" / "release" / "bench" / "mallard-bench"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\nexec {tree}/build/release-clang/bench/mallard-bench $@\n", encoding="utf-8")
    path.chmod(0o755)
    put_in(tree, "release-clang")
    with pytest.raises(UsageError, match=r"was compiled by clang\+\+ 16.0.6, not by g\+\+"):
        load_builds(["g++"])


def test_refuses_environment_runner_with_compilers(fake: object) -> None:
    with pytest.raises(UsageError, match="MALLARD_BENCH names one for all; unset it"):
        load_builds(["g++", "clang++"])
