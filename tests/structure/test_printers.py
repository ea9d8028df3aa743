"""The printers in debug/ name members and classes of the library: each must be declared there."""

import re

from source_tree import files, text

PRINTERS = text("debug/mallard_structures.py")
LIBRARY = "".join(text(file) for file in files("*.hpp", under="include") + files("*.hpp", under="src"))
# o["member"], has("member"), a path of members in the table of adaptors, and the link of a list.
READ = re.compile(r'(?<!children)\["(\w+)"\]|has\("(\w+)"\)|"(\w+_(?:\.\w+)?)"|, "(older|younger)"\)')


def test_members_are_declared():
    read = {part for match in READ.findall(PRINTERS) for part in "".join(match).split(".")}
    declared = set(re.findall(r"\b(\w+)\s*(?:;|=|\{|\[|,)", LIBRARY))
    assert len(read) > 60
    assert read - declared == set()


def test_classes_are_declared():
    names = set(re.findall(r'^    "(\w+)":', PRINTERS.partition("READERS: dict")[2], re.MULTILINE))
    assert len(names) > 25
    assert names - set(re.findall(r"\bclass (?:\[\[\w+\]\] |alignas\(\w+\) )?(\w+)", LIBRARY)) == set()
