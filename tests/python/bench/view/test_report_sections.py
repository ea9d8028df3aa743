"""`mallard show page`: its section of each experiment, from rows whose figures are known beforehand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from heat_maps import HeatMap, heat_map, heat_maps
from line_plots import line_plots
from looks_of_runs import section, text_of
from page_reader import Reader, read
from synthetic_experiments import access_ns, contention_rows, locality_rows, utilization_rows
from synthetic_page import write_everything
from synthetic_run import MACHINE, RUNNER, density_rows, write_run

from mallard.bench.claims import ledger
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.papers.locality import locality_tables
from mallard.bench.store import Store
from mallard.cli import main
from mallard.shared.view.html.figures import size

pytestmark = pytest.mark.full

SECTIONS = (
    *("programs", "verdict", *(name for name in EXPERIMENTS if name != "programs")),
    *("peers", "claims", "decision", "conditions", "reproduce", "papers"),
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("everything") / "mallard.db"
    write_everything(path)
    return path


def report(database: Path, *options: str) -> str:
    output = database.with_name("page.html")
    assert main(["show", "page", "-o", str(output), "--db", str(database), *options]) == 0
    return output.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(database: Path) -> str:
    return report(database)


@pytest.fixture(scope="module")
def reader(page: str) -> Reader:
    return read(page)


def small_maps(page: str) -> list[tuple[str, HeatMap]]:
    """The maps that stand side by side, with their captions."""
    tables = [table for table in heat_maps(page) if table.class_ == "heat small"]
    names = re.findall(r"<figure><figcaption><b>(.*?)</b>", page)
    return list(zip(names, tables, strict=True))


def test_sections_stand_in_the_order_of_the_navigation(page: str) -> None:
    assert tuple(re.findall(r'<section id="([\w-]+)" class="part">', page)) == SECTIONS
    assert tuple(re.findall(r'href="#([\w-]+)"', re.findall(r"<nav .*?</nav>", page)[0])) == SECTIONS


def test_ids_are_unique_and_links_have_targets(reader: Reader) -> None:
    assert len(reader.ids) == len(set(reader.ids))
    links = [str(attributes["href"]) for tag, attributes in reader.tags if tag == "a"]
    assert all(link.removeprefix("#") in reader.ids for link in links)


def test_labels_belong_to_inputs(reader: Reader) -> None:
    targets = {attributes["for"] for tag, attributes in reader.tags if tag == "label" and "for" in attributes}
    assert targets
    assert targets <= set(reader.ids)


def test_the_page_needs_nothing_else(page: str, reader: Reader) -> None:
    for tag, attributes in reader.tags:
        for name in ("src", "href", "action", "data", "srcset"):
            target = attributes.get(name)
            assert target is None or target.startswith(("#", "data:")), (tag, target)
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page), "only what is on the page"
    assert len(page.encode()) < 2_000_000


def test_unmeasured_section_names_command(tmp_path: Path) -> None:
    write_run(tmp_path / "mallard.db", density_rows())
    page = report(tmp_path / "mallard.db")
    for name in EXPERIMENTS:
        scale = "" if name == "primitives" else " --quick"
        assert name == "density" or f"mallard bench {name}{scale}" in text_of(section(page, name))
    assert small_maps(page) == []
    assert len(re.findall(r'<a href="#[\w-]+" class="absent"', page)) == len(EXPERIMENTS), "and the peers"


def test_an_experiment_alone_is_a_page_too(tmp_path: Path) -> None:
    write_run(tmp_path / "mallard.db", contention_rows(), experiment="contention")
    page = report(tmp_path / "mallard.db")
    assert "mallard bench density --quick" in text_of(section(page, "density"))
    assert 'id="verdict"' not in page
    assert "multipool" in re.findall(r'<p class="lead">.*?</p>', page)[0], "the first answer there is leads"


def test_shows_newest_finished_run_per_experiment(tmp_path: Path) -> None:
    path = tmp_path / "mallard.db"
    write_run(path, density_rows(names=("DS1",)))
    write_run(path, density_rows(names=("DS3",)))
    write_run(path, density_rows(names=("DS5",)), finished=False)
    write_run(path, locality_rows(("new-delete",)), experiment="locality", finished=False)
    page = report(path)
    assert re.findall(r'id="(DS\d+)"', page) == ["DS3"]
    assert "locality: the run was interrupted" in text_of(page)
    assert "runs 2, 4" in text_of(page)


def test_shows_requested_run(tmp_path: Path) -> None:
    path = tmp_path / "mallard.db"
    write_run(path, density_rows(names=("DS1",)))
    write_run(path, density_rows(names=("DS3",)))
    write_run(path, locality_rows(("new-delete",)), experiment="locality")
    page = report(path, "--run", "1")
    assert re.findall(r'id="(DS\d+)"', page) == ["DS1"]
    assert "mallard bench locality --quick" in text_of(section(page, "locality"))


def test_a_small_map_has_the_measured_ratios(page: str) -> None:
    """Rows begin with the longest lists, columns with the highest access factors."""
    name, table = small_maps(page)[0]
    assert name == "here"
    assert table.heads == ["2\u2078", "2\u2074", "2\u2070"]
    assert list(table.rows) == [size(log2) for log2 in (21, 18, 12, 9, 4, 0)]
    length, factor = 1 << 18, 16
    ratio = access_ns("new-delete", 1 << 21, length, 5, factor) / access_ns(
        "new-delete", 1 << 21, length, 0, factor
    )
    assert float(table.rows[size(18)][1].parts[1]) == pytest.approx(ratio, rel=0.01)


def test_published_maps_stand_beside_ours(page: str) -> None:
    """For each system: new-delete, multipool, the relief by multipool, and its gain."""
    captions = [
        text_of(caption)
        for caption in re.findall(r"<figcaption>(.*?)</figcaption>", section(page, "locality"))
    ]
    for table in ("Table 16", "Table 18", "Table 20", "Table 17", "Table 19", "Table 21"):
        assert captions.count(f"P0089 {table}") == 1
    for table in ("Table 9", "Table 10", "Table 11, inverted"):
        assert captions.count(f"P0213 {table}") == 1
    name, shown = small_maps(page)[1]
    table = locality_tables()["p0089:16"]
    assert (name, shown.heads[-1]) == ("P0089", size(0))
    assert float(shown.rows[size(20)][-1].parts[1]) == table.rows[(1 << 20,)]["1"] == 11.6


def test_small_map_has_all_points(page: str) -> None:
    table = next(
        heat_map
        for heat_map in heat_maps(page)
        if re.fullmatch("new-delete: shuffled .*here", heat_map.title)
    )
    assert len(table.cells) == 6 * 3
    cell = table.cell("2\u00b9\u2078", "2\u2070")
    assert (cell.text, cell.class_) == ("7.91", "s4")
    assert cell.terms == {
        "ratio": "7.91 \u00d7",
        "95 % interval": "7.91\u20137.91",
        "before the shuffle": "1.02 ns an access",
        "after the shuffle": "8.07 ns an access",
    }


def test_orders_of_reuse_stand_side_by_side(page: str) -> None:
    text = text_of(section(page, "locality"))
    assert "Orders of reuse side by side" in text
    for name in (
        "multipool-last",
        "multipool-first",
        "multipool-lowest",
        "multipool-hybrid",
        "multipool-random",
    ):
        assert name in text


def test_locality_costs_have_six_kinds(page: str) -> None:
    costs = heat_map(page, "beside the accesses")
    cell = next(iter(costs.column("multipool").values()))
    assert cell.shown == {"b": "5.10", "s": "40.8", "r": "10.2", "a": "2.04", "u": "32.0", "v": "48.0"}
    assert "25 % of new-delete" in " ".join(cell.terms.values())


def test_shuffle_effects_are_lines_beside_table_15(page: str) -> None:
    plots = line_plots(page, "locality")
    assert [plot.title for plot in plots] == ["here", "P0089 Table 15"]
    assert all(len(plot.series) == 8 for plot in plots)
    assert [plot.value("10\u2076", "1") for plot in plots] == ["4.60", "11.4"]


def test_utilization_stands_beside_the_printed_tables(page: str) -> None:
    cell = next(iter(heat_map(page, "T = 2\u00b3\u2070 bytes").column("multipool").values()))
    shown = cell.shown
    assert shown["p"] == "40"
    assert shown["n"] == "8.16"
    assert shown["m"] == "0.03", "MiB held at the end"
    ratios = [shown[kind].partition("\n")[0] for kind in "cd"]
    assert ratios == ["0.90", f"{40 / 46:.2f}"], "P0213 prints seconds, P0089 percents"
    assert cell.terms["here / P0089"] == "40 / 46 % of new-delete: ratio 0.87"


def test_marks_out_of_memory_cells(page: str) -> None:
    tables = [table for table in heat_maps(page) if table.part == "utilization"]
    failed = [cell.status for table in tables for cell in table.cells if cell.status]
    assert failed == ["out of memory: needs 32 GiB of 8 GiB"] * 4
    assert {cell.text for cell in heat_map(page, "T = 2\u00b3\u2075 bytes").cells if cell.status} == {"mem"}


def test_contention_plots_every_strategy(page: str) -> None:
    plots = line_plots(page, "contention")
    assert len(plots) == 4, "two sizes of blocks, freed by the thread itself and by another"
    assert len(plots[0].series) == 10
    assert len(plots[2].series) == 4
    assert plots[0].value("synchronized-multipool", "2") == "61.2"
    assert plots[0].series["multipool/base"].class_ == "multipool dashed", "it is behind an abstract base"
    assert "cores" in plots[0].text


def test_contention_uses_printed_table_of_buffer(page: str) -> None:
    own, neighbour = (
        heat_map
        for heat_map in heat_maps(page)
        if heat_map.title.startswith("N = 2\u00b9\u2075, S = 2\u2076")
    )
    cell = next(iter(own.column("monotonic").values()))
    assert (cell.shown["c"], cell.classes["c"]) == ("0.99\n25 / 25", "eq"), "P0213's Table 58"
    assert {cell.shown["c"] for cell in neighbour.cells if cell.measured} == {"\u00b7"}, "not in the papers"


def test_fragmentation_shows_r_per_heap(page: str) -> None:
    tables = [heat_map for heat_map in heat_maps(page) if heat_map.part == "fragmentation"]
    pages = next(table for table in tables if table.title == "vector<int>")
    assert next(iter(pages.column("multipool").values())).shown == {
        "w": "1.00",
        "h": "0.80",
        "q": "0.80",
        "e": "0.80",
    }
    of_strings = [table for table in tables if table.title == "vector<string>"]
    assert len(of_strings) == 2, "chunks from pages, and from the heap itself"
    shown_cells = [(cell.shown["h"], cell.classes["h"]) for cell in of_strings[1].cells if cell.measured]
    assert ("0.88", "f1") in shown_cells


def test_the_shifted_columns_are_put_right_and_explained(page: str) -> None:
    text = section(page, "fragmentation")
    shifted = re.findall(r"P0213 Table 18: vector&lt;int&gt;.*?</table>", text)[0]
    assert "under wrong headings" in shifted
    assert "new-delete" not in next(
        heat_map.heads for heat_map in heat_maps(page) if heat_map.title.startswith("P0213 Table 18:")
    )
    assert "P0213 Table 20" not in text_of(text)
    assert "P0213's Table 20" in text_of(text)


def test_primitives_are_a_small_table(page: str) -> None:
    text = text_of(section(page, "primitives"))
    assert "multipool bound by type parameter, destroyed normally 3.00 3.00\u20133.00 3.00" in text


def test_claims_have_rows_and_verdicts(page: str, database: Path) -> None:
    with Store.open_existing(database) as store:
        entries = ledger(store.rows())
    rows = re.findall(r'<tr data-paper="(\w+)" data-verdict="([\w-]+)"', page)
    assert len(rows) == len(entries)
    for verdict in {entry.verdict for entry in entries}:
        count = sum(entry.verdict == verdict for entry in entries)
        assert f"{verdict} {count}" in text_of(section(page, "claims"))


def test_claim_may_use_older_special_run(tmp_path: Path) -> None:
    database = tmp_path / "mallard.db"
    write_run(database, utilization_rows(buffer="none"), experiment="utilization")
    write_run(database, utilization_rows(buffer="warm"), experiment="utilization")
    with Store.open_existing(database) as store:
        by_newest, by_all = ledger(store.rows(2)), ledger(store.rows())
    unmeasured = [sum(entry.verdict == "not measured" for entry in page) for page in (by_newest, by_all)]
    assert unmeasured[1] < unmeasured[0]
    assert f"not measured {unmeasured[1]}" in text_of(section(report(database), "claims"))
    assert f"not measured {unmeasured[0]}" in text_of(section(report(database, "--run", "2"), "claims"))


def test_decision_chart_ends_in_strategies(page: str) -> None:
    text = text_of(section(page, "decision"))
    assert "How many threads allocate at once?" in text
    assert "monotonic/wink 27 % 27\u201327" in text
    assert "go on at" in text, "the way that joins another is a link"
    assert "run 2, density" in text, "the cells it rests on"
    assert section(page, "decision").count('class="leaf ') == 29


def test_chart_without_figures_names_commands(tmp_path: Path) -> None:
    write_run(tmp_path / "mallard.db", density_rows())
    text = text_of(section(report(tmp_path / "mallard.db"), "decision"))
    assert "not measured" in text
    assert "mallard bench contention" in text


def test_warns_about_runs_of_different_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_run(tmp_path / "mallard.db", density_rows())
    monkeypatch.setitem(MACHINE, "cpu", "Another CPU")
    write_run(tmp_path / "mallard.db", locality_rows(), experiment="locality")
    page = report(tmp_path / "mallard.db")
    assert "Not all runs come from the same machine" in text_of(page)
    text = text_of(section(page, "conditions"))
    assert "Machine run 1" in text
    assert "Machine run 2" in text


def test_shows_paper_notes_for_measured_experiments(page: str, tmp_path: Path) -> None:
    text = text_of(section(page, "papers"))
    assert "A cell marked fail exhausted memory" in text
    assert text.count("printed under wrong headings") == 1
    write_run(tmp_path / "mallard.db", density_rows())
    assert "under wrong headings" not in text_of(section(report(tmp_path / "mallard.db"), "papers"))


def test_lists_builds_of_all_compilers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builds = {
        "g++": {"compiler": "g++ 12.2.0", "build_id": "1"},
        "clang++": {"compiler": "clang++ 16.0.6", "build_id": "2"},
    }
    monkeypatch.setitem(RUNNER, "builds", builds)
    rows = density_rows(names=("DS1",), sizes=(6,))
    both = [{**row, "parameters": row["parameters"] | {"compiler": name}} for name in builds for row in rows]
    write_run(tmp_path / "mallard.db", both)
    page = report(tmp_path / "mallard.db")
    text = text_of(section(page, "conditions"))
    assert "Build by g++ compiler g++ 12.2.0" in text
    assert "Build by clang++ compiler clang++ 16.0.6" in text
    assert "compiler clang++" in text_of(section(page, "density"))


def test_other_malloc_has_named_column(tmp_path: Path) -> None:
    rows = density_rows(names=("DS1",), sizes=(6,), strategies=("new-delete", "multipool"))
    rows += [
        {**row, "strategy": "new-delete@jemalloc", "cpu_ns": row["cpu_ns"] // 2}
        for row in rows
        if row["strategy"] == "new-delete"
    ]
    write_run(tmp_path / "mallard.db", rows)
    page = report(tmp_path / "mallard.db")
    assert "type<small>jemalloc</small>" in page
    assert heat_maps(page)[0].heads == ["new-delete", "new-delete@jemalloc", "multipool"]
