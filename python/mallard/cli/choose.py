"""`mallard choose`: use a local allocator? which one, bound how, winked out? (P0089 section 2)"""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from math import log2

from mallard.choose import Case, Evidence, case_of, decide
from mallard.choose.case import (
    ANY,
    BASE_CLASS,
    BUFFERS,
    HIGH,
    LOW,
    NO,
    OTHER,
    PROGRAM,
    SCOPE,
    SELF,
    TYPE,
    YES,
)
from mallard.claims import finished_runs
from mallard.cli import exit_status
from mallard.cli.options import add_database, check_database, nothing_measured
from mallard.cli.parser import positive_int
from mallard.result import Row
from mallard.store import Store

HELP = "decide by what was measured here which allocator to use"
EXAMPLES = """\
mallard choose                                            many blocks of many sizes, freed together
mallard choose --structure 'vector<int>' --elements 100   one block: is it worth an allocator?
mallard choose --structure 'map<int,string>' --elements 2^14 --lifetime program --utilization 0.1
mallard choose --locality low --elements 2^9 --access-factor 4   long-lived, accessed among others
mallard choose --threads 4 --freed-by other               blocks go from thread to thread
mallard choose --binding base --wink-out yes              through the abstract base, destructors left out"""

PIPE_WIDTH = 160
MOST_ELEMENTS_LOG2 = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("the subsystem")
    what.add_argument(
        "--structure",
        metavar="TYPE",
        default="",
        help="as in C++, or DS1 to DS12, or what comes nearest (default: by --density and --variation)",
    )
    what.add_argument(
        "--elements", metavar="N", type=elements, default=10.0, help="of it: 2^14 or 16384 (default: 2^10)"
    )
    dimensions = parser.add_argument_group("the papers' dimensions (P0089 section 5, P0213 section 4)")
    _choices(dimensions, "density", (HIGH, LOW), "", "D: how much of what it does is allocating")
    _choices(dimensions, "variation", (HIGH, LOW), "", "V: of the sizes of blocks")
    _choices(dimensions, "locality", (HIGH, LOW), HIGH, "L: low if it lives long and is used between others")
    dimensions.add_argument(
        "--utilization",
        metavar="0..1",
        type=utilization,
        help="U: the most memory in use, of all that is allocated (default: 1; 0 for --lifetime program)",
    )
    dimensions.add_argument(
        "--threads", metavar="N", type=positive_int, default=1, help="C: that allocate at once (default: 1)"
    )
    _choices(dimensions, "fragmented", (YES, NO), NO, "F: others allocate and free on the same heap")
    more = parser.add_argument_group("how it is used")
    _choices(
        more, "lifetime", (SCOPE, PROGRAM), SCOPE, "when its memory may go: at the end of a scope, or never"
    )
    _choices(more, "freed-by", (SELF, OTHER), SELF, "the thread that frees a block: its own, or another")
    more.add_argument(
        "--access-factor",
        metavar="N",
        type=positive_int,
        default=1,
        help="traversals a visit, for locality (default: 1)",
    )
    can = parser.add_argument_group("what it can do with")
    _choices(can, "binding", (TYPE, BASE_CLASS, ANY), ANY, "of the allocator")
    _choices(can, "wink-out", (YES, NO), NO, "destructors may be left out, as they only free memory")
    _choices(can, "buffer", BUFFERS, ANY, "initial buffer of monotonic allocators")
    add_database(parser)


def check(arguments: argparse.Namespace) -> None:
    _case(arguments)
    check_database(arguments)


def run(arguments: argparse.Namespace) -> int:
    from mallard.view.terminal.console import output_console
    from mallard.view.terminal.decision import show_decision

    case = _case(arguments)
    decision = decide(case, Evidence(_finished_rows(arguments)))
    show_decision(output_console(PIPE_WIDTH), decision)
    return exit_status.DONE if decision.recommended else exit_status.FINDINGS


def elements(text: str) -> float:
    """The exponent of two, of 2^14 as of 16384."""
    power = re.fullmatch(r"2\^(\d{1,2})", text)
    if power and int(power[1]) <= MOST_ELEMENTS_LOG2:
        return float(power[1])
    if not power and text.isascii() and text.isdecimal() and 0 < int(text) <= 1 << MOST_ELEMENTS_LOG2:
        return log2(int(text))
    raise argparse.ArgumentTypeError(
        f"'{text}' is not allowed; give a number such as 16384 or 2^14, from 1 to 2^{MOST_ELEMENTS_LOG2}"
    )


def utilization(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not allowed; give the most memory in use at once divided by all that is "
            "allocated, from 0 to 1"
        )
    return value


def _choices(
    group: argparse._ArgumentGroup, name: str, allowed: tuple[str, ...], default: str, text: str
) -> None:
    text = f"{text} (default: {default or 'by the structure'})"
    group.add_argument(f"--{name}", choices=allowed, default=default, metavar="|".join(allowed), help=text)


def _case(arguments: argparse.Namespace) -> Case:
    case = case_of(
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
        return []  # what to measure can be told before anything was
    with Store.open_existing(arguments.db) as store:
        return [row for run in finished_runs(store) for row in store.rows(run.id)]
