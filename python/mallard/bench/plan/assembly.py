"""A plan: rows, cells, repetitions, and their order; and the common part of making each.

    request x runner x host -> Plan -> rows -> cells -> repetitions

A row is the cells that differ only in strategy. A plan's `identity` decides whether it can continue an
interrupted run: both have equal cells, scale, seed, repetitions, machine and builds of the runner.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mallard.bench import described
from mallard.bench.contenders import CONTAINER_LIBRARIES, CONTENDERS, GROUPS
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.axis import PAGES, SMALL
from mallard.bench.library import BASE, OF_ONE_SIZE
from mallard.bench.papers import catalogue
from mallard.bench.plan.request import REPETITIONS, SURVEY, Host, Options, Request
from mallard.bench.prefixes import ALLOWED, contenders_of, selected_prefixes
from mallard.bench.process import Repetition
from mallard.bench.result import Parameters, canonical
from mallard.bench.runner import COMPILERS, Missing, Runner
from mallard.bench.selection import in_words, select_names, select_strategies
from mallard.bench.strategy_names import GLOBAL_STRATEGIES, current
from mallard.shared import mallocs
from mallard.shared.age import YOUNG
from mallard.shared.errors import UsageError
from mallard.shared.version import bench_command


@dataclass(frozen=True)
class PlannedRow:
    experiment: str
    parameters: Parameters
    strategies: tuple[str, ...]
    repetitions: int


@dataclass(frozen=True)
class Plan:
    experiment: str
    scale: str
    rows: tuple[PlannedRow, ...]
    repetitions: int  # of most rows
    seed: int
    time_limit: float
    memory_limit: int | None  # of one process; None if the machine does not report its memory
    options: Options
    messages: tuple[str, ...] = field(default=(), compare=False)  # for the user, before the start

    @property
    def processes(self) -> int:
        return sum(row.repetitions * len(row.strategies) for row in self.rows)

    def identity(self, machine: str, build_id: str) -> str:
        """The identity, without `buffer_bytes`: free memory may have changed, and a continued run keeps its
        buffer."""
        rows = [[_lasting(row.parameters), row.strategies, row.repetitions] for row in self.rows]
        facts = [self.experiment, self.scale, rows, self.seed, _lasting(self.options), machine, build_id]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def in_order(self) -> Iterator[Repetition]:
        """Every row once, then every row again, and so on. The seed orders the rows, and the strategies of
        each.

        Repetitions of a cell are minutes apart, so that a disturbance meets one of them. Strategies of a
        row are next to each other, so that it meets all of them. The rows are shuffled, because a plan lists
        the cheapest first: the rows measured so far stand for the others when the time left is estimated.
        """
        for repetition in range(max(row.repetitions for row in self.rows)):
            rows = list(self.rows)
            random.Random(f"{self.seed} {repetition} {self.experiment}").shuffle(rows)
            for row in rows:
                if repetition >= row.repetitions:
                    continue
                drawn = list(row.strategies)
                place = f"{self.seed} {repetition} {row.experiment} {canonical(row.parameters)}"
                random.Random(place).shuffle(drawn)
                for strategy in drawn:
                    yield Repetition(row.experiment, row.parameters, strategy, repetition, self.seed)


def _lasting(named: Parameters | Options) -> Options:
    return {name: value for name, value in named.items() if name != "buffer_bytes"}


def with_contenders(request: Request, runner: Runner) -> tuple[Request, list[str]]:
    """The request, with words for groups replaced by the experiment's names and without missing strategies.
    Adds a message for each package that would add strategies.
    """
    offered, absent = runner.strategy_names(request.experiment), _absent(request.experiment, runner)
    if lacking := absent.keys() & contenders_of(selected_prefixes(request.prefixes)):
        raise UsageError(
            f"--with {request.prefixes}: {runner.path} was built without {CONTENDERS[min(lacking)].library}; "
            "unset MALLARD_BENCH, and a runner with it is built"
        )
    requested = {
        name
        for name, missing in absent.items()
        # A library by prefix is left out without a message, unless it is named.
        if (request.contenders and missing.package if name in CONTENDERS else request.strategies is None)
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
        f"{', '.join(names)} left out: {reason}; {_remedy(package)} builds "
        f"{'them' if len(names) > 1 else 'it'} in"
        for (package, reason), names in named.items()
    ]


def _remedy(package: str) -> str:
    if package:
        return f"'apt-get install {package}', then '{bench_command()} density'"
    return f"--with {ALLOWED}"


AGE, COMPILER = "age", "compiler"


def chosen_strategies(
    request: Request,
    available: Sequence[str],
    default: Sequence[str] | None = None,
    *,
    with_base: bool = True,
) -> tuple[list[str], list[str]]:
    """The selected strategies and the base of every ratio, with messages.

    Contenders are included if they were named or --contenders was given. The library's pools of one size
    are then included, for comparison with other libraries' pools. The contenders of a library that --with
    names are included with it, unless some of them were named.
    """
    if request.strategies is None:
        chosen = {name for name in (available if default is None else default) if name not in CONTENDERS}
    else:
        _refuse_foreign_strategies(request, available)
        chosen = set(select_strategies(request.strategies, "--strategy", available))
    libraries = (contenders_of([word]) for word in selected_prefixes(request.prefixes))
    added = {name for of_library in libraries if not of_library & chosen for name in of_library}
    added |= {name for name in available if request.contenders and _is_comparable(name)}
    chosen |= added
    if request.strategies is None:
        return [name for name in available if name in chosen], []
    if not with_base or BASE in chosen or BASE not in available:
        return [name for name in available if name in chosen], []
    return (
        [name for name in available if name in chosen or name == BASE],
        [f"{BASE} is measured as well: every ratio is to it"],
    )


def _refuse_foreign_strategies(request: Request, available: Sequence[str]) -> None:
    """Reports strategies of other experiments by a specific error."""
    for word in map(str.strip, (request.strategies or "").split(",")):
        name = current(word).lower()
        if name not in available and (name in catalogue.described() or name in CONTENDERS):
            raise UsageError(
                f"--strategy '{word}': {request.experiment} does not have it; allowed are "
                f"{in_words(available)}"
            )


def of_grid(request: Request, chosen: Sequence[str], own: Sequence[str] | None) -> list[str]:
    """The strategies of a grid: its own, unless others were selected, and the chosen contenders with the
    pools that they are compared with.
    """
    if request.strategies or own is None:
        return list(chosen)
    return [*own, *(name for name in chosen if _is_comparable(name) and name not in own)]


def _is_comparable(name: str) -> bool:
    return name in CONTENDERS or name in OF_ONE_SIZE


def merge_rows(rows: Iterable[PlannedRow], available: Sequence[str]) -> list[PlannedRow]:
    """Merges equal rows of overlapping grids. Strategies keep the order of `available`."""
    by_parameters: dict[str, PlannedRow] = {}
    for row in rows:
        key = canonical(row.parameters)
        previous = by_parameters.get(key, row)
        strategies = tuple(name for name in available if name in {*previous.strategies, *row.strategies})
        by_parameters[key] = replace(previous, strategies=strategies)
    return list(by_parameters.values())


def assemble(
    request: Request,
    host: Host,
    rows: Iterable[PlannedRow],
    *,
    time_limit: float,
    options: Options,
    messages: Sequence[str] = (),
    pin: bool = True,
) -> Plan:
    """The plan of these rows, under each requested malloc and from each requested compiler."""
    rows = list(rows)
    if not rows:
        raise UsageError(f"nothing is left to measure: {'; '.join(messages)}")
    names, missing = _mallocs(request)
    compilers, pages = selected_compilers(request), selected_pages(request)
    aged = any(row.parameters.get(AGE, YOUNG) != YOUNG for row in rows)
    local = EXPERIMENTS[request.experiment].over_mallocs if aged and not request.survey else ()
    rows = [replace(row, strategies=_under(row.strategies, names, local)) for row in rows]
    rows = [replace(row, parameters={**row.parameters, PAGES.name: word}) for row in rows for word in pages]
    if compilers:
        rows = [
            replace(row, parameters={**row.parameters, COMPILER: compiler})
            for row in rows
            for compiler in compilers
        ]
    return Plan(
        experiment=request.experiment,
        scale=SURVEY if request.survey else request.scale,
        rows=tuple(rows),
        repetitions=request.repetitions or REPETITIONS,
        seed=request.seed,
        time_limit=request.time_limit or time_limit,
        memory_limit=host.memory_limit(request),
        options={
            **options,
            PAGES.name: pages,
            "pin": request.pin and pin,
            **({"mallocs": names} if names else {}),
            **({"malloc_files": files} if (files := mallocs.file_names(names)) else {}),
            **({"compilers": compilers} if compilers else {}),
        },
        messages=(*messages, *missing),
    )


def selected_compilers(request: Request) -> list[str]:
    """The compilers; empty if none was named. There is one runner then, from any compiler."""
    if request.compilers is None:
        return []
    return select_names(request.compilers, "--compiler", list(COMPILERS))


def selected_pages(request: Request) -> list[str]:
    """The sizes of pages, for all allocators; small by default."""
    if request.pages is None:
        return [SMALL]
    return select_names(request.pages, "--pages", list(PAGES.words))


def selected_mallocs(request: Request) -> list[str]:
    """The mallocs. --contenders adds every other malloc for the global allocator, unless some were
    named."""
    if request.mallocs is None:
        return list(mallocs.MALLOCS) if request.contenders else []
    items = [item.strip() for item in request.mallocs.split(",")]
    files = [item for item in items if mallocs.is_file(item)]
    named = ",".join(item for item in items if not mallocs.is_file(item))
    names = select_names(named, "--malloc", mallocs.NAMES) if named or not files else []
    return [*names, *dict.fromkeys(mallocs.register_file(item) for item in files)]


def _mallocs(request: Request) -> tuple[list[str], list[str]]:
    """The installed mallocs, and a message for each missing one."""
    chosen = selected_mallocs(request)
    installed = [name for name in chosen if name == mallocs.OWN or mallocs.find_library(name)]
    return installed, [
        f"{name} is left out: its library is not installed; "
        f"run 'apt-get install {mallocs.package_name(name)}'"
        for name in chosen
        if name not in installed
    ]


def _under(strategies: tuple[str, ...], names: list[str], local: tuple[str, ...]) -> tuple[str, ...]:
    """The strategies, and those that other mallocs change: the global ones, and `local` allocators next to
    which a malloc serves the rest of the program."""
    added = (
        mallocs.under(strategy, name)
        for name in names
        for strategy in (*GLOBAL_STRATEGIES, *local)
        if strategy in strategies
    )
    return tuple(dict.fromkeys([*strategies, *added]))
