"""The survey of `mallard bench`: a line for programs that people write, and one for each question of the five
documents.

    survey.csv -> Question -> Request -> a run of its experiment -> Answer: the best of each column, the use

A figure is the geometric mean, over the cells of a question, of the time in percent of glibc's. A column
takes one allocator for all cells of a line: the one with the smallest mean.

A local allocator pays if the fastest one, mallard's or std::pmr's, is faster than the fastest malloc beyond
the interval. It does not if it is slower beyond the interval. Both are even if the interval is within five
percent of equal times. Otherwise the measurement resolves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mallard.bench.analysis.names import malloc
from mallard.bench.cells import Cell, cell_rows, paired
from mallard.bench.library import BASE
from mallard.bench.papers.files import read_csv
from mallard.bench.plan.request import Request
from mallard.bench.result import Row
from mallard.bench.strategy_names import GLOBAL_STRATEGIES
from mallard.shared.mallocs import OWN
from mallard.shared.stats import Ratio, geometric_mean_ratio

REPETITIONS = 3
CONTENDER_PREFIX = "pmr-"


@dataclass(frozen=True)
class Question:
    text: str
    source: str
    experiment: str
    local: tuple[str, ...]
    standard: tuple[str, ...]
    cells: str
    """The cells in words, for --help."""
    options: Mapping[str, str] = field(default_factory=dict)

    def request(self, mallocs: str | None) -> Request:
        return Request(
            self.experiment,
            options=self.options,
            strategies=",".join((BASE, *self.standard, *self.local)),
            mallocs=mallocs,
            repetitions=REPETITIONS,
            survey=True,
        )


QUESTIONS = tuple(
    Question(
        row["text"],
        row["source"],
        row["experiment"],
        tuple(row["local"].split()),
        tuple(row["standard"].split()),
        row["cells"],
        dict(option.split("=") for option in row["options"].split()),
    )
    for row in read_csv("survey.csv", "analysis")
)


@dataclass(frozen=True)
class Choice:
    """An allocator with its mean time as a ratio to glibc's."""

    name: str
    ratio: Ratio


@dataclass(frozen=True)
class Answer:
    question: Question
    rows: Sequence[Mapping[str, Cell]]
    """For each cell of the question, its strategies."""

    def mean(self, name: str, base: str = BASE) -> Ratio | None:
        """None unless both finished in every cell: a mean over fewer cells answers another question."""
        pairings = [
            paired(row[name].times, row[base].times) if name in row and base in row else None
            for row in self.rows
        ]
        if not pairings or not all(pairings):
            return None
        return geometric_mean_ratio([pairing for pairing in pairings if pairing])

    @property
    def malloc(self) -> Choice | None:
        """The fastest of the mallocs other than glibc's."""
        return self._best(lambda name: bool(malloc(name)) and name.startswith(BASE + "@"))

    @property
    def standard(self) -> Choice | None:
        return self._best(lambda name: name in self.question.standard)

    @property
    def local(self) -> Choice | None:
        return self._best(lambda name: name in self.question.local)

    @property
    def choices(self) -> list[Choice]:
        """glibc and the best of each column, the fastest first."""
        glibc = Choice(BASE, Ratio(1.0, 1.0, 1.0, 1)) if self.rows else None
        columns = (glibc, self.malloc, self.standard, self.local)
        return sorted((choice for choice in columns if choice), key=_median)

    @property
    def fastest_malloc(self) -> Choice | None:
        return next((choice for choice in self.choices if _is_malloc(choice)), None)

    @property
    def fastest_local(self) -> Choice | None:
        """The fastest local allocator: mallard's or the standard library's."""
        return next((choice for choice in self.choices if not _is_malloc(choice)), None)

    @property
    def gain(self) -> Ratio | None:
        """The time of the fastest local allocator as a ratio to the fastest malloc's."""
        local, malloc = self.fastest_local, self.fastest_malloc
        return self.mean(local.name, malloc.name) if local and malloc else None

    @property
    def pays(self) -> bool:
        return self.gain is not None and self.gain.outcome == "faster"

    @property
    def loses(self) -> bool:
        return self.gain is not None and self.gain.outcome == "slower"

    @property
    def use(self) -> list[str]:
        """The fastest allocator, and those that are not resolved from it. glibc alone if it is one of them,
        because no other is known to be faster.
        """
        choices = [choice for choice in self.choices if not (self.pays and _is_malloc(choice))]
        even = [choice.name for choice in choices if not self._is_slower(choice, choices[0])]
        return [in_words(name) for name in ([BASE] if BASE in even else even)]

    def _is_slower(self, choice: Choice, fastest: Choice) -> bool:
        ratio = self.mean(choice.name, fastest.name)
        return ratio is not None and ratio.verdict == "slower"

    def _best(self, accepts: Callable[[str], bool]) -> Choice | None:
        names = dict.fromkeys(name for row in self.rows for name in row if accepts(name))
        choices = [Choice(name, ratio) for name in names if (ratio := self.mean(name))]
        return min(choices, key=_median, default=None)


def answers(rows_by_question: Iterable[Iterable[Row]]) -> list[Answer]:
    """The answers to QUESTIONS: of the programs first; then those where a local allocator pays, the
    largest gain first; last those where it does not.
    """
    unsorted = [
        Answer(question, [row.cells for row in cell_rows(rows)])
        for question, rows in zip(QUESTIONS, rows_by_question, strict=True)
    ]
    return [unsorted[0], *sorted(unsorted[1:], key=_gain)]


def _gain(answer: Answer) -> tuple[bool, bool, float]:
    return not answer.pays, answer.loses, answer.gain.median if answer.gain else 1.0


def _is_malloc(choice: Choice) -> bool:
    return choice.name == BASE or bool(malloc(choice.name))


def in_words(name: str) -> str:
    """`mimalloc` of new-delete@mimalloc, `std::pmr` of a resource of the standard library."""
    if name in GLOBAL_STRATEGIES:
        return OWN
    if name.startswith(CONTENDER_PREFIX):
        return "std::pmr"
    return malloc(name) or name


def _median(choice: Choice) -> float:
    return choice.ratio.median
