"""Every claim of the papers with this machine's figure and a verdict, as a table that can be filtered.

Radio buttons and the style sheet filter by verdict and paper, even without script. The script adds the
search for words, and counts the rows in view.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from mallard.bench.claims import NOT_APPLICABLE, NOT_MEASURED, NOT_REPRODUCED, REPRODUCED, Entry
from mallard.bench.view.html.contents import Section
from mallard.shared.view.html.figures import with_raised_exponents
from mallard.shared.view.html.markup import Markup, element, empty_element, joined
from mallard.shared.view.html.tables import data_table, scrolled

NAME = "claims"
HEADING = "Every claim, and what it is here"
CLASSES = {
    REPRODUCED: "reproduced",
    NOT_REPRODUCED: "not-reproduced",
    NOT_APPLICABLE: "not-applicable",
    NOT_MEASURED: "not-measured",
}
PAPERS = {
    "p0089": "P0089",
    "p0213": "P0213",
    "loki": "Loki",
    "allocplus": "allocplus",
    "optimized": "Optimized C++",
    "mallard": "found here",
}


def claims_section(ledger: Sequence[Entry]) -> Section:
    counts = Counter(entry.verdict for entry in ledger)
    papers = Counter(entry.paper for entry in ledger)
    verdicts = {CLASSES[name]: (name, counts[name]) for name in CLASSES}
    named = {name: (text, papers[name]) for name, text in PAPERS.items() if papers[name]}
    body = joined(
        element("p", "Each figure in the prose of the documents, this machine's, and whether the two agree."),
        _bars(ledger),
        element(
            "div",
            _filter("verdict", "every verdict", verdicts, len(ledger)),
            _filter("paper", "every document", named, len(ledger)),
            element(
                "p",
                element(
                    "label", "with the words ", empty_element("input", type="search", id="claims-search")
                ),
                element("output", f"{len(ledger)} claims", id="claims-shown", aria_live="polite"),
                class_="search",
            ),
            class_="filters",
        ),
        _table(ledger),
    )
    return Section(NAME, "Claims", HEADING, body, _answer(counts, len(ledger)))


def _answer(counts: Mapping[str, int], all_: int) -> Markup:
    judged = counts[REPRODUCED] + counts[NOT_REPRODUCED]
    return joined(
        element("strong", f"{counts[REPRODUCED]} of {judged} claims that could be checked are reproduced"),
        f"; {counts[NOT_APPLICABLE]} of {all_} do not apply here, {counts[NOT_MEASURED]} are not measured.",
    )


def _filter(name: str, everything: str, options: Mapping[str, tuple[str, int]], all_: int) -> Markup:
    buttons = [_button(name, "all", everything, all_, True)]
    buttons += [_button(name, key, text, count, False) for key, (text, count) in options.items()]
    return element(
        "fieldset", element("legend", f"Only this {name}", class_="unseen"), *buttons, class_="choice"
    )


def _button(name: str, key: str, text: str, count: int, checked: bool) -> Markup:
    identity = f"claims-{name}-{key}"
    return joined(
        empty_element("input", type="radio", name=f"claims-{name}", id=identity, value=key, checked=checked),
        element("label", text, " ", element("small", str(count)), for_=identity),
    )


def _bars(ledger: Sequence[Entry]) -> Markup:
    """The number of each verdict, in a bar for each document."""
    rows = []
    for name, text in PAPERS.items():
        counts = Counter(entry.verdict for entry in ledger if entry.paper == name)
        if not counts:
            continue
        parts = [
            element(
                "span",
                str(counts[verdict]),
                class_=f"part {class_}",
                style=f"flex-grow:{counts[verdict]}",
                title=f"{counts[verdict]} {verdict}",
            )
            for verdict, class_ in CLASSES.items()
            if counts[verdict]
        ]
        rows.append(joined(element("dt", text), element("dd", *parts)))
    legend = [element("li", verdict, class_=class_) for verdict, class_ in CLASSES.items()]
    return joined(element("ul", *legend, class_="verdict-legend"), element("dl", *rows, class_="bars"))


def _table(ledger: Sequence[Entry]) -> Markup:
    heads = ("no.", "claim", "printed", "here", "verdict")
    return scrolled(data_table(heads, map(_row, ledger), "claims plain-table", "Claims"), "Claims")


def _row(entry: Entry) -> Markup:
    cells = f" {entry.cells} cells" if entry.cells > 1 else ""
    measured = [
        element("b", entry.ours) if entry.ours else "\u2013",
        element("small", f"{entry.interval}{';' if entry.interval and cells else ''}{cells}"),
    ]
    reason = element("small", with_raised_exponents(entry.reason)) if entry.reason else None
    return element(
        "tr",
        element("td", entry.number),
        element(
            "th",
            with_raised_exponents(entry.shown_text),
            element("small", f"{PAPERS.get(entry.paper, entry.paper)} {entry.section}", title=entry.document),
            element("small", with_raised_exponents(entry.shown_note), class_="note") if entry.note else None,
        ),
        element("td", with_raised_exponents(entry.printed)),
        element("td", *measured),
        element(
            "td",
            element("span", entry.verdict, class_=CLASSES[entry.verdict]),
            reason,
            element("code", entry.command) if entry.command and entry.verdict == NOT_MEASURED else None,
        ),
        data_paper=entry.paper,
        data_verdict=CLASSES[entry.verdict],
    )
