"""The tables of the case studies, from advisor/case_studies/results."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from figures import BLOCKS, WHOLE_TABLES

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "advisor/case_studies"))

import regret
import score
from figures.stored import markdown_table
from harness import foreign
from harness.catalogue import CASES, NULL, UNCHANGED, UNDER
from harness.cells import Cell, read
from harness.places import MISSES, results_file, trial_code
from mallard.advisor.advice.global_mallocs import KEEP_MEMORY
from mallard.shared.mallocs import is_switch
from mallard.shared.prose import capitalised
from mallard.shared.stats import Difference

UNEXPLAINED = "Not explained yet."
BEST = "best of all, ms"
# Of the score: `score.py` prints them.
DETAILS = (
    "the same, of the second halves alone",
    "estimate of the time in allocation above all facts",
    "median of Winkler's score, as a share of the run",
    "promises at most the estimate of the time in allocation",
    "within 10 %, by the first half of the advice alone",
    "interval narrow enough",
    "sign right, all strategies that were tried",
)
# The criteria that no gain and no loss depends on.
INTERVALS = ("promised interval meets the fact's", "interval narrow enough")
# Switches that nobody sets for every program.
UNUSUAL = tuple(f"set {switch}" for switch in foreign.SWITCHES if switch != KEEP_MEMORY)
MOST_ROWS = 3  # of a table of programs; `--print` has the others


BLOCKS.update(
    case_summary=lambda: "\n".join(
        f"- {text}" for text in (*foreign_summary(regret.read()), summary(later(read())))
    ),
    case_order=lambda: order(read()),
    case_bounds=lambda: bounds(read()),
    case_age=lambda: age(read()),
    case_estimates=lambda: estimates(read()),
    case_rewrites=lambda: rewrites(read()),
    case_score=lambda: scores(read()),
    case_misses=lambda: misses(later(read()), explanations(), without=INTERVALS),
    foreign_score=lambda: foreign_score(regret.read(), regret.read_nulls()),
    foreign_rules=lambda: foreign_rules(regret.read(), without=UNUSUAL),
    foreign_nulls=lambda: foreign_nulls(regret.read()),
    foreign_programs=lambda: foreign_programs(most_regretted(regret.read())),
)
WHOLE_TABLES.update(
    case_studies=lambda: table(read()),
    case_builds=lambda: builds(read()),
    case_misses=lambda: misses(read(), explanations()),
    foreign_programs=lambda: foreign_programs(regret.read()),
    foreign_rules=lambda: foreign_rules(regret.read()),
)


def later(cells: list[Cell]) -> list[Cell]:
    """Those that the pages show; `--print` has the others."""
    return [cell for cell in cells if cell.later]


def most_regretted(rows: list[regret.Row]) -> list[regret.Row]:
    """The programs whose advised arm is slowest against the best one."""

    def ratio(row: regret.Row) -> float:
        return row.choices[regret.chosen(row, regret.advised_arm)] / row.choices[row.best]

    return sorted(rows, key=ratio, reverse=True)[:MOST_ROWS]


def explanations() -> dict[str, str]:
    """A sentence for each miss, by the cell and the criterion."""
    known: dict[str, str] = json.loads(MISSES.read_text(encoding="utf-8")) if MISSES.is_file() else {}
    return known


def summary(cells: list[Cell]) -> str:
    """The figures that a reader asks for first, each with what lowers it."""
    programs = len({cell.case for cell in cells})
    kept = score.count_promises(cells, score.at_least_promised)
    local = score.count_local(cells, score.at_least_promised)
    preloads = score.Count(kept.right - local.right, kept.total - local.total)
    return (
        f"{programs} programs of ours over well-known libraries, {len(cells)} inputs that the advisor did "
        f"not know then: {kept} promises were kept or exceeded, {preloads} of another malloc and {local} of "
        "a local allocator ([case studies](docs/advisor/case_studies.md))."
    )


def order(cells: list[Cell]) -> str:
    """For how many cells git shows that the advice was there before any measurement of the change."""
    later = [_name(cell) for cell in cells if not cell.advised_first]
    first = f"Git has the advice from before the change was measured in {len(cells) - len(later)} of "
    if not later:
        return f"{first}{len(cells)} cells."
    word = "it" if len(later) == 1 else "they"
    return (
        f"{first}{len(cells)} cells. The other {len(later)} had been measured for earlier advice before "
        f"{word} got this one: {'; '.join(later)}."
    )


def bounds(cells: list[Cell]) -> str:
    """The local promises that the change did not keep: a trial is not a bound."""
    less = score.count_local(cells, score.saved_less)
    missed = [
        f"{_name(cell)}{', second half' if promise.half == 2 else ''}"
        for cell in cells
        for promise in cell.promises
        if not promise.is_preload and score.at_least_promised(promise) is False
    ]
    return (
        f"A trial is not a bound: of {less.total} promises of a local allocator, over all inputs, the change "
        f"saved less in {less.right}, by the medians, and in {len(missed)} of these beyond both intervals "
        f"({'; '.join(missed) or 'none'})."
    )


def estimates(cells: list[Cell]) -> str:
    """The estimates of the time in allocation that are less than a fact."""
    compared = [cell for cell in cells if score.facts_under_estimate(cell) is not None]
    below = [
        f"{_name(cell)}: {1e3 * (cell.estimate or 0.0):.1f} ms, saved {1e3 * score.most_saved(cell):.1f} ms"
        for cell in compared
        if not score.facts_under_estimate(cell)
    ]
    return (
        f"The estimate is not a bound: in {len(below)} of {len(compared)} cells a build with another "
        f"allocator saved more than the upper end of the estimate ({'; '.join(below) or 'none'})."
    )


def _name(cell: Cell) -> str:
    return f"{CASES[cell.case].title}, {cell.input}"


def table(cells: list[Cell]) -> str:
    head = ["case", "before, ms", "advice", "promised, %", "fact, %", "peak, x", "advised, ms", BEST]
    return markdown_table(head, map(_row, cells), more_texts=("advice", BEST))


def _row(cell: Cell) -> list[str]:
    """The second half of the advice has the fact against the program under the advised malloc."""
    best = min(cell.seconds, key=lambda name: cell.seconds[name])
    peak = cell.peaks.get(cell.build, 0.0) / cell.peaks[UNCHANGED] if cell.peaks.get(UNCHANGED) else 0.0
    return [
        _name(cell),
        _milliseconds(cell.seconds[UNCHANGED]),
        _halves((cell.advised, cell.on_top)) or "none",
        _halves(_percent(each, cell.program_seconds) for each in (cell.promised, cell.on_top_promised)),
        _halves(_percent(each, cell.seconds[UNCHANGED]) for each in (cell.fact, cell.on_top_fact)),
        f"{peak:.1f}" if cell.fact and peak else "",
        _milliseconds(cell.seconds[cell.full_build]) if cell.full_build in cell.seconds else "",
        f"{_words(best)}, {_milliseconds(cell.seconds[best])}" if cell.has_choice else "",
    ]


def _halves(texts: Iterable[str]) -> str:
    return ", then ".join(filter(None, texts))


def builds(cells: list[Cell]) -> str:
    """The builds of which a trial promised something."""
    rows = [
        [
            _name(cell),
            _words(build),
            _percent(promised, cell.program_seconds),
            _percent(cell.facts[build], cell.seconds[UNCHANGED]),
        ]
        for cell in cells
        for build, promised in cell.predicted.items()
        if build in cell.facts
    ]
    return markdown_table(["case", "build", "promised, %", "fact, %"], rows, texts=2)


def scores(cells: list[Cell]) -> str:
    groups = {
        f"{len(group)} {name}": score.lines(group)
        for name, is_unseen in (("later inputs", True), ("first inputs", False))
        if (group := [cell for cell in cells if cell.later is is_unseen])
    }
    lines = [
        [line[0][1], *(figure for figure, _ in line)]
        for line in zip(*groups.values(), strict=True)
        if line[0][1] not in DETAILS
    ]
    return markdown_table(["over", *groups], lines)


def rewrites(cells: list[Cell]) -> str:
    """What the changed code costs by itself, where a local allocator was advised."""
    costs = [
        100 * cell.facts[NULL].median / cell.seconds[UNCHANGED]
        for cell in cells
        if cell.kind == "local" and NULL in cell.facts
    ]
    return (
        f"Bound to `new_delete`, the changed code takes {min(costs):+.0f} to {max(costs):+.0f} % more time "
        f"than the unchanged program ({len(costs)} cells)."
    )


def misses(cells: list[Cell], known: dict[str, str], without: tuple[str, ...] = ()) -> str:
    """A line for each explanation, but for these criteria."""
    missed = [(cell, name) for cell, name in score.misses(cells) if not name.startswith(without)]
    if not missed:
        return "No cell was missed."
    groups: dict[str, list[tuple[str, str]]] = {}
    for cell, name in missed:
        why = known.get(f"{cell.name}: {name}", UNEXPLAINED)
        groups.setdefault(why, []).append((_name(cell), name))
    rows = [
        [*("; ".join(dict.fromkeys(column)) for column in zip(*group, strict=True)), why]
        for why, group in groups.items()
    ]
    return markdown_table(["case", "criterion", "why"], rows, texts=3)


def _rival(rows: list[regret.Row]) -> str:
    """The rule with the least regret."""
    rules = regret.measured_rules(rows)
    return min(rules, key=lambda name: regret.regret(rows, rules[name]))


def _share_text(rows: list[regret.Row], rule: regret.Rule) -> str:
    mean, low, high = regret.compare(rows, rule)
    return f"{100 * mean:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def foreign_summary(rows: list[regret.Row]) -> list[str]:
    """README's sentences on them: the time of the unchanged program, then the best rule of thumb."""
    return [
        (
            f"{len(rows)} third-party tools in young processes, advised on one input and measured on "
            f"another: the advised program takes {_of_unchanged(rows)}. {capitalised(_kinds(rows))}."
        ),
        f"In the same tools {_versus(rows, _rival(rows))} {_peaks(rows)}. {_changed(rows)}".strip(),
    ]


