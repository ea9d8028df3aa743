"""The directions of the C++ tree: of components, and of the folders in each."""

from pathlib import Path

import pytest
from source_tree import ROOT, circle, files, includes, own_includes, text

# The folders that users of the library do not include.
IMPL = {f"impl/{name}" for name in ("chunks", "slab", "space", "threads", "adapt", "checking")}
PARTS = {"core", "reuse", "checking", *IMPL}
# The folders of this project that headers of a folder of include/mallard may include, besides their own.
BELOW = {
    "core": set(),
    "record": set(),
    "checking": {"core"},
    "reuse": {"core"},
    "impl/chunks": {"core"},
    "impl/slab": {"core"},
    "impl/space": {"core", "reuse", "impl/chunks"},
    "impl/threads": {"core", "reuse"},
    "impl/adapt": {"core", "impl/threads"},
    "impl/checking": {"core", "checking", "impl/threads", "impl/adapt"},
    "upstream": {"core", "impl/threads"},
    "local": {*PARTS, "upstream"},
    "bind": {*PARTS, "upstream", "local"},
    "lifetime": {*PARTS, "upstream", "local", "bind"},
    "typed": {"core", "lifetime"},
    "adapt": {*PARTS, "record", "upstream", "local", "bind", "lifetime"},
}
# Forward declarations, with default arguments of mechanisms: above reuse, upstream and local/fwd.hpp.
FORWARD = "include/mallard/fwd.hpp"
# Headers with a dot are of the system, or of the compiler.
COMPILER = ("sanitizer/", "valgrind/", "cxxabi.h")
PLATFORM = "src/mallard/platform/"
# The components of this project that files of a component may include, besides their own.
COMPONENTS = {
    "include": set(),
    "src": {"include"},
    "examples": {"include"},
    "tests": {"include", "src"},
    "history": {"include"},
    "history/tests": {"include", "history", "tests"},
    "bench/runner": {"include", "history"},
    "bench/tests": {"include", "src", "tests", "bench/runner"},
    "advisor/trace": {"include"},
    "advisor/recorder": {"include", "advisor/trace"},
    "advisor/collector": {"include", "advisor/trace", "advisor/recorder"},
    "advisor/profiler": {"include", "history", "advisor/trace"},
    "advisor/trial": {"include", "history", "advisor/trace", "advisor/recorder"},
    "advisor/case_studies": {"include"},
    "dev": {"include", "src", "tests"},
    "advisor/tests": {
        *("include", "src", "tests", "history"),
        *("advisor/trace", "advisor/recorder", "advisor/collector", "advisor/profiler", "advisor/trial"),
    },
}
# The folders of a component, from the bottom up: a file includes those before its own.
ORDER = {
    "bench/runner": ("harness", "strategy", "workload"),
    "advisor/trace": ("file", "encode", "chunk", "read"),
    "advisor/recorder": ("arch", "system", "dwarf", "code", "unwind", "marks", "log", "interpose"),
    "advisor/collector": ("parts", "program", "attach"),
    "advisor/profiler": ("symbols", "scopes", "blocks", "analysis", "report", "export", "program"),
    "advisor/trial": ("detect", "serve", "interpose", "measure"),
}


def component(path: str) -> str:
    """The longest of COMPONENTS that contains a file, or else its first folder."""
    names = (name for name in COMPONENTS if path.startswith(f"{name}/"))
    return max(names, key=len, default=Path(path).parts[0])


def place(path: str) -> int | None:
    """The place of a file's folder in its component; None for a file of the component itself."""
    order = ORDER.get(component(path), ())
    folder = path.removeprefix(component(path) + "/").partition("/")[0]
    return order.index(folder) if folder in order else None


def layer(path: str) -> str | None:
    """The folder of include/mallard that contains a file; None for the umbrella header and other files."""
    parts = Path(path).parts
    return "/".join(parts[2:-1]) if parts[:2] == ("include", "mallard") and len(parts) > 3 else None


def wrong_direction(file: str, target: str) -> bool:
    if component(file) != component(target):
        return component(target) not in COMPONENTS[component(file)]
    if component(file) != "include":
        above, below = place(file), place(target)
        return above is not None and below is not None and below > above
    source, destination = layer(file), layer(target)
    if source is None or source == destination or (source == "local" and target == FORWARD):
        return False
    return destination is None or destination not in BELOW[source]


def native_files() -> list[Path]:
    return files("*.hpp", "*.cpp")


def test_every_folder_of_headers_is_ordered():
    assert {layer(str(file)) for file in native_files()} - {None} <= set(BELOW)


