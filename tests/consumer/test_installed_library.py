"""The library as its users get it: installed, moved elsewhere, then found by CMake and by pkg-config."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from consumer import EXPECTED, PROJECT, run
from samples import sampled
from source_tree import ROOT

from dev.package.tree import library_sources

CHECKED = Path(__file__).with_name("checked")
# Halves the time. The library itself stays optimised.
UNOPTIMISED = "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG"


def test_the_readme_installs_optimised_code(prefix):
    (archive,) = prefix.rglob("libmallard.a")
    notes = run("readelf", "--string-dump=.GCC.command.line", archive, LC_ALL="C")
    objects = notes.split("\nFile: ")[1:]
    assert len(objects) == len(library_sources(ROOT))
    levels = Counter(re.findall(r"-O(\S*)", note)[-1] for note in objects)
    assert set(levels) <= {"2", "3", "s"}, levels
    for name in ("chunk_cache", "thread_cache", "reserved_blocks", "room_table", "block_registry"):
        (note,) = (note for note in objects if f"({name}.cpp.o)" in note)
        assert re.findall(r"-O(\S*)", note)[-1] in ("2", "3"), note


def test_the_readme_builds_the_library_alone(installation):
    tree, _ = installation
    commands = json.loads((tree / "build/mine/compile_commands.json").read_text())
    compiled = {Path(command["file"]).resolve() for command in commands}
    assert compiled == {ROOT / source for source in library_sources(ROOT)}
    assert all("-DNDEBUG" in shlex.split(command["command"]) for command in commands)


def build_type(build):
    cache = (build / "CMakeCache.txt").read_text()
    match = re.search(r"^CMAKE_BUILD_TYPE:\w+=(.*)$", cache, re.MULTILINE)
    return match[1] if match else None


@pytest.mark.parametrize(
    ("words", "variables", "expected"),
    [
        ([], {}, "Release"),
        (["-DCMAKE_BUILD_TYPE=Debug"], {}, "Debug"),
        (["-DCMAKE_BUILD_TYPE="], {}, ""),
        ([], {"CMAKE_BUILD_TYPE": "MinSizeRel"}, "MinSizeRel"),
        (["-G", "Ninja Multi-Config"], {}, None),
    ],
)
def test_release_is_the_default_build_type(tmp_path, words, variables, expected):
    if "Ninja Multi-Config" in words and shutil.which("ninja") is None:
        pytest.skip("no ninja: apt-get install ninja-build")
    run("cmake", "-S", ROOT, "-B", tmp_path, *words, **variables)
    run("cmake", tmp_path)
    assert build_type(tmp_path) == expected


@pytest.mark.parametrize(
    ("words", "optimised"),
    [([], True), (["-DCMAKE_CXX_FLAGS=-g -O0"], False), (["-DCMAKE_BUILD_TYPE=Debug"], False)],
)
def test_a_program_without_build_type_has_an_optimised_library(tmp_path, words, optimised):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(contains LANGUAGES CXX)\n"
        f"set(CMAKE_EXPORT_COMPILE_COMMANDS ON)\nadd_subdirectory({ROOT.as_posix()} mallard)\n"
    )
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", *words, CMAKE_BUILD_TYPE="")
    commands = json.loads((tmp_path / "build/compile_commands.json").read_text())
    assert len(commands) == len(library_sources(ROOT))
    assert all(("-O2" in shlex.split(command["command"])) is optimised for command in commands)


@pytest.mark.parametrize(("preset", "has_it"), [("default", True), ("release", True), ("asan", False)])
def test_presets_declare_the_benchmark(preset, has_it):
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    by_name = {entry["name"]: entry for entry in presets}
    variables, preset_settings = {}, by_name[preset]
    while preset_settings:
        variables = preset_settings.get("cacheVariables", {}) | variables
        preset_settings = by_name.get(preset_settings.get("inherits"))
    assert (variables.get("MALLARD_BENCH") == "ON") is has_it


def test_cmake_finds_it(prefix, tmp_path):
    words = [f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release", UNOPTIMISED]
    run("cmake", "-S", PROJECT, "-B", tmp_path, *words)
    run("cmake", "--build", tmp_path)
    assert run(tmp_path / "consumer") == EXPECTED
    cache = (tmp_path / "CMakeCache.txt").read_text()
    assert f"mallard_DIR:PATH={prefix}" in cache


def test_provides_the_thread_library(prefix, tmp_path):
    """The project names mallard alone, and has all that mallard needs where threads are a library."""
    lists = (
        "cmake_minimum_required(VERSION 3.20)\nproject(asks LANGUAGES CXX)\n"
        "find_package(mallard 0.1 CONFIG REQUIRED)\n"
        "get_target_property(needs mallard::mallard INTERFACE_LINK_LIBRARIES)\n"
        'if(NOT TARGET Threads::Threads OR NOT "Threads::Threads" IN_LIST needs)\n'
        '  message(FATAL_ERROR "mallard needs ${needs}")\nendif()\n'
    )
    (tmp_path / "CMakeLists.txt").write_text(lists)
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    (file,) = prefix.rglob("mallard.pc")
    assert re.search(r"^Libs:.* -pthread$", file.read_text(), re.MULTILINE)


def test_cmake_refuses_a_version_that_does_not_fit(prefix, tmp_path):
    project = shutil.copytree(PROJECT, tmp_path / "project")
    lists = project / "CMakeLists.txt"
    lists.write_text(lists.read_text().replace("mallard 0.1 ", "mallard 9.0 "))
    done = subprocess.run(
        ["cmake", "-S", project, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "9.0" in done.stderr


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="no pkg-config: apt-get install pkg-config")
def test_pkg_config_finds_it(prefix, tmp_path):
    # The prefix has a space, which only a shell's quoting keeps in one word.
    (file,) = prefix.rglob("mallard.pc")
    flags = run("pkg-config", "--cflags", "--libs", "mallard", PKG_CONFIG_PATH=file.parent).strip()
    compiler = os.environ.get("CXX") or "c++"
    assert "-std" not in flags
    command = f'"$0" -std=c++20 -O1 "$1" -o "$2" {flags}'
    run("sh", "-c", command, compiler, PROJECT / "main.cpp", tmp_path / "consumer")
    assert run(tmp_path / "consumer") == EXPECTED


def configure_checked(prefix, build, configuration, *definitions):
    definitions = [f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_BUILD_TYPE={configuration}", *definitions]
    run("cmake", "-S", CHECKED, "-B", build, UNOPTIMISED, *definitions)


@pytest.mark.parametrize(
    ("configuration", "definitions", "checked"),
    [
        ("Debug", [], True),
        ("Release", [], False),
        pytest.param("Debug", ["-DMALLARD_CHECKED=OFF"], False, marks=pytest.mark.full),
        pytest.param("Release", ["-DMALLARD_CHECKED=ON"], True, marks=pytest.mark.full),
    ],
)
def test_a_debug_build_reports_misuse_unasked(prefix, tmp_path, configuration, definitions, checked):
    """One installed library, built for release, serves them all."""
    configure_checked(prefix, tmp_path, configuration, *definitions)
    run("cmake", "--build", tmp_path)
    for binding in ("type-parameter", "abstract-base"):
        done = subprocess.run([tmp_path / "misuse", binding], capture_output=True, text=True)
        if checked:
            assert done.returncode == -signal.SIGABRT
            block = r"block 0x[0-9a-f]+ of 24 bytes at alignment 4"
            error = rf"mallard: double free: {block} was already deallocated\n"
            text = rf"{error}    allocated by\n        main \(/.+/misuse\+0x[0-9a-f]+\)\n(        .+\n)*"
            assert re.fullmatch(text, done.stderr)
        else:
            assert (done.returncode, done.stdout, done.stderr) == (0, "nothing was said\n", "")


@pytest.mark.parametrize(
    ("library", "program"), [("OFF", "ON"), ("ON", "OFF"), pytest.param("OFF", "OFF", marks=pytest.mark.full)]
)
def test_checked_parts_link_with_their_like(prefix, tmp_path, library, program):
    """A package manager's library is one of Release, whatever the program is."""
    words = [f"-DHALF_CHECKED={library}", f"-DPROGRAM_CHECKED={program}"]
    configure_checked(prefix, tmp_path, "Release", *words)
    build = ["cmake", "--build", tmp_path, "--target", "mixed"]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    if library == program:
        assert done.returncode == 0, done.stdout + done.stderr
        run(tmp_path / "mixed")
    else:
        assert done.returncode != 0
        assert "mallard_parts_differ_in_MALLARD_CHECKED" in done.stdout + done.stderr


