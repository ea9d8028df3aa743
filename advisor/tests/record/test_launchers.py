"""Programs that become or start others: trial and advice are of the process with most CPU time."""

from __future__ import annotations

import json
import re
import shlex
import shutil

import pytest
from advisor_programs import FOR_EVER, end_orphan, front, profile_of

TRIAL = ("try", "--scope", "handle", "--strategy", "multipool", "--rounds", 3, "--json")


@pytest.fixture
def requests(toys):
    return toys.build("requests", ["requests.cpp"], "-g")


@pytest.fixture
def workers(toys):
    return toys.build("workers", ["workers.cpp"], "-g")


@pytest.fixture
def served(tmp_path):
    """The requests that a trial of the program served."""

    def call(*program, options=()) -> int:
        done = front(*TRIAL, *options, "--", *program, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        (effect,) = json.loads(done.stdout)["baselines"][0]["trial"]["effects"]
        return effect["counts"]["served"]

    return call


def shell(*commands) -> tuple[str, str, str]:
    return ("sh", "-c", "; ".join(shlex.join(map(str, command)) for command in commands))


def test_serves_a_program_behind_a_shell(requests, served):
    alone = served(requests, 200)
    for script in ("exec {} 200", "{} 200; true", "({} 200; true) | cat"):
        assert served("sh", "-c", script.format(requests)) == alone, script


def test_serves_the_worker_that_allocates_most(workers, served):
    alone = served(workers, "ends:400")
    assert alone >= 400 * 20
    assert served(workers, "ends:30", "ends:400", "ends:20", "ends:40") == alone


def test_serves_one_of_two_processes_with_a_name(requests, served):
    alone = served(requests, 400)
    for counts in ((400, 50), (50, 60, 400, 70)):
        assert served(*shell(*((requests, count) for count in counts))) == alone, counts


def test_serves_the_process_that_is_named(requests, workers, served):
    command = shell((requests, 400), (workers, "ends:50"))
    assert served(*command, options=("--process", "workers")) == served(workers, "ends:50")


def test_requests_decide_and_not_frees(record, workers):
    done = record(workers, "ends:100", "leaks:3000", "ends:90", options=["--follow"])
    profile = profile_of(done.trace)
    assert profile["figures"]["allocations"] == 3000
    assert (profile["process"]["instances"], profile["process"]["instance"]) == (4, 3)


def test_lists_processes_for_an_unknown_name(requests, tmp_path):
    command = ("--process", "nobody", "--", *shell((requests, 200), ("true",)))
    done = front(*TRIAL, *command, folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "The trace has no process 'nobody'. It has " in done.stderr
    assert " requests (" in done.stderr
    assert " dash (" in done.stderr or " bash (" in done.stderr


def test_reports_a_killed_worker(workers, tmp_path):
    done = front(*TRIAL, "--", workers, "ends:10", "killed:400", folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "the process that is measured is killed by a signal" in done.stderr


def test_does_not_record_what_outlives_the_program(toys, record):
    orphan = shutil.copy(toys.build("orphan", ["orphan.c"]), toys.folder / "late-orphan")
    options = ["--follow", "--until-end"]
    done = record(orphan, 0, orphan, FOR_EVER, "/bin/true", options=options)
    assert done.status == 0, done.messages
    assert done.events >= 2
    end_orphan(orphan)


ADVICE = ("advise", "--quick", "--age", "young", "--rounds", 3, "--global", "glibc")


def test_names_the_compiler_behind_its_driver(tmp_path):
    source = tmp_path / "x.cpp"
    source.write_text("".join(f"int f{line}(int x) {{ return x + {line}; }}\n" for line in range(2000)))
    done = front(*ADVICE, "--json", "--", "g++", "-fsyntax-only", source, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    (process,) = [fact["text"] for fact in document["facts"] if fact["label"] == "process"]
    assert re.match(
        r"cc1plus, started by g\+\+, the busiest of \d processes, with \d+ % of their CPU ",
        process,
    )
    assert document["study"]["processes"]["share"] > 0.5
    assert document["study"]["allocations"] > 1000


@pytest.mark.parametrize("becomes", [False, True])
def test_advises_the_busy_program_of_a_script(toys, tmp_path, becomes):
    # As a shim of pyenv: bash allocates most often. The program's only block is libstdc++'s, for exceptions.
    busy = toys.build("busy", ["idle.c"], "-DTURNS=100000000", "-Wl,--no-as-needed", "-lstdc++")
    script = tmp_path / "shim"
    script.write_text(
        "#!/bin/bash\nfor ((i = 0; i < 3000; ++i)); do words+=($i); done\n"
        f"{'exec ' if becomes else ''}{busy}\n"
    )
    script.chmod(0o755)
    done = front(*ADVICE, "--json", "--", script, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    (process,) = [fact["text"] for fact in document["facts"] if fact["label"] == "process"]
    assert re.match(r"busy, started by \w+, the busiest of \d processes, with \d+ % of their CPU ", process)


def test_refuses_a_launcher_that_becomes_a_program_with_its_own_malloc(toys, tmp_path):
    # Much longer than a launcher that is recorded.
    program = toys.build("idle-own-malloc", ["own_malloc.c", "idle.c"], "-DVISIBILITY=", "-DTURNS=100000000")
    silent = toys.build("becomes", ["becomes.c"])
    busy = "becomes or starts a program that takes most of the time"
    launchers = {
        ("sh", "-c", f"exec {program}"): busy,
        ("sh", "-c", f"{program}; true"): busy,
        (silent, program): "before its first allocation, or did not load the recorder; it becomes or starts",
    }
    for launcher, reason in launchers.items():
        done = front(*ADVICE, "--", *launcher, folder=tmp_path)
        assert done.returncode == 2, done.stderr
        assert not done.stdout
        assert reason in done.stderr
        assert f"'{program}' has its own malloc" in done.stderr


def test_reports_the_cost_of_a_preload_for_many_short_processes(requests, tmp_path):
    commands = shell(*((requests, count) for count in (5, *range(10, 35))))
    words = ("advise", "--quick", "--age", "young", "--rounds", 3, "--global", "glibc,tcmalloc", "--json")
    done = front(*words, "--", *commands, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    (many,) = [fact["text"] for fact in document["facts"] if fact["label"] == "many processes"]
    assert re.match(r"2[67] processes of [\d.]+ ms of CPU time each: ", many)
    starts = document["study"]["processes"]["start_seconds"]
    assert all(0 < seconds < 0.1 for seconds in starts.values())


@pytest.mark.parametrize("scrub", [("env", "-i"), ("env", "LD_PRELOAD=")])
def test_refuses_a_launcher_that_clears_the_environment(requests, tmp_path, scrub):
    done = front(*ADVICE, "--", *scrub, requests, 20_000, folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "env starts a program that takes most of the time and was not followed" in done.stderr
    assert not done.stdout
