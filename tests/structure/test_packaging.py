"""CMakeLists.txt has the library's version and sources, and every other build system reads them there."""

import re
from pathlib import Path

from source_tree import ROOT, files, text

from dev.package.tree import library_sources, library_version

BUILD_MODE = Path("include/mallard/core/build_mode.hpp")
FAILURES = Path("include/mallard/core/failure.hpp")
QUIET_FAILURES = Path("src/mallard/core/failure_quiet.cpp")
# Texts with rows, releases and programs of a version, which stays, and versions of other packages.
OF_A_VERSION = ("CHANGELOG.md", "tests/", "bench/results/", "docs/", ".ci/requirements.txt")


TEXTS = ("*.py", "*.txt", "*.toml", "*.json", "*.in", "*.cmake", "*.build", "*.bazel", "*.md")


def packaging_files() -> list[Path]:
    names = ("meson.build", "BUILD.bazel", "MODULE.bazel", "pyproject.toml", "cmake/*", "packaging/*")
    return [file for file in files() if any(file.match(name) for name in names) or "packaging" in file.parts]


def test_the_version_stands_in_one_place():
    version = library_version(ROOT)
    holders = [
        str(file)
        for file in files(*TEXTS)
        if not str(file).startswith(OF_A_VERSION) and version in text(file)
    ]
    assert holders == ["CMakeLists.txt"]
    assert not [file for file in packaging_files() if re.search(rf"\b{re.escape(version)}\b", text(file))]


def test_the_headers_have_the_version():
    macro = re.search(r"^#define MALLARD_VERSION (\d+)$", text(BUILD_MODE), re.MULTILINE)
    major, minor, patch = map(int, library_version(ROOT).split("."))
    assert int(macro[1]) == 10_000 * major + 100 * minor + patch


def test_the_list_of_sources_is_complete():
    alternatives = re.compile(r"_(windows|plain|none|quiet)\.cpp$")
    posix = [file for file in files("*.cpp", under="src/mallard") if not alternatives.search(file.name)]
    assert sorted(library_sources(ROOT)) == posix


def test_quiet_failures_are_complete():
    """MALLARD_QUIET compiles failure_quiet.cpp in place of the other two."""
    declared = set(re.findall(r"^\[\[noreturn\]\] void (\w+)\(", text(FAILURES), re.MULTILINE))
    assert len(declared) > 10
    assert declared <= set(re.findall(r"^void (\w+)\(", text(QUIET_FAILURES), re.MULTILINE))


def test_no_recipe_lists_sources():
    assert len(packaging_files()) > 10
    named = re.compile(r"(?:src|include)/mallard/\w+/\w+\.[hc]pp")
    assert [str(file) for file in packaging_files() if named.search(text(file))] == []


def test_the_install_page_names_this_release():
    page, version = text(Path("docs/install.md")), library_version(ROOT)
    names = re.findall(r"mallard(?:-dev)?[-_/](\d[\d.]*\d)", page)
    assert len(names) >= 5
    assert set(names) == {version}
    assert set(re.findall(r"find_package\(mallard ([\d.]+)", page)) == {version.rpartition(".")[0]}
