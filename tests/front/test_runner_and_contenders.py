"""The real runner and the Python program know the same contenders, in the same experiments."""

import json
import subprocess

import pytest
from source_tree import ROOT

from mallard.contenders import BEHIND, CONTENDERS

RUNNER = ROOT / "build" / "release" / "bench" / "mallard-bench"


@pytest.fixture(scope="module")
def described():
    if not RUNNER.is_file():
        pytest.skip("the release build is not here: ./mallard test release makes it")
    told = subprocess.run([RUNNER, "--describe"], capture_output=True, text=True, timeout=60, check=True)
    return json.loads(told.stdout)


def names_in(experiment):
    return {each if isinstance(each, str) else each["name"] for each in experiment["strategies"]}


def test_contenders_take_part_where_the_table_says(described):
    missing = {each["name"] for each in described["missing"]}
    for name, experiment in described["experiments"].items():
        here = names_in(experiment) & set(CONTENDERS)
        built = {
            each
            for each, contender in CONTENDERS.items()
            if not {contender.library, BEHIND.get(each)} & missing
        }
        assert here == {each for each in built if name in CONTENDERS[each].experiments}, name


def test_no_contender_of_the_runner_is_unknown(described):
    for experiment in described["experiments"].values():
        for each in experiment["strategies"]:
            if isinstance(each, dict) and "contender" in each:
                assert CONTENDERS[each["name"]].library == each["contender"]
    known = {contender.library for contender in CONTENDERS.values()}
    assert {each["name"] for each in described["missing"]} <= known
