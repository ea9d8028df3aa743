"""Advice as SARIF 2.1.0, which editors and reviews of code show at the line that it concerns."""

from __future__ import annotations

import json
from typing import Any

from mallard.advisor.advice.study import Study
from mallard.advisor.advice.verdict import Verdict
from mallard.shared.stats import Difference
from mallard.shared.version import version

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
# Rule -> what a finding of it proposes. Measured ones first; the others are the kinds of patterns.
RULES = {
    "local-allocator": "a local allocator in a function saves time, measured on the program",
    "other-malloc": "another malloc, or a setting of glibc's, saves time, measured on the program",
    "reserve": "a container grows step by step",
    "reuse": "a buffer is made anew in each call",
    "move": "a container is copied",
    "single": "blocks of one size come and go alone",
    "owner": "one call frees what many have made",
    "pooled": "the program has a pool of its own",
    "shared": "shared pointers allocate twice",
}
MEASURED = {"local": "local-allocator", "global": "other-malloc"}


def advice_sarif(study: Study, verdict: Verdict) -> str:
    results = [
        *_measured(study, verdict),
        *(_estimated(study, place) for place in range(len(study.patterns))),
    ]
    used = {result["ruleId"] for result in results}
    rules = [
        {"id": name, "shortDescription": {"text": RULES.get(name, name)}} for name in RULES if name in used
    ]
    driver = {"name": "mallard advise", "version": version(), "rules": rules}
    run = {"tool": {"driver": driver}, "results": results}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)


def _measured(study: Study, verdict: Verdict) -> list[dict[str, Any]]:
    """The answer, if it saves time."""
    rule = MEASURED.get(verdict.kind)
    if rule is None or verdict.answer.age is not None:
        return []
    is_local = verdict.kind == "local"
    effect = study.best if is_local else study.globals.best
    assert effect
    source = study.chosen.source if is_local and study.chosen else ""
    figures = {"measured": True, **_saving(effect.time)}
    return [_result(rule, "warning", verdict.headline, source, figures)]


def _estimated(study: Study, place: int) -> dict[str, Any]:
    pattern = study.patterns[place]
    figures = {"measured": False, "share_of_allocations": pattern.share}
    text = f"{pattern.where}: {pattern.remedy}; {pattern.reason}. Not tried."
    return _result(pattern.kind, "note", text, pattern.source, figures)


def _saving(time: Difference) -> dict[str, float]:
    return {"saved_seconds": -time.median, "at_least": -time.high, "at_most": -time.low}


def _result(rule: str, level: str, text: str, source: str, figures: dict[str, Any]) -> dict[str, Any]:
    """`source` is FILE:LINE, or a library without lines, which has no location."""
    file, _, line = source.rpartition(":")
    place = (
        {"artifactLocation": {"uri": file}, "region": {"startLine": int(line)}} if line.isdecimal() else {}
    )
    locations = [{"physicalLocation": place}] if place and file else []
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": locations,
        "properties": figures,
    }
