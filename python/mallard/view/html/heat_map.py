"""The heat map of one data structure: a table whose cells hold every figure; the page shows one kind at
a time.

Each kind is a span of its own class, so choosing what is shown is a matter of style alone, and works
without script: p percent of AS1, i its interval, n nanoseconds a leaf, f page faults, m memory, c beside
P0213, d beside P0089.
"""

from __future__ import annotations

from mallard.analysis.cells import BASE, FLOOR, KEEP, Cell, Line, StructureTable
from mallard.analysis.comparison import Compared, Comparison
from mallard.analysis.verdicts import best_of
from mallard.papers.catalogue import strategies, strategy_text
from mallard.view.html.figures import interval, mebibytes, percent, size, step, step_of, three_digits
from mallard.view.html.markup import Markup, element, joined

GROUPS = {
    "global default": "global",
    "new/delete": "global",
    "multipool backed by monotonic": "multipool over monotonic",
}
STATUS = {"out_of_memory": "mem", "timed_out": "time", "crashed": "crash", "failed": "fail"}
STATUS_TEXT = {
    "out_of_memory": "out of memory",
    "timed_out": "timed out",
    "crashed": "crashed",
    "failed": "failed",
}


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
    families: list[tuple[str, int]] = []
    for name in names:
        family = _family(name)
        count = families.pop()[1] + 1 if families and families[-1][0] == family else 1
        families.append((family, count))
    top = [
        element("th", family, colspan=str(count), scope="colgroup", class_="family")
        for family, count in families
    ]
    columns = [
        element(
            "th",
            name.replace("AS1-keep", "keep"),
            element("small", _tags(name)),
            scope="col",
            title=strategy_text(name),
        )
        for name in names
    ]
    corner = element("th", "size", scope="col", class_="size", rowspan="2")
    return element("thead", element("tr", corner, *top), element("tr", *columns))


def _family(name: str) -> str:
    if name == FLOOR:
        return "floor"
    if name in (BASE, KEEP) or name not in strategies():
        return "global" if name in (BASE, KEEP) else "other"
    allocator = strategies()[name].allocator
    return GROUPS.get(allocator, allocator)


def _tags(name: str) -> str:
    if name == FLOOR:
        return "no cost"
    if name == KEEP:
        return "pages kept"
    if name not in strategies():
        return ""
    strategy = strategies()[name]
    binding = "base" if strategy.binding == "abstract base" else "type"
    return f"{binding} wink" if strategy.destruction == "winked out" else binding


def _line(line: Line, names: list[str], p0213: dict[str, Compared], p0089: dict[str, Compared]) -> Markup:
    best = best_of(line)
    least = min((cell.peak_rss_bytes for cell in line.cells.values() if cell.finished), default=0.0)
    cells = [
        _cell(
            line.cells.get(name),
            name,
            name == (best.strategy if best else ""),
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
        shown = element("span", STATUS.get(cell.status, cell.status), class_="p i n f m c d broken")
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
        both = f"{three_digits(compared.ours_ns)} / {three_digits(compared.printed_ns)}"
        return element("span", "ns", element("small", both), class_=f"{kind} plain")
    if ratio is None or compared.ours is None:
        return element(
            "span",
            "\u2013",
            element("small", f"\u2013 / {percent(compared.printed_percent / 100)}"),
            class_=f"{kind} none",
        )
    both = f"{percent(compared.ours.median)} / {percent(compared.printed_percent / 100)}"
    return element("span", f"{ratio:.2f}", element("small", both), class_=f"{kind} {step(ratio)}")


def _count(value: float) -> str:
    return "0" if value == 0 else f"{value:.2g}" if value < 10 else three_digits(value)


def _fault_step(per_1000: float) -> int:
    return sum(per_1000 >= end for end in (0.1, 1.0, 10.0, 100.0))


def _memory_step(peak: float, least: float) -> int:
    return sum(peak > least * factor for factor in (1.1, 1.5, 2.0, 4.0))
