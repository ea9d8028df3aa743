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

A question maps a case to its answer, and an answer to a case. So one table serves the walk of one case and
the chart of all cases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from mallard.bench.choose.case import (
    ANY,
    BASE_CLASS,
    HIGH,
    INLINE,
    LOW,
    NO,
    OTHER_THREAD,
    OWN_THREAD,
    TYPE,
    YES,
    Case,
)

SEVERAL_THREADS = 4  # the chart's number of threads for more than one

# Leaves: the kind of rows that decides.
FROM_ANOTHER = "from_another"  # contention, blocks freed by another thread
SCATTERED = "scattered"  # locality, access after the shuffle
FEW = "few"  # no rows: allocation takes little of the time
BUILT = "built"  # density, or fragmentation if the heap is shared
LEAVES = (FROM_ANOTHER, SCATTERED, FEW, BUILT)


@dataclass(frozen=True)
class Question:
    name: str
    dimension: str
    text: str
    next: dict[str, str]  # answer -> the next question or leaf
    answer: Callable[[Case], str]
    assume: Callable[[Case, str], Case]  # the case with this answer
    from_structure: bool = False  # the data structure gives the answer


def _set(field: str, values: dict[str, object]) -> Callable[[Case, str], Case]:
    return lambda case, answer: replace(case, **{field: values[answer]})  # type: ignore[arg-type]


def _either(
    name: str,
    dimension: str,
    text: str,
    field: str,
    answers: dict[str, tuple[str, object]],
    is_first: Callable[[Case], bool],
    from_structure: bool = False,
) -> Question:
    """A question with two answers. Each has its next question or leaf, and the value of its field in a
    case.
    """
    first, second = answers
    return Question(
        name,
        dimension,
        text,
        {answer: following for answer, (following, _) in answers.items()},
        lambda case: first if is_first(case) else second,
        _set(field, {answer: value for answer, (_, value) in answers.items()}),
        from_structure,
    )


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
    _either(
        *("threads", "C", "How many threads allocate at once?", "threads"),
        {"one": ("locality", 1), "several": ("freed_by", SEVERAL_THREADS)},
        lambda case: case.threads == 1,
    ),
    _either(
        *("freed_by", "C", "Which thread frees a block?", "freed_by"),
        {"its own": ("locality", OWN_THREAD), "another": (FROM_ANOTHER, OTHER_THREAD)},
        lambda case: case.freed_by == OWN_THREAD,
    ),
    _either(
        *("locality", "L", "Does its memory stay together while it is used?", "locality"),
        {"together": ("density", HIGH), "scattered": ("access_binding", LOW)},
        lambda case: not case.can_scatter,
    ),
    _binding("access_binding", SCATTERED),
    _either(
        *("density", "D", "Is allocation much of its work?", "density"),
        {"much": ("variation", HIGH), "little": (FEW, LOW)},
        lambda case: case.allocates_much,
    ),
    _either(
        *("variation", "V", "Do the sizes of blocks vary?", "variation"),
        {"hardly": ("utilization", LOW), "much": ("utilization", HIGH)},
        lambda case: not case.sizes_vary,
        from_structure=True,
    ),
    _either(
        *("utilization", "U", "Can freed memory wait until the end?", "utilization"),
        {"it can": ("fragmentation", 1.0), "used again": ("fragmentation", 0.0)},
        lambda case: case.tolerates_growth,
    ),
    _either(
        *("fragmentation", "F", "Do other parts of the program allocate on its heap?", "fragmented"),
        {"no": ("binding", NO), "yes": ("binding", YES)},
        lambda case: case.fragmented != YES,
    ),
    _binding("binding", "destruction"),
    _either(
        *("destruction", "destruction", "May destructors be left out (winking out)?", "wink_out"),
        {"no": (BUILT, NO), "yes": (BUILT, YES)},
        lambda case: case.wink_out != YES,
    ),
)
QUESTIONS = {question.name: question for question in _ALL}
ROOT = "threads"


def find_path(case: Case) -> tuple[list[tuple[Question, str]], str]:
    """The questions and answers on the path of a case, and its leaf."""
    path = []
    name = ROOT
    while name not in LEAVES:
        question = QUESTIONS[name]
        answer = question.answer(case)
        path.append((question, answer))
        name = question.next[answer]
    return path, name
