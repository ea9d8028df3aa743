"""The real runner and the Python program know the same contenders, in the same experiments."""

import json
import re
import shlex
import subprocess

import pytest
from advisor_programs import LONGEST
from source_tree import ROOT

from mallard.bench.contenders import CONTENDERS
from mallard.bench.described import DESCRIPTION, EXPERIMENTS, REGISTRY
from mallard.bench.expected_runner import condense, missing_strategies, normalize

# The runner is built by a stage of --full.
pytestmark = pytest.mark.full
RUNNER = ROOT / "build" / "runner" / "bench" / "mallard-bench"


@pytest.fixture(scope="module")
def described():
    if not RUNNER.is_file():
        pytest.skip("the runner is not here: ./mallard test runner makes it")
    result = subprocess.run([RUNNER, "--describe"], capture_output=True, text=True, timeout=60, check=True)
    return json.loads(result.stdout)


def test_no_contender_of_the_runner_is_unknown(described):
    for experiment in described["experiments"].values():
        for strategy in experiment["strategies"]:
            if isinstance(strategy, dict) and "contender" in strategy:
                assert CONTENDERS[strategy["name"]].library == strategy["contender"]
    known = {contender.library for contender in CONTENDERS.values()}
    assert {part["name"] for part in described["missing"]} <= known


def test_expected_runner_matches_built_runner(described):
    """Otherwise a command is refused that the runner could run, or a runner built for one that it cannot.
    `python -m mallard.bench.expected_runner` writes the expected description.
    """
    expected = normalize(EXPERIMENTS, missing_strategies(described))
    assert list(expected) == list(described["experiments"])
    assert normalize(condense(described)) == expected


def test_described_registry_matches_runner(described):
    """Those that it was built without are among them."""
    assert {key: described[key] for key in REGISTRY} == {key: DESCRIPTION[key] for key in REGISTRY}


def test_runner_accepts_the_documented_command(described):
    """The second command of bench/README.md, after the build that the fixture needs."""
    page = (ROOT / "bench/README.md").read_text(encoding="utf-8")
    (words,) = re.findall(r"^    build/release/bench/mallard-bench (.+)$", page, re.MULTILINE)
    command = [RUNNER, *shlex.split(words), "--allow-unoptimised"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    assert result.returncode == 0, result.stderr
    row = json.loads(result.stdout)
    assert (row["experiment"], row["strategy"]) == ("density", "multipool")
    assert row["status"] == "ok"
