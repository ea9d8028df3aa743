"""The directions of the Python package: errors at the bottom, the command line on top."""

from pathlib import Path

import pytest
from source_tree import circle, files, imports, text

# From the bottom up; a module imports its own level and those before it. Packages count as one.
LEVELS = [
    {"contenders", "described", "errors", "experiments", "library", "mallocs", "nearest", "strategy_names"}
    | {"parent_death", "preload"},
    {"database", "library_code", "machine", "papers", "result", "selection", "stats", "version"}
    | {"native_file", "whole_file"},
    {"checksums", "expected_runner", "process", "runner", "store", "stored_values"},
    {"cells", "footprint", "pace", "profile", "reference", "stages"},
    {"doctor", "drift", "evidence", "plan"},
    {"analysis", "claims", "run"},
    {"choose"},
    {"trial"},
    {"advice", "budget", "verify"},
    {"view"},
    {"command_line"},
    {"cli"},
    {"__main__"},
]
LEVEL = {name: level for level, names in enumerate(LEVELS) for name in names}


def module_name(file: Path) -> str:
    parts = file.relative_to("python").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules() -> dict[str, Path]:
    return {module_name(file): file for file in files("*.py", under="python")}


def import_graph() -> dict[str, set[str]]:
    known = modules()
    return {name: imports(name, text(file), set(known)) for name, file in known.items()}


def part(module: str) -> str:
    """mallard.view.terminal.table.heat_map -> view; the package itself is empty."""
    return module.removeprefix("mallard").removeprefix(".").partition(".")[0]


def points_up(module: str, target: str) -> bool:
    return {part(module), part(target)} <= set(LEVEL) and LEVEL[part(target)] > LEVEL[part(module)]


def test_every_part_of_the_package_is_ordered():
    assert {part(module) for module in modules()} - {""} <= set(LEVEL)


def test_imports_point_down():
    graph = import_graph()
    up = [f"{module} imports {to}" for module in graph for to in graph[module] if points_up(module, to)]
    assert up == []


def test_imports_run_in_no_circle():
    assert circle(import_graph()) == []


@pytest.mark.parametrize(
    ("module", "target", "up"),
    [
        ("mallard.stats", "mallard.cli", True),
        ("mallard.errors", "mallard.stats", True),
        ("mallard.analysis.cell_tables", "mallard.view.terminal", True),
        ("mallard.cli.bench", "mallard.view.terminal", False),
        ("mallard.view.terminal", "mallard.view.palette", False),
    ],
)
def test_the_check_tells_directions_apart(module, target, up):
    assert points_up(module, target) is up


def test_the_check_reads_every_form_of_import():
    known = {"mallard", "mallard.stats", "mallard.view", "mallard.view.terminal", "mallard.errors"}
    source = (
        "import mallard.stats\n"
        "from mallard.view import terminal\n"
        "def late():\n    from mallard.errors import UsageError\n"
        "import mallardine, numpy\n"
    )
    assert imports("mallard.x", source, known) == {"mallard.stats", "mallard.view.terminal", "mallard.errors"}
