"""The library on other systems: smoke.cpp for each target, small.cpp on a Cortex-M4. A target whose tools are
missing is skipped with the command that installs them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from compiler_flags import WERROR
from smoke_program import BUILD, expect_success, library, need, run, store
from source_tree import ROOT

HERE = ROOT / "tests/platforms"
WARNINGS = ("-Wall", "-Wextra", *WERROR)
PYPI = ("ziglang==0.17.1", "wasmtime==50.0.1")
WINE = shutil.which("wine64") or "/usr/lib/wine/wine64"
PAGES = (4096, 16384, 65536)


def smoke_source(memory: str, threads: str) -> Path:
    """One file, so that the headers are parsed once."""
    BUILD.mkdir(parents=True, exist_ok=True)
    source = BUILD / f"smoke_{memory}_{threads}.cpp"
    parts = [*library(memory, threads), Path("tests/platforms/smoke.cpp")]
    source.write_text("".join(f'#include "{ROOT / part}"\n' for part in parts), encoding="utf-8")
    return source


def build_smoke(compiler: Sequence[str], name: str, memory: str = "posix", threads: str = "posix") -> Path:
    program = BUILD / name
    options = ["-std=c++20", "-O1", *WARNINGS, f"-I{ROOT / 'include'}"]
    source = smoke_source(memory, threads)
    run([*compiler, *options, source, "-o", program], ZIG_GLOBAL_CACHE_DIR=str(BUILD / "zig"))
    return program


@pytest.fixture(scope="module")
def pypi() -> Path:
    """The Python of an environment with the compilers of the package index."""
    python = BUILD / "venv/bin/python"
    commands = ([sys.executable, "-m", "venv", BUILD / "venv"], [python, "-m", "pip", "install", "-q", *PYPI])
    for command in commands:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"pip cannot install {' '.join(PYPI)}")
    return python


def test_smoke_runs_in_one_thread_without_pages():
    compiler = [os.environ.get("CXX", "g++"), "-DMALLARD_THREADS=0", "-fno-exceptions"]
    outcome = expect_success(run([build_smoke(compiler, "smoke-plain", "plain", "none")]))
    assert "one thread" in outcome
    store("This machine, memory of operator new, one thread", f"g++ without exceptions: {outcome}")


def test_smoke_runs_with_a_mutex_of_the_program():
    mutex = ["-DMALLARD_MUTEX=spin_mutex", f'-DMALLARD_MUTEX_HEADER="{HERE / "spin_mutex.hpp"}"']
    outcome = expect_success(
        run([build_smoke([os.environ.get("CXX", "g++"), "-pthread", *mutex], "smoke-mutex")])
    )
    store("This machine, a mutex of the program", f"g++: {outcome}")


@pytest.mark.parametrize(("machine", "pages"), [("aarch64", PAGES), ("riscv64", PAGES[:1])])
def test_smoke_runs_on_linux(machine, pages):
    compiler, emulator = f"{machine}-linux-gnu-g++", f"qemu-{machine}"
    need(compiler, emulator, package=f"g++-{machine.replace('_', '-')}-linux-gnu qemu-user")
    program = build_smoke([compiler, "-pthread", "-static"], f"smoke-{machine}")
    for page in pages:
        outcome = expect_success(run([emulator, "-p", str(page), program]))
        assert f"pages of {page >> 10} KiB" in outcome
        store(f"Linux {machine}, glibc, pages of {page >> 10} KiB", f"g++ and qemu-user: {outcome}")


def test_smoke_runs_on_musl(pypi):
    program = build_smoke([str(pypi), "-m", "ziglang", "c++", "-target", "x86_64-linux-musl"], "smoke-musl")
    store("Linux x86_64, musl", f"clang, libc++: {expect_success(run([program]))}")


def test_smoke_runs_on_windows():
    need("x86_64-w64-mingw32-g++-posix", WINE, package="g++-mingw-w64-x86-64-posix wine64")
    # The marks of record/scope.hpp are for ELF, and g++ says so of their visibility.
    compiler = ["x86_64-w64-mingw32-g++-posix", "-static", "-Wno-attributes"]
    program = build_smoke(compiler, "smoke.exe", "windows", "windows")
    output = run([WINE, program], WINEPREFIX=str(BUILD / "wine"), WINEDEBUG="-all")
    store("Windows x86_64, MinGW", f"g++ and wine: {expect_success(output)}")


def test_smoke_runs_on_webassembly(pypi):
    standard_library = Path("/usr/lib/llvm-19/include/wasm32-wasi/c++/v1")
    if not (standard_library / "__config_site").exists():
        pytest.skip(
            "libc++ for WebAssembly is missing: apt-get install libc++-19-dev-wasm32 wasi-libc lld-19"
        )
    # The machine's own headers would be found before those of WASI.
    headers = (standard_library, "/usr/include/wasm32-wasi")
    compiler = ["clang++-19", "--target=wasm32-wasi", "-fno-exceptions", "-nostdlibinc"]
    compiler += [f"-isystem{folder}" for folder in headers]
    program = build_smoke([*compiler, "-Wl,-z,stack-size=1048576"], "smoke.wasm", "plain", "none")
    script = (
        "import sys, wasmtime as w\n"
        "engine = w.Engine(); store = w.Store(engine); linker = w.Linker(engine)\n"
        "config = w.WasiConfig(); config.inherit_stdout(); store.set_wasi(config); linker.define_wasi()\n"
        "instance = linker.instantiate(store, w.Module.from_file(engine, sys.argv[1]))\n"
        "try:\n    instance.exports(store)['_start'](store)\n"
        "except w.ExitTrap as end:\n    sys.exit(end.code)\n"
    )
    outcome = expect_success(run([pypi, "-c", script, program]))
    store("WebAssembly, WASI", f"clang without exceptions, libc++ and wasmtime: {outcome}")


def test_smoke_links_on_macos(pypi):
    build_smoke([str(pypi), "-m", "ziglang", "c++", "-target", "aarch64-macos"], "smoke-macos")
    store("macOS arm64", "clang, libc++: compiled and linked, not run")


CORTEX_M4 = ("-mcpu=cortex-m4", "-mthumb", "-Os", "-DNDEBUG", "-fno-exceptions", "-fno-rtti")


def build_small(parts: str) -> tuple[Path, int, int]:
    """The program, and its bytes of code and of initialised data."""
    BUILD.mkdir(parents=True, exist_ok=True)
    program = BUILD / f"small{parts}.elf".replace(" ", "")
    options = [*CORTEX_M4, "-ffunction-sections", "-fdata-sections", "-nostartfiles", "--specs=nano.specs"]
    options += ["-Wl,--gc-sections", "-T", str(HERE / "cortex_m4/mps2_an386.ld"), f"-I{ROOT / 'include'}"]
    sources = [HERE / "cortex_m4/small.cpp", ROOT / "src/mallard/core/failure_quiet.cpp"]
    run(["arm-none-eabi-g++", "-std=c++20", *WARNINGS, *options, *parts.split(), *sources, "-o", program])
    sizes = run(["arm-none-eabi-size", program]).splitlines()[1].split()
    return program, int(sizes[0]), int(sizes[1])


@pytest.fixture(scope="module")
def arm():
    need("arm-none-eabi-g++", package="gcc-arm-none-eabi libstdc++-arm-none-eabi-newlib")


@pytest.mark.parametrize(
    ("name", "parts", "most_bytes"),
    [
        ("monotonic<buffer>", "-DUSE_REGION", 1100),
        ("fixed_pool_for<node, static_arena<4096>>", "-DUSE_POOL", 850),
        ("both", "-DUSE_REGION -DUSE_POOL", 1850),
    ],
)
def test_small_systems_get_small_code(arm, name, parts, most_bytes):
    _, empty_bytes, _ = build_small("")
    _, code_bytes, data_bytes = build_small(parts)
    assert code_bytes - empty_bytes <= most_bytes
    assert data_bytes == 0, "static memory of a pool belongs into .bss"
    store(f"Cortex-M4, {name}", f"g++ -Os: {code_bytes - empty_bytes:,} bytes of code, 0 of data")


def test_small_systems_run_on_cortex_m4(arm):
    need("qemu-system-arm", package="qemu-system-arm")
    emulator = ["qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-kernel"]
    program, _, _ = build_small("-DUSE_REGION -DUSE_POOL")
    run([*emulator, program])
    failing, _, _ = build_small("-DUSE_REGION -DUSE_POOL -DFAIL")
    done = subprocess.run([*emulator, failing], capture_output=True, timeout=60, check=False)
    assert done.returncode == 42, "the out-of-memory handler did not run"
    store("Cortex-M4, static memory", "g++ without exceptions, RTTI, libc and heap, and qemu: passed")
