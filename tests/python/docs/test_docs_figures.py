"""The generators of the documents' tables, over made-up claims, results and stored runs."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import geometric_mean, median

import pytest
from synthetic_rows import native_row

from mallard.bench.analysis.panel.works import group_works
from mallard.bench.analysis.peers import TIME, CellResult, Side
from mallard.bench.claims import NOT_MEASURED, NOT_REPRODUCED, REPRODUCED, Entry, Estimate
from mallard.bench.contenders import LIBRARIES
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.library_code import fingerprint
from mallard.bench.result import Row
from mallard.shared import mallocs

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs"))
import refresh
from figures import (
    allocator_images,
    claims,
    density,
    losses,
    programs,
    races,
    reuse,
    testing,
    transcripts,
)
from figures.stored import (
    DOCS,
    StoredRun,
    buffer_text,
    chosen_runs,
    every_run,
    machines,
    markdown_table,
    of_machine,
    stored_runs,
    with_strategy,
)
from refresh import WHOLE_TABLES, add_runs, keep_runs, main, refreshed

ENTRY = Entry(
    number="7",
    paper="p0089",
    document="P0089R1",
    section="section 8",
    text="twice as fast",
    printed="2",
    ours="1.1 times",
    interval="1.0 to 1.2",
    all_cells="",
    figures=[],
    cells=1,
    repetitions=3,
    verdict=NOT_REPRODUCED,
    reason="",
    command="",
    rule="",
    note="",
    run=1,
)


def table_rows(table: str) -> list[list[str]]:
    """The cells of a Markdown table, without its heading."""
    return [line[2:-2].split(" | ") for line in table.splitlines()[2:]]


def program_rows(
    times: dict[str, float], sizes: Sequence[str] = ("small", "large"), pages: str = "small"
) -> list[Row]:
    """Nanoseconds of each strategy, in three repetitions."""
    return [
        Row.from_native(1, native_row("programs", parameters, name, repetition, ns, 1000))
        for size in sizes
        for parameters in [{"program": "json", "size": size, "operations": 1, "pages": pages}]
        for name, ns in times.items()
        for repetition in range(3)
    ]


def result(cell: int, ours: float, theirs: float) -> CellResult:
    """Three repetitions with the same figures, so that the interval is a point."""
    return CellResult(
        run=1,
        experiment="density",
        quantity=TIME,
        cell=(("ds", "DS1"), ("size_log2", cell)),
        peer="Boost.Pool",
        ours=Side("multipool", dict.fromkeys(range(3), ours)),
        theirs=Side("boost-pool", dict.fromkeys(range(3), theirs)),
    )


def test_table_of_disagreements_omits_reproduced_claims(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entries = [
        ENTRY,
        replace(ENTRY, number="8", verdict=REPRODUCED),
        replace(ENTRY, number="9", ours="", verdict=NOT_MEASURED),
        replace(ENTRY, number="1", document="P0213R0", text="|S| < 2"),
    ]
    monkeypatch.setattr(claims, "entries", lambda: entries)
    monkeypatch.setattr(claims, "deviation", lambda _: claims.FAR)
    lines = claims.far().splitlines()
    assert [line for line in lines if line.startswith("###")] == ["### P0089R1", "### P0213R0"]
    assert "| 7, section 8: twice as fast | 2 | 1.1 times |" in lines
    assert "| 1, section 8: \\|S\\| &lt; 2 | 2 | 1.1 times |" in lines
    assert not any(line.startswith(("| 8,", "| 9,")) for line in lines)
    assert lines.index("### P0213R0") < next(i for i, line in enumerate(lines) if line.startswith("| 1,"))


def test_page_has_claims_that_deviate_by_far(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = next(claim for claim in claims.claims() if claim.low == claim.high and claim.unit == "x")
    assert claim.low
    near, far, opposite = (
        replace(ENTRY, number=claim.number, text=text, figures=[Estimate(claim.low * factor, 0.0, 0.0)])
        for text, factor in (("near", 1.5), ("far", 0.005), ("opposite", -1.0))
    )
    assert [claims.deviation(entry) for entry in (near, far, opposite)] == pytest.approx(
        [1.5, 200.0, math.inf]
    )
    monkeypatch.setattr(claims, "entries", lambda: [near, far, opposite])
    page = claims.far()
    assert "section 8: far" in page
    assert "section 8: opposite" in page
    assert "section 8: near" not in page
    assert "1 further claim." in page


def test_percentages_deviate_as_times_do() -> None:
    claim = next(claim for claim in claims.claims() if claim.unit == "percent" and claim.low and claim.high)
    assert claim.low
    below = replace(ENTRY, number=claim.number, figures=[Estimate(claim.low - 20.0, 0.0, 0.0)])
    assert claims.deviation(below) == pytest.approx(1.2)


def test_new_run_replaces_stored_run_of_command() -> None:
    stored = {
        "runs": [{"id": 1, "command": "mallard bench density"}, {"id": 4, "command": "mallard bench reuse"}],
        "rows": [{"run_id": 1, "ns": 1}, {"run_id": 4, "ns": 2}],
    }
    again = {"id": 1, "command": "mallard bench density"}
    keep_runs(stored, lambda run: run["command"] != again["command"])
    add_runs(stored, [again], [{"run_id": 1, "ns": 3}])
    assert [run["id"] for run in stored["runs"]] == [4, 5]
    assert [(row["run_id"], row["ns"]) for row in stored["rows"]] == [(4, 2), (5, 3)]


@pytest.mark.parametrize(
    ("command", "cpu", "keep_others", "kept"),
    [
        ("bench reuse", "EPYC", True, False),
        ("bench density", "EPYC", True, True),
        ("bench density", "EPYC", False, False),
        ("bench density --no-longer-listed", "EPYC", True, False),
        ("bench reuse", "Xeon", False, True),
    ],
)
def test_added_runs_replace_those_of_their_processor(
    command: str, cpu: str, keep_others: bool, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh, "LISTED", {"bench reuse", "bench density"})

    def run(text: str, name: str) -> dict[str, object]:
        return {"command": f"mallard {text}", "machine": {"cpu": name, "caches": {}}}

    added = [run("bench reuse", "EPYC")]
    assert refresh.is_kept(run(command, cpu), added, keep_others=keep_others) is kept


@pytest.fixture
def two_processors(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[dict[str, object]]]:
    """Runs of the first command on both, of the next two on one each, and of one that is not listed."""
    listed = {f"bench reuse --seed {number}": number for number in (1, 2, 3)}
    monkeypatch.setattr("figures.stored._listed", lambda: listed)

    def run(number: int, model: str, day: str, seed: int) -> dict[str, object]:
        machine = {"cpu": "EPYC", "cpu_model": model, "caches": {}}
        command = f"mallard bench reuse --seed {seed}"
        return {"id": number, "machine": machine, "started": day, "command": command}

    runs = [
        *(run(1, "17", "2026-01-02", 1), run(2, "1", "2026-01-01", 1)),
        *(run(3, "1", "2026-01-01", 2), run(4, "17", "2026-01-02", 3), run(5, "17", "2026-01-02", 4)),
    ]
    return {"runs": runs, "rows": [{"run_id": run["id"]} for run in runs]}


def test_runs_of_another_processor_stay_apart(two_processors: dict[str, list[dict[str, object]]]) -> None:
    assert machines(two_processors) == ["EPYC (17)", "EPYC (1)"], "the latest of those with as many"
    assert [row["run_id"] for row in of_machine(two_processors, "EPYC (1)")["rows"]] == [2, 3]


def test_the_processor_of_most_listed_commands_is_the_first(
    two_processors: dict[str, list[dict[str, object]]],
) -> None:
    runs = [run for run in two_processors["runs"] if run["id"] != 4]
    assert machines({"runs": runs}) == ["EPYC (1)", "EPYC (17)"]


def test_a_command_that_ran_on_another_processor_only_is_shown(
    two_processors: dict[str, list[dict[str, object]]],
) -> None:
    assert [run["id"] for run in chosen_runs(two_processors)] == [1, 4, 5, 3]
    runs = [run for run in two_processors["runs"] if run["id"] != 4]
    assert [run["id"] for run in chosen_runs({"runs": runs})] == [2, 3], "not what is not listed"


def test_links_to_runs_are_relative_to_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- figures: x -->\n<!-- end -->\n")
    text = refreshed(page, {"x": lambda: "[density 1](runs.md#density)"})
    (target,) = re.findall(r"\((.*)#density\)", text)
    assert (tmp_path / target).resolve() == DOCS.parent / "bench/results/runs.md"


def test_memory_is_compared_with_the_fastest_malloc() -> None:
    """The malloc of each program, by the medians of the rows."""
    times: dict[str, dict[str, list[float]]] = {}
    held: dict[str, dict[str, list[float]]] = {}
    for row in stored_runs("programs")[0].rows:
        if row.parameters["size"] == "large" and row.status == "ok":
            program = str(row.parameters["program"])
            times.setdefault(program, {}).setdefault(row.strategy, []).append(row.cpu_ns / row.operations)
            peaks = held.setdefault(program, {}).setdefault(row.strategy, [])
            peaks.append(row.figures["peak_held_bytes"])
    ratios = []
    for program, by_strategy in times.items():
        mallocs = [name for name in by_strategy if name.startswith("new-delete")]
        fastest = min(mallocs, key=lambda name: median(by_strategy[name]))
        ratios.append(median(held[program]["multipool"]) / median(held[program][fastest]))
    (row,) = (
        row
        for row in table_rows(programs.against())
        if row[:2] == ["`multipool`", "each program's fastest malloc"]
    )
    assert row[3] == f"{100 * geometric_mean(ratios):.0f} %"


@pytest.mark.parametrize("measured", [False, True])
def test_arenas_are_compared_over_one_upstream(measured: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a run of its own, because the table's run is older than the strategy."""
    times = {"new-delete": 100.0, "monotonic/base": 45.0, "pmr-monotonic": 90.0, "pmr-monotonic-cached": 50.0}
    rows = program_rows(times)
    table = StoredRun(
        {"experiment": "programs"}, [row for row in rows if not row.strategy.endswith("cached")]
    )
    later = StoredRun({"experiment": "programs"}, rows) if measured else None
    monkeypatch.setattr(programs, "load", lambda _experiment: table)
    monkeypatch.setattr(programs, "with_strategy", lambda _experiment, _strategy: later)
    (row,) = (row for row in table_rows(programs.against()) if "same upstream" in row[1])
    assert row[2] == ("90 % (90 to 90)" if measured else "not measured")


