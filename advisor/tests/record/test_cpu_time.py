"""A trace has the CPU time of the program. Density is a share of it, so sleep is no part of it."""

import shlex

import pytest
from advisor_programs import profile_of


@pytest.mark.parametrize(("ending", "followed"), [("returns", False), ("_exit", False), ("returns", True)])
def test_density_excludes_sleep(record, toys, tmp_path, ending, followed):
    report = tmp_path / "report"
    words = [toys.build("sleeps", ["sleeps.c"]), report, ending]
    if followed:  # by a shell, so the collector is not the one that waits for it
        done = record("sh", "-c", shlex.join(map(str, words)) + "; true", options=["--follow"])
    else:
        done = record(*words)
    assert done.status == 0, done.messages
    number, used, slept = map(int, report.read_text().split())
    profile = profile_of(done.trace, "--process", number)
    process, figures = profile["process"], profile["figures"]
    assert used * 1e-9 <= process["cpu_seconds"] < process["seconds"] - 0.9 * slept * 1e-9
    operations = figures["allocations"] + figures["frees"]
    assert operations >= 2 * 500 * 11
    assert figures["D"]["operations_per_second"] > 0.9 * operations / process["cpu_seconds"]
