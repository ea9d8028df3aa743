"""The code of a scope, and of functions in it whose blocks stay global."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_profile import document

from mallard.advisor.trial import scope_code
from mallard.advisor.trial.campaign import Campaign, run_campaign
from mallard.advisor.trial.program import EXCEPT, Arm, Counts, Detector, Program, RunResult, Scope
from mallard.advisor.trial.scope_code import (
    BY_STACK,
    CODE,
    DETECTOR,
    RULES,
    exclude_code,
    exclude_functions,
    learn_rules,
    locate_scope,
)
from mallard.shared.age import young_only
from mallard.shared.errors import UsageError

TRACE = Path("a.trace")
TREE = {"rows": 4, "allocations": 1000, "undecided": 5, "further_levels": 1500}
HANDLE = Scope("handle", (BY_STACK, (CODE, ":1f")))
MARK = Scope("request", (("MALLARD_TRIAL_BY", "mark"), ("MALLARD_TRIAL_MARK", "request")))
INSTRUMENTED = Scope("handle(int)", (("MALLARD_TRIAL_BY", "functions"), (CODE, ":1f")))


@pytest.fixture(autouse=True)
def profile(monkeypatch):
    """Knows three functions by their short names, and a marker."""
    functions = {"handle": [0x1F], "keep": [0x2F, 0x30], "log": [0x3F]}

    def ask(words):
        if "--rules" in words:
            return json.dumps(TREE | {"rules": " ".join(words[words.index("--rules") :])})
        name = words[words.index("--scope") + 1]
        if name == "request":
            return json.dumps({"scope": {"kind": "marker", "row": {"kind": "marker", "name": name}}})
        code = [{"file": "lib.so", "instructions": functions[name]}]
        scope = {"kind": "function", "row": {"function": 0}, "code": code}
        return json.dumps({"functions": [{"short_name": name}], "scope": scope})

    monkeypatch.setattr(scope_code, "ask", ask)


def test_locates_a_function_by_its_code():
    assert locate_scope(TRACE, "keep") == Scope("keep", (BY_STACK, (CODE, "lib.so:2f,30")))


@pytest.fixture
def lines(monkeypatch):
    """Two calls of a line that allocate, and one of another line in a file without a name."""
    site = document()["sites"][0]
    places = [{"function": 0, "file": "/src/a/x.cpp", "line": line, "inlined": False} for line in (40, 41)]
    sites = [
        site | {"place": 0, "file": "", "instruction": 0x1F},
        site | {"place": 0, "file": "lib.so", "instruction": 0x2F},
        site | {"place": 1},
    ]
    asked = json.dumps(document(places=places, sites=sites, stacks=[]))
    monkeypatch.setattr(scope_code, "ask", lambda words: asked if "--all" in words else "")


@pytest.mark.usefixtures("lines")
@pytest.mark.parametrize("line", ["x.cpp:40", "a/x.cpp:40", "/src/a/x.cpp:40"])
def test_locates_a_line_by_its_calls(line):
    assert locate_scope(TRACE, line) == Scope("x.cpp:40", (BY_STACK, (CODE, ":1f-20;lib.so:2f-30")))


@pytest.mark.usefixtures("lines")
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("y.cpp:40", "no call at y.cpp:40 allocates, in the recording"),
        ("other_x.cpp:40", "no call at other_x.cpp:40 allocates"),
        ("x.cpp:41", "the code of x.cpp:41 is in no file"),
    ],
)
def test_refuses_lines_without_calls(line, message):
    with pytest.raises(UsageError, match=message):
        locate_scope(TRACE, line)


def test_excludes_functions_from_a_scope():
    reduced = exclude_functions(TRACE, HANDLE, ["keep", "log"])
    assert reduced.name == "handle without keep and log"
    assert dict(reduced.variables) == {**dict(HANDLE.variables), EXCEPT: "lib.so:2f,30;lib.so:3f"}
    assert exclude_functions(TRACE, HANDLE, []) is HANDLE


def test_rejects_excluding_a_marker():
    with pytest.raises(UsageError, match="--without request is a marker; give a function"):
        exclude_functions(TRACE, HANDLE, ["request"])


@pytest.mark.parametrize("scope", [MARK, INSTRUMENTED])
def test_rejects_exclusion_unless_found_by_stack(scope):
    with pytest.raises(UsageError, match="--without needs a scope that is found by its stack"):
        exclude_functions(TRACE, scope, ["keep"])
    assert exclude_code(scope, [":1-2"], "keep") is None


def test_empty_code_excludes_nothing():
    assert exclude_code(HANDLE, [], "") is None


@pytest.mark.parametrize("seen", [0, 1])
def test_rejects_excluding_code_that_never_runs(seen):
    class Fake(Program):
        def run(self, arm: Arm, scope: Scope) -> RunResult:
            null = Counts(in_null=900, servers=1, seen_excepted=seen)
            counts = {None: None, "null": null}.get(arm.strategy, Counts(served=900, servers=1))
            return RunResult(0.1, 0.1, 1 << 20, 9, 0, "same", counts)

    def trial():
        reduced = exclude_functions(TRACE, HANDLE, ["keep"])
        campaign = Campaign(("monotonic",), ("glibc",), young_only(), 3, 1)
        return run_campaign(Fake(["fake"], Path("x")), reduced, campaign, lambda done, of: None)

    if seen:
        assert trial().scope.name == "handle without keep"
    else:
        with pytest.raises(UsageError, match="handle without keep leaves out nothing"):
            trial()


def test_learns_rules_of_a_scope():
    learnt = learn_rules(TRACE, HANDLE)
    assert dict(learnt.variables)[RULES] == "--rules :1f"
    assert learnt.detector == Detector("rules", 4, 1.5, 0.005)
    assert learn_rules(TRACE, learnt) is learnt
    reduced = exclude_functions(TRACE, learnt, ["log"])
    assert dict(reduced.variables).keys() == {"MALLARD_TRIAL_BY", CODE, EXCEPT}
    assert dict(learn_rules(TRACE, reduced).variables)[RULES] == "--rules :1f --except lib.so:3f"
    assert learn_rules(TRACE, MARK) is MARK
    assert learn_rules(TRACE, INSTRUMENTED) is INSTRUMENTED


@pytest.mark.parametrize("change", [{"further_levels": 4001}, {"rows": 0, "further_levels": 0}])
def test_keeps_the_stack_if_rules_are_costly(monkeypatch, change):
    monkeypatch.setattr(scope_code, "ask", lambda _: json.dumps(TREE | {"rules": ":1.1+"} | change))
    learnt = learn_rules(TRACE, HANDLE)
    assert learnt.detector.method == "stack"
    assert "do not tell cheaply" in learnt.detector.reason
    assert RULES not in dict(learnt.variables)


def refuse_to_ask(words):
    raise AssertionError(words)


def keeps_stack(reason):
    return replace(HANDLE, detector=Detector("stack", reason=reason))


def test_an_earlier_recording_gives_no_rules(monkeypatch):
    monkeypatch.setattr(scope_code, "ask", refuse_to_ask)
    assert learn_rules(TRACE, HANDLE, is_of_this_call=False) == keeps_stack(scope_code.OTHER_STACKS)


def test_rejects_code_in_a_path_with_semicolon(monkeypatch):
    code = [{"file": "/opt/a;b/lib.so", "instructions": [0x1F]}]
    scope = {"kind": "function", "row": {"function": 0}, "code": code}
    document = json.dumps({"functions": [{"short_name": "handle"}], "scope": scope})
    monkeypatch.setattr(scope_code, "ask", lambda _: document)
    with pytest.raises(UsageError, match=r"a part of handle is in '/opt/a;b/lib.so', and a trial finds"):
        locate_scope(TRACE, "handle")


def test_environment_selects_the_detector(monkeypatch):
    monkeypatch.setenv(DETECTOR, "rules")
    assert RULES in dict(learn_rules(TRACE, HANDLE, is_of_this_call=False).variables)
    monkeypatch.setattr(scope_code, "ask", refuse_to_ask)
    monkeypatch.setenv(DETECTOR, "stack")
    assert learn_rules(TRACE, HANDLE) == keeps_stack("MALLARD_DETECTOR=stack selects that")
    monkeypatch.setenv(DETECTOR, "tree")
    with pytest.raises(UsageError, match="MALLARD_DETECTOR=tree is not a detector; give rules or stack"):
        learn_rules(TRACE, HANDLE)


def test_locates_an_inlined_function_by_its_ranges(monkeypatch):
    """The function around an instruction of a range is its caller."""
    code = [{"file": "", "instructions": [0x1F, 0x42, 0x50], "ranges": [[0x40, 0x48], [0x60, 0x70]]}]
    scope = {"kind": "function", "row": {"function": 0}, "code": code}
    document = {"functions": [{"short_name": "handle"}], "scope": scope}
    monkeypatch.setattr(scope_code, "ask", lambda words: json.dumps(document))
    assert dict(locate_scope(TRACE, "handle").variables)[CODE] == ":40-48,60-70,1f,50"


def test_rejects_more_ranges_than_a_trial_finds(monkeypatch):
    ranges = [[begin, begin + 1] for begin in range(1025)]
    scope = {"kind": "function", "row": {"function": 0}}
    document = {"functions": [{"short_name": "handle"}], "scope": scope}
    monkeypatch.setattr(scope_code, "ask", lambda words: json.dumps(document))
    scope["code"] = [{"file": "", "instructions": [0], "ranges": ranges[1:]}]
    assert locate_scope(TRACE, "handle").name == "handle"
    scope["code"] = [{"file": "", "instructions": [0], "ranges": ranges}]
    with pytest.raises(UsageError, match="handle is inlined at 1025 ranges of code"):
        locate_scope(TRACE, "handle")
