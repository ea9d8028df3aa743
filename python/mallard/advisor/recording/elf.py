"""The facts of an ELF file that decide whether its calls of the allocator can be recorded."""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

SANITIZERS = frozenset(f"__{name}_init" for name in ("asan", "tsan", "msan", "lsan", "hwasan", "memprof"))
RECORDER = "mallard_record_functions"
NAMES = ("malloc", "_Znwm", RECORDER, *SANITIZERS)
MAGIC = b"\x7fELF"


class Machine(IntEnum):
    """Values of e_machine."""

    I386 = 3
    ARM = 40
    X86_64 = 62
    AARCH64 = 183
    RISCV = 243


class _Segment(IntEnum):
    INTERPRETER = 3  # PT_INTERP


class _Section(IntEnum):
    SYMBOLS = 2  # SHT_SYMTAB
    DYNAMIC = 6
    DYNAMIC_SYMBOLS = 11


class _Tag(IntEnum):
    SYMBOLIC = 16  # DT_SYMBOLIC
    FLAGS = 30


@dataclass(frozen=True)
class ElfFile:
    """Of the symbols, those that identify allocators, sanitizers and the recorder; none in a file of 32
    bits."""

    bits: int
    machine: int
    interpreter: str = ""  # the loader that the kernel starts first; empty in static programs
    is_symbolic: bool = False  # a library that resolves its own symbols first
    exported: frozenset[str] = frozenset()
    internal: frozenset[str] = frozenset()  # only other parts of the file can call them
    imported: frozenset[str] = frozenset()

    @property
    def sanitizers(self) -> list[str]:
        """The symbols of a sanitizer that is linked into the file."""
        return sorted(SANITIZERS & (self.exported | self.internal))


def read_elf(path: str) -> ElfFile | None:
    """None if it is not an ELF file, damaged, or unreadable."""
    try:
        with (
            open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            return _parse(data)
    except (OSError, ValueError, IndexError, struct.error):
        return None


def _parse(data: mmap.mmap) -> ElfFile | None:
    if data[:4] != MAGIC:
        return None
    bits, order = 64 if data[4] == 2 else 32, "<" if data[5] == 1 else ">"
    (machine,) = struct.unpack_from(f"{order}H", data, 18)
    if (bits, order) != (64, "<"):
        return ElfFile(bits, machine)
    segments_at, sections_at = struct.unpack_from("<QQ", data, 32)
    segment_size, segment_count, section_size, section_count = struct.unpack_from("<4H", data, 54)
    interpreter = ""
    for index in range(segment_count):
        kind, _, offset, _, _, size, *_ = struct.unpack_from(
            "<IIQQQQQQ", data, segments_at + segment_size * index
        )
        if kind == _Segment.INTERPRETER:
            interpreter = os.fsdecode(data[offset : offset + size].partition(b"\0")[0])
    sections = [
        struct.unpack_from("<IIQQQQIIQQ", data, sections_at + section_size * index)
        for index in range(section_count)
    ]
    is_symbolic = False
    defined: dict[int, set[str]] = {_Section.SYMBOLS: set(), _Section.DYNAMIC_SYMBOLS: set()}
    imported: set[str] = set()
    for _, kind, _, _, offset, size, link, *_ in sections:
        content = data[offset : offset + size]
        if kind == _Section.DYNAMIC:
            is_symbolic = is_symbolic or _binds_symbolically(content)
        elif kind in defined:
            names_at, names_size = sections[link][4:6]
            for name, is_defined in _symbols(content, data[names_at : names_at + names_size]):
                if is_defined:
                    defined[kind].add(name)
                elif kind == _Section.DYNAMIC_SYMBOLS:
                    imported.add(name)
    exported = frozenset(defined[_Section.DYNAMIC_SYMBOLS])
    internal = frozenset(defined[_Section.SYMBOLS]) - exported
    return ElfFile(bits, machine, interpreter, is_symbolic, exported, internal, frozenset(imported))


def _binds_symbolically(dynamic: bytes) -> bool:
    entries = struct.iter_unpack("<QQ", dynamic[: len(dynamic) & ~15])
    return any(tag == _Tag.SYMBOLIC or (tag == _Tag.FLAGS and value & 2) for tag, value in entries)


def _symbols(table: bytes, names: bytes) -> Iterator[tuple[str, bool]]:
    """The symbols with one of NAMES, and whether they are defined. A name may be the end of a longer one."""
    wanted = {at: name for name in NAMES for at in _places(names, name.encode() + b"\0")}
    whole = len(table) - len(table) % 24
    for index, at in enumerate(memoryview(table)[:whole].cast("I")[::6]):
        if at in wanted:
            (section,) = struct.unpack_from("<H", table, 24 * index + 6)
            yield wanted[at], section != 0


def _places(text: bytes, part: bytes) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)
