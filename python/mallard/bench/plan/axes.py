"""The plan of an experiment whose description has its axes and grids.

scale's grids -> changed by options -> rows: every combination of a grid's values, or those of a printed table
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from mallard.bench.contenders import serves
from mallard.bench.experiments.description.axis import (
    COUNT,
    COUNTS,
    FOLLOWS,
    RANGE,
    THREADS,
    WORD,
    WORDS,
    Axis,
)
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.scale import STRATEGIES, Printed, Rule, Scale
from mallard.bench.plan.assembly import Plan, PlannedRow, assemble, chosen_strategies, merge_rows, of_grid
from mallard.bench.plan.request import Host, Options, Request
from mallard.bench.result import Parameters
from mallard.bench.runner import Runner
from mallard.bench.selection import (
    in_words,
    select_count,
    select_counts,
    select_names,
    select_numbers,
    select_sizes,
)
from mallard.shared.errors import UsageError

Grid = dict[str, tuple[object, ...]]


def named_values(experiment: Experiment, request: Request, runner: Runner) -> Grid:
    """The values of the options that the request has."""
    return {
        axis.name: _named(axis, request, runner) for axis in experiment.axes if axis.flag in request.options
    }


def requested_grids(experiment: Experiment, request: Request, named: Grid) -> list[Grid]:
    """The scale's grids with the named values, without the grids that have none of the named words. If none
    is left, the first one takes these words.
    """
    _check_printed(experiment, request, named)
    own = _with_words(experiment, _own(experiment, request, named), named)
    grids = [grid for template in own if (grid := _grid(experiment, request.scale, template, named))]
    if not grids:
        first = own[0] | {name: named[name] for name in own[0] if name in named}
        grids = [_grid(experiment, request.scale, first, named)]
    _check_words(experiment, request, grids)
    return grids


def option_flag(experiment: Experiment, name: str) -> str:
    """The option of a parameter: `--block` for `block_log2`."""
    axis = experiment.axis(name)
    return f"--{axis.flag if axis else name}"


def _own(experiment: Experiment, request: Request, named: Grid) -> Sequence[Mapping[str, Sequence[object]]]:
    """The scale's grids, or the one of requests that name an axis."""
    grids = experiment.scales[request.scale].grids
    if not experiment.grid_defaults or not any(name in named for name in grids[0]):
        return grids
    return [{name: experiment.grid_defaults.get(name) or _every(grids, name) for name in grids[0]}]


def _every(grids: Sequence[Mapping[str, Sequence[object]]], name: str) -> tuple[object, ...]:
    """The values of all grids, numbers in ascending order."""
    values = dict.fromkeys(value for grid in grids for value in grid.get(name, ()))
    numbers = [value for value in values if isinstance(value, int)]
    return (*sorted(numbers), *(value for value in values if not isinstance(value, int)))


def _named(axis: Axis, request: Request, runner: Runner) -> tuple[object, ...]:
    """The value of the axis's option."""
    text, flag = request.options[axis.flag], f"--{axis.flag}"
    if axis.takes == WORD:
        return (request.one(axis.flag, axis.words),)
    if axis.takes == WORDS:
        return tuple(select_names(text, flag, axis.words))
    least, most = runner.limit(request.experiment, axis.name)
    if axis.takes == RANGE:
        select = select_sizes if axis.name.endswith("_log2") else select_numbers
        return tuple(select(text, flag, range(least, most + 1)))
    if axis.takes == COUNTS:
        return tuple(select_counts(text, flag, least, most))
    return (select_count(text, flag, least, most),)


def _check_printed(experiment: Experiment, request: Request, named: Grid) -> None:
    """Refuses a value that no printed row has, unless both options are given."""
    printed = experiment.printed
    if not printed or all(name in named for name in printed.axes):
        return
    for place, name in enumerate(printed.axes):
        known = {row[place] for row in printed.rows}
        unknown = [value for value in named.get(name, ()) if value not in known]
        if unknown:
            flag, second_flag = (
                option_flag(experiment, axis_name) for axis_name in (name, printed.axes[1 - place])
            )
            raise UsageError(
                f"{flag} {request.options[flag[2:]]}: the papers have no row with 2^{unknown[0]}; "
                f"give {second_flag} as well"
            )


def _with_words(
    experiment: Experiment, grids: Sequence[Mapping[str, Sequence[object]]], named: Grid
) -> list[Grid]:
    """The grids, the first with those named words that no grid has."""
    result: list[Grid] = [{name: tuple(values) for name, values in grid.items()} for grid in grids]
    for axis in experiment.axes:
        having = [grid for grid in result if axis.name in grid]
        if axis.takes == WORDS and having:
            known = {word for grid in having for word in grid[axis.name]}
            new = {word for word in named.get(axis.name, ()) if word not in known}
            if new:
                first = {*having[0][axis.name], *new}
                having[0][axis.name] = tuple(word for word in axis.words if word in first)
    return result


def _grid(experiment: Experiment, scale: str, template: Mapping[str, Sequence[object]], named: Grid) -> Grid:
    """A grid of the scale, changed by the options. Numbers replace the grid's own. Of words without a
    default, those remain that both name. The grid is empty if none remains, and unchanged if it has no
    words of the axis.
    """
    has_named = any(axis.name in named for axis in experiment.axes if axis.name in template)
    grid: Grid = {}
    for axis in experiment.axes:
        own = tuple(template.get(axis.name, ()))
        default = _default(axis, scale)
        if axis.name in named and axis.takes == WORDS and not default:
            values = tuple(word for word in own if word in named[axis.name])
            if own and not values:
                return {}
        elif axis.name in named:
            values = named[axis.name]
        elif of_rows := _printed_values(experiment.printed, axis.name, named):
            values = of_rows
        else:
            values = default if has_named and default else own or default
        if values:
            grid[axis.name] = values
    if STRATEGIES in template:
        grid[STRATEGIES] = tuple(template[STRATEGIES])
    return {name: grid[name] for name in [*template, *grid] if name in grid}


def _printed_values(printed: Printed | None, name: str, named: Grid) -> tuple[object, ...]:
    """All printed values of a parameter, if the other one of its rows is named."""
    if not printed or name not in printed.axes or not any(axis in named for axis in printed.axes):
        return ()
    return tuple(dict.fromkeys(row[printed.axes.index(name)] for row in printed.rows))


def _default(axis: Axis, scale: str) -> tuple[object, ...]:
    value = axis.default[scale] if isinstance(axis.default, Mapping) else axis.default
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def _check_words(experiment: Experiment, request: Request, grids: Sequence[Grid]) -> None:
    """Refuses words of an axis that no grid has, such as versions of works without versions."""
    for axis in experiment.axes:
        if not axis.within or axis.flag not in request.options or any(axis.name in grid for grid in grids):
            continue
        divided = [str(word) for grid in grids for word in grid[axis.within]]
        having = [
            str(word)
            for grid in experiment.scales[request.scale].grids
            if axis.name in grid
            for word in grid[axis.within]
        ]
        raise UsageError(
            f"--{axis.flag} {request.options[axis.flag]}: {', '.join(divided)} has no {axis.plural}; leave "
            f"it out, or give --{axis.within} {','.join(having)} as well"
        )


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
    unable = [name for name in strategies if not any(name in row.strategies for row in rows)]
    if request.strategies and unable:
        messages.append(f"left out: {in_words(unable)}, which no row of these parameters can have")
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
