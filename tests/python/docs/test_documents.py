"""The commands that the documents show are understood."""

from __future__ import annotations

import itertools
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from os.path import expandvars
from pathlib import Path

import pytest

from mallard.bench.store import Store
from mallard.cli import parse_command
from mallard.cli.parser import Answer
from mallard.shared import mallocs

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINE = re.compile(r"^(?: {4}(?:\./)?|\./)mallard (\S.*?)(?:\s{2,}.*|\s#.*)?$", re.MULTILINE)
INLINE = re.compile(r"`(?:\./)?mallard\s([^`]+)`")
TRANSCRIPT = re.compile(
    r"^ {4}\$ .*\n(?:(?: {4}.*)?\n)*", re.MULTILINE
)  # commands that ran, and their output
LIBRARIES = ("libmimalloc.so", "libsnmalloc.so")  # in the home folder of the documents' reader
PLACEHOLDERS = {
    "EXPERIMENT": "density",
    "VERB": "show",
    "TABLE": "p0213:6",
    "PROGRAM": "true",
    "your-program": "true",
    "FORMAT": "pprof",
    "PID": "4711",
    "bde=PREFIX": "bde=~/bde",
}


def commands() -> Iterator[str]:
    for document in DOCUMENTS:
        text = TRANSCRIPT.sub("\n", document.read_text())
        for pattern in (LINE, INLINE):
            yield from (" ".join(match.split()) for match in pattern.findall(text))


def test_finds_commands_in_lines_and_sentences() -> None:
    assert {"bench", "test", "bench locality -20 18 32 -3 8"} <= set(commands())
    assert LINE.findall(
        "    mallard show claims --all    those, too\n./mallard bench   # minutes\nmallard is"
    ) == [
        "show claims --all",
        "bench",
    ]


def test_the_output_of_a_transcript_is_no_command() -> None:
    page = "    $ ./mallard show x\n\n    mallard is faster than x.\n\nThen:\n\n    mallard show page\n"
    assert LINE.findall(TRANSCRIPT.sub("\n", page)) == ["show page"]


@pytest.mark.parametrize("command", sorted(set(commands())))
def test_a_command_of_the_documents_is_understood(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("MALLARD_BENCH", "MALLARD_DB"):
        monkeypatch.delenv(name, raising=False)
    Store(tmp_path / "mallard.db").close()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(mallocs, "_files", {})
    monkeypatch.setattr("mallard.shared.machine.allowed_cpus", lambda: [0, 1])  # threads need two
    for name in LIBRARIES:
        (tmp_path / name).write_bytes(b"\x7fELF")
    (tmp_path / "bde").symlink_to(ROOT / "bench/tests/stand_in/bde")
    words = [PLACEHOLDERS.get(word, expandvars(word)) for word in shlex.split(command)]
    for program in itertools.islice(itertools.dropwhile(lambda word: word != "--", words), 1, 2):
        (tmp_path / program).touch(mode=0o755)  # it need not be installed here
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    if words in (["record"], ["profile"], ["age"], ["try"], ["verify"], ["budget"], ["advise"]):
        return  # the name of a verb that needs more words
    for word in words:
        if word.endswith((".trace", ".patch")):
            (tmp_path / word).touch()
        elif word.startswith("./"):
            (tmp_path / word).touch(mode=0o755)
        elif word.endswith(".toml"):
            (tmp_path / word).write_text("[process]\nbytes = 1\n")
        elif word.endswith(".json") and words[0] == "verify":
            (tmp_path / word).touch()
    with suppress(Answer):
        parse_command(words).needs()
