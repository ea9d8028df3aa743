"""DHAT's JSON, version 2, for dh_view.html of valgrind and for the Firefox Profiler."""

from __future__ import annotations

import json
import struct
from collections import defaultdict
from collections.abc import Iterator
from operator import add
from typing import Any

from mallard.advisor.profile.stacks import FRAME, Stacks, units

COUNTS = {
    "tb": "allocated_bytes",
    "tbk": "allocated_blocks",
    "tl": "ticks",
    "mb": "most_bytes",
    "mbk": "most_blocks",
    "gb": "peak_bytes",
    "gbk": "peak_blocks",
    "eb": "end_bytes",
    "ebk": "end_blocks",
}
POINT = "%s{" + ",".join(f'"{name}":%d' for name in COUNTS) + ',"fs":[%s]}'
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def dhat(stacks: Stacks) -> Iterator[str]:
    process = stacks.process
    is_timed = process["ticks_per_second"] > 0
    per_unit = process["ticks_per_second"] / 1e6 if is_timed else 1.0
    head = {
        "dhatFileVersion": 2,
        "mode": "heap",
        "verb": "Allocated",
        "bklt": True,
        "bkacc": False,
        "tu": "µs" if is_timed else "ticks",
        "Mtu": "s" if is_timed else "Mticks",
        "tuth": 500,
        "cmd": process["command"] or process["executable"] or "(left out of the trace)",
        "pid": process["process"],
        "tg": units(process["peak_ticks"], per_unit),
        "te": max(units(process["ticks"], per_unit), 1),  # readers divide by it
    }
    yield _encode(head)[:-1] + ',\n"pps":['
    texts, points = _points(stacks)
    between = "\n"
    for _, (allocated, blocks, ticks, *others) in sorted(points.items()):
        yield POINT % (between, allocated, blocks, units(ticks, per_unit), *others)
        between = ",\n"
    yield '],\n"ftbl":[\n' + ",\n".join(map(_encode, texts)) + "]}\n"


def _points(stacks: Stacks) -> tuple[list[str], dict[bytes, tuple[Any, ...]]]:
    """The texts of functions, and sums with the numbers of texts, which are also the keys, so that points are
    sorted by them. Readers refuse two points of the same functions.
    """
    texts = {"[root]": 0}
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for frame, address, name, file, line, object_ in stacks.rows(
        "frames", f"{FRAME}, address, short_name, file, line, object"
    ):
        text = f"{address:#x}: {name}" if address else name
        text += f" ({file}:{line})" if line else f" (in {object_})" if object_ else ""
        numbers[frame].append(texts.setdefault(text, len(texts)))
    keys, frames = [], []
    for path in stacks.paths():
        own = [number for frame in reversed(path) for number in numbers[frame]]
        keys.append(struct.pack(f">{len(own)}I", *own))
        frames.append(",".join(map(str, own)))
    points: dict[bytes, tuple[Any, ...]] = {}
    for calls, counts in stacks.counts(", ".join(COUNTS.values())):
        key = b"".join([keys[call] for call in calls])
        sums = map(add, points[key], counts) if key in points else counts
        points[key] = (*sums, ",".join([frames[call] for call in calls]))
    return list(texts), points
