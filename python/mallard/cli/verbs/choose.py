"""`mallard choose`: whether to use a local allocator, and which one (P0089 section 2)."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import replace
from math import log2

from mallard.bench.choose import Case, Evidence, decide, make_case
from mallard.bench.choose.case import (
    ANY,
    BASE_CLASS,
    BUFFERS,
    HIGH,
    INLINE,
    NO,
    OTHER_THREAD,
    OWN_THREAD,
    PROGRAM,
    SCOPE,
    TYPE,
    YES,
)
from mallard.bench.claims import finished_runs
from mallard.bench.result import Row
from mallard.bench.store import Store
from mallard.cli import exit_status
from mallard.cli.forms import add_forms, check_forms, write_report
from mallard.cli.options import add_database, check_database, nothing_measured
from mallard.cli.parser import is_number, positive_int

EXAMPLES = (
    ("mallard choose", "blocks of many sizes"),
    ("mallard choose --structure 'vector<int>' --elements 100", "one block: worth it?"),
    ("mallard choose --locality 0 --elements 2^9", "long-lived, scattered"),
)

# A dimension from 0 to 1: its help, its default and its meaning. `mallard profile` measures them.
SCALES: dict[str, tuple[str, float | None, str]] = {
    "density": (
        "D: share of allocation in its time (by structure)",
        None,
        "the share of its time in the allocator",
    ),
    "variation": (
        "V: variation of block sizes (by structure)",
        None,
        "0 for blocks of one size, 0.5 for two sizes, and 1 for many",
    ),
    "locality": (
        "L: 0 if used between others for long (1)",
        HIGH,
        "near 0 if it is large or often left for other parts, near 1 if it is small and runs long",
    ),
    "utilization": (
        "U: peak memory / all allocated (1; program: 0)",
        None,
        "the most memory in use at once, divided by all memory that is allocated",
    ),
}
PIPE_WIDTH = 160
MOST_ELEMENTS_LOG2 = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    part = parser.add_argument_group("the part of the program that allocates (in brackets: by default)")
    part.add_argument("--structure", metavar="TYPE", help="as in C++, or DS1 to DS12 (by D and V, below)")
    part.add_argument("--elements", metavar="N", type=elements, default=10.0, help="2^14 or 16384 (2^10)")
    _choices(part, "lifetime", (SCOPE, PROGRAM), SCOPE, "freed at the end of a scope, or never")
    _choices(part, "freed-by", (OWN_THREAD, OTHER_THREAD), OWN_THREAD, "the thread that frees a block")
    part.add_argument(
        "--access-factor", metavar="N", type=positive_int, default=1, help="traversals in a visit (1)"
    )
    dimensions = parser.add_argument_group("the papers' dimensions (P0089 section 5, P0213 section 4)")
    for name, (text, default, meaning) in SCALES.items():
        dimensions.add_argument(
            f"--{name}", metavar="0..1", type=_fraction(meaning), default=default, help=text
        )
    dimensions.add_argument(
        "--threads", metavar="N", type=positive_int, default=1, help="C: threads that allocate at once (1)"
    )
    _choices(dimensions, "fragmented", (YES, NO), NO, "F: others use its heap, or it is old")
    can = parser.add_argument_group("the allocators that it can use, and the measurements")
    _choices(can, "binding", (TYPE, BASE_CLASS, INLINE, ANY), ANY, "type parameter, abstract or inline base")
    _choices(can, "wink-out", (YES, NO), NO, "destructors may be left out")
    _choices(can, "buffer", BUFFERS, ANY, "initial buffer of a monotonic allocator")
    add_database(can)
    add_forms(parser)


def check(arguments: argparse.Namespace) -> None:
    _case(arguments)
    check_database(arguments)
    check_forms(arguments)


def run(arguments: argparse.Namespace) -> int:
    from mallard.bench.view.decision import decision_report

    case = _case(arguments)
    decision = decide(case, Evidence(_finished_rows(arguments)))
    write_report(arguments, decision_report(decision), pipe_width=PIPE_WIDTH)
    return exit_status.DONE if decision.recommended else exit_status.FINDINGS


def elements(text: str) -> float:
    """The exponent of two: 14 for 2^14 and for 16384."""
    power = re.fullmatch(r"2\^(\d{1,2})", text)
    if power and int(power[1]) <= MOST_ELEMENTS_LOG2:
        return float(power[1])
    if not power and is_number(text) and 0 < int(text) <= 1 << MOST_ELEMENTS_LOG2:
        return log2(int(text))
    raise argparse.ArgumentTypeError(
        f"'{text}' is not allowed; give a number such as 16384 or 2^14, from 1 to 2^{MOST_ELEMENTS_LOG2}"
    )


def _fraction(meaning: str) -> Callable[[str], float]:
    def fraction(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0.0 <= value <= 1.0:
            raise argparse.ArgumentTypeError(f"'{text}' is not allowed; give a number from 0 to 1: {meaning}")
        return value

    return fraction


def _choices(
    group: argparse._ArgumentGroup, name: str, allowed: tuple[str, ...], default: str, text: str
) -> None:
    group.add_argument(
        f"--{name}", choices=allowed, default=default, metavar="|".join(allowed), help=f"{text} ({default})"
    )


def _case(arguments: argparse.Namespace) -> Case:
    case = make_case(
        arguments.structure,
        arguments.density,
        arguments.variation,
        arguments.lifetime,
        arguments.utilization,
    )
    return replace(
        case,
        locality=arguments.locality,
        threads=arguments.threads,
        freed_by=arguments.freed_by,
        fragmented=arguments.fragmented,
        binding=arguments.binding,
        wink_out=arguments.wink_out,
        buffer=arguments.buffer,
        elements_log2=arguments.elements,
        access_factor=arguments.access_factor,
    )


def _finished_rows(arguments: argparse.Namespace) -> list[Row]:
    if nothing_measured(arguments):
        return []  # the answer then is the command that measures
    with Store.open_existing(arguments.db) as store:
        return [row for run in finished_runs(store) for row in store.rows(run.id)]
