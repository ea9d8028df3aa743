"""The descriptions of the experiments: they name nothing that is missing, and the runner fits them."""

from __future__ import annotations

import pytest

from mallard.bench import described
from mallard.bench.cells import cell_rows
from mallard.bench.contenders import CONTENDERS
from mallard.bench.expected_runner import (
    complete_lists,
    condense,
    expected_runner,
    missing_strategies,
    normalize,
    to_json,
)
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.axis import COUNT, COUNTS, FOLLOWS, RANGE
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Phases
from mallard.bench.experiments.description.scale import REPEATED, SCALES, STRATEGIES
from mallard.bench.plan import Host, Request, make_plan
from mallard.bench.result import Row

EVERY = pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=list(EXPERIMENTS))


@EVERY
def test_named_parameters_are_axes(experiment: Experiment) -> None:
    names = [axis.name for axis in experiment.axes]
    assert len(set(names)) == len(names)
    rules = [name for rule in experiment.rules for name in (rule.first, rule.second)]
    named = {*experiment.places, *experiment.apart, *experiment.claimed, *experiment.joined, *rules}
    named |= {name for scale in experiment.scales.values() for grid in scale.grids for name in grid}
    named -= {STRATEGIES, REPEATED}
    assert named - set(names) == set()


@EVERY
def test_a_plan_has_a_value_for_every_place(experiment: Experiment) -> None:
    plan = make_plan(Request(experiment.name), expected_runner(), Host(64 << 30, 2))
    of_a_process = {"access_factor"}  # it measures all of them
    optional = {"version"}  # most works have one only
    for row in plan.rows:
        assert {*experiment.places, *experiment.apart} - of_a_process - optional <= set(row.parameters)


@EVERY
def test_numeric_options_have_limits(experiment: Experiment) -> None:
    if experiment.name == "locality":
        return  # the runner says its limits as exponents
    assert tuple(experiment.scales) == SCALES
    numbers = [axis.name for axis in experiment.axes if axis.takes in (COUNT, COUNTS, RANGE)]
    runner = expected_runner()
    for name in numbers:
        least, most = runner.limit(experiment.name, name)
        assert least < most


@EVERY
def test_sentences_and_plots_use_table_figures(experiment: Experiment) -> None:
    panel = experiment.panel
    if not isinstance(panel, Phases):
        return
    shown = {*panel.times, *panel.amounts}
    assert {plot.quantity for plot in panel.plots} <= shown
    assert set(experiment.compared) <= shown
    assert panel.relative in (None, *panel.times)
    assert len({quantity.short for quantity in shown}) == len(shown)
    own = described.names_in(experiment.name)
    assert [name for name in panel.drawn if name not in own and name not in CONTENDERS] == []


@pytest.mark.parametrize(
    ("experiment", "requested", "chosen"),
    [
        ("expansion-forward", {"elements": 10, "type": "int"}, "iterations"),
        ("fragmentation", {"ds": "DS1", "size_log2": 6, "freed": "half"}, "perturb_chunks_log2"),
    ],
)
def test_cell_key_omits_runners_choices(experiment: str, requested: dict[str, object], chosen: str) -> None:
    done = Row(1, experiment, {**requested, chosen: 7}, "heap", 0, 1, "ok", operations=1)
    failed = Row(1, experiment, requested, "heap", 1, 1, "crashed", detail="signal 11")
    (row,) = cell_rows([failed, done])
    assert chosen in EXPERIMENTS[experiment].roles(FOLLOWS)
    cell = row.cells["heap"]
    assert (cell.status, cell.detail, len(cell.times)) == ("ok", "signal 11", 1)


# ---- the runner's description of itself ---------------------------------------------------------------


def test_committed_description_is_formatted() -> None:
    assert described.FILE.read_text(encoding="utf-8") == to_json(described.DESCRIPTION)


def test_incomplete_build_keeps_described_strategies() -> None:
    strategies = [{"name": "new-delete"}, "multipool"]
    works = [{"name": "list", "strategies": ["new-delete"]}]
    description = {
        "missing": [{"name": "Loki"}],
        "experiments": {"fixed-block": {"strategies": strategies, "works": works, "count": [1, 9]}},
    }
    stored = {
        "fixed-block": {
            "strategies": ["new-delete", "loki", "gone"],
            "works": [{"name": "list", "strategies": ["loki"]}],
        }
    }
    lacking = missing_strategies(description)
    assert lacking == ["loki"]
    written = complete_lists(condense(description), stored, lacking)
    assert written["fixed-block"] == {
        "strategies": ["new-delete", "multipool", "loki"],
        "works": [{"name": "list", "strategies": ["new-delete", "loki"]}],
        "count": [1, 9],
    }
    assert normalize(written, lacking) == normalize(condense(description))


def test_incomplete_build_lacks_strategies_in_all_lists() -> None:
    lacking = ["boost-allocator"]
    without = normalize(described.EXPERIMENTS, lacking)
    assert "boost-allocator" in described.EXPERIMENTS["contention"]["freed_by_other"]
    assert "boost-allocator" not in without["contention"]["freed_by_other"]
    assert normalize(complete_lists(without, described.EXPERIMENTS, lacking)) == normalize(
        described.EXPERIMENTS
    )
