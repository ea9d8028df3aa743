"""The first stage: what the advisor says of the program before the change."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from harness import building
from harness.catalogue import UNCHANGED, Case, Input
from harness.places import ROOT, Json, commit, sha256, trial_code, without_paths
from mallard.cli.exit_status import FINDINGS
from mallard.shared import mallocs
from mallard.shared.stats import CONFIDENCE, Difference

STILL_SAVES = "still saves "


class AdviceError(Exception):
    """The advisor ended with an error."""


def advise(case: Case, case_input: Input, rounds: int | None) -> Json:
    """The advice on a cell, with the hashes of all that it rests on."""
    program = building.words(case, case_input)
    with tempfile.TemporaryDirectory(prefix="mallard-case-") as folder:
        trace = Path(folder) / "trace"
        ask(["record", "-o", str(trace), "--", *program])
        installed = [name for name in mallocs.NAMES if name == mallocs.OWN or mallocs.find_library(name)]
        options = [*command(rounds), "--global", ",".join(installed)]
        document = json.loads(ask([*options, "--trace", str(trace), "--", *program]))
        return {
            "command": f"mallard {' '.join(options)} -- {case.name}.{UNCHANGED} {' '.join(case_input.words)}",
            "commit": commit(),
            "trial_code": trial_code(),
            "recording_sha256": sha256(trace),
            **hashes(case, case_input),
            **without_paths(summary(document)),
        }


def command(rounds: int | None) -> list[str]:
    """`mallard advise` of a young process, whose plan decides the rounds if they are None."""
    return ["advise", "--json", "--age", "young", *(["--rounds", str(rounds)] if rounds else [])]


def hashes(case: Case, case_input: Input) -> Json:
    """Of the program and its input. Advice holds for these, and for no others."""
    file = building.input_file(case, case_input)
    return {
        "program_sha256": sha256(building.words(case, case_input)[0]),
        "input_sha256": sha256(file) if file else None,
    }


def doctor() -> list[Json]:
    """Of `mallard doctor`, what each check found."""
    findings: list[Json] = without_paths(json.loads(ask(["doctor", "--json"], findings=True))["findings"])
    return findings


def summary(document: Json) -> Json:
    """Of the output of `mallard advise --json`, what the score needs. Times in seconds; less than 0 is
    saved."""
    study = document["study"]
    baseline = _first_baseline(study)
    ceiling = study["ceiling"]
    program_seconds = baseline["trial"]["program_seconds"] if baseline else ceiling["cpu_seconds"]
    effects = [] if baseline is None else baseline["trial"]["effects"]
    return {
        "kind": document["kind"],
        "answer": document["answer"],
        "headline": document["headline"],
        "facts": document["facts"],
        "scope": study["chosen"]["name"] if study["chosen"] else None,
        "program_seconds": program_seconds,
        "ceiling": {name: ceiling[name] for name in ("seconds", "low", "high", "cpu_seconds")},
        "wall": bool(baseline and baseline["trial"]["wall"]),
        "strategies": dict(_strategies(effects, set(baseline["differing"]) if baseline else set())),
        "mallocs": {effect["malloc"]: _interval(effect["time"]) for effect in study["globals"]["effects"]},
        "then": document["then"] and _interval(document["then"]["time"]),
    }


def advised(advice: Json) -> tuple[str, str]:
    """(local, STRATEGY), (global, MALLOC), (pattern, KIND), or the kind of another advice, and ''."""
    answer = advice["answer"]
    word = {"local": "strategy", "global": "malloc", "pattern": "pattern"}.get(answer["kind"])
    return answer["kind"], (answer[word] or "") if word else ""


def second_half(advice: Json) -> str:
    """The strategy that still saves time under the advised malloc, or ''."""
    answer = advice["answer"]
    return (answer["strategy"] or "") if answer["kind"] == "global" else ""


def second_promise(advice: Json) -> Difference:
    """The saving of the second half on top of the advised malloc."""
    if then := advice.get("then"):
        return Difference(then["median"], then["low"], then["high"], 0)
    return _second_promise_in_words(advice)


def _second_promise_in_words(advice: Json) -> Difference:
    """Of advice without the field, from its sentence: `... still saves 15.2 ms (9 to 20.8 ms)`"""
    label = f"{mallocs.title(advice['answer']['malloc'])} instead of "
    texts = [fact["text"] for fact in advice["facts"] if fact["label"].startswith(("then", label))]
    figures = next((text.rpartition(STILL_SAVES)[2] for text in texts if STILL_SAVES in text), None)
    if figures is None:
        raise AdviceError(f"the advice has a second half, but no fact with its saving: {texts}")
    middle, unit, low, _to, high, interval_unit = figures.replace("(", "").replace(")", "").split()
    seconds = {"ms": 1e-3, "s": 1.0}
    scale = seconds[interval_unit]
    return Difference(-float(middle) * seconds[unit], -float(high) * scale, -float(low) * scale, 0)


def _first_baseline(study: Json) -> Json | None:
    baselines = study["trial"]["baselines"] if study["trial"] else []
    return baselines[0] if baselines else None


def _strategies(effects: list[Json], differing: set[str]) -> Iterable[tuple[str, Json]]:
    for effect in effects:
        if effect["counts"]["served"] and effect["strategy"] not in differing:
            yield effect["strategy"], _interval(effect["time"])


def _interval(time: Json) -> Json:
    """At 95 %, as the facts are; after further rounds, the answer's own interval is wider."""
    difference = Difference(**time).at(CONFIDENCE)
    return {"median": difference.median, "low": difference.low, "high": difference.high}


def ask(arguments: list[str], *, findings: bool = False) -> str:
    """`findings`: status 1 is an answer. By this interpreter if it has what the program needs, or else by the
    front door, which sets it up.
    """
    own = importlib.util.find_spec("rich") is not None
    command = [sys.executable, "-m", "mallard"] if own else [str(ROOT / "mallard")]
    done = subprocess.run(
        [*command, *arguments],
        cwd=ROOT / "python" if own else ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and not (findings and done.returncode == FINDINGS):
        raise AdviceError(f"mallard {arguments[0]} failed: {done.stderr.strip()[-400:]}")
    return done.stdout
