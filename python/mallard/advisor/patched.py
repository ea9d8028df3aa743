"""Builds a program twice, before and after a patch, each in a copy of the current folder."""

from __future__ import annotations

import filecmp
import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

from mallard.advisor.trial.command import last_lines, run_command
from mallard.advisor.verify import AFTER, BEFORE
from mallard.shared.errors import UsageError
from mallard.shared.report.figures import size

MOST_BYTES = 2 << 30  # of a copy
BOUND_TO_PLACE = "CMakeCache.txt"  # cmake refuses a folder that was moved
COPY_NAMES = {BEFORE: "before the patch", AFTER: "with the patch"}


def build_both(
    patch: Path,
    command: str,
    program: str,
    folder: Path,
    seconds_limit: float,
    notify: Callable[[str], None],
) -> dict[str, str]:
    """The paths of the program in two copies in `folder`, by BEFORE and AFTER. Raises a UsageError if the
    patch does not apply, or a build fails.
    """
    source = Path.cwd()
    name = built_program(program)
    left_out = _left_out(source, folder)
    if left_out:
        notify(f"not copied, because it is bound to its place or no file: {', '.join(sorted(left_out))}")
    copies = {arm: folder / arm for arm in COPY_NAMES}
    for copy in copies.values():
        _copy(source, copy, left_out)
    _apply(patch.absolute(), copies[AFTER])
    for arm, copy in copies.items():
        notify(f"building {COPY_NAMES[arm]}: {command}")
        result = run_command("--build", command, seconds_limit, copy)
        if result.failure:
            raise UsageError(f"{result.failure}, {COPY_NAMES[arm]}; {result.remedy}")
        if not os.access(copy / name, os.X_OK) or not (copy / name).is_file():
            raise UsageError(
                f"--build '{command}' made no program {program}; give the path at which it writes the "
                "program, relative to the current folder"
            )
    programs = {arm: str(copy / name) for arm, copy in copies.items()}
    if filecmp.cmp(programs[BEFORE], programs[AFTER], shallow=False):
        raise UsageError(
            f"--build '{command}' made the same {program} with and without the patch; give a command that "
            "compiles the files that the patch changes"
        )
    return programs


def built_program(program: str) -> Path:
    """Relative to the current folder, which is copied."""
    path = Path(os.path.relpath(program))
    if path.parts[:1] == ("..",) or not path.name:
        raise UsageError(
            f"{program} is not below the current folder, which --build builds in two copies; call mallard in "
            "the folder of the sources"
        )
    return path


def _left_out(source: Path, folder: Path) -> set[str]:
    """Relative names of what a copy does not have: pipes, sockets, and folders of builds by cmake. Raises a
    UsageError if the rest is too large.
    """
    if folder.resolve().is_relative_to(source.resolve()):
        raise UsageError(
            f"the current folder contains {folder.parent}, where the copies are made; call mallard in a "
            "smaller folder, or give another TMPDIR"
        )
    left_out: set[str] = set()
    total = 0
    for parent, folders, files in os.walk(source):
        if parent != str(source) and BOUND_TO_PLACE in files:
            left_out.add(os.path.relpath(parent, source))
            folders.clear()
            continue
        for name in files:
            status = os.lstat(os.path.join(parent, name))
            if stat.S_ISREG(status.st_mode):
                total += status.st_size
            elif not stat.S_ISLNK(status.st_mode):
                left_out.add(os.path.relpath(os.path.join(parent, name), source))
        if total > MOST_BYTES:
            raise UsageError(
                f"the current folder has more than {size(MOST_BYTES)}, the most that is copied for --build; "
                "call mallard in the folder of the sources"
            )
    return left_out


def _copy(source: Path, target: Path, left_out: set[str]) -> None:
    def ignore(parent: str, names: list[str]) -> set[str]:
        return {name for name in names if os.path.relpath(os.path.join(parent, name), source) in left_out}

    try:
        shutil.copytree(source, target, symlinks=True, ignore=ignore)
    except (OSError, shutil.Error) as error:
        reasons = error.args[0] if isinstance(error, shutil.Error) else [(error.filename, "", error.strerror)]
        name, _, reason = reasons[0]
        raise UsageError(f"{name} cannot be copied for --build: {reason}") from None
    # The sources may be read-only.
    subprocess.run(["chmod", "-R", "u+rwX", "--", target], capture_output=True, check=False)


def _apply(patch: Path, folder: Path) -> None:
    for words in (
        ["git", "apply", "--whitespace=nowarn", "--", str(patch)],
        ["patch", "-p1", "--batch", "--fuzz=0", "--input", str(patch)],
    ):
        if shutil.which(words[0]):
            # A repository around the copy would take its paths as of its own root.
            environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
            done = subprocess.run(
                words,
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
            if done.returncode:
                raise UsageError(
                    f"--patch {patch} does not apply to the files of the current folder"
                    f"{last_lines(done.stderr or done.stdout)}; write it again by 'mallard advise --patch'"
                )
            return
    raise UsageError("--patch needs git or patch, and neither is installed")
