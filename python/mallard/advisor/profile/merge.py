"""Merges the recordings of a database into one.

The comments of tables.sql say which rows become one row, and how each of their columns does. Rows are matched
by their names: functions by name and object, places by function, file and line. Counts are added. Peaks are
not, because the recordings did not run together: the merged peak is the highest one. Percentiles are the
highest ones, too, which is an upper bound.
"""

from __future__ import annotations

import math
import os
import sqlite3
from typing import Any

from mallard.advisor.profile.database import Database
from mallard.advisor.profile.schema import SQL, TABLES, Column, Table
from mallard.shared.errors import UsageError

UNKNOWN_ROW = -1  # of a number that is not in its table
ROW = "row_"  # the order of the rows


def merged(database: Database) -> sqlite3.Connection:
    """A database with one recording. Raises a UsageError for recordings whose counts cannot be added."""
    source = Database()
    source.add(database.connection)
    connection = source.connection
    _check(connection)
    _add_functions(connection)
    connection.execute("ATTACH ':memory:' AS merged")
    connection.executescript(SQL.replace("CREATE TABLE ", "CREATE TABLE merged."))
    try:
        for table in TABLES.values():
            if table.name == "stacks":
                _merge_stacks(connection)
                continue
            if "id" in table.names:
                _number(connection, table)
            if table.rule != "none":
                into = f"merged.{table.name}({', '.join(table.names)})"
                connection.execute(f"INSERT INTO {into} {_select(table)}")
        connection.executescript(RATIOS)
        _warn(connection)
    except sqlite3.Error as error:  # a sum beyond 64 bits
        raise UsageError(f"the recordings cannot be merged: {error}; profile each of them") from None
    result = sqlite3.connect(":memory:", isolation_level=None)
    result.row_factory = sqlite3.Row
    connection.backup(result, name="merged")
    return result


def _check(connection: sqlite3.Connection) -> None:
    samples = connection.execute(
        "SELECT process_sampled_one_in, trace_file, min(recording) FROM recordings GROUP BY 1 ORDER BY 3"
    ).fetchall()
    if len(samples) > 1:
        (one, a, _), (other, b, _) = samples[:2]
        raise UsageError(
            f"{a} has one activation in {one} and {b} one in {other}, so their counts cannot be added; "
            "merge recordings with the same --sample"
        )


class _First:
    """The value of the first row, in the order of their ranks, that has one."""

    def __init__(self) -> None:
        self._best: tuple[int, Any] | None = None

    def step(self, value: Any, rank: int) -> None:
        if value is not None and (self._best is None or rank < self._best[0]):
            self._best = rank, value

    def finalize(self) -> Any:
        return self._best and self._best[1]


class _Same:
    """The value of all rows; null if they differ."""

    def __init__(self) -> None:
        self._values: set[Any] = set()

    def step(self, value: Any) -> None:
        self._values.add(value)

    def finalize(self) -> Any:
        return self._values.pop() if len(self._values) == 1 else None


class _Mean:
    """The mean of the known values with weights; the first one if they have no weight."""

    def __init__(self) -> None:
        self._sum = self._weight = 0.0
        self._first: float | None = None

    def step(self, value: float | None, weight: float | None) -> None:
        if value is not None:
            self._first = value if self._first is None else self._first
            self._sum += value * (weight or 0)
            self._weight += weight or 0

    def finalize(self) -> float | None:
        return self._sum / self._weight if self._weight else self._first


class _Path:
    """The places of a stack in the order of their levels."""

    def __init__(self) -> None:
        self._levels: list[tuple[int, str]] = []

    def step(self, level: int, place: int | None) -> None:
        self._levels.append((level, "" if place is None else str(place)))

    def finalize(self) -> str:
        return ",".join(place for _, place in sorted(self._levels))


def _add_functions(connection: sqlite3.Connection) -> None:
    connection.create_function("basename", 1, lambda path: os.path.basename(path or ""), deterministic=True)
    connection.create_function("log2", 1, math.log2, deterministic=True)
    connection.create_function("exp2", 1, lambda power: 2.0**power, deterministic=True)
    connection.create_aggregate("first", 2, _First)  # type: ignore[arg-type]
    connection.create_aggregate("same", 1, _Same)
    connection.create_aggregate("mean", 2, _Mean)  # type: ignore[arg-type]
    connection.create_aggregate("path", 2, _Path)  # type: ignore[arg-type]


