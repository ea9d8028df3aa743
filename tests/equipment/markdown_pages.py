"""Reads the project's Markdown: headings and their anchors, links, and the files that a page names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} +(.+?)\s*$", re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
NAMED_FILE = re.compile(r"(?<![\w./*-])(\w[\w.-]*/)+[\w.-]+\.(?:hpp|cpp|py|json|csv|cmake|md)\b")
# A page names a file from the root, from a folder of #includes or imports, or from the page.
FOLDERS = (".", "include/mallard", "python", "docs", "include")


def prose(page: str) -> str:
    """Without the programs and commands that stand between fences."""
    return FENCE.sub("", page)


def anchors(page: str) -> set[str]:
    """`## Pools of one size` has #pools-of-one-size; of two equal headings the second has -1."""
    counts: dict[str, int] = {}
    for heading in HEADING.findall(prose(page)):
        words = re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
        counts[words] = counts.get(words, -1) + 1
    return {
        name if not again else f"{name}-{again}" for name, last in counts.items() for again in range(last + 1)
    }


def links(page: str) -> Iterator[str]:
    """The targets within the project, without those on other hosts."""
    for target in LINK.findall(prose(page)):
        if not re.match(r"[a-z]+:", target):
            yield target


def dead_links(pages: Mapping[Path, str], exists: Callable[[Path], bool]) -> list[str]:
    """Links to a file that is not there, or to a heading that its page lacks; paths are from the root."""
    dead = []
    for path, page in pages.items():
        for target in links(page):
            name, _, anchor = target.partition("#")
            file = _normal(path.parent / name) if name else path
            if not exists(file) or (anchor and anchor not in anchors(pages.get(file, ""))):
                dead.append(f"{path}: {target}")
    return dead


def missing_files(pages: Mapping[Path, str], exists: Callable[[Path], bool]) -> list[str]:
    """Missing files that a page names in code. Commands make those of build/."""
    return [
        f"{path}: {named[0]}"
        for path, page in pages.items()
        for code in CODE.findall(prose(page))
        for named in NAMED_FILE.finditer(code)
        if not named[0].startswith("build/")
        if not any(exists(_normal(Path(folder) / named[0])) for folder in FOLDERS)
    ]


def reached(pages: Mapping[Path, str], start: Path) -> set[Path]:
    """The pages to which links lead from `start`."""
    reached, waiting = {start}, [start]
    while waiting:
        path = waiting.pop()
        for target in links(pages[path]):
            file = _normal(path.parent / target.partition("#")[0])
            if file in pages and file not in reached:
                reached.add(file)
                waiting.append(file)
    return reached


def _normal(path: Path) -> Path:
    """docs/../examples/a.cpp is examples/a.cpp."""
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return Path(*parts)
