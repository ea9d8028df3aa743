"""The tables of a profile, from the comments in tables.sql."""

from __future__ import annotations

from collections.abc import Callable

from figures.stored import markdown_table
from mallard.advisor.profile.schema import SQL, TABLES

EXAMPLE = "site_blocks"


def blocks() -> dict[str, Callable[[], str]]:
    return {"profile_table": example}


def whole_tables() -> dict[str, Callable[[], str]]:
    return {"profile_tables": tables}


def tables() -> str:
    """A line for each table."""
    lines = [[f"`{table.name}`", table.text] for table in TABLES.values()]
    return markdown_table(["table", "rows"], lines, texts=2)


def example() -> str:
    """The definition of a table, as `.schema` prints it."""
    _, begin, rest = SQL.partition(f"CREATE TABLE {EXAMPLE}(")
    text, end, _ = rest.partition("STRICT;")
    return f"```sql\n{begin}{text}{end}\n```"
