"""The inputs that are files: from a seed, or of Debian. Of JSON and XML each line is a document."""

from __future__ import annotations

import gzip
import json
import random
import re
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mallard.shared.errors import UsageError

SEED = 42
SMALL_DOCUMENTS, LARGE_ITEMS = 600, 2500
PACKED = "gunzip:"


def write(generator: str, folder: Path) -> Path:
    """Writes the input, if it is not there, and returns its file. Behind `gunzip:` stands a file of a Debian
    package that is packed.
    """
    if generator.startswith(PACKED):
        return _unpack(Path(generator.removeprefix(PACKED)), folder)
    file = folder / generator
    if not file.is_file():
        size, kind = generator.split("_")
        if size in FILES_OF_DEBIAN:
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(_documents_of(size, kind), encoding="utf-8")
            return file
        draw = random.Random(SEED)
        if kind in TEXTS:
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(TEXTS[kind](draw, size == "large"), encoding="ascii")
            return file
        write_order = {"json": _json, "xml": _xml}[kind]
        if size == "small":
            lines = [write_order(draw, 1 + draw.randrange(6)) for _ in range(SMALL_DOCUMENTS)]
        else:
            lines = [write_order(draw, LARGE_ITEMS)]
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines) + "\n", encoding="ascii")
    return file


def _text(draw: random.Random, least: int, most: int) -> str:
    return "".join(draw.choices(string.ascii_lowercase + "  ", k=draw.randint(least, most)))


def _order(draw: random.Random, items: int) -> dict[str, Any]:
    return {
        "id": draw.randrange(10**9),
        "customer": _text(draw, 8, 40),
        "address": {"street": _text(draw, 8, 40), "city": _text(draw, 4, 20), "number": draw.randrange(300)},
        "paid": draw.random() < 0.5,
        "items": [
            {
                "name": _text(draw, 8, 60),
                "price": draw.randrange(10**5) / 4,
                "count": draw.randrange(20),
                "labels": [_text(draw, 4, 24) for _ in range(draw.randrange(4))],
            }
            for _ in range(items)
        ],
    }


def _json(draw: random.Random, items: int) -> str:
    return json.dumps(_order(draw, items), separators=(",", ":"))


def _xml(draw: random.Random, items: int) -> str:
    order = _order(draw, items)
    parts = [f'<order id="{order["id"]}" customer="{order["customer"]}">']
    for item in order["items"]:
        labels = "".join(f"<label>{label}</label>" for label in item["labels"])
        parts.append(f'<item name="{item["name"]}" price="{item["price"]}">{labels}</item>')
    return "".join([*parts, "</order>"])


# Documents that nobody wrote for this. The packages are iso-codes and shared-mime-info.
FILES_OF_DEBIAN = {
    "records": {
        "json": "/usr/share/iso-codes/json/iso_639-3.json",
        "xml": "/usr/share/mime/packages/freedesktop.org.xml",
    },
    "whole": {
        "json": "/usr/share/iso-codes/json/iso_3166-2.json",
        "xml": "/usr/share/mime/packages/freedesktop.org.xml",
    },
}


def _documents_of(size: str, kind: str) -> str:
    """The records of a file, each in a line, or all of it in one."""
    source = Path(FILES_OF_DEBIAN[size][kind])
    if not source.is_file():
        raise UsageError(f"there is no {source}: apt-get install iso-codes shared-mime-info")
    text = source.read_text(encoding="utf-8")
    if kind == "json":
        document = json.loads(text)
        records = next(iter(document.values())) if size == "records" else [document]
        return "".join(json.dumps(each, separators=(",", ":"), ensure_ascii=False) + "\n" for each in records)
    one_line = " ".join(text.split())
    records = re.findall(r"<mime-type .*?</mime-type>", one_line) if size == "records" else [one_line]
    return "".join(record + "\n" for record in records)


def _unpack(packed: Path, folder: Path) -> Path:
    file = folder / packed.stem
    if not file.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.decompress(packed.read_bytes()))
    return file


# Texts for programs that nobody here wrote. The small one differs from the large one in kind: it has other
# constructs, or its parts have another size.


def _prose(draw: random.Random, large: bool) -> str:
    words = [_text(draw, 2, 12).replace(" ", "x") for _ in range(20_000 if large else 500)]
    return "\n".join(" ".join(draw.choices(words, k=12)) for _ in range(20_000 if large else 40_000)) + "\n"


def _markdown(draw: random.Random, large: bool) -> str:
    def paragraph() -> str:
        text = _text(draw, 100, 400)
        if large:
            return f"{text} **{_text(draw, 4, 20)}** [{_text(draw, 4, 9)}](http://x.y/{draw.randrange(999)})"
        return "\n".join(f"- {_text(draw, 8, 40)} *{_text(draw, 4, 9)}*" for _ in range(8))

    return "\n\n".join(paragraph() for _ in range(25_000 if large else 8_000)) + "\n"


def _dot(draw: random.Random, large: bool) -> str:
    nodes, edges = (220, 330) if large else (420, 440)
    lines = [f"  n{draw.randrange(nodes)} -> n{draw.randrange(nodes)};" for _ in range(edges)]
    return "\n".join(["digraph {", *lines, "}"]) + "\n"


def _proto(draw: random.Random, large: bool) -> str:
    def message(number: int) -> str:
        fields = "".join(f"  optional string f{k}_{number} = {k + 1};\n" for k in range(12 if large else 3))
        nested = "" if large else f"  enum E{number} {{ A{number} = 0; B{number} = 1; }}\n"
        return f"message M{number} {{\n{fields}{nested}}}\n"

    return 'syntax = "proto2";\n' + "".join(message(number) for number in range(4_000 if large else 7_000))


