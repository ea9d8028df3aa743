"""The compilers of Debian's development release: the bindings, also to its Boost, the runner's input,
smoke.cpp by later standards and by options that change the standard library or the linker, the containers of
C++23 and C++26, and the module. Those of the stable release build the runner in tests/fresh."""

import shutil

import pytest
from bare_debian import BareDebian
from smoke_program import expect_success, library, store
from source_tree import ROOT

RELEASE = "sid"
PACKAGES = ("g++", "clang", "libc++-dev", "libc++abi-dev", "libgtest-dev", "libboost-dev")
WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual"
OPTIONS = (
    ("g++", "-std=c++20 -O2 -flto=1 -fno-rtti"),
    ("g++", "-std=c++23 -O2 -fhardened"),
    ("g++", "-std=c++26 -D_GLIBCXX_DEBUG"),
    ("clang++", "-std=c++23"),
    ("clang++", "-std=c++26 -fno-rtti"),
    ("clang++", "-std=c++26 -stdlib=libc++ -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_DEBUG"),
)


class Compilers:
    """Those of a Debian, with a copy of the tree in /mallard."""

    def __init__(self, debian):
        self.debian, self.folder = debian, debian.root / "mallard"
        for folder in ("include", "src", "tests", "bench/runner"):
            shutil.copytree(ROOT / folder, self.folder / folder)
        sources = "".join(f'#include "/mallard/{file}"\n' for file in library("posix", "posix"))
        (self.folder / "library.cpp").write_text(sources, encoding="utf-8")

    def run(self, command):
        done = self.debian.run(f"cd /mallard; {command}")
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        self.errors = done.stderr
        return done.stdout

    def compile(self, compiler, words):
        """Returns what the compiler is, and the number of its warnings, which may be different tomorrow."""
        self.run(f"{compiler} {WARNINGS} {words}")
        warnings = self.errors.count("warning:")
        return f"{self.version(compiler)}{f', {warnings} warnings' if warnings else ''}"

    def version(self, compiler):
        return f"{compiler} {self.run(f'{compiler} -dumpfullversion -dumpversion').strip()}"


@pytest.fixture(scope="module")
def debian(tmp_path_factory):
    bare = BareDebian(tmp_path_factory.mktemp("debian") / "root", RELEASE, PACKAGES)
    yield Compilers(bare)
    bare.remove()


@pytest.mark.parametrize(("compiler", "options"), OPTIONS)
def test_smoke_runs(debian, compiler, options):
    sources = "library.cpp tests/platforms/smoke.cpp"
    version = debian.compile(compiler, f"-O1 {options} -Iinclude {sources} -o smoke")
    outcome = expect_success(debian.run("./smoke"))
    store(f"Debian {RELEASE}, {options}", f"{version}: {outcome}")


def test_bindings_pass(debian):
    """Unoptimised, because then g++ compares new and delete of a class."""
    sources = "tests/unit/bind/*_test.cpp tests/equipment/ledger.cpp library.cpp"
    words = f"-std=c++20 -O0 -Iinclude -Itests -DMALLARD_CHECKED=0 {sources} -o bindings -lgtest -lgtest_main"
    version = debian.compile("g++", words)
    assert "[  PASSED  ]" in debian.run("./bindings --gtest_brief=1")
    boost = (
        debian.run("echo BOOST_LIB_VERSION | g++ -E -P -include boost/version.hpp -xc++ -")
        .strip('"\n')
        .replace("_", ".")
    )
    store(f"Debian {RELEASE}, bindings, also to Boost {boost}", f"{version}: passed")


def test_runner_compiles(debian):
    sources = "bench/runner/harness/*.cpp bench/runner/workload/*/input.cpp"
    version = debian.compile("g++", f"-std=c++20 -fsyntax-only -Iinclude -Ibench {sources}")
    store(f"Debian {RELEASE}, the runner's harness and input", f"{version}: compiles")


def test_containers_of_newer_standards_pass(debian):
    sources = "tests/containers/newer_containers_test.cpp library.cpp"
    version = debian.compile("g++", f"-std=c++26 -Iinclude {sources} -o newer -lgtest -lgtest_main")
    output = debian.run("./newer --gtest_brief=1")
    assert "[  PASSED  ] 5 tests" in output
    store(f"Debian {RELEASE}, containers of C++23 and C++26", f"{version}: passed")


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
