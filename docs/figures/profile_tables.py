"""The tables of a profile, from the comments in tables.sql."""

from __future__ import annotations

from figures import whole_table
from figures.stored import markdown_table
from mallard.advisor.profile.schema import TABLES


@whole_table("profile_tables")
def tables() -> str:
    """A line for each table."""
    lines = [[f"`{table.name}`", table.text] for table in TABLES.values()]
    return markdown_table(["table", "rows"], lines, texts=2)
