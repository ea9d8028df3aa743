"""P0089's question, whether to use a local allocator and which one, as a chart with this machine's figures.

The chart is a tree of lists, so it can be read without its lines. The longest way goes on below a question,
and the others stand beside it; equally long ways stand side by side. Two questions with only leaves behind
them become one table. A question with one answer becomes a line above the next one.
"""

from __future__ import annotations

from collections.abc import Sequence

from mallard.bench.analysis.names import BASE
from mallard.bench.choose import Chart, ChartLeaf, ChartNode
from mallard.bench.view.html.contents import Section
from mallard.shared.view.html.figures import interval, percent, with_raised_exponents
from mallard.shared.view.html.markup import Markup, breakable, element, joined
from mallard.shared.view.html.says import render_sentences
from mallard.shared.view.html.tables import chip, data_table, scrolled

NAME = "decision"
HEADING = "Use a local allocator? Which one?"
DIMENSIONS = {
    "D": "density",
    "V": "variation",
    "L": "locality",
    "U": "utilization",
    "F": "fragmentability",
    "C": "contention",
}


def decision_section(chart: Chart) -> Section:
    tree = _Tree(chart)
    body = joined(
        element(
            "p",
            f"Answer from the top. Percents are of the global allocator's time, here, for {chart.subject}; "
            "for another structure ask ",
            element("code", "mallard choose"),
            ".",
        ),
        element("div", tree.branch(tree.root), class_="tree"),
        element("p", "The same strategies in whole programs:") if chart.programs else None,
        render_sentences(chart.programs),
        _grounds(tree),
    )
    return Section(NAME, "Decide", HEADING, Markup(with_raised_exponents(body)), _answer(chart.leaves))


def _answer(leaves: Sequence[ChartLeaf]) -> Markup | None:
    measured = [leaf for leaf in leaves if leaf.strategy]
    if not measured:
        return None
    local = sum(leaf.strategy != BASE for leaf in measured)
    ends = [f"{local} to a local allocator", f"{len(measured) - local} to the global one"]
    if len(measured) < len(leaves):
        ends.append(f"{len(leaves) - len(measured)} not measured")
    return joined(f"{len(leaves)} ways through the questions: {', '.join(ends)}.")


class _Tree:
    def __init__(self, chart: Chart) -> None:
        self.nodes = {node.id: node for node in chart.nodes}
        self.leaves = {leaf.id: leaf for leaf in chart.leaves}
        self.root = next(node.id for node in chart.nodes if node.column == 0)
        self.following: dict[str, list[tuple[str, str]]] = {}
        self.joins: set[tuple[str, str]] = set()  # the edges to a question that is drawn elsewhere
        for edge in chart.edges:
            self.following.setdefault(edge.source, []).append((edge.answer, edge.target))
            target = self.nodes.get(edge.target)
            if target and target.column <= self.nodes[edge.source].column:
                self.joins.add((edge.source, edge.target))
        self.joined = {target for _, target in self.joins}

    def branch(self, name: str, answered: Sequence[str] = ()) -> Markup:
        """The chart below a node. `answered` are the preceding questions that have a single answer."""
        if name in self.leaves:
            return _leaf(self.leaves[name])
        node, ways = self.nodes[name], self.following[name]
        if len(ways) == 1 and name not in self.joined:
            answer, target = ways[0]
            return self.branch(target, (*answered, f"{node.question} {answer}"))
        second = self._second_question(name)
        if second:
            return _table(self, node, second, answered)
        lengths = {target: self._length(name, target) for _, target in ways}
        longest = max(lengths.values())
        aside = [way for way in ways if lengths[way[1]] < longest or longest == 0]
        below = [way for way in ways if way not in aside]
        return element(
            "div",
            element("div", _question(node, answered), self._ways(name, aside, "beside"), class_="ask"),
            self._ways(name, below, "below parallel" if len(below) > 1 else "below"),
            class_="branch",
        )

    def _ways(self, name: str, ways: Sequence[tuple[str, str]], class_: str) -> Markup | None:
        items = [
            element(
                "li",
                element("span", answer, class_="answer"),
                _goto(self.nodes[target]) if (name, target) in self.joins else self.branch(target),
            )
            for answer, target in ways
        ]
        return element("ol", *items, class_=class_) if items else None

    def _length(self, source: str, name: str) -> int:
        """The number of questions from here on. A question drawn elsewhere is a link."""
        if name in self.leaves or (source, name) in self.joins:
            return 0
        return 1 + max(self._length(name, target) for _, target in self.following[name])

    def _second_question(self, name: str) -> ChartNode | None:
        """The next question, if all answers lead to equal ones and only leaves follow; else None."""
        targets = [self.nodes.get(target) for _, target in self.following[name]]
        first = targets[0]
        if first is None or name in self.joined:
            return None
        alike = all(node and node.question == first.question and self._ends(node, first) for node in targets)
        return first if alike else None

    def _ends(self, node: ChartNode, like: ChartNode) -> bool:
        answers = [answer for answer, _ in self.following[node.id]]
        return (
            node.id not in self.joined
            and answers == [answer for answer, _ in self.following[like.id]]
            and all(target in self.leaves for _, target in self.following[node.id])
        )


