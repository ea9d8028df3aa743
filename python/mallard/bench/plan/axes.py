"""The plan of an experiment whose description has its axes and grids.

scale's grids -> changed by options -> rows: every combination of a grid's values, or those of a printed table
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from mallard.bench.contenders import serves
from mallard.bench.experiments.description.axis import COUNT, FOLLOWS, THREADS, WORD
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.scale import STRATEGIES, Rule, Scale
from mallard.bench.plan.assembly import assemble, chosen_strategies, merge_rows, of_grid
from mallard.bench.plan.grids import Grid, named_values, option_flag, requested_grids
from mallard.bench.plan.planned import Plan, PlannedRow
from mallard.bench.plan.request import Host, Options, Request
from mallard.bench.result import Parameters
from mallard.bench.runner import Runner
from mallard.shared.errors import UsageError

Change = Callable[[list[PlannedRow], Options], tuple[list[PlannedRow], Options, list[str]]]


def plan(
    experiment: Experiment, request: Request, runner: Runner, host: Host, change: Change | None = None
) -> Plan:
    """The plan. `change` makes the final rows and options of it, with messages."""
    scale, name = experiment.scales[request.scale], experiment.name
    available = runner.strategy_names(name)
    defaults = available if scale.variants else runner.default_names(name)
    strategies, messages = chosen_strategies(request, available, defaults, with_base=experiment.with_base)
    named = named_values(experiment, request, runner)
    grids = requested_grids(experiment, request, named)
    rows = [
        PlannedRow(
            name, parameters, capable, request.repetitions or _repetitions(experiment, scale, parameters)
        )
        for grid in grids
        for wanted in [of_grid(request, strategies, _strategies(grid))]
        for parameters in _rows(experiment, grid, named)
        if not scale.within_cores or THREADS in named or parameters[THREADS] <= host.cores
        if (capable := tuple(strategy for strategy in wanted if _is_able(experiment, strategy, parameters)))
    ]
    most = max((row.parameters[THREADS] for row in rows), default=1) if experiment.threads else 1
    if most > host.cores:
        messages.append(f"up to {most} threads share {host.cores} cores")
    rows, options = merge_rows(rows, available), {**_options(experiment, rows), "strategies": strategies}
    if change:
        rows, options, more = change(rows, options)
        messages += more
    return assemble(
        request,
        host,
        rows,
        time_limit=scale.time_limit,
        options=options,
        messages=messages,
        pin=not experiment.threads,
    )


def _strategies(grid: Grid) -> list[str] | None:
    """The grid's own strategies; None if it has none."""
    return [str(name) for name in grid[STRATEGIES]] if STRATEGIES in grid else None


def _rows(experiment: Experiment, grid: Grid, named: Grid) -> Iterator[Parameters]:
    """The combinations of the grid's values, or only the printed ones. The first axis changes fastest."""
    printed = experiment.printed
    if printed and all(name in named for name in printed.axes):
        printed = None
    axes = {name: values for name, values in grid.items() if name != STRATEGIES}
    for values in product(*reversed(axes.values())):
        of_row = dict(zip(axes, reversed(values), strict=True))
        if printed and tuple(of_row[name] for name in printed.axes) not in printed.rows:
            continue
        parameters = {axis.name: of_row[axis.name] for axis in experiment.axes if axis.name in of_row}
        for rule in experiment.rules:
            _check(experiment, rule, parameters)
        yield parameters


def _check(experiment: Experiment, rule: Rule, parameters: Parameters) -> None:
    if rule.first not in parameters or rule.second not in parameters:
        return
    first, second = int(parameters[rule.first]), int(parameters[rule.second])
    first_flag, second_flag = (option_flag(experiment, name) for name in (rule.first, rule.second))
    both = f"{first_flag} {first} with {second_flag} {second}"
    if rule.message and first > second:
        raise UsageError(f"{both}: {rule.message.format(first=first, second=second)}")
    if rule.divides and second % first:
        raise UsageError(
            f"{both}: {rule.why}, so allowed are divisors of {second_flag}; choose another {first_flag}, or "
            f"{second_flag} {second - second % first or first}"
        )
    if not rule.divides and first > second:
        raise UsageError(
            f"{first_flag} {first} is more than {second_flag} {second}: {rule.why}; allowed is {first_flag} "
            f"up to {second}"
        )


def _repetitions(experiment: Experiment, scale: Scale, parameters: Parameters) -> int:
    short = experiment.short
    return short.repetitions if short and parameters[short.axis] <= short.most else scale.repetitions


def _is_able(experiment: Experiment, strategy: str, parameters: Parameters) -> bool:
    name, values = experiment.only.get(strategy, ("", ()))
    if name and parameters[name] not in values:
        return False
    if not experiment.block:
        return True
    size = int(parameters[experiment.block])
    return serves(strategy, 2**size if experiment.block.endswith("_log2") else size)


def _options(experiment: Experiment, rows: Sequence[PlannedRow]) -> Options:
    """The rows' values, for the run: a list if an axis takes several values."""
    options: Options = {}
    printed = experiment.printed
    for axis in experiment.axes:
        if not axis.takes or axis.role == FOLLOWS:
            continue
        if printed and axis.name in printed.axes:
            pairs = [[row.parameters[name] for name in printed.axes] for row in rows]
            options[printed.plural] = [pair for at, pair in enumerate(pairs) if pair not in pairs[:at]]
            continue
        values = {row.parameters[axis.name] for row in rows if axis.name in row.parameters}
        in_order = [word for word in axis.words if word in values] or sorted(values)
        options[axis.plural or axis.name] = in_order[0] if axis.takes in (COUNT, WORD) else in_order
    return options
