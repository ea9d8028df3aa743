"""The files of a release that need no compiler, and the verb."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from source_tree import ROOT

from dev.package import verb
from dev.package.foreign_debian import unpack_debian
from dev.package.release import MARK, PRODUCTS, SUMS, build
from dev.package.single_header import Expansion, single_header
from dev.package.source_archive import write_source_archive
from dev.package.tree import library_sources, library_version
from mallard.cli import parse_command
from mallard.shared.errors import UsageError


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A library of two headers, one of them behind a condition, in a repository."""
    root = tmp_path / "tree"
    project = "project(\n  mallard\n  VERSION 1.2.3\n  LANGUAGES CXX)\n"
    include = "#include <mallard/a.hpp>\n"
    texts = {
        "CMakeLists.txt": f"{project}add_library(\n  mallard STATIC\n  src/mallard/a.cpp)\n",
        "CHANGELOG.md": "# Changelog\n\n## 1.2.3\n\n- new\n\n## 1.2.2\n\n- old\n",
        "LICENSE": "Permission\n\nis granted\n",
        "include/mallard/a.hpp": "#pragma once\nint a();\n",
        "include/mallard/mallard.hpp": f"#pragma once\n#if B\n{include}#endif\n{include}",
        "src/mallard/a.cpp": f"{include}int a() {{\n    return 1;\n}}\n",
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "a"]):
        subprocess.run([*git, *words], check=True)
    return root


def test_reads_version_and_sources(tree: Path) -> None:
    assert library_version(tree) == "1.2.3"
    assert library_sources(tree) == [Path("src/mallard/a.cpp")]


def test_a_missing_version_is_an_error(tree: Path) -> None:
    (tree / "CMakeLists.txt").write_text("project(mallard)\n")
    with pytest.raises(UsageError, match=r"CMakeLists.txt has no line '  VERSION X.Y.Z'"):
        build(tree, tree / "dist", ["header"])


def test_conditional_include_does_not_hide_later(tree: Path) -> None:
    expansion = Expansion(tree)
    expansion.add(expansion.root / "include/mallard/mallard.hpp")
    assert expansion.lines.count("int a();") == 2
    assert expansion.lines.count("#ifndef MALLARD_TEXT_A_HPP") == 2
    expansion.add(expansion.root / "src/mallard/a.cpp")
    assert expansion.lines.count("int a();") == 2


def test_single_header_needs_no_other_of_its_own() -> None:
    text = single_header(ROOT)
    assert "#pragma once" not in text
    assert not re.search(r'^#\s*include\s*(<mallard/|"[\w./]+\.hpp")', text, re.MULTILINE)
    assert f"// mallard {library_version(ROOT)}, " in text
    for source in library_sources(ROOT):
        assert f"// ---- {source}\n" in text.partition("#ifdef MALLARD_IMPLEMENTATION\n")[2]


def test_the_generator_runs_without_a_package(tmp_path: Path) -> None:
    # -S and -E: nothing but Python's own modules, and no PYTHONPATH.
    command = [sys.executable, "-S", "-E", "-m", "dev.package.single_header"]
    out = subprocess.run([*command, tmp_path], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert out == f"{tmp_path}/mallard/mallard.hpp\n"
    assert (tmp_path / "mallard/mallard.hpp").read_text(encoding="utf-8") == single_header(ROOT)
    refused = subprocess.run([*command, "/dev/null"], cwd=ROOT, check=False, capture_output=True, text=True)
    assert refused.returncode == 2
    assert "/dev/null cannot be written: " in refused.stderr


def test_the_same_tree_makes_the_same_archive(tree: Path, tmp_path: Path) -> None:
    archives = [tmp_path / "a.tar.xz", tmp_path / "b.tar.xz"]
    (tree / "not-added").touch()
    for archive in archives:
        write_source_archive(tree, archive, "mallard-1.2.3")
        (tree / "LICENSE").touch()
    assert archives[0].read_bytes() == archives[1].read_bytes()
    with tarfile.open(archives[0]) as tar:
        names = tar.getnames()
        assert {entry.uid for entry in tar} == {0}
    assert "mallard-1.2.3/src/mallard/a.cpp" in names
    assert "mallard-1.2.3/not-added" not in names


def test_a_folder_without_git_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="make a release in a clone, with git installed"):
        write_source_archive(tmp_path, tmp_path / "a.tar.xz", "a")


@pytest.mark.parametrize("added", [False, True])
def test_a_folder_of_another_repository_is_refused(added: bool, tree: Path, tmp_path: Path) -> None:
    (tree / "unpacked").mkdir()
    (tree / "unpacked/a").touch()
    if added:
        subprocess.run(["git", "-C", str(tree), "add", "-A"], check=True)
    with pytest.raises(UsageError, match=r"git does not know .*unpacked; make a release in a clone"):
        write_source_archive(tree / "unpacked", tmp_path / "a.tar.xz", "a")


def test_the_sdist_has_what_git_knows(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "pyproject.toml").write_text('requires = ["builder"]\nbuild-backend = "builder"\n')
    subprocess.run(["git", "-C", str(tree), "add", "pyproject.toml"], check=True)
    (tree / "not-added").touch()
    packed: set[str] = set()

    def run(command: Sequence[object], folder: Path | None = None) -> None:
        if folder is not None:
            packed.update(entry.name for entry in folder.iterdir())

    monkeypatch.setattr("dev.package.release.run", run)
    build(tree, tmp_path / "dist", ["sdist"])
    assert {"include", "pyproject.toml"} <= packed
    assert "not-added" not in packed


