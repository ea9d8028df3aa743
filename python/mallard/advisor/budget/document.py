"""The file of a budget: its data, and the line of each fault.

    [process]            exit_status, allocations, bytes, peak_bytes, alive
    [scope."parse"]      allocations, bytes, peak_bytes, escaped
    [stacks."parse"]     the blocks of each stack, by its functions

`[stacks.""]` has the stacks of the process. A limit that is not in the file is not checked.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mallard.shared.errors import UsageError
from mallard.shared.prose import did_you_mean

PROCESS = ""  # the name of the process among the scopes
UNLISTED = "any other"  # key for the most blocks of an unlisted stack
FIGURES = ("allocations", "bytes", "peak_bytes")
PROCESS_FIGURES, SCOPE_FIGURES = (*FIGURES, "alive"), (*FIGURES, "escaped")
EXIT_STATUS = "exit_status"
TABLES = ("process", "scope", "stacks")
MOST = 2**63 - 1

Limits = Mapping[str, int]  # by the name of a figure
Stacks = Mapping[str, int]  # blocks, by the functions of the stack


@dataclass(frozen=True)
class Budget:
    limits: Mapping[str, Limits]  # by the scope's name, PROCESS for the process
    stacks: Mapping[str, Stacks] = field(default_factory=dict)
    exit_status: int = 0  # of the program; less than 0 for a signal


def read_budget(file: Path) -> Budget:
    """Raises a UsageError that names the line, the value and what is allowed."""
    # Imported here: the front door reads a command line before it has installed tomli.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        text = file.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not a text file; 'mallard budget FILE --write' writes one") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{file} is not TOML: {error}; fix it, or write it again with --write") from None
    return _Reader(file, text).budget(document)


class _Reader:
    def __init__(self, file: Path, text: str) -> None:
        self._file = file
        self._lines = text.splitlines()

    def budget(self, document: Mapping[str, Any]) -> Budget:
        for name in document:
            if name not in TABLES:
                self._refuse(
                    "", name, f"'{name}'{did_you_mean(name, TABLES)}; allowed are {', '.join(TABLES)}"
                )
        process = dict(self._table("process", document.get("process", {})))
        status = process.pop(EXIT_STATUS, 0)
        if not _is_integer(status) or not -64 <= status <= 255:
            self._refuse("process", EXIT_STATUS, f"{EXIT_STATUS} = {status!r}; allowed are -64 to 255")
        limits = (
            {PROCESS: self._limits("process", process, PROCESS_FIGURES, (EXIT_STATUS,))} if process else {}
        )
        for name, table in self._table("scope", document.get("scope", {})).items():
            limits[name] = self._limits(f"scope.{name}", table, SCOPE_FIGURES)
        if not any(limits.values()):
            raise UsageError(f"{self._file} has no limit; 'mallard budget {self._file} --write' writes some")
        return Budget(limits, self._stacks(document), status)

    def _stacks(self, document: Mapping[str, Any]) -> Mapping[str, Stacks]:
        stacks_by_scope = {}
        for name, table in self._table("stacks", document.get("stacks", {})).items():
            place = f"stacks.{name}"
            for stack, blocks in self._table(place, table).items():
                self._check(place, stack, blocks)
            stacks_by_scope[name] = dict(table)
        return stacks_by_scope

    def _limits(
        self, place: str, table: Any, allowed: tuple[str, ...], extra: tuple[str, ...] = ()
    ) -> Limits:
        for name, value in self._table(place, table).items():
            if name not in allowed:
                choices = ", ".join(extra + allowed)
                text = f"'{name}'{did_you_mean(name, allowed)} is not a limit; allowed are {choices}"
                self._refuse(place, name, text)
            self._check(place, name, value)
        return dict(table)

    def _check(self, place: str, name: str, value: Any) -> None:
        if not _is_integer(value) or not 0 <= value <= MOST:
            self._refuse(place, name, f"{name} = {_abbreviate(value)}; allowed are whole numbers from 0 on")

    def _table(self, place: str, value: Any) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            header, _, name = place.rpartition(".")
            self._refuse(header, name, f"'{name}' = {_abbreviate(value)}; it must be a table: [{place}]")
        table: Mapping[str, Any] = value
        return table

    def _refuse(self, place: str, name: str, text: str) -> None:
        line = self._line(place, name)
        raise UsageError(f"{self._file}{f', line {line}' if line else ''}: {text}")

    def _line(self, place: str, name: str) -> int:
        """The line of a key or of the heading of a table; 0 if it is written in another form."""
        table = ""
        for number, line in enumerate(self._lines, 1):
            heading = re.match(r"\s*\[([^\[\]].*)\]\s*(?:#.*)?$", line)
            if heading:
                table = _plain(heading[1])
                if table == name and not place:
                    return number
            elif table == place and _plain(line.partition("=")[0]) == name:
                return number
        return 0


def _plain(key: str) -> str:
    """The key without quotes and surrounding spaces."""
    return re.sub(r"^\"|\"$|^'|'$|(?<=\.)[\"']", "", key.strip())


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _abbreviate(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
