"""The grids of a scale, changed by the options of a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mallard.bench.experiments.description.axis import COUNTS, RANGE, WORD, WORDS, Axis
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.scale import STRATEGIES, Printed
from mallard.bench.plan.request import Request
from mallard.bench.runner import Runner
from mallard.bench.selection import select_count, select_counts, select_names, select_numbers, select_sizes
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
        elif of_rows := _beside(experiment.printed, axis.name, named):
            values = of_rows
        else:
            values = default if has_named and default else own or default
        if values:
            grid[axis.name] = values
    if STRATEGIES in template:
        grid[STRATEGIES] = tuple(template[STRATEGIES])
    return {name: grid[name] for name in [*template, *grid] if name in grid}


def _beside(printed: Printed | None, name: str, named: Grid) -> tuple[object, ...]:
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
