"""Rules: from evidence to the cells of a claim, by the columns of claims.csv.

rule        a name, as `mallard show claims --json` prints it
statement   the claim's reading (judge.py)
experiment, options  the command that measures the cells
figure      a comparison of a strategy's time with its base, or a function of figures.py
strategies  of new-delete: `monotonic,AS7-AS10`; of other bases: `AS3:AS4-AS6 AS7:AS8`; or a list of PAIRS
cells       parameters of a cell: `ds=2..12 size_log2=11.. buffer=cold,none`, and the compiler of its row

A missing structure or strategy leaves a claim open: one of twelve structures does not decide a claim about
all. Sizes that were not measured are skipped. Buffers are in order of preference, and the first measured one
counts: strategies without a buffer have the same times under each.

P0089's ranges such as "~5 % to 15 %" are about the bulk of a table, so the middle cell is judged. Its text
has lost its exponents; the sizes of "platform boundaries" are those at which its tables jump. P0213's ranges
are the extremes of its tables, so all cells are judged; its averages are means of percents of new-delete.
allocplus became Boost.Container, whose allocators judge its claims; mallard's pools judge those on pools.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from math import inf, nan

from mallard.bench.claims.claim import claim_rows
from mallard.bench.claims.figures import COMPARISONS, FUNCTIONS, Cells, Subject, compare
from mallard.bench.claims.judge import STATEMENTS, Statement
from mallard.bench.evidence import Evidence
from mallard.bench.evidence.evidence import AnyPlace
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.panel import Phases
from mallard.bench.library import BASE
from mallard.bench.papers.catalogue import DISPATCH_PAIRS, SIZES_LOG2, WINK_OUT_PAIRS, Pair
from mallard.bench.strategy_names import current, of_papers

PAIRS: dict[str, tuple[Pair, ...]] = {
    "dispatch": DISPATCH_PAIRS,
    "local-dispatch": DISPATCH_PAIRS[1:],
    "wink-out": WINK_OUT_PAIRS,
}
AMOUNTS = frozenset({"amount", "amount_in_proportion", "megabytes_of_nodes"})  # without a base
COMPILER = "compiler"
LISTS = "lists"  # of locality: links / list length
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Rule:
    name: str
    figures: Callable[[Evidence], Cells]
    statement: Statement
    experiment: str
    command: str  # the command that measures it
    compiler: str  # the compiler whose rows it needs; empty for all but the second one


def make_figures(
    experiment: str, figure: str, strategies: str, cells: str = ""
) -> Callable[[Evidence], Cells]:
    """The function of these columns."""
    conditions = _conditions(cells)
    subject = Subject(
        experiment,
        tuple(_pairs(strategies, figure in AMOUNTS)),
        _filter(experiment, conditions),
        tuple(f"DS{number}" for number in range(1, 13) if _accepts(conditions.get("ds", ""))(number)),
        tuple(conditions["buffer"].split(",")) if "buffer" in conditions else (),
    )
    function = FUNCTIONS.get(figure) or partial(compare, COMPARISONS[figure])
    return lambda evidence: function(evidence, subject)


def _rule(row: Mapping[str, str]) -> Rule:
    experiment = row["experiment"]
    return Rule(
        row["rule"],
        make_figures(experiment, row["figure"], row["strategies"], row["cells"]),
        STATEMENTS[row["statement"]],
        experiment,
        f"mallard bench {experiment} {row['options']}".rstrip(),
        _conditions(row["cells"]).get(COMPILER, ""),
    )


def _conditions(cells: str) -> dict[str, str]:
    return dict(condition.split("=", 1) for condition in cells.split())


def _pairs(text: str, amounts: bool) -> Iterable[Pair]:
    """`AS4`, of new-delete; `AS3,AS7:AS4`, of each base; `dispatch`. An amount is its own base."""
    for term in text.split():
        if term in PAIRS:
            yield from PAIRS[term]
            continue
        bases, _, names = term.rpartition(":")
        for base in _names(bases) if bases else (BASE,):
            yield from ((name if amounts else base, name) for name in _names(names))


def _names(text: str) -> Iterable[str]:
    for name in text.split(","):
        numbers = re.fullmatch(r"AS(\d+)-AS(\d+)", name)
        yield from of_papers(int(numbers[1]), int(numbers[2])) if numbers else (current(name),)


def _filter(experiment: str, conditions: Mapping[str, str]) -> Callable[[AnyPlace], bool]:
    """Whether a place meets the conditions; buffers and structures are selected as well by the subject."""
    parameters = _parameters(experiment)
    accepted = {"size_log2": f"{SIZES_LOG2[0]}..{SIZES_LOG2[-1]}"} if experiment == "density" else {}
    accepted.update((name, text) for name, text in conditions.items() if name != COMPILER)
    tests = [(parameters.index(name), _accepts(text)) for name, text in accepted.items()]

    def accepts(place: AnyPlace) -> bool:
        values = (*place, int(place[0]) // int(place[1])) if experiment == "locality" else place
        return all(test(values[index]) for index, test in tests)

    return accepts


def _parameters(experiment: str) -> tuple[str, ...]:
    """The names of the values in a place."""
    description = EXPERIMENTS[experiment]
    if experiment == "locality":
        return (*description.claimed, "shuffle_factor", "access_factor", LISTS)
    return ("figure", *description.claimed) if isinstance(description.panel, Phases) else description.claimed


def _accepts(text: str) -> Callable[[object], bool]:
    """Whether a value is one of these words, numbers or ranges: `7,9..12`, `2^9..`, `none,static`."""
    words = text.split(",")
    bounds = (word.split("..") for word in words)
    ranges = [(_number(ends[0], -inf), _number(ends[-1], inf)) for ends in bounds if any(ends)]

    @cache
    def accepts(value: object) -> bool:
        number = _number(str(value), nan)
        return value in words or any(low <= number <= high for low, high in ranges)

    return accepts


def _number(text: str, default: float) -> float:
    """2097152 of `2^21`, 7 of `DS7`."""
    number = re.fullmatch(r"(?:DS)?(\d+)|2\^(\d+)", text)
    if number is None:
        return default
    return float(number[1]) if number[1] else 2.0 ** int(number[2])


RULES: dict[Key, Rule] = {
    (row["source"], row["section"], row["claim"]): _rule(row) for row in claim_rows() if row["rule"]
}
