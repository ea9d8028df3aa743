"""Compares a run with a budget."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mallard.advisor.budget.document import PROCESS, Budget
from mallard.advisor.budget.measured_run import Figures, MeasuredRun
from mallard.advisor.budget.stacks import largest_excess
from mallard.shared.errors import UsageError


@dataclass(frozen=True)
class LimitCheck:
    """One limit, and the figure of the run."""

    scope: str  # PROCESS for the process
    figure: str
    value: int
    limit: int

    @property
    def holds(self) -> bool:
        return self.value <= self.limit


@dataclass(frozen=True)
class NewStack:
    """The stack that exceeds the blocks in the file the most."""

    scope: str
    functions: str
    blocks: int  # more than the file allows


@dataclass(frozen=True)
class Judgement:
    limits: tuple[LimitCheck, ...]
    new_stack: NewStack | None  # of the first exceeded limit whose scope has one
    stacks_known: bool  # False if the file has none for the exceeded scopes
    unjudged: tuple[str, ...] = ()  # an error for each scope that has no figures

    @property
    def holds(self) -> bool:
        return all(limit.holds for limit in self.limits)


def judge(file: Path, budget: Budget, run: MeasuredRun) -> Judgement:
    if run.exit_status != budget.exit_status:
        raise UsageError(
            f"the program ended with exit status {run.exit_status}, so its run cannot be judged; {file} has "
            f"exit_status = {budget.exit_status}"
        )
    figures: dict[str, Figures] = {}
    unjudged = []
    for name in budget.limits:
        try:
            figures[name] = run.of(name)
        except UsageError as error:
            unjudged.append(f'{file}, [scope."{name}"]: {error}')
    limits = tuple(
        LimitCheck(name, figure, scope_figures.values[figure], limit)
        for name, scope_figures in figures.items()
        for figure, limit in budget.limits[name].items()
    )
    exceeded = list(dict.fromkeys(limit.scope for limit in limits if not limit.holds))
    known = [name for name in exceeded if name in budget.stacks]
    new_stacks = (_new_stack(name, figures[name], budget, run) for name in known)
    new_stack = next((stack for stack in new_stacks if stack), None)
    return Judgement(limits, new_stack, bool(known), tuple(unjudged))


def _new_stack(name: str, figures: Figures, budget: Budget, run: MeasuredRun) -> NewStack | None:
    blocks = run.stacks.of(None if name == PROCESS else figures.function)
    excess = largest_excess(blocks.items(), budget.stacks[name])
    return NewStack(name, *excess) if excess else None
