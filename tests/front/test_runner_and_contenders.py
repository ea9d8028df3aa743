"""The real runner and the Python program know the same contenders, in the same experiments."""

import json
import subprocess

import pytest
from source_tree import ROOT

from mallard.contenders import BEHIND, CONTENDERS
from mallard.expected_runner import expected_runner

RUNNER = ROOT / "build" / "runner" / "bench" / "mallard-bench"


@pytest.fixture(scope="module")
def described():
    if not RUNNER.is_file():
        pytest.skip("the runner is not here: ./mallard test runner makes it")
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


def test_the_runner_that_is_expected_is_the_one_that_is_built(described):
    """Or else a command is refused that the runner could do, or built for that it cannot."""
    expected, experiments = expected_runner(), described["experiments"]
    missing = {each["name"] for each in described["missing"]}
    assert set(expected.experiments) == set(experiments)
    assert [(each.name, each.type, each.inner_log2) for each in expected.structures] == [
        (each["name"], each["type"], each["inner_log2"]) for each in experiments["density"]["structures"]
    ]
    assert list(expected.sizes_log2) == experiments["density"]["sizes_log2"]
    assert expected.operations == {
        each["name"]: each["text"] for each in experiments["primitives"]["operations"]
    }
    for name, its in expected.experiments.items():
        real = experiments[name]
        names = {each.name for each in its.strategies}
        library = {each: CONTENDERS[each].library for each in names & set(CONTENDERS)}
        absent = {each for each in names if missing & {each, BEHIND.get(each), library.get(each)}}
        assert names - absent == names_in(real), name
        pairs = {key: tuple(value) for key, value in real.items() if is_limit(value)}
        assert its.limits == pairs, name
        works = {each["name"]: tuple(each.get("versions", ())) for each in real.get("works", ())}
        assert {work.name: work.versions for work in its.works} == works


def is_limit(value):
    return isinstance(value, list) and len(value) == 2 and all(isinstance(end, int) for end in value)
