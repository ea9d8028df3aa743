"""Plans a run: the measurements, and the reasons for omissions. Plans follow from the experiment's
description (`axes`). Some need specific code, in the module that the description names.

    Request x Runner x Host -> make_plan -> Plan

`OPTIONS[experiment]` are its options besides the common ones. `NUMBERS[experiment]` are numbers that may
follow its name in place of options.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from mallard.bench import described
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.plan import axes, notation
from mallard.bench.plan.assembly import (
    Plan,
    PlannedRow,
    selected_compilers,
    selected_mallocs,
    selected_pages,
    with_contenders,
)
from mallard.bench.plan.request import (
    MEMORY_SHARE,
    REPETITIONS,
    SCALES,
    SURVEY,
    Host,
    Option,
    Options,
    Request,
)
from mallard.bench.prefixes import BY_PREFIX, contenders_of, selected_prefixes
from mallard.bench.runner import Runner
from mallard.shared.errors import UsageError
from mallard.shared.prose import in_prose

__all__ = [
    "MEMORY_SHARE",
    "NUMBERS",
    "OPTIONS",
    "REPETITIONS",
    "SCALES",
    "SURVEY",
    "Host",
    "Option",
    "Plan",
    "PlannedRow",
    "Request",
    "check_request",
    "make_plan",
    "selected_compilers",
    "selected_mallocs",
    "selected_prefixes",
]

OPTIONS: dict[str, tuple[Option, ...]] = {
    name: tuple(Option(axis.flag, axis.metavar, axis.help_text) for axis in experiment.axes if axis.takes)
    for name, experiment in EXPERIMENTS.items()
}
NUMBERS: dict[str, tuple[tuple[str, str], ...]] = {"locality": notation.NUMBERS}


def make_plan(request: Request, runner: Runner, host: Host, continued: Options | None = None) -> Plan:
    """Returns the plan. `continued` are the stored options of an interrupted run; None for a new run."""
    check_request(request)
    request, missing = with_contenders(request, runner)
    experiment = EXPERIMENTS[request.experiment]
    plan: Plan = (
        import_module(f"{__name__}.{experiment.plan}").plan(request, runner, host, continued or {})
        if experiment.plan
        else axes.plan(experiment, request, runner, host)
    )
    return replace(plan, messages=(*plan.messages, *missing))


def check_request(request: Request) -> None:
    """Refuses requests that no runner could serve: an option of another experiment, an unknown compiler,
    malloc or size of pages.
    """
    own = {option.name for option in OPTIONS[request.experiment]}
    for name in request.options:
        if name not in own:
            others = [
                experiment
                for experiment, options in OPTIONS.items()
                if name in {option.name for option in options}
            ]
            raise UsageError(
                f"{request.experiment} has no option --{name}; it is an option of {in_prose(others)}; "
                f"leave it out, or run 'mallard bench {others[0]}'"
            )
    if request.notation and request.experiment not in NUMBERS:
        raise UsageError(
            f"unexpected '{' '.join(request.notation)}' after {request.experiment}; numbers after the "
            "experiment are P0089's notation for a run of locality: mallard bench locality -20 18 32 -3 8"
        )
    if selected_compilers(request) and selected_prefixes(request.prefixes):
        raise UsageError(
            f"--with {request.prefixes}: --compiler takes runners without libraries by prefix; leave one of "
            "the two out"
        )
    selected_mallocs(request)
    selected_pages(request)
    for word in selected_prefixes(request.prefixes):
        if not contenders_of([word]) & set(described.names_in(request.experiment)):
            having = [name for name in EXPERIMENTS if contenders_of([word]) & set(described.names_in(name))]
            raise UsageError(
                f"--with {request.prefixes}: {request.experiment} has no strategy of {BY_PREFIX[word].name}; "
                f"leave it out, or run one of {', '.join(having)}"
            )
