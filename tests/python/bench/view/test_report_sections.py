"""`mallard show page`: its part of each experiment, from rows whose figures are known beforehand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from looks_of_runs import write_page
from page_parts import part_text, parts_of
from page_reader import Reader, read
from synthetic_experiments import contention_rows, locality_rows, utilization_rows
from synthetic_page import write_everything
from synthetic_run import MACHINE, RUNNER, density_rows, write_run

from mallard.bench.choose import decision_chart
from mallard.bench.claims import ledger
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.papers.coverage import coverage
from mallard.bench.store import Store
from mallard.bench.view.claims import claims_report
from mallard.bench.view.decision import chart_report
from mallard.shared.report.page import Part

pytestmark = pytest.mark.full

PARTS = (
    *EXPERIMENTS,
    *("peers", "claims", "decision", "conditions", "reproduce", "papers"),
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("everything") / "mallard.db"
    write_everything(path)
    return path


@pytest.fixture(scope="module")
def page(database: Path) -> str:
    return write_page(database)


@pytest.fixture(scope="module")
def reader(page: str) -> Reader:
    return read(page)


def anchors(part: Part) -> list[str]:
    """Of the data structures."""
    return [section.anchor for section in part.sections if section.anchor.startswith("DS")]


def test_parts_stand_in_the_order_of_the_navigation(page: str) -> None:
    assert tuple(re.findall(r'<section id="([\w-]+)" class="part">', page)) == PARTS
    assert tuple(re.findall(r'href="#([\w-]+)"', re.findall(r"<nav .*?</nav>", page)[0])) == PARTS


def test_ids_are_unique_and_links_have_targets(reader: Reader) -> None:
    assert len(reader.ids) == len(set(reader.ids))
    links = [str(attributes["href"]) for tag, attributes in reader.tags if tag == "a"]
    assert all(link.removeprefix("#") in reader.ids for link in links)


def test_unmeasured_part_names_command(tmp_path: Path) -> None:
    write_run(tmp_path / "mallard.db", density_rows())
    _, parts = parts_of(tmp_path / "mallard.db")
    for name in EXPERIMENTS:
        scale = "" if name == "primitives" else " --quick"
        assert parts[name].command == ("" if name == "density" else f"mallard bench {name}{scale}")
    assert parts["peers"].command == "mallard bench density --contenders"


def test_an_experiment_alone_is_a_page_too(tmp_path: Path) -> None:
    write_run(tmp_path / "mallard.db", contention_rows(), experiment="contention")
    header, parts = parts_of(tmp_path / "mallard.db")
    assert parts["density"].command == "mallard bench density --quick"
    assert header.answer.text == parts["contention"].answer, "the first answer there is leads"
    assert "multipool" in header.answer.text


def test_shows_newest_finished_run_per_experiment(tmp_path: Path) -> None:
    path = tmp_path / "mallard.db"
    write_run(path, density_rows(names=("DS1",)))
    write_run(path, density_rows(names=("DS3",)))
    write_run(path, density_rows(names=("DS5",)), finished=False)
    write_run(path, locality_rows(("new-delete",)), experiment="locality", finished=False)
    header, parts = parts_of(path)
    assert anchors(parts["density"]) == ["DS3"]
    assert any(doubt.startswith("locality: the run was interrupted") for doubt in header.doubts)
    assert header.conditions[-1] == "runs 2, 4"


def test_shows_requested_run(tmp_path: Path) -> None:
    path = tmp_path / "mallard.db"
    write_run(path, density_rows(names=("DS1",)))
    write_run(path, density_rows(names=("DS3",)))
    write_run(path, locality_rows(("new-delete",)), experiment="locality")
    _, parts = parts_of(path, "--run", "1")
    assert anchors(parts["density"]) == ["DS1"]
    assert parts["locality"].command == "mallard bench locality --quick"


def test_claims_are_judged_by_all_rows(database: Path) -> None:
    with Store.open_existing(database) as store:
        rows = store.rows()
    report = claims_report(ledger(rows), covered=coverage(rows))
    _, parts = parts_of(database)
    assert parts["claims"].sections == report.sections
    assert parts["claims"].answer == report.answer.text, "at a glance"


def test_claim_may_use_older_special_run(tmp_path: Path) -> None:
    database = tmp_path / "mallard.db"
    write_run(database, utilization_rows(buffer="none"), experiment="utilization")
    write_run(database, utilization_rows(buffer="warm"), experiment="utilization")
    with Store.open_existing(database) as store:
        by_newest, by_all = ledger(store.rows(2)), ledger(store.rows())
    unmeasured = [sum(entry.verdict == "not measured" for entry in page) for page in (by_newest, by_all)]
    assert unmeasured[1] < unmeasured[0]
    assert f"{unmeasured[1]} are not measured" in parts_of(database)[1]["claims"].answer
    assert f"{unmeasured[0]} are not measured" in parts_of(database, "--run", "2")[1]["claims"].answer


def test_decision_chart_is_of_all_rows(database: Path) -> None:
    with Store.open_existing(database) as store:
        report = chart_report(decision_chart(store.rows()))
    part = parts_of(database)[1]["decision"]
    assert [section.blocks for section in part.sections] == [report.sections[0].blocks]
    text = part_text(part)
    assert "How many threads allocate at once?" in text
    assert "go on at: " in text
    assert "run 2, density" in text, "the cells it rests on"


def test_chart_without_figures_names_commands(tmp_path: Path) -> None:
    write_run(tmp_path / "mallard.db", density_rows())
    text = part_text(parts_of(tmp_path / "mallard.db")[1]["decision"])
    assert "not measured" in text
    assert "mallard bench contention" in text


def test_warns_about_runs_of_different_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_run(tmp_path / "mallard.db", density_rows())
    monkeypatch.setitem(MACHINE, "cpu", "Another CPU")
    write_run(tmp_path / "mallard.db", locality_rows(), experiment="locality")
    header, parts = parts_of(tmp_path / "mallard.db")
    assert any(doubt.startswith("Not all runs come from the same machine") for doubt in header.doubts)
    titles = [section.title for section in parts["conditions"].sections]
    assert {"Machine, run 1", "Machine, run 2"} <= set(titles)


def test_shows_paper_notes_for_measured_experiments(database: Path, tmp_path: Path) -> None:
    text = part_text(parts_of(database)[1]["papers"])
    assert "A cell marked fail exhausted memory" in text
    assert text.count("printed under wrong headings") == 1
    write_run(tmp_path / "mallard.db", density_rows())
    assert "under wrong headings" not in part_text(parts_of(tmp_path / "mallard.db")[1]["papers"])


def test_lists_builds_of_all_compilers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builds = {
        "g++": {"compiler": "g++ 12.2.0", "build_id": "1"},
        "clang++": {"compiler": "clang++ 16.0.6", "build_id": "2"},
    }
    monkeypatch.setitem(RUNNER, "builds", builds)
    rows = density_rows(names=("DS1",), sizes=(6,))
    both = [{**row, "parameters": row["parameters"] | {"compiler": name}} for name in builds for row in rows]
    write_run(tmp_path / "mallard.db", both)
    _, parts = parts_of(tmp_path / "mallard.db")
    text = part_text(parts["conditions"])
    assert "Build by g++ compiler g++ 12.2.0" in text
    assert "Build by clang++ compiler clang++ 16.0.6" in text
    assert "compiler clang++" in part_text(parts["density"])
