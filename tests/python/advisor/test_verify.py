"""`mallard verify` with synthetic runs: parts of a gain, promised figures, failures, messages."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from report_lines import screen
from samples import sampled
from synthetic_profile import document
from synthetic_study import aged, baseline, ceiling, effect, mallocs, result, study

from mallard.advisor.advice.verdict import decide
from mallard.advisor.profile.document import read_profile
from mallard.advisor.trial.process import Measured, RecordingDiffersError, RunsDifferError
from mallard.advisor.trial.program import Counts
from mallard.advisor.trial.rounds import Rounds, interleaved
from mallard.advisor.verify import (
    AFTER,
    BEFORE,
    NULL,
    Advice,
    Comparison,
    Ownership,
    Verification,
    _malloc_name,
    check_frees,
    compare,
    read_advice,
    record_ownership,
    run_before,
    summarize_comparison,
)
from mallard.advisor.view.advice import advice_json
from mallard.advisor.view.trial import trial_json
from mallard.advisor.view.verify import verification_report
from mallard.cli import parse_command
from mallard.shared.errors import UsageError

RUN = Measured(cpu_seconds=0.1, wall_seconds=0.1, peak_bytes=10 << 20, faults=500, status=0, output="same")
NOTHING_SEEN = Ownership()


def runs(seconds: float, **changes: Any) -> list[Measured]:
    """Five rounds, each a little slower than the one before."""
    noise = (0.0, 0.001, 0.002, 0.003, 0.004)
    fields = {"wall_seconds": seconds, **changes}
    return [replace(RUN, cpu_seconds=seconds + delay, **fields) for delay in noise]


def compared(failed: Mapping[str, str] | None = None, **by_arm: list[Measured]) -> Comparison:
    return summarize_comparison(Rounds(dict(by_arm), dict(failed or {})))


def shown(comparison: Comparison, ownership: Ownership = NOTHING_SEEN, advice: Advice | None = None) -> str:
    report = verification_report(Verification(comparison, ownership, advice))
    return "\n".join(screen(report, 100, is_terminal=False))


def test_gain_splits_into_rewrite_and_allocator() -> None:
    comparison = compared(before=runs(0.100), after=runs(0.060, peak_bytes=11 << 20), null=runs(0.090))
    assert comparison.whole.time.median == pytest.approx(-0.040)
    assert comparison.rewrite.time.median == pytest.approx(-0.010)
    assert comparison.allocator.time.median == pytest.approx(-0.030)
    assert comparison.whole.peak_bytes.median == 1 << 20
    assert comparison.is_sound
    text = shown(comparison)
    clock = "CPU time (40.0 to 40.0 ms), under the programs' own malloc on a young heap."
    assert f"The change saves 40.0 of 102.0 ms of {clock}" in " ".join(text.split())
    assert "the rewrite alone" in text
    assert "Without NULL" not in text


def test_figures_of_a_row_add_up() -> None:
    """The medians of the programs are of other rounds: 100, 70 and, of the differences, -60 ms."""
    sides = ((0.100, 0.130, 0.099), (0.090, 0.070, 0.039))
    before, after = ([replace(RUN, cpu_seconds=seconds) for seconds in side] for side in sides)
    comparison = compared(before=before, after=after, null=before)
    assert comparison.programs[AFTER].seconds == pytest.approx(0.040)
    assert comparison.programs[AFTER].measured_seconds == 0.070
    rows = [line.split() for line in shown(comparison).splitlines()]
    assert [row[3:6] for row in rows if row[:2] == ["CPU", "time,"]] == [["100.0", "40.0", "-60.00"]]


def test_names_a_preloaded_malloc() -> None:
    preloaded = {"LD_PRELOAD": "/usr/lib/libmimalloc.so.2:/lib/mine.so"}
    assert _malloc_name(preloaded) == "libmimalloc.so.2 and mine.so"
    assert _malloc_name({}) == _malloc_name({"LD_PRELOAD": ""}) == "the programs' own malloc"


def test_recording_has_the_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []

    def record(words: Any, stdin: Any, trace: Path, seconds_limit: float, *_: Any) -> Path:
        limits.append(seconds_limit)
        raise UsageError("it was too long")

    monkeypatch.setattr("mallard.advisor.verify.record", record)
    assert record_ownership(["./after"], None, tmp_path, 7.0).unknown == "it was too long"
    assert limits == [7.0]


def test_other_recording_shows_no_ownership(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def record(*words: Any) -> Path:
        assert words[-1] is RUN
        raise RecordingDiffersError("the program printed another output with the recorder")

    monkeypatch.setattr("mallard.advisor.verify.record", record)
    ownership = record_ownership(["./after"], None, tmp_path, 7.0, first=RUN)
    assert ownership.unknown == "the program printed another output with the recorder"
    assert "No recording shows how" in shown(compared(before=runs(0.1), after=runs(0.1)), ownership)


def test_rewrite_is_unknown_without_null() -> None:
    comparison = compared(before=runs(0.100), after=runs(0.110))
    assert comparison.rewrite is None
    assert comparison.allocator is None
    text = shown(comparison)
    assert "The change costs 10.0 ms on top of 102.0 ms" in text
    assert "Without NULL" in text


def test_no_difference_within_the_interval() -> None:
    after = [replace(RUN, cpu_seconds=seconds) for seconds in (0.09, 0.12, 0.10, 0.11, 0.098)]
    assert "No difference in CPU time beyond the interval" in shown(compared(before=runs(0.1), after=after))


def test_several_cores_use_wall_time() -> None:
    comparison = compared(before=runs(0.4, wall_seconds=0.2), after=runs(0.4, wall_seconds=0.1))
    assert comparison.wall
    assert comparison.whole.time.median == pytest.approx(-0.1)
    assert "of wall time" in shown(comparison)


def test_reports_a_program_that_ends_differently() -> None:
    broken = replace(RUN, status=11)
    arms = {BEFORE: lambda: RUN, AFTER: lambda: broken}
    comparison = summarize_comparison(interleaved(arms, BEFORE, 3, 1, lambda *_: None, lambda _: None))
    assert comparison.failed == {AFTER: "ended by SIGSEGV"}
    assert not comparison.is_sound
    text = shown(comparison)
    assert (
        "The program after the change ended by SIGSEGV; the program before ended with exit status 0." in text
    )
    assert "rounds" not in text
    assert "The output is the same" not in text


def test_compares_deterministic_outputs() -> None:
    changed = compared(before=runs(0.1), after=runs(0.1, output="other"))
    assert changed.differing == (AFTER,)
    assert not changed.is_sound
    assert "The output differs from before: after the change." in shown(changed)
    ignored = compared(before=runs(0.1, output=""), after=runs(0.1, output=""))
    assert ignored.is_sound
    assert "output was not compared, as --ignore-output or --load asks" in shown(ignored)


@pytest.mark.parametrize("first_round", [BEFORE, AFTER])
def test_rejects_programs_that_change_their_next_run(first_round: str, monkeypatch) -> None:
    """Whichever program comes first in the first round, and changes all later runs."""
    ran: list[str] = []

    def measure(words: list[str], *_: object) -> Measured:
        ran.append(words[0])
        return replace(RUN, status=256 if len(ran) > 1 else 0)

    monkeypatch.setattr("mallard.advisor.verify.measure", measure)
    monkeypatch.setattr("random.Random.shuffle", lambda _, names: names.sort(key=first_round.__ne__))
    programs = {BEFORE: "./before", AFTER: "./after"}
    first = run_before("./before", ["x"], None, 60.0)
    with pytest.raises(RunsDifferError, match="before, ended with exit status 1, and the first run ended"):
        compare(programs, ["x"], None, 3, 60.0, lambda *_: None, first=first)
    assert ran[1] == programs[first_round]


def test_json_has_programs_and_changes() -> None:
    comparison = compared(before=runs(0.100), after=runs(0.060), null=runs(0.090))
    fields = json.loads(Verification(comparison, NOTHING_SEEN).json())
    assert fields["format"] == "mallard verify"
    assert fields["sound"] is True
    assert set(fields["comparison"]["programs"]) == {BEFORE, AFTER, NULL}
    assert fields["comparison"]["allocator"]["time"]["median"] == pytest.approx(-0.030)


# ---- ownership of blocks -----------------------------------------------------------------------------


def pools(**wrong: int | None) -> Ownership:
    row = {
        "name": "nodes",
        "pools": 2,
        "allocations": 300,
        "bytes": 9600,
        "releases": 2,
        "wrong_frees": wrong,
    }
    return check_frees(read_profile(json.dumps(document(pools=[row]))))


def test_reports_pools_without_wrong_frees() -> None:
    ownership = pools()
    assert ownership.is_sound
    text = shown(compared(before=runs(0.1), after=runs(0.1)), ownership)
    assert "nodes (2 pools, 300 blocks): no block outlived its pool" in text
    assert "Not seen in a recording" in text


def test_reports_wrong_frees_with_first_stack() -> None:
    ownership = pools(after_end=2, of_other=1, first=0)
    assert not ownership.is_sound
    assert ownership.pools[0].wrong == 3
    assert ownership.pools[0].first
    text = " ".join(shown(compared(before=runs(0.1), after=runs(0.1)), ownership).split())
    assert "2 frees after the block's end and 1 free of a block of another pool. The first:" in text


def test_reports_unchecked_pools() -> None:
    nothing = compared(before=runs(0.1), after=runs(0.1))
    assert "No block's end was checked" in shown(nothing)
    assert "how the blocks of the changed program end: it is static" in shown(
        nothing, Ownership(unknown="it is static")
    )
    profile = read_profile(json.dumps(document(pools=[])))
    torn = check_frees(replace(profile, process=replace(profile.process, torn=True)))
    assert torn.unknown == "the recording is incomplete: its end is missing"


# ---- advice -------------------------------------------------------------------------------------------


def trial(milliseconds: float, **changes: Any) -> dict[str, Any]:
    """The strategies that would save more served nothing, or changed the output."""
    effects = [effect("heap", 99, counts=Counts()), effect("multipool", 80)]
    tried = baseline(
        *(*effects, effect("monotonic", milliseconds)),
        differing=("multipool",),
        program_seconds=0.1,
        **changes,
    )
    return json.loads(trial_json(result(tried)))


def advice_document(**changes: Any) -> dict[str, Any]:
    case = study(**changes)
    return json.loads(advice_json(case, decide(case)))


NO_SAVING: dict[str, Any] = {
    "trial": result(baseline(effect("monotonic", 0.2))),
    "globals": mallocs(("mimalloc", 0.1, 1.0)),
    "on_top": None,
}


def advised(tmp_path: Path, document: Any) -> Advice:
    file = tmp_path / "advice.json"
    file.write_text(document if isinstance(document, str) else json.dumps(document))
    return read_advice(file)


@pytest.mark.parametrize(
    ("promised", "verdict"),
    [(30, "The intervals of the shares overlap"), (50, "less than the advice"), (20, "more than the advice")],
)
def test_compares_advice_with_measurement(tmp_path: Path, promised: float, verdict: str) -> None:
    advice = advised(tmp_path, trial(promised))
    assert advice.figure.strategy == "monotonic"
    comparison = compared(before=runs(0.098), after=runs(0.060), null=runs(0.090))
    text = " ".join(shown(comparison, advice=advice).split())
    assert f"Advised: monotonic in handle, -{promised}.00 of 100.0 ms" in text
    assert "AFTER against NULL" in text
    assert verdict in text
    assert "another one" not in text


@pytest.mark.parametrize(
    ("after", "verdict"), [(0, "less than the advice"), (12, "The intervals overlap"), (20, "more than")]
)
def test_compares_advised_memory_with_measurement(tmp_path: Path, after: int, verdict: str) -> None:
    """Advised: 2.0 MiB more (0 to 4.0)."""
    changed = runs(0.060, peak_bytes=after << 20)
    text = " ".join(
        shown(compared(before=runs(0.1), after=changed), advice=advised(tmp_path, trial(30))).split()
    )
    assert "Peak memory, KiB: advised +2,048 (+0 to +4,096). Fact: " in text
    assert verdict in text.partition("Peak memory, KiB: advised")[2]


def test_older_advice_has_no_memory(tmp_path: Path) -> None:
    document = trial(30)
    del document["figure"]["peak_bytes"]
    assert "advised" not in shown(
        compared(before=runs(0.1), after=runs(0.06)), advice=advised(tmp_path, document)
    )


def test_patch_is_verified_without_notes_on_allocators() -> None:
    comparison = compared(before=runs(0.1), after=runs(0.06))
    result = Verification(comparison, Ownership(allocations=20), None, 14_000, "x.patch")
    text = " ".join("\n".join(screen(verification_report(result), 100, is_terminal=False)).split())
    assert "A recorded run makes 14,000 allocations before the change, and 20 after it." in text
    assert "Without NULL" not in text
    assert "No block's end was checked" not in text
    assert json.loads(result.json())["ownership"]["allocations"] == 20


def test_measurement_uses_the_clock_of_advice(tmp_path: Path) -> None:
    advice = advised(tmp_path, trial(20, wall=True))
    assert advice.wall
    rounds = Rounds({BEFORE: runs(0.1, wall_seconds=0.3), AFTER: runs(0.06, wall_seconds=0.2)})
    comparison = summarize_comparison(rounds, advice.wall)
    assert comparison.whole.time.median == pytest.approx(-0.1)
    assert "Times are wall time, as in the advice." in " ".join(shown(comparison, advice=advice).split())


def test_warns_about_advice_for_another_input(tmp_path: Path) -> None:
    comparison = compared(before=runs(0.5), after=runs(0.4))
    assert "another input or machine" in " ".join(
        shown(comparison, advice=advised(tmp_path, trial(20))).split()
    )


def test_advice_for_an_old_heap_has_its_figure(tmp_path: Path) -> None:
    """Not that of the young heap, on which the change saves nothing."""
    document = advice_document(**NO_SAVING, aged=(aged(effect("monotonic", 60.0)),))
    local = advised(tmp_path, document).figure
    assert (local.title, local.against) == ("monotonic in handle", "glibc on an old heap")
    assert local.time.median == pytest.approx(-0.06)
    document = advice_document(**NO_SAVING, aged=(aged(malloc=("mimalloc", 40.0, 1.0)),))
    by_malloc = advised(tmp_path, document).figure
    assert (by_malloc.title, by_malloc.against) == ("mimalloc", "glibc on an old heap")
    assert by_malloc.program_seconds == 0.109


def damaged_documents(document: Any) -> Iterator[Any]:
    """Copies of the document, each with one value replaced by a wrong one."""
    wrong = (None, "x", -1, 0, 1.5, True, [], {}, [[1]], float("nan"), float("inf"), 10**400)
    if isinstance(document, (dict, list)):
        for key, value in list(document.items() if isinstance(document, dict) else enumerate(document)):
            for replacement in (*wrong, *damaged_documents(value)):
                copied = document.copy()
                copied[key] = replacement
                yield copied
    yield from wrong


@pytest.mark.parametrize("step", sampled(5, 1, default=1))
@pytest.mark.parametrize("document", [trial(30), advice_document()], ids=["trial", "advice"])
def test_damaged_advice_is_rejected_or_shown(tmp_path: Path, document: dict[str, Any], step: int) -> None:
    sound = {name: document[name] for name in ("format", "wall", "headline", "figure") if name in document}
    comparison = compared(before=runs(0.1), after=runs(0.06))
    refused = []
    for damaged in itertools.islice(damaged_documents(sound), 0, None, step):
        try:
            advice = advised(tmp_path, damaged)
        except UsageError as error:
            refused.append(str(error))
        else:
            shown(comparison, advice=advice)
    assert len(refused) > 100 // step
    assert all("advice.json" in message for message in refused)


def test_advice_contains_its_trial(tmp_path: Path) -> None:
    comparison = compared(before=runs(0.1), after=runs(0.06))
    text = shown(comparison, advice=advised(tmp_path, advice_document()))
    assert "Advice: Put a monotonic allocator" in text
    assert "Advised: monotonic in handle" in text
    assert "against glibc on a young heap" in " ".join(text.split())
    nothing = advice_document(ceiling=ceiling(2.0), trial=None, chosen=None, on_top=None, globals=mallocs())
    assert "no figure of an allocator" in shown(comparison, advice=advised(tmp_path, nothing))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trial": result(baseline(effect("heap", 99)))}, "Advised: heap in handle, -99.00 of 109.0 ms"),
        ({"globals": mallocs(("mimalloc", 36.0, 1.0))}, "Advised: mimalloc, -36.00 of 109.0 ms"),
        (NO_SAVING, "no figure of an allocator"),
    ],
    ids=["local", "global", "unresolved"],
)
def test_figure_is_that_of_the_answer(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    advice = advised(tmp_path, advice_document(**changes))
    text = shown(compared(before=runs(0.1), after=runs(0.06)), advice=advice)
    assert message in " ".join(text.split())


def test_no_figure_if_nothing_saves_time(tmp_path: Path) -> None:
    assert advised(tmp_path, trial(0.5)).figure is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "its format is None; allowed are 'mallard trial' and 'mallard advice'"),
        ({"format": "mallard profile"}, "its format is 'mallard profile'"),
        ({"format": "mallard trial"}, "has no figure to compare with ('figure')"),
        (trial(1) | {"figure": {"scope": 3}}, "has no figure to compare with"),
    ],
    ids=["empty", "deep", "list", "profile", "nothing", "wrong"],
)
def test_rejects_files_without_advice(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(UsageError) as error:
        advised(tmp_path, content)
    assert message in str(error.value)


# ---- arguments --------------------------------------------------------------------------------------------


@pytest.fixture
def program_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "c"):
        (tmp_path / name).touch(mode=0o755)
    (tmp_path / "text").touch(mode=0o644)
    (tmp_path / "same").symlink_to("a")
    return tmp_path


@pytest.mark.usefixtures("program_folder")
def test_arguments_after_dashes_go_to_all_programs() -> None:
    arguments = parse_command(
        ["verify", "./a", "./b", "--rounds", "5", "--", "-x", "--", "--rounds"]
    ).arguments
    assert arguments.programs == ["./a", "./b"]
    assert arguments.words == ["-x", "--", "--rounds"]
    assert arguments.rounds == 5


@pytest.mark.usefixtures("program_folder")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "the program before the change is missing"),
        ("./a", "the program after the change is missing"),
        ("./a ./b ./c ./a", "unexpected program './a'; give the arguments of the programs after '--'"),
        ("./a ./a", "./a and ./a are one program"),
        ("./a ./same", "./same and ./a are one program"),
        ("./a ./none", "'./none' does not exist"),
        ("./a ./text", "'./text' is not executable; if it is a program: chmod"),
        ("./a ./b --rounds 2", "--rounds 2: an interval needs 3 rounds or more"),
        ("./a ./b --age young,old", "--age young,old: a comparison is at one age"),
        ("./a ./b --age elder", "'elder' is not an age"),
        ("./a ./b --advice none", "--advice none is not a file"),
        ("./a ./b -x", "unknown option '-x'"),
    ],
)
def test_rejects_bad_input(words: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_command(["verify", *words.split()])
    assert message in str(error.value)
