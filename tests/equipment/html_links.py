"""Reads a folder of HTML: which links lead to a file or to an anchor that is not there."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from os.path import normpath
from pathlib import Path, PurePosixPath
from urllib.parse import unquote


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in ("id", "name"):
                self.anchors.add(value)
            elif value and name in ("href", "src"):
                self.links.append(value)


def dead_links(folder: Path) -> list[str]:
    """Each as `page: link`. Links to other hosts are left out."""
    pages = {
        path.relative_to(folder).as_posix(): _Page(path.read_text(encoding="utf-8"))
        for path in folder.rglob("*.html")
    }
    dead = set()
    for name, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            file, _, anchor = link.partition("#")
            file = unquote(file.partition("?")[0])
            target = normpath(PurePosixPath(name).parent / file) if file else name
            if not (folder / target).is_file() or (
                anchor and target in pages and anchor not in pages[target].anchors
            ):
                dead.add(f"{name}: {link}")
    return sorted(dead)
