"""The names in mallard::, which are the interface; tests/structure/interface.txt lists them by header."""

import re
from pathlib import Path

import pytest
from source_tree import ROOT, files, text

LIST = ROOT / "tests" / "structure" / "interface.txt"
BLOCK = re.compile(
    r"^namespace mallard(?:::(\w+))?(?:::\w+)? \{ inline namespace MALLARD_\w+ \{\n(.*?)^\}\} // namespace",
    re.MULTILINE | re.DOTALL,
)
# A header that stands alone is C++11, and its interface is in a namespace of its own.
STANDS_ALONE = re.compile(
    r"^namespace mallard \{ namespace record \{\n(.*?)^\}\} // namespace",
    re.MULTILINE | re.DOTALL,
)
# clang-format indents nothing in a namespace: a declaration begins at the beginning of its line.
DECLARED = (
    re.compile(
        r"^(?:class|struct|enum class|concept|using) (?:alignas\([^)]*\) |\[\[\w+\]\] )?(\w+)", re.MULTILINE
    ),
    # A specialization declares no name.
    re.compile(r"^inline constexpr [\w:<>, ]+? (\w+)(?: =|\{|\()", re.MULTILINE),
    re.compile(r"^(?:\[\[\w+\]\] )?(?:[\w:<>,]+[ &*]+)*?(operator[^(\s]+|\w+)\((?!\()", re.MULTILINE),
)
NO_DECLARATION = {"alignas", "static_assert", "requires", "noexcept", "decltype"}
OF_ONE_FOLDER = {"unchecked"}  # the mechanisms themselves, in local/


def blocks(source: str) -> list[tuple[str, str]]:
    """The folder that a namespace is named after, or nothing, and the text of the block."""
    named = [(folder or "", body) for folder, body in BLOCK.findall(source)]
    return named + [("", body) for body in STANDS_ALONE.findall(source)]


def interface_names(source: str) -> set[str]:
    bodies = [body for folder, body in blocks(source) if not folder]
    names = {name for body in bodies for pattern in DECLARED for name in pattern.findall(body)}
    return names - NO_DECLARATION


def headers() -> list[Path]:
    return [header for header in files("*.hpp", under="include") if header.name != "mallard.hpp"]


def last_folder(header: Path) -> str:
    return header.parts[-2]


def listed() -> dict[str, set[str]]:
    lines = (line.split(":") for line in LIST.read_text(encoding="utf-8").splitlines())
    return {header: set(names.split()) for header, names in lines}


def test_the_interface_matches_the_list():
    declared = {
        str(header.relative_to("include/mallard")): interface_names(text(header)) for header in headers()
    }
    assert {header: names for header, names in declared.items() if names} == listed()


def test_implementation_declares_no_interface():
    assert [header for header in listed() if header.startswith("impl/")] == []


@pytest.mark.parametrize("header", headers(), ids=str)
def test_implementation_is_in_the_namespace_of_its_folder(header):
    folders = {folder for folder, _ in blocks(text(header))} - {""}
    assert folders <= {last_folder(header)} | (OF_ONE_FOLDER if last_folder(header) == "local" else set())


def test_the_check_sees_every_kind_of_declaration():
    source = """namespace mallard { inline namespace MALLARD_MODE {

template <class T>
    requires true
class alignas(8) a {
    int no = 0;
};
inline constexpr std::size_t b = 1;
template <class T>
inline constexpr bool c<d<T>> = true;
[[nodiscard]] inline bool e(int x) noexcept {
    return f(x);
}
using g = int;
concept h = true;
static_assert(true);
a(int) -> a<int>;

}} // namespace mallard::MALLARD_MODE
namespace mallard::slab { inline namespace MALLARD_MODE {
class hidden {};
}} // namespace mallard::slab::MALLARD_MODE
"""
    assert interface_names(source) == {"a", "b", "e", "g", "h"}
    assert [folder for folder, _ in blocks(source)] == ["", "slab"]


def test_the_module_exports_the_interface():
    module = text(Path("include/mallard/mallard.cppm"))
    exported = re.findall(r"^using mallard::(\S+);$", module, re.MULTILINE)
    names = set().union(*(names for header, names in listed().items() if not header.startswith("record/")))
    assert exported == sorted(names)
