"""The console of results prints names as they are, and no control characters."""

from __future__ import annotations

import io

import pytest
from rich.table import Table
from rich.text import Text

from mallard.shared.console import PIPE_WIDTH, PlainConsole, output_console, print_line

MARKUP = "[/red] [bold]x[/] [link=http://a]y :smile: \\[z"
HOSTILE = "x\x1b[31m\x1b]0;title\x9b\u202ey\udcffz"
ESCAPED = r"x\x1b[31m\x1b]0;title\x9b\u202ey\udcffz"


def printed(*renderables: str | Text | Table, terminal: bool = False) -> str:
    console = PlainConsole(file=io.StringIO(), width=100, force_terminal=terminal, color_system=None)
    for renderable in renderables:
        console.print(renderable)
        if isinstance(renderable, str):
            print_line(console, renderable)
    return console.file.getvalue()  # type: ignore[attr-defined]


def in_table(text: str) -> Table:
    table = Table(title=text)
    table.add_column(text)
    table.add_row(text)
    table.add_row(Text(text))
    return table


@pytest.mark.parametrize("terminal", [False, True])
def test_prints_markup_as_it_is(terminal: bool) -> None:
    assert printed(MARKUP, terminal=terminal) == f"{MARKUP}\n" * 2
    assert printed(in_table(MARKUP), terminal=terminal).count(MARKUP) == 4


def test_escapes_control_characters() -> None:
    assert printed(HOSTILE, Text(HOSTILE)) == f"{ESCAPED}\n" * 3
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & {*printed(in_table(HOSTILE))}


def test_keeps_the_styles_of_a_terminal() -> None:
    stream = io.StringIO()
    console = PlainConsole(file=stream, force_terminal=True, color_system="standard", width=80)
    console.print(Text.assemble(("bold", "bold"), " plain\x1b[31m"))
    assert stream.getvalue() == "\x1b[1mbold\x1b[0m plain\\x1b[31m\n"


@pytest.mark.parametrize(
    ("columns", "width"),
    [("100000000", PIPE_WIDTH), ("\u00b2", PIPE_WIDTH), ("-5", PIPE_WIDTH), ("0", PIPE_WIDTH), ("72", 72)],
)
def test_takes_possible_widths_alone(monkeypatch: pytest.MonkeyPatch, columns: str, width: int) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert output_console().width == width
