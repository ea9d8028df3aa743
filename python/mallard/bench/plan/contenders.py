"""Contenders in a request: the words that select them, and missing contenders. mallard's own
strategies may also be missing, if they need a library's containers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mallard.bench import described
from mallard.bench.contenders import CONTAINER_LIBRARIES, CONTENDERS, GROUPS
from mallard.bench.plan.request import Request
from mallard.bench.runner import Missing, Runner
from mallard.bench.strategy_names import current
from mallard.shared.errors import UsageError


def with_contenders(request: Request, runner: Runner) -> tuple[Request, list[str]]:
    """The request, with words for groups replaced by the experiment's names and without missing strategies.
    Adds a message for each package that would add strategies.
    """
    offered, absent = runner.strategy_names(request.experiment), _absent(request.experiment, runner)
    requested = {
        name for name in absent if (request.contenders if name in CONTENDERS else request.strategies is None)
    }
    if request.strategies is not None:
        kept: list[str] = []
        for item in request.strategies.split(","):
            word = current(item.strip().lower())
            names = GROUPS.get(word, (word,))
            available = [name for name in names if name in CONTENDERS and name in offered]
            missing = absent.keys() & names
            requested |= missing
            if available or not missing:
                kept.append(",".join(available) or item)
        if not kept:
            reasons = "; ".join(_messages(requested, absent))
            raise UsageError(f"--strategy {request.strategies}: none of these is available: {reasons}")
        request = replace(request, strategies=",".join(kept))
    return request, _messages(requested, absent)


def _absent(experiment: str, runner: Runner) -> dict[str, Missing]:
    """The strategies of an experiment that the runner lacks. A missing library implies all of its strategies,
    and strategies that use its containers.
    """
    contenders = (
        (name, contender.library)
        for name, contender in CONTENDERS.items()
        if experiment in contender.experiments
    )
    needed = (*contenders, *CONTAINER_LIBRARIES.items())
    known = described.names_in(experiment)
    return {
        name: missing
        for missing in runner.missing
        for name, library in needed
        if missing.name in (name, library) and name in known and name not in runner.strategy_names(experiment)
    }


def _messages(requested: Iterable[str], absent: Mapping[str, Missing]) -> list[str]:
    named: dict[tuple[str, str], list[str]] = {}
    for name in sorted(requested, key=[*CONTAINER_LIBRARIES, *CONTENDERS].index):
        named.setdefault((absent[name].package, absent[name].why), []).append(name)
    return [
        f"{', '.join(names)} left out: {reason}; 'apt-get install {package}', then './mallard bench density' "
        f"builds {'them' if len(names) > 1 else 'it'} in"
        for (package, reason), names in named.items()
    ]
