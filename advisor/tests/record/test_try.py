"""Trials on real programs, from the command line to the table. Times decide nothing here."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from advisor_programs import front, front_environment, has_ended, programs_of_advisor, wait_until

from mallard.advisor.advice.candidates import requested_candidates
from mallard.advisor.profile.document import ask, read_profile
from mallard.advisor.trial.campaign import Campaign, run_campaign
from mallard.advisor.trial.program import Program
from mallard.advisor.trial.scope_code import exclude_code, learn_rules, locate_scope
from mallard.shared.age import young_only
from mallard.shared.native_file import TRIAL_LIBRARY

# Without the functions of headers, as docs/advisor/scopes.md advises.
INSTRUMENTED = ("-finstrument-functions", "-finstrument-functions-exclude-file-list=/usr/include,c++")


@pytest.mark.parametrize(
    ("flags", "scope"),
    [((), "handle"), (INSTRUMENTED, "handle(int)")],
    ids=["by its stack", "by its own word"],
)
def test_all_blocks_of_a_function_are_served(toys, tmp_path, flags, scope):
    program = toys.build(f"requests_{len(flags)}", ["requests.cpp"], "-g", *flags)
    trial = ("try", "--scope", scope, "--strategy", "monotonic", "--rounds", 3, "--json")
    done = front(*trial, "--", program, 200, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (effect,) = json.loads(done.stdout)["baselines"][0]["trial"]["effects"]
    assert effect["strategy"] == "monotonic"
    assert effect["counts"]["served"] >= 200 * 60  # a node and two texts for each of 20 fields
    assert effect["counts"]["started_again"] >= 199


@pytest.mark.parametrize("flags", [(), ("-fno-omit-frame-pointer",)], ids=["plain", "frame pointers"])
def test_both_detectors_find_the_same_requests(toys, tmp_path, monkeypatch, flags):
    """A return address is shared, and stacks are deep, of fibers or threads, or left by longjmp."""
    program = toys.build(f"one_helper_{len(flags)}", ["one_helper.cpp"], "-g", *flags)
    results = {}
    for detector in ("rules", "stack"):
        monkeypatch.setenv("MALLARD_DETECTOR", detector)
        trial = ("try", "--scope", "handle", "--strategy", "multipool", "--rounds", 3, "--json")
        done = front(*trial, "--", program, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        results[detector] = json.loads(done.stdout)
        assert results[detector]["scope"]["detector"]["method"] == detector
    rules, stack = (results[detector]["baselines"][0]["trial"]["null"] for detector in ("rules", "stack"))
    assert rules["in_null"] == stack["in_null"] == 20 * (100 + 100 + 20 + 50 + 1)
    assert rules["elsewhere"] == stack["elsewhere"]
    of_the_loader = 1  # which are outside of every scope, without a look at the stack
    assert stack["by_stack"] + of_the_loader == stack["in_null"] + stack["elsewhere"]
    assert rules["by_stack"] < stack["by_stack"] / 20


def test_rejects_an_unknown_detector(toys, tmp_path, monkeypatch):
    program = toys.build("requests", ["requests.cpp"], "-g")
    monkeypatch.setenv("MALLARD_DETECTOR", "tree")
    done = front("try", "--scope", "handle", "--rounds", 3, "--", program, 20, folder=tmp_path)
    assert done.returncode == 2
    assert "MALLARD_DETECTOR=tree is not a detector; give rules or stack" in done.stderr


def test_a_scope_without_the_function_that_keeps_blocks(toys, tmp_path):
    """A monotonic allocator begins again after each request, though blocks of the scope live longer."""
    program = toys.build("requests", ["requests.cpp"], "-g")
    trial = ("try", "--scope", "handle", "--strategy", "monotonic", "--rounds", 3, "--json")
    counts = []
    for without in ((), ("--without", "keep")):
        done = front(*trial, *without, "--", program, 200, "keep", folder=tmp_path)
        assert done.returncode == 0, done.stderr
        (effect,) = json.loads(done.stdout)["baselines"][0]["trial"]["effects"]
        counts.append(effect["counts"])
    assert counts[0]["started_again"] < 20
    assert counts[1]["started_again"] >= 199
    assert counts[1]["served"] < counts[0]["served"]


def test_the_trial_path_contains_space_and_colon(toys, tmp_path):
    program = toys.build("requests", ["requests.cpp"], "-g")
    build = tmp_path / "two words: here"
    build.symlink_to(programs_of_advisor().parent)
    words = (
        "try",
        "--scope",
        "handle",
        "--strategy",
        "monotonic",
        "--rounds",
        3,
        "--json",
        "--",
        program,
        20,
    )
    done = front(*words, folder=tmp_path, build=build)
    assert done.returncode == 0, done.stderr
    (effect,) = json.loads(done.stdout)["baselines"][0]["trial"]["effects"]
    assert effect["counts"]["served"] > 0


RUNS = """
from pathlib import Path
from mallard.advisor.trial.{module} import {function}
{function}(["sh", "-c", "sleep 1000 & echo $! $$ > pids.new; mv pids.new pids; wait"], {arguments})
"""


@pytest.mark.parametrize(
    ("module", "function", "arguments"),
    [("process", "measure", "{}, None, 600"), ("process", "record", "None, Path('a.trace'), 600")],
)
def test_no_program_outlives_a_killed_mallard(tmp_path, module, function, arguments):
    script = RUNS.format(module=module, function=function, arguments=arguments)
    mallard = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, env=front_environment())
    while not (tmp_path / "pids").exists():
        assert mallard.poll() is None
        time.sleep(0.01)
    pids = list(map(int, (tmp_path / "pids").read_text().split()))
    mallard.kill()
    mallard.wait()
    wait_until(lambda: all(map(has_ended, pids)))


def test_a_program_dies_with_its_measurer(tmp_path):
    program = ["sh", "-c", "echo $$ > pid.new; mv pid.new pid; read x"]
    with open(os.devnull, "wb") as result:
        words = [front_environment()["MALLARD_MEASURE"], str(result.fileno()), "--", *program]
        measurer = subprocess.Popen(words, cwd=tmp_path, stdin=subprocess.PIPE, pass_fds=(result.fileno(),))
    while not (tmp_path / "pid").exists():
        assert measurer.poll() is None
        time.sleep(0.01)
    measurer.send_signal(signal.SIGKILL)
    measurer.wait()
    wait_until(lambda: has_ended(int((tmp_path / "pid").read_text())))


@pytest.mark.parametrize(
    ("without", "message"),
    [("kepe", "There is no scope 'kepe'"), ("main", "handle without main leaves out nothing")],
)
def test_refuses_to_exclude_an_uncalled_function(toys, tmp_path, without, message):
    program = toys.build("requests", ["requests.cpp"], "-g")
    words = ("try", "--scope", "handle", "--without", without, "--rounds", 3, "--", program, 200, "keep")
    done = front(*words, folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr


def null_of(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["baselines"][0]["trial"]["null"]


def test_rules_leave_out_blocks_that_escape(record, toys, tmp_path, monkeypatch):
    """As `mallard advise` does, by the places of the calls."""
    for name, value in front_environment().items():
        monkeypatch.setenv(name, value)
    program = toys.build("requests", ["requests.cpp"], "-g")
    trace = record(program, 200, "keep").trace
    (candidate,) = requested_candidates(*profile_with_scope(trace, "handle"))
    escapes = [site.code for site in candidate.escape_sites]
    assert escapes
    scope = exclude_code(locate_scope(trace, "handle"), escapes, "what escapes")
    learnt = learn_rules(trace, scope)
    assert learnt.detector.method == "rules"
    campaign = Campaign(("monotonic",), ("glibc",), young_only(), 3, 1)
    words = [str(program), "200", "keep"]
    result = run_campaign(Program(words, TRIAL_LIBRARY.find()), learnt, campaign, lambda done, of: None)
    (effect,) = result.baselines[0].trial.effects
    assert effect.counts.started_again >= 199
    assert effect.counts.by_stack < effect.counts.served / 100


def profile_with_scope(trace, name):
    profile = read_profile(ask([str(trace), "--scope", name]))
    return profile, [profile.scope.row]


@pytest.mark.parametrize(
    ("verb", "flags"), [("try", ()), ("advise", ("-Wl,--build-id=none",))], ids=["build-id", "path"]
)
def test_refuses_the_recording_of_another_build(record, toys, tmp_path, flags, verb):
    program = toys.build(f"requests_{len(flags)}_of_builds", ["requests.cpp"], "-g", *flags)
    other = toys.build(f"other_{len(flags)}", ["requests.cpp"], "-g", "-O2", *flags)
    copy = Path(shutil.copy(program, tmp_path / "copy"))
    trace = record(program, 200).trace
    words = (verb, "--age", "young", "--trace", trace, "--scope", "handle", "--global", "glibc")
    words = (*words, "--rounds", 3, "--json", "--")
    for tried in (other, *([copy] if flags else [])):
        done = front(*words, tried, 200, folder=tmp_path)
        assert done.returncode == 2
        assert done.stdout == ""
        message = f"{trace} is a recording of {program}, and '{tried}' runs another program or build"
        assert message in done.stderr
    done = front(*words, program if flags else copy, 200, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    if verb == "try":
        detector = json.loads(done.stdout)["scope"]["detector"]
        assert detector["method"] == "stack"
        assert "recording of --trace" in detector["reason"]


def test_refuses_a_recording_without_names(record, toys, tmp_path):
    program = toys.build("requests", ["requests.cpp"], "-g")
    trace = record(program, 200, options=["--redact"]).trace
    done = front("try", "--trace", trace, "--scope", "handle", "--", program, 200, folder=tmp_path)
    assert done.returncode == 2
    assert "lacks the names of files" in done.stderr


LIBRARY_CALLS = 20_000


@pytest.mark.parametrize("folder", ["x" * 150 + "/" + "y" * 150, "a;b"], ids=["long", "semicolon"])
def test_finds_code_in_libraries_by_their_paths(toys, tmp_path, folder):
    library = tmp_path / folder / "libin_library.so"
    library.parent.mkdir(parents=True)
    shutil.copy(toys.build("libin_library.so", ["in_library.c"], "-shared", "-fPIC"), library)
    trial = ("try", "--strategy", "multipool", "--rounds", 3, "--json", "--scope")
    program = (toys.build("loads", ["loads.c"]), library, "in_library")
    done = front(*trial, "in_library", "--", *program, folder=tmp_path)
    if ";" in folder:
        assert done.returncode == 2
        assert f"a part of in_library is in '{library}', and a trial finds no code" in done.stderr
        done = front(*trial, "main", "--", *program, folder=tmp_path)
    null = null_of(done)
    assert null["in_null"] >= LIBRARY_CALLS
    assert (null["by_stack"] < LIBRARY_CALLS / 20) == (";" not in folder)


def test_asks_about_pages_of_a_fiber_once_a_request(toys, tmp_path, monkeypatch):
    """A recorded program makes two events for each block, and each asks once."""
    program = toys.build("asks_pages", ["asks_pages.cpp"], "-g", "-rdynamic")
    monkeypatch.setenv("MALLARD_DETECTOR", "rules")
    trial = ("try", "--scope", "handle", "--strategy", "multipool", "--rounds", 3, "--json")
    null = null_of(front(*trial, "--", program, tmp_path / "asked", folder=tmp_path))
    assert null["in_null"] == 1000
    assert null["by_stack"] < 100
    asked = [int(line) for line in (tmp_path / "asked").read_text().splitlines()]
    assert 2 * null["in_null"] < max(asked) < 5 * null["in_null"]


@pytest.mark.parametrize("detector", ["rules", "stack"])
def test_looks_through_generated_code(toys, tmp_path, monkeypatch, detector):
    program = toys.build("made-code", ["made_code.cpp"])
    monkeypatch.setenv("MALLARD_DETECTOR", detector)
    trial = ("try", "--scope", "::use(", "--strategy", "multipool", "--rounds", 3, "--json")
    assert null_of(front(*trial, "--", program, folder=tmp_path))["in_null"] == 4 * 400 * 5


@pytest.mark.parametrize(
    ("flags", "threads"),
    [((), ("threads",)), (("-finstrument-functions",), ())],
    ids=["stack, unserved thread", "functions, one thread"],
)
def test_finds_code_that_replaces_other_code(toys, tmp_path, monkeypatch, flags, threads):
    monkeypatch.setenv("MALLARD_DETECTOR", "stack")
    shared = ("-shared", "-fPIC", *flags)
    plug_ins = [
        toys.build(f"{name}_{len(flags)}.so", ["reloaded.c"], f"-DFUNCTION={name}", *shared)
        for name in ("first", "other")
    ]
    trial = ("try", "--scope", "other", "--strategy", "multipool", "--rounds", 3, "--json")
    program = toys.build("reloads", ["reloads.c"])
    assert null_of(front(*trial, "--", program, *plug_ins, *threads, folder=tmp_path))["in_null"] == 100


def kept_effects(program: Path, line: str, *words: object, folder: Path) -> dict[str, dict[str, Any]]:
    """The effects of the strategies of a line, by name."""
    done = front("try", "--scope", line, "--rounds", 3, "--json", "--", program, *words, folder=folder)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["scope"]["name"] == line
    assert not result["baselines"][0]["differing"]
    return {effect["strategy"]: effect for effect in result["baselines"][0]["trial"]["effects"]}


def test_keeps_the_buffer_of_a_line(toys, tmp_path):
    program = toys.build("kept", ["kept.cpp"], "-g")
    effects = kept_effects(program, toys.line("kept.cpp", "frame"), "frame", 5, folder=tmp_path)
    for effect in effects.values():
        assert effect["counts"]["served"] == 5
        assert effect["faults"]["median"] < -4 * 8000  # 8,448 pages of each buffer but the first
    assert set(effects) == {"kept-block", "block-cache"}


def test_keeps_temporaries_of_a_line(toys, tmp_path):
    program = toys.build("kept", ["kept.cpp"], "-g")
    effects = kept_effects(program, toys.line("kept.cpp", "temporary"), "temporary", 500, folder=tmp_path)
    cache, block = effects["block-cache"]["counts"], effects["kept-block"]["counts"]
    assert cache["served"] >= 2 * 500
    assert cache["no_room"] == 0
    assert block["served"] + block["no_room"] == cache["served"]


def test_grows_an_array_of_c_in_its_kept_block(toys, tmp_path):
    program = toys.build("growing", ["growing.c"], "-g")
    effects = kept_effects(program, toys.line("growing.c", "growth"), 800, folder=tmp_path)
    reserved = effects.pop("reserve")["counts"]
    assert set(effects) == {"kept-block", "block-cache"}
    for effect in effects.values():
        assert effect["counts"]["served"] == effect["counts"]["freed"] == 800
        assert effect["counts"]["moved"] == 0
    assert reserved["served"] > 0.98 * (reserved["served"] + reserved["too_large"])
    assert reserved["served"] > 800 * 10


def test_keeps_few_blocks_that_wait_for_another_thread(toys, tmp_path):
    program = toys.build("kept", ["kept.cpp"], "-g")
    line = toys.line("kept.cpp", "queue")
    counts = kept_effects(program, line, "queue", 3000, folder=tmp_path)["block-cache"]["counts"]
    assert counts["served"] + counts["no_room"] >= 2 * 3000
    assert counts["served"] - counts["freed"] - counts["freed_by_others"] <= 8


def test_refuses_a_line_that_allocates_nothing(toys, tmp_path):
    program = toys.build("kept", ["kept.cpp"], "-g")
    done = front("try", "--scope", "kept.cpp:1", "--rounds", 3, "--", program, "frame", 1, folder=tmp_path)
    assert done.returncode == 2
    assert "no call at kept.cpp:1 allocates" in done.stderr
