"""The file of pprof: github.com/google/pprof/proto/profile.proto, which has the numbers of the fields.

    field: | number * 8 + kind | value             |   kind 0: a number
           | number * 8 + kind | length | bytes    |   kind 2: text, a message, or packed numbers

Numbers are LEB128. A field that has its default value is left out.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from operator import itemgetter

from mallard.advisor.profile.stacks import Stacks, units

KINDS = {
    "alloc_objects": "allocated_blocks",
    "alloc_space": "allocated_bytes",
    "peak_objects": "peak_blocks",
    "peak_space": "peak_bytes",
    "inuse_objects": "end_blocks",
    "inuse_space": "end_bytes",
}
GZIP = 31  # the largest window, with a header


def pprof(stacks: Stacks) -> Iterator[bytes]:
    """The compressed file."""
    packed = zlib.compressobj(wbits=GZIP)
    yield from map(packed.compress, profile(stacks))
    yield packed.flush()


def profile(stacks: Stacks) -> Iterator[bytes]:
    """The fields of the message `Profile`. Messages that others refer to by number follow at the end."""
    strings = {"": 0}

    def text(field: int, string: str) -> bytes:
        return _number(field, strings.setdefault(string, len(strings)))

    for kind in KINDS:
        yield _bytes(1, text(1, kind) + text(2, "count" if kind.endswith("objects") else "bytes"))
    yield _bytes(11, text(1, "space") + text(2, "bytes"))
    yield _number(12, 1) + text(14, "alloc_space")
    process = stacks.process
    if process["ticks_per_second"] > 0:
        yield _number(10, units(process["ticks"], process["ticks_per_second"] / 1e9))
    command = "" if process["command"] is None else f" {process['command']}"
    yield text(13, f"Recorded by mallard: process {process['process']}{command}")
    if (rate := process["sampled_one_in"]) > 1:
        yield text(13, f"One activation in {rate} was recorded; no figure is scaled up.")
    paths = [b"".join([_varint(int(frame) + 1) for frame in reversed(path)]) for path in stacks.paths()]
    for calls, counts in stacks.counts(", ".join(KINDS.values())):
        locations = b"".join([paths[call] for call in calls])
        yield _bytes(2, _bytes(1, locations) + _bytes(2, b"".join(map(_varint, counts))))
    for number, begin, end, path, build_id, has_lines in stacks.rows(
        "loaded_files", "loaded_file, begin_address, end_address, path, build_id, has_lines"
    ):
        mapping = _number(1, number) + _number(2, begin) + _number(3, end) + text(5, path) + text(6, build_id)
        # Without these flags pprof would look up names itself, in files that may differ.
        flags = b"".join(_number(field, has_lines) for field in (8, 9, 10))
        yield _bytes(3, mapping + _number(7, 1) + flags)
    functions: dict[tuple[str, str], int] = {}
    frames = stacks.rows("frames", "frame, address, loaded_file, name, short_name, file, line")
    for frame, places in groupby(frames, itemgetter(0)):
        location = b""
        for _, address, loaded_file, name, short_name, file, line in places:
            if (name, file) not in functions:
                number = functions[name, file] = len(functions) + 1
                yield _bytes(5, _number(1, number) + text(2, short_name) + text(3, name) + text(4, file))
            if not location:
                location = _number(1, frame + 1) + _number(2, loaded_file or 0) + _number(3, address)
            location += _bytes(4, _number(1, functions[name, file]) + _number(2, line))
        yield _bytes(4, location)
    for string in strings:
        yield _bytes(6, string.encode())


@cache
def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value) if value else b""


def _bytes(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content
