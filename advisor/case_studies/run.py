#!/usr/bin/env python3
"""The case studies, in two stages: the advice is stored, and committed, before the change is measured.

    advisor/case_studies/run.py                    the missing advice of all, and facts for committed advice
    advisor/case_studies/run.py advise lua         what the advisor says of the program before the change
    advisor/case_studies/run.py verify lua         the builds against each other
    advisor/case_studies/run.py nulls foreign      how often a malloc is advised that is the program's own
    advisor/case_studies/run.py history            stores the order of advice and facts in git's history
    advisor/case_studies/run.py list               the case studies, and missing Debian packages

"foreign" stands for the programs of foreign/programs.json, each of which is a name, too. Of these, what is
stored is not measured again, so that an interrupted run goes on. Nothing is installed but the sources of a
patch, below build/. A case study whose package is missing is named and left out, and the exit status is 1.
CMAKE_PREFIX_PATH names libraries in other places.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from harness import advising, building, facts, foreign, history, patches
from harness.catalogue import CASES, UNCHANGED, UNDER, Case
from harness.places import ADVICE, FACTS, ROOT, Json, document_sha256, pack, results_file, unpack
from mallard.shared import mallocs
from mallard.shared.errors import UsageError

STAGES = ("all", "advise", "verify", "nulls", "history", "list")
DEFAULT_ROUNDS, FOREIGN_ROUNDS = 21, 11  # of the many arms of a foreign program fewer
NULL_ROUNDS = 7
FOREIGN = "foreign"
ERRORS = (UsageError, building.BuildError, advising.AdviceError)  # of one case study; the others go on


def stored(folder: Path, case: Case | foreign.Program) -> Json:
    file = results_file(folder, case.name)
    return unpack(file.read_bytes()) if file.is_file() else {"cells": {}}


def store(folder: Path, case: Case | foreign.Program, document: Json) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    results_file(folder, case.name).write_bytes(pack(document))


def advise(case: Case, inputs: list[str], rounds: int | None, *, again: bool) -> None:
    """Without `again`, only the cells whose program or input has no advice."""
    building.build(case, [UNCHANGED])
    document = stored(ADVICE, case) | {"case": case.name, "doctor": advising.doctor()}
    for case_input in case.inputs:
        known = document["cells"].get(case_input.name, {})
        if case_input.name in inputs and (
            again or not known.items() >= advising.hashes(case, case_input).items()
        ):
            advice = advising.advise(case, case_input, rounds)
            document["cells"][case_input.name] = advice
            store(ADVICE, case, document)
            print(f"{case.name} {case_input.name}: {advice['headline']}", flush=True)


def committed(file: Path) -> bool:
    """True if git has this file as it is."""
    status = subprocess.run(
        ["git", "status", "--porcelain", "--ignored", "--", str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return status.returncode == 0 and not status.stdout.strip()


def committed_advice(folder: Path, case: Case | foreign.Program) -> Json:
    """The cells of advice; refuses advice that git does not have."""
    file = results_file(folder, case.name)
    if not file.is_file() or not committed(file):
        raise UsageError(
            f"{file.relative_to(ROOT)} is not committed; advice counts if it is there before the fact: "
            f"advisor/case_studies/run.py advise {case.name}, then git add and git commit"
        )
    cells: Json = stored(folder, case)["cells"]
    return cells


def verify(case: Case, inputs: list[str], rounds: int) -> None:
    advice = committed_advice(ADVICE, case)
    building.build(case, facts.measured_builds(case))
    document = stored(FACTS, case) | {"case": case.name}
    for case_input in case.inputs:
        if case_input.name not in inputs or case_input.name not in advice:
            continue
        advised = advice[case_input.name]
        if not advised.items() >= advising.hashes(case, case_input).items():
            raise UsageError(
                f"the advice on {case.name} is on another program or input than this build's; ask for it "
                f"again: advisor/case_studies/run.py advise {case.name}"
            )
        fact = facts.measure_cell(case, case_input, _under(case, advised), rounds, _tick)
        document["cells"][case_input.name] = fact | {"advice_sha256": document_sha256(advised)}
        store(FACTS, case, document)
        print(f"{case.name} {case_input.name}: measured in {rounds} rounds", flush=True)


def _under(case: Case, advice: Json) -> list[str]:
    """The program under the best of the other mallocs, if one saves time, and under the advised one; and the
    build that follows all of the advice."""
    saving = [name for name, time in advice["mallocs"].items() if time["high"] < 0]
    best = sorted(saving, key=lambda name: float(advice["mallocs"][name]["median"]))[:1]
    kind, advised = advising.advised(advice)
    mallocs = [*best, advised] if kind == "global" and advised not in best else best
    second = case.find_build(advising.second_half(advice))
    return [UNCHANGED + UNDER + name for name in mallocs] + ([second + UNDER + advised] if second else [])


def run_foreign(program: foreign.Program, arguments: argparse.Namespace) -> None:
    preloaded = [name for name in mallocs.selected(arguments.malloc, "--malloc") if name != mallocs.OWN]
    if arguments.stage == "list":
        print(f"{program.name}: {shlex.join(program.advice)}; {shlex.join(program.fact)}")
    if arguments.stage in ("all", "advise"):
        advise_foreign(program, preloaded, arguments)
    if arguments.stage in ("all", "verify"):
        verify_foreign(program, preloaded, arguments.rounds or FOREIGN_ROUNDS)
    if arguments.stage == "nulls" and not results_file(foreign.NULLS, program.name).is_file():
        null = foreign.measure_null(program, arguments.nulls, NULL_ROUNDS)
        store(foreign.NULLS, program, null)
        print(
            f"{program.name}: {sum(run['advised'] for run in null['runs'])} of {arguments.nulls} false",
            flush=True,
        )


def advise_foreign(program: foreign.Program, preloaded: list[str], arguments: argparse.Namespace) -> None:
    known = stored(foreign.ADVICE, program)["cells"].get(foreign.CELL, {})
    if not known.items() >= foreign.hashes(program).items():
        advice = foreign.advise(program, preloaded, arguments.rounds, quick=arguments.quick)
        store(foreign.ADVICE, program, {"case": program.name, "cells": {foreign.CELL: advice}})
        print(f"{program.name}: {advice['headline']} ({advice['minutes']} min)", flush=True)


def verify_foreign(program: foreign.Program, preloaded: list[str], rounds: int) -> None:
    advice = committed_advice(foreign.ADVICE, program)[foreign.CELL]
    if not advice.items() >= foreign.hashes(program).items():
        raise UsageError(
            f"the advice on {program.name} is on another program or command; ask for it again: "
            f"advisor/case_studies/run.py advise {program.name}"
        )
    sha = document_sha256(advice)
    if stored(foreign.FACTS, program)["cells"].get(foreign.CELL, {}).get("advice_sha256") != sha:
        if program.patch:
            patches.build([program.patch])
        second = foreign.second_arm(program, advice)
        fact = foreign.measure(program, preloaded, second, rounds) | {"advice_sha256": sha}
        store(foreign.FACTS, program, {"case": program.name, "cells": {foreign.CELL: fact}})
        print(f"{program.name}: measured in {rounds} rounds", flush=True)


def _tick(_done: int, _total: int) -> None:
    """Runs are short, so nothing is counted."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("stage", nargs="?", choices=STAGES, default="all")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CASES)} (default: all)")
    parser.add_argument("--input", metavar="NAME", help="one of the inputs (default: all)")
    parser.add_argument(
        "--rounds",
        metavar="N",
        type=int,
        help=f"of advice (default: as planned) and facts (default: {DEFAULT_ROUNDS}, of foreign programs "
        f"{FOREIGN_ROUNDS})",
    )
    parser.add_argument("--quick", action="store_true", help="of the advice on foreign programs")
    parser.add_argument("--nulls", metavar="N", type=int, default=5, help="null runs of each foreign program")
    parser.add_argument(
        "--malloc",
        metavar="LIST",
        default=",".join(mallocs.MALLOCS),
        help="of foreign programs, as --global takes them",
    )
    arguments = parser.parse_args()
    programs = foreign.load()
    names = [name for word in arguments.names or CASES for name in (programs if word == FOREIGN else (word,))]
    if unknown := [name for name in names if name not in CASES and name not in programs]:
        parser.error(f"'{unknown[0]}' is no case study; there are {', '.join([*CASES, FOREIGN, *programs])}")
    if arguments.stage == "history":
        history.write()
        return 0
    try:
        missing = building.configure() if any(name in CASES for name in names) else {}
    except building.BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    missing |= {name: foreign.missing(programs[name]) for name in names if name in programs}
    failed = []
    for name in names:
        if packages := missing.get(name):
            print(f"{name} is left out: apt-get install {packages}")
            continue
        try:
            if name in programs:
                run_foreign(programs[name], arguments)
            else:
                run(CASES[name], arguments)
        except ERRORS as error:
            failed.append(name)
            print(f"error: {name}: {error}", file=sys.stderr)
    skipped = sum(bool(missing.get(name)) for name in names)
    print(f"{len(names) - skipped - len(failed)} of {len(names)} case studies done")
    return 2 if failed else 1 if skipped else 0


def run(case: Case, arguments: argparse.Namespace) -> None:
    inputs = [case_input.name for case_input in case.inputs if arguments.input in (None, case_input.name)]
    if arguments.stage == "list":
        print(f"{case.name}: {case.title}, {' and '.join(inputs)}")
    if arguments.stage in ("all", "advise"):
        advise(case, inputs, arguments.rounds, again=arguments.stage == "advise")
    if arguments.stage in ("all", "verify"):
        verify(case, inputs, arguments.rounds or DEFAULT_ROUNDS)


if __name__ == "__main__":
    sys.exit(main())
