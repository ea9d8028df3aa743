"""The native runner `mallard-bench`: where it is, and what it says of itself."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mallard.errors import UsageError
from mallard.papers.catalogue import Strategy, Structure
from mallard.result import FORMAT
from mallard.version import source_root

NAME = "mallard-bench"
DESCRIBE_SECONDS = 30


@dataclass(frozen=True)
class Runner:
    path: Path
    about: dict[str, Any]  # the description without its experiments; stored with each run
    structures: tuple[Structure, ...]
    strategies: tuple[Strategy, ...]  # of density
    sizes_log2: tuple[int, ...]
    operations: dict[str, str]  # of primitives: name -> what one is
    primitive_strategies: tuple[str, ...]

    @property
    def build_id(self) -> str:
        return str(self.about["build_id"])


def find_runner() -> Path:
    """$MALLARD_BENCH, the one installed beside this package, or the source tree's release build."""
    stated = os.environ.get("MALLARD_BENCH")
    if stated:
        path = Path(stated)
        if not _runs(path):
            raise UsageError(f"MALLARD_BENCH={stated} is not a program; unset it, or name the {NAME} to use")
        return path
    places = [
        Path(__file__).resolve().parent / "bin" / NAME,
        source_root() / "build" / "release" / "bench" / NAME,
    ]
    for path in places:
        if _runs(path):
            return path
    raise UsageError(
        f"the native program {NAME} is missing; looked for {' and '.join(map(str, places))}; "
        "'./mallard bench' in the source tree builds it, 'pip install .' installs it, "
        "MALLARD_BENCH=FILE names another"
    )


def load_runner(path: Path | None = None) -> Runner:
    """Asks the runner to describe itself; one that cannot be measured with is an error."""
    path = path or find_runner()
    try:
        answer = subprocess.run(
            [path, "--describe"], capture_output=True, text=True, timeout=DESCRIBE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{path} does not run: {error}; build it again: './mallard bench'") from None
    if answer.returncode != 0:
        said = answer.stderr.strip() or "without a word"
        raise UsageError(f"{path} --describe failed (exit {answer.returncode}): {said}; build it again")
    try:
        description = json.loads(answer.stdout)
        found = description["format"]
    except (ValueError, TypeError, KeyError):
        raise UsageError(
            f"{path} is not a {NAME}: --describe says nothing of it; check MALLARD_BENCH"
        ) from None
    if found != FORMAT:
        raise UsageError(
            f"{path} writes result rows of format {found!r}, this mallard reads {FORMAT}; build it again"
        )
    _refuse_slow(path, description)
    try:
        return _runner(path, description)
    except (TypeError, KeyError, ValueError) as error:
        raise UsageError(f"{path} describes itself in part only ({error!r}); build it again") from None


def _refuse_slow(path: Path, description: dict[str, Any]) -> None:
    if not description.get("optimised"):
        raise UsageError(
            f"{path} was built without optimisation, so its times mean nothing; build preset release"
        )
    if description.get("sanitizers"):
        raise UsageError(
            f"{path} was built with sanitizers ({description['sanitizers']}) and is not measured; "
            "build the preset release"
        )


def _runner(path: Path, description: dict[str, Any]) -> Runner:
    density = description["experiments"]["density"]
    primitives = description["experiments"]["primitives"]
    about = {key: value for key, value in description.items() if key != "experiments"}
    _ = about["build_id"], about["commit"], about["compiler"]
    return Runner(
        path=path,
        about=about,
        structures=tuple(
            Structure(entry["name"], entry["type"], int(entry["inner_log2"]))
            for entry in density["structures"]
        ),
        strategies=tuple(
            Strategy(entry["name"], entry["allocator"], entry["binding"], entry["destruction"])
            for entry in density["strategies"]
        ),
        sizes_log2=tuple(int(size) for size in density["sizes_log2"]),
        operations={entry["name"]: entry["text"] for entry in primitives["operations"]},
        primitive_strategies=tuple(str(name) for name in primitives["strategies"]),
    )


def _runs(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
