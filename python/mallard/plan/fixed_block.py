"""The works of Optimized C++, chapter 13, each with the strategies that serve it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mallard.errors import UsageError
from mallard.plan.assembly import assemble, chosen_strategies
from mallard.plan.planned import Plan, PlannedRow
from mallard.plan.request import PAPER, QUICK, STANDARD, Host, Options, Request
from mallard.result import Parameters
from mallard.runner import Runner, Work
from mallard.selection import select_count


@dataclass(frozen=True)
class Scale:
    repetitions: int  # a cell takes a few hundredths of a second
    time_limit: float


SCALES = {QUICK: Scale(5, 20), STANDARD: Scale(9, 60), PAPER: Scale(15, 600)}


def plan(request: Request, runner: Runner, host: Host, continued: Options) -> Plan:
    scale, name = SCALES[request.scale], request.experiment
    strategies, messages = chosen_strategies(request, runner.names_of(name))
    works = _works(request, runner)
    versions = _versions(request, works)
    count = _count(request, runner)
    rows = [
        PlannedRow(name, parameters, able, request.repetitions or scale.repetitions)
        for work in works
        if (able := tuple(each for each in strategies if each in work.strategies))
        for parameters in _parameters(work, versions, count)
    ]
    return assemble(
        request,
        host,
        rows,
        time_limit=scale.time_limit,
        options={"works": [work.name for work in works], "versions": versions, "strategies": strategies},
        messages=messages,
    )


def _works(request: Request, runner: Runner) -> list[Work]:
    there = runner.works_of(request.experiment)
    chosen = request.several("work", [work.name for work in there])
    return [work for work in there if work.name in chosen]


def _versions(request: Request, works: Sequence[Work]) -> list[str]:
    there = [version for work in works for version in work.versions]
    if "version" in request.given and not there:
        raise UsageError(
            f"--version {request.given['version']}: {', '.join(work.name for work in works)} has no "
            "versions; leave it out, or say --work remove-ctrl as well"
        )
    return request.several("version", there)


def _count(request: Request, runner: Runner) -> int | None:
    """The count; None if the runner chooses."""
    text = request.given.get("count")
    if text is None:
        return None
    return select_count(text, "--count", *runner.limit(request.experiment, "count"))


def _parameters(work: Work, versions: Sequence[str], count: int | None) -> list[Parameters]:
    counted: Parameters = {} if count is None else {"count": count}
    if not work.versions:
        return [{"work": work.name, **counted}]
    return [
        {"work": work.name, "version": version, **counted} for version in work.versions if version in versions
    ]
