"""The sites, scopes and lifetimes of a profile as flat tables, for databases.

Each row names its recording, so that tables of many recordings can be read as one. A column is an expression
of the tables of a profile.
"""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
from typing import Any

from mallard.advisor.profile.database import Database
from mallard.advisor.profile.names import UNKNOWN, short_name

Columns = dict[str, tuple[type, str]]

RECORDING: Columns = {
    "trace": (str, "trace_file"),
    "executable": (str, "process_executable"),
    "command": (str, "command_line(process_command)"),
    "process": (int, "process_number"),
    "sampled_one_in": (int, "process_sampled_one_in"),
}
FULL_NAME = "coalesce(nullif(functions.name, ''), nameless(functions.object))"
SHORT_NAME = "short_name(functions.name, functions.short_name, functions.object)"
FIGURES: Columns = {
    "allocations": (int, "figures.allocations"),
    "bytes": (int, "figures.bytes"),
    "frees": (int, "frees"),
    "smallest_bytes": (int, "smallest"),
    "largest_bytes": (int, "largest"),
    **{
        name: (int, name)
        for amount in ("contained", "escaped", "alive", "freed_by_other_thread", "temporary")
        for name in (f"{amount}_allocations", f"{amount}_bytes")
    },
    "mean_lifetime_seconds": (float, "mean_lifetime_seconds"),
    "mean_lifetime_bytes": (float, "mean_lifetime_bytes"),
    "variation": (float, "V_scaled"),
}
SITES: Columns = {
    **RECORDING,
    "function": (str, FULL_NAME),
    "short_function": (str, SHORT_NAME),
    "object": (str, "object"),
    "file": (str, "places.file"),
    "line": (int, "places.line"),
    "peak_bytes": (int, "peak_bytes"),
    **FIGURES,
    "stacks": (int, "contexts"),
    "returns_to_zero": (int, "returns"),
}
SCOPES: Columns = {
    **RECORDING,
    "kind": (str, "kind"),
    "function": (str, f"coalesce(scopes.name, {FULL_NAME})"),
    "short_function": (str, f"coalesce(scopes.name, {SHORT_NAME})"),
    "object": (str, "object"),
    "file": (str, "file"),
    "line": (int, "line"),
    "peak_bytes": (int, "L_footprint_bytes"),
    **FIGURES,
    "containment": (float, "containment"),
    "density": (float, "D_scaled"),
    "locality": (float, "L_scaled"),
    "utilization": (float, "U_scaled"),
    "contention": (float, "C_scaled"),
    "fragmentability": (float, "F_scaled"),
    "drag": (float, "drag_area_ratio"),
    "activations": (int, "activations_allocating"),
    "contained_activations": (int, "activations_contained"),
    "seconds": (float, "activations_seconds"),
    "threads": (int, "threads"),
    # A percentile is the upper end of a size class, which may lie above the maximum.
    **{
        f"activation_bytes_{part}": (
            float,
            f"min(activation_bytes_{part}, coalesce(activation_bytes_max, activation_bytes_{part}))",
        )
        for part in ("p50", "p90", "p99", "max")
    },
    "owned_allocations": (int, "owned_allocations"),
    "owned_bytes": (int, "owned_bytes"),
}
LIFETIMES: Columns = {
    **RECORDING,
    "unit": (str, "iif(unit = 'time', 'seconds', unit)"),
    "at_least": (float, "iif(log2 < 0, 0.0, power_of_2(log2, unit))"),
    "below": (float, "power_of_2(log2 + 1, unit)"),
    "allocations": (int, "allocations"),
    "bytes": (int, "bytes"),
}
OF_FUNCTION = "LEFT JOIN functions ON functions.recording = recordings.recording AND functions.id ="
SITE_ROWS = f"""sites JOIN recordings USING (recording)
JOIN figures ON figures.recording = sites.recording AND figures.site = sites.id
LEFT JOIN places ON places.recording = sites.recording AND places.id = sites.place
{OF_FUNCTION} places.function
WHERE within IS NULL ORDER BY sites.rowid"""
SCOPE_ROWS = f"""scopes JOIN recordings USING (recording)
JOIN figures ON figures.recording = scopes.recording AND figures.scope = scopes.id
{OF_FUNCTION} scopes.function
ORDER BY scopes.recording, scopes.name IS NULL, scopes.rowid"""
TABLES: dict[str, tuple[Columns, str]] = {
    "sites": (SITES, SITE_ROWS),
    "scopes": (SCOPES, SCOPE_ROWS),
    "lifetimes": (LIFETIMES, "lifetimes JOIN recordings USING (recording) ORDER BY lifetimes.rowid"),
}


def flat_rows(database: Database, table: str) -> list[dict[str, Any]]:
    columns, rows = TABLES[table]
    _add_functions(database.connection)
    names = ", ".join(f"{expression} AS {name}" for name, (_, expression) in columns.items())
    return [dict(row) for row in database.connection.execute(f"SELECT {names} FROM {rows}")]


def _add_functions(connection: sqlite3.Connection) -> None:
    def shortened(name: str | None, short: str | None, file: str | None) -> str:
        return short_name(short or name) if name else nameless(file)

    def nameless(file: str | None) -> str:
        return f"a function of {os.path.basename(file)}" if file else UNKNOWN

    def command_line(words: str | None) -> str | None:
        return shlex.join(map(str, json.loads(words))) if words and words != "[]" else None

    def power_of_2(log2: int, unit: str) -> float:
        return 2.0 ** min(log2, 1000) * (1e-9 if unit == "time" else 1.0)

    connection.create_function("short_name", 3, shortened, deterministic=True)
    connection.create_function("nameless", 1, nameless, deterministic=True)
    connection.create_function("command_line", 1, command_line, deterministic=True)
    connection.create_function("power_of_2", 2, power_of_2, deterministic=True)
