"""Writes tables as Parquet, by pyarrow, which is installed for the commands that need it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mallard.shared.atomic_file import atomic_file
from mallard.shared.errors import UsageError

EXTRA = "parquet"  # of the package, and the group of the environment
# The type of a column, by the type of its values.
TYPES = {int: "int64", float: "float64", str: "string", bool: "bool_"}

Column = type | Any  # list[str], dict[str, float] or one of TYPES
Columns = Mapping[str, Column]
Record = Mapping[str, Any]


def load_pyarrow(option: str) -> Any:
    """The module, before there is anything to write. Raises a UsageError without it."""
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        raise UsageError(
            f"{option} needs the Python package pyarrow; type: {sys.executable} -m pip install 'pyarrow>=14'"
        ) from None


def write_parquet(path: Path, columns: Columns, records: Sequence[Record], option: str) -> None:
    """On an error the file is unchanged."""
    with atomic_file(path, option) as partial:
        write_table(partial, columns, records, option)


def write_table(path: Path, columns: Columns, records: Sequence[Record], option: str) -> None:
    """A column without a value in a record is null."""
    pyarrow = load_pyarrow(option)
    schema = pyarrow.schema([(name, _arrow_type(pyarrow, kind)) for name, kind in columns.items()])
    table = pyarrow.Table.from_pylist(
        [{name: record.get(name) for name in columns} for record in records], schema=schema
    )
    importlib.import_module("pyarrow.parquet").write_table(table, path, compression="zstd")


def _arrow_type(pyarrow: Any, kind: Column) -> Any:
    if kind == list[str]:
        return pyarrow.list_(pyarrow.string())
    if kind == dict[str, float]:
        return pyarrow.map_(pyarrow.string(), pyarrow.float64())
    return getattr(pyarrow, TYPES[kind])()
