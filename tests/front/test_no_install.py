"""Callers who forbid apt-get, say no, or cannot be asked: the missing packages are named, with a command."""

import os
import pty
import select

import pytest
from advisor_programs import LONGEST

APT_GET = 'echo "$*" >>"$HOME/apt-calls"; exit 100'
COMMAND = "apt-get update && apt-get install -y g++ cmake ninja-build\n"


@pytest.fixture
def bare(ready):
    """Root on a machine without native tools, whose apt-get notes its calls."""
    ready.program("apt-get", APT_GET)
    ready.program("id", "echo 0")
    return ready


def apt_calls(clone):
    calls = clone.root.parent / "apt-calls"
    return calls.read_text().splitlines() if calls.exists() else []


def check_refused(clone, failed, reason):
    assert failed.returncode == 2
    assert failed.stdout == ""
    (line,) = failed.stderr.splitlines(keepends=True)
    assert line.startswith(f"mallard: error: missing: g++ cmake ninja-build; {reason} forbids")
    assert line.endswith(COMMAND)
    assert apt_calls(clone) == []
    assert not (clone.root / "build/release").exists()


@pytest.mark.parametrize("words", [["bench"], ["bench", "density"]], ids=" ".join)
def test_option_forbids_apt_get(bare, words):
    check_refused(bare, bare.call(*words, "--no-install"), "--no-install")


def test_variable_forbids_apt_get(bare):
    check_refused(bare, bare.call("bench", MALLARD_NO_INSTALL="1"), "MALLARD_NO_INSTALL=1")


def test_options_of_program_are_ignored(bare):
    bare.call("record", "--", "cat", "--yes")
    assert apt_calls(bare) == []
    bare.call("record", "--yes", "--", "cat", "--no-install")
    assert apt_calls(bare) != []


def test_without_terminal_nothing_is_installed(bare):
    failed = bare.call("bench")
    assert failed.returncode == 2
    assert "error: there is no terminal to ask in, and --yes would install them; type this" in failed.stderr
    assert failed.stderr.endswith(COMMAND)
    assert apt_calls(bare) == []


@pytest.mark.parametrize("variables", [{"MALLARD_YES": "1"}, {"CI": "true", "MALLARD_NO_INSTALL": "0"}])
def test_variable_is_a_yes(bare, variables):
    bare.call("bench", **variables)
    assert apt_calls(bare) != []


@pytest.mark.parametrize("variables", [{"MALLARD_YES": "0"}, {"CI": "false"}])
def test_variable_that_is_off_is_no_yes(bare, variables):
    bare.call("bench", **variables)
    assert apt_calls(bare) == []


def test_no_install_is_stronger_than_yes(bare):
    check_refused(bare, bare.call("bench", "--yes", "--no-install"), "--no-install")


def test_missing_python_is_named_too(clone):
    clone.program("apt-get", APT_GET)
    clone.program("id", "echo 0")
    (clone.programs / "python3").unlink()
    failed = clone.call("doctor", "--no-install")
    assert failed.returncode == 2
    assert failed.stderr.endswith("apt-get install -y python3 python3-venv\n")
    assert apt_calls(clone) == []


def test_optional_packages_are_skipped(bare):
    bare.native_tools()
    bare.libraries()
    done = bare.call("bench", "density", "--malloc", "jemalloc", "--no-install")
    assert done.returncode == 0, done.stderr
    assert "will be skipped: --malloc jemalloc (libjemalloc2)" in done.stderr
    assert apt_calls(bare) == []


def test_python_packages_are_installed_anyway(clone):
    assert clone.call("doctor", "--no-install").returncode == 0
    assert (clone.root / "build/venv/stamp").exists()


class Terminal:
    """A call in a terminal, with a redirection of some shells."""

    def __init__(self, clone, *words, redirection="", **variables):
        self.output = b""
        self.process, self.side = pty.fork()
        if self.process == 0:
            os.chdir(clone.root.parent)
            door, shell = str(clone.root / "mallard"), str(clone.programs / "sh")
            line = f'"$0" "$@" {redirection}'
            os.execve(shell, [shell, "-c", line, door, *words], clone.environment(**variables))

    def answer(self, text):
        while b"[Y/n]" not in self.output and self._read():
            pass
        os.write(self.side, text.encode())
        while self._read():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    def _read(self):
        """False at the end of the output."""
        assert select.select([self.side], [], [], LONGEST)[0], self.output
        try:
            part = os.read(self.side, 4096)
        except OSError:  # Linux: no program has the terminal open
            return False
        self.output += part
        return bool(part)


@pytest.mark.parametrize("reply", ["\n", "Yes\n"])
def test_yes_installs_and_asks_once(bare, reply):
    terminal = Terminal(bare, "bench", "density")
    assert terminal.answer(reply) == 2  # this apt-get finds nothing
    assert terminal.output.count(b"install g++ cmake ninja-build with apt-get? [Y/n]") == 1
    assert apt_calls(bare) != []


@pytest.mark.parametrize("redirection", ["2>log", "</dev/null 2>&1 | cat", "<log >log 2>&1"])
def test_asks_in_the_terminal_of_redirected_calls(bare, redirection):
    (bare.root.parent / "log").write_text("")
    terminal = Terminal(bare, "bench", "density", redirection=redirection)
    terminal.answer("n\n")
    assert terminal.output.count(b"install g++ cmake ninja-build with apt-get? [Y/n]") == 1
    assert apt_calls(bare) == []


@pytest.mark.parametrize("reply", ["n\n", "\x04"])
def test_no_installs_nothing(bare, reply):
    terminal = Terminal(bare, "bench", "density")
    assert terminal.answer(reply) == 2
    assert COMMAND.strip().encode() in terminal.output
    assert apt_calls(bare) == []


def test_ci_is_never_prompted(bare):
    terminal = Terminal(bare, "bench", "density", CI="true")
    terminal.answer("")
    assert b"[Y/n]" not in terminal.output
    assert apt_calls(bare) != []