def _of_unchanged(rows: list[regret.Row]) -> str:
    return f"{_share_text(rows, regret.keep)} of the time of the unchanged program"


def _peaks(rows: list[regret.Row]) -> str:
    """Against the best rule, and of both against the unchanged program."""
    rule = regret.RULES[_rival(rows)]
    ratio = regret.peak_ratio(rows, regret.advised_arm, rule)
    advised, rules = (regret.peak_ratio(rows, arm) for arm in (regret.advised_arm, rule))
    return (
        f"and {ratio:.2f} x its peak memory ({advised:.2f} x that of the unchanged program; the rule "
        f"{rules:.2f} x)"
    )


def _null_runs(nulls: tuple[int, int]) -> str:
    ended, runs = nulls
    if not runs:
        return ""
    return (
        f"Of {runs} null runs, which compare the program's own malloc with itself, {ended} ended in advice. "
    )


def age(rows: Sequence[regret.Row] | Sequence[Cell]) -> str:
    """The commit that advised, or their number, and whether the trial is the one of today."""
    commits = {row.commit for row in rows if row.commit}
    text = f"commit {''.join(commits)}" if len(commits) == 1 else f"{len(commits)} commits"
    return f"Advised at {text}. {_changed(rows)}".strip()


def _changed(rows: Sequence[regret.Row] | Sequence[Cell]) -> str:
    """With a blank, if the advice is of another trial than today's, or does not say of which."""
    changed = any(row.trial_code != trial_code() for row in rows)
    return "The trial has changed since the advice. " if changed else ""


