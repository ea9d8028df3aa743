"""Advice on real programs, from the command line to the answer. Times decide nothing here."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from advisor_programs import front


@pytest.fixture
def advise(tmp_path):
    return lambda *words: front("advise", "--age", "young", *words, folder=tmp_path)


def test_a_program_that_allocates_nothing(advise, toys):
    done = advise("--", toys.build("idle", ["idle.c"]))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().startswith("Nothing worth doing: the program allocates ")


def test_advises_an_allocation_heavy_program(advise, toys):
    program = toys.build("requests", ["requests.cpp"], "-g")
    done = advise("--quick", "--rounds", 3, "--global", "glibc", "--json", "--", program, 2000)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["kind"] in ("local", "global", "unresolved"), "most of the time is malloc's"
    assert document["headline"]
    study = document["study"]
    assert study["allocations"] > 2000
    # Times decide which of the scopes and lines is tried in all rounds.
    names = [screened["candidate"]["name"] for screened in study["screened"]]
    assert "handle" in names
    assert study["chosen"]["name"] in names
    assert study["trial"]["rounds"] == 3


@pytest.mark.parametrize("flag", ["-g", "-DKEEPS_INLINE"])
def test_tries_a_scope_without_blocks_that_escape(advise, toys, flag):
    """A function that the scope calls allocates them, or the scope itself."""
    program = toys.build(f"requests{flag}", ["requests.cpp"], "-g", flag)
    words = ("--scope", "handle", "--quick", "--rounds", 3, "--global", "glibc", "--json")
    done = advise(*words, "--", program, 500, "keep")
    assert done.returncode == 0, done.stderr
    study = json.loads(done.stdout)["study"]
    assert all(screened["candidate"]["escape_sites"] for screened in study["screened"])
    assert not [note for note in study["notes"] if "not possible" in note]


def test_memory_that_threads_retain_goes_with_a_setting(advise, toys):
    """Each thread's arena keeps 6 MiB below its last block, and 6 MiB are live at a time."""
    program = toys.build("retains", ["retains.cpp"], "-g")
    words = ("--for", "memory", "--rounds", 3, "--global", "glibc,glibc:arena_max=1", "--json")
    done = advise(*words, "--", program, 8, 6)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["answer"]["malloc"] == "glibc:arena_max=1"
    assert document["headline"].startswith(
        "Use glibc with arena_max=1 instead of glibc: resident at the peak "
    )
    facts = {fact["label"]: fact["text"] for fact in document["facts"]}
    assert "samples of the recorded run" in facts["over time"]
    assert f"work ({toys.line('retains.cpp', 'work')})" in facts["live at the peak"]
    study = document["study"]
    (effect,) = study["globals"]["effects"]
    assert effect["peak_bytes"]["high"] < -20 << 20
    at_end = study["globals"]["at_end"]
    assert at_end["held_bytes"] > at_end["free_bytes"] > 20 << 20
    assert at_end["resident_bytes"] > at_end["file_bytes"] > 0
    assert effect["end_bytes"]["high"] < -20 << 20


def test_memory_that_is_live_has_no_remedy(advise, toys):
    program = toys.build("retains", ["retains.cpp"], "-g")
    words = ("--for", "memory", "--rounds", 3, "--global", "glibc,glibc:arena_max=1", "--json")
    done = advise(*words, "--", program, 8, 6, "hold")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["kind"] == "nothing"
    assert document["headline"].startswith(
        "Nothing worth doing: the only change that was tried does not need "
    )
    assert f"work ({toys.line('retains.cpp', 'work')})" in document["headline"]


def test_runs_that_differ_have_no_answer(advise, tmp_path):
    words = ("--quick", "--rounds", 3, "--global", "glibc", "--", "sh", "-c", "mkdir made && echo first")
    done = advise(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert (
        "the run after the recording ended with exit status 1, and the first run ended with exit status 0"
        in done.stderr
    )
    done = advise("--prepare", "rmdir made", *words)
    assert done.returncode == 0, done.stderr
    (tmp_path / "made").rmdir()
    done = advise("--scratch", ".", *words)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "made").exists()


def test_an_output_that_differs_is_ignored_on_request(advise):
    words = ("--quick", "--rounds", 3, "--global", "glibc", "--", "sh", "-c", "echo $$")
    done = advise(*words)
    assert done.returncode == 2
    assert "the run after the recording printed another output than the first run" in done.stderr
    assert advise("--ignore-output", *words).returncode == 0


