"""The database: stored rows come out equal, foreign files are not touched, and a full disk loses no finished
row."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.axis import PLACE
from mallard.bench.result import RowError
from mallard.bench.store import Store
from mallard.shared.errors import StoreError, UsageError

Native = Callable[..., dict[str, Any]]


def first_values(experiment: str) -> dict[str, Any]:
    """The first value of each parameter."""
    return {
        axis.name: axis.words[0] if axis.words else 1
        for axis in EXPERIMENTS[experiment].axes
        if axis.role == PLACE
    }


def test_stores_row_unchanged(store: Store, meta: dict[str, Any], native: Native) -> None:
    run = store.begin_run(meta)
    values = native(pinned_cpu=1, figures={"free_ns": 2.5, "held_bytes": 4096}, malloc="glibc")
    store.add_row(run, values)
    (row,) = store.rows(run)
    assert {**row.to_dict(), "format": 1, "run_id": None} == {**values, "run_id": None, "detail": ""}
    assert row.ns_per_operation == 2000.0


def test_uncounted_figures_are_none(store: Store, meta: dict[str, Any], native: Native) -> None:
    values = native()
    for name in ("checksum", "allocations", "deallocations"):
        del values[name]
    run = store.begin_run(meta)
    store.add_row(run, values)
    (row,) = store.rows(run)
    assert (row.checksum, row.allocations, row.deallocations, row.pinned_cpu) == ("", None, None, None)
    assert (row.figures, row.malloc) == ({}, "")


def test_only_threads_use_the_wall_clock(store: Store, meta: dict[str, Any], native: Native) -> None:
    run = store.begin_run(meta)
    for experiment in EXPERIMENTS:
        store.add_row(run, native(experiment=experiment, parameters=first_values(experiment)))
    times = {row.experiment: row.ns_per_operation for row in store.rows(run)}
    threaded = [name for name, experiment in EXPERIMENTS.items() if experiment.threads]
    assert threaded == ["contention", "dimensions"]
    assert [times.pop(name) for name in threaded] == [2100.0, 2100.0]
    assert set(times.values()) == {2000.0}


def test_row_is_visible_to_readers_immediately(store: Store, meta: dict[str, Any], native: Native) -> None:
    run = store.begin_run(meta)
    store.add_row(run, native())
    with Store.open_existing(store.path) as reader:
        assert len(reader.rows(run)) == 1


def test_rows_are_chosen_by_run_and_experiment(store: Store, meta: dict[str, Any], native: Native) -> None:
    first, second = store.begin_run(meta), store.begin_run(meta)
    store.add_row(first, native())
    store.add_row(second, native(experiment="primitives", parameters=first_values("primitives")))
    store.add_row(second, native())
    assert len(store.rows()) == 3
    assert len(store.rows(second)) == 2
    assert [row.run_id for row in store.rows(experiment="primitives")] == [second]


def test_stores_circumstances_of_a_run(store: Store, meta: dict[str, Any]) -> None:
    number = store.begin_run({**meta, "seed": 5, "repetitions": 3, "options": {"buffer": "warm"}})
    run = store.run(number)
    assert run.machine["cpu"] == "made up"
    assert run.runner == {"compiler": "g++ 12", "commit": "abc", "build_id": "b1"}
    assert (run.commit, run.seed, run.repetitions, run.options) == ("abc", 5, 3, {"buffer": "warm"})
    assert (run.load_start, run.load_end, run.finished) == (0.25, None, None)
    store.finish_run(number, 0.75)
    finished = store.run(number)
    assert finished.finished >= finished.started
    assert finished.load_end == 0.75


def test_repeated_repetition_violates_constraint(store: Store, meta: dict[str, Any], native: Native) -> None:
    run = store.begin_run(meta)
    store.add_row(run, native())
    with pytest.raises(sqlite3.IntegrityError):
        store.add_row(run, native())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "format 2"),
        ({"status": "fine"}, "'status' is 'fine'"),
        ({"cpu_ns": -1}, "'cpu_ns' is -1"),
        ({"cpu_ns": 1.5}, "'cpu_ns' is 1.5"),
        ({"operations": 0}, "'operations' is 0"),
        ({"strategy": 7}, "'strategy' is 7"),
        ({"notes": "one"}, "'notes' is 'one'"),
        ({"parameters": []}, "'parameters' is"),
        ({"load1": "high"}, "'load1' is"),
        ({"figures": [1.0]}, "'figures' is"),
        ({"figures": {"free_ns": "2"}}, "'figures' is"),
        ({"figures": {"free_ns": float("nan")}}, "'figures' is"),
        ({"malloc": None}, "'malloc' is None"),
        ({"colour": "blue"}, "unknown field 'colour'"),
    ],
)
def test_a_row_of_another_kind_is_not_stored(
    store: Store, meta: dict[str, Any], native: Native, changes: dict[str, Any], message: str
) -> None:
    run = store.begin_run(meta)
    with pytest.raises(RowError, match=message):
        store.add_row(run, native(**changes))
    assert store.rows(run) == []


def test_refuses_row_without_strategy(store: Store, meta: dict[str, Any], native: Native) -> None:
    incomplete = native()
    del incomplete["strategy"]
    with pytest.raises(RowError, match="'strategy' is missing"):
        store.add_row(store.begin_run(meta), incomplete)


def test_notes_are_kept_in_order(store: Store, meta: dict[str, Any]) -> None:
    run = store.begin_run(meta)
    store.add_note(run, "busy", "first")
    store.add_note(run, "checksum_mismatch", "second")
    assert [(note.kind, note.text) for note in store.notes(run)] == [
        ("busy", "first"),
        ("checksum_mismatch", "second"),
    ]


def test_latest_is_the_newest_with_a_time(store: Store, meta: dict[str, Any], native: Native) -> None:
    first = store.begin_run(meta)
    store.add_row(first, native())
    crashed = store.begin_run(meta)
    store.add_row(crashed, native(status="crashed", cpu_ns=0))
    primitives = store.begin_run({**meta, "experiment": "primitives"})
    store.add_row(primitives, native(experiment="primitives"))
    assert store.select_run("latest").id == primitives
    assert store.select_run("latest", "density").id == first
    assert store.select_run(str(crashed)).id == crashed


@pytest.mark.parametrize("text", ["9", "newest", "-1", "", "1.5", "²"])
def test_missing_run_is_refused(store: Store, meta: dict[str, Any], text: str) -> None:
    store.begin_run(meta)
    with pytest.raises(UsageError, match="its runs are 1"):
        store.select_run(text)


def test_many_runs_are_named_in_short(store: Store, meta: dict[str, Any]) -> None:
    for _ in range(11):
        store.begin_run(meta)
    with pytest.raises(UsageError, match="its runs are 1 to 11, as 'mallard show runs' shows them"):
        store.select_run("12")


def test_no_results_yet(store: Store) -> None:
    with pytest.raises(UsageError, match="'mallard bench density' makes them"):
        store.select_run("latest", "density")


def test_continues_only_the_newest_run(store: Store, meta: dict[str, Any]) -> None:
    old = store.begin_run({**meta, "identity": "same"})
    assert store.unfinished_run("other") is None
    continued = store.unfinished_run("same")
    assert continued.id == old
    store.finish_run(store.begin_run({**meta, "identity": "same"}))
    assert store.unfinished_run("same") is None


def test_reader_does_not_create_database(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no database"):
        Store.open_existing(tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []


def test_leaves_non_database_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear reader, this is not a database.\n" * 100)
    original = file.read_bytes()
    with pytest.raises(StoreError, match="is not a database and was not changed"):
        Store(file)
    assert file.read_bytes() == original


def test_leaves_foreign_database_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE birds(name TEXT)")
    connection.close()
    original = file.read_bytes()
    with pytest.raises(StoreError, match="of another program"):
        Store(file)
    assert file.read_bytes() == original


@pytest.mark.parametrize(("version", "age"), [(2, "an older"), (99, "a newer")])
def test_leaves_a_database_of_another_schema_unchanged(tmp_path: Path, version: int, age: str) -> None:
    file = tmp_path / "mallard.db"
    Store(file).close()
    with sqlite3.connect(file) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    original = file.read_bytes()
    with pytest.raises(StoreError, match=f"by {age} mallard .schema {version};"):
        Store(file)
    assert file.read_bytes() == original


def test_an_empty_file_becomes_a_database(tmp_path: Path, meta: dict[str, Any]) -> None:
    file = tmp_path / "empty.db"
    file.touch()
    with Store(file) as store:
        assert store.begin_run(meta) == 1


def test_places_where_no_database_can_be(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a directory"):
        Store(tmp_path)
    with pytest.raises(StoreError, match="there is no directory"):
        Store(tmp_path / "nowhere" / "mallard.db")


def test_a_full_disk_loses_no_finished_row(store: Store, meta: dict[str, Any], native: Native) -> None:
    run = store.begin_run(meta)
    # SQLite's own limit of pages fails in the same place, with the same code, as a full disk.
    store._connection.execute("PRAGMA max_page_count = 12")
    stored = 0

    def fill() -> None:
        nonlocal stored
        for repetition in range(10_000):
            store.add_row(run, native(repetition=repetition))
            stored += 1

    with pytest.raises(StoreError, match="the disk is full or failing; finished rows are kept"):
        fill()
    assert stored > 0
    with Store.open_existing(store.path) as reader:
        assert len(reader.rows(run)) == stored


def test_a_read_only_database(store: Store, meta: dict[str, Any]) -> None:
    store._connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreError, match="is read-only"):
        store.begin_run(meta)


def test_a_damaged_database(tmp_path: Path, meta: dict[str, Any], native: Native) -> None:
    file = tmp_path / "mallard.db"
    with Store(file) as store:
        run = store.begin_run(meta)
        for repetition in range(200):
            store.add_row(run, native(repetition=repetition))
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    file.write_bytes(content)
    with pytest.raises(StoreError, match="is damaged"), Store(file) as store:
        store.rows()


def test_refuses_second_benchmark_on_database(store: Store) -> None:
    store.claim()
    with Store(store.path) as second, pytest.raises(StoreError, match="another 'mallard bench' is writing"):
        second.claim()
    store.close()
    with Store(store.path) as second:
        second.claim()
        assert second.runs() == []
