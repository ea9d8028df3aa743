"""The stage that downloads test suites of other libraries, with clients that fail or copy an archive."""

import tarfile

import pytest

from dev.check import suites


@pytest.fixture
def client(monkeypatch):
    """Sets the commands that download a suite."""
    return lambda *commands: monkeypatch.setattr(
        suites, "download_commands", lambda suite, folder: [[*command, str(folder)] for command in commands]
    )


@pytest.fixture
def archive(tmp_path):
    source = tmp_path / "containers.h"
    source.write_text("template <class T, class A = std::allocator<T>, class B = std::allocator_traits<A>>")
    with tarfile.open(tmp_path / "sample.tar.gz", "w:gz") as tar:
        for name in ("sample-1/include/containers.h", "sample-1/docs/containers.h"):
            tar.add(source, name)
    return tmp_path / "sample.tar.gz"


SAMPLE = suites.Suite(
    "sample", "source", "sample", "1", ("*/include/*",), edits=(("**/*.h", *suites.ALLOCATOR),)
)


def test_suites_that_cannot_be_downloaded_are_skipped(workplace, client):
    client(["false"])
    counts = suites.SuitesStage("suites", "").run(workplace)
    assert (counts.passed, counts.failed, counts.skipped) == (0, 0, len(suites.SUITES))
    assert "robin_map skipped: nanobind 3.1.0 cannot be downloaded" in counts.skips
    assert not list((workplace.root / "build/suite-sources").iterdir())


def test_unpacks_and_edits_a_suite(workplace, client, archive):
    client(["cp", str(archive)])
    assert suites.download(SAMPLE, workplace, workplace.root / "sources")
    files = [file for file in (workplace.root / "sources").rglob("*") if file.is_file()]
    assert [file.name for file in files] == ["containers.h"]
    text = "template <class T, class A = suites::allocator<T>, class B = std::allocator_traits<A>>"
    assert files[0].read_text() == text


def test_names_only_source_packages_of_debian(workplace):
    options = suites.add_sources(workplace.root)
    assert f"Dir::Etc::SourceList={workplace.root / 'sources.list'}" in options
    lines = (workplace.root / "sources.list").read_text().splitlines()
    assert all(line.startswith("deb-src ") for line in lines)
