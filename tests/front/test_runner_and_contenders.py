"""The real runner and the Python program know the same contenders, in the same experiments."""

import json
import subprocess

import pytest
from source_tree import ROOT

from mallard.contenders import CONTENDERS
from mallard.described import EXPERIMENTS, REGISTRY, WHOLE
from mallard.expected_runner import comparable, condensed, lacking_in

# The runner is built by a stage of --full.
pytestmark = pytest.mark.full
RUNNER = ROOT / "build" / "runner" / "bench" / "mallard-bench"


@pytest.fixture(scope="module")
def described():
    if not RUNNER.is_file():
        pytest.skip("the runner is not here: ./mallard test runner makes it")
    told = subprocess.run([RUNNER, "--describe"], capture_output=True, text=True, timeout=60, check=True)
    return json.loads(told.stdout)


def test_no_contender_of_the_runner_is_unknown(described):
    for experiment in described["experiments"].values():
        for each in experiment["strategies"]:
            if isinstance(each, dict) and "contender" in each:
                assert CONTENDERS[each["name"]].library == each["contender"]
    known = {contender.library for contender in CONTENDERS.values()}
    assert {each["name"] for each in described["missing"]} <= known


def test_the_runner_that_is_expected_is_the_one_that_is_built(described):
    """Otherwise a command is refused that the runner could run, or a runner built for one that it cannot.
    `python -m mallard.expected_runner` writes the expected description.
    """
    expected = comparable(EXPERIMENTS, lacking_in(described))
    assert list(expected) == list(described["experiments"])
    assert comparable(condensed(described)) == expected


def test_the_libraries_and_strategies_that_are_expected_are_those_of_the_runner(described):
    """Those that it was built without are among them."""
    assert {key: described[key] for key in REGISTRY} == {key: WHOLE[key] for key in REGISTRY}
