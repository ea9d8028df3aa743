"""A run is marked if new-delete or null takes another time than in an earlier run."""

from __future__ import annotations

from pathlib import Path

import pytest

from mallard.bench.drift import KIND, describe_drift
from mallard.bench.store import Store

PARAMETERS = {"ds": "DS1", "pages": "small"}


def measured(store: Store, times: dict[str, float], **facts: str) -> int:
    """The number of a finished run with these nanoseconds for each of two sizes."""
    run = store.begin_run(
        {
            "experiment": "density",
            "command": "mallard bench",
            "scale": "quick",
            "machine": {"cpu": facts.get("cpu", "one")},
            "runner": {"compiler": "g++", "flags": facts.get("flags", "-O3")},
        }
    )
    for strategy, ns in times.items():
        for size in (6, 7):
            native = {
                "experiment": "density",
                "parameters": {**PARAMETERS, "size_log2": size},
                "strategy": strategy,
                "repetition": 0,
                "seed": 1,
                "status": "ok",
                "cpu_ns": int(ns * 1000),
                "operations": 1000,
            }
            store.add_row(run, native)
    store.finish_run(run)
    return run


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "mallard.db")


def drift(store: Store, number: int) -> str:
    return describe_drift(store, store.run(number))


def test_first_run_has_no_drift(store: Store) -> None:
    assert drift(store, measured(store, {"new-delete": 10.0})) == ""


@pytest.mark.parametrize(
    ("ns", "message"),
    [
        (10.9, ""),
        (9.2, ""),
        (20.0, "new-delete takes 2.00 times as long as in run 1 (2 cells)"),
        (5.0, "new-delete takes 0.50 times as long as in run 1 (2 cells)"),
    ],
)
def test_drift_begins_above_ten_percent(store: Store, ns: float, message: str) -> None:
    measured(store, {"new-delete": 10.0, "multipool": 3.0})
    assert drift(store, measured(store, {"new-delete": ns, "multipool": 30.0})) == message


def test_null_is_an_anchor(store: Store) -> None:
    measured(store, {"null": 1.0, "new-delete": 10.0})
    assert drift(store, measured(store, {"null": 1.5, "new-delete": 10.0})).startswith("null takes 1.50")


def test_drifted_runs_are_not_a_reference(store: Store) -> None:
    measured(store, {"new-delete": 10.0})
    slow = measured(store, {"new-delete": 20.0})
    store.add_note(slow, KIND, drift(store, slow))
    assert drift(store, measured(store, {"new-delete": 10.0})) == ""
    assert "as in run 3" in drift(store, measured(store, {"new-delete": 20.0}))


@pytest.mark.parametrize("facts", [{"cpu": "another"}, {"flags": "-O2"}])
def test_ignores_runs_of_another_machine_or_build(store: Store, facts: dict[str, str]) -> None:
    measured(store, {"new-delete": 10.0})
    assert drift(store, measured(store, {"new-delete": 20.0}, **facts)) == ""
