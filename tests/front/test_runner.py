"""The native runner: built when the verb measures, and again when a source or the compiler changed."""

import os

import pytest
from samples import sampled


@pytest.fixture
def tools(ready):
    ready.native_tools()
    return ready


def test_configures_once_and_builds_changes(tools):
    first = tools.call("bench", "density")
    assert first.returncode == 0, first.stderr
    assert "building mallard-bench with g++ 12 (Release)" in first.stderr
    configure, build = tools.cmake_calls()
    assert configure == f"--preset release -DCMAKE_CXX_COMPILER={tools.programs / 'c++'}"
    assert "--build --preset release --target mallard-bench" in build

    second = tools.call("bench", "density")
    assert second.stderr == ""
    assert [call.split()[0] for call in tools.cmake_calls()] == ["--preset", "--build", "--build"]


def test_adds_packages_of_a_command_once(tools):
    project = tools.root / "pyproject.toml"
    project.write_text(project.read_text().replace("parquet = []", 'parquet = ["columns"]'))
    (tools.root.parent / "x.trace").write_text("")
    tools.call("profile", "x.trace")
    requirements = tools.root / "build/venv/requirements.txt"
    assert "columns" not in requirements.read_text()
    assert "making the Python environment" in tools.call("profile", "x.trace", "--parquet", "y").stderr
    assert "columns" in requirements.read_text()
    for words in (["profile", "x.trace", "--parquet", "y"], ["profile", "x.trace"]):
        assert tools.call(*words).stderr == ""


SOURCES = ("include", "history", "bench/runner", "src", "cmake")


@pytest.mark.parametrize(
    "place",
    sampled(*(f"{folder}/file" for folder in SOURCES), "CMakeLists.txt"),
)
def test_a_changed_source_is_announced(tools, place):
    tools.arguments("bench")
    touch_later(tools.root / place, tools.root / "build/release/mallard-bench-survey-stamp")
    assert "building mallard-bench" in tools.call("bench").stderr


PLACES = sampled(
    *("advisor/trace/file", "CMakeLists.txt", "advisor/recorder/file", "advisor/profiler/file"),
    *("src/file", "history/file"),
)


@pytest.mark.parametrize("place", PLACES)
def test_recording_builds_the_advisor(tools, place):
    first = tools.call("record", "-o", "x", "--", "cat", "-n")
    assert first.returncode == 0, first.stderr
    assert "building mallard-advisor with g++ 12" in first.stderr
    assert "mallard-bench" not in first.stderr
    configure, build = tools.cmake_calls()
    assert configure.startswith("--preset advisor ")
    assert "--build --preset advisor --target mallard-advisor" in build
    words = ["record", "-o", "x", "--", "cat", "-n"]
    assert tools.arguments(*words)["words"] == words
    assert tools.call("record", "cat").stderr == ""

    touch_later(tools.root / place, tools.root / "build/advisor/mallard-advisor-stamp")
    assert "building mallard-advisor" in tools.call("record", "cat").stderr


def touch_later(path, reference):
    """File systems round times: a second later is later on all of them."""
    later = reference.stat().st_mtime + 1
    os.utime(path, (later, later))


def test_another_compiler_makes_the_build_anew(tools):
    tools.arguments("bench")
    tools.program("clang++-19", "echo '#define __clang_major__ 19'")
    done = tools.call("bench", CXX="clang++-19")
    assert "with clang++ 19" in done.stderr
    clang = tools.programs / "clang++-19"
    assert tools.cmake_calls()[2] == f"--preset release -DCMAKE_CXX_COMPILER={clang}"


@pytest.mark.parametrize("words", [["--compiler", "g++,clang++"], ["--compiler=clang++"]], ids=" ".join)
def test_second_compiler_has_separate_build(tools, words):
    tools.program("clang++-19", "echo '#define __clang_major__ 19'")
    first = tools.call("bench", "density", *words)
    assert first.returncode == 0, first.stderr
    assert "building mallard-bench with g++ 12 (Release) in build/release\n" in first.stderr
    assert "building mallard-bench with clang++ 19 (Release) in build/release-clang\n" in first.stderr
    release, _, clang, build = tools.cmake_calls()
    assert release.startswith("--preset release ")
    assert clang == f"--preset release-clang -DCMAKE_CXX_COMPILER={tools.programs / 'clang++-19'}"
    assert build.startswith("--build --preset release-clang --target mallard-bench")

    assert tools.call("bench", "density", *words).stderr == ""


@pytest.mark.parametrize("words", [[], ["--compiler", "g++"], ["--db", "clang++"]], ids=" ".join)
def test_second_compiler_builds_only_on_request(tools, words):
    tools.program("clang++-19", "exit 1")
    tools.arguments("bench", "density", *words)
    assert not (tools.root / "build/release-clang").exists()


def test_changed_presets_make_the_build_anew(tools):
    tools.arguments("bench")
    (tools.root / "CMakePresets.json").write_text('{"changed": true}')
    tools.arguments("bench")
    assert [call.split()[0] for call in tools.cmake_calls()] == ["--preset", "--build"] * 2


def test_failed_build_shows_error_and_retries(tools):
    (tools.root / "broken").write_text("")
    failed = tools.call("bench")
    assert failed.returncode == 2
    assert failed.stdout == ""
    assert "error: broken" in failed.stderr
    assert "mallard: error: the native build failed; the whole output is in" in failed.stderr
    (tools.root / "broken").unlink()
    assert tools.arguments("bench")["words"] == ["bench"]


def test_reconfigures_after_new_installs(tools):
    """The runner takes in the allocators of other libraries that are there when it is configured."""
    tools.program("stat", "echo 1")
    tools.arguments("bench")
    tools.arguments("bench")
    tools.program("stat", "echo 2")
    tools.arguments("bench")
    calls = [call.split()[0] for call in tools.cmake_calls()]
    assert calls == ["--preset", "--build", "--build", "--preset", "--build"]


def test_survey_and_full_runner_share_build(tools):
    first = tools.call("bench")
    assert "building mallard-bench-survey with g++ 12 (Release) in build/release\n" in first.stderr
    second = tools.call("bench", "density")
    assert "building mallard-bench with g++ 12 (Release) in build/release\n" in second.stderr
    calls = [call.split()[0] for call in tools.cmake_calls()]
    assert calls == ["--preset", "--build", "--build"]
    assert tools.call("bench").stderr == ""


def test_a_library_by_prefix_has_a_build_of_its_own(tools):
    prefix = tools.root.parent / "bde 4"
    for file in ("include/bdlma_multipoolallocator.h", "lib/libbdl.a"):
        (prefix / file).parent.mkdir(parents=True)
        (prefix / file).write_text("")
    cmake = (tools.programs / "cmake").read_text().partition("\n")[2]
    tools.program("cmake", cmake + 'echo "with $MALLARD_WITH" >>build/cmake-calls')
    words = ("bench", "density", "--with", f"bde={prefix}")
    first = tools.call(*words)
    assert first.returncode == 0, first.stderr
    assert "building mallard-bench with g++ 12 (Release) in build/release-with" in first.stderr
    configure, with_prefix, build, _ = tools.cmake_calls()
    assert configure.startswith("--preset release-with ")
    assert with_prefix == f"with bde={prefix}"
    assert "--build --preset release-with --target mallard-bench" in build
    assert tools.call(*words).stderr == "", "configured once"

    (prefix / "lib/libbdl.a").unlink()
    refused = tools.call(*words)
    assert refused.returncode == 2
    assert "lib has no libbdl.a or libbdl.so" in refused.stderr
    assert not (tools.root / "build/release").exists(), "the build of other commands is not touched"