def test_a_program_is_compared_with_the_malloc_that_it_needs(toys, tmp_path):
    library = toys.build("libownmalloc.so", ["own_malloc.c"], "-shared", "-fPIC", "-DVISIBILITY=")
    where = f"-Wl,-rpath,{library.parent}"
    program = toys.build("own_requests", ["requests.cpp"], "-Wl,--no-as-needed", str(library), where)
    words = ("--age", "young", "--scope", "handle", "--rounds", 3, "--global", "glibc", "--json")
    words = (*words, "--", program, 20)
    for verb in ("advise", "try"):
        done = front(verb, *words, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "the program's own libownmalloc.so" in done.stdout
        assert "glibc" not in done.stdout


def test_a_program_that_frees_past_the_trial(toys, tmp_path):
    """The free() of libc gets blocks of each strategy, and ends the program."""
    program = toys.build("frees_by_libc", ["frees_by_libc.c"], "-g")
    words = ("--age", "young", "--global", "glibc", "--rounds", 3, "--json")
    done = front("advise", "--scope", "handle", *words, "--", program, 3000, folder=tmp_path)
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    assert document["kind"] == "unmeasured"
    assert document["headline"].startswith("Nothing could be measured: under monotonic, multipool")
    done = front("try", "--scope", "handle", "--rounds", 3, "--", program, 3000, folder=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "nothing could be measured" in done.stdout


def test_a_program_that_does_not_start(advise):
    done = advise("--", "/no/such/program")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "/no/such/program" in done.stderr


SMALL_OLD = ("--age", "young,old,peak=4M", "--quick", "--rounds", 3, "--global", "glibc", "--json")


def test_advises_for_young_and_old_processes(toys, tmp_path):
    program = toys.build("requests", ["requests.cpp"], "-g")
    done = front("advise", *SMALL_OLD, "--scope", "handle", "--", program, 2000, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert " on an aged heap (old,peak=4M); up to " in done.stderr
    document = json.loads(done.stdout)
    (aged,) = document["study"]["aged"]
    assert (aged["reason"], aged["rounds"], aged["slower"]["n"]) == ("", 3, 3)
    (scope,) = aged["scopes"]
    assert scope["candidate"]["name"] == "handle"
    assert scope["baseline"]["trial"]["effects"][0]["counts"]["served"] > 2000
    (fact,) = [fact["text"] for fact in document["facts"] if fact["label"].startswith("on an aged heap")]
    assert fact.endswith("; 3 rounds")


def test_names_the_reason_without_an_old_process(toys, tmp_path):
    """By default the rest of the answer stands; what --age asks for is refused."""
    program = toys.build("static", ["requests.cpp"], "-g", "-static")
    done = front("advise", "--quick", "--global", "glibc", "--", program, 20, folder=tmp_path)
    assert "Traceback" not in done.stderr
    refused = front("advise", *SMALL_OLD, "--", program, 20, folder=tmp_path)
    assert refused.returncode == 2
    assert "static cannot be aged: it is linked statically, so its heap gets no history" in refused.stderr


def test_ages_that_fail_leave_the_young_answer(toys, tmp_path):
    program = toys.build("requests", ["requests.cpp"], "-g")
    script = tmp_path / "limited.sh"
    script.write_text(f"#!/bin/sh\nulimit -v 60000\nexec {program} 2000\n")
    script.chmod(0o755)
    done = front("advise", "--quick", "--rounds", 3, "--global", "glibc", "--", script, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "on a used heap: not measured, because " in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("scene", "count", "can_keep"),
    [
        ("frame", 4, True),  # few requests, and nearly all page faults
        ("temporary", 20_000, True),
        ("assign", 300, False),  # 100 strings are live at a time
        ("queue", 20_000, False),  # the other thread frees them later
    ],
)
def test_tries_lines_that_can_keep_their_blocks(advise, toys, scene, count, can_keep):
    program = toys.build("kept", ["kept.cpp"], "-g")
    done = advise("--quick", "--rounds", 3, "--global", "glibc", "--json", "--", program, scene, count)
    assert done.returncode == 0, done.stderr
    study = json.loads(done.stdout)["study"]
    line = toys.line("kept.cpp", scene)
    tried = [each for each in study["screened"] if each["candidate"]["source"].endswith(line)]
    assert len(tried) == can_keep
    for each in tried:
        effects = each["result"]["baselines"][0]["trial"]["effects"]
        assert {effect["strategy"]: effect["counts"]["served"] >= count for effect in effects}["block-cache"]
    grown = [each for each in study["patterns"] if each["kind"] == "reserve"]
    assert len(grown) == (scene == "temporary"), "no container grows, but a chain of operator+"


@pytest.mark.parametrize(("compiler", "optimisation"), [("g++", "-O2"), ("clang++-19", "-O1")])
def test_names_the_frames_of_coroutines(advise, toys, compiler, optimisation):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    name = f"coroutines{compiler}{optimisation}"
    program = toys.build(name, ["coroutines.cpp"], "-g", "-std=c++20", optimisation, compiler=compiler)
    done = advise("--quick", "--rounds", 3, "--global", "glibc", "--json", "--", program, 30_000)
    assert done.returncode == 0, done.stderr
    patterns = json.loads(done.stdout)["study"]["patterns"]
    (frame,) = [each for each in patterns if each["kind"] == "coroutine"]
    assert frame["function"].endswith("work")
    assert "coroutines.cpp:" in frame["source"]
    assert frame["allocations"] == 30_000


@pytest.mark.parametrize(("flag", "factor"), [("-DEIGHTHS", "1.1"), ("-DDOUBLES", "2.00")])
def test_names_arrays_of_c_with_their_factor(advise, toys, flag, factor):
    program = toys.build(f"growing{flag}", ["growing.c"], "-g", flag)
    done = advise("--quick", "--rounds", 3, "--global", "glibc", "--json", "--", program, 3000)
    assert done.returncode == 0, done.stderr
    patterns = json.loads(done.stdout)["study"]["patterns"]
    (array,) = [each for each in patterns if each["source"].endswith(toys.line("growing.c", "growth"))]
    assert array["kind"] == "reserve"
    assert re.search(
        rf"grows by realloc in [\d.]+ steps by a factor of {factor}\d*, 3,000 times", array["reason"]
    )
    assert ("is doubled" in array["remedy"]) == (factor != "2.00")


@pytest.mark.parametrize("optimisation", ["-O1", "-O2"])
def test_names_chains_of_concatenations(advise, toys, optimisation):
    program = toys.build(f"chains{optimisation}", ["chains.cpp"], "-g", optimisation)
    done = advise("--quick", "--rounds", 3, "--global", "glibc", "--json", "--", program, 30_000)
    assert done.returncode == 0, done.stderr
    patterns = json.loads(done.stdout)["study"]["patterns"]
    (chain,) = [each for each in patterns if each["kind"] == "reserve"]
    assert chain["function"].endswith("greet")
    assert "append()" in chain["remedy"]


def test_writes_a_patch_that_verify_measures(advise, toys, tmp_path):
    """Each statement saves all blocks but one of a call, or all but the first."""
    shutil.copy(Path(__file__).parent / "toys/patched.cpp", tmp_path)
    build = "g++ -g -O2 -fno-builtin patched.cpp -o patched"
    subprocess.run(build.split(), cwd=tmp_path, check=True)
    words = ("--quick", "--rounds", 3, "--global", "glibc", "--patch", "x.patch")
    done = advise(*words, "--json", "--", "./patched", 5000)
    assert done.returncode == 0, done.stderr
    assert "x.patch: 4 changes; apply it with: git apply x.patch" in done.stderr
    document = json.loads(done.stdout)
    statements = {patch["statement"] for patch in document["study"]["patches"]["patches"]}
    assert statements == {
        "points.reserve(64);",
        "line.reserve(240);",
        "std::vector<unsigned char> buffer; before the loop",
        "static thread_local std::string kept_pixels;",
    }
    assert any(fact["label"] == "patch" for fact in document["facts"])
    source = (tmp_path / "patched.cpp").read_text()
    words = ("--rounds", 3, "--json", "--patch", "x.patch", "--build", build, "--", "./patched", 5000)
    done = front("verify", *words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    verdict = json.loads(done.stdout)
    assert verdict["sound"] is True
    assert verdict["comparison"]["compared"] is True
    assert verdict["allocations_before"] > 13 * 5000
    assert verdict["ownership"]["allocations"] < 2 * 5000 + 100
    assert (tmp_path / "patched.cpp").read_text() == source
