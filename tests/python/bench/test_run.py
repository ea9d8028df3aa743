"""Runs against the fake runner: order, failures, interrupts, resuming, and the records of them."""

from __future__ import annotations

import json
import re
import resource
import signal
import subprocess
import time
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from mallard.bench.analysis.survey import Question
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.plan import Request
from mallard.bench.store import Store
from mallard.bench.strategy_names import of_papers
from mallard.bench.view.terminal.progress import ProgressDisplay
from mallard.cli.measuring import measure
from mallard.shared import machine, mallocs
from mallard.shared.console import PlainConsole

SMALL = (
    "bench",
    "density",
    "--ds",
    "1,2",
    "--size",
    "6",
    "--strategy",
    "new-delete,monotonic,multipool",
    "--reps",
    "2",
)
CELLS = 2 * 3
# Their fourth cell waits. No time limit ends it.
HELD = (*SMALL, "--time-limit", "1000000")
KEPT = 3


def word(line: str, option: str) -> str:
    words = line.split()
    return words[words.index(option) + 1]


def test_each_repetition_has_process_and_row(fake: Any) -> None:
    assert fake.run(*SMALL) == 0
    rows = fake.rows()
    assert len(fake.begun) == len(rows) == CELLS * 2
    assert all(row.ok for row in rows)
    assert {(row.parameters["ds"], row.strategy, row.repetition) for row in rows} == {
        (structure, strategy, repetition)
        for structure in ("DS1", "DS2")
        for strategy in ("new-delete", "monotonic", "multipool")
        for repetition in (0, 1)
    }


def test_strategies_of_a_row_are_interleaved(fake: Any) -> None:
    fake.run(*SMALL, "--seed", "3")
    blocks = [
        (key, [word(line, "--strategy") for line in block])
        for key, block in groupby(
            fake.begun, key=lambda line: (word(line, "--repetition"), word(line, "--ds"))
        )
    ]
    keys = [key for key, _ in blocks]
    assert [repetition for repetition, _ in keys] == ["0", "0", "1", "1"]
    assert sorted(keys) == [("0", "DS1"), ("0", "DS2"), ("1", "DS1"), ("1", "DS2")]
    assert all(sorted(order) == ["monotonic", "multipool", "new-delete"] for _, order in blocks)
    assert len({tuple(order) for _, order in blocks}) > 1
    assert {word(line, "--seed") for line in fake.begun} == {"3"}


