"""The style sheets and scripts that go into a page."""

from __future__ import annotations

from importlib import resources


def static_text(name: str) -> str:
    """A file of static/, without indents and comment lines."""
    text = (resources.files("mallard.shared.view.html") / "static" / name).read_text(encoding="utf-8")
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))
