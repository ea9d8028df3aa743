"""The Python environment: made once, by one of several calls, wholly or not at all."""

import os
import shutil
import signal
import subprocess

import pytest
from advisor_programs import LONGEST, wait_until

MAKING = "mallard: making the Python environment"


def test_sets_up_only_on_first_call(bare):
    """With the real venv and pip."""
    clone = bare
    first = clone.call("doctor")
    assert first.returncode == 0, first.stderr
    assert MAKING in first.stderr
    stamp = clone.root / "build/venv/stamp"
    modified = stamp.stat().st_mtime_ns

    second = clone.call("doctor")
    assert second.returncode == 0
    assert second.stderr == ""
    assert stamp.stat().st_mtime_ns == modified


def test_passes_arguments_unchanged(ready):
    words = ["show", "page", "--db", "*", "-o", "a b  $HOME \\t it's\n"]
    (ready.root.parent / "*").write_text("")
    assert ready.arguments(*words)["words"] == words


def test_program_runs_in_callers_folder(ready):
    output = ready.arguments("doctor")
    assert output["root"] == str(ready.root)
    assert output["folder"] == str(ready.root.parent)


def test_links_lead_to_the_tree(ready, tmp_path):
    (tmp_path / "near").symlink_to(ready.root / "mallard")
    (tmp_path / "far").symlink_to("near")
    assert ready.arguments("doctor", door=tmp_path / "far")["root"] == str(ready.root)


@pytest.mark.parametrize("name", ["json", "runpy", "mallard"])
def test_ignores_modules_in_callers_folder(ready, name):
    (ready.root.parent / f"{name}.py").write_text("raise SystemExit('the wrong one')\n")
    assert ready.arguments("doctor")["words"] == ["doctor"]


def test_a_tree_that_was_moved_finds_itself_again(ready, tmp_path):
    moved = tmp_path / "elsewhere"
    shutil.move(ready.root, moved)
    assert ready.arguments("doctor", door=moved / "mallard")["root"] == str(moved)
    pth = next((moved / "build/venv").rglob("mallard-tree.pth"))
    assert pth.read_text().strip() == str(moved / "python")


def test_a_changed_project_file_updates_the_environment(ready):
    with (ready.root / "pyproject.toml").open("a") as project:
        project.write("# changed\n")
    assert MAKING in ready.call("doctor").stderr
    assert MAKING not in ready.call("doctor").stderr


def test_only_ci_installs_the_locked_packages(ready):
    ready.native_tools()
    log = ready.root / "build/setup.log"
    ready.call("test", "lint")
    assert "--require-hashes" not in log.read_text()
    (ready.root / "build/venv/stamp").unlink()
    ready.call("test", "lint", CI="true")
    assert "--require-hashes -r a-package==1 --hash=sha256:0" in log.read_text()
    (ready.root / "build/venv/stamp").unlink()
    ready.call("doctor", CI="true")
    assert "--require-hashes" not in log.read_text()


def test_a_changed_lock_updates_the_environment(ready):
    (ready.root / ".ci/requirements.txt").write_text("a-package==2 --hash=sha256:0\n")
    assert MAKING in ready.call("doctor").stderr
    assert MAKING not in ready.call("doctor").stderr


def test_concurrent_calls_set_up_once(clone):
    calls = [clone.start("doctor") for _ in range(4)]
    ends = [call.communicate(timeout=LONGEST) for call in calls]
    assert [call.returncode for call in calls] == [0] * 4, ends
    assert sum(MAKING in err for _, err in ends) == 1


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_setup_leaves_no_environment(clone, ending):
    python = clone.python
    clone.program("python3", f'case "$*" in *"-m venv"*) mkdir -p "$3/bin"; sleep 1000;; esac\n{python}')
    call = clone.start("doctor")
    partial = clone.root / "build/venv"
    wait_until(partial.exists)
    os.killpg(call.pid, ending)
    call.communicate(timeout=LONGEST)
    assert call.returncode == 130
    assert not partial.exists()

    clone.program("python3", python)
    assert clone.arguments("doctor")["words"] == ["doctor"]


def test_recreates_environment_without_stamp(ready):
    (ready.root / "build/venv/stamp").unlink()
    (ready.root / "build/venv/left-over").write_text("")
    assert ready.arguments("doctor")["words"] == ["doctor"]
    assert not (ready.root / "build/venv/left-over").exists()


def test_names_failed_package_and_retries(ready):
    project = ready.root / "pyproject.toml"
    text = project.read_text()
    project.write_text(text.replace("dependencies = []", 'dependencies = ["./no-such-package"]', 1))
    failed = ready.call("doctor")
    assert failed.returncode == 2
    assert "pip could not install ./no-such-package" in failed.stderr
    assert "setup.log" in failed.stderr
    project.write_text(text)
    assert ready.arguments("doctor")["words"] == ["doctor"]


def test_reports_unwritable_tree(ready):
    shutil.rmtree(ready.root / "build")
    (ready.root / "build").write_text("a file in the folder's place")
    failed = ready.call("doctor")
    assert failed.returncode == 2
    assert failed.stderr.startswith("mallard: error: cannot write in")


def without_privileges(door):
    """A call by a user whom permissions bind, as they do not bind root."""
    script = door.with_name("unprivileged")
    bound = f"exec {shutil.which('setpriv')} --bounding-set=-all -- " if os.geteuid() == 0 else "exec "
    script.write_text(f'#!/bin/sh\n{bound}"{door}" "$@"\n')
    script.chmod(0o755)
    return script


@pytest.mark.parametrize("shell", ["dash", "bash"])
@pytest.mark.parametrize("part", ["build", "build/setup.log", "build/setup.lock"])
def test_reports_a_clone_of_another_user(ready, shell, part):
    link_shell(ready, shell)
    door = without_privileges(ready.root / "mallard")
    (ready.root / "build/venv/stamp").write_text("old")
    if part == "build":
        for file in ready.root.glob("build/setup.*"):
            file.unlink()
    (ready.root / part).chmod(0o555)
    failed = ready.call("doctor", door=door)
    (ready.root / part).chmod(0o755)
    assert failed.returncode == 2
    assert failed.stderr == (
        f"mallard: error: cannot write in {ready.root}/build; allow it, or clone the tree elsewhere\n"
    )


def test_a_read_only_clone_that_is_set_up_answers(ready):
    door = without_privileges(ready.root / "mallard")
    (ready.root / "build").chmod(0o555)
    done = ready.call("doctor", door=door)
    (ready.root / "build").chmod(0o755)
    assert done.returncode == 0, done.stderr


def link_shell(clone, name):
    (clone.programs / "sh").unlink()
    (clone.programs / "sh").symlink_to(shutil.which(name))


def test_any_posix_shell_will_do(ready):
    dash = shutil.which("dash")
    assert dash, "Debian's sh is dash: apt-get install dash"
    link_shell(ready, "dash")
    assert ready.arguments("doctor")["words"] == ["doctor"]


def test_missing_path_is_that_of_the_system(ready):
    """A shell has one of its own, which its commands get only if it is exported: compilers need it."""
    (ready.root / "python/mallard/__main__.py").write_text('import os; print(os.environ["PATH"])')
    words = [ready.root / "mallard", "doctor"]
    done = subprocess.run(words, env={}, capture_output=True, text=True, timeout=LONGEST, check=True)
    assert "/usr/bin" in done.stdout.strip().split(":")
