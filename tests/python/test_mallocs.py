"""Other mallocs: their names, and where their libraries are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from mallard import mallocs


def files(directory: Path, *names: str) -> list[Path]:
    for name in names:
        (directory / name).touch()
    return [directory / name for name in names]


@pytest.mark.parametrize(
    ("strategy", "malloc"), [("new-delete", "jemalloc"), ("new-delete/base", "tcmalloc")]
)
def test_a_name_comes_apart_as_it_was_put_together(strategy: str, malloc: str) -> None:
    assert mallocs.split(mallocs.under(strategy, malloc)) == (strategy, malloc)
    assert mallocs.under(strategy, mallocs.OWN) == strategy
    assert mallocs.split("multipool-hybrid") == ("multipool-hybrid", "")


def test_the_linkers_library_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, versioned, other = files(
        tmp_path, "libmimalloc.so", "libmimalloc.so.2.0", "libmimalloc-secure.so.2"
    )
    monkeypatch.setattr(mallocs, "_known_to_linker", lambda: [plain, versioned, other])
    assert mallocs.find_library("mimalloc") == versioned
    monkeypatch.setattr(mallocs, "_known_to_linker", lambda: [other, tmp_path / "libmimalloc.so.3"])
    monkeypatch.setattr(mallocs, "MULTIARCH", str((tmp_path / "none").relative_to("/")))
    assert mallocs.find_library("mimalloc") is None


def test_what_the_linker_does_not_know_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mallocs, "_known_to_linker", list)
    monkeypatch.setattr(mallocs, "MULTIARCH", str((tmp_path / "*-linux-gnu").relative_to("/")))
    (tmp_path / "some-linux-gnu").mkdir()
    (library,) = files(tmp_path / "some-linux-gnu", "libtcmalloc_minimal.so.4")
    assert mallocs.find_library("tcmalloc") == library


def test_the_linkers_cache_is_read_as_it_is_printed() -> None:
    known = mallocs._known_to_linker()
    assert all(path.is_absolute() for path in known)
    assert any(path.name.startswith("libc.so") for path in known) or known == []


def test_the_library_comes_before_what_is_preloaded_already(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (library,) = files(tmp_path, "libjemalloc.so.2")
    monkeypatch.setattr(mallocs, "_known_to_linker", lambda: [library])
    monkeypatch.setenv("LD_PRELOAD", "/lib/mine.so")
    assert mallocs.environment("new-delete@jemalloc")["LD_PRELOAD"] == f"{library}:/lib/mine.so"
    assert mallocs.environment("new-delete")["LD_PRELOAD"] == "/lib/mine.so"
    monkeypatch.delenv("LD_PRELOAD")
    assert "LD_PRELOAD" not in mallocs.environment("multipool")
