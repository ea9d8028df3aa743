"""A finding of the doctor, which is one line, and its view of the system."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class State(str, Enum):
    OK = "ok"
    NOTE = "note"  # works, but adds noise to measurements or leaves something unmeasured
    MISSING = "missing"


@dataclass(frozen=True)
class Finding:
    group: str
    topic: str
    state: State
    value: str
    remedy: str = ""

    def __post_init__(self) -> None:
        if self.state is not State.OK and not self.remedy:
            raise ValueError(f"{self.topic}: a finding that is not ok needs a remedy")


@dataclass(frozen=True)
class System:
    """The files of the running system. Tests use another root."""

    root: Path = Path("/")

    def path(self, name: str) -> Path:
        return self.root / name.lstrip("/")

    def read(self, name: str) -> str:
        """A file's text without surrounding white space; empty if it cannot be read."""
        try:
            return self.path(name).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""

    def any(self, *patterns: str) -> Path | None:
        """The first file that matches one of the patterns."""
        paths = (path for pattern in patterns for path in sorted(self.root.glob(pattern.lstrip("/"))))
        return next(paths, None)


def size(count: int) -> str:
    """1073741824 -> 1 GiB"""
    amount, unit = float(count), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.4g} {unit}"
