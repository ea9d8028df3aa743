"""Advice as SARIF 2.1.0, which editors and reviews of code show at the line that it concerns."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mallard.advisor.advice.patch import Patch
from mallard.advisor.advice.patterns import Pattern
from mallard.advisor.advice.study import Study
from mallard.advisor.advice.verdict import Verdict
from mallard.advisor.trial.program import KEPT, RESERVED
from mallard.shared.stats import Difference
from mallard.shared.version import version

ROOT = "%SRCROOT%"  # the current folder
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
# Rule -> what a finding of it proposes. Measured ones first; the others are the kinds of patterns.
RULES = {
    "local-allocator": "a local allocator in a function saves time, measured on the program",
    "other-malloc": "another malloc, or a setting of glibc's, saves time, measured on the program",
    "less-memory": "a change of the allocator needs less resident memory, measured on the program",
    "reserve": "a container grows step by step",
    "reuse": "a buffer is made anew in each call",
    "temporary": "of many blocks few are live at a time",
    "coroutine": "the frames of a coroutine are allocated",
    "move": "a container is copied",
    "single": "blocks of one size come and go alone",
    "owner": "one call frees what many have made",
    "pooled": "the program has a pool of its own",
    "shared": "shared pointers allocate twice",
    "call": "a call of malloc that neither allocates nor frees takes time, measured on the program",
}


def advice_sarif(study: Study, verdict: Verdict) -> str:
    results = [*_measured(verdict), *(_pattern(study, pattern) for pattern in study.patterns)]
    used = {result["ruleId"] for result in results}
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in RULES.items() if name in used]
    driver = {"name": "mallard advise", "version": version(), "rules": rules}
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {ROOT: {"uri": f"{Path.cwd().as_uri()}/"}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)


def _measured(verdict: Verdict) -> list[dict[str, Any]]:
    """The answer, if it saves time or memory."""
    figure = verdict.figures.figure
    if figure is None:
        return []
    of_line = "reserve" if figure.strategy in RESERVED else "reuse" if figure.strategy in KEPT else ""
    of_scope = of_line or "local-allocator"
    of_time = of_scope if figure.scope else "other-malloc"
    rule = "less-memory" if figure.unit == "bytes" else of_time
    saved = {f"saved_{figure.unit}": figure.saved, "at_least": figure.at_least, "at_most": figure.at_most}
    return [_result(rule, "warning", verdict.headline, figure.source, {"measured": True, **saved})]


def _pattern(study: Study, pattern: Pattern) -> dict[str, Any]:
    if pattern.call:
        text = f"{pattern.where}: {pattern.remedy}; its time is {pattern.reason}. Not tried."
        cost = {"measured": True, "cost_seconds": pattern.estimated_seconds or 0.0}
        return _result(pattern.kind, "note", text, pattern.source, cost)
    best = study.kept_effect(pattern)
    figures = {"measured": best is not None, "share_of_allocations": pattern.share}
    figures |= _saving(best.time) if best else {}
    tried = "A trial kept its blocks." if best else "Not tried."
    text = f"{pattern.where}: {pattern.remedy}; {pattern.reason}. {tried}"
    level = "warning" if best and best.saves else "note"
    result = _result(pattern.kind, level, text, pattern.source, figures)
    patch = study.patches.find(pattern)
    return result | {"fixes": [_fix(patch)]} if patch else result


def _fix(patch: Patch) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": {
                "startLine": edit.line,
                "startColumn": edit.column,
                "endLine": edit.end_line,
                "endColumn": edit.end_column,
            },
            "insertedContent": {"text": edit.text},
        }
        for edit in patch.edits
    ]
    change = {"artifactLocation": _location(patch.file), "replacements": replacements}
    return {"description": {"text": patch.statement}, "artifactChanges": [change]}


def _location(file: str) -> dict[str, str]:
    """Relative to the current folder if the file is there, as reviews of code need it; else absolute."""
    path = Path(os.path.normpath(file))
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return {"uri": path.as_uri()} if path.is_absolute() else {"uri": quote(str(path)), "uriBaseId": ROOT}


def _saving(time: Difference) -> dict[str, float]:
    return {"saved_seconds": -time.median, "at_least": -time.high, "at_most": -time.low}


def _result(rule: str, level: str, text: str, source: str, figures: dict[str, Any]) -> dict[str, Any]:
    """`source` is FILE:LINE, or a library without lines, which has no location."""
    file, _, line = source.rpartition(":")
    locations = []
    if file and line.isdecimal():
        place = {"artifactLocation": _location(file), "region": {"startLine": int(line)}}
        locations = [{"physicalLocation": place}]
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": locations,
        "properties": figures,
    }
