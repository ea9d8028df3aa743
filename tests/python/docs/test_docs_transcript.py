"""Reruns the commands of a page: only their output is replaced."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs"))
import transcript

PAGE = """# Page

    $ echo one; echo; echo two
    old

    $ echo three
    $ true
    old

Text.

    indented, and no command
"""
REFRESHED = """# Page

    $ echo one; echo; echo two
    one

    two

    $ echo three
    three
    $ true

Text.

    indented, and no command
"""


def test_replaces_output_of_every_command() -> None:
    assert transcript.rerun(PAGE) == REFRESHED
    assert transcript.rerun(REFRESHED) == REFRESHED


def test_commands_run_in_the_projects_folder() -> None:
    assert transcript.rerun("    $ ls docs/transcript.py\n") == (
        "    $ ls docs/transcript.py\n    docs/transcript.py\n"
    )


def test_a_failed_command_leaves_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("    $ echo one\n    $ echo no >&2; exit 3\n    old\n")
    monkeypatch.setattr(sys, "argv", ["transcript.py", str(page)])
    assert transcript.main() == 1
    assert "ends with status 3:\nno" in capsys.readouterr().err
    assert page.read_text().endswith("    old\n")


def test_the_tutorial_shows_the_code_of_its_program() -> None:
    root = Path(transcript.__file__).resolve().parents[1]
    page = (root / "docs/advisor/tutorial.md").read_text(encoding="utf-8")
    advised = page[: page.index("## Look")]
    code = page[page.index("```cpp") : page.rindex("```")]
    program = (root / "examples/tutorial/server.cpp").read_text(encoding="utf-8")
    for statement in ("mallard::checkpoint rewound{", "mallard::wink_out<"):
        assert statement in advised
        assert statement in code
    for line in code.splitlines()[1:]:
        if line.strip() and "// ... as before" not in line:
            assert line.strip() in program, line
