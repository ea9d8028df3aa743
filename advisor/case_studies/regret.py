"""The regret of the advice on programs that nobody here wrote, and of simpler rules.

    results/foreign -> Row -> regret: the geometric mean over programs of time chosen / time of the best known

Where an arm is missing or breaks the program, its user keeps the program as it is: local advice and patterns
without a patch, a malloc under which the second input fails. Rules of PATCHED ask for a changed source, so
they are compared only over the programs that have a patch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import stdev

from harness import foreign
from harness.advising import advised, second_half, second_promise
from harness.catalogue import NULL, UNCHANGED, UNDER
from harness.history import is_advised_first
from harness.places import Json, document_sha256, results_file, unpack
from mallard.shared.stats import Difference, median, paired_difference, student_quantile
from score import Count, count, gap, signs_agree


@dataclass(frozen=True)
class Row:
    """A program on its second input. Times in seconds; less than 0 is saved."""

    program: str
    headline: str
    kind: str  # of the advice
    advised: str  # a strategy with its scope, or a malloc, or ''
    arm: str  # that follows the first half of the advice; '' if nothing does, so that it has no fact
    seconds: dict[str, float]  # by arm
    facts: dict[str, Difference]  # against the program as it is
    peaks: dict[str, float]
    promised: Difference | None  # of the first half, on the first input
    promised_seconds: float  # of the program on the first input
    minutes: float  # until the advice was there
    advised_first: bool  # git has the advice from before any measurement
    differing: tuple[str, ...] = field(default=())  # arms with another output
    second: str = ""  # the arm that follows both halves; '' if there is no second one, or nothing follows it
    second_promised: Difference | None = None  # on top of the first half
    second_fact: Difference | None = None
    commit: str = ""  # that advised
    trial_code: str = ""  # of the advice, as places.trial_code()
    fastest: str = ""  # the arm that was fastest on the first input, of those that the advisor tried there

    @property
    def choices(self) -> dict[str, float]:
        """The arms that somebody may choose; the null is a program changed for nothing."""
        return {
            arm: seconds for arm, seconds in self.seconds.items() if arm != NULL and arm not in self.differing
        }

    @property
    def best(self) -> str:
        return min(self.choices, key=lambda arm: self.choices[arm])


Rule = Callable[[Row], str]
PRELOADED = {
    "mimalloc3": "mimalloc 3",
    "mimalloc": "Debian's mimalloc",
    "snmalloc": "snmalloc",
    "jemalloc": "jemalloc",
    "tcmalloc": "tcmalloc",
}


def keep(_row: Row) -> str:
    """The program as it is."""
    return UNCHANGED


def _always(malloc: str) -> Rule:
    return lambda _row: UNCHANGED + UNDER + malloc


# Each with the arm that it chooses.
RULES: dict[str, Rule] = {
    "change nothing": keep,
    **{f"preload {name}": _always(malloc) for malloc, name in PRELOADED.items()},
    **{f"set {switch}": _always(switch) for switch in foreign.SWITCHES},
    "the fastest of these on the first input": lambda row: row.fastest,
}
PATCHED: dict[str, Rule] = {
    "an arena for all memory of the library": lambda _row: "monotonic",
    "a multipool for all memory of the library": lambda _row: "multipool",
}


def chosen(row: Row, rule: Rule) -> str:
    """The arm of a rule, or the program as it is."""
    return arm if (arm := rule(row)) in row.choices else UNCHANGED


def regret(rows: Iterable[Row], rule: Rule) -> float:
    logs = [math.log(row.choices[chosen(row, rule)] / row.choices[row.best]) for row in rows]
    return math.exp(sum(logs) / len(logs))


def compare(rows: Sequence[Row], rule: Rule) -> tuple[float, float, float]:
    """The advice's time divided by the rule's: the geometric mean over programs, with the 95 % interval for
    other such programs."""
    logs = [math.log(row.choices[chosen(row, advised_arm)] / row.choices[chosen(row, rule)]) for row in rows]
    mean = sum(logs) / len(logs)
    if len(logs) == 1:
        return math.exp(mean), 0.0, math.inf
    half = student_quantile(len(logs) - 1) * stdev(logs) / math.sqrt(len(logs))
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def advised_arm(row: Row) -> str:
    """All of the advice that an arm follows."""
    return row.second if row.second in row.choices else row.arm


def followed(rows: Iterable[Row], rule: Rule) -> list[Row]:
    """The rows that have the rule's arm."""
    return [row for row in rows if rule(row) in row.choices]


def measured_rules(rows: Sequence[Row]) -> dict[str, Rule]:
    """Those whose arm was measured in a program."""
    return {name: rule for name, rule in RULES.items() if followed(rows, rule)}


def with_fact(rows: Iterable[Row]) -> list[Row]:
    """The rows whose advice somebody can follow as it is."""
    return followed(rows, lambda row: row.arm)


def outcomes(rows: Iterable[Row]) -> dict[str, int]:
    """What following the advice did, of the rows in which it changes the program and has a fact."""
    facts = [row.facts[arm] for row in rows if (arm := chosen(row, advised_arm)) != UNCHANGED]
    saved, slower = (
        sum(map(test, facts)) for test in (lambda fact: fact.high < 0, lambda fact: fact.low > 0)
    )
    return {"saved time": saved, "were not resolved": len(facts) - saved - slower, "cost time": slower}


