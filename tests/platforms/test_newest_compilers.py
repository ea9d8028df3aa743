"""The compilers of Debian's development release: smoke.cpp by later standards and by options that change the
standard library or the linker, the containers of C++23 and C++26, and the module."""

import shutil

import pytest
from bare_debian import BareDebian
from smoke_program import expect_success, library, store
from source_tree import ROOT

RELEASE = "sid"
PACKAGES = ("g++", "clang", "libc++-dev", "libc++abi-dev", "libgtest-dev")
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wno-error=deprecated-declarations", "-Werror")
OPTIONS = (
    ("g++", "-std=c++20 -O2 -flto=1 -fno-rtti"),
    ("g++", "-std=c++23 -O2 -fhardened"),
    ("g++", "-std=c++26 -D_GLIBCXX_DEBUG"),
    ("clang++", "-std=c++23"),
    ("clang++", "-std=c++26 -fno-rtti"),
    ("clang++", "-std=c++26 -stdlib=libc++ -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_DEBUG"),
)


class Compilers:
    """Those of a Debian, with a copy of the library in /mallard."""

    def __init__(self, debian):
        self.debian, self.folder = debian, debian.root / "mallard"
        for folder in ("include", "src", "tests"):
            shutil.copytree(ROOT / folder, self.folder / folder)
        sources = "".join(f'#include "/mallard/{file}"\n' for file in library("posix", "posix"))
        (self.folder / "library.cpp").write_text(sources, encoding="utf-8")

    def run(self, command):
        done = self.debian.run(f"cd /mallard; {command}")
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def version(self, compiler):
        return f"{compiler} {self.run(f'{compiler} -dumpfullversion -dumpversion').strip()}"


@pytest.fixture(scope="module")
def debian(tmp_path_factory):
    bare = BareDebian(tmp_path_factory.mktemp("debian") / "root", RELEASE, PACKAGES)
    yield Compilers(bare)
    bare.remove()


@pytest.mark.parametrize(("compiler", "options"), OPTIONS)
def test_smoke_runs(debian, compiler, options):
    warnings = " ".join(WARNINGS)
    debian.run(
        f"{compiler} -O1 {options} {warnings} -Iinclude library.cpp tests/platforms/smoke.cpp -o smoke"
    )
    outcome = expect_success(debian.run("./smoke"))
    store(f"Debian {RELEASE}, {options}", f"{debian.version(compiler)}: {outcome}")


def test_containers_of_newer_standards_pass(debian):
    sources = "tests/containers/newer_containers_test.cpp library.cpp"
    debian.run(f"g++ -std=c++26 -Iinclude {sources} -o newer -lgtest -lgtest_main")
    output = debian.run("./newer --gtest_brief=1")
    assert "[  PASSED  ] 5 tests" in output
    store(f"Debian {RELEASE}, containers of C++23 and C++26", f"{debian.version('g++')}: passed")


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_module_is_imported(debian, compiler):
    (debian.folder / "importer.cpp").write_text(
        "#include <map>\n"
        "import mallard;\n"
        "int main() {\n"
        "    mallard::multipool<> pool;\n"
        "    using element = std::pair<const int, int>;\n"
        "    using allocator = mallard::allocator<element, mallard::multipool<>>;\n"
        "    std::map<int, int, std::less<>, allocator> map(pool);\n"
        "    map[1] = 2;\n"
        "    if (map.get_allocator() != allocator(pool)) return 1;\n"
        "    mallard::monotonic<> arena;\n"
        "    return *mallard::make<int>(arena, 7) + map[1] - 9;\n"
        "}\n",
        encoding="utf-8",
    )
    module, rest = "include/mallard/mallard.cppm", "-std=c++20 -Iinclude library.cpp importer.cpp -o importer"
    if compiler == "g++":
        debian.run(f"g++ -std=c++20 -fmodules -Iinclude -x c++ -c {module} -o mallard.o")
        debian.run(f"g++ -fmodules mallard.o {rest}")
    else:
        debian.run(f"clang++ -std=c++20 -Iinclude --precompile {module} -o mallard.pcm")
        debian.run(f"clang++ -fmodule-file=mallard=mallard.pcm mallard.pcm {rest}")
    debian.run("./importer")
    store(f"Debian {RELEASE}, import mallard by {compiler}", f"{debian.version(compiler)}: passed")
