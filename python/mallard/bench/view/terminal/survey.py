"""The survey of `mallard bench`: a screen of 80 x 40."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mallard.bench.analysis.survey import Answer, Choice, in_words
from mallard.shared.stats import EVEN_MARGIN, Ratio

BEST = "bold green"
BAR_WIDTH = 30
UNRESOLVED = "?"
# The columns of a terminal from which a line has more.
WITH_SOURCE, WITH_BAR = 100, 132


def show_survey(console: Console, answers: Sequence[Answer], mallocs: Sequence[str]) -> None:
    """Prints a line for each question, and the conclusions."""
    with_source, with_bar = console.width >= WITH_SOURCE, console.width >= WITH_BAR
    grid = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    grid.add_column("% of glibc's time", no_wrap=True)
    if with_source:
        grid.add_column("source", style="dim", no_wrap=True)
        grid.add_column("glibc", justify="right")
    for heading in ("best malloc", "std::pmr", "mallard"):
        grid.add_column(heading, justify="right", no_wrap=True)
    grid.add_column("use", overflow="fold")
    if with_bar:
        grid.add_column("mallard; | the fastest malloc", no_wrap=True)
    for answer in answers:
        grid.add_row(
            answer.question.text,
            *([answer.question.source, "100"] if with_source else []),
            *_figures(answer),
            *([_bar(answer)] if with_bar else []),
        )
    console.print(grid)
    console.print()
    for line in conclusions(answers, mallocs):
        console.print(line)


def conclusions(answers: Sequence[Answer], mallocs: Sequence[str]) -> list[str]:
    """Where a local allocator pays, where it does not, and what to type next."""
    pays = [answer for answer in answers if answer.pays]
    loses = [answer for answer in answers if answer.loses]
    even = [answer for answer in answers if answer.gain and answer.gain.outcome == "even"]
    unresolved = [answer for answer in answers if answer.gain and answer.gain.outcome == "not resolved"]
    compared = f"glibc, {', '.join(mallocs)} and std::pmr" if mallocs else "glibc and std::pmr"
    note = f"±: half the 95 % interval. Compared with {compared}."
    if any(not choice.ratio.resolved for answer in answers for choice in answer.choices):
        note += f" {UNRESOLVED}: the interval is wider than the figure."
    if not mallocs:
        note += " No other malloc is installed here; 'mallard doctor' names three."
    lines = [
        "A local allocator pays here, mallard's or std::pmr's: "
        f"{'; '.join(answer.question.text for answer in pays)}."
        if pays
        else "A local allocator pays nowhere here.",
    ]
    if loses:
        lines.append(f"It does not: {'; '.join(map(_comparison, loses))}.")
    if even:
        lines.append(f"Even within {100 * EVEN_MARGIN:.0f} %: {'; '.join(map(_comparison, even))}.")
    if unresolved:
        lines.append(f"Not resolved: {'; '.join(map(_comparison, unresolved))}.")
    lines.append(
        "Next: 'mallard advise -- ./program' for your program, 'mallard bench density' for every structure."
    )
    return [note, "", *lines]


def _comparison(answer: Answer) -> str:
    """`vectors that grow (165 to 195 % of tcmalloc's time)`: the interval of the fastest local allocator."""
    malloc, gain = answer.fastest_malloc, answer.gain
    if malloc is None or gain is None or not gain.bounded:
        return answer.question.text
    interval = f"{100 * gain.low:.0f} to {100 * gain.high:.0f} % of {in_words(malloc.name)}'s time"
    return f"{answer.question.text} ({interval})"


def _figures(answer: Answer) -> list[Text]:
    best = min((choice.ratio.median for choice in answer.choices if choice.ratio.resolved), default=0.0)
    malloc = _figure(answer.malloc, best)
    if answer.malloc:
        malloc = Text.assemble(malloc, f" {in_words(answer.malloc.name)}")
    return [
        malloc,
        _figure(answer.standard, best),
        _figure(answer.local, best),
        Text(" or ".join(answer.use), BEST if answer.pays else ""),
    ]


def _figure(choice: Choice | None, best: float) -> Text:
    if choice is None:
        return Text("")
    return Text(percent(choice.ratio), BEST if choice.ratio.median == best else "")


def percent(ratio: Ratio) -> str:
    """`44±2`: the mean, and half its interval. An interval that is wider than the mean leaves no figure."""
    if not ratio.resolved:
        return UNRESOLVED
    text = f"{100 * ratio.median:.0f}"
    return f"{text}±{50 * (ratio.high - ratio.low):.0f}" if ratio.bounded else text


def _bar(answer: Answer) -> Text:
    """The time of mallard's allocator as a bar, and a mark at the fastest malloc's; glibc's is the width."""
    if not answer.local or not answer.fastest_malloc or not answer.local.ratio.resolved:
        return Text("")
    length = min(BAR_WIDTH, round(BAR_WIDTH * answer.local.ratio.median))
    mark = min(BAR_WIDTH, round(BAR_WIDTH * answer.fastest_malloc.ratio.median))
    cells = ["█" if place < length else " " for place in range(BAR_WIDTH + 1)]
    cells[mark] = "|"
    return Text("".join(cells), "green" if answer.pays else "dim")