def test_checksums_cover_every_file(tree: Path, tmp_path: Path) -> None:
    folder = tmp_path / "dist"
    files = build(tree, folder, ["header", "changes", "source"])
    lines = (folder / SUMS).read_text().splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert sorted(sums) == ["CHANGES.md", "mallard-1.2.3.tar.xz", "single/mallard/mallard.hpp"]
    assert [str(file.relative_to(folder)) for file in files] == [*sorted(sums), SUMS]
    for name, digest in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert (folder / "CHANGES.md").read_text() == "## 1.2.3\n\n- new\n"


def test_a_release_replaces_an_earlier_one_only(tree: Path, tmp_path: Path) -> None:
    folder = tmp_path / "dist"
    build(tree, folder, ["header"])
    build(tree, folder, ["changes"])
    assert {file.name for file in folder.iterdir()} == {"CHANGES.md", SUMS, MARK}
    (folder / MARK).unlink()
    with pytest.raises(UsageError, match="dist holds other files"):
        build(tree, folder, ["header"])
    assert (folder / "CHANGES.md").is_file()


def test_a_failed_release_keeps_the_earlier_one(tree: Path, tmp_path: Path) -> None:
    folder = tmp_path / "dist"
    build(tree, folder, ["header"])
    (tree / "LICENSE").unlink()
    with pytest.raises(UsageError, match="LICENSE"):
        build(tree, folder, ["changes", "header"])
    assert {file.name for file in folder.iterdir()} == {"single", SUMS, MARK}
    subprocess.run(["sha256sum", "--check", "--strict", SUMS], cwd=folder, check=True)


@pytest.mark.parametrize(
    ("product", "problem"),
    [
        ("changes", "CHANGELOG.md has no section '## 1.2.3'"),
        ("deb", "cpack is missing; type: sudo apt-get install -y cmake"),
        ("wheel-aarch64", r"aarch64-linux-gnu-g\+\+ is missing"),
    ],
)
def test_obstacles_are_found_first(
    product: str, problem: str, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "CHANGELOG.md").write_text("# Changelog\n")
    (tree / "LICENSE").unlink()  # fails the header
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(UsageError, match=problem):
        build(tree, tmp_path / "dist", ["header", product])


def test_a_version_without_changes_is_refused(tree: Path, tmp_path: Path) -> None:
    (tree / "CHANGELOG.md").write_text("# Changelog\n")
    with pytest.raises(UsageError, match=r"CHANGELOG.md has no section '## 1.2.3'"):
        build(tree, tmp_path / "dist", ["changes"])


def test_recipes_name_address_and_checksum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(root: Path, archive: Path, prefix: str) -> None:
        archive.write_bytes(prefix.encode())

    monkeypatch.setattr("dev.package.release.write_source_archive", write)
    folder, version = tmp_path / "dist", library_version(ROOT)
    build(ROOT, folder, ["conan", "vcpkg"], url="https://example.org/mallard/")
    address = f"https://example.org/mallard/mallard-{version}.tar.xz"
    archive = (folder / f"mallard-{version}.tar.xz").read_bytes()
    data = (folder / "conan/conandata.yml").read_text()
    assert f'url: "{address}"' in data
    assert hashlib.sha256(archive).hexdigest() in data
    portfile = (folder / "vcpkg/mallard/portfile.cmake").read_text()
    assert f'URLS "{address}"' in portfile
    assert f"SHA512 {hashlib.sha512(archive).hexdigest()}" in portfile
    assert not list(folder.rglob("*.in"))


def test_refuses_an_unknown_product() -> None:
    with pytest.raises(UsageError, match=r"unknown product 'debb'.*; allowed are header, source, "):
        parse_command(["package", "debb"])


@pytest.mark.parametrize(
    ("words", "presets"), [("", ("advisor",)), ("header", ()), ("header deb", ("advisor",))]
)
def test_only_the_tools_need_a_build(words: str, presets: tuple[str, ...]) -> None:
    assert parse_command(["package", *words.split()]).needs().presets == presets


@pytest.mark.parametrize(
    ("words", "tools"),
    [("wheel", ("static-libraries", "advisor")), ("deb", ("dpkg-dev",)), ("header sdist", ())],
)
def test_products_need_their_tools(words: str, tools: tuple[str, ...]) -> None:
    assert parse_command(["package", *words.split()]).needs().tools == tools


@pytest.mark.parametrize("compiler", [None, "/usr/bin/aarch64-linux-gnu-g++"])
def test_a_missing_cross_compiler_leaves_out_its_wheel(
    compiler: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: compiler)
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: {"ID": "debian"})
    products = verb.default_products()
    message = capsys.readouterr().err
    if compiler:
        assert products == list(PRODUCTS)
        assert message == ""
    else:
        assert set(PRODUCTS) - set(products) == {"wheel-aarch64"}
        assert message.count("\n") == 1
        assert "apt-get install -y g++-aarch64-linux-gnu" in message


def test_ubuntu_has_no_foreign_packages(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    release = {"ID": "linuxmint", "ID_LIKE": "ubuntu debian"}
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: release)
    assert set(PRODUCTS) - set(verb.default_products()) == {"wheel-aarch64"}
    assert "is left out, because Ubuntu's archive" in capsys.readouterr().err


def test_on_aarch64_the_wheel_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert set(PRODUCTS) - set(verb.default_products()) == {"wheel-aarch64"}


def test_a_foreign_debian_needs_its_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(UsageError, match=r"aarch64-linux-gnu-g\+\+ is missing; type: sudo apt-get install"):
        unpack_debian(tmp_path)
