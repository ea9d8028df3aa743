"""Trials of one scope: under each global allocator, on a clean and on a littered heap."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from mallard.mallocs import library_of
from mallard.stats import Difference
from mallard.trial.program import AS_IT_IS, NULL, Arm, Once, Program, Scope
from mallard.trial.rounds import Rounds, output_is_compared, outputs_differ, run_rounds
from mallard.trial.sensitivity import slope_of
from mallard.trial.verdict import Effect, Trial, difference, trial_of, wall_of

Tick = Callable[[int, int], None]


@dataclass(frozen=True)
class Campaign:
    strategies: tuple[str, ...]
    mallocs: tuple[str, ...]
    litters: tuple[int, ...]
    delays_ns: tuple[int, ...]
    rounds: int
    seed: int
    wall: bool | None = None  # times are wall time; None if the first trial's threads decide

    @property
    def runs(self) -> int:
        """Of the program, in all."""
        arms = 2 + len(self.strategies) + len(self.delays_ns)
        return arms * self.rounds * len(self.mallocs) * len(self.litters)


@dataclass(frozen=True)
class Ground:
    """What the trial was measured against."""

    malloc: str
    litter: int
    trial: Trial
    differing: tuple[str, ...]  # strategies under which the program's output is another one
    compared: bool  # the output is the same from run to run
    sensitivity: tuple[
        tuple[int, Difference], ...
    ]  # nanoseconds more for each operation; the time of the program beside the null
    slope: Difference | None = None  # of the program's time over that of the delays

    @property
    def heap(self) -> str:
        return "littered" if self.litter else "clean"

    @property
    def allowed(self) -> list[Effect]:
        """Without strategies under which the program's output is another one, or that served nothing."""
        return [
            each for each in self.trial.effects if each.strategy not in self.differing and each.counts.served
        ]

    @property
    def best(self) -> Effect | None:
        """The strategy that saves most, if its saving is beyond its interval."""
        return next((effect for effect in self.allowed if effect.saves), None)


@dataclass(frozen=True)
class Result:
    scope: Scope
    rounds: int
    grounds: tuple[Ground, ...]


def run_campaign(program: Program, scope: Scope, campaign: Campaign, tick: Tick) -> Result:
    grounds: list[Ground] = []
    places = [(malloc, litter) for malloc in campaign.mallocs for litter in campaign.litters]
    for place, (malloc, litter) in enumerate(places):

        def tick_here(done: int, of: int, place: int = place) -> None:
            tick(place * of + done, len(places) * of)

        rounds = run_rounds(
            program, scope, _arms(campaign, malloc, litter), campaign.rounds, campaign.seed, tick_here
        )
        grounds.append(_ground(campaign, malloc, litter, rounds))
        campaign = replace(campaign, wall=grounds[0].trial.wall)
    return Result(scope, campaign.rounds, tuple(grounds))


def run_alone(program: Program, campaign: Campaign) -> Once:
    """The program once, as it is, under the first malloc."""
    return program.run(Arm(None, library_of(campaign.mallocs[0])), Scope("", ()))


def _arms(campaign: Campaign, malloc: str, litter: int) -> dict[str, Arm]:
    library = library_of(malloc)
    arms = {AS_IT_IS: Arm(None, library, litter), NULL: Arm(NULL, library, litter)}
    arms |= {strategy: Arm(strategy, library, litter) for strategy in campaign.strategies}
    return arms | {_delayed(delay): Arm(NULL, library, litter, delay) for delay in campaign.delays_ns}


def _delayed_frees(delayed: Mapping[int, Sequence[Once]]) -> int:
    every = [run.counts.delayed_frees for runs in delayed.values() for run in runs if run.counts]
    return every[0] if every else 0


def _delayed(delay_ns: int) -> str:
    return f"{delay_ns} ns later"


def _ground(campaign: Campaign, malloc: str, litter: int, rounds: Rounds[Once]) -> Ground:
    trial = trial_of(rounds, campaign.strategies, campaign.wall)
    delayed = {delay: rounds.of(_delayed(delay)) for delay in campaign.delays_ns}
    return Ground(
        malloc=malloc,
        litter=litter,
        trial=trial,
        differing=tuple(outputs_differ(rounds, campaign.strategies)),
        compared=output_is_compared(rounds),
        sensitivity=tuple(
            (delay, difference(runs, rounds.of(NULL), wall_of)) for delay, runs in delayed.items() if runs
        ),
        slope=slope_of(delayed, trial.null.requests + _delayed_frees(delayed)),
    )
