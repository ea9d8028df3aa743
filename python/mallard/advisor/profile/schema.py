"""The tables of a profile, as tables.sql defines them: columns with types, comments and rules of merging."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from importlib import resources

SQL = (resources.files("mallard.advisor.profile") / "tables.sql").read_text(encoding="utf-8")
APPLICATION_ID = 0x4D4C5250  # "MLRP"
VERSION = 1

TABLE = re.compile(
    r"^CREATE TABLE (\w+)\( -- (.*?)(?: \[([^]]+)\])?\n(.*?)^\) STRICT;$", re.MULTILINE | re.DOTALL
)
COLUMN = re.compile(
    r"^    (\w+) (INTEGER|REAL|TEXT)(.*?),?(?: -- (.*?))?(?:(?:(?<=-- )| )\[(.+)\])?$", re.MULTILINE
)
REFERENCE = re.compile(r" REFERENCES (\w+)")


@dataclass(frozen=True)
class Column:
    name: str
    kind: str  # INTEGER, REAL or TEXT
    text: str  # the comment
    rule: str  # of merging; empty for a sum
    reference: str | None  # the table in whose rows the numbers are
    nullable: bool


@dataclass(frozen=True)
class Table:
    name: str
    text: str
    rule: str  # of merging; empty if the rows with equal keys become one
    columns: tuple[Column, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def keys(self) -> list[Column]:
        return [column for column in self.columns if column.rule.startswith("key")]


def _column(name: str, kind: str, constraints: str, text: str | None, rule: str | None) -> Column:
    reference = REFERENCE.search(constraints)
    nullable = " NOT NULL" not in constraints and " PRIMARY KEY" not in constraints
    return Column(name, kind, (text or "").strip(), rule or "", reference[1] if reference else None, nullable)


TABLES = {
    name: Table(name, text, rule or "", tuple(_column(*parts) for parts in COLUMN.findall(columns)))
    for name, text, rule, columns in TABLE.findall(SQL)
}
