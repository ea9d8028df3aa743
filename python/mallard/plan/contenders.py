"""Contenders in a request: the words that select them, and those that are missing here. mallard's own
strategies may be missing, too, if they need a library's containers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mallard import described
from mallard.contenders import BEHIND, CONTENDERS, GROUPS
from mallard.errors import UsageError
from mallard.plan.request import Request
from mallard.runner import Missing, Runner
from mallard.strategy_names import current


def with_contenders(request: Request, runner: Runner) -> tuple[Request, list[str]]:
    """The request, with words for groups replaced by the experiment's names and without missing strategies.
    There is a message for each package that would add some.
    """
    offered, absent = runner.names_of(request.experiment), _absent(request.experiment, runner)
    asked = {
        name for name in absent if (request.contenders if name in CONTENDERS else request.strategies is None)
    }
    if request.strategies is not None:
        kept: list[str] = []
        for item in request.strategies.split(","):
            word = current(item.strip().lower())
            names = GROUPS.get(word, (word,))
            here = [name for name in names if name in CONTENDERS and name in offered]
            gone = absent.keys() & names
            asked |= gone
            if here or not gone:
                kept.append(",".join(here) or item)
        if not kept:
            why = "; ".join(_messages(asked, absent))
            raise UsageError(f"--strategy {request.strategies}: none of these is here: {why}")
        request = replace(request, strategies=",".join(kept))
    return request, _messages(asked, absent)


def _absent(experiment: str, runner: Runner) -> dict[str, Missing]:
    """The strategies of an experiment that the runner lacks. A library stands for all of its own, and for
    strategies behind its containers.
    """
    contenders = ((name, each.library) for name, each in CONTENDERS.items() if experiment in each.experiments)
    needed = (*contenders, *BEHIND.items())
    known = described.names_in(experiment)
    return {
        name: missing
        for missing in runner.missing
        for name, library in needed
        if missing.name in (name, library) and name in known and name not in runner.names_of(experiment)
    }


def _messages(asked: Iterable[str], absent: Mapping[str, Missing]) -> list[str]:
    named: dict[tuple[str, str], list[str]] = {}
    for name in sorted(asked, key=[*BEHIND, *CONTENDERS].index):
        named.setdefault((absent[name].package, absent[name].why), []).append(name)
    return [
        f"{', '.join(names)} left out: {why}; 'apt-get install {package}', then './mallard bench density' "
        f"builds {'them' if len(names) > 1 else 'it'} in"
        for (package, why), names in named.items()
    ]
