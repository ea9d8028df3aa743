"""Other mallocs: their names, and where their libraries are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from mallard.shared import mallocs
from mallard.shared.errors import UsageError


def files(directory: Path, *names: str) -> list[Path]:
    for name in names:
        (directory / name).touch()
    return [directory / name for name in names]


@pytest.mark.parametrize(
    ("strategy", "malloc"), [("new-delete", "jemalloc"), ("new-delete/base", "tcmalloc")]
)
def test_split_inverts_under(strategy: str, malloc: str) -> None:
    assert mallocs.split(mallocs.under(strategy, malloc)) == (strategy, malloc)
    assert mallocs.under(strategy, mallocs.OWN) == strategy
    assert mallocs.split("multipool-hybrid") == ("multipool-hybrid", "")


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("", "glibc"),
        ("/lib/x86_64-linux-gnu/libc.so.6", "glibc"),
        ("/lib/libc-2.31.so", "glibc"),
        ("/opt/x/libjemalloc.so.2", "the program's own jemalloc"),
        ("/usr/lib/libtcmalloc.so.4", "the program's own tcmalloc"),
        ("/opt/libcustom.so", "the program's own libcustom.so"),
    ],
)
def test_names_the_malloc_of_a_program(file: str, name: str) -> None:
    assert mallocs.own_name(file) == name


def test_finds_a_malloc_inside_an_executable(tmp_path: Path) -> None:
    executable = tmp_path / "server"
    assert mallocs.linked_into(str(executable)) == ""
    for contents, name in ((b"", ""), (b"libjemalloc.so.2", ""), (b"\0<jemalloc>: Error\0", "jemalloc")):
        executable.write_bytes(contents)
        assert mallocs.linked_into(str(executable)) == name


def test_compares_libraries_by_file(tmp_path: Path) -> None:
    library, other = files(tmp_path, "libjemalloc.so.2", "other")
    (tmp_path / "link").symlink_to(library)
    assert mallocs.same_file(str(tmp_path / "link"), str(library))
    assert not mallocs.same_file(str(library), str(other))
    assert not mallocs.same_file(str(library), "")


def test_uses_library_known_to_linker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, versioned, secure = files(
        tmp_path, "libmimalloc.so", "libmimalloc.so.2.0", "libmimalloc-secure.so.2"
    )
    monkeypatch.setattr(mallocs, "_known_to_linker", lambda: [plain, versioned, secure])
    assert mallocs.find_library("mimalloc") == versioned
    (newest,) = files(tmp_path, "libmimalloc.so.3")
    monkeypatch.setattr(mallocs, "_known_to_linker", lambda: [versioned, newest, plain])
    assert mallocs.find_library("mimalloc") == newest
    newest.unlink()
    monkeypatch.setattr(mallocs, "_known_to_linker", lambda: [secure, tmp_path / "libmimalloc.so.3"])
    monkeypatch.setattr(mallocs, "MULTIARCH", str((tmp_path / "none").relative_to("/")))
    assert mallocs.find_library("mimalloc") is None


def test_searches_folders_for_unknown_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mallocs, "_known_to_linker", list)
    monkeypatch.setattr(mallocs, "MULTIARCH", str((tmp_path / "*-linux-gnu").relative_to("/")))
    (tmp_path / "some-linux-gnu").mkdir()
    (library,) = files(tmp_path / "some-linux-gnu", "libtcmalloc_minimal.so.4")
    assert mallocs.find_library("tcmalloc") == library


def test_a_malloc_that_is_missing_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (library,) = files(tmp_path, "libjemalloc.so.2")
    monkeypatch.setattr(mallocs, "find_library", lambda name: library if name == "jemalloc" else None)
    assert mallocs.require_library("glibc") is None
    assert mallocs.require_library("jemalloc") == library
    with pytest.raises(UsageError, match="mimalloc is not installed"):
        mallocs.require_library("mimalloc")


def test_parses_ldconfig_output() -> None:
    known = mallocs._known_to_linker()
    assert all(path.is_absolute() for path in known)
    assert any(path.name.startswith("libc.so") for path in known) or known == []


def test_library_precedes_existing_preloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (library,) = files(tmp_path, "libjemalloc.so.2")
    monkeypatch.setattr(mallocs, "_known_to_linker", lambda: [library])
    monkeypatch.setenv("LD_PRELOAD", "/lib/mine.so")
    assert mallocs.environment("new-delete@jemalloc")["LD_PRELOAD"] == f"{library}:/lib/mine.so"
    assert mallocs.environment("new-delete")["LD_PRELOAD"] == "/lib/mine.so"
    monkeypatch.delenv("LD_PRELOAD")
    assert "LD_PRELOAD" not in mallocs.environment("multipool")


@pytest.fixture
def shared_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(mallocs, "_files", {})
    library = tmp_path / "libmimalloc.so.3.3"
    library.write_bytes(b"\x7fELF and more")
    return library


def test_accepts_malloc_as_file(shared_library: Path) -> None:
    assert mallocs.register_file(str(shared_library)) == "mimalloc-3.3"
    assert mallocs.register_file(f"newest={shared_library}") == "newest"
    assert mallocs.find_library("newest") == shared_library
    assert mallocs.is_from_file("new-delete/base@newest")
    assert not mallocs.is_from_file("new-delete@jemalloc")
    assert mallocs.environment("new-delete@newest")["LD_PRELOAD"].split(":")[0] == str(shared_library)
    assert mallocs.file_names(["jemalloc", "mimalloc-3.3"]) == {"mimalloc-3.3": "libmimalloc.so.3.3"}


def test_line_to_type_names_library_and_package(
    shared_library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mallocs.register_file(f"newest={shared_library}")
    words = ("./server", "two words")
    assert mallocs.how_to_use("newest", words) == f"LD_PRELOAD={shared_library} ./server 'two words'"
    assert mallocs.how_to_use("glibc", words) == "./server 'two words', with no malloc preloaded"
    monkeypatch.setattr(mallocs, "find_library", lambda name: Path(f"/usr/lib/lib{name}.so.2"))
    assert mallocs.how_to_use("jemalloc", ("ls",)) == (
        "LD_PRELOAD=/usr/lib/libjemalloc.so.2 ls; the library is in Debian's package libjemalloc2"
    )


def test_glibc_takes_tunables() -> None:
    name = "glibc:arena_max=1:top_pad=64M"
    assert mallocs.selected(f"glibc,{name}", "--global", switches=True) == ["glibc", name]
    value = "glibc.malloc.arena_max=1:glibc.malloc.top_pad=67108864"
    assert mallocs.tunables(name) == value
    assert mallocs.tunables("glibc") == ""
    assert mallocs.title(name) == "glibc with arena_max=1 and top_pad=64M"
    assert mallocs.how_to_use(name, ("./server", "a b")) == f"GLIBC_TUNABLES={value} ./server 'a b'"
    assert mallocs.is_available(name)
    assert mallocs.require_library(name) is None
    users = {"GLIBC_TUNABLES": "glibc.malloc.check=1", "HOME": "/"}
    assert mallocs.with_tunables("", users) == users
    assert mallocs.with_tunables(value, users) == {
        "GLIBC_TUNABLES": f"glibc.malloc.check=1:{value}",
        "HOME": "/",
    }


@pytest.mark.parametrize(
    "item", ["glibc:", "glibc:arenas=1", "glibc:arena_max", "glibc:arena_max=x", "glibc:top_pad=-1"]
)
def test_wrong_tunables_are_refused(item: str) -> None:
    with pytest.raises(UsageError, match="is not a setting of glibc's malloc; give NAME=NUMBER"):
        mallocs.selected(item, "--global", switches=True)


def test_a_runner_has_no_tunables() -> None:
    with pytest.raises(UsageError, match="--malloc 'glibc:arena_max=1'"):
        mallocs.selected("glibc:arena_max=1", "--malloc")


@pytest.mark.parametrize(
    ("names", "package"),
    [
        ("", "libmimalloc2.0"),
        ("libmimalloc-dev libmimalloc2.0 libmimalloc3", "libmimalloc2.0"),
        ("libmimalloc-dev libmimalloc2.0-dbg libmimalloc3 libmimalloc10", "libmimalloc10"),
        ("libmimalloc3t64", "libmimalloc3t64"),
    ],
)
def test_names_the_package_of_the_archive(monkeypatch: pytest.MonkeyPatch, names: str, package: str) -> None:
    mallocs.package_name.cache_clear()
    monkeypatch.setattr(mallocs, "_archive_names", lambda beginning: names.split())
    monkeypatch.setattr(mallocs, "find_library", lambda name: None)
    assert mallocs.package_name("mimalloc") == package
    with pytest.raises(UsageError, match=f"install {package},"):
        mallocs.require_library("mimalloc")
    mallocs.package_name.cache_clear()


def test_spaces_and_colons_are_hidden_by_a_link(shared_library: Path) -> None:
    folder = shared_library.parent / "two words: here"
    folder.mkdir()
    library = shared_library.rename(folder / shared_library.name)
    mallocs.register_file(f"newest={library}")
    preloaded = mallocs.environment("new-delete@newest")["LD_PRELOAD"].split(":")[0]
    assert Path(preloaded).resolve() == library
    assert Path(preloaded).name == library.name
    assert not {" ", ":"} & set(preloaded)


def test_a_wrong_file_is_refused_with_the_reason(shared_library: Path) -> None:
    folder = shared_library.parent
    (folder / "text.so").write_text("no library", encoding="ascii")
    (folder / "libjemalloc.so").write_bytes(shared_library.read_bytes())
    mallocs.register_file(f"mine={shared_library}")
    for item, reason in (
        (f"{folder}/none.so", "there is no file"),
        (str(folder), "there is no file"),
        ("name=", "there is no file"),
        (f"{folder}/text.so", "is not a shared library"),
        (f"a@b={shared_library}", "'a@b' is not a valid name"),
        (f"{folder}/libjemalloc.so", "give it a name, as in --malloc jemalloc-2="),
        (f"tcmalloc={shared_library}", "give another name"),
        (f"mine={folder}/libjemalloc.so", "give another name"),
    ):
        with pytest.raises(UsageError, match=reason):
            mallocs.register_file(item)