def test_prints_a_run_in_each_form(fake: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert fake.run(*SMALL, "--json") == 0
    assert json.loads(capsys.readouterr().out)["title"] == EXPERIMENTS["density"].heading
    assert fake.run(*SMALL, "--markdown") == 0
    assert capsys.readouterr().out.startswith(f"# {EXPERIMENTS['density'].heading}\n")
    assert fake.run(*SMALL, "--html", "page.html") == 0
    assert "page.html" in capsys.readouterr().out
    assert "run 3" in (fake.directory / "page.html").read_text()


def test_survey_is_json_too(
    fake: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = {"ds": "1", "size": "6"}
    question = Question("a structure", "P0089", "density", ("multipool",), ("monotonic",), "DS1", cells)
    for module in ("bench.analysis.survey", "cli.verbs.bench"):
        monkeypatch.setattr(f"mallard.{module}.QUESTIONS", (question,))
        monkeypatch.setattr(f"mallard.{module}.MALLOCS", (), raising=False)
    assert fake.run("bench", "--reps", "1", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["title"] == "Where a local allocator pays here"
    assert report["sections"][0]["blocks"][0]["rows"][0]["cells"][0] == "a structure"


def test_pins_processes_unless_disabled(fake: Any) -> None:
    fake.run(*SMALL)
    cpus = {int(word(line, "--cpu")) for line in fake.begun}
    assert len(cpus) == 1
    assert cpus <= set(machine.allowed_cpus())
    assert {row.pinned_cpu for row in fake.rows()} == cpus
    fake.run(*SMALL, "--no-pin")
    assert all(row.pinned_cpu is None for row in fake.rows(2))


def test_run_records_machine_and_command(fake: Any) -> None:
    fake.run(*SMALL)
    with Store.open_existing(fake.database) as store:
        (run,) = store.runs()
    assert run.command == "mallard " + " ".join(SMALL)
    assert (run.experiment, run.scale, run.seed, run.repetitions) == ("density", "quick", 1, 2)
    assert run.runner["compiler"] == "fake 1.0"
    assert run.runner["flags"] == "-O3"
    assert run.commit == "0123abc"
    assert run.machine["kernel"]
    assert run.load_start is not None
    assert run.load_end is not None
    assert run.finished is not None


@pytest.mark.parametrize(
    ("behaviour", "status", "tries", "exit_status"),
    [
        ("crash", "crashed", 2, 1),
        ("fail", "failed", 2, 1),
        ("oom", "out_of_memory", 1, 0),
        ("hang", "timed_out", 1, 0),
    ],
)
def test_records_failed_cell_and_continues(
    fake: Any, capsys: Any, behaviour: str, status: str, tries: int, exit_status: int
) -> None:
    fake.set(behaviour={"monotonic": behaviour})
    limit = "0.5" if behaviour == "hang" else "30"
    assert fake.run(*SMALL, "--time-limit", limit) == exit_status
    statuses = Counter((row.strategy, row.status) for row in fake.rows())
    assert statuses == {("new-delete", "ok"): 4, ("multipool", "ok"): 4, ("monotonic", status): 2 * tries}
    shown = capsys.readouterr().out
    assert f"{2 * tries} x monotonic {status.replace('_', ' ')}" in shown
    with Store.open_existing(fake.database) as store:
        assert store.runs()[0].finished is not None


def test_stops_after_repeated_failures(fake: Any, capsys: Any) -> None:
    fake.set(behaviour=dict.fromkeys(of_papers(), "fail"))
    assert fake.run("bench", "density", "--ds", "1-6", "--size", "6", "--strategy", "1-14") == 2
    assert "failed 20 times in a row" in capsys.readouterr().err
    assert len(fake.rows()) == 20


def test_a_checksum_that_differs_is_loud_and_recorded(fake: Any, capsys: Any) -> None:
    fake.set(behaviour={"multipool": "wrong_checksum"})
    assert fake.run(*SMALL) == 1
    captured = capsys.readouterr()
    assert captured.err.count("CHECKSUM MISMATCH") == 2  # once for each row
    assert captured.out.count("CHECKSUM MISMATCH") == 2
    assert "multipool made deadbeef" in captured.out
    assert re.search(r"new-delete, monotonic made \w{8}|monotonic, new-delete made \w{8}", captured.out)
    with Store.open_existing(fake.database) as store:
        notes = [note for note in store.notes(1) if note.kind == "checksum_mismatch"]
    assert len(notes) == 2
    assert all("multipool made deadbeef" in note.text for note in notes)


def start_fourth_cell(fake: Any, **options: Any) -> subprocess.Popen[str]:
    """A run whose fourth cell does not end before `released` is there."""
    fake.set(held=(KEPT, str(released(fake))))
    process: subprocess.Popen[str] = fake.start(*HELD, **options)
    while len(fake.begun) <= KEPT:
        assert process.poll() is None
        time.sleep(0.02)
    return process


def released(fake: Any) -> Path:
    return Path(fake.directory) / "released"


def interrupted(fake: Any, number: int = signal.SIGINT) -> subprocess.Popen[str]:
    """A run that was stopped after some rows."""
    process = start_fourth_cell(fake)
    process.send_signal(number)
    process.wait()
    released(fake).touch()
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_keeps_every_finished_row(fake: Any, number: int) -> None:
    process = interrupted(fake, number)
    assert process.returncode == 130
    stderr = process.stderr.read()
    assert len(fake.rows()) == KEPT
    assert f"interrupted: {KEPT} of {CELLS * 2} repetitions are kept" in stderr
    assert "repeat the command to resume it: mallard bench density --ds 1,2" in stderr


def test_nohup_is_obeyed(fake: Any) -> None:
    process = start_fourth_cell(fake, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    released(fake).touch()
    assert process.wait() == 0
    assert len(fake.rows()) == CELLS * 2


def test_repeated_command_resumes_the_run(fake: Any, capsys: Any) -> None:
    interrupted(fake)
    first_rows = fake.rows()
    first_count = len(fake.begun)
    assert fake.run(*HELD) == 0
    all_rows = fake.rows()
    assert all_rows[: len(first_rows)] == first_rows
    assert len(all_rows) == CELLS * 2
    assert len(fake.begun) - first_count == CELLS * 2 - len(first_rows)
    assert len({(row.parameters["ds"], row.strategy, row.repetition) for row in all_rows}) == CELLS * 2
    assert {row.run_id for row in all_rows} == {1}
    assert f"run 1 was interrupted after {len(first_rows)} rows and goes on" in capsys.readouterr().err
    with Store.open_existing(fake.database) as store:
        assert store.runs()[0].finished is not None
        assert "resumed" in {note.kind for note in store.notes(1)}


EVERY_EXPERIMENT = {
    "locality": "--links 1024 --list-length 1,2^5 --strategy new-delete,multipool",
    "locality notation": "-10 5 8 -3 2",
    "utilization": "--total 20 --active 12 --block 8 --strategy 1,7 --buffer warm,none",
    "contention": "--threads 1,2 --iterations 4 --block 6 --strategy new-delete,multipool",
    "fragmentation": "--ds 2 --size 6 --freed half --upstream cache,heap --strategy 1,7",
    "primitives": "--strategy new-delete,multipool",
    "small-objects": "--object-bytes 8 --strategy new-delete,fixed-pool",
    "fixed-block": "--work list,remove-ctrl --strategy new-delete,fixed-pool",
    "adaptive-pool": "--range 10 --strategy new-delete,multipool",
    "expansion-forward": "--elements 10 --type int --strategy new-delete,heap",
    "shrink-to-fit": "--elements 10 --step 5 --strategy new-delete,heap",
    "burst": "--range 10 --strategy new-delete,heap",
    "heap-churn": "--live 100 --operations 1000 --strategy new-delete,heap",
}


@pytest.mark.parametrize("experiment", EVERY_EXPERIMENT)
def test_every_experiment_goes_on_where_it_was_stopped(
    fake: Any, monkeypatch: pytest.MonkeyPatch, experiment: str
) -> None:
    words = ("bench", experiment.split()[0], *EVERY_EXPERIMENT[experiment].split(), "--reps", "2")
    stored = Store.add_row

    def stop_at_fourth(self: Store, run_id: int, row: Any) -> Any:
        if len(self.rows(run_id)) == 3:
            raise KeyboardInterrupt
        return stored(self, run_id, row)

    monkeypatch.setattr(Store, "add_row", stop_at_fourth)
    assert fake.run(*words) == 130
    first_rows = fake.rows()
    assert len(first_rows) == 3
    monkeypatch.setattr(Store, "add_row", stored)
    assert fake.run(*words) == 0
    rows = fake.rows()
    assert rows[:3] == first_rows
    assert {row.run_id for row in rows} == {1}
    assert all(row.ok and row.experiment == words[1] for row in rows)
    # The one that was measured when the run was stopped is not known, and is measured again.
    assert len(fake.begun) == len(rows) + 1
    assert len({(str(row.parameters), row.strategy, row.repetition) for row in rows}) == len(rows)


def test_a_run_from_two_compilers_under_two_mallocs(
    fake: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for preset in ("release", "release-clang"):
        place = tmp_path / "build" / preset / "bench"
        place.mkdir(parents=True)
        (place / "mallard-bench").symlink_to(Path(__file__).resolve().parents[1] / "fake_bench.py")
    library = tmp_path / "libjemalloc.so.2"
    library.touch()
    monkeypatch.setattr(mallocs, "_known_to_linker", lambda: [library])
    monkeypatch.setenv("MALLARD_ROOT", str(tmp_path))
    monkeypatch.delenv("MALLARD_BENCH")
    assert fake.run(*SMALL, "--compiler", "g++,clang++", "--malloc", "jemalloc") == 0
    rows = fake.rows()
    strategies = [
        ("new-delete", "glibc"),
        ("monotonic", "glibc"),
        ("multipool", "glibc"),
        ("new-delete@jemalloc", "jemalloc"),
    ]
    cells = {(row.parameters["compiler"], row.parameters["ds"], row.strategy, row.malloc) for row in rows}
    assert cells == {
        (compiler, structure, strategy, malloc)
        for compiler in ("g++", "clang++")
        for structure in ("DS1", "DS2")
        for strategy, malloc in strategies
    }
    assert all(row.ok for row in rows)
    with Store.open_existing(fake.database) as store:
        (run,) = store.runs()
    assert run.runner["compiler"] == "g++ 12.2.0, clang++ 16.0.6"
    assert set(run.runner["builds"]) == {"clang++", "g++"}
    assert (run.options["compilers"], run.options["mallocs"]) == (["g++", "clang++"], ["jemalloc"])


@pytest.mark.parametrize(
    ("sf", "answer"),
    [
        (
            "-3",
            (
                "-10 5 8 -3 2: an access before the shuffle takes new-delete 60.0 ns (60.0 to 60.0), "
                "multipool 25.5 ns"
            ),
        ),
        (
            "+3",
            (
                "-10 5 8 +3 2: an access after the shuffle takes new-delete 78.0 ns (78.0 to 78.0), "
                "multipool 33.1 ns"
            ),
        ),
        (
            "0",
            (
                "-10 5 8 0 2: an access without a shuffle takes new-delete 60.0 ns (60.0 to 60.0), multipool "
                "25.5 ns"
            ),
        ),
    ],
)
def test_the_papers_notation_is_answered(fake: Any, capsys: Any, sf: str, answer: str) -> None:
    assert fake.run("bench", "locality", "-10", "5", "8", sf, "2", "--reps", "2") == 0
    assert answer in " ".join(capsys.readouterr().out.split())


def test_threads_are_not_pinned(fake: Any) -> None:
    assert fake.run("bench", "contention", *EVERY_EXPERIMENT["contention"].split()) == 0
    assert not any("--cpu" in line for line in fake.begun)


def test_memory_limit_yields_out_of_memory(fake: Any) -> None:
    fake.set(behaviour={"monotonic": "hog"})
    assert fake.run(*SMALL, "--memory-limit", "0.5") == 0
    assert {row.status for row in fake.rows() if row.strategy == "monotonic"} == {"out_of_memory"}
    with Store.open_existing(fake.database) as store:
        assert store.runs()[0].options["memory_limit"] == 1 << 29


def test_a_finished_run_is_not_continued(fake: Any) -> None:
    fake.run(*SMALL)
    fake.run(*SMALL)
    assert Counter(row.run_id for row in fake.rows()) == {1: CELLS * 2, 2: CELLS * 2}


def test_does_not_resume_with_another_build(fake: Any, capsys: Any) -> None:
    interrupted(fake)
    fake.set(describe={"build_id": "another"})
    fake.run(*HELD)
    assert len(fake.rows(2)) == CELLS * 2
    assert "run 1 was interrupted, but runner or machine changed since" in capsys.readouterr().err


def test_resumed_run_skips_abandoned_cells(fake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fake.set(behaviour={"monotonic": "oom"})
    stored = Store.add_row

    def stop_at_seventh(self: Store, run_id: int, row: Any) -> Any:
        if len(self.rows(run_id)) == CELLS:
            raise KeyboardInterrupt
        return stored(self, run_id, row)

    monkeypatch.setattr(Store, "add_row", stop_at_seventh)
    assert fake.run(*SMALL) == 130
    monkeypatch.setattr(Store, "add_row", stored)
    assert fake.run(*SMALL) == 0
    assert Counter(row.strategy for row in fake.rows()) == {"new-delete": 4, "multipool": 4, "monotonic": 2}


def test_full_disk_stops_run_and_keeps_rows(fake: Any) -> None:
    def starve() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (36_000, 36_000))

    process = fake.start("bench", *SMALL[1:-1], "200", preexec_fn=starve)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "the disk is full or failing; finished rows are kept" in stderr
    assert "Traceback" not in stderr
    kept = fake.rows()
    assert len(kept) >= 3
    assert all(row.ok for row in kept)
    assert len(fake.begun) == len(kept) + 1


def test_checks_disk_space_before_the_run(fake: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr("mallard.bench.run.shutil.disk_usage", lambda path: type("Usage", (), {"free": 100}))
    assert fake.run(*SMALL) == 2
    assert "has 100 B left and the results of this run may take" in capsys.readouterr().err
    assert fake.begun == []


def test_warns_of_busy_machine_with_remedy(fake: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    work = machine.Work(cores=1.4, busiest="compiler (process 7)", idlest_cpu=machine.allowed_cpus()[0])
    monkeypatch.setattr("mallard.shared.machine.sample_work", lambda: work)
    fake.run(*SMALL)
    warned = capsys.readouterr().err
    assert "other programs keep 1.4 of" in warned
    assert "mostly compiler (process 7)" in warned
    assert "stop them and repeat the command" in warned
    with Store.open_existing(fake.database) as store:
        assert [note.kind for note in store.notes(1)] == ["busy"]


def test_series_warns_once_and_counts_disturbed_cells(
    fake: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    loads = iter((0.0, 1.4, 0.9, 0.0))
    monkeypatch.setattr("mallard.shared.machine.sample_work", lambda: machine.Work(next(loads), "", 0))
    options = {"ds": "1", "size": "6"}
    requests = [
        Request("density", options=options, strategies=names, repetitions=2, pin=False)
        for names in ("new-delete", "new-delete,monotonic", "multipool,monotonic,multipool/base", "multipool")
    ]
    display = ProgressDisplay(PlainConsole(stderr=True, width=200))
    outcomes = measure(requests, str(fake.database), "mallard bench", display)
    assert [outcome.disturbed_cells for outcome in outcomes] == [0, 2, 4, 0], "with new-delete"
    warned = [line for line in capsys.readouterr().err.splitlines() if "warning" in line]
    assert len(warned) == 2
    assert "other programs keep 1.4 of" in warned[0]
    assert warned[1].endswith("other programs kept cores busy when the runs of 6 of 9 cells began")
    with Store.open_existing(fake.database) as store:
        assert [len(store.notes(run.id)) for run in store.runs()] == [0, 1, 1, 0]