def _rows(table: Table, *, numbered: bool = True) -> str:
    """A query of the rows with the merged numbers of the rows that they refer to, and with their own."""
    columns, joins = [f"t.rowid AS {ROW}"], []
    for at, column in enumerate(table.columns):
        of = "id" if column.name == "id" and numbered else column.reference and column.name
        target = table.name if column.name == "id" else column.reference
        if of and (numbered or target != table.name):
            joins.append(
                f"LEFT JOIN temp.number_of_{target} AS n{at} "
                f"ON n{at}.recording = t.recording AND n{at}.id = t.{of}"
            )
            number = f"coalesce(n{at}.number, {UNKNOWN_ROW})"
            columns.append(f"iif(t.{column.name} IS NULL, NULL, {number}) AS {column.name}")
        else:
            columns.append(f"t.{column.name}")
    return f"SELECT {', '.join(columns)} FROM main.{table.name} AS t {' '.join(joins)}"


def _number(connection: sqlite3.Connection, table: Table) -> None:
    """Gives rows with the same keys one number, in the order in which they appear."""
    keys = ", ".join(f"basename({key.name})" if "basename" in key.rule else key.name for key in table.keys)
    rows = _rows(table, numbered=False)
    if table.name == "flame":  # nodes with the same functions from the root
        paths = PATHS.format(rows=rows)
        rows = f"SELECT recording, id, {ROW}, path FROM ({rows}) JOIN ({paths}) USING (recording, id)"
        keys = "path"
    first = f"min({ROW}) OVER (PARTITION BY {keys}) AS first"
    _store_numbers(connection, table.name, f"SELECT recording, id, {first} FROM ({rows})")


PATHS = """WITH RECURSIVE nodes AS ({rows}), paths(recording, id, path) AS (
 SELECT recording, id, coalesce(function, '') FROM nodes WHERE parent IS NULL
 UNION ALL
 SELECT nodes.recording, nodes.id, path || '/' || coalesce(function, '')
 FROM paths JOIN nodes ON nodes.recording = paths.recording AND nodes.parent = paths.id
) SELECT * FROM paths"""


def _store_numbers(connection: sqlite3.Connection, name: str, first_rows: str) -> None:
    connection.executescript(
        f"CREATE TEMP TABLE number_of_{name}("
        "recording INTEGER, id INTEGER, number INTEGER, PRIMARY KEY (recording, id));"
        f"INSERT INTO number_of_{name} SELECT recording, id, dense_rank() OVER (ORDER BY first) - 1 "
        f"FROM ({first_rows});"
    )


def _merge_stacks(connection: sqlite3.Connection) -> None:
    """Stacks with the same places are one."""
    levels = _rows(TABLES["stacks"], numbered=False)
    stacks = f"""SELECT recording, stack AS id, min({ROW}) AS {ROW}, path(level, place) AS places
FROM ({levels}) GROUP BY recording, stack"""
    first = f"min({ROW}) OVER (PARTITION BY places) AS first"
    _store_numbers(connection, "stacks", f"SELECT recording, id, {first} FROM ({stacks})")
    connection.execute(
        f"""INSERT INTO merged.stacks SELECT 1, number, level, place FROM ({levels}) AS levels JOIN (
 SELECT *, row_number() OVER (PARTITION BY number ORDER BY recording, id) AS nth FROM temp.number_of_stacks
) AS numbers ON numbers.recording = levels.recording AND id = stack WHERE nth = 1 ORDER BY number, level"""
    )