def test_runs_of_another_library_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    soaks = tmp_path / "soak.json"
    soaks.write_text("[]", encoding="utf-8")
    monkeypatch.setattr(testing, "SOAKS", soaks)
    run = {
        "format": 1,
        "operations": 1000,
        "seconds": 1.0,
        "seed": 1,
        "allocators": {"heap": 1},
        "compiler": "g++",
        "flags": "-O3",
        "sanitizers": "",
        "commit": testing.head(),
    }
    line = tmp_path / "soak.jsonl"
    line.write_text(json.dumps(run) + "\n", encoding="utf-8")
    testing.add_soaks(line)
    testing.add_soaks(line)
    (stored,) = json.loads(soaks.read_text(encoding="utf-8"))
    assert stored["library"] == fingerprint()
    assert "The library has changed since." not in testing.soak()
    line.write_text(json.dumps({**run, "commit": "0123456789ab"}) + "\n", encoding="utf-8")
    testing.add_soaks(line)
    assert testing.soak().endswith("The code of the library was not recorded.")
    former = [{**stored, "library": "0123456789ab"}]
    soaks.write_text(json.dumps(former), encoding="utf-8")
    assert testing.soak().endswith("The library has changed since.")


def test_a_column_of_words_is_not_aligned_as_figures() -> None:
    table = markdown_table(["a", "b", "c", "d"], [["x", "1", "2", "y"]], more_texts=["d"])
    assert table.splitlines()[1] == "| --- | ---: | ---: | --- |"


