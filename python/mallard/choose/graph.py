"""The decision walk as data: questions, their answers, and the next question of each (P0089 section 2).

    threads -one-> locality -together-> density -much-> variation -> utilization -> fragmentation
       |              |                    |                                             |
    several       scattered              little                        BUILT <- destruction <- binding
       |              |                    |
    freed_by    access_binding            FEW
       |   `-itself-> locality
     another      SCATTERED
       |
   FROM_ANOTHER

A question knows the answer of a case, and the case of an answer. So one table serves the walk of one case
and the chart of all cases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from mallard.choose.case import (
    ANY,
    BASE_CLASS,
    HIGH,
    INLINE,
    LOW,
    NO,
    OTHER,
    SELF,
    TYPE,
    YES,
    Case,
)

SEVERAL_THREADS = 4  # the chart's number of threads for more than one

# Leaves: the kind of rows that decides.
FROM_ANOTHER = "from_another"  # contention, blocks freed by another thread
SCATTERED = "scattered"  # locality, access after the shuffle
FEW = "few"  # none: allocation takes little of the time
BUILT = "built"  # density, or fragmentation if the heap is shared
LEAVES = (FROM_ANOTHER, SCATTERED, FEW, BUILT)


@dataclass(frozen=True)
class Question:
    name: str
    dimension: str
    text: str
    next: dict[str, str]  # answer -> the next question or leaf
    answer: Callable[[Case], str]
    assume: Callable[[Case, str], Case]  # sets the case to this answer
    of_structure: bool = False  # the data structure gives the answer


def _one_of(here: str, there: str, is_here: Callable[[Case], bool]) -> Callable[[Case], str]:
    return lambda case: here if is_here(case) else there


def _set(field: str, values: dict[str, object]) -> Callable[[Case, str], Case]:
    return lambda case, answer: replace(case, **{field: values[answer]})  # type: ignore[arg-type]


def _binding(name: str, following: str) -> Question:
    values: dict[str, object] = {
        "type parameter": TYPE,
        "abstract base": BASE_CLASS,
        "inline base": INLINE,
        "any of them": ANY,
    }
    words = {value: answer for answer, value in values.items()}
    return Question(
        name,
        "binding",
        "Bound by type parameter, abstract base or inline base?",
        dict.fromkeys(values, following),
        lambda case: words[case.binding],
        _set("binding", values),
    )


_ALL = (
    Question(
        "threads",
        "C",
        "How many threads allocate at once?",
        {"one": "locality", "several": "freed_by"},
        _one_of("one", "several", lambda case: case.threads == 1),
        _set("threads", {"one": 1, "several": SEVERAL_THREADS}),
    ),
    Question(
        "freed_by",
        "C",
        "Which thread frees a block?",
        {"its own": "locality", "another": FROM_ANOTHER},
        _one_of("its own", "another", lambda case: case.freed_by == SELF),
        _set("freed_by", {"its own": SELF, "another": OTHER}),
    ),
    Question(
        "locality",
        "L",
        "Does its memory stay together while it is used?",
        {"together": "density", "scattered": "access_binding"},
        _one_of("scattered", "together", lambda case: case.can_scatter),
        _set("locality", {"together": HIGH, "scattered": LOW}),
    ),
    _binding("access_binding", SCATTERED),
    Question(
        "density",
        "D",
        "Is allocation much of its work?",
        {"much": "variation", "little": FEW},
        _one_of("much", "little", lambda case: case.density == HIGH),
        _set("density", {"much": HIGH, "little": LOW}),
    ),
    Question(
        "variation",
        "V",
        "Do the sizes of blocks vary?",
        {"hardly": "utilization", "much": "utilization"},
        _one_of("much", "hardly", lambda case: case.variation == HIGH),
        _set("variation", {"hardly": LOW, "much": HIGH}),
        of_structure=True,
    ),
    Question(
        "utilization",
        "U",
        "Can freed memory wait until the end?",
        {"it can": "fragmentation", "used again": "fragmentation"},
        _one_of("it can", "used again", lambda case: case.only_grows_bearably),
        _set("utilization", {"it can": 1.0, "used again": 0.0}),
    ),
    Question(
        "fragmentation",
        "F",
        "Do other parts of the program allocate on its heap?",
        {"no": "binding", "yes": "binding"},
        _one_of("yes", "no", lambda case: case.fragmented == YES),
        _set("fragmented", {"no": NO, "yes": YES}),
    ),
    _binding("binding", "destruction"),
    Question(
        "destruction",
        "destruction",
        "May destructors be left out (winking out)?",
        {"no": BUILT, "yes": BUILT},
        _one_of("yes", "no", lambda case: case.wink_out == YES),
        _set("wink_out", {"no": NO, "yes": YES}),
    ),
)
QUESTIONS = {question.name: question for question in _ALL}
ROOT = "threads"


def path_of(case: Case) -> tuple[list[tuple[Question, str]], str]:
    """The questions on the way of a case, with its answers, and its leaf."""
    path = []
    at = ROOT
    while at not in LEAVES:
        question = QUESTIONS[at]
        answer = question.answer(case)
        path.append((question, answer))
        at = question.next[answer]
    return path, at
