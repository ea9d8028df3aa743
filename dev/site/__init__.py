"""The documentation as static files: the Markdown by Sphinx, the reference by Doxygen, and live pages. No
page needs another host.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from dev.output_folder import replaced_folder
from dev.site.mended import mend
from dev.site.pages import write_pages
from dev.site.reference import run_doxygen
from mallard.shared.errors import UsageError

SETTINGS = Path("docs/site")
MARK = ".mallard-site"


def build(root: Path, output: Path, version: str) -> int:
    """Puts the site into `output`, in place of an earlier one. Returns the number of pages.

    Raises a UsageError if `output` holds anything else, or if a tool is missing or finds a fault.
    """
    with replaced_folder(output, MARK) as built, tempfile.TemporaryDirectory(prefix="mallard-site-") as name:
        reference = built / "reference"
        reference.mkdir()
        run_doxygen(root, reference, version)
        mend(reference)
        run_sphinx(root, Path(name, "pages"), built, version)
        run([sys.executable, str(root / "docs/live_pages.py"), str(built / "live")])
    return sum(1 for _ in output.rglob("*.html"))


def run_sphinx(root: Path, pages: Path, output: Path, version: str) -> None:
    """Every warning is a fault: a page outside of the navigation, a link that leads nowhere."""
    python = environment(root)
    write_pages(root, pages)
    command = [str(python), "-m", "sphinx", "-W", "--keep-going", "-q", "-c", str(root / SETTINGS)]
    command += ["-d", str(pages.parent / "doctrees"), "-D", f"html_title=mallard {version}"]
    run([*command, str(pages), str(output)])
    (output / ".buildinfo").unlink()


def environment(root: Path) -> Path:
    """The Python with Sphinx, made where it is missing or belongs to other requirements, another Python or
    another place."""
    folder, requirements = root / "build/site-venv", root / SETTINGS / "requirements.txt"
    python, stamp = folder / "bin/python", folder / "stamp"
    made_for = f"{sys.version} {os.path.realpath(sys.executable)} {root}"
    wanted = f"{made_for}\n{requirements.read_text(encoding='utf-8')}"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        print("mallard: installing Sphinx into build/site-venv", file=sys.stderr)
        run([sys.executable, "-m", "venv", "--clear", str(folder)])
        pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r"]
        run(
            [*pip, str(requirements)],
            "check the network; the packages are those of docs/site/requirements.txt",
        )
        stamp.write_text(wanted, encoding="utf-8")
    return python


def run(command: list[str], remedy: str = "") -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        tool = command[2] if command[1] == "-m" else Path(command[1]).name
        problem = f"{tool} ended with exit status {done.returncode}"
        raise UsageError(f"{problem}{remedy and '; '}{remedy}:\n{(done.stderr or done.stdout).rstrip()}")
