"""`mallard record`: records a program's allocations with their stacks, by the native `mallard-record`."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

from mallard.advisor.recording.process import check_process
from mallard.advisor.recording.program import resolve_program
from mallard.cli.needs import Needs
from mallard.cli.parser import positive_int
from mallard.shared.caller import environment, restore_ignored_signals
from mallard.shared.errors import UsageError
from mallard.shared.native_file import COLLECTOR
from mallard.shared.prose import printable_name
from mallard.shared.version import rebuild_remedy

EXAMPLES = (
    ("mallard record -- sort big.txt", "into ./mallard.trace"),
    ("mallard record -o sort.trace -- sort big.txt", "into a file with this name"),
    ("mallard record --follow -- sh build.sh", "the programs that it starts, too"),
    ("mallard record --pid 4711 --for 30s", "a running process, which goes on"),
    ("mallard record --signal USR2 -- ./server", "at 'kill -USR2', until the next one"),
    ("mallard record --recover FILE", "FILE, after its recording was killed"),
)
TAKES_PROGRAM = True  # with its arguments, after `--`

DEFAULT_TRACE = "mallard.trace"
SIGNALS = ("USR1", "USR2")
STACKS = ("auto", "fp", "unwind", "none")
MOST_SAMPLE = 1_000_000
MILLISECONDS = {"": 1000, "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
MOST_MILLISECONDS = 366 * 24 * 3_600_000
BYTES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
MOST_BYTES = 1 << 62


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "program", nargs="*", metavar="PROGRAM", help="the program to run, with its arguments after '--'"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help=f"the recording (default: ./{DEFAULT_TRACE})")
    parser.add_argument(
        "--stacks",
        metavar="HOW",
        choices=STACKS,
        default="auto",
        help="auto (default), unwind: complete, from .eh_frame; fp: else by frame pointers; none",
    )
    parser.add_argument(
        "--sample",
        metavar="N",
        type=positive_int,
        help="record one activation in N, with all its events",
    )
    parser.add_argument(
        "--for",
        dest="duration",
        metavar="TIME",
        type=_milliseconds,
        help="end the recording after 30s, 5m, 1h, ...",
    )
    parser.add_argument("--limit", metavar="SIZE", type=_size, help="end it when its file has 500M, 2G, ...")
    parser.add_argument("--pid", metavar="PID", help="record a running process until it ends, or Ctrl-C")
    parser.add_argument(
        "--signal",
        metavar="NAME",
        choices=SIGNALS,
        help="USR1 or USR2 to mallard begins and ends the recording",
    )
    parser.add_argument(
        "--follow", action="store_true", help="record its forks and the programs it starts, too"
    )
    parser.add_argument(
        "--redact", action="store_true", help="leave out names of files and the program's words"
    )
    parser.add_argument(
        "--recover", metavar="FILE", help="make FILE of a recording whose collector was killed"
    )


def _milliseconds(text: str) -> int:
    return _amount(text, MILLISECONDS, MOST_MILLISECONDS, "ms, s, m or h up to a year: --for 30s")


def _size(text: str) -> int:
    return _amount(text, BYTES, MOST_BYTES, "bytes, K, M, G or T: --limit 2G")


def _amount(text: str, units: Mapping[str, int], most: int, allowed: str) -> int:
    amount = re.fullmatch(r"0*([0-9]{1,20})([a-zA-Z]*)", text)
    number = int(amount[1]) * units.get(amount[2], 0) if amount else 0
    if not 0 < number <= most:
        raise argparse.ArgumentTypeError(f"'{text}' is not allowed; allowed are whole numbers of {allowed}")
    return number


def check(arguments: argparse.Namespace) -> None:
    if arguments.sample is not None and arguments.sample > MOST_SAMPLE:
        raise UsageError(f"--sample {arguments.sample}: allowed are 1 to {MOST_SAMPLE}")
    if arguments.recover is not None:
        _check_recovery(arguments)
        return
    if arguments.pid is not None:
        _check_process(arguments)
        return
    if not arguments.program:
        raise UsageError("PROGRAM is missing; give it after '--': mallard record -- PROGRAM ARGUMENTS")
    resolve_program(arguments.program[0])
    _check_place(Path(DEFAULT_TRACE if arguments.output is None else arguments.output))


def needs(arguments: argparse.Namespace) -> Needs:
    return Needs(presets=("advisor",))


def run(arguments: argparse.Namespace) -> int:
    from mallard.advisor.recording.collector import program_words, start_reporter

    collector = COLLECTOR.find()
    words, notes = [str(collector), *_options(arguments)], []
    if arguments.pid is not None:
        notes = check_process(int(arguments.pid))
    elif arguments.recover is None:
        program, notes = program_words(arguments.program)
        words += program
    for note in notes:
        print(f"mallard: note: {printable_name(note)}", file=sys.stderr)
    sys.stdout.flush()
    words[1:1] = ["--facts", str(start_reporter())]
    restore_ignored_signals()
    try:
        os.execve(collector, words, environment())
    except OSError as error:
        raise UsageError(f"{collector} does not run: {error.strerror}; {rebuild_remedy('record')}") from None


def _options(arguments: argparse.Namespace) -> list[str]:
    """The options of mallard-record."""
    options = ["--redact"] if arguments.redact else []
    if arguments.recover is not None:
        return [*options, "--recover", arguments.recover]
    values = {
        "-o": arguments.output or DEFAULT_TRACE,
        "--stacks": "unwind" if arguments.stacks == "auto" else arguments.stacks,
        "--sample": arguments.sample,
        "--pid": arguments.pid,
        "--signal": arguments.signal and signal.Signals[f"SIG{arguments.signal}"].value,
        "--for": arguments.duration,
        "--limit": arguments.limit,
    }
    options += ["--follow"] if arguments.follow else []
    return options + [word for name, value in values.items() if value for word in (name, str(value))]


def _check_recovery(arguments: argparse.Namespace) -> None:
    for name, present in (
        (" ".join(arguments.program), bool(arguments.program)),
        ("-o", arguments.output is not None),
        ("--follow", arguments.follow),
        ("--sample", arguments.sample is not None),
        ("--for", arguments.duration is not None),
        ("--limit", arguments.limit is not None),
        ("--pid", arguments.pid is not None),
        ("--signal", arguments.signal is not None),
    ):
        if present:
            raise UsageError(f"--recover does not start a program; leave '{name}' out")


def _check_process(arguments: argparse.Namespace) -> None:
    if not (arguments.pid.isascii() and arguments.pid.isdigit()) or int(arguments.pid) == 0:
        raise UsageError(f"--pid '{arguments.pid}': allowed is the number of a process; 'ps -e' lists them")
    if arguments.program:
        raise UsageError(f"--pid starts no program; leave '{' '.join(arguments.program)}' out")
    if arguments.follow:
        raise UsageError("--follow: only programs that mallard starts are followed; leave it out with --pid")
    if arguments.signal is not None:
        raise UsageError("--signal: a running process is recorded at once; leave it out with --pid")
    _check_place(Path(DEFAULT_TRACE if arguments.output is None else arguments.output))


def _check_place(trace: Path) -> None:
    if trace.is_dir():
        raise UsageError(f"-o {trace} is a directory; give a file in it: -o {trace / DEFAULT_TRACE}")
    if trace.exists() and not trace.is_file():
        raise UsageError(f"-o {trace} is not a regular file, and a trace would replace it; give another name")
    if not trace.parent.is_dir():
        raise UsageError(f"-o {trace}: there is no directory {trace.parent}; make it first")