def _select(table: Table) -> str:
    rows = _rows(table)
    names = ", ".join(table.names[1:])
    if table.rule == "all":
        return f"SELECT 1, {names} FROM ({rows}) ORDER BY {ROW}"
    if table.rule == "peak":
        highest = "SELECT recording FROM main.recordings ORDER BY timeline_peak_bytes DESC, recording LIMIT 1"
        return f"SELECT 1, {names} FROM ({rows}) WHERE recording = ({highest}) ORDER BY {ROW}"
    if table.rule.startswith("largest "):
        figure = table.rule.removeprefix("largest ")
        largest = (
            f"first_value(recording) OVER (PARTITION BY scope ORDER BY is_peak DESC, {figure} DESC, {ROW})"
        )
        return (
            f"SELECT 1, {names} FROM (SELECT *, {largest} AS largest FROM ({rows})) "
            f"WHERE recording = largest ORDER BY {ROW}"
        )
    weight = _weight(table)
    groups = "id" if "id" in table.names else ", ".join(key.name for key in table.keys) or "NULL"
    order = f"{weight} DESC, {ROW}" if weight else ROW
    ranked = f"SELECT *, row_number() OVER (PARTITION BY {groups} ORDER BY {order}) AS rank FROM ({rows})"
    columns = ", ".join(_merged_column(column) for column in table.columns[1:])
    ranked = ranked if "rank)" in columns else rows
    first_row = f"sum({weight}) DESC, min({ROW})" if weight and table.name != "flame" else f"min({ROW})"
    grouping = f"GROUP BY {groups}" if groups != "NULL" else ""
    return f"SELECT 1, {columns} FROM ({ranked}) {grouping} ORDER BY {first_row}"


def _weight(table: Table) -> str:
    weights = [column.name for column in table.columns if column.rule == "weight"]
    return weights[0] if weights else "allocations" if "allocations" in table.names else ""


def _merged_column(column: Column) -> str:
    name, rule = column.name, column.rule
    if name == "id":
        return name
    if rule in ("first", "key by basename"):
        return f"first({name}, rank)"
    if rule == "key":
        return f"min({name})"
    if rule in ("max", "min", "same"):
        return f"{rule}({name})"
    if rule.startswith("mean by "):
        return f"mean({name}, {rule.removeprefix('mean by ')})"
    if rule.startswith("= "):
        return rule.removeprefix("= ")
    return f"iif(count(*) = 1, min({name}), NULL)" if rule == "alone" else f"sum({name})"


RATIOS = """
CREATE INDEX merged.sizes_of_figures ON sizes(scope, site);
UPDATE merged.figures AS f SET size_classes = max(coalesce(size_classes, 0), (
 SELECT count(*) FROM merged.sizes AS s WHERE s.scope IS f.scope AND s.site IS f.site
)), V_raw = coalesce(V_raw, (
 SELECT max(0.0, -sum(part * log2(part))) FROM (
  SELECT s.allocations * 1.0 / sum(s.allocations) OVER () AS part FROM merged.sizes AS s
  WHERE s.scope IS f.scope AND s.site IS f.site AND s.allocations > 0
 )
)), L_scaled = coalesce(L_scaled, L_raw / (1 + L_raw));
UPDATE merged.figures SET V_scaled = coalesce(V_scaled, 1 - exp2(-V_raw)) WHERE V_raw IS NOT NULL;
UPDATE merged.almost_contained AS a SET containment = (
 SELECT containment FROM merged.figures AS f WHERE f.scope = a.scope
);
DROP INDEX merged.sizes_of_figures;
DELETE FROM merged.almost_contained WHERE containment IS NULL OR containment < 0.8 OR containment >= 1;
DELETE FROM merged.almost_contained_sites WHERE scope NOT IN (SELECT scope FROM merged.almost_contained);
"""


def _warn(connection: sqlite3.Connection) -> None:
    highest, *_ = connection.execute(
        "SELECT trace_file FROM main.recordings ORDER BY timeline_peak_bytes DESC, recording LIMIT 1"
    ).fetchone()
    recordings = connection.execute("SELECT * FROM main.recordings ORDER BY recording").fetchall()
    texts = [f"the peak and the timeline are those of {highest}, which has the highest peak"]
    programs = sorted({os.path.basename(row["process_executable"] or "?") for row in recordings})
    if len(programs) > 1:
        texts.append(f"recordings of {len(programs)} programs were merged: {', '.join(programs)}")
    texts += [
        f"{row['trace_file']} adds nothing to the scopes, because its stacks are incomplete"
        for row in recordings
        if row["completeness_scopes"] == "withheld"
    ]
    if any(row["sites_not_listed_sites"] or row["scopes_not_listed_scopes"] for row in recordings):
        texts.append("some profiles lack their light rows, which are missing in the sums; write with --all")
    texts += [row["text"] for row in connection.execute("SELECT text FROM merged.warnings ORDER BY rowid")]
    connection.execute("DELETE FROM merged.warnings")
    connection.executemany(
        "INSERT INTO merged.warnings VALUES (1, ?)", [(text,) for text in dict.fromkeys(texts)]
    )
