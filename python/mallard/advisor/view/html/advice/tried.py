"""The tables of the trial: all strategies by heap and malloc, and the candidates of the short trials."""

from __future__ import annotations

from mallard.advisor.advice.study import Screened, Study
from mallard.advisor.advice.wording import interval, peak_ratio, percent, times
from mallard.advisor.profile.words import count
from mallard.advisor.trial.campaign import Ground
from mallard.advisor.trial.verdict import Effect
from mallard.advisor.view.html.profile.content import Part, number, number_head, table
from mallard.shared.view.html.markup import Markup, breakable, element, joined


def tried_part(study: Study) -> Part | None:
    if study.trial is None or study.chosen is None:
        return None
    grounds = [*study.trial.grounds, *([study.on_top] if study.on_top else [])]
    body = joined(
        element(
            "p",
            f"{study.trial.rounds} rounds in random order; medians of the differences to the null within a "
            "round, with intervals at 95 %. The null finds the scope in the same way and serves nothing.",
        ),
        *(joined(_heading(ground), _strategies(study, ground)) for ground in grounds),
        joined(element("h3", "Every strategy, in a short trial"), _strategies(study, study.briefly))
        if study.briefly
        else None,
        _candidates(study.screened) if len(study.screened) > 1 else None,
    )
    return Part("tried", "Tried", f"Trials in {study.chosen.with_source}", body, {})


def _heading(ground: Ground) -> Markup:
    kind = "wall time" if ground.trial.wall else "CPU time"
    return element(
        "h3",
        f"Against {ground.malloc} on a {ground.heap} heap ",
        element("small", f"{times(ground.trial.program_seconds)} of {kind} as it is"),
    )


def _strategies(study: Study, ground: Ground) -> Markup:
    heads = (
        "strategy",
        *map(number_head, ("saved", "interval", "of all", "peak", "faults", "served", "rewound")),
    )
    rows = [_strategy(study, ground, effect) for effect in ground.trial.effects]
    return table(f"Strategies against {ground.malloc} on a {ground.heap} heap", heads, rows)


def _strategy(study: Study, ground: Ground, effect: Effect) -> Markup:
    counts = effect.counts
    requests = counts.requests
    mark = " (another output)" if effect.strategy in ground.differing else ""
    saved = -effect.time.median
    return element(
        "tr",
        element("th", breakable(effect.strategy), mark or None),
        number(times(saved), "saved"),
        number(interval(effect.time), "interval"),
        number(percent(saved / ground.trial.program_seconds), "of all"),
        number(peak_ratio(effect.peak_bytes.median, study.globals.peak_bytes), "peak"),
        number(f"{effect.faults.median:+,.0f}", "faults"),
        number(percent(counts.served / requests) if requests else "", "served"),
        number(count(counts.started_again) if counts.started_again else "", "rewound"),
    )


def _candidates(screened: tuple[Screened, ...]) -> Markup:
    """The table of candidates. The best of the short trials is measured in full."""
    heads = ("scope", *map(number_head, ("blocks", "contained", "saved in a short trial")))
    rows = [
        element(
            "tr",
            element("th", entry.candidate.with_source),
            number(count(entry.candidate.allocations), "blocks"),
            number(
                "" if entry.candidate.containment is None else percent(entry.candidate.containment),
                "contained",
            ),
            number(times(entry.saved_seconds) if entry.result else entry.reason, "saved in a short trial"),
        )
        for entry in screened
    ]
    return joined(element("h3", "Scopes that were tried"), table("Scopes that were tried", heads, rows))
