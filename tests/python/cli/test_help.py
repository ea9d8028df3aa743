"""Help fits a terminal, lists each option of a verb or experiment, and has valid examples."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from mallard.bench.analysis.survey import QUESTIONS
from mallard.bench.contenders import own_strategies
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.plan import NUMBERS, OPTIONS
from mallard.bench.selection import select_counts
from mallard.bench.store import Store
from mallard.cli import VERBS, parse_command
from mallard.cli.layout import columns, examples
from mallard.cli.parser import Answer
from mallard.cli.verbs import show
from mallard.shared import mallocs
from mallard.shared.errors import UsageError

MOST_LINES = 33
SHORT = [[], *([verb] for verb in VERBS), *(["show", word] for word in show.TOPICS)]
SCREENS = [*SHORT, *(["bench", name] for name in EXPERIMENTS)]


def answer(*words: str) -> str:
    with pytest.raises(Answer) as raised:
        parse_command(words)
    return str(raised.value)


@pytest.fixture(params=SCREENS, ids=lambda words: " ".join(words) or "no verb")
def screen(request: pytest.FixtureRequest) -> str:
    return answer(*request.param, "--help")


def test_help_fits_a_terminal(screen: str) -> None:
    assert max(map(len, screen.splitlines())) <= 80
    assert screen.endswith("\n")


@pytest.mark.parametrize("words", SHORT, ids=lambda words: " ".join(words))
def test_help_fits_one_screen(words: list[str]) -> None:
    assert len(answer(*words, "--help").splitlines()) <= MOST_LINES


def test_examples_are_understood(screen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("MALLARD_BENCH", "MALLARD_DB"):
        monkeypatch.delenv(name, raising=False)
    for name in ("mallard.db", "other.db", "FILE"):
        Store(tmp_path / name).close()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(mallocs, "_files", {})
    for name in ("before", "after", "null", "parser", "program", "server"):
        (tmp_path / name).touch(mode=0o755)
    (tmp_path / "parser.toml").write_text("[process]\nallocations = 1\n")
    (tmp_path / "libmimalloc.so").write_bytes(b"\x7fELF")
    commands = re.findall(r"^  mallard ?(.*?)(?:  .*)?$", screen.partition("examples:")[2], re.MULTILINE)
    assert commands
    for command in commands:
        words = shlex.split(command.partition(" > ")[0])
        if "--list" in words:
            assert answer(*words)
        else:
            parse_command(words).needs()


def test_help_of_bench_names_experiments_and_questions() -> None:
    words = " ".join(answer("bench", "--help").split())
    assert f": {', '.join(EXPERIMENTS)} " in words
    assert all(f"{question.text} {question.cells} " in words for question in QUESTIONS)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_help_shows_described_defaults(name: str) -> None:
    """As the options take them, and nowhere in the description's own words."""
    for axis in EXPERIMENTS[name].axes:
        if axis.default is None:
            continue
        assert "default" not in axis.text
        defaults = axis.help_text.removeprefix(axis.text)
        match = re.fullmatch(r" \(default: ([^;]+)(?:; (--.*))?\)", defaults)
        by_scale = dict(default.split(" ", 1) for default in match[2].split(", ")) if match[2] else {}
        default = axis.default if isinstance(axis.default, dict) else {"quick": axis.default}
        assert list(by_scale) == [f"--{scale}" for scale in default][1:]
        for text, value in zip([match[1], *by_scale.values()], default.values(), strict=True):
            if axis.words:
                assert (axis.words if text == "all" else tuple(text.split(","))) in (value, (value,))
            else:
                values = value if isinstance(value, tuple) else (value,)
                assert tuple(select_counts(text, axis.flag, 1, 10**12)) == values


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiment_help_has_only_its_options(name: str) -> None:
    help_text = answer("bench", name, "--help")
    assert answer("help", "bench", name) == answer("bench", "--help", name) == help_text
    shown = set(re.findall(r"^  --([\w-]+)", help_text, re.MULTILINE))
    own = {option.name for option in OPTIONS[name]}
    every = {option.name for options in OPTIONS.values() for option in options}
    assert shown & every == own
    assert shown - every == {
        *("quick", "standard", "paper", "strategy", "contenders", "malloc", "pages", "compiler", "with"),
        *("reps", "seed", "time-limit", "memory-limit", "all", "html", "no-pin", "db"),
    }
    strategies = help_text.partition("strategies (")[2].partition("examples:")[0]
    assert own_strategies(name)[-1] in strategies


def test_help_for_locality_has_the_five_numbers() -> None:
    shown = re.findall(r"^  (\S+) ", answer("bench", "locality", "--help"), re.MULTILINE)
    assert shown[:5] == [number for number, _ in NUMBERS["locality"]] == ["|G|", "|S|", "af", "sf", "rf"]
    assert "|G|" in answer("bench", "locality", "--help").splitlines()[0]
    assert "rf" not in re.findall(r"^  (\S+) ", answer("bench", "density", "--help"), re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("bench locality --link 3", "unknown option '--link' (did you mean --links?)"),
        ("bench locality --foo", "unknown option '--foo'\n"),
        ("bench locality --reps 0", "\nsee 'mallard bench locality --help'"),
        ("bench --reps 0", "\nsee 'mallard bench --help'"),
        ("bench --db locality --reps 0", "\nsee 'mallard bench --help'"),
    ],
)
def test_an_error_names_the_help_that_has_more(words: str, expected: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_command(words.split())
    assert expected in str(refused.value)


def test_examples_use_columns_if_they_fit() -> None:
    assert examples([("a b", "short"), ("c", "too")]) == "  a b  short\n  c    too"
    assert examples([("a b", "x" * 74)]) == f"  a b\n      {'x' * 74}"


def test_a_long_text_goes_on_below_itself() -> None:
    assert columns([("name", "word " * 20)]).splitlines() == [
        f"  name  {' '.join(['word'] * 14)}",
        f"        {' '.join(['word'] * 6)}",
    ]


def test_names_are_not_broken_at_hyphens() -> None:
    assert "new-delete,replace,list,map,remove-ctrl" in answer("bench", "fixed-block", "--help")


def test_developers_verbs_ask_for_a_clone(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = {verb: text for verb, text in VERBS.items() if verb != "test"}
    monkeypatch.setattr("mallard.cli.VERBS", installed)
    with pytest.raises(UsageError, match=r"'test' is for developers of mallard, and runs in a clone: "):
        parse_command(["test"])
