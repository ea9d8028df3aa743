"""The Python environment: made once, by one of several calls, wholly or not at all."""

import os
import shutil
import signal
import time

import pytest

MAKING = "mallard: making the Python environment"


def test_the_first_call_sets_up_and_the_second_starts_at_once(bare):
    """With the real venv and pip."""
    clone = bare
    first = clone.call("doctor")
    assert first.returncode == 0, first.stderr
    assert MAKING in first.stderr
    stamp = clone.root / "build/venv/stamp"
    made = stamp.stat().st_mtime_ns

    second = clone.call("doctor")
    assert second.returncode == 0
    assert second.stderr == ""
    assert stamp.stat().st_mtime_ns == made


def test_words_are_handed_over_as_they_are(ready):
    words = ["report", "--db", "*", "-o", "a b  $HOME \\t it's\n"]
    (ready.root.parent / "*").write_text("")
    assert ready.told(*words)["words"] == words


def test_the_program_runs_where_the_caller_is_and_knows_the_tree(ready):
    told = ready.told("doctor")
    assert told["root"] == str(ready.root)
    assert told["folder"] == str(ready.root.parent)


def test_links_lead_to_the_tree(ready, tmp_path):
    (tmp_path / "near").symlink_to(ready.root / "mallard")
    (tmp_path / "far").symlink_to("near")
    assert ready.told("doctor", door=tmp_path / "far")["root"] == str(ready.root)


@pytest.mark.parametrize("name", ["json", "runpy", "mallard"])
def test_modules_in_the_callers_folder_are_not_taken_for_the_programs(ready, name):
    (ready.root.parent / f"{name}.py").write_text("raise SystemExit('the wrong one')\n")
    assert ready.told("doctor")["words"] == ["doctor"]


def test_a_tree_that_was_moved_finds_itself_again(ready, tmp_path):
    moved = tmp_path / "elsewhere"
    shutil.move(ready.root, moved)
    assert ready.told("doctor", door=moved / "mallard")["root"] == str(moved)
    pth = next((moved / "build/venv").rglob("mallard-tree.pth"))
    assert pth.read_text().strip() == str(moved / "python")


def test_a_changed_project_file_updates_the_environment(ready):
    with (ready.root / "pyproject.toml").open("a") as project:
        project.write("# changed\n")
    assert MAKING in ready.call("doctor").stderr
    assert MAKING not in ready.call("doctor").stderr


def test_calls_at_the_same_time_set_up_once(clone):
    calls = [clone.start("doctor") for _ in range(4)]
    ends = [call.communicate(timeout=120) for call in calls]
    assert [call.returncode for call in calls] == [0] * 4, ends
    assert sum(MAKING in err for _, err in ends) == 1


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_set_up_leaves_nothing_half_made(clone, ending):
    python = clone.python
    clone.program("python3", f'case "$*" in *"-m venv"*) mkdir -p "$3/bin"; sleep 30;; esac\n{python}')
    call = clone.start("doctor")
    half_made = clone.root / "build/venv"
    wait_for(half_made.exists)
    os.killpg(call.pid, ending)
    call.communicate(timeout=20)
    assert call.returncode == 130
    assert not half_made.exists()

    clone.program("python3", python)
    assert clone.told("doctor")["words"] == ["doctor"]


def wait_for(condition):
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_an_environment_without_its_stamp_is_made_anew(ready):
    (ready.root / "build/venv/stamp").unlink()
    (ready.root / "build/venv/left-over").write_text("")
    assert ready.told("doctor")["words"] == ["doctor"]
    assert not (ready.root / "build/venv/left-over").exists()


def test_a_package_that_cannot_be_installed_is_named_and_tried_again(ready):
    project = ready.root / "pyproject.toml"
    before = project.read_text()
    project.write_text(before.replace("dependencies = []", 'dependencies = ["./no-such-package"]', 1))
    failed = ready.call("doctor")
    assert failed.returncode == 2
    assert "pip could not install ./no-such-package" in failed.stderr
    assert "setup.log" in failed.stderr
    project.write_text(before)
    assert ready.told("doctor")["words"] == ["doctor"]


def test_a_tree_that_cannot_be_written_says_so(ready):
    shutil.rmtree(ready.root / "build")
    (ready.root / "build").write_text("a file in the folder's place")
    failed = ready.call("doctor")
    assert failed.returncode == 2
    assert failed.stderr.startswith("mallard: error: cannot write in")


def test_any_posix_shell_will_do(ready):
    dash = shutil.which("dash")
    assert dash, "Debian's sh is dash: apt-get install dash"
    (ready.programs / "sh").unlink()
    (ready.programs / "sh").symlink_to(dash)
    assert ready.told("doctor")["words"] == ["doctor"]
