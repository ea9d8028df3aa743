"""Views of all rows that are stored with the documents: their size is bounded, and no figure is lost."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from panels import maps
from report_lines import screen
from samples import sampled

from mallard.bench.analysis.panels import panel_report
from mallard.bench.analysis.peers import cell_results, counterparts, has_contenders
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.store import Measured
from mallard.bench.view.page import page
from mallard.bench.view.peers import peers_report, summary_report

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs"))
from figures.peers import all_pairs, all_results
from figures.stored import stored_file, stored_runs

pytestmark = pytest.mark.full

BYTES_A_ROW = 64
SCREEN = (80, 36)  # columns, lines
FIGURES = {"ns a leaf", "page faults", "peak memory"}
STORED = [name for name in EXPERIMENTS if stored_file(name).exists()]


@pytest.fixture(scope="module")
def stored() -> dict[str, Measured]:
    """Of each experiment the run of its table."""
    return {name: stored_runs(name)[0].measured for name in STORED}


@pytest.fixture(scope="module")
def text(stored: Mapping[str, Measured]) -> str:
    return page(stored, [row for name in STORED for run in stored_runs(name) for row in run.rows])


def test_the_page_grows_by_at_most_64_bytes_with_a_row(text: str, stored: Mapping[str, Measured]) -> None:
    assert len(text.encode()) <= BYTES_A_ROW * sum(len(measured.rows) for measured in stored.values())


def test_density_map_has_all_cells_and_figures(stored: Mapping[str, Measured]) -> None:
    rows = stored["density"].rows
    places = {(row.parameters["ds"], row.parameters["size_log2"], row.strategy) for row in rows if row.ok}
    pictures = maps(panel_report("density", rows))
    tiles = [
        {layer.label: tile.text for layer, tile in zip(picture.layers, spot.tiles, strict=True)}
        for picture in pictures
        for _, spots in picture.rows
        for spot in spots
        if spot.tiles
    ]
    assert len(tiles) == len(places)
    assert all({label for label, text in texts.items() if text} >= FIGURES for texts in tiles)


def test_script_fills_only_folded_tables(stored: Mapping[str, Measured]) -> None:
    pictures = {name: maps(panel_report(name, measured.rows)) for name, measured in stored.items()}
    folded = {name: [picture for picture in of if picture.is_folded] for name, of in pictures.items()}
    assert {name for name, of in folded.items() if of} == {"locality"}
    assert len(folded["locality"]) < sum(map(len, pictures.values())) / 2


def test_peers_summary_fits_one_screen() -> None:
    columns, most = SCREEN
    lines = screen(summary_report(all_results(), all_pairs()), columns)
    assert len(lines) <= most
    assert max(map(len, lines)) <= columns


@pytest.mark.parametrize("columns", sampled(SCREEN[0], 100, 160, default=1))
@pytest.mark.parametrize("experiment", STORED)
def test_the_comparison_of_an_experiment_cuts_no_figure(experiment: str, columns: int) -> None:
    rows = [row for stored in stored_runs(experiment) for row in stored.rows]
    if not has_contenders(rows):
        pytest.skip("no rows of other libraries")
    lines = screen(peers_report(cell_results(rows), counterparts(rows)), columns)
    assert not any("\N{HORIZONTAL ELLIPSIS}" in line for line in lines)
    assert max(map(len, lines)) <= columns
