"""Test equipment: reads a page, checks that its elements nest, and keeps its text by section and its data."""

from __future__ import annotations

import base64
import json
import re
import zlib
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "input", "br", "img", "hr"}
# The elements that HTML ends by itself, when such an element begins or ends.
ENDED_BY_START = {"td": {"td", "th"}, "th": {"td", "th"}, "tr": {"td", "th", "tr"}}
ENDED_BY_END = {part: {"td", "th", "tr"} for part in ("thead", "tbody", "table")}


class Reader(HTMLParser):
    """Checks that elements nest, and collects text by the id of the innermost element that has one."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.ids: list[str] = []
        self.texts: dict[str, str] = {}
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self._end(ENDED_BY_START.get(tag, set()))
        self.tags.append((tag, attributes))
        if attributes.get("id"):
            self.ids.append(str(attributes["id"]))
        if tag not in VOID:
            self.open.append((tag, attributes.get("id") or ""))

    def _end(self, tags: set[str]) -> None:
        while self.open and self.open[-1][0] in tags:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        self._end(ENDED_BY_END.get(tag, set()))
        assert self.open[-1][0] == tag, f"</{tag}> closes <{self.open[-1][0]}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        place = next((name for _, name in reversed(self.open) if name), "")
        self.texts[place] = self.texts.get(place, "") + data + " "


def read(text: str) -> Reader:
    """A place where a line may break is no part of the text."""
    reader = Reader()
    reader.feed(text.replace("<wbr>", ""))
    reader.close()
    assert reader.open == []
    return reader


def words(text: str) -> str:
    return " ".join(text.split())


def page_data(page: str) -> dict[str, Any]:
    """What the scripts read."""
    packed = re.search(r'<script id="report-data"[^>]*>([^<]*)<', page)
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(packed[1])))
    return data
