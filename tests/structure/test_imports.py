"""The directions of the Python package: errors at the bottom, the command line on top."""

import re
from pathlib import Path

import pytest
from source_tree import circle, files, imports, text

# The packages that modules of a package may import, besides their own.
PACKAGES = {
    "shared": set(),
    "bench": {"shared"},
    "advisor": {"shared"},
    "cli": {"shared", "bench", "advisor"},
    "__main__": {"cli"},
}
# The parts of a package from the bottom up; a module imports its own level and those before it.
LEVELS = {
    "shared": [
        {"caller", "errors", "parent_death", "preload", "compilers", "prose", "scratch"},
        {"machine", "mallocs", "parquet", "stats", "version", "atomic_file"},
        {"age", "console", "native_file"},
        {"report"},
    ],
    "bench": [
        {"described", "experiments", "library", "strategy_names"},
        {"contenders", "database", "library_code", "papers", "result", "selection"},
        {"checksums", "expected_runner", "prefixes", "process", "runner", "store", "stored_values"},
        {"cells", "footprint", "pace", "doctor", "drift", "evidence", "plan"},
        {"analysis", "claims", "run"},
        {"choose"},
        {"view"},
    ],
    "advisor": [
        {"profile", "recording"},
        {"trial"},
        {"advice", "aging", "budget", "patched", "verify"},
        {"view"},
    ],
    "cli": [
        {"exit_status", "forms", "layout", "needs", "options", "parser", "native_build"},
        {"installed", "measuring", "trials"},
        {"front_door", "verbs"},
    ],
}
IMPORTS_RICH = re.compile(r"^\s*(?:from|import) rich\b", re.MULTILINE)
LEVEL = {
    f"{package}.{name}": level
    for package, levels in LEVELS.items()
    for level, names in enumerate(levels)
    for name in names
}


def module_name(file: Path) -> str:
    parts = file.relative_to("python").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules() -> dict[str, Path]:
    return {module_name(file): file for file in files("*.py", under="python")}


def import_graph() -> dict[str, set[str]]:
    known = modules()
    return {name: imports(name, text(file), set(known)) for name, file in known.items()}


def package(module: str) -> str:
    """mallard.bench.view.terminal -> bench; mallard itself is empty."""
    return module.removeprefix("mallard").removeprefix(".").partition(".")[0]


def part(module: str) -> str:
    """mallard.bench.view.terminal -> bench.view; a package itself is empty."""
    names = module.split(".")[1:3]
    return ".".join(names) if len(names) == 2 else ""


def points_up(module: str, target: str) -> bool:
    if package(module) != package(target):
        return package(target) not in PACKAGES.get(package(module), set())
    return {part(module), part(target)} <= set(LEVEL) and LEVEL[part(target)] > LEVEL[part(module)]


def test_every_part_of_the_package_is_ordered():
    assert {package(module) for module in modules()} - {""} <= set(PACKAGES)
    assert {part(module) for module in modules()} - {""} <= set(LEVEL)


def test_imports_point_down():
    graph = import_graph()
    up = [f"{module} imports {to}" for module in graph for to in graph[module] if points_up(module, to)]
    assert up == []


def test_imports_run_in_no_circle():
    assert circle(import_graph()) == []


def test_writers_and_progress_alone_import_rich():
    """An analysis returns sections, which every medium shows."""
    using = {name for name, file in modules().items() if IMPORTS_RICH.search(text(file))}
    writers = {name for name in using if name.startswith("mallard.shared.report.terminal")}
    assert len(writers) == 3
    assert using - writers == {
        "mallard.shared.console",
        "mallard.bench.view.terminal.progress",
    }


@pytest.mark.parametrize(
    ("module", "target", "up"),
    [
        ("mallard.shared.stats", "mallard.cli.parser", True),
        ("mallard.shared.stats", "mallard.bench.result", True),
        ("mallard.advisor.trial", "mallard.bench.result", True),
        ("mallard.shared.errors", "mallard.shared.stats", True),
        ("mallard.bench.analysis.cell_tables", "mallard.bench.view.terminal", True),
        ("mallard.cli.verbs.bench", "mallard.bench.view.terminal", False),
        ("mallard.bench.view.terminal", "mallard.bench.view.palette", False),
    ],
)
def test_check_distinguishes_directions(module, target, up):
    assert points_up(module, target) is up


def test_the_check_reads_every_form_of_import():
    known = {f"mallard{name}" for name in ("", ".stats", ".view", ".view.terminal", ".errors")}
    source = (
        "import mallard.stats\n"
        "from mallard.view import terminal\n"
        "def late():\n    from mallard.errors import UsageError\n"
        "import mallardine, numpy\n"
    )
    assert imports("mallard.x", source, known) == {"mallard.stats", "mallard.view.terminal", "mallard.errors"}
