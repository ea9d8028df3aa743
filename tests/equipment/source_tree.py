"""Reads the tree: its sources, their includes and imports, and circles among those."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)

INCLUDE_FOLDERS = ("", "src/", "bench/", "advisor/", "tests/", "advisor/tests/")
GENERATED = {".git", "build", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"}

Graph = Mapping[str, set[str]]


def own_files(root: Path = ROOT) -> list[Path]:
    """Sorted paths from the root: the files that git knows or would add; without git, all that no build
    generated."""
    listing = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(listing, capture_output=True, text=True, check=True).stdout
        names = [Path(name) for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = [path.relative_to(root) for path in root.rglob("*")]
        names = [name for name in names if not GENERATED & set(name.parts)]
    return sorted({name for name in names if (root / name).is_file()})


def clone_tree(folder: Path) -> None:
    """A clone as a stranger gets it, of the tree as it is here, with what is not committed yet."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    for name in own_files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)


def files(*patterns: str, under: str = "") -> list[Path]:
    """The project's own files as paths from the root."""
    names = [name for name in own_files() if name.is_relative_to(under)]
    return [name for name in names if not patterns or any(name.match(pattern) for pattern in patterns)]


def text(file: Path) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


def includes(source: str) -> list[str]:
    return INCLUDE.findall(source)


def own_includes(file: Path, source: str) -> list[str]:
    """The includes of this project's files as paths from the root; `<mallard/x>` lies in include/."""
    paths = []
    for name in includes(source):
        sibling = os.path.normpath(file.parent / name)
        if name.startswith("mallard/"):
            paths.append(f"include/{name}")
        elif (ROOT / sibling).is_file():
            paths.append(sibling)
        else:
            places = [f"{folder}{name}" for folder in INCLUDE_FOLDERS]
            paths += [place for place in places if (ROOT / place).is_file()]
    return paths


def imports(module: str, source: str, known: set[str]) -> set[str]:
    """The modules out of `known` that a module imports anywhere in its file, lazily or for type checks."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            while name and name not in known:
                name = name.rpartition(".")[0]
            modules.add(name)
    return modules - {"", module}


def circle(graph: Graph) -> list[str]:
    """Some circle of the graph: its nodes, the first one again at the end; empty if there is none."""
    done: set[str] = set()

    def search(node: str, path: list[str]) -> list[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return []
        for target in sorted(graph.get(node, ())):
            if cycle := search(target, [*path, node]):
                return cycle
        done.add(node)
        return []

    return next((cycle for node in sorted(graph) if (cycle := search(node, []))), [])
