"""The inline namespaces that tell the mode of a file: include/mallard/core/build_mode.hpp."""

import re
from pathlib import Path

import pytest
from source_tree import files, own_includes, text

OPENED = re.compile(r"^namespace (mallard\b.*?) *\{$", re.MULTILINE)
IN_A_FOLDERS = re.compile(r"mallard(?:::\w+)* \{ inline namespace (MALLARD_\w+)")
MODE = "mallard { inline namespace MALLARD_MODE"
LIBRARY = "mallard { inline namespace MALLARD_LIBRARY"
DIFFERS_BY_MODE = re.compile(
    r"\bMALLARD_EXPECTS\(|\bNDEBUG\b|\b__cpp_(?:exceptions|rtti)\b|\bMALLARD_CHECKED\b"
)
# Its headers stand alone and are equal in every mode: parts of a program share their definitions.
WITHOUT_MODE = "record"
DEFINES_MODES = {"build_mode.hpp", "contract.hpp", "by_default.hpp"}


def opened(source: str) -> set[str]:
    """The modes of the namespaces that a file opens, whichever folder of the library they are of."""
    return {IN_A_FOLDERS.sub(r"mallard { inline namespace \1", name) for name in OPENED.findall(source)}


def blocks(source: str, namespace: str) -> str:
    """The contents of a mode's blocks, without comments."""
    mode = namespace.rpartition(" ")[2]
    block = rf"^namespace mallard(?:::\w+)* \{{ inline namespace {mode}\b.*?^\}}\}} // namespace"
    blocks = re.findall(block, source, re.MULTILINE | re.DOTALL)
    return re.sub(r"//.*", "", "\n".join(blocks))


def headers() -> list[Path]:
    return [file for file in with_namespace() if WITHOUT_MODE not in file.parts]


def with_namespace() -> list[Path]:
    return [file for file in files("*.hpp", under="include") if opened(text(file))]


@pytest.mark.parametrize("file", files("*.hpp", "*.cpp", under="src"), ids=str)
def test_compiled_code_is_in_the_library_namespace(file):
    assert opened(text(file)) == {LIBRARY}


@pytest.mark.parametrize("header", headers(), ids=str)
def test_headers_mark_names_that_depend_on_mode(header):
    source = text(header)
    assert opened(source) <= {MODE, LIBRARY}
    assert "include/mallard/core/build_mode.hpp" in own_includes(header, source)


@pytest.mark.parametrize("header", headers(), ids=str)
def test_library_declarations_are_equal_in_every_mode(header):
    if header.name not in DEFINES_MODES:
        assert DIFFERS_BY_MODE.search(blocks(text(header), LIBRARY)) is None


@pytest.mark.parametrize("header", headers(), ids=str)
def test_library_declarations_mention_no_mode_dependent_names(header):
    if opened(text(header)) == {LIBRARY}:
        included = [name for name in own_includes(header, text(header)) if opened(text(Path(name)))]
        assert [name for name in included if LIBRARY not in opened(text(Path(name)))] == []


@pytest.mark.parametrize("header", [file for file in with_namespace() if WITHOUT_MODE in file.parts], ids=str)
def test_a_header_without_a_mode_depends_on_none(header):
    source = text(header)
    assert own_includes(header, source) == []
    assert DIFFERS_BY_MODE.search(re.sub(r"//.*", "", source)) is None


def test_the_check_reads_blocks():
    source = f"namespace {LIBRARY} {{\nint a; // NDEBUG\n}}}} // namespace\n"
    source += f"namespace {MODE} {{\nNDEBUG\n}}}} // namespace\n"
    assert opened(source) == {MODE, LIBRARY}
    assert DIFFERS_BY_MODE.search(blocks(source, LIBRARY)) is None
    assert DIFFERS_BY_MODE.search(blocks(source, MODE))
    assert opened("namespace mallard {\n}\n") == {"mallard"}