@pytest.mark.parametrize(
    ("multipool", "share", "verdicts"),
    [(40.0, "80", "2 / 0 / 0 / 0"), (50.0, "100", "0 / 2 / 0 / 0"), (60.0, "120", "0 / 0 / 0 / 2")],
)
def test_verdicts_of_readme_follow_the_rows(
    multipool: float, share: str, verdicts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = {"new-delete": 100.0, "new-delete@mimalloc3": 50.0, "monotonic": 50.0, "multipool": multipool}
    works = group_works("programs", program_rows(times)).values()
    sizes = dict(zip(programs.SIZES, works, strict=True))
    monkeypatch.setattr(programs, "_works", sizes.__getitem__)
    monkeypatch.setattr(programs, "with_strategy", lambda _experiment, _strategy: None)
    (row,) = (row for row in table_rows(programs.against()) if "mimalloc 3" in row[1])
    assert row[2].startswith(f"{share} %")
    assert row[-1] == verdicts


def test_readme_quotes_the_answer_and_its_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "tutorial.md"
    page.write_text(
        "    $ ./mallard advise -- x\n\n    Use a\n    pool\n      patch: y\n\n"
        "    program  effect\n    a       2 ms\n\n      estimate: x\n",
        "utf-8",
    )
    monkeypatch.setattr(transcripts, "PAGE", page)
    answer = ["$ ./mallard advise -- x", "Use a", "pool", "  patch: y", "", "program  effect", "a       2 ms"]
    assert transcripts.advice().splitlines() == ["```", *answer, "```"]


def test_density_states_the_buffer_of_rows() -> None:
    assert density.begins_in_buffer() == ["monotonic", "monotonic-walk", "multipool+monotonic"]
    assert buffer_text("cold", 1 << 29) == "a buffer of 0.5 GiB, touched in the timed part"


def test_page_links_the_code_of_each_library() -> None:
    """Code in a file of Debian's has that package's flags, whatever the page says of the workloads."""
    page = (DOCS.parent / "bench/runner/strategy/contender/README.md").read_text(encoding="utf-8")
    table = page.split("| in headers | in its library |\n")[1].split("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[1:]]
    in_file = {name: row[-1] for row in rows for name in row[0].split(", ")}
    assert set(in_file) == {*LIBRARIES, *mallocs.NAMES, "mimalloc3", "snmalloc"}
    for library in LIBRARIES.values():
        assert library.file.rstrip(".") in in_file[library.name]
    assert "the same flags" not in page


def test_reuse_names_the_malloc_that_wins_a_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = {"block_bytes": 64, "operations": 1, "pages": "small", "pattern": "random", "sizes": "same"}
    times = {"multipool": 10.0, "new-delete@mimalloc": 5.0, "new-delete@jemalloc": 20.0}
    rows = [
        Row.from_native(
            0,
            native_row(
                "reuse",
                {**cell, "live": live},
                name,
                again,
                time + again / 10,
                1,
                figures={"pair_ns": time + again / 10},
            ),
        )
        for live, names in ((4096, tuple(times)), (65536, ("multipool", "new-delete@jemalloc")))
        for name, time in times.items()
        if name in names
        for again in range(3)
    ]
    monkeypatch.setattr(reuse, "load", lambda _experiment: StoredRun({}, rows))
    assert "In 1 of 2 cells" in reuse.best()
    assert reuse.best().endswith("64 B, 2^12, same sizes, random (mimalloc).")


def beaten(cell: int, ours: float, **winners: float) -> list[CellResult]:
    """The cell's results with these strategies."""
    return [
        replace(result(cell, ours, time), peer=name, theirs=Side(name, dict.fromkeys(range(3), time)))
        for name, time in winners.items()
    ]


def test_losses_name_the_fastest_winner_of_each_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    results = [
        *beaten(6, 3.0, loki=2.5, **{"new-delete": 1.5, "boost-pool": 4.0}),
        *beaten(8, 2.0, loki=1.9),
        *beaten(10, 2.0, loki=2.0, **{"boost-pool": 2.5}),
    ]
    monkeypatch.setattr(losses, "all_results", lambda: results)
    found = losses.lost()
    assert [(result.theirs.strategy, result.theirs.value) for result in found["density"]] == [
        ("new-delete", 1.5),
        ("loki", 1.9),
    ]
    assert sum(map(len, found.values())) == 2
    worst = "2.00 (2.00 to 2.00), `new-delete`"
    assert f"| density | 3 | 2 | {worst} | 1 | {worst} |" in losses.counts()
    assert {line.split(" | ")[0] for line in losses.cells().splitlines()[2:]} == {"| density"}
    results += [replace(result, experiment="programs") for result in beaten(1, 1.0, loki=2.0)]
    assert "in 0 of 1 programs" in losses.answer()
    assert "| new-delete 1.50 ns | 2.00 (2.00 to 2.00) |" in losses.cells()


def test_count_of_losses_names_its_population(monkeypatch: pytest.MonkeyPatch) -> None:
    results = [
        *beaten(6, 3.0, loki=2.5, **{"new-delete": 1.5}),
        *beaten(8, 1.0, **{"new-delete": 2.0, "new-delete@mimalloc": 0.5}),
        *(pair for cell, ours in ((9, 3.0), (10, 1.0)) for pair in beaten(cell, ours, **{"new-delete": 2.0})),
        *beaten(11, 3.0, **{"new-delete-keep": 2.0}),
    ]
    programs_lost = beaten(1, 1.0, **{"new-delete": 2.0, "new-delete@mimalloc": 0.9, "pmr-monotonic": 0.8})
    only_a_library = beaten(2, 1.0, **{"new-delete": 2.0, "pmr-monotonic": 0.8})
    results += [replace(result, experiment="programs") for result in (*programs_lost, *only_a_library)]
    monkeypatch.setattr(losses, "all_results", lambda: results)
    text = losses.answer()
    assert "in 2 of 2 programs, each size counted, and than the fastest malloc in 1." in text
    assert "it loses 2 of the 2 cells in which another malloc than glibc's" in text
    assert text.endswith("2 of them to a malloc, and 2 of the 3 with glibc's malloc alone.")
    assert "in 2 of the 2 small and large programs, and in 2 of 2 cells of other" in losses.lost_cells()
    assert ": a malloc in 2, an allocator that frees no single block in 0 (" in losses.lost_cells()
    density = next(line for line in losses.counts().splitlines() if line.startswith("| density"))
    assert density.split(" | ")[1:3] == ["2", "2"]
    assert losses.winners() == "The fastest of these 2 cells: a malloc (2)."


def test_every_picture_stands_on_the_page_of_allocators() -> None:
    page = (Path(losses.__file__).parents[1] / "library/allocators.md").read_text(encoding="utf-8")
    headings = [
        line.removeprefix("## ").split(",")[0] for line in page.splitlines() if line.startswith("## ")
    ]
    assert headings == [*allocator_images.PICTURES, "Around an allocator"]
    for name, image in allocator_images.images().items():
        assert f"](../images/allocators/{name}.svg)" in page
        assert image().count("<rect") > len(allocator_images.PICTURES[name][1])


NAMED_TABLES = {
    name: text
    for path in (*DOCS.rglob("*.md"), DOCS.parent / "bench/results/README.md")
    for text in [path.read_text("utf-8")]
    for name in re.findall(r"(?<=--print )[\w-]+|(?<=and `)recording_\w+", text)
}


def test_pages_name_the_commands_of_whole_tables() -> None:
    assert NAMED_TABLES.keys() <= WHOLE_TABLES.keys()
    assert WHOLE_TABLES.keys() - NAMED_TABLES.keys() <= EXPERIMENTS.keys()


def test_whole_table_has_more_than_its_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "fragmentation"
    shown = "".join(NAMED_TABLES[name].split(f"<!-- figures: {name} -->")[1:]).split("<!-- end -->")[0]
    monkeypatch.setattr(sys, "argv", ["refresh.py", "--print", name])
    assert main() == 0
    printed = capsys.readouterr().out
    assert shown.count("|") < printed.count("|")
    assert "--html and --json" not in printed


def test_printed_experiment_has_every_run_and_strategy() -> None:
    printed = WHOLE_TABLES["burst"]()
    for stored in every_run("burst"):
        assert f"    {stored.run['command']}\n" in printed
        assert all(f"| {row.strategy} |" in printed for row in stored.rows)


@pytest.mark.parametrize("name", ["utilization", "contention"])
def test_races_have_bde_in_its_own_run(name: str) -> None:
    """Its percent is not of new-delete in the table's run, which was another day's."""
    stored = with_strategy(name, races.BDE)
    assert stored
    own = {table.setting: table for table in races.race_tables(name, stored.rows)}
    table = races.tables(name).split("\n\n")[1]
    assert table.splitlines()[0].endswith(f"| {races.BDE} |")
    cells = [
        line.cells[races.BDE] for table in own.values() for line in table.lines if races.BDE in line.cells
    ]
    percents = {f"{100 * cell.ratio.median:.0f}" for cell in cells if cell.ratio}
    assert {row[-1] for row in table_rows(table)} <= percents
