"""The rows of a profile, from the JSON that `mallard-profile` prints.

An object inside of another one gives columns with its name in front: `activations_seen`. Names are escaped,
so that they control no terminal, whatever program shows the database. JSON may have additional fields; the
values of columns are checked by the database.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from mallard.advisor.profile.database import Row, WrongRowError, finite
from mallard.shared.prose import printable_name

FORMAT, VERSION = "mallard profile", 1
# What a document of another version of the program may raise.
WRONG_DOCUMENT = (WrongRowError, LookupError, TypeError, AttributeError, ValueError)
Object = dict[str, Any]
Rows = Iterator[tuple[str, Row]]


def read_document(text: bytes | str) -> Object:
    """Raises a WrongRowError if the text is not a profile of this version."""
    try:
        document = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise WrongRowError(f"no JSON ({error})") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise WrongRowError("no profile")
    if document.get("version") != VERSION:
        raise WrongRowError(f"version {document.get('version')} of its format, this mallard reads {VERSION}")
    return document


def _finite(digits: str) -> float:
    return finite(float(digits))


def document_rows(document: Object) -> Rows:
    """Raises one of WRONG_DOCUMENT."""
    yield "recordings", _flat(document)
    yield from _rows(document["processes"], "processes")
    for text in document.get("warnings", ()):
        yield "warnings", {"text": _leaf(text)}
    for name in ("functions", "places"):
        yield from _numbered(document[name], name)
    for number, stack in enumerate(document["stacks"]):
        for level, place in enumerate(stack):
            yield "stacks", {"stack": number, "level": level, "place": place}
    yield from _figures(document["figures"])
    yield from _scopes(document)
    yield from _sites(document["sites"])
    for kind in ("leaks", "temporary"):
        yield from _rows(document[kind], "site_blocks", kind=kind)
    yield from _rows(document["peak"], "peak_sites")
    for name in ("pairs", "already_pooled"):
        yield from _rows(document[name], name)
    for name in ("suppressions", "control_calls", "large_blocks", "pools"):
        yield from _rows(document.get(name, ()), name)
    for name, one in (("iterations", "iteration"), ("owners", "owner")):
        yield from _numbered(document[name], name)
        for number, row in enumerate(document[name]):
            yield from _rows(row.get("sites", ()), f"{one}_sites", **{one: number})
    yield from _rows(document["almost_contained"], "almost_contained")
    for row in document["almost_contained"]:
        yield from _rows(row.get("escapes_from", ()), "almost_contained_sites", scope=row["scope"])
    for name in ("instances", "progress"):
        yield from _rows(_inner(document, "markers").get(name, ()), name)
    yield from _timeline(_inner(document, "timeline"))
    for unit in ("bytes", "time"):
        lives = _inner(document, "lifetimes").get(f"by_{unit}", ())
        yield from _tuples(lives, "lifetimes", ("log2", "allocations", "bytes"), unit=unit)
    yield from _numbered(_inner(document, "flame").get("nodes", ()), "flame")


def stack_lists(document: Object) -> Iterator[tuple[str, list[Any]]]:
    """The rows of `--stacks`, as lists of their values. Raises one of WRONG_DOCUMENT."""
    return ((name, document[name]) for name in ("exports", "calls", "loaded_files", "frames"))


def _inner(document: Object, name: str) -> Object:
    return document.get(name) or {}


def _scopes(document: Object) -> Rows:
    rows = [*document["scopes"], *_inner(document, "markers").get("scopes", ())]
    in_depth: Any = document.get("scope")
    deep = in_depth["row"] if in_depth is not None else None
    if deep is not None:  # the same scope with longer lists
        known = [_scope_key(row) == _scope_key(deep) for row in rows]
        rows = [deep if is_deep else row for row, is_deep in zip(rows, known, strict=True)]
        rows += [] if any(known) else [deep]
    free = 1 + max([-1, *(number for row in rows if (number := _scope_number(row)) is not None)])
    for row in rows:
        number = _scope_number(row)
        if number is None:
            number, free = free, free + 1
        yield "scopes", _flat(row, without=("figures", "diffusion")) | {"id": number, "in_depth": row is deep}
        yield from _figures(row["figures"], scope=number)
        yield from _rows(row.get("escapes", ()), "escapes", scope=number)
        for kind in ("escape", "alive"):
            yield from _rows(row.get(f"{kind}_sites", ()), "scope_sites", scope=number, kind=kind)
        if (diffusion := row.get("diffusion")) is not None:
            yield from _rows([diffusion["peak"]], "diffusion", scope=number, is_peak=True)
            yield from _rows(diffusion.get("over_time", ()), "diffusion", scope=number, is_peak=False)
        if row is deep:
            yield from _in_depth(in_depth, number)


def _scope_number(row: Object) -> int | None:
    """None for a marked scope, which has a name."""
    return row.get("id") if row.get("name") is None else None


def _scope_key(row: Object) -> tuple[Any, ...]:
    number = _scope_number(row)
    return (number,) if number is not None else (row.get("function"), row.get("name"), row.get("kind"))


def _in_depth(in_depth: Object, scope: int) -> Rows:
    yield from _sites(in_depth.get("sites", ()), first=1_000_000, within=scope)
    yield from _rows(in_depth.get("pairs", ()), "pairs", within=scope)
    yield from _rows(in_depth.get("callers", ()), "callers")
    for code in in_depth.get("code", ()):
        file = _leaf(code["file"])
        for instruction in code["instructions"]:
            yield "code", {"file": file, "instruction": instruction}
        yield from _tuples(code.get("ranges", ()), "inlined_code", ("begin_offset", "end_offset"), file=file)
    for kind in ("bytes", "peak"):
        classes = in_depth.get(f"activation_{kind}_classes", ())
        yield from _tuples(classes, "activation_classes", ("most_bytes", "activations"), kind=kind)


def _sites(rows: Iterable[Object], first: int = 0, **within: int) -> Rows:
    for number, row in enumerate(rows, first):
        yield "sites", _flat(row, without=("figures",)) | within | {"id": number}
        yield from _figures(row["figures"], site=number)
        for name in ("stacks", "owners"):
            yield from _rows(row.get(name, ()), f"site_{name}", site=number)


def _figures(figures: Object, **of: int) -> Rows:
    yield "figures", _flat(figures) | of
    yield from _tuples(figures.get("sizes", ()), "sizes", ("most_bytes", "allocations", "bytes"), **of)


def _timeline(timeline: Object) -> Rows:
    points = zip(timeline.get("seconds", ()), timeline.get("live_bytes", ()), strict=False)
    for point, (seconds, live) in enumerate(points):
        yield "timeline", {"point": point, "seconds": seconds, "live_bytes": live}
    samples = timeline.get("resident", ())
    yield from _tuples(samples, "resident", ("seconds", "resident_bytes", "file_bytes"))
    for scope in timeline.get("scopes", ()):
        for point, live in enumerate(scope["live_bytes"]):
            yield "scope_timeline", {"scope": scope["id"], "point": point, "live_bytes": live}


def _rows(rows: Iterable[Object], table: str, **values: Any) -> Rows:
    return ((table, _flat(row) | values) for row in rows)


def _numbered(rows: Iterable[Object], table: str) -> Rows:
    return ((table, _flat(row) | {"id": number}) for number, row in enumerate(rows))


def _tuples(rows: Iterable[list[Any]], table: str, columns: tuple[str, ...], **values: Any) -> Rows:
    """Of lists that have a value for each column."""
    return ((table, dict(zip(columns, row, strict=True)) | values) for row in rows)


def _flat(value: Object, prefix: str = "", without: tuple[str, ...] = ()) -> Object:
    flat: Object = {}
    for key, item in value.items():
        if key in without:
            continue
        if isinstance(item, dict):
            flat |= _flat(item, f"{prefix}{key}_")
        elif key == "interval" and item is not None:
            flat[f"{prefix}low"], flat[f"{prefix}high"] = item
        elif key == "command" and item is not None:
            flat[f"{prefix}{key}"] = json.dumps(list(map(printable_name, item)), ensure_ascii=False)
        else:
            flat[f"{prefix}{key}"] = _leaf(item)
    return flat


def _leaf(value: Any) -> Any:
    return printable_name(value) if isinstance(value, str) else value