def _counted(outcomes: dict[str, int]) -> str:
    return ", ".join(f"{number} {what}" for what, number in outcomes.items())


def _kinds(rows: list[regret.Row]) -> str:
    """What was advised. A tunable of glibc is global, too."""
    kinds = Counter(row.kind for row in rows)
    tunables = sum(is_switch(row.advised) for row in rows)
    other = len(rows) - kinds["global"] - kinds["local"]
    changes = sum(row.kind == "local" and regret.advised_arm(row) not in row.choices for row in rows)
    return (
        f"the advice is another malloc in {kinds['global'] - tunables}, a tunable of glibc in {tunables}, a "
        f"local allocator in {kinds['local']} (in {changes} by a change of the source), and nothing in "
        f"{other}"
    )


def _versus(rows: list[regret.Row], name: str) -> str:
    """The advice against a rule of thumb."""
    _, low, high = regret.compare(rows, regret.RULES[name])
    verdict = "does not differ measurably from"
    if high < 1.0 or low > 1.0:
        verdict = "is faster than" if high < 1.0 else "is slower than"
    return (
        f'the advice {verdict} the best rule of thumb, "{name}": it takes '
        f"{_share_text(rows, regret.RULES[name])} of the rule's time"
    )


def foreign_score(rows: list[regret.Row], nulls: tuple[int, int]) -> str:
    """Time and memory against the best rule of thumb, first."""
    name = _rival(rows)
    judged = regret.with_fact(rows)
    without = [row.program for row in rows if row not in judged]
    outcomes = regret.outcomes(rows)
    parts = [
        (
            f"{len(rows)} third-party programs (of {_advised()} tried), advised on one input "
            f"and measured on another: {_versus(rows, name)} {_peaks(rows)}."
        ),
        f"- The advised program takes {_of_unchanged(rows)}.",
        f"- {capitalised(_kinds(rows))}, after {regret.median_minutes(rows):.1f} minutes in the median.",
        (
            f"- Of {sum(outcomes.values())} advised changes {_counted(outcomes)}. The sign is right in "
            f"{regret.signs(judged)}, where both intervals exclude zero; the intervals of promise and fact "
            f"overlap in {regret.meets(judged)}."
        ),
        f"- Git has the advice from before the measurement in {sum(row.advised_first for row in rows)}.",
    ]
    if without:
        parts.append(
            f"- The advice for {', '.join(without)} cannot be followed without a change of the source: the "
            "unchanged program counts."
        )
    if null_runs := _null_runs(nulls):
        parts.append(f"- {null_runs.strip()}")
    parts.append(f"- {age(rows)}")
    return "\n".join([parts[0], "", *parts[1:]])


