"""`mallard package`: the files of a release."""

from __future__ import annotations

import argparse
import platform
import shutil
import sys
from pathlib import Path

from dev.package.foreign_debian import ARCHITECTURE, COMPILER, COMPILER_PACKAGE, MACHINE
from dev.package.release import PRODUCTS, SUMS, build
from mallard.cli.needs import Needs
from mallard.cli.parser import check_choice
from mallard.shared.version import source_root, version

FOREIGN_WHEEL = f"wheel-{MACHINE}"
EXAMPLES = (
    ("mallard package", "everything, into dist/"),
    ("mallard package header", "the single header alone"),
    ("mallard package conan vcpkg -o /tmp/recipes", "the recipes, for the archive next to them"),
    ("mallard package --url https://example.org/mallard", "the recipes download it from there"),
)

WHEELS = {"wheel", FOREIGN_WHEEL}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    names = "; ".join(f"{name}: {text}" for name, (text, _) in PRODUCTS.items())
    parser.add_argument("products", metavar="PRODUCT", nargs="*", help=f"{names} (default: all)")
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        help="its folder: new, or of an earlier release, which is replaced (default: dist in the clone)",
    )
    parser.add_argument(
        "--url",
        metavar="URL",
        help="where the files of the release will be, for the recipes (default: the folder itself)",
    )


def check(arguments: argparse.Namespace) -> None:
    for product in arguments.products:
        check_choice("unknown product", product, PRODUCTS)


def needs(arguments: argparse.Namespace) -> Needs:
    products = arguments.products or PRODUCTS
    return Needs(
        environment="test" if WHEELS & set(products) else "run",  # auditwheel
        presets=("advisor",) if "deb" in products else (),
        tools=(
            *(("dpkg-dev",) if "deb" in products else ()),
            *(("static-libraries", "advisor") if "wheel" in products else ()),
        ),
    )


def run(arguments: argparse.Namespace) -> int:
    root = source_root()
    output: Path = arguments.output or root / "dist"
    products = dict.fromkeys(arguments.products) or default_products()
    files = build(root, output, products, url=arguments.url)
    for file in files[:-1]:
        print(f"{file.relative_to(output)}: {file.stat().st_size:,} bytes")
    print(f"{output / SUMS}: the checksums of mallard {version()}")
    return 0


def default_products() -> list[str]:
    """All products, except that a wheel for another machine needs a compiler that few machines have, and an
    archive with the libraries of that machine."""
    products = list(PRODUCTS)
    if platform.machine() == MACHINE:
        products.remove(FOREIGN_WHEEL)
    elif reason := missing_for_foreign_wheel():
        products.remove(FOREIGN_WHEEL)
        print(f"mallard: {FOREIGN_WHEEL} is left out, because {reason}", file=sys.stderr)
    return products


def missing_for_foreign_wheel() -> str:
    """The obstacle and its remedy, or empty."""
    if is_ubuntu():
        return f"Ubuntu's archive for this machine has no packages for {ARCHITECTURE}; make it on Debian"
    if shutil.which(COMPILER) is None:
        return f"{COMPILER} is missing; type: sudo apt-get install -y {COMPILER_PACKAGE}"
    return ""


def is_ubuntu() -> bool:
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return False
    return "ubuntu" in (release["ID"], *release.get("ID_LIKE", "").split())
