"""The rows of a profile, from the JSON that `mallard-profile` prints.

An object inside of another one gives columns with its name in front: `activations_seen`. Names are escaped,
so that they control no terminal, whatever program shows the database. JSON may have additional fields.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mallard.advisor.profile.database import Row, WrongRowError, finite
from mallard.shared.prose import printable_name

FORMAT, VERSION = "mallard profile", 1
Rows = Iterator[tuple[str, Row]]


def read_document(text: bytes | str) -> dict[str, Any]:
    """Raises a WrongRowError if the text is not a profile of this version."""
    try:
        document = json.loads(text, parse_constant=_refuse, parse_float=lambda digits: finite(float(digits)))
    except (ValueError, RecursionError) as error:
        raise WrongRowError(f"no JSON ({error})") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise WrongRowError("no profile")
    if document.get("version") != VERSION:
        raise WrongRowError(f"version {document.get('version')} of its format, this mallard reads {VERSION}")
    return document


def _refuse(constant: str) -> None:
    raise WrongRowError(f"{constant}, which is not a finite number")


def document_rows(document: dict[str, Any]) -> Rows:
    """Raises a WrongRowError."""
    yield "recordings", _flat(document)
    yield from _rows(document, "processes", "processes")
    for text in _list(document, "warnings", ()):
        yield "warnings", {"text": _leaf(text)}
    for name in ("functions", "places"):
        yield from _rows(document, name, name, numbered="id")
    for number, stack in enumerate(_list(document, "stacks")):
        for level, place in enumerate(stack if isinstance(stack, list) else _wrong(stack, "list")):
            yield "stacks", {"stack": number, "level": level, "place": place}
    yield from _figures(_object(document, "figures"), {})
    yield from _scopes(document)
    yield from _sites(document, {})
    for kind in ("leaks", "temporary"):
        yield from _rows(document, kind, "site_blocks", kind=kind)
    yield from _rows(document, "suppressions", "suppressions", default=())
    yield from _rows(document, "peak", "peak_sites")
    yield from _rows(document, "pairs", "pairs")
    for name, one in (("iterations", "iteration"), ("owners", "owner")):
        yield from _rows(document, name, name, numbered="id")
        for number, row in enumerate(document[name]):
            for site in _list(row, "sites", ()):
                yield f"{one}_sites", _flat(site) | {one: number}
    for row in _list(document, "almost_contained"):
        yield "almost_contained", _flat(row)
        yield from _rows(row, "escapes_from", "almost_contained_sites", default=(), scope=row.get("scope"))
    yield from _rows(document, "already_pooled", "already_pooled")
    yield from _rows(document, "control_calls", "control_calls", default=())
    yield from _rows(document, "large_blocks", "large_blocks", default=())
    markers = document.get("markers") or {}
    for name in ("instances", "progress"):
        yield from _rows(markers, name, name, default=())
    yield from _rows(document, "pools", "pools", default=())
    yield from _timeline(document.get("timeline") or {})
    lives = document.get("lifetimes") or {}
    for unit in ("bytes", "time"):
        columns = ("log2", "allocations", "bytes")
        yield from _tuples(lives, f"by_{unit}", "lifetimes", columns, unit=unit)
    yield from _rows(document.get("flame") or {}, "nodes", "flame", numbered="id", default=())


def stack_lists(document: dict[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    """The rows of `--stacks`, as lists of their values. Raises a WrongRowError."""
    for name in ("exports", "calls", "loaded_files", "frames"):
        yield name, _list(document, name)


def _scopes(document: dict[str, Any]) -> Rows:
    rows = [*_list(document, "scopes"), *_list(document.get("markers") or {}, "scopes", ())]
    in_depth = document.get("scope")
    deep = _object(in_depth, "row") if in_depth is not None else None
    if deep is not None:  # the same scope with longer lists
        known = [_scope_key(row) == _scope_key(deep) for row in rows]
        rows = [deep if is_deep else row for row, is_deep in zip(rows, known, strict=True)]
        rows += [] if any(known) else [deep]
    free = 1 + max([-1, *(number for row in rows if isinstance(number := _scope_number(row), int))])
    for row in rows:
        number = _scope_number(row)
        if number is None:
            number, free = free, free + 1
        yield "scopes", _flat(row, without=("figures", "diffusion")) | {"id": number, "in_depth": row is deep}
        yield from _figures(_object(row, "figures"), {"scope": number})
        yield from _rows(row, "escapes", "escapes", default=(), scope=number)
        for kind in ("escape", "alive"):
            yield from _rows(row, f"{kind}_sites", "scope_sites", default=(), scope=number, kind=kind)
        if (diffusion := row.get("diffusion")) is not None:
            yield "diffusion", _flat(_object(diffusion, "peak")) | {"scope": number, "is_peak": True}
            yield from _rows(diffusion, "over_time", "diffusion", default=(), scope=number, is_peak=False)
        if row is deep:
            yield from _in_depth(in_depth, number)


def _scope_number(row: Any) -> Any:
    """None for a marked scope, which has a name."""
    return row.get("id") if _expect_object(row).get("name") is None else None


def _scope_key(row: Any) -> tuple[Any, ...]:
    number = _scope_number(row)
    return (number,) if number is not None else (row.get("function"), row.get("name"), row.get("kind"))


def _in_depth(in_depth: Any, scope: int) -> Rows:
    yield from _sites(in_depth, {"within": scope}, ())
    yield from _rows(in_depth, "pairs", "pairs", default=(), within=scope)
    yield from _rows(in_depth, "callers", "callers", default=())
    for code in _list(in_depth, "code", ()):
        instructions, file = _list(code, "instructions"), _leaf(code.get("file"))
        for instruction in instructions:
            yield "code", {"file": file, "instruction": instruction}
        yield from _tuples(code, "ranges", "inlined_code", ("begin_offset", "end_offset"), file=file)
    for kind in ("bytes", "peak"):
        columns = ("most_bytes", "activations")
        yield from _tuples(in_depth, f"activation_{kind}_classes", "activation_classes", columns, kind=kind)


def _sites(document: dict[str, Any], within: dict[str, int], default: Any = None) -> Rows:
    for at, row in enumerate(_list(document, "sites", default)):
        number = at if not within else at + 1_000_000
        yield "sites", _flat(row, without=("figures",)) | within | {"id": number}
        yield from _figures(_object(row, "figures"), {"site": number})
        for name in ("stacks", "owners"):
            yield from _rows(row, name, f"site_{name}", default=(), site=number)


def _figures(figures: dict[str, Any], of: dict[str, int]) -> Rows:
    yield "figures", _flat(figures) | of
    yield from _tuples(figures, "sizes", "sizes", ("most_bytes", "allocations", "bytes"), **of)


def _timeline(timeline: dict[str, Any]) -> Rows:
    points = zip(_list(timeline, "seconds", ()), _list(timeline, "live_bytes", ()), strict=False)
    for point, (seconds, live) in enumerate(points):
        yield "timeline", {"point": point, "seconds": seconds, "live_bytes": live}
    yield from _tuples(timeline, "resident", "resident", ("seconds", "resident_bytes", "file_bytes"))
    for scope in _list(timeline, "scopes", ()):
        for point, live in enumerate(_list(scope, "live_bytes")):
            yield "scope_timeline", {"scope": scope.get("id"), "point": point, "live_bytes": live}


def _rows(
    around: Any,
    name: str,
    table: str,
    numbered: str | None = None,
    default: Any = None,
    **values: Any,
) -> Rows:
    for at, row in enumerate(_list(around, name, default)):
        yield table, _flat(row) | ({numbered: at} if numbered else {}) | values


def _tuples(around: Any, name: str, table: str, columns: tuple[str, ...], **values: Any) -> Rows:
    """The rows of a list whose elements are lists of as many values as there are columns."""
    for row in _list(around, name, ()):
        if not isinstance(row, list) or len(row) != len(columns):
            _wrong(row, f"list of {len(columns)}")
        yield table, dict(zip(columns, row, strict=True)) | values


def _flat(value: Any, prefix: str = "", without: tuple[str, ...] = ()) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, item in _expect_object(value).items():
        if key in without:
            continue
        if isinstance(item, dict):
            flat |= _flat(item, f"{prefix}{key}_")
        elif key == "interval" and isinstance(item, list) and len(item) == 2:
            flat[f"{prefix}low"], flat[f"{prefix}high"] = item
        elif key == "command" and isinstance(item, list):
            words = [_leaf(word) if isinstance(word, str) else _wrong(word, "text") for word in item]
            flat[f"{prefix}{key}"] = json.dumps(words, ensure_ascii=False)
        else:
            flat[f"{prefix}{key}"] = _leaf(item)
    return flat


def _leaf(value: Any) -> Any:
    return printable_name(value) if isinstance(value, str) else value


def _object(around: Any, name: str) -> dict[str, Any]:
    if name not in _expect_object(around):
        raise WrongRowError(f"there is no field '{name}'")
    result: dict[str, Any] = _expect_object(around[name])
    return result


def _list(around: Any, name: str, default: Any = None) -> Any:
    _expect_object(around)
    if name not in around and default is not None:
        return default
    if name not in around:
        raise WrongRowError(f"there is no field '{name}'")
    value = around[name]
    return value if isinstance(value, list) else _wrong(value, f"list '{name}'")


def _expect_object(value: Any) -> Any:
    return value if isinstance(value, dict) else _wrong(value, "object")


def _wrong(value: Any, kind: str) -> Any:
    text = repr(value)
    raise WrongRowError(f"{text if len(text) <= 40 else text[:40] + '...'} is no {kind}")