def _advised() -> int:
    """The programs that have advice."""
    return sum(results_file(foreign.ADVICE, name).is_file() for name in foreign.load())


def foreign_rules(rows: list[regret.Row], without: Sequence[str] = ()) -> str:
    """The advice and each rule, but for these, unless one is the best."""
    lines = [_rule_line("the advice", rows, regret.advised_arm, "")]
    lines += [
        _rule_line(name, rows, rule, _share_text(rows, rule))
        for name, rule in regret.measured_rules(rows).items()
        if name not in without or name == _rival(rows)
    ]
    for name, rule in regret.PATCHED.items():
        if patched := regret.followed(rows, rule):
            lines.append(_rule_line(name, patched, rule, _share_text(patched, rule)))
    further = ("time of the advice / its time", "its memory", "peak memory", "slower than before")
    return markdown_table(["choice", "programs", "regret", *further], lines)


def _rule_line(name: str, rows: list[regret.Row], rule: regret.Rule, share: str) -> list[str]:
    return [
        name,
        str(len(rows)),
        f"{regret.regret(rows, rule):.3f}",
        share,
        f"{regret.peak_ratio(rows, regret.advised_arm, rule):.2f} x" if share else "",
        f"{regret.peak_ratio(rows, rule):.2f} x",
        str(len(regret.worse_than_before(rows, rule))),
    ]


def foreign_nulls(rows: list[regret.Row]) -> str:
    """What a patch costs before it serves anything else than malloc's blocks."""
    shares = [
        f"{row.program} {100 * row.seconds[NULL] / row.seconds[UNCHANGED]:.0f} %"
        for row in rows
        if NULL in row.seconds
    ]
    if not shares:
        return "The advice on them is not measured yet."
    return f"Time of the patched program with memory from malloc, relative to Debian's: {', '.join(shares)}."


def foreign_programs(rows: list[regret.Row]) -> str:
    head = ["program", "before, ms", "advice", "promised, %", "fact, %", "peak, x", BEST]
    lines = (line for row in rows for line in _foreign_rows(row))
    return markdown_table(head, lines, more_texts=("advice", BEST))


def _foreign_rows(row: regret.Row) -> list[list[str]]:
    """A row, and one of the second half against the program under the advised malloc."""
    before = row.seconds[UNCHANGED]
    followed = row.arm in row.choices
    first = [
        row.program,
        _milliseconds(before),
        row.advised or f"none ({row.kind})",
        _percent(row.promised, row.promised_seconds),
        _percent(row.facts.get(row.arm), before) if followed else "no fact",
        f"{row.peaks[row.arm] / row.peaks[UNCHANGED]:.1f}" if followed and row.arm != UNCHANGED else "",
        f"{_words(row.best)}, {_milliseconds(row.choices[row.best])}",
    ]
    if row.second not in row.choices:
        return [first]
    second = [
        f"{row.program}, second half",
        _milliseconds(row.seconds[row.arm]),
        _words(row.second),
        _percent(row.second_promised, row.promised_seconds),
        _percent(row.second_fact, row.seconds[row.arm]),
        f"{row.peaks[row.second] / row.peaks[UNCHANGED]:.1f}",
        "",
    ]
    return [first, second]


def _words(build: str) -> str:
    """The name of a build; of the unchanged program under another malloc that of the malloc."""
    name, under, malloc = build.partition(UNDER)
    if under and name == UNCHANGED:
        return malloc
    return name.replace("_", " ") + (f", under {malloc}" if under else "")


def _percent(difference: Difference | None, seconds: float) -> str:
    """In percent of the run."""
    if difference is None:
        return ""
    median, low, high = (
        100 * value / seconds for value in (difference.median, difference.low, difference.high)
    )
    return f"{median:+.0f} ({low:+.0f} to {high:+.0f})"


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.0f}"