def _scss(draw: random.Random, large: bool) -> str:
    if large:
        rules = "".join(
            f".{_text(draw, 6, 9).strip()}z{{ a {{ width: {k}px + {k} * 2; "
            f"b {{ color: mix(#{k % 900 + 100}, #fff, 20%); }} }} }}\n"
            for k in range(9_000)
        )
        return rules.replace(" {", "{")
    return (
        "@mixin m($n) { .x-#{$n} { width: $n * 1px; } }\n@for $i from 1 through 22000 { @include m($i); }\n"
    )


def _sql(draw: random.Random, large: bool) -> str:
    rows = "".join(
        f"INSERT INTO t VALUES({draw.randrange(9999)},'{_text(draw, 8, 40)}');\n" for _ in range(40_000)
    )
    query = (
        "SELECT a, count(*), group_concat(b) FROM t GROUP BY a ORDER BY 2 DESC;"
        if large
        else "SELECT x.a, x.b FROM t x JOIN t y ON x.a = y.a WHERE x.b < y.b ORDER BY x.b;"
    )
    return f"CREATE TABLE t(a INTEGER, b TEXT);\nBEGIN;\n{rows}COMMIT;\n{query}\n"


def _smt2(draw: random.Random, large: bool) -> str:
    size, kind = (70, "Int") if large else (26, "(_ BitVec 12)")
    names = [f"x{k}" for k in range(size)]
    lines = [f"(declare-const {name} {kind})" for name in names]
    for _ in range(size * (8 if large else 3)):
        a, b, c = draw.sample(names, 3)
        number = draw.randrange(1, 90)
        lines.append(
            f"(assert (or (< (+ {a} {number}) {b}) (> (* 2 {c}) (+ {a} {number}))))"
            if large
            else f"(assert (bvult (bvadd {a} (bvmul {b} (_ bv{number} 12))) "
            f"(bvxor {c} (_ bv{number * 30} 12))))"
        )
    return "\n".join([*lines, "(check-sat)"]) + "\n"


def _yacc(draw: random.Random, large: bool) -> str:
    rules = 700 if large else 1_200
    parts = [f"%token T{k}" for k in range(60)] + [
        "%%",
        "s: " + " | ".join(f"r{k}" for k in range(rules)) + ";",
    ]
    for number in range(rules):
        choices = [
            " ".join(f"T{draw.randrange(60)}" for _ in range(draw.randint(1, 9 if large else 4)))
            for _ in range(4 if large else 2)
        ]
        parts.append(f"r{number}: T{number % 60} T{number // 60} " + " | ".join(choices) + ";")
    return "\n".join([*parts, "%%"]) + "\n"


def _svg(draw: random.Random, large: bool) -> str:
    def shape() -> str:
        x, y = draw.randrange(400), draw.randrange(400)
        if large:
            return f'<circle cx="{x}" cy="{y}" r="3" style="fill:#{draw.randrange(100, 999)};opacity:0.5"/>'
        points = " ".join(f"L{draw.randrange(400)} {draw.randrange(400)}" for _ in range(8))
        return f'<g transform="rotate({x})"><path d="M{x} {y} {points} Z" fill="none" stroke="red"/></g>'

    shapes = "\n".join(shape() for _ in range(9_000 if large else 1_200))
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400">\n{shapes}\n</svg>\n'


def _asm(draw: random.Random, large: bool) -> str:
    if large:
        body = "".join(
            f"l{k}: mov eax, {draw.randrange(9999)}\n jmp l{draw.randrange(30_000)}\n" for k in range(30_000)
        )
        return f"bits 64\n{body}"
    return "%macro m 1\n%%a: add eax, %1\n jz %%a\n%endmacro\nbits 64\n" + "".join(
        f"m {draw.randrange(9999)}\n" for _ in range(25_000)
    )


def _asp(draw: random.Random, large: bool) -> str:
    size = 800 if large else 300
    edges = "".join(f"e({draw.randrange(size)},{draw.randrange(size)}).\n" for _ in range(size * 2))
    rules = "p(X,Y) :- e(X,Y).\np(X,Z) :- p(X,Y), e(Y,Z).\n"
    return edges + (rules if large else rules + "{c(X,1..9)} :- e(X,_).\n:- c(X,C), c(Y,C), p(X,Y), X < Y.\n")


def _cmake(draw: random.Random, large: bool) -> str:
    if large:
        return (
            "".join(
                f'set(v{k} "{_text(draw, 8, 60)}")\nstring(REPLACE "a" "b" w{k} "${{v{k}}}")\n'
                f'list(APPEND all "${{w{k}}}")\n'
                for k in range(4_000)
            )
            + 'foreach(x IN LISTS all)\n  string(TOUPPER "${x}" y)\nendforeach()\n'
        )
    return (
        'function(f n)\n  math(EXPR m "${n} * 7")\n  if(m GREATER 900)\n    set(last ${m} PARENT_SCOPE)\n'
        '  endif()\nendfunction()\nforeach(i RANGE 30000)\n  f(${i})\nendforeach()\nmessage("${last}")\n'
    )


TEXTS: dict[str, Callable[[random.Random, bool], str]] = {
    "prose": _prose,
    "markdown": _markdown,
    "dot": _dot,
    "proto": _proto,
    "scss": _scss,
    "sql": _sql,
    "smt2": _smt2,
    "yacc": _yacc,
    "svg": _svg,
    "asm": _asm,
    "asp": _asp,
    "cmake": _cmake,
}
