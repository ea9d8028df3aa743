"""The documentation as static files: the Markdown by Sphinx, the reference by Doxygen, and live pages. No
page needs another host.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from dev.site.mended import mend
from dev.site.pages import write_pages
from dev.site.reference import run_doxygen
from mallard.shared.errors import UsageError

SETTINGS = Path("docs/site")
MARK = "searchindex.js"  # identifies the folder of an earlier site


def build(root: Path, output: Path, version: str) -> int:
    """Puts the site into `output`, in place of an earlier one. Returns the number of pages.

    Raises a UsageError if `output` holds anything else, or if a tool is missing or finds a fault.
    """
    if output.exists() and not output.is_dir():
        raise UsageError(f"{output} is a file; name a new folder for the site")
    if output.exists() and not (output / MARK).is_file() and any(output.iterdir()):
        raise UsageError(f"{output} holds other files; name a new folder for the site")
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".site-") as name:
        folder = Path(name)
        built = folder / "built"
        reference = built / "reference"
        reference.mkdir(parents=True)
        run_doxygen(root, reference, version)
        mend(reference)
        run_sphinx(root, folder / "pages", built, version)
        run([sys.executable, str(root / "docs/live_pages.py"), str(built / "live")])
        if output.exists():
            shutil.rmtree(output)
        built.rename(output)
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
    """The Python with Sphinx, made where it is missing or older than its requirements."""
    folder, requirements = root / "build/site-venv", root / SETTINGS / "requirements.txt"
    python, stamp = folder / "bin/python", folder / "requirements.txt"
    wanted = requirements.read_bytes()
    if not stamp.is_file() or stamp.read_bytes() != wanted:
        print("mallard: installing Sphinx into build/site-venv", file=sys.stderr)
        run([sys.executable, "-m", "venv", "--clear", str(folder)])
        pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r"]
        run(
            [*pip, str(requirements)],
            "check the network; the packages are those of docs/site/requirements.txt",
        )
        stamp.write_bytes(wanted)
    return python


def run(command: list[str], remedy: str = "") -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        tool = command[2] if command[1] == "-m" else Path(command[1]).name
        problem = f"{tool} ended with exit status {done.returncode}"
        raise UsageError(f"{problem}{remedy and '; '}{remedy}:\n{(done.stderr or done.stdout).rstrip()}")
