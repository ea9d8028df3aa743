"""Lines of a profile's screen: labelled facts, headings, columns of figures, small bars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from mallard.advisor.profile.names import fitted_source
from mallard.shared.report.figures import count

LABEL = 18
NARROWEST = 16  # column of text beside a label
BAR = 6
EIGHTHS = " ▏▎▍▌▋▊▉█"
NO_BAR = "·"


@dataclass(frozen=True)
class Column:
    head: str
    width: int


def heading(console: Console, text: str, note: str = "") -> None:
    console.print()
    line = Text(text, "bold")
    if note:
        line.append(f"  {note}", "dim not bold")
    print_cut(console, line)


def fact(console: Console, label: str, text: str, style: str = "") -> None:
    """A line with a label. Long text wraps within its column."""
    print_hanging(console, Text(f"{label:<{LABEL}}", "dim"), text, style)


def print_hanging(console: Console, label: Text, text: str, style: str = "") -> None:
    """Text beside a label, or below it on a narrow console. Further lines begin below the first."""
    indent = label.cell_len
    if console.width - indent < NARROWEST:
        print_cut(console, label)
        if text:
            paragraph(console, text, style, console.width // 10)
        return
    first, *continuations = _wrapped(console, text, indent)
    line = Text.assemble(label, (first, style))
    line.rstrip()
    console.print(line)
    for continuation in continuations:
        console.print(Text(" " * indent + continuation, style))


def note(console: Console, text: str, indent: int = 3) -> None:
    """A dim paragraph below a row."""
    paragraph(console, text, "dim", indent)


def paragraph(console: Console, text: str, style: str, indent: int = 0) -> None:
    for line in _wrapped(console, text, indent):
        console.print(Text(" " * indent + line, style))


def _wrapped(console: Console, text: str, indent: int) -> list[str]:
    lines = Text(text).wrap(console, max(8, console.width - indent))
    return [line.plain.rstrip() for line in lines] or [""]


def print_name(
    console: Console, mark: str, name: Callable[[int], str], source: str, *, bold: bool = True
) -> None:
    """A name on the left, its source on the right. `name` formats it for a number of columns; the source is
    shortened first."""
    room = console.width - len(mark) - 2
    shown = name(room)
    remaining = room - len(shown)
    where = fitted_source(source, remaining) if remaining >= min(len(source), 12) else ""
    line = Text.assemble((mark, "dim"), (shown, "bold" if bold else ""))
    gap = max(2, console.width - len(mark) - len(shown) - len(where))
    if where:
        line.append(f"{' ' * gap}{where}", "dim not bold")
    print_cut(console, line)


def heads(columns: Sequence[Column], indent: int) -> Text:
    return Text(_row([column.head for column in columns], columns, indent), "dim")


def figures_line(values: Sequence[str], columns: Sequence[Column], indent: int) -> Text:
    return Text(_row(values, columns, indent))


def _row(values: Sequence[str], columns: Sequence[Column], indent: int) -> str:
    cells = (f"{value:>{column.width}}" for value, column in zip(values, columns, strict=True))
    return (" " * indent + "".join(cells)).rstrip()


def print_cut(console: Console, line: Text) -> None:
    """Prints a line, cut off at the width: a name may have letters that take two columns."""
    line.truncate(console.width, overflow="ellipsis")
    line.rstrip()
    console.print(line, no_wrap=True, soft_wrap=True)


def bar(share: float | None, width: int = BAR) -> str:
    """A share from 0 to 1 as a bar. A share that is not 0 shows at least an eighth of a block."""
    if share is None:
        return NO_BAR * width
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    if share > 0:
        eighths = max(1, eighths)
    full, remainder = divmod(eighths, 8)
    return ("█" * full + (EIGHTHS[remainder] if remainder else "")).ljust(width, "░")


def count_prefix(shown: int, total: int) -> str:
    """`2 of 30: `, or nothing if all are shown."""
    return f"{count(shown)} of {count(total)}: " if shown < total else ""


def print_omitted(console: Console, number: int, noun: str) -> None:
    """Prints the number of omitted rows of a list, if any."""
    if number > 0:
        note(console, f"and {number} more {noun}{'' if number == 1 else 's'}: --all", 2)
