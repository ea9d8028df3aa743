"""mallard's allocators in gdb: `source mallard_gdb.py`, in a session or in ~/.gdbinit."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import gdb
import gdb.printing

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mallard_structures as structures


class Object:
    def __init__(self, value: gdb.Value) -> None:
        if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            value = value.referenced_value()
        self.value = value

    def __getitem__(self, member: str) -> Object:
        return Object(self.value[member])

    def has(self, member: str) -> bool:
        fields = [self.value.type.strip_typedefs()]
        for of in fields:
            if of.code == gdb.TYPE_CODE_STRUCT:
                if any(part.name == member for part in of.fields()):
                    return True
                fields += [part.type.strip_typedefs() for part in of.fields() if part.is_base_class]
        return False

    def target(self) -> Object:
        pointer = self.value.cast(self.value.dynamic_type)
        return Object(pointer.dereference())

    def at(self, address: int) -> Object:
        return Object(gdb.Value(address).cast(self.value.type).dereference())

    def argument(self, address: int) -> Object:
        pointer = self.value.type.strip_typedefs().template_argument(0).pointer()
        return Object(gdb.Value(address).cast(pointer).dereference())

    def elements(self) -> list[Object]:
        array = self.value[self.value.type.strip_typedefs().fields()[0]]
        first, last = array.type.strip_typedefs().range()
        return [Object(array[index]) for index in range(first, last + 1)]

    def number(self) -> int:
        return int(self.value)

    def type_name(self) -> str:
        return str(self.value.type.strip_typedefs().unqualified())

    def address(self) -> int:
        return int(self.value.address)

    def size(self) -> int:
        return self.value.type.sizeof

    def word(self, address: int) -> int:
        pointer = gdb.lookup_type("char").pointer().pointer()
        return int(gdb.Value(address).cast(pointer).dereference())

    def word_bytes(self) -> int:
        return gdb.lookup_type("char").pointer().sizeof

    def symbol(self, address: int) -> str:
        pointer = gdb.Value(address).cast(gdb.lookup_type("void").pointer())
        return pointer.format_string(symbols=True)


class Printer:
    def __init__(self, value: gdb.Value) -> None:
        self.report = structures.read(Object(value)) or structures.Report([""])

    def to_string(self) -> str:
        return self.report.figures[0]

    def children(self) -> Iterator[tuple[str, gdb.Value | int]]:
        for name, child in self.report.children.items():
            yield name, child.value if isinstance(child, Object) else child


class Printers(gdb.printing.PrettyPrinter):
    def __call__(self, value: gdb.Value) -> Printer | None:
        kind = structures.kind(str(value.type.strip_typedefs().unqualified()))
        return Printer(value) if kind else None


gdb.printing.register_pretty_printer(gdb.current_objfile(), Printers("mallard"), replace=True)
