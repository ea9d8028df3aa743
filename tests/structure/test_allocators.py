"""Every allocator of the library is in each list that CONTRIBUTING.md names for a new one."""

import re

import pytest
from source_tree import files, text

NO_ALLOCATORS = {"fwd", "arenas"}
ALLOCATORS = {file.stem for file in files("*.hpp", under="include/mallard/local")} - NO_ALLOCATORS
LISTS = (
    "include/mallard/mallard.hpp",
    "include/mallard/mallard.cppm",
    "include/mallard/README.md",
    "docs/library/allocators.md",
    "debug/mallard_structures.py",
    "tests/debuggers/program.cpp",
    "tests/model/recipe.hpp",
    "tests/structure/interface.txt",
)


@pytest.mark.parametrize("path", LISTS)
def test_a_list_has_every_allocator(path):
    assert {name for name in ALLOCATORS if not re.search(rf"\b{name}\b", text(path))} == set()


@pytest.mark.parametrize("path", LISTS)
def test_the_steps_for_a_new_allocator_name_the_list(path):
    steps = text("CONTRIBUTING.md").partition("## A new allocator")[2].partition("## A new adaptor")[0]
    assert path in steps


def test_the_check_sees_allocators():
    assert {"monotonic", "multipool", "fixed_pool", "heap"} <= ALLOCATORS
