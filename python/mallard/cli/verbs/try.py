"""`mallard try`: one scope of an unchanged program, served from local allocators while the program runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from mallard.advisor.trial.program import KEPT, OF_LINES, RESERVED, STRATEGIES, Scope
from mallard.advisor.trial.scope_code import is_line
from mallard.cli import exit_status, trials
from mallard.cli.forms import add_forms, check_forms, write_report
from mallard.cli.options import surround_runs
from mallard.shared.age import YOUNG, read_ages
from mallard.shared.errors import UsageError
from mallard.shared.mallocs import NAMES, OWN
from mallard.shared.prose import in_prose
from mallard.shared.scratch import scratch_folder

EXAMPLES = (
    ("mallard try --scope handle -- ./parser", "every strategy"),
    ("mallard try --scope f --load 'CMD' -- ./server", "of a server that CMD uses"),
)
TAKES_PROGRAM = True
needs = trials.needs

USUAL_ROUNDS = 21


def add_arguments(parser: argparse.ArgumentParser) -> None:
    trials.add_program(parser)
    parser.add_argument("--scope", metavar="F", help="a function (or a part), marker, or FILE:LINE")
    parser.add_argument(
        "--without",
        metavar="F",
        action="append",
        default=[],
        help="a function whose blocks stay global; repeatable",
    )
    parser.add_argument(
        "--strategy",
        metavar="LIST",
        default="all",
        help="all (default), or some, such as monotonic,heap",
    )
    trials.add_rounds(parser, f"runs of each strategy, interleaved (default: {USUAL_ROUNDS})")
    trials.add_baseline(parser, OWN, f"of {', '.join(NAMES)}, NAME=FILE (default: {OWN})")
    trials.add_age(parser, YOUNG, "of the heap: young (the default), used, old")
    trials.add_trace(parser)
    trials.add_runs(parser)
    add_forms(parser)


def check(arguments: argparse.Namespace) -> None:
    trials.require_program(arguments, "mallard try --scope F")
    if not arguments.scope or not arguments.scope.strip():
        raise UsageError(
            "--scope is missing: a function's or a marker's name; 'mallard profile TRACE' lists them"
        )
    if not all(name.strip() for name in arguments.without):
        raise UsageError("--without is empty: a function's name; 'mallard profile TRACE' lists them")
    chosen_strategies(arguments.strategy, arguments.scope)
    trials.check_runs(arguments)
    check_forms(arguments, arguments.program, (arguments.trace, arguments.input, arguments.history))


def chosen_strategies(text: str, scope: str) -> list[str]:
    if text == "all":
        return list(OF_LINES if is_line(scope) else STRATEGIES)
    chosen = [item.strip() for item in text.split(",") if item.strip()]
    allowed = STRATEGIES | OF_LINES
    for item in chosen:
        if item not in allowed:
            raise UsageError(
                f"--strategy '{item}' cannot serve a scope; allowed are all, {in_prose([*allowed])}"
            )
    if not chosen:
        raise UsageError("--strategy is empty; give all, or names with commas between them")
    return list(dict.fromkeys(chosen))


def tried_strategies(text: str, chosen: Sequence[str], scope: Scope) -> tuple[str, ...]:
    """The chosen ones. Of a line where no array grows, `all` is without `reserve`."""
    if scope.can_reserve or not RESERVED.keys() & set(chosen):
        return tuple(chosen)
    if text != "all":
        raise UsageError(
            f"--strategy reserve needs a line at which arrays grow by realloc, and at {scope.name} none do; "
            "give others, such as kept-block"
        )
    return tuple(KEPT)


def run(arguments: argparse.Namespace) -> int:
    from mallard.advisor.profile.document import ask, read_profile, trace_words
    from mallard.advisor.trial.campaign import (
        EMPTY_INPUT,
        Campaign,
        estimate,
        refuse_long,
        refuse_second_difference,
        run_alone,
        run_campaign,
        runs_again,
        split_by_age,
    )
    from mallard.advisor.trial.process import RecordingDiffersError, record
    from mallard.advisor.trial.program import refuse_other_program, tried_process
    from mallard.advisor.trial.scope_code import exclude_functions, learn_rules, locate_scope
    from mallard.advisor.view.trial import trial_json, trial_report
    from mallard.shared.console import PlainConsole, count_progress, print_line

    trials.check_available(trials.chosen_mallocs(arguments))
    display = PlainConsole(stderr=True)
    campaign = Campaign(
        strategies=tuple(chosen_strategies(arguments.strategy, arguments.scope)),
        mallocs=trials.chosen_mallocs(arguments),
        ages=read_ages(arguments.age),
        rounds=arguments.rounds or USUAL_ROUNDS,
        seed=arguments.seed,
    )
    with (
        surround_runs(arguments) as surroundings,
        scratch_folder("try") as folder,
    ):
        program = trials.program_to_run(arguments, surroundings, folder)
        print_line(display, runs_again(program))
        first = run_alone(program, campaign)
        program = replace(program, first=first)
        runs, aged = split_by_age(program, campaign)
        if arguments.rounds is None:
            refuse_long(runs, first.wall_seconds, aged)
        print_line(display, estimate(runs, first.wall_seconds, aged))
        try:
            trace = arguments.trace or record(
                *(program.words, program.stdin, Path(folder) / "mallard.trace", program.seconds_limit),
                surroundings,
                first,
                follow=True,
            )
        except RecordingDiffersError:
            refuse_second_difference(program, campaign.mallocs[0])
            raise
        profile = read_profile(ask(trace_words(trace, arguments.process)))
        program = replace(program, process=tried_process(profile))
        if arguments.trace:
            refuse_other_program(program, profile)
        scope = locate_scope(trace, arguments.scope, arguments.process)
        scope = exclude_functions(trace, scope, arguments.without, arguments.process)
        scope = learn_rules(trace, scope, arguments.process, is_of_this_call=arguments.trace is None)
        strategies = tried_strategies(arguments.strategy, campaign.strategies, scope)
        campaign = replace(campaign, strategies=strategies)
        with count_progress(display, "run") as tick:
            result = run_campaign(program, scope, campaign, tick)
    notes = [f"The trial is of {program.process.title}; times are its own."] if program.process else []
    notes += [EMPTY_INPUT] if trials.reads_terminal(arguments) else []
    write_report(arguments, trial_report(result, notes), partial(trial_json, result))
    unmeasured = any(baseline.is_unmeasured for baseline in result.baselines)
    return exit_status.FINDINGS if unmeasured else exit_status.DONE
