"""Long names, fitted to a width: of functions in C++, and of their sources."""

from __future__ import annotations

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def last_parts(name: str) -> str:
    """`...::Parser::parse` of `clang::driver::Parser::parse`: the outer namespaces are left out."""
    parts = name.split("::")
    return name if len(parts) <= 2 else f"{ELLIPSIS}{'::'.join(parts[-2:])}"


def fitted(name: str, width: int) -> str:
    """A short name in at most `width` columns. Outer namespaces are dropped first."""
    if len(name) <= width:
        return name
    if width < 4:
        return name[:width]
    parts = name.split("::")
    for first in range(1, len(parts)):
        shorter = f"{ELLIPSIS}{'::'.join(parts[first:])}"
        if len(shorter) <= width:
            return shorter
    last = parts[-1]
    return f"{last[: width - 1]}{ELLIPSIS}"


def fitted_source(source: str, width: int) -> str:
    """A `file:line` in at most `width` columns: its last folders, or the end of its name."""
    if len(source) <= width:
        return source
    parts = source.split("/")
    for first in range(1, len(parts)):
        shorter = f"{ELLIPSIS}/{'/'.join(parts[first:])}"
        if len(shorter) <= width:
            return shorter
    return f"\N{HORIZONTAL ELLIPSIS}{source[-(width - 1) :]}" if width > 1 else ""
