"""Standard output and standard error that are closed, full, or without a reader: every verb that prints."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from samples import sampled

from mallard.cli.exit_status import PLAIN_ERRORS

FULL = "/dev/full"
CELL = ("--total", "20", "--active", "15", "--block", "10")
MEASURE = ("bench", "utilization", *CELL, "--strategy", "new-delete,multipool", "--reps", "1")
# The default run takes the first three.
PRINTING = [
    (),
    MEASURE,
    ("show", "claims", "--json"),
    ("show", "export"),
    ("show", "page", "-o", "page.html"),
    ("--help",),
    ("doctor",),
    ("test", "--list"),
]
NAMES = [" ".join(words[:3]) or "no words" for words in PRINTING]
SAMPLE = sampled(*PRINTING, default=3)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, fake_in: Any) -> Any:
    """A database with a run, and the fake runner."""
    with pytest.MonkeyPatch.context() as patch:
        fake = fake_in(tmp_path_factory.mktemp("streams"), patch)
        assert fake.run(*MEASURE) == 0
        yield fake


def call(fake: Any, words: tuple[str, ...], redirection: str) -> subprocess.CompletedProcess[str]:
    """As a shell starts the program: some of these cannot be had through subprocess."""
    script = f'exec "$0" -m mallard "$@" {redirection}'
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3] / "python")}
    return subprocess.run(
        ["sh", "-c", script, sys.executable, *words],
        cwd=fake.directory,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("words", SAMPLE, ids=NAMES)
def test_reports_full_output_in_one_line(measured: Any, words: tuple[str, ...]) -> None:
    done = call(measured, words, f">{FULL}")
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1].startswith(
        "mallard: error: standard output cannot be written: No space left on device; "
    )
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize("words", SAMPLE, ids=NAMES)
def test_reports_closed_output_in_one_line(measured: Any, words: tuple[str, ...]) -> None:
    begun = len(measured.begun)
    done = call(measured, words, ">&-")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("mallard: error: standard output is closed; ")
    assert len(measured.begun) == begun, "what nobody can learn of is not measured"


@pytest.mark.parametrize("words", SAMPLE, ids=NAMES)
def test_closed_pipe_is_silent(measured: Any, words: tuple[str, ...]) -> None:
    """The pipe has no reader from the first byte on, so the result depends on no race."""
    reading, writing = os.pipe()
    os.close(reading)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3] / "python")}
    done = subprocess.run(
        [sys.executable, "-m", "mallard", *words],
        cwd=measured.directory,
        env=environment,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
    )
    os.close(writing)
    assert done.returncode == 141, done.stderr
    assert "error" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", SAMPLE, ids=NAMES)
def test_nobody_needs_to_hear_the_progress(measured: Any, words: tuple[str, ...]) -> None:
    redirection = ("2>&-", f"2>{FULL}")[PRINTING.index(words) % 2]
    done = call(measured, words, redirection)
    assert done.returncode in (0, 1)
    assert done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.parametrize("redirection", ["2>&-", f"2>{FULL}"])
def test_an_error_that_nobody_hears_is_no_output(measured: Any, redirection: str) -> None:
    done = call(measured, ("bench", "foo"), redirection)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def test_keeps_rows_when_output_fails(fake: Any) -> None:
    done = call(fake, MEASURE, f">{FULL}")
    assert done.returncode == 2
    with sqlite3.connect(fake.database) as database:
        assert database.execute("SELECT count(*) FROM result").fetchone() == (2,)
        assert database.execute("SELECT count(*) FROM run WHERE finished IS NOT NULL").fetchone() == (1,)
    database.close()


@pytest.mark.parametrize("words", SAMPLE, ids=NAMES)
def test_writes_in_any_encoding(measured: Any, words: tuple[str, ...]) -> None:
    encoding = ("ascii", "latin-1")[PRINTING.index(words) % 2]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3] / "python")}
    done = subprocess.run(
        [sys.executable, "-m", "mallard", *words],
        cwd=measured.directory,
        env={**environment, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        capture_output=True,
        timeout=120,
    )
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout.decode(encoding)
    assert b"Traceback" not in done.stderr


def test_substitutes_letters_that_an_encoding_lacks() -> None:
    text = "2\u00b11 \u2588\u258f\u2591 a\u2026 na\u00efve \udcff"
    assert text.encode("ascii", PLAIN_ERRORS) == rb"2+-1 #-- a... na\xefve \udcff"


# In place of a module of the standard library, which the program imports among the first.
INTERRUPTING = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"


@pytest.mark.parametrize(("disposition", "status"), [("SIG_DFL", -2), ("SIG_IGN", 0)])
def test_interrupt_during_imports_prints_nothing(tmp_path: Path, disposition: str, status: int) -> None:
    (tmp_path / "argparse.py").write_text(INTERRUPTING + ("raise SystemExit\n"))
    source = str(Path(__file__).resolve().parents[3] / "python")
    done = subprocess.run(
        [sys.executable, "-m", "mallard", "show", "runs"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{source}"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: signal.signal(signal.SIGINT, getattr(signal, disposition)) and None,
    )
    assert (done.returncode, done.stderr) == (status, "")
