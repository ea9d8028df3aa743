"""The front door of this tree with the real program behind it."""

import subprocess

import pytest
from source_tree import ROOT

VERBS = ("bench", "choose", "claims", "peers", "report", "table", "export", "list", "test", "doctor")


def call(*words):
    return subprocess.run([ROOT / "mallard", *words], capture_output=True, text=True, timeout=300, cwd="/")


def test_an_unknown_verb_is_refused_with_those_allowed():
    failed = call("frobnicate")
    assert failed.returncode == 2
    assert failed.stdout == ""
    assert "frobnicate" in failed.stderr
    for verb in VERBS:
        assert verb in failed.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_examples(verb):
    done = call(verb, "--help")
    assert done.returncode == 0, done.stderr
    assert f"mallard {verb}" in done.stdout


def test_it_tells_its_version():
    done = call("--version")
    assert done.returncode == 0
    assert done.stdout.strip().split()[-1].count(".") == 2


def test_an_unknown_stage_of_the_tests_is_refused():
    failed = call("test", "nonsense")
    assert failed.returncode == 2
    assert "unknown stage 'nonsense': allowed are lint," in failed.stderr
