"""Real programs in young and in aged processes, up to the answer. Times decide nothing here."""

from __future__ import annotations

import json
import subprocess

import pytest
from advisor_programs import front

AGES = ("--age", "young,old,peak=4M", "--rounds", 3, "--global", "glibc")


@pytest.fixture
def requests(toys):
    return toys.build("requests", ["requests.cpp"], "-g")


def aging(folder, *words):
    done = front("age", *AGES, "--json", *words, folder=folder)
    return json.loads(done.stdout) if done.stdout else done.stderr


def test_ages_a_program_under_its_malloc(requests, tmp_path):
    result = aging(tmp_path, "--", requests, 200)
    young, old = result["rows"]
    assert (young["malloc"], young["age"], old["age"]) == ("glibc", "young", "old,peak=4M")
    assert young["history"]["requests"] == 0
    assert old["history"]["live_pages"] > 2 * old["history"]["needed_pages"]
    assert old["slower"]["n"] == result["rounds"] == 3
    assert result["failures"] == {}


def test_ages_by_a_recording(collector, requests, tmp_path):
    subprocess.run([collector, "-o", tmp_path / "past.trace", "--", requests, "200"], check=True)
    _, old = aging(tmp_path, "--history", "past.trace", "--", requests, 200)["rows"]
    assert old["history"]["requests"] > 100_000
    assert old["history"]["live_blocks"] > 0


def test_ages_the_process_behind_a_launcher(requests, tmp_path):
    script = tmp_path / "launch.sh"
    script.write_text(f"#!/bin/sh\n{requests} 2000\n")
    script.chmod(0o755)
    result = aging(tmp_path, "--", script)
    assert "requests" in result["process"]
    assert [row["history"]["requests"] > 0 for row in result["rows"]] == [False, True]


def test_refuses_a_launcher_that_becomes_a_static_program(toys, tmp_path):
    static = toys.build("requests-static", ["requests.cpp"], "-static")
    refusal = aging(tmp_path, "--", "sh", "-c", f"exec {static} 2000")
    assert "starts a program that takes most of the time and was not followed" in refusal


ENDS = r"""
int main(int count, char** words) {
    free(malloc(1000));
    return *words[1] == 'q' ? (quick_exit(0), 0) : *words[1] == 'k' ? raise(SIGKILL) : 0;
}
"""


def test_refuses_to_age_a_program_whose_end_is_not_seen(tmp_path):
    source = tmp_path / "ends.c"
    source.write_text(f"#include <signal.h>\n#include <stdlib.h>\n{ENDS}")
    subprocess.run(["gcc", "-fno-builtin", source, "-o", tmp_path / "ends"], check=True)
    for end in ("returns", "quick"):
        assert "rows" in aging(tmp_path, "--", tmp_path / "ends", end), end
    assert "ended by SIGKILL without its end being seen" in aging(tmp_path, "--", tmp_path / "ends", "killed")


@pytest.mark.parametrize("launcher", [(), ("env", "VARIABLE=1")])
def test_repeats_the_load_of_a_server(toys, tmp_path, launcher):
    serves = toys.build("serves", ["serves.cpp"], "-g")
    load = ("--load", f"{serves} socket ask 4", "--loads", 8)
    result = aging(tmp_path, *load, "--", *launcher, serves, "socket")
    loads = result["server"]["loads"]
    assert len(loads) == 8
    assert all(point["cpu_seconds"] > 0 and point["resident_bytes"] > 0 for point in loads)
    assert any(point["free_chunks"] for point in loads), "the library answers at the first request of a load"
    assert result["server"]["compared"] == 2


def test_churns_a_server_between_its_loads(toys, tmp_path):
    serves = toys.build("serves", ["serves.cpp"], "-g")
    ask = f"{serves} socket ask 4"
    churn = ("--churn", f"{ask} && echo churned >> log")
    result = aging(
        tmp_path, "--load", f"{ask} && echo loaded >> log", *churn, "--loads", 12, "--", serves, "socket"
    )
    assert (result["server"]["churns"], result["server"]["compared"]) == (6, 5)
    served_once = [*["loaded"] * 6, *["churned", "loaded"] * 6]
    assert (tmp_path / "log").read_text().split()[1:19] == served_once  # after the first run


def test_a_failed_churn_is_reported(toys, tmp_path):
    serves = toys.build("serves", ["serves.cpp"], "-g")
    load = ("--load", f"{serves} socket ask 4", "--churn", "echo refused >&2; exit 3", "--loads", 12)
    message = aging(tmp_path, *load, "--", serves, "socket")
    assert "--churn 'echo refused >&2; exit 3' ended with exit status 3 (refused)" in message


def test_verifies_a_change_in_an_aged_process(toys, requests, tmp_path):
    after = toys.build("requests_after", ["requests.cpp"], "-O1")
    words = ("verify", requests, after, "--age", "old,peak=4M", "--rounds", 3, "--json", "--", 200)
    done = front(*words, folder=tmp_path)
    comparison = json.loads(done.stdout)["comparison"]
    assert comparison["heap"] == "an aged heap (old,peak=4M)"
    assert comparison["failed"] == {}
    assert comparison["whole"]["time"]["n"] == 3


def test_a_smaller_limit_of_memory_is_reported(requests, tmp_path):
    script = tmp_path / "limited.sh"
    script.write_text(f"#!/bin/sh\nulimit -v 150000\nexec {requests} 200\n")
    script.chmod(0o755)
    words = ("age", "--age", "young,old,peak=512M", "--rounds", 3, "--global", "glibc", "--", script)
    done = front(*words, folder=tmp_path)
    assert done.returncode == 2
    assert "could not be aged" in done.stderr
    assert "give a smaller peak" in done.stderr