def test_every_folder_of_native_sources_is_ordered():
    assert {component(str(file)) for file in native_files()} <= set(COMPONENTS)
    for name, order in ORDER.items():
        parts = [file.relative_to(name).parts for file in files("*.hpp", "*.cpp", under=name)]
        assert {folder for folder, *rest in parts if rest} == set(order)


def test_includes_point_down():
    wrong = [
        f"{file} includes {target}"
        for file in native_files()
        for target in own_includes(file, text(file))
        if wrong_direction(str(file), target)
    ]
    assert wrong == []


def system_headers(source: str) -> list[str]:
    """The includes that neither a file of this project nor the standard library has."""
    return [name for name in includes(source) if name.endswith(".h") and not name.startswith(COMPILER)]


def library_files() -> list[Path]:
    return [*files("*.hpp", under="include/mallard"), *files("*.hpp", "*.cpp", under="src/mallard")]


def test_the_platform_alone_includes_system_headers():
    using = {file for file in library_files() if system_headers(text(file))}
    assert {str(file) for file in using if not str(file).startswith(PLATFORM)} == set()
    assert {file.stem for file in using} >= {
        "memory_posix",
        "memory_windows",
        "threads_posix",
        "threads_windows",
    }


def test_headers_of_the_library_take_threads_from_one_place():
    using = {"mutex", "thread", "condition_variable"}
    wrong = [file for file in library_files() if using & set(includes(text(file)))]
    assert [str(file) for file in wrong] == ["include/mallard/core/mutex.hpp"]


def test_includes_name_existing_files():
    existing = {str(file) for file in files("*.h", "*.hpp", "*.cpp", "*.def")}
    missing = [
        f"{file} includes {target}"
        for file in native_files()
        for target in own_includes(file, text(file))
        if target not in existing
    ]
    assert missing == []


def test_case_studies_include_from_the_root():
    """Their project has no other folder of includes, and most machines cannot compile all of them."""
    own = files("*.hpp", "*.cpp", under="advisor/case_studies")
    wrong = [
        f"{file} includes {name}"
        for file in own
        for name in includes(text(file))
        if "case_studies/" in name and not (ROOT / name).is_file()
    ]
    assert len(own) > 10
    assert wrong == []


def test_folders_of_headers_run_in_no_circle():
    assert circle(BELOW) == []


def test_includes_run_in_no_circle():
    graph = {str(file): set(own_includes(file, text(file))) for file in native_files()}
    assert circle(graph) == []


@pytest.mark.parametrize(
    ("file", "target", "wrong"),
    [
        ("include/mallard/core/alignment.hpp", "include/mallard/local/multipool.hpp", True),
        ("include/mallard/core/alignment.hpp", "include/mallard/mallard.hpp", True),
        ("include/mallard/upstream/pages.hpp", "include/mallard/local/multipool.hpp", True),
        ("include/mallard/upstream/pages.hpp", "include/mallard/fwd.hpp", True),
        ("include/mallard/local/multipool.hpp", "include/mallard/fwd.hpp", False),
        ("include/mallard/bind/resource.hpp", "include/mallard/lifetime/wink_out.hpp", True),
        ("include/mallard/local/multipool.hpp", "bench/runner/harness/cell.hpp", True),
        ("src/mallard/upstream/pages.cpp", "tests/unit/core/alignment_test.cpp", True),
        ("include/mallard/local/multipool.hpp", "include/mallard/core/alignment.hpp", False),
        ("include/mallard/mallard.hpp", "include/mallard/adapt/counted.hpp", False),
        ("bench/runner/harness/cell.hpp", "include/mallard/local/multipool.hpp", False),
        ("advisor/trace/part.hpp", "advisor/recorder/dwarf/row.hpp", True),
        ("advisor/recorder/log/thread_log.hpp", "advisor/profiler/scopes/scope_tree.hpp", True),
        ("advisor/recorder/dwarf/row.hpp", "advisor/recorder/unwind/stack.hpp", True),
        ("advisor/recorder/unwind/stack.hpp", "advisor/recorder/dwarf/row.hpp", False),
        ("advisor/recorder/log/thread_log.hpp", "advisor/trace/part.hpp", False),
    ],
)
def test_check_distinguishes_directions(file, target, wrong):
    assert wrong_direction(file, target) is wrong


def test_the_check_knows_system_headers():
    source = "#include <vector>\n#include <unistd.h>\n#include <mallard/core/alignment.hpp>\n"
    assert system_headers(source) == ["unistd.h"]


def test_the_check_sees_circles():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_the_check_reads_every_form_of_include():
    source = '#include <mallard/core/alignment.hpp>\n  # include "alignment.hpp"\n// #include <mallard/no>\n'
    paths = own_includes(Path("include/mallard/core/concepts.hpp"), source)
    assert paths == ["include/mallard/core/alignment.hpp"] * 2
