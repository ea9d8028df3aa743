"""libmallard-dev and mallard: checked by lintian, installed below another root, used, and removed."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from advisor_programs import programs_of_advisor
from consumer import EXPECTED, PROJECT, locked, run
from source_tree import ROOT

from dev.package.release import SUMS, build
from dev.package.tree import library_version

PACKAGES = ("libmallard-dev", "mallard")
MAINTAINER = {"DEBFULLNAME": "A Duck", "DEBEMAIL": "duck@example.org"}
pytestmark = pytest.mark.skipif(
    shutil.which("dpkg-shlibdeps") is None, reason="no dpkg-shlibdeps: apt-get install dpkg-dev"
)


@pytest.fixture(scope="session")
def debs(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> dict[str, Path]:
    """With the advisor of the tests, which an earlier stage has built."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "debian"
    with locked(folder.with_suffix(".lock")):
        if not list(folder.glob("*.deb")):
            with pytest.MonkeyPatch.context() as patch:
                for name, value in MAINTAINER.items():
                    patch.setenv(name, value)
                build(ROOT, folder, ["deb"], advisor=programs_of_advisor().parent)
    files = {file.name.partition("_")[0]: file for file in folder.glob("*.deb")}
    assert sorted(files) == sorted(PACKAGES)
    assert (folder / SUMS).is_file()
    return files


@pytest.mark.skipif(shutil.which("lintian") is None, reason="no lintian: apt-get install lintian")
@pytest.mark.parametrize("package", PACKAGES)
def test_lintian_has_no_complaint(debs: dict[str, Path], package: str) -> None:
    assert run("lintian", "--fail-on=error,warning", debs[package]) == ""


@pytest.mark.parametrize("package", PACKAGES)
def test_states_version_maintainer_and_licence(debs: dict[str, Path], package: str) -> None:
    assert run("dpkg-deb", "--field", debs[package], "Version").strip() == library_version(ROOT)
    maintainer = "A Duck <duck@example.org>"
    assert run("dpkg-deb", "--field", debs[package], "Maintainer").strip() == maintainer
    copyright_file = f"./usr/share/doc/{package}/copyright"
    changelog = f"./usr/share/doc/{package}/changelog.gz"
    extract = 'dpkg-deb --fsys-tarfile "$0" | tar -xO "$1"'
    assert f" -- {maintainer}  " in run("sh", "-c", f"{extract} | gzip -d", debs[package], changelog)
    contents = run("sh", "-c", extract, debs[package], copyright_file)
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8").split()
    assert contents.replace("\n .\n", "\n").split()[-len(licence) :] == licence


class Root:
    """An installation below a folder, with a database of its own. No script of a package enters the folder,
    which has no programs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        database = folder / "var/lib/dpkg"
        for name in ("info", "updates"):
            (database / name).mkdir(parents=True)
        (database / "status").touch()
        (folder / "before").touch()

    def dpkg(self, *words: object) -> str:
        force = "--force-script-chrootless,depends,not-root"
        return run("dpkg", f"--root={self.folder}", force, *words)

    def files(self) -> set[str]:
        return {str(file.relative_to(self.folder)) for file in self.folder.rglob("*") if file.is_file()}


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path / "root")


def test_the_library_is_used_and_removed(debs: dict[str, Path], root: Root, tmp_path: Path) -> None:
    root.dpkg("--install", debs["libmallard-dev"])
    (description,) = root.folder.rglob("mallard.pc")
    flags = run("pkg-config", "--cflags", "--libs", "mallard", PKG_CONFIG_PATH=description.parent)
    compiler = os.environ.get("CXX") or "c++"
    run(compiler, "-std=c++20", PROJECT / "main.cpp", "-o", tmp_path / "consumer", *shlex.split(flags))
    assert run(tmp_path / "consumer") == EXPECTED
    prefix = f"-DCMAKE_PREFIX_PATH={root.folder / 'usr'}"
    words = ("-DCMAKE_LIBRARY_ARCHITECTURE=" + description.parents[1].name, prefix)
    run("cmake", "-S", PROJECT, "-B", tmp_path / "build", *words)
    root.dpkg("--purge", "libmallard-dev")
    assert not [name for name in root.files() if "mallard" in name]


def test_the_tools_are_used_and_removed(debs: dict[str, Path], root: Root, tmp_path: Path) -> None:
    """Records and profiles a program. The command names /usr/lib/mallard, so its module is called instead."""
    root.dpkg("--install", debs["mallard"])
    assert (root.folder / "usr/bin/mallard").stat().st_mode & 0o111
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MALLARD_")}
    environment = {**kept, "PYTHONPATH": str(root.folder / "usr/lib/mallard"), "PYTHONDONTWRITEBYTECODE": "1"}

    def mallard(*words: str) -> str:
        command = [sys.executable, "-m", "mallard", *words]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert mallard("--version") == f"mallard {library_version(ROOT)}\n"
    mallard("record", "-o", "ls.trace", "--", "ls", "/")
    assert "ls" in mallard("profile", "ls.trace")
    root.dpkg("--purge", "mallard")
    assert not [name for name in root.files() if "mallard" in name]
