"""The ledger: every claim with its printed figure, this machine's figure, and a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mallard.bench.claims.claim import Claim, claims, range_text, with_names
from mallard.bench.claims.judge import (
    Estimate,
    Evaluation,
    cells_text,
    disagreements,
    evaluate,
    interval_text,
    judged_text,
    vague,
)
from mallard.bench.claims.rules import RULES, Rule
from mallard.bench.evidence import Measured, by_setting
from mallard.bench.result import Row
from mallard.bench.store import Run, Store

REPRODUCED = "reproduced"
NOT_REPRODUCED = "not reproduced"
NOT_APPLICABLE = "not applicable here"
NOT_MEASURED = "not measured"
VERDICTS = (REPRODUCED, NOT_REPRODUCED, NOT_APPLICABLE, NOT_MEASURED)

ONE_REPETITION = "one repetition: no interval"
MORE_REPETITIONS = 5
TOO_WIDE = "the interval is too wide to decide"
INCOMPLETE = "some cells of the claim were not measured"
# The order of preference of settings, starting with the papers'. The first measured one is judged.
PREFERRED = {
    "buffer": ("warm", "cold", "none"),
    "freed_by": ("self",),
    "hash": ("prefix",),
    "pages": ("small", "huge"),
    "final_frees": ("timed",),
}
SECOND_COMPILER = "clang++"
COMPILER = "compiler"


@dataclass(frozen=True)
class Entry:
    number: str  # row in claims.csv; M1, M2 ... of this project's findings
    paper: str  # p0089, p0213, loki, allocplus, optimized, mallard
    document: str
    section: str
    text: str
    printed: str
    ours: str  # the judged figure
    interval: str  # its 95 % interval
    all_cells: str  # minimum, maximum and median of its cells
    figures: list[Estimate]
    cells: int
    repetitions: int
    verdict: str
    reason: str  # for "not reproduced", "not applicable" and "not measured"
    command: str  # the command that measures it
    rule: str
    note: str
    run: int | None  # the run whose rows decide

    @property
    def shown_text(self) -> str:
        """The text with the names of strategies; `text` is as printed."""
        return with_names(self.text)

    @property
    def shown_note(self) -> str:
        return with_names(self.note)


def ledger(rows: Iterable[Row]) -> list[Entry]:
    """One entry for each claim of the documents, in order, then the findings of this project.

    Of the runs that have a claim's cells, the newest in the papers' setting decides. A run without intervals
    decides only if no run has intervals.
    """
    settings = by_setting(rows, joined=True)
    return [_entry(claim, settings) for claim in claims()]


def finished_runs(store: Store) -> list[Run]:
    return [run for run in store.runs() if run.finished is not None]


def counts(entries: Iterable[Entry]) -> dict[str, int]:
    counter = Counter(entry.verdict for entry in entries)
    return {verdict: counter[verdict] for verdict in VERDICTS}


def _entry(claim: Claim, settings: Sequence[Measured]) -> Entry:
    rule = RULES.get(claim.key)
    if rule is None:
        return _make_entry(claim, None, None, NOT_APPLICABLE, claim.not_applicable)
    candidates = candidates_for(rule, settings)
    evaluation, run = _first_evaluation(rule, candidates)
    verdict, reason = _verdict(claim, rule, evaluation, bool(candidates))
    command = rule.command if verdict == NOT_MEASURED else ""
    if verdict == NOT_MEASURED and evaluation is not None:
        command += f" --reps {MORE_REPETITIONS}"
    return _make_entry(claim, rule, evaluation, verdict, reason, command, run)


def _first_evaluation(rule: Rule, candidates: Sequence[Measured]) -> tuple[Evaluation | None, int | None]:
    """The figures of the first candidate with an interval, or else of the first that has the cells."""
    without_interval: tuple[Evaluation | None, int | None] = (None, None)
    for measured in candidates:
        evaluation = evaluate(rule.statement, map(rule.figures, measured.steady))
        if evaluation is None:
            continue
        if all(figure.bounded for figure in evaluation.judged):
            return evaluation, measured.run
        if without_interval[0] is None:
            without_interval = evaluation, measured.run
    return without_interval


def _verdict(claim: Claim, rule: Rule, evaluation: Evaluation | None, has_rows: bool) -> tuple[str, str]:
    if claim.not_applicable:
        return NOT_APPLICABLE, claim.not_applicable
    if evaluation is None:
        return NOT_MEASURED, INCOMPLETE if has_rows else ""
    if not all(figure.bounded for figure in evaluation.judged):
        return NOT_MEASURED, ONE_REPETITION
    differences = disagreements(claim, rule.statement, evaluation.judged)
    if differences:
        return NOT_REPRODUCED, "; ".join(differences)
    if vague(claim, rule.statement, evaluation.judged):
        return NOT_MEASURED, TOO_WIDE
    return REPRODUCED, ""


def candidates_for(rule: Rule, settings: Sequence[Measured]) -> list[Measured]:
    """The rows for a rule, best first: the preferred setting, and of several runs of it the newest."""
    matching = (
        measured
        for measured in settings
        if measured.experiment == rule.experiment and _compiled(measured, rule.compiler)
    )
    return sorted(matching, key=_rank)


def _compiled(measured: Measured, compiler: str) -> bool:
    used = dict(measured.setting).get(COMPILER, "")
    return used == compiler if compiler else used != SECOND_COMPILER


def _rank(measured: Measured) -> tuple[list[int], int, int]:
    setting = dict(measured.setting)
    ranks = [
        order.index(str(setting[name])) if setting[name] in order else len(order)
        for name, order in PREFERRED.items()
        if name in setting
    ]
    return ranks, -measured.run, -len(measured.repetitions)


def _make_entry(
    claim: Claim,
    rule: Rule | None,
    evaluation: Evaluation | None,
    verdict: str,
    reason: str,
    command: str = "",
    run: int | None = None,
) -> Entry:
    printed = rule.statement.printed_text(claim) if rule else _printed_without_rule(claim)
    return Entry(
        number=claim.number,
        paper=claim.paper,
        document=claim.document,
        section=claim.section,
        text=claim.text,
        printed=printed,
        ours=judged_text(claim, evaluation) if evaluation else "",
        interval=interval_text(evaluation) if evaluation else "",
        all_cells=cells_text(claim, evaluation) if evaluation else "",
        figures=evaluation.judged if evaluation else [],
        cells=evaluation.cells if evaluation else 0,
        repetitions=evaluation.repetitions if evaluation else 0,
        verdict=verdict,
        reason=reason,
        command=command,
        rule=rule.name if rule else "",
        note=claim.note,
        run=run,
    )


def _printed_without_rule(claim: Claim) -> str:
    """The printed figure of a claim without a rule."""
    if claim.low is not None and claim.high is not None:
        return range_text(claim, claim.low, claim.high)
    if claim.high is not None:
        return f"up to {claim.with_unit(claim.high)}"
    assert claim.low is not None
    return f"at least {claim.with_unit(claim.low)}"
