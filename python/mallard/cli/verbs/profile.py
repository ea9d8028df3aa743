"""`mallard profile`: the lifetimes of a recorded program's memory, by scope."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mallard.advisor.profile.database import Database, is_database, read_database
from mallard.advisor.profile.document import Profile, ask, read_rows, stored_profile
from mallard.cli.forms import add_forms, check_forms, check_replaces_nothing, show_forms
from mallard.cli.needs import Needs
from mallard.cli.options import process_name
from mallard.shared.atomic_file import atomic_file, check_writable
from mallard.shared.errors import UsageError
from mallard.shared.parquet import EXTRA, load_pyarrow, write_table

if TYPE_CHECKING:
    from mallard.advisor.profile.difference import Difference

EXAMPLES = (
    ("mallard profile FILE", "one screen for the whole program"),
    ("mallard profile FILE --scope parse", "one scope in depth"),
    ("mallard profile FILE --html profile.html", "one page, with a flame graph and a timeline"),
    ("mallard profile before after", "recordings of several runs or machines as one"),
    ("mallard profile --diff FILE FILE", "what allocates more, by site and by scope"),
)

DEFAULT_TRACE = "mallard.trace"
FURTHER = "--all shows the timeline, diffusion, pairs of stacks and sites, too."
EXPORTS = ("pprof", "dhat", "folded", "folded-blocks", "folded-peak", "folded-end", "history", "sqlite")
SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
MOMENT = re.compile(rf"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)({'|'.join(SECONDS)})?", re.ASCII)
LISTS = ("leaks", "temporary", "peak")
# An option, the reason, and the options that it excludes.
EXCLUDES = (
    (
        *("diff", "compares whole processes"),
        ("scope", "process", "list", "export", "parquet", "between", "suppress"),
    ),
    ("list", "is of a whole process", ("scope", "json", "export", "parquet")),
    ("between", "has sites and live blocks only", ("scope", "export", "parquet")),
)
REMEDIES = {
    ("diff", "process"): ", and give it what 'mallard profile TRACE --process N --export sqlite' writes",
    ("list", "json"): "; JSON has the list as it is",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "traces",
        nargs="*",
        metavar="TRACE",
        type=Path,
        help=f"recordings (default: ./{DEFAULT_TRACE}), or databases of --export sqlite; several are merged",
    )
    parser.add_argument(
        "--scope",
        metavar="F",
        help="one function or marker in depth: a part of its name",
    )
    parser.add_argument(
        "--process",
        metavar="NAME",
        type=process_name,
        help="the process of this executable, or with this number (default: the one with most CPU time)",
    )
    parser.add_argument("--all", action="store_true", help="longer lists on the screen and in JSON")
    parser.add_argument(
        "--list", metavar="KIND", choices=LISTS, help="sites of blocks: leaks, temporary, or peak"
    )
    parser.add_argument(
        "--between",
        metavar="A,B",
        help="a part of the time: shares, as 0.2,0.5, or 1.5s,3s",
    )
    parser.add_argument(
        "--suppress",
        metavar="FILE",
        type=Path,
        help="leaks to leave out, as for LeakSanitizer: leak:PATTERN",
    )
    parser.add_argument("--diff", action="store_true", help="compare two recordings, the older one first")
    forms = add_forms(parser)
    forms.add_argument(
        "--export",
        metavar="FORMAT",
        choices=EXPORTS,
        help="pprof, dhat, folded (1,024 frames) or sqlite: -o FILE",
    )
    forms.add_argument(
        "--parquet", metavar="FOLDER", type=Path, help="sites, scopes, lifetimes for databases"
    )
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="the file of --export")


def check(arguments: argparse.Namespace) -> None:
    arguments.traces = arguments.traces or [Path(DEFAULT_TRACE)]
    _check_number(arguments)
    for trace in arguments.traces:
        _check_trace(arguments, trace)
    for option, reason, others in EXCLUDES:
        value = getattr(arguments, option)
        for other in others:
            if value and getattr(arguments, other):
                shown = "" if value is True else f" {value}"
                remedy = REMEDIES.get((option, other), "")
                raise UsageError(f"--{option}{shown} {reason}; leave --{other} out{remedy}")
    if arguments.export and arguments.output is None:
        raise UsageError(f"--export {arguments.export} needs a file; add -o FILE")
    if arguments.output is not None and not arguments.export:
        raise UsageError(
            f"-o {arguments.output} is the file of an export; add --export {', '.join(EXPORTS[:-1])} or "
            f"{EXPORTS[-1]}, or write the page with --html FILE"
        )
    is_export = arguments.export not in (None, "sqlite")
    if arguments.scope is not None and (is_export or not arguments.scope.strip()):
        reason = "exports are of the whole process" if is_export else "the name of a scope is empty"
        raise UsageError(f"--scope '{arguments.scope}': {reason}; leave it out")
    if arguments.between is not None:
        _check_between(arguments.between)
    if arguments.suppress is not None:
        _check_suppressions(arguments.suppress, is_export=is_export)
    if arguments.parquet is not None:
        _check_folder(arguments.parquet)
    check_forms(arguments, files=arguments.traces)
    check_replaces_nothing(arguments.output, "-o", files=arguments.traces)


def _check_between(range_: str) -> None:
    moments = [MOMENT.fullmatch(moment) for moment in range_.split(",")]
    if len(moments) != 2 or not all(moment and (moment[2] or float(moment[1]) <= 1) for moment in moments):
        raise UsageError(
            f"--between '{range_}': give two shares of the recording, --between 0.2,0.5, or two times since "
            f"its beginning in {', '.join(SECONDS)}: --between 1.5s,3s"
        )


def _range_in_seconds(range_: str) -> str:
    """`0.25,1.5s`, as the native program reads it."""
    moments = [MOMENT.fullmatch(moment) for moment in range_.split(",")]
    return ",".join(
        f"{float(moment[1]) * SECONDS[moment[2]]:.12g}s" if moment[2] else moment[1]
        for moment in moments
        if moment
    )


def _check_suppressions(file: Path, *, is_export: bool) -> None:
    if is_export:
        raise UsageError(f"--suppress {file} is of lists of leaks, which exports do not have; leave it out")
    if not file.is_file():
        raise UsageError(f"--suppress {file} is not a file; give one with lines leak:PATTERN")


def _check_folder(folder: Path) -> None:
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise UsageError(f"--parquet {folder} is a file; give a folder, which may be new")
    check_writable(folder / "x" if os.path.isdir(folder) else folder, "--parquet")


def _check_number(arguments: argparse.Namespace) -> None:
    count = len(arguments.traces)
    if arguments.diff and count != 2:
        raise UsageError(
            f"--diff compares two recordings, and there {'is' if count == 1 else 'are'} {count}; "
            "give it two: mallard profile --diff OLD NEW"
        )
    if not arguments.diff and count > 1:
        _check_merge(arguments)


def _check_merge(arguments: argparse.Namespace) -> None:
    traces = arguments.traces
    for place, trace in enumerate(traces):
        earlier = filter(os.path.exists, traces[:place])
        if os.path.exists(trace) and any(map(trace.samefile, earlier)):
            raise UsageError(f"{trace} is given twice, so its counts would be added twice; leave one out")
    for option in ("scope", "between"):
        if (value := getattr(arguments, option)) is not None:
            raise UsageError(
                f"--{option} '{value}' is of one recording, and there are {len(traces)}; give one"
            )
    if arguments.export and not arguments.export.startswith(("folded", "sqlite")):
        remedy = (
            "export each, and 'pprof FILE FILE' merges them" if arguments.export == "pprof" else "give one"
        )
        raise UsageError(
            f"--export {arguments.export} is of one recording, and there are {len(traces)}; {remedy}"
        )


def _check_trace(arguments: argparse.Namespace, trace: Path) -> None:
    if os.path.isdir(trace):
        raise UsageError(f"{trace} is a directory; give the file that 'mallard record' wrote")
    if trace == Path(DEFAULT_TRACE) and not os.path.exists(trace):
        raise UsageError(
            f"there is no ./{DEFAULT_TRACE} here; 'mallard record -- PROGRAM' makes it, "
            "'mallard profile TRACE' takes another file"
        )
    if not os.path.exists(trace):
        raise UsageError(f"there is no file {trace}; 'mallard record -o {trace} -- PROGRAM' makes it")
    for option in ("scope", "process", "export", "between", "suppress"):
        value = getattr(arguments, option)
        if value is not None and value != "sqlite" and is_database(trace):
            raise UsageError(
                f"--{option} {value} needs the recording, and {trace} is a profile of --export sqlite"
            )


def needs(arguments: argparse.Namespace) -> Needs:
    return Needs(environment="run" if arguments.parquet is None else EXTRA, presets=("advisor",))


def run(arguments: argparse.Namespace) -> int:
    if arguments.export == "sqlite":
        return _write_database(arguments)
    if arguments.export:
        return _export(arguments)
    if arguments.parquet:
        return _write_tables(arguments)
    if arguments.json:
        print(_json(arguments))
    else:
        _show(arguments)
    return 0


def _show(arguments: argparse.Namespace) -> None:
    from mallard.advisor.view.profile import profile_report
    from mallard.advisor.view.profile.difference import difference_report
    from mallard.advisor.view.profile.sites import list_report
    from mallard.shared.console import output_console, print_line

    if arguments.diff:
        show_forms(arguments, difference_report(_difference(arguments), all_rows=arguments.all))
        return
    profile = _read(arguments, ["--all"] if arguments.list and arguments.all else [])
    if arguments.list:
        show_forms(arguments, list_report(profile, arguments.list, all_rows=arguments.all))
        return
    is_brief = not (arguments.all or arguments.markdown)
    show_forms(arguments, profile_report(profile, all_rows=arguments.all, is_brief=is_brief))
    if is_brief and profile.scope is None and profile.between is None:
        print_line(output_console(), f"\n{FURTHER}", "dim")


def _json(arguments: argparse.Namespace) -> str:
    if arguments.diff:
        return json.dumps(_difference(arguments).document(), indent=1)
    return _database(arguments, ["--all"] if arguments.all else []).as_json()


def _difference(arguments: argparse.Namespace) -> Difference:
    from mallard.advisor.profile.difference import compare

    return compare(*(stored_profile(_recording(arguments, trace, ["--all"])) for trace in arguments.traces))


def _read(arguments: argparse.Namespace, options: Sequence[str] = ()) -> Profile:
    """The profile of the recording, or the merged one of several with all their rows."""
    return stored_profile(_database(arguments, options if len(arguments.traces) == 1 else ["--all"]))


def _database(arguments: argparse.Namespace, options: Sequence[str] = ()) -> Database:
    """The rows of all recordings."""
    database = Database()
    for trace in arguments.traces:
        database.add(_recording(arguments, trace, options).connection)
    return database


def _recording(arguments: argparse.Namespace, trace: Path, options: Sequence[str] = ()) -> Database:
    """The rows of a recording, or of those that --export sqlite wrote earlier."""
    if is_database(trace):
        return read_database(trace)
    return read_rows(ask([*_words(arguments, trace), *options]))


def _write_database(arguments: argparse.Namespace) -> int:
    from mallard.shared.console import output_console, print_line
    from mallard.shared.report.figures import size

    database = _database(arguments, ["--all"])  # else a difference would call rows new that were left out
    with atomic_file(arguments.output) as partial_file:
        database.save(partial_file)
        written = partial_file.stat().st_size
    print_line(output_console(), f"{arguments.output}: sqlite, {size(written)}")
    return 0


def _words(arguments: argparse.Namespace, trace: Path) -> list[str]:
    """Prefixes `./` to a trace whose name begins with a dash, so that it is not taken for an option."""
    name = str(trace)
    words = [f"./{name}" if name.startswith("-") else name]
    if arguments.process is not None:
        words += ["--process", arguments.process]
    if arguments.scope is not None:
        words += ["--scope", arguments.scope]
    if arguments.between is not None:
        words += ["--between", _range_in_seconds(arguments.between)]
    if arguments.suppress is not None:
        words += ["--suppress", str(arguments.suppress)]
    return words


def _export(arguments: argparse.Namespace) -> int:
    from mallard.shared.console import output_console, print_line
    from mallard.shared.report.figures import size

    with atomic_file(arguments.output) as partial_file:
        with partial_file.open("wb") as file:
            if arguments.export == "history":
                ask([*_words(arguments, arguments.traces[0]), "--history"], file)
            else:
                file.writelines(_stack_export(arguments))
        written = partial_file.stat().st_size
    print_line(output_console(), f"{arguments.output}: {arguments.export}, {size(written)}")
    return 0


def _stack_export(arguments: argparse.Namespace) -> Iterator[bytes]:
    from mallard.advisor.profile.dhat import dhat
    from mallard.advisor.profile.pprof import pprof
    from mallard.advisor.profile.stacks import FOLDED, folded, read_stacks

    recordings = (read_stacks(_words(arguments, trace)) for trace in arguments.traces)
    if arguments.export == "pprof":
        return pprof(next(recordings))
    column = FOLDED.get(arguments.export)
    return map(str.encode, folded(recordings, column) if column else dhat(next(recordings)))


def _write_tables(arguments: argparse.Namespace) -> int:
    from mallard.advisor.profile.tables import TABLES, flat_rows
    from mallard.shared.console import output_console, print_line

    load_pyarrow("--parquet")
    database = _database(arguments, ["--all"])
    folder = arguments.parquet
    folder.mkdir(exist_ok=True)
    written = []
    with contextlib.ExitStack() as files:  # replaces all or none
        for name, (columns, _) in TABLES.items():
            rows = flat_rows(database, name)
            file = folder / f"{name}.parquet"
            partial_file = files.enter_context(atomic_file(file, "--parquet", "FOLDER"))
            kinds = {column: kind for column, (kind, _) in columns.items()}
            write_table(partial_file, kinds, rows, "--parquet")
            written.append(f"{file}: {len(rows):,} rows")
    for line in written:
        print_line(output_console(), line)
    return 0
