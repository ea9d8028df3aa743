"""A command line is understood before anything is set up: by the standard library alone, and wholly."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mallard.bench.analysis.survey import QUESTIONS
from mallard.bench.store import Store
from mallard.cli import VERBS, exit_status, layout, main, parse_command
from mallard.cli.needs import NOTHING, Needs
from mallard.cli.parser import Answer
from mallard.cli.verbs import show
from mallard.shared.errors import UsageError
from mallard.shared.prose import did_you_mean

HERE = Path(__file__).resolve().parent
PACKAGES = HERE.parents[2] / "python"
# Blocks imports from outside the standard library.
BLOCKED = """\
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        first = name.partition(".")[0]
        if first not in ("mallard", "dev", *sys.stdlib_module_names):
            raise ModuleNotFoundError(f"{name} is not Python's own", name=name)
sys.meta_path.insert(0, Blocked())
sys.path.insert(0, sys.argv.pop(1))
"""
ASK = (
    BLOCKED + "import os; from mallard.cli import front_door; "
    "from mallard.cli.exit_status import run_reporting_errors; "
    "os.dup2(2, front_door.NEEDS_FD); "
    "sys.exit(run_reporting_errors(front_door.main))"
)


def query_front_door(*words: str) -> subprocess.CompletedProcess[str]:
    """The front door's question in an interpreter without an environment."""
    command = [sys.executable, "-S", "-I", "-c", ASK, str(PACKAGES), *words]
    return subprocess.run(command, capture_output=True, text=True)


QUERY_COMMANDS = (
    BLOCKED + "import os; from mallard.cli import front_door\n"
    "from mallard.cli.exit_status import run_reporting_errors\n"
    "os.dup2(2, front_door.NEEDS_FD)\n"
    "for option in ('--help', '--no-such-option'):\n"
    "    for verb in sys.argv[1:]:\n"
    "        before, sys.argv = sys.argv, ['mallard', verb, option]\n"
    "        print(verb, option, run_reporting_errors(front_door.main))\n"
    "        sys.argv = before\n"
)


def test_every_verb_is_understood_without_packages() -> None:
    """In one interpreter: its start takes longer than all verbs."""
    command = [sys.executable, "-S", "-I", "-c", QUERY_COMMANDS, str(PACKAGES), *VERBS]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for verb in VERBS:
        assert f"usage: mallard {verb}" in done.stdout
        assert f"\n{verb} --help 0\n" in done.stdout
        assert f"\n{verb} --no-such-option 2\n" in done.stdout
    lines = done.stderr.splitlines()
    assert lines[: len(VERBS)] == ["answered"] * len(VERBS)
    refused = [line for line in lines if line.startswith("mallard: error: ")]
    assert len(refused) == len(VERBS)
    assert all("--no-such-option" in line or "required" in line for line in refused)


def test_answers_verb_help_without_environment() -> None:
    helped = query_front_door("bench", "--help")
    assert (helped.returncode, helped.stderr) == (0, "answered\n")
    assert helped.stdout.startswith("usage: mallard bench")
    assert query_front_door("bench", "--no-such-option").returncode == 2


def test_killed_caller_causes_no_traceback() -> None:
    code = ASK.replace("os.dup2(2, ", "reader, writer = os.pipe(); os.close(reader); os.dup2(writer, ")
    command = [sys.executable, "-S", "-I", "-c", code, str(PACKAGES), "show"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_block_does_block() -> None:
    code = BLOCKED + "import rich"
    done = subprocess.run([sys.executable, "-c", code, "."], capture_output=True, text=True)
    assert "rich is not Python's own" in done.stderr


def needs(*words: str) -> Needs:
    return parse_command(words).needs()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MALLARD_BENCH", "MALLARD_DB"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("show list", NOTHING),
        ("show tables", NOTHING),
        ("show", Needs()),
        ("show table p0213:6", Needs()),
        ("choose", Needs()),
        ("doctor", Needs()),
        ("test lint", Needs(environment="test", tools=("clang-format-19", "shellcheck"))),
        ("docs", Needs(programs=("doxygen",))),
        (
            "bench",
            Needs(presets=("release",), mallocs=("jemalloc", "mimalloc", "tcmalloc"), survey=True),
        ),
        ("bench --malloc mimalloc", Needs(presets=("release",), mallocs=("mimalloc",), survey=True)),
        ("bench density --compiler g++", Needs(presets=("release",))),
        ("bench density --compiler=clang++", Needs(presets=("release", "release-clang"))),
        ("bench density --malloc jemalloc,glibc", Needs(presets=("release",), mallocs=("glibc", "jemalloc"))),
        (
            "bench density --contenders",
            Needs(presets=("release",), mallocs=("jemalloc", "mimalloc", "tcmalloc")),
        ),
        ("bench density --contenders --malloc mimalloc", Needs(presets=("release",), mallocs=("mimalloc",))),
        ("bench shrink-to-fit", Needs(presets=("release",), growing_vectors=True)),
        ("bench shrink-to-fit --strategy new-delete", Needs(presets=("release",))),
        ("bench locality -20 18 32 -3 8", Needs(presets=("release",))),
        ("bench fixed-block --work list --count 10^6", Needs(presets=("release",))),
    ],
)
def test_command_needs(words: str, expected: Needs) -> None:
    assert needs(*words.split()) == expected


