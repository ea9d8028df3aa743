"""A trace has the CPU time of the program. Density is a share of it, so sleep is no part of it."""

import json
import shlex
import subprocess

import pytest


@pytest.mark.parametrize(("how", "followed"), [("returns", False), ("_exit", False), ("returns", True)])
def test_sleep_is_no_part_of_the_time_of_density(record, toys, collector, tmp_path, how, followed):
    told = tmp_path / "told"
    words = [toys.build("sleeps", ["sleeps.c"]), told, how]
    if followed:  # by a shell, so the collector is not the one that waits for it
        done = record("sh", "-c", shlex.join(map(str, words)) + "; true", options=["--follow"])
    else:
        done = record(*words)
    assert done.status == 0, done.told
    number, used, slept = map(int, told.read_text().split())
    profiler = collector.parents[1] / "advisor/mallard-profile"
    command = [profiler, done.trace, "--process", str(number)]
    profile = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    process, whole = profile["process"], profile["figures"]
    assert used * 1e-9 <= process["cpu_seconds"] < process["seconds"] - 0.9 * slept * 1e-9
    operations = whole["allocations"] + whole["frees"]
    assert operations >= 2 * 500 * 11
    assert whole["D"]["operations_per_second"] > 0.9 * operations / process["cpu_seconds"]
