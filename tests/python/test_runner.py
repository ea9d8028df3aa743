"""Finding the native runner and hearing it describe itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from mallard.errors import UsageError
from mallard.runner import find_runner, load_runner

FAKE = Path(__file__).resolve().parent / "fake_bench.py"


def test_the_description(fake: object) -> None:
    runner = load_runner()
    assert runner.path == FAKE
    assert runner.build_id == "fake-build"
    assert [structure.inner_log2 for structure in runner.structures] == [0] * 4 + [7] * 8
    assert runner.strategies[2].name == "AS1-keep"
    assert runner.sizes_log2 == tuple(range(6, 17))
    assert list(runner.operations) == ["pair", "create"]
    assert "experiments" not in runner.about


def test_the_source_tree_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = tmp_path / "build" / "release" / "bench" / "mallard-bench"
    built.parent.mkdir(parents=True)
    built.symlink_to(FAKE)
    monkeypatch.delenv("MALLARD_BENCH", raising=False)
    monkeypatch.setenv("MALLARD_ROOT", str(tmp_path))
    assert find_runner() == built


def test_a_missing_runner_is_an_error_that_says_where_it_was_sought(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MALLARD_BENCH", raising=False)
    monkeypatch.setenv("MALLARD_ROOT", str(tmp_path))
    with pytest.raises(UsageError) as error:
        find_runner()
    assert str(tmp_path / "build" / "release" / "bench" / "mallard-bench") in str(error.value)
    assert "'./mallard bench' in the source tree builds it" in str(error.value)


def test_a_stated_runner_that_is_not_there_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MALLARD_BENCH", str(tmp_path / "none"))
    with pytest.raises(UsageError, match="is not a program; unset it"):
        find_runner()


def program(directory: Path, script: str) -> Path:
    path = directory / "bench"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("exit 1", "--describe failed"),
        ("echo no", "is not a mallard-bench"),
        ("echo 1", "is not a mallard-bench"),
        ("echo '{}'", "is not a mallard-bench"),
        ("""echo '{"format": 2}'""", "format 2, this mallard reads 1"),
        ("""echo '{"format": 1, "optimised": false}'""", "without optimisation"),
        ("""echo '{"format": 1, "optimised": true, "sanitizers": "address"}'""", "with sanitizers .address"),
        ("""echo '{"format": 1, "optimised": true, "sanitizers": ""}'""", "describes itself in part only"),
    ],
)
def test_runners_that_are_not_measured_with(tmp_path: Path, script: str, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        load_runner(program(tmp_path, script))
