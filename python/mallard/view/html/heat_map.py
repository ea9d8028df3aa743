"""The heat map of one data structure: a table whose cells hold every figure; the page shows one kind at
a time.

Each kind is a span of its own class, so choosing what is shown is a matter of style alone, and works
without script: p percent of AS1, i its interval, n nanoseconds a leaf, f page faults, m memory, c beside
P0213, d beside P0089.
"""

from __future__ import annotations

from mallard.analysis.cells import BASE, FLOOR, KEEP, Cell, Line, StructureTable
from mallard.analysis.comparison import Compared, Comparison
from mallard.analysis.labels import SHORT_STATUS, STATUS_TEXT, binding, families, short_name, winked_out
from mallard.analysis.verdicts import pick_of
from mallard.papers.catalogue import strategy_text
from mallard.view.html.figures import interval, mebibytes, percent, size, step_beside, step_of, three_digits
from mallard.view.html.markup import Markup, element, joined


def heat_map(table: StructureTable, p0213: Comparison, p0089: Comparison, name: str) -> Markup:
    names = table.strategies
    caption = element(
        "caption",
        f"{table.structure}, {table.type}: one row for each size of the outer container",
        class_="unseen",
    )
    lines = [
        _line(line, names, p0213.get(line.size_log2, {}), p0089.get(line.size_log2, {}))
        for line in table.lines
    ]
    grid = element("table", caption, head(names), element("tbody", *lines), class_="heat")
    return element("div", grid, class_="wide", role="region", aria_label=f"Heat map of {name}", tabindex="0")


def head(names: list[str]) -> Markup:
    """Families, names, and what tells apart the four of a family."""
    top = [
        element("th", family, colspan=str(count), scope="colgroup", class_="family")
        for family, count in families(names)
    ]
    columns = [
        element(
            "th",
            short_name(name),
            element("small", _tags(name)),
            scope="col",
            title=strategy_text(name),
        )
        for name in names
    ]
    corner = element("th", "size", scope="col", class_="size", rowspan="2")
    return element("thead", element("tr", corner, *top), element("tr", *columns))


def _tags(name: str) -> str:
    if name == FLOOR:
        return "in place"
    if name == KEEP:
        return "pages kept"
    return f"{binding(name)} wink" if winked_out(name) else binding(name)


def _line(line: Line, names: list[str], p0213: dict[str, Compared], p0089: dict[str, Compared]) -> Markup:
    picked = pick_of(line)
    least = min((cell.peak_rss_bytes for cell in line.cells.values() if cell.finished), default=0.0)
    cells = [
        _cell(
            line.cells.get(name),
            name,
            name == picked,
            p0213.get(name),
            p0089.get(name),
            least,
        )
        for name in names
    ]
    return element("tr", element("th", size(line.size_log2), scope="row", class_="size"), *cells)


def _cell(
    cell: Cell | None, name: str, best: bool, p0213: Compared | None, p0089: Compared | None, least: float
) -> Markup:
    if cell is None:
        return element("td", element("span", "·", class_="p i n f m c d none"))
    if not cell.finished:
        shown = element("span", SHORT_STATUS.get(cell.status, cell.status), class_="p i n f m c d broken")
        text = STATUS_TEXT.get(cell.status, cell.status)
        return element("td", shown, data_s=f"{text}: {cell.detail}" if cell.detail else text, data_k=name)
    ratio = cell.ratio
    colour = "plain" if ratio is None or name in (BASE, FLOOR) else step_of(ratio)
    figures = joined(
        element("span", percent(ratio.median) if ratio else "\u2013", class_=f"p {colour}"),
        element("span", interval(ratio) if ratio else "\u2013", class_=f"i {colour}"),
        element("span", three_digits(cell.ns_per_leaf), class_=f"n {colour}"),
        element("span", _count(cell.faults_per_1000), class_=f"f z{_fault_step(cell.faults_per_1000)}"),
        element(
            "span", mebibytes(cell.peak_rss_bytes), class_=f"m z{_memory_step(cell.peak_rss_bytes, least)}"
        ),
        _beside(p0213, "c", name),
        _beside(p0089, "d", name),
    )
    low, high = cell.spread
    details = "|".join(
        [
            interval(ratio) if ratio else "",
            f"{three_digits(low)}\u2013{three_digits(high)}",
            str(len(cell.times)),
            f"{100 * cell.system_share:.0f}",
            _count(cell.major_faults),
            cell.detail,
        ]
    )
    return element("td", figures, data_d=details, data_k=name, class_="best" if best else None)


def _beside(compared: Compared | None, kind: str, name: str) -> Markup:
    if compared is None:
        return element("span", "·", class_=f"{kind} none")
    ratio = compared.ratio_of_ratios
    if name == BASE and compared.ours_ns is not None and compared.printed_ns is not None:
        there = f"{three_digits(compared.printed_ns)} ns"
        return element(
            "span", three_digits(compared.ours_ns), element("small", there), class_=f"{kind} plain"
        )
    if ratio is None or compared.ours is None:
        return element(
            "span",
            "\u2013",
            element("small", f"\u2013 / {percent(compared.printed_percent / 100)}"),
            class_=f"{kind} none",
        )
    both = f"{percent(compared.ours.median)} / {percent(compared.printed_percent / 100)}"
    return element("span", f"{ratio:.2f}", element("small", both), class_=f"{kind} {step_beside(ratio)}")


def _count(value: float) -> str:
    if 0 < value < 0.1:
        return "<0.1"
    return f"{value:.2g}" if value < 9.95 else three_digits(value)


def _fault_step(per_1000: float) -> int:
    return sum(per_1000 >= end for end in (0.1, 1.0, 10.0, 100.0))


def _memory_step(peak: float, least: float) -> int:
    return sum(peak > least * factor for factor in (1.1, 1.5, 2.0, 4.0))