def test_needs_are_printed_as_lines() -> None:
    needs = Needs("run", ("release", "release-clang"), ("glibc", "tcmalloc"), growing_vectors=True)
    assert needs.lines() == [
        "environment run",
        "runner release",
        "runner release-clang",
        "preloaded libtcmalloc-minimal4 libtcmalloc_minimal --malloc tcmalloc",
        "linked libboost-container-dev the vectors that grow in place",
    ]


def test_callers_runner_is_queried_without_build(fake: Any) -> None:
    assert needs("bench", "density") == Needs()
    with pytest.raises(UsageError, match="--strategy 'boost-pool': locality does not have it"):
        needs("bench", "locality", "--strategy", "boost-pool")


# Found by a plan for the runner that is to be built.
REFUSED = [
    ("bench density --strategy AS99", "--strategy 'AS99' is unknown; allowed are null, new-delete"),
    ("bench density --ds 13", "--ds '13' is unknown"),
    ("bench contention --freed-by nobody", "--freed-by 'nobody' is unknown"),
    ("bench locality -20 18 32 -3", "has 4 numbers"),
    ("bench fixed-block --work remove-ctrl --version apend", "(did you mean append?)"),
]


@pytest.mark.parametrize(("words", "message"), REFUSED, ids=[words for words, _ in REFUSED])
def test_planning_errors_precede_the_build(words: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        needs(*words.split())
    assert message in str(error.value)


MISTYPED = [
    ("bnech", "unknown verb 'bnech' (did you mean bench?); the verbs are"),
    (
        "--vresion",
        "unknown option '--vresion' (did you mean --version?); only these precede a verb: --help and ",
    ),
    (
        "--db x.db show",
        "unknown option '--db'; only these precede a verb: --help and --version, others follow",
    ),
    ("help bnech", "unknown verb 'bnech' (did you mean bench?)"),
    ("bench densty", "unknown experiment 'densty' (did you mean density?); allowed are programs, density,"),
    ("bench --db none/x.db", "there is no directory none; make it, or give another file"),
    ("bench density --stratgy new-delete", "unknown option '--stratgy' (did you mean --strategy?)"),
    ("bench density --malloc jemaloc", "--malloc 'jemaloc' is unknown (did you mean jemalloc?)"),
    ("show tabel", "unknown word 'tabel' (did you mean table?); allowed are"),
    ("show runs", "no database mallard.db"),
    ("show export --format cvs", "(did you mean csv?)"),
    ("show table p0123:6", "no table 'p0123:6'; allowed are"),
    ("show claims --paper lokki", "--paper 'lokki' (did you mean loki?); allowed are"),
    ("show claims --run 3;5", "--run '3;5' is not a run; allowed are latest, all, and runs' numbers"),
    ("show peers localty", "unknown experiment 'localty' (did you mean locality?)"),
    ("choose --binding typ", "(did you mean type?)"),
    ("choose --db none.db", "no database none.db"),
]


@pytest.mark.parametrize(("words", "message"), MISTYPED, ids=[words for words, _ in MISTYPED])
def test_mistyped_word_gets_a_suggestion(words: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_command(words.split())
    assert message in str(error.value)


def test_options_of_show_belong_to_forms(tmp_path: Path) -> None:
    Store(tmp_path / "mallard.db").close()
    refused: dict[str, list[str]] = {form: [] for form in ("", *show.FORMS)}
    values = {
        "run": "7",
        "format": "md",
        "html": "x.html",
        "output": "x.md",
        "paper": "loki",
        "verdict": "reproduced",
        "local": "AS9",
    }
    for form, names in refused.items():
        for name in show.OPTIONS:
            words = ["show", *form.split(), f"--{name}", *([values[name]] if name in values else [])]
            try:
                parse_command(words)
            except UsageError as error:
                if f"has no option --{name}; it is an option of 'mallard show" in str(error):
                    names.append(name)
    options = {form: [name for name in show.OPTIONS if name not in names] for form, names in refused.items()}
    assert options == {
        "": ["all", "html", "json", "markdown", "run"],
        "table": ["html", "json", "markdown", "nanoseconds", "run"],
        "page": ["output", "run"],
        "peers": ["all", "html", "json", "markdown", "run"],
        "claims": ["all", "html", "json", "markdown", "paper", "run", "verdict"],
        "export": ["format", "output", "run", "summary"],
        "list": ["all"],
    }


HOSTILE = [
    (("",), "unknown verb ''"),
    (("bench", ""), "unknown experiment ''; allowed are programs, density"),
    (("show", ""), "unknown word ''; allowed are"),
    (("show", "page", "x"), "unexpected argument 'x'\nsee 'mallard show page --help'"),
    (
        ("show", "export", "--run", "3,x"),
        "--run 'x' is not a run; allowed are latest, all, and runs' numbers",
    ),
    (("show", "table", ""), "no table ''; allowed are"),
    (("test", ""), "unknown stage ''"),
    (("test", "--list", "lint"), "--list shows every stage; leave the stages out"),
    (("bench", "density", "--strategy", ","), "--strategy ',' selects nothing; allowed are null, new-delete"),
    (("bench", "density", "--size=-5"), "--size '-5' is not a size; allowed are 6..16"),
    (("bench", "density", "--ds", "1", "--reps", "2", "--ds=2"), "--ds is given twice; leave one out"),
    (("bench", "density", "--reps", "1" + "0" * 30), "give a whole number of at least 1 and below 2^63"),
    (("bench", "density", "--reps", "\u0663"), "'\u0663' is not allowed; give a whole number"),
    (
        ("bench", "density", "--time-limit", "nan"),
        "'nan' is no time; allowed are seconds from 0.001 to 1000000000",
    ),
    (
        ("bench", "density", "--memory-limit", "1e300"),
        "'1e300' is no amount of memory; allowed are gibibytes from 0.001",
    ),
    (("bench", "density", "--memory-limit", "none"), "'none' is no amount of memory"),
    (("bench", "locality", "--links", "10^30"), "--links: 1000000000000000000000000000000 is not possible"),
    (("show", "page", "--run", "\u0663"), "--run '\u0663' is not a run; allowed are latest and a run's"),
    (
        ("show", "claims", "--run", "3,\u0663"),
        "--run '\u0663' is not a run; allowed are latest, all, and runs' numbers",
    ),
    (("choose", "--elements", "\u0663"), "'\u0663' is not allowed; give a number such as 16384 or 2^14"),
    (("choose", "--utilization=-0.5"), "give a number from 0 to 1"),
]


@pytest.mark.parametrize(("words", "message"), HOSTILE, ids=[" ".join(words) for words, _ in HOSTILE])
def test_hostile_words_name_allowed_values(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    Store(tmp_path / "mallard.db").close()
    with pytest.raises(UsageError) as error:
        needs(*words)
    assert message in str(error.value)


def test_a_flag_may_be_repeated() -> None:
    assert needs("bench", "density", "--quick", "--quick") == Needs(presets=("release",))


def test_a_word_does_not_steer_the_terminal(capsys: Any) -> None:
    assert main(["bench", "a\x1b[31mb\udcff"]) == 2
    assert "unknown experiment 'a\\x1b[31mb\\udcff'" in capsys.readouterr().err


def test_error_names_help_in_second_line() -> None:
    for verb in VERBS:
        with pytest.raises(UsageError) as error:
            parse_command([verb, "--zzz"])
        assert str(error.value) == f"unknown option '--zzz'\nsee 'mallard {verb} --help'"


def test_the_nearest_word() -> None:
    allowed = ["density", "locality"]
    assert did_you_mean("DENSTY", allowed) == " (did you mean density?)"
    assert (
        did_you_mean("xyz", allowed)
        == did_you_mean("", allowed)
        == did_you_mean("AS15", ["monotonic/base", "multipool+monotonic/base/wink"])
        == ""
    )


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_in_either_order(verb: str) -> None:
    with pytest.raises(Answer) as first:
        parse_command(["help", verb])
    with pytest.raises(Answer) as second:
        parse_command([verb, "--help"])
    assert str(first.value) == str(second.value)
    assert f"usage: mallard {verb}" in str(first.value)


def test_the_first_help_counts_the_questions_of_the_survey(capsys: Any) -> None:
    assert main([]) == 0
    number = {10: "ten", 11: "eleven", 12: "twelve"}[len(QUESTIONS)]
    assert f"{number} questions" in capsys.readouterr().out
    assert f"{number} questions" in (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")


def test_help_lists_exit_statuses(capsys: Any) -> None:
    assert main([]) == 0
    shown = capsys.readouterr().out
    for status in (value for value in vars(exit_status).values() if isinstance(value, int)):
        assert f"{status} " in shown.partition("exit status:")[2]


def test_reports_failure_when_sigchld_is_ignored(
    capsys: pytest.CaptureFixture[str],
) -> None:
    previous = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert main(["--version"]) == 0
        assert subprocess.run([sys.executable, "-c", "exit(3)"], check=False).returncode == 3
    finally:
        signal.signal(signal.SIGCHLD, previous)
    assert capsys.readouterr().out.startswith("mallard ")


@pytest.mark.parametrize("name", ["experiments", "structures", "strategies", "contenders", "tables"])
def test_lists_need_no_package(name: str) -> None:
    listed = query_front_door("show", name)
    assert (listed.returncode, listed.stderr) == (0, "answered\n")
    assert all(len(line) <= layout.WIDTH for line in listed.stdout.splitlines())
    assert len(listed.stdout.splitlines()) > 5


def test_help_imports_no_verb() -> None:
    code = "import sys; from mallard.cli import main; main(['--help']); "
    code += "sys.exit(' '.join(name for name in sys.modules if name.startswith('mallard.cli.verbs.')))"
    environment = {"PYTHONPATH": str(PACKAGES)}
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout.startswith("usage: mallard VERB")
    assert done.stderr.strip() == ""
