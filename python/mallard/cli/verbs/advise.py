"""`mallard advise`: which allocator belongs where in a program that nobody prepared, tried on the program."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from mallard.advisor.advice.choice import GOALS
from mallard.cli import exit_status, trials
from mallard.cli.forms import add_forms, check_forms, check_replaces_nothing, write_report
from mallard.cli.options import surround_runs
from mallard.shared.age import Age, read_ages, young_only
from mallard.shared.errors import UsageError
from mallard.shared.mallocs import NAMES, is_switch
from mallard.shared.scratch import scratch_folder

USUAL = ",".join(NAMES)

EXAMPLES = (
    ("mallard advise -- ./parser input", "the answer, in about two minutes"),
    ("mallard advise --for memory -- ./parser", "what needs less memory"),
    ("mallard advise --load 'CMD' -- ./server", "of a server that CMD uses"),
)
TAKES_PROGRAM = True
needs = trials.needs
AGES, QUICK_AGES = "young,old", "young,used"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    trials.add_program(parser)
    parser.add_argument(
        "--for", dest="goal", choices=GOALS, default="time", help="the time (default), or resident memory"
    )
    parser.add_argument("--scope", metavar="LIST", help="names of functions (or parts) or markers to try")
    trials.add_rounds(parser, "runs of each strategy (default: 21 or more)")
    trials.add_baseline(parser, USUAL, "the base malloc, then others (default: all known)")
    trials.add_age(parser, None, "of the heap (default: young,old)")
    trials.add_trace(parser)
    trials.add_runs(parser)
    parser.add_argument("--quick", action="store_true", help="fewer runs: about half a minute")
    parser.add_argument(
        "--patch",
        metavar="FILE, --sarif",
        type=Path,
        help="statements as a diff; findings for editors",
    )
    add_forms(parser).add_argument("--sarif", action="store_true", help=argparse.SUPPRESS)


def check(arguments: argparse.Namespace) -> None:
    trials.require_program(arguments, "mallard advise")
    if arguments.scope is not None and not _scopes(arguments.scope):
        raise UsageError("--scope is empty; give names with commas between them, or leave the option out")
    trials.check_runs(arguments)
    if arguments.goal == "memory":
        _refuse_ages(arguments)
    files = (arguments.trace, arguments.input, arguments.history)
    check_forms(arguments, arguments.program, files)
    check_replaces_nothing(arguments.patch, "--patch", arguments.program, (*files, arguments.html))


def _refuse_ages(arguments: argparse.Namespace) -> None:
    ages = read_ages(arguments.age) if arguments.age is not None else ()
    if arguments.history is not None or any(not age.is_young for age in ages):
        option = f"--age {arguments.age}" if arguments.age is not None else f"--history {arguments.history}"
        raise UsageError(
            f"--for memory compares young heaps, because the memory of a history is not the program's; leave "
            f"{option} out"
        )


def _scopes(text: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.strip() for item in (text or "").split(",") if item.strip()))


def tries_switches(arguments: argparse.Namespace) -> bool:
    """Besides all known mallocs, and files: in little time only for memory, which few rounds show."""
    listed = {item.strip() for item in arguments.mallocs.split(",")}
    has_all = listed.issuperset(NAMES) and not any(map(is_switch, listed))
    return has_all and (arguments.goal == "memory" or not arguments.quick)


def _ages(arguments: argparse.Namespace) -> tuple[Age, ...]:
    if arguments.goal == "memory":
        return young_only()
    return read_ages(arguments.age or (QUICK_AGES if arguments.quick else AGES))


def run(arguments: argparse.Namespace) -> int:
    from mallard.advisor.advice.patch import write_patch
    from mallard.advisor.advice.plan import Request
    from mallard.advisor.advice.runner import study
    from mallard.advisor.advice.verdict import decide
    from mallard.advisor.view.advice import advice_json, advice_report
    from mallard.advisor.view.sarif import advice_sarif
    from mallard.shared.console import PlainConsole, print_line, step_progress

    chosen = trials.chosen_mallocs(arguments)
    trials.check_available(chosen[:1])  # of the others, those that are missing are named in the answer
    asked = Request(
        mallocs=chosen,
        switches=tries_switches(arguments),
        scopes=_scopes(arguments.scope),
        process=arguments.process,
        trace=arguments.trace,
        rounds=arguments.rounds,
        ages=_ages(arguments),
        may_omit_ages=arguments.age is None,
        quick=arguments.quick,
        seed=arguments.seed,
        terminal=trials.reads_terminal(arguments),
        goal=arguments.goal,
    )
    display = PlainConsole(stderr=True)
    say = partial(print_line, display)
    with (
        surround_runs(arguments) as surroundings,
        scratch_folder("advise") as folder,
        step_progress(display) as step,
    ):
        program = trials.program_to_run(arguments, surroundings, folder)
        found = study(program, asked, Path(folder), step, say)
    if arguments.patch is not None:
        say(write_patch(found.patches, arguments.patch))
    verdict = decide(found)
    if arguments.sarif:
        print(advice_sarif(found, verdict))
    else:
        report = advice_report(found, verdict, found.profile)
        write_report(arguments, report, partial(advice_json, found, verdict))
    return exit_status.FINDINGS if verdict.kind == "unmeasured" else exit_status.DONE
