"""mallard's allocators in lldb: `command script import mallard_lldb.py`, in a session or in ~/.lldbinit."""

from __future__ import annotations

import os
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mallard_structures as structures


class Object:
    def __init__(self, value: lldb.SBValue) -> None:
        target = value.Dereference() if value.GetType().IsReferenceType() else value
        self.value = target.GetNonSyntheticValue()

    def member(self, name: str) -> lldb.SBValue:
        return self.value.GetChildMemberWithName(name, lldb.eNoDynamicValues)

    def __getitem__(self, member: str) -> Object:
        if not self.has(member):
            raise RuntimeError(f"{self.type_name()} has no member {member}")
        return Object(self.member(member))

    def has(self, member: str) -> bool:
        return self.member(member).IsValid()

    def target(self) -> Object:
        pointer = self.value.GetDynamicValue(lldb.eDynamicDontRunTarget)
        return Object((pointer if pointer.IsValid() else self.value).Dereference())

    def at(self, address: int) -> Object:
        return self.place(address, self.value.GetType().GetCanonicalType().GetPointeeType())

    def argument(self, address: int) -> Object:
        return self.place(address, self.value.GetType().GetCanonicalType().GetTemplateArgumentType(0))

    def place(self, address: int, of: lldb.SBType) -> Object:
        return Object(self.value.CreateValueFromAddress("", address, of))

    def elements(self) -> list[Object]:
        array = self.value.GetChildAtIndex(0)
        return [Object(array.GetChildAtIndex(index)) for index in range(array.GetNumChildren())]

    def number(self) -> int:
        error, signed = (
            lldb.SBError(),
            self.value.GetType().GetCanonicalType().GetTypeFlags() & lldb.eTypeIsSigned,
        )
        read = self.value.GetValueAsSigned if signed else self.value.GetValueAsUnsigned
        number = read(error, 0)
        if error.Fail():
            raise RuntimeError(error.GetCString())
        return number

    def type_name(self) -> str:
        return self.value.GetType().GetCanonicalType().GetUnqualifiedType().GetName()

    def address(self) -> int:
        return self.value.GetLoadAddress()

    def size(self) -> int:
        return self.value.GetType().GetByteSize()

    def word(self, address: int) -> int:
        error = lldb.SBError()
        word = self.value.GetProcess().ReadPointerFromMemory(address, error)
        if error.Fail():
            raise RuntimeError(error.GetCString())
        return word

    def word_bytes(self) -> int:
        return self.value.GetTarget().GetAddressByteSize()

    def symbol(self, address: int) -> str:
        return self.value.GetTarget().ResolveLoadAddress(address).GetSymbol().GetName() or ""


def summary(value: lldb.SBValue, _: dict[str, object]) -> str:
    return structures.line(Object(value))


class Children:
    def __init__(self, value: lldb.SBValue, _: dict[str, object]) -> None:
        self.value = value
        self.children: list[tuple[str, Object | int]] = []

    def update(self) -> bool:
        o = Object(self.value)
        report = structures.read(o)
        # The pattern below fits classes within an allocator too.
        own = [o.value.GetChildAtIndex(index) for index in range(0 if report else o.value.GetNumChildren())]
        named = [(child.GetName(), Object(child)) for child in own]
        self.children = list(report.children.items()) if report else named
        return False

    def num_children(self) -> int:
        return len(self.children)

    def get_child_index(self, name: str) -> int:
        return next((index for index, (other, _) in enumerate(self.children) if other == name), -1)

    def get_child_at_index(self, index: int) -> lldb.SBValue:
        name, child = self.children[index]
        if isinstance(child, Object):
            return self.value.CreateValueFromAddress(name, child.address(), child.value.GetType())
        target = self.value.GetTarget()
        order, word_bytes = target.GetByteOrder(), target.GetAddressByteSize()
        data = lldb.SBData.CreateDataFromUInt64Array(order, word_bytes, [child])
        return self.value.CreateValueFromData(
            name, data, target.GetBasicType(lldb.eBasicTypeUnsignedLongLong)
        )


def __lldb_init_module(debugger: lldb.SBDebugger, _: dict[str, object]) -> None:
    pattern = f"^(const )?mallard::([a-z0-9_]+::)*({'|'.join(structures.READERS)})(<.*)?$"
    for command in (f"summary add -e -F {__name__}.summary", f"synthetic add -l {__name__}.Children"):
        debugger.HandleCommand(f'type {command} -p -w mallard -x "{pattern}"')
    debugger.HandleCommand("type category enable mallard")
