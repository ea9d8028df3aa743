"""Compares a trace with the same events without its models: a column of LEB128 numbers for each field,
differences from the last event, compressed by zstd at the trace's level.

    advisor/tests/trace/tools/plain_columns.py NAME=FILE...   writes bench/results/trace_bytes.json
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
PROFILE = ROOT / "build/advisor/advisor/mallard-profile"
STORED = ROOT / "bench/results/trace_bytes.json"
LEVEL = 6
TICKS_OF_A_STEP = 32
GRANULE_BYTES = 16


def leb128(number: int) -> bytes:
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])


def zigzag(number: int) -> bytes:
    return leb128(2 * number if number >= 0 else -2 * number - 1)


def address_difference(difference: int) -> bytes:
    """Most addresses are multiples of the granule apart; bit 0 marks the others."""
    steps, odd = divmod(difference, GRANULE_BYTES)
    return zigzag(2 * difference + 1) if odd else zigzag(2 * steps)


def columns(lines: Iterable[str]) -> tuple[int, list[bytearray]]:
    """The number of events, and the columns of contexts (parent, address) and of events (time, kind, address,
    bytes, number, kept levels, context)."""
    data = [bytearray() for _ in range(9)]
    events = last_return = last_ticks = last_address = last_context = 0
    for line in lines:
        words = line.split()
        if words[0] == "context":
            data[0] += leb128(int(words[1]) - int(words[2]))
            data[1] += zigzag(int(words[3], 16) - last_return)
            last_return = int(words[3], 16)
        elif words[0].isdigit():
            ticks, address, context = int(words[0]), int(words[3], 16), int(words[7])
            fields = (
                leb128(max(0, ticks - last_ticks) // TICKS_OF_A_STEP),
                leb128(int(words[2])),
                address_difference(address - last_address),
                *(leb128(int(word)) for word in words[4:7]),
                zigzag(context - last_context),
            )
            for column, field in zip(data[2:], fields, strict=True):
                column += field
            last_ticks, last_address, last_context = ticks, address, context
            events += 1
    return events, data


def compressed_bytes(data: bytes) -> int:
    command = ["zstd", f"-{LEVEL}", "--stdout", "--quiet"]
    return len(subprocess.run(command, input=data, capture_output=True, check=True).stdout)


def main() -> int:
    rows = []
    for argument in sys.argv[1:]:
        name, _, path = argument.partition("=")
        text = subprocess.run([PROFILE, path, "--events"], capture_output=True, text=True, check=True).stdout
        events, data = columns(text.splitlines())
        plain = sum(compressed_bytes(bytes(column)) for column in data)
        rows.append({"program": name, "events": events, "trace": Path(path).stat().st_size, "plain": plain})
        print(rows[-1])
    STORED.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