def _goto(node: ChartNode) -> Markup:
    link = element("a", node.question, href=f"#{_anchor(node)}")
    return element("div", "go on at ", link, class_="goto")


def _question(node: ChartNode, answered: Sequence[str]) -> Markup:
    dimension = DIMENSIONS.get(node.dimension)
    return element(
        "div",
        element("span", dimension, class_="dimension") if dimension else None,
        *(element("span", question, class_="given") for question in answered),
        element("b", node.question),
        class_="question",
        id=_anchor(node),
    )


def _anchor(node: ChartNode) -> str:
    return "ask-" + node.id.replace("/", "-").replace("=", "-").replace(" ", "-")


def _table(tree: _Tree, node: ChartNode, second: ChartNode, answered: Sequence[str]) -> Markup:
    answers = [answer for answer, _ in tree.following[second.id]]
    head = element(
        "tr",
        element("th", element("small", node.question)),
        *(
            element("th", element("small", f"{second.question} " if not n else ""), answer)
            for n, answer in enumerate(answers)
        ),
    )
    rows = [
        element(
            "tr",
            element("th", answer),
            *(element("td", _leaf(tree.leaves[leaf], brief=True)) for _, leaf in tree.following[target]),
        )
        for answer, target in tree.following[node.id]
    ]
    return element(
        "div",
        *(element("span", question, class_="given") for question in answered),
        element("table", element("thead", head), element("tbody", *rows)),
        class_="answers",
    )


def _leaf(leaf: ChartLeaf, brief: bool = False) -> Markup:
    """A leaf. In a table, the row and the column say its answers."""
    kind = "unmeasured" if not leaf.strategy else "global" if leaf.ratio is None else "local"
    ratio = leaf.ratio
    figures = chip(f"{percent(ratio.median)} %", ratio, interval(ratio)) if ratio else None
    return element(
        "div",
        element("b", breakable(leaf.title)),
        figures,
        None if brief else element("span", leaf.text, class_="what"),
        element("code", leaf.missing) if leaf.missing and not brief else None,
        class_=f"leaf {kind}",
        title=leaf.text if brief else None,
    )


def _grounds(tree: _Tree) -> Markup:
    """The cells behind each leaf, in a folded list."""
    rows = [
        element(
            "tr",
            element("td", _path(leaf.id)),
            element("th", breakable(leaf.title)),
            element("td", *(element("div", cell.text) for cell in leaf.cells), _missing(leaf)),
        )
        for leaf in tree.leaves.values()
        if leaf.cells or leaf.missing
    ]
    if not rows:
        return Markup("")
    grid = data_table(("answers", "use", "rests on"), rows, "plain-table grounds")
    summary = element("summary", "The cells that each answer rests on")
    return element("details", summary, scrolled(grid, "Evidence of the chart"))


def _path(leaf: str) -> str:
    return ", ".join(part.replace("=", ": ").replace("_", " ") for part in leaf.split("/") if "=" in part)


def _missing(leaf: ChartLeaf) -> Markup | None:
    return element("div", "measured by ", element("code", leaf.missing)) if leaf.missing else None
