"""The tables of a profile, from the comments in tables.sql."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mallard.advisor.profile.schema import TABLES, Column, Table

RULES = {"": "sum", "max": "highest", "min": "lowest", "first": "of the heaviest", "weight": "sum"}
RULES |= {"same": "if equal", "alone": "if alone"}


def blocks() -> dict[str, Callable[[], str]]:
    return {"profile_tables": profile_tables}


def profile_tables() -> str:
    return "\n\n".join("\n".join(_section(table)) for table in TABLES.values())


def _section(table: Table) -> Iterator[str]:
    yield f"### `{table.name}`\n\n{table.text[:1].upper()}{table.text[1:]}.{_whole(table.rule)}\n"
    yield "| column | | | merged |"
    yield "| --- | --- | --- | --- |"
    for column in table.columns:
        if column.text or column.rule:
            kind = f"{column.kind.lower()}{', or null' if column.nullable else ''}"
            text = f"{column.text}; " if column.text and column.reference else column.text
            of = f"in `{column.reference}`" if column.reference else ""
            yield f"| `{column.name}` | {kind} | {text}{of} | {_merged(table, column)} |"


def _whole(rule: str) -> str:
    if rule.startswith("largest "):
        return f" Merged: those of the recording with the largest `{rule.removeprefix('largest ')}`."
    return {
        "all": " Merged: all rows.",
        "peak": " Merged: those of the recording with the highest peak.",
        "none": " Merged: none.",
    }.get(rule, "")


def _merged(table: Table, column: Column) -> str:
    if table.rule or column.name in ("id", "recording"):
        return ""
    rule = column.rule
    if rule.startswith("key"):
        return "key" + (", without folders" if "basename" in rule else "")
    if rule.startswith("mean by "):
        return f"mean by `{rule.removeprefix('mean by ')}`"
    if rule == "first" and not table.keys:
        return "of the first"
    return "of the others" if rule.startswith("= ") else RULES[rule]