def test_installed_files_do_not_name_the_source(prefix):
    texts = [file for file in prefix.rglob("*") if file.suffix in {".cmake", ".pc", ".hpp"}]
    assert len(texts) > 10
    assert [file.name for file in texts if str(ROOT) in file.read_text()] == []


def test_every_public_header_is_installed(prefix):
    installed = {file.relative_to(prefix / "include") for file in (prefix / "include").rglob("*.hpp")}
    assert installed == {file.relative_to(ROOT / "include") for file in (ROOT / "include").rglob("*.hpp")}


def test_the_licence_is_installed(prefix):
    installed = prefix / "share/doc/mallard/LICENSE"
    assert installed.read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_pkg_config_knows_a_library_without_threads(tmp_path):
    run("cmake", "-S", ROOT, "-B", tmp_path, "-DMALLARD_PLATFORM_THREADS=none")
    description = (tmp_path / "mallard.pc").read_text()
    assert "-pthread" not in description
    assert re.search(r"^Cflags:.* -DMALLARD_THREADS=0$", description, re.MULTILINE)


def test_the_advisor_is_refused_for_another_processor(tmp_path):
    words = ["-DMALLARD_ADVISOR=ON", "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=riscv64"]
    done = subprocess.run(["cmake", "-S", ROOT, "-B", tmp_path, *words], capture_output=True, text=True)
    assert done.returncode != 0
    assert "this build is for Linux, riscv64. Configure with" in " ".join(done.stderr.split())


@pytest.mark.parametrize("builds", sampled(False, True, default=1))
def test_builds_as_a_subdirectory(tmp_path, builds):
    """add_subdirectory brings the library, and neither its tests nor the runner nor an installation."""
    lists = (
        "cmake_minimum_required(VERSION 3.20)\nproject(parent LANGUAGES CXX)\n"
        f'add_subdirectory("{ROOT}" mallard)\n'
        f'add_executable(consumer "{PROJECT}/main.cpp")\n'
        "target_link_libraries(consumer PRIVATE mallard::mallard)\n"
    )
    (tmp_path / "CMakeLists.txt").write_text(lists)
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build")
    # The parent chooses the build type.
    assert build_type(tmp_path / "build") == ""
    names = run("cmake", "--build", tmp_path / "build", "--target", "help")
    assert re.findall(r"\bmallard[\w-]*(?=:| *$)", names, re.MULTILINE)
    assert "mallard-bench" not in names
    run("cmake", "--install", tmp_path / "build", "--prefix", tmp_path / "prefix")
    assert not (tmp_path / "prefix").exists()
    if builds:
        run("cmake", "--build", tmp_path / "build", "--parallel", "2")
        assert run(tmp_path / "build" / "consumer") == EXPECTED