def peak_ratio(rows: Iterable[Row], rule: Rule, other: Rule = keep) -> float:
    """The geometric mean of the peak memory against that of another rule."""
    logs = [math.log(row.peaks[chosen(row, rule)] / row.peaks[chosen(row, other)]) for row in rows]
    return math.exp(sum(logs) / len(logs))


def signs(rows: Iterable[Row]) -> Count:
    """Of promises and facts whose intervals both exclude zero."""
    return count(signs_agree(promised, fact) for row in rows for promised, fact in promises(row))


def meets(rows: Iterable[Row]) -> Count:
    """As shares of the run, because promise and fact are on two inputs."""
    return count(
        gap(
            _share(promised, row.promised_seconds),
            _share(fact, row.seconds[UNCHANGED]),
        )
        == 0.0
        for row in rows
        for promised, fact in promises(row)
    )


def promises(row: Row) -> Iterator[tuple[Difference, Difference]]:
    """Each half of the advice that has one, with its fact."""
    if row.promised:
        yield row.promised, row.facts[row.arm]
    if row.second_promised and row.second_fact:
        yield row.second_promised, row.second_fact


def _share(time: Difference, seconds: float) -> Difference:
    return Difference(time.median / seconds, time.low / seconds, time.high / seconds, time.n)


def median_minutes(rows: Iterable[Row]) -> float:
    return median([row.minutes for row in rows])


def worse_than_before(rows: Iterable[Row], rule: Rule) -> list[Row]:
    """The rows in which the arm is slower than the program as it is, by an interval that excludes zero."""
    return [row for row in rows if (fact := row.facts.get(chosen(row, rule))) and fact.low > 0]


def row_from(program: foreign.Program, advice: Json, facts: Json) -> Row:
    times = {arm: run["cpu_seconds"] for arm, run in facts["programs"].items()}
    kind, name = advised(advice)
    arm, second = find_arm(program, advice), foreign.second_arm(program, advice)
    return Row(
        program=program.name,
        headline=advice["headline"],
        kind=kind,
        advised=f"{name} in {advice['scope']}" if kind == "local" else name,
        arm=arm,
        seconds={arm: median(run) for arm, run in times.items()},
        facts={
            arm: paired_difference(run, times[UNCHANGED]) for arm, run in times.items() if arm != UNCHANGED
        },
        peaks={arm: run["peak_bytes"] for arm, run in facts["programs"].items()},
        promised=_promised(advice, kind, name),
        promised_seconds=advice["program_seconds"],
        minutes=advice["minutes"],
        advised_first=is_advised_first(f"{program.name} {foreign.CELL}", advice),
        differing=tuple(facts["differing"]),
        second=second,
        second_promised=second_promise(advice) if second_half(advice) else None,
        second_fact=paired_difference(times[second], times[arm]) if {second, arm} <= times.keys() else None,
        fastest=_fastest(advice["mallocs"]),
        commit=advice.get("commit", ""),
        trial_code=advice.get("trial_code", ""),
    )


def _fastest(effects: Json) -> str:
    """By medians alone, as somebody finds it who tries each malloc and switch."""
    medians = {name: effect["median"] for name, effect in effects.items()}
    name = min(medians, key=lambda name: medians[name], default="")
    return UNCHANGED + UNDER + name if name and medians[name] < 0 else UNCHANGED


def find_arm(program: foreign.Program, advice: Json) -> str:
    """The arm that follows the first half of the advice. Advice that no arm follows has no fact."""
    kind, name = advised(advice)
    if kind == "global":
        return UNCHANGED + UNDER + name
    if kind == "local":
        return foreign.find_build(program, advice, name)
    return "" if kind == "pattern" else UNCHANGED


def _promised(advice: Json, kind: str, name: str) -> Difference | None:
    times = {"local": advice["strategies"], "global": advice["mallocs"]}.get(kind, {}).get(name)
    return Difference(times["median"], times["low"], times["high"], 0) if times else None


def read() -> list[Row]:
    """In the order of the programs; without those that have no fact, or one of other advice."""
    rows = []
    for program in foreign.load().values():
        advice, facts = (_cell(folder, program) for folder in (foreign.ADVICE, foreign.FACTS))
        if (
            advice
            and facts
            and facts["advice_sha256"] == document_sha256(advice)
            and facts["definition_sha256"] == foreign.definition_sha256(program)
        ):
            rows.append(row_from(program, advice, facts))
    return rows


def read_nulls() -> tuple[int, int]:
    """The null runs that ended in advice, of all."""
    runs: list[Json] = []
    for name in foreign.load():
        file = results_file(foreign.NULLS, name)
        runs += unpack(file.read_bytes())["runs"] if file.is_file() else []
    return sum(run["advised"] for run in runs), len(runs)


def _cell(folder: Path, program: foreign.Program) -> Json:
    file = results_file(folder, program.name)
    cell: Json = unpack(file.read_bytes())["cells"].get(foreign.CELL, {}) if file.is_file() else {}
    return cell
