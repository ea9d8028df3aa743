"""The plan of an experiment whose description has its axes and grids.

scale's grids -> changed by options -> rows: every combination of a grid's values
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from mallard.contenders import serves
from mallard.errors import UsageError
from mallard.experiments.description import COUNT, COUNTS, FOLLOWS, RANGE, WORDS, Axis, Experiment, Rule
from mallard.plan.assembly import assemble, chosen_strategies, merged
from mallard.plan.planned import Plan, PlannedRow
from mallard.plan.request import Host, Options, Request
from mallard.result import Parameters
from mallard.runner import Runner
from mallard.selection import select_count, select_counts, select_names, select_numbers

Grid = dict[str, tuple[object, ...]]


def plan(experiment: Experiment, request: Request, runner: Runner, host: Host) -> Plan:
    scale, name = experiment.scales[request.scale], experiment.name
    there = runner.names_of(name)
    usual = there if scale.variants else runner.usual_names_of(name)
    strategies, messages = chosen_strategies(request, there, usual, with_base=experiment.with_base)
    named = {
        axis.name: _named(axis, request, runner) for axis in experiment.axes if axis.flag in request.given
    }
    grids = [grid for given in scale.grids if (grid := _grid(experiment, request.scale, given, named))]
    _check_words(experiment, request, grids)
    rows = [
        PlannedRow(name, parameters, able, request.repetitions or scale.repetitions)
        for grid in grids
        for parameters in _rows(experiment, grid)
        if (able := tuple(each for each in strategies if _is_able(experiment, each, parameters)))
    ]
    return assemble(
        request,
        host,
        merged(rows, there),
        time_limit=scale.time_limit,
        options={**_options(experiment, rows), "strategies": strategies},
        messages=messages,
    )


def _named(axis: Axis, request: Request, runner: Runner) -> tuple[object, ...]:
    """The value of the axis's option."""
    text, flag = request.given[axis.flag], f"--{axis.flag}"
    if axis.takes == WORDS:
        return tuple(select_names(text, flag, axis.words))
    least, most = runner.limit(request.experiment, axis.name)
    if axis.takes == RANGE:
        return tuple(select_numbers(text, flag, range(least, most + 1)))
    if axis.takes == COUNTS:
        return tuple(select_counts(text, flag, least, most))
    return (select_count(text, flag, least, most),)


def _grid(experiment: Experiment, scale: str, given: Mapping[str, Sequence[object]], named: Grid) -> Grid:
    """A grid of the scale, changed by the options. Numbers replace the grid's own. Of words without a
    default, those remain that both name. The grid is empty if none remains, and unchanged if it has no
    words of the axis.
    """
    asked = any(axis.name in named for axis in experiment.axes if axis.name in given)
    grid: Grid = {}
    for axis in experiment.axes:
        own = tuple(given.get(axis.name, ()))
        default = _default(axis, scale)
        if axis.name in named and axis.takes == WORDS and not default:
            values = tuple(word for word in own if word in named[axis.name])
            if own and not values:
                return {}
        elif axis.name in named:
            values = named[axis.name]
        else:
            values = default if asked and default else own or default
        if values:
            grid[axis.name] = values
    return grid


def _default(axis: Axis, scale: str) -> tuple[object, ...]:
    value = axis.default[scale] if isinstance(axis.default, Mapping) else axis.default
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def _check_words(experiment: Experiment, request: Request, grids: Sequence[Grid]) -> None:
    """Refuses words of an axis that no grid has, such as versions of works without versions."""
    for axis in experiment.axes:
        if not axis.within or axis.flag not in request.given or any(axis.name in grid for grid in grids):
            continue
        divided = [str(word) for grid in grids for word in grid[axis.within]]
        having = [
            str(word)
            for grid in experiment.scales[request.scale].grids
            if axis.name in grid
            for word in grid[axis.within]
        ]
        raise UsageError(
            f"--{axis.flag} {request.given[axis.flag]}: {', '.join(divided)} has no {axis.plural}; leave it "
            f"out, or say --{axis.within} {','.join(having)} as well"
        )


def _rows(experiment: Experiment, grid: Grid) -> Iterator[Parameters]:
    """The combinations. The first axis changes fastest."""
    for values in product(*reversed(grid.values())):
        parameters = dict(zip(grid, reversed(values), strict=True))
        for rule in experiment.rules:
            _check(experiment, rule, parameters)
        yield parameters


def _check(experiment: Experiment, rule: Rule, parameters: Parameters) -> None:
    if rule.first not in parameters or rule.second not in parameters:
        return
    first, second = int(parameters[rule.first]), int(parameters[rule.second])
    one, other = (f"--{name.replace('_', '-')}" for name in (rule.first, rule.second))
    if rule.divides and second % first:
        raise UsageError(
            f"{one} {first} with {other} {second}: {rule.why}, so allowed are divisors of {other}; choose "
            f"another {one}, or {other} {second - second % first or first}"
        )
    if not rule.divides and first > second:
        raise UsageError(
            f"{one} {first} is more than {other} {second}: {rule.why}; allowed is {one} up to {second}"
        )


def _is_able(experiment: Experiment, strategy: str, parameters: Parameters) -> bool:
    name, values = experiment.only.get(strategy, ("", ()))
    if name and parameters[name] not in values:
        return False
    return not experiment.block or serves(strategy, int(parameters[experiment.block]))


def _options(experiment: Experiment, rows: Sequence[PlannedRow]) -> Options:
    """The rows' values, for the run: a list if an axis takes several values."""
    found: Options = {}
    for axis in experiment.axes:
        if not axis.takes or axis.role == FOLLOWS:
            continue
        values = {row.parameters[axis.name] for row in rows if axis.name in row.parameters}
        in_order = [word for word in axis.words if word in values] or sorted(values)
        found[axis.plural or axis.name] = in_order[0] if axis.takes == COUNT else in_order
    return found
