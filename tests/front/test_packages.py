"""Tools that are missing or too old: the message, the installation, and the part left to the caller."""

import pytest
from samples import sampled
from source_tree import ROOT

# An apt-get that logs its calls, and finds packages only after `apt-get update`.
APT_GET = """echo "$DEBIAN_FRONTEND: $*" >>"$HOME/apt-calls"
case " $* " in
*' update '*) touch "$HOME/lists" ;;
*) [ -e "$HOME/lists" ] || { echo 'E: Unable to locate package'; exit 100; }
   for tool in "$HOME"/archive/*; do cp "$tool" "$(dirname "$(readlink -f "$0")")/"; done ;;
esac"""

# Compilers that find no header, or nothing to link to.
NO_HEADERS = "case $* in -fsyntax-only*) exit 1 ;; esac; echo '#define __GNUC__ 12'"
NO_BOOST = 'case $(cat) in *boost*) exit 1 ;; esac; echo "#define __GNUC__ 12"'
NO_LUA = f'case $* in -print-*) echo "$0"; exit ;; esac; {NO_BOOST.replace("boost", "lua")}'
NO_LIBRARIES = "case $* in -print-file-name=*) echo ${1#*=} ;; *) echo '#define __GNUC__ 12' ;; esac"


@pytest.fixture
def archive(ready):
    """The native tools, moved from PATH to the source of the made-up apt-get."""
    folder = ready.root.parent / "archive"
    folder.mkdir()
    ready.native_tools()
    for name in ("c++", "cmake", "ninja"):
        (ready.programs / name).rename(folder / name)
    return ready


def apt_calls(clone):
    calls = clone.root.parent / "apt-calls"
    return calls.read_text().splitlines() if calls.exists() else []


def be_user(clone, number):
    clone.program("id", f"echo {number}")


def test_without_apt_get_the_missing_packages_are_named(ready):
    failed = ready.call("bench")
    assert failed.returncode == 2
    assert failed.stdout == ""
    assert "mallard: missing: g++ cmake ninja-build\n" in failed.stderr
    assert failed.stderr.endswith(
        "error: there is no apt-get to install them; install the software of these Debian packages, "
        "then call again: g++ cmake ninja-build\n"
    )


# By the first word of the line: packages of the native tools and of the advisor's libraries.
SYSTEMS = {
    "dnf": "dnf install -y gcc-c++ cmake ninja-build libzstd-devel elfutils-devel pkgconf-pkg-config",
    "pacman": "pacman -Syu --needed gcc cmake ninja zstd libelf pkgconf",
    "apk": "apk add -U g++ cmake samurai zstd-dev elfutils-dev pkgconf",
    "zypper": "zypper install -y gcc-c++ cmake ninja libzstd-devel libdw-devel pkg-config",
}


@pytest.mark.parametrize(("manager", "user"), zip(SYSTEMS, (0, 1000, 0, 1000), strict=True))
def test_packages_have_the_names_of_the_system(ready, manager, user):
    ready.program(manager, 'echo "$0 $*" >>"$HOME/apt-calls"')
    be_user(ready, user)
    ready.native_tools()
    for name in ("c++", "cmake", "ninja", "pkg-config"):
        (ready.programs / name).unlink()
    failed = ready.call("record", "--yes", "--", "cat")
    sudo = "sudo " if user else ""
    assert failed.returncode == 2
    assert failed.stderr.endswith(f"; type this, then call again: {sudo}{SYSTEMS[manager]}\n")
    missing, _, _ = failed.stderr.partition("\n")
    assert SYSTEMS[manager].endswith(missing.removeprefix("mallard: missing:"))
    assert apt_calls(ready) == []


def test_names_packages_that_only_debian_has(ready):
    ready.program("dnf", "exit 1")
    ready.native_tools()
    be_user(ready, 0)
    ready.program("c++", NO_LIBRARIES)
    failed = ready.call("package", "wheel")
    assert failed.returncode == 2
    assert failed.stderr.endswith(
        "type this, then call again: dnf install -y elfutils-devel libzstd-devel; install the software of "
        "these Debian packages, then call again: libelf-dev liblzma-dev libbz2-dev zlib1g-dev\n"
    )


def test_table_names_packages_of_every_system():
    lines = (ROOT / "python/mallard/cli/packages.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines]
    assert rows[0] == ["#", "Debian", *SYSTEMS]
    assert {len(row) for row in rows[1:]} == {1 + len(SYSTEMS)}
    assert len({row[0] for row in rows}) == len(rows)


@pytest.mark.parametrize("words", [["bench"], ["record", "cat"], ["doctor"], ["test"]], ids=" ".join)
def test_macos_lists_what_works(archive, words):
    archive.program("uname", '[ "$1" = -m ] && echo arm64 || echo Darwin')
    failed = archive.call(*words)
    assert (failed.returncode, failed.stdout) == (2, "")
    (line,) = failed.stderr.splitlines()
    assert line.startswith("mallard: error: this is macOS, where the library builds with CMake")


def test_names_install_command_without_privileges(archive):
    archive.program("apt-get", APT_GET)
    be_user(archive, 1000)
    failed = archive.call("bench")
    assert failed.returncode == 2
    assert failed.stderr.endswith(
        "root's rights are needed; type this, then call again: "
        "sudo apt-get update && sudo apt-get install -y g++ cmake ninja-build\n"
    )
    assert apt_calls(archive) == []


def test_never_prompts_for_password(archive):
    archive.program("apt-get", APT_GET)
    archive.program("sudo", '[ "$1" = -n ] || sleep 600; exit 1')
    be_user(archive, 1000)
    failed = archive.call("bench")
    assert failed.returncode == 2
    assert "sudo apt-get install -y g++ cmake ninja-build" in failed.stderr


@pytest.mark.parametrize("user", ["root", "sudo"])
def test_installs_packages_with_privileges(archive, user):
    archive.program("apt-get", APT_GET)
    be_user(archive, 0 if user == "root" else 1000)
    if user == "sudo":
        archive.program("sudo", 'shift; exec "$@"')
    done = archive.call("bench", "--yes")
    assert done.returncode == 0, done.stderr
    assert "mallard: installing g++ cmake ninja-build\n" in done.stderr
    calls = apt_calls(archive)
    assert [call.startswith("noninteractive: ") for call in calls] == [True] * 3
    assert ["update" if "update" in call else "install" for call in calls] == ["install", "update", "install"]
    assert calls[-1].endswith("g++ cmake ninja-build")


def test_an_installation_that_fails_is_an_error(archive):
    archive.program("apt-get", "echo 'E: the archive burnt down'; exit 100")
    be_user(archive, 0)
    failed = archive.call("bench", "--yes")
    assert failed.returncode == 2
    assert "E: the archive burnt down" in failed.stderr
    assert "error: could not install g++ cmake ninja-build" in failed.stderr


def test_an_installation_that_changes_nothing_is_an_error(archive):
    archive.program("apt-get", "exit 0")
    be_user(archive, 0)
    failed = archive.call("bench", "--yes")
    assert failed.returncode == 2
    assert "still missing or too old after installing: g++ cmake ninja-build" in failed.stderr


@pytest.mark.parametrize("script", [None, "exit 1"], ids=["none", "too old"])
def test_requests_python_first(clone, script):
    (clone.programs / "python3").unlink()
    if script:
        clone.program("python3", script)
    failed = clone.call("doctor")
    assert failed.returncode == 2
    assert "missing: python3 python3-venv" in failed.stderr


@pytest.mark.parametrize(
    "words",
    sampled(["show", "list"], ["doctor"], ["choose"], ["show", "table", "p0213:6"], ["bench", "--help"], []),
    ids=" ".join,
)
def test_verbs_without_build_need_no_compiler(ready, words):
    done = ready.call(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_callers_runner_needs_no_compiler(ready):
    fake = str(ROOT / "tests/python/fake_bench.py")
    done = ready.call("bench", "density", MALLARD_BENCH=fake)
    assert (done.returncode, done.stderr) == (0, "")
    assert ready.cmake_calls() == []


@pytest.mark.parametrize(
    ("compiler", "macros", "message"),
    [
        ("old-gcc", {"__GNUC__": 11}, "'old-gcc' is g++ 11, which is too old"),
        ("old-clang", {"__GNUC__": 4, "__clang_major__": 15}, "'old-clang' is clang++ 15, which is too old"),
        ("no-compiler", {}, "'no-compiler' is g++ , which is too old"),
    ],
)
def test_a_compiler_that_is_too_old_is_refused(ready, compiler, macros, message):
    ready.native_tools()
    ready.program(compiler, "\n".join(f"echo '#define {name} {value}'" for name, value in macros.items()))
    failed = ready.call("bench", CXX=compiler)
    assert failed.returncode == 2
    assert message in failed.stderr
    assert "set CXX to g++ 12 or later or clang++ 16 or later" in failed.stderr


def test_refuses_missing_compiler(ready):
    ready.native_tools()
    failed = ready.call("bench", CXX="g++-99")
    assert failed.returncode == 2
    assert "CXX names 'g++-99', which is not a program here" in failed.stderr


@pytest.mark.parametrize(
    ("version", "enough"), [("3.20.6", False), ("2.99.0", False), ("3.21.0", True), ("4.0.1", True)]
)
def test_the_version_of_cmake_is_checked(ready, version, enough):
    ready.native_tools()
    real = (ready.programs / "cmake").read_text().replace("3.21.0", version)
    (ready.programs / "cmake").write_text(real)
    done = ready.call("bench")
    assert done.returncode == (0 if enough else 2)
    assert (f"cmake {version} is too old" in done.stderr) is not enough


def test_optional_test_tools_cost_one_line(ready):
    ready.native_tools()
    be_user(ready, 1000)
    ready.program("apt-get", APT_GET)
    done = ready.call("test", "--full")
    assert done.returncode == 0, done.stderr
    (skipped,) = [line for line in done.stderr.splitlines() if "will be skipped" in line]
    assert "the stage e2e (chromium)" in skipped
    assert "the stage libcxx (clang-19 libc++-19-dev libc++abi-19-dev)" in skipped


def test_checks_only_tools_of_chosen_stages(ready):
    ready.native_tools()
    be_user(ready, 1000)
    ready.program("apt-get", APT_GET)
    assert "libcxx" not in ready.call("test").stderr
    assert "chromium" not in ready.call("test", "lint").stderr
    assert "clang-tidy-19" in ready.call("test", "tidy").stderr
    wanted = "a faster compiler for the tests (clang-19 libclang-rt-19-dev)"
    assert wanted in ready.call("test", "asan").stderr
    assert wanted not in ready.call("test", "asan", CXX="c++").stderr


@pytest.mark.parametrize("compiler", [NO_BOOST, NO_LIBRARIES], ids=["header", "library"])
def test_compiler_finds_optional_packages(ready, compiler):
    ready.native_tools()
    be_user(ready, 1000)
    ready.program("apt-get", APT_GET)
    missing = "the tests with Boost's containers (libboost-container-dev)"
    assert missing not in ready.call("test").stderr
    ready.program("c++", compiler)
    done = ready.call("test")
    assert done.returncode == 0, done.stderr
    assert missing in done.stderr


def test_stage_of_examples_wants_missing_c_libraries(ready):
    ready.native_tools()
    be_user(ready, 1000)
    ready.program("apt-get", APT_GET)
    examples = "the examples of C libraries"
    assert examples not in ready.call("test", "optimised").stderr
    ready.program("c++", NO_LUA)
    assert f"{examples} (liblua5.4-dev)" in ready.call("test", "optimised").stderr
    assert examples not in ready.call("test").stderr


def test_the_reference_is_not_built_without_doxygen(ready):
    failed = ready.call("docs")
    assert failed.returncode == 2
    assert "mallard: missing: doxygen\n" in failed.stderr
    ready.program("doxygen", "exit 0")
    assert ready.arguments("docs")["words"] == ["docs"]


@pytest.mark.parametrize(
    "experiment", sampled("expansion-forward", "expansion-backward", "shrink-to-fit", default=1)
)
def test_installs_boost_for_growing_vectors(ready, experiment):
    ready.native_tools()
    ready.program("apt-get", 'echo "$*" >>"$HOME/apt-calls"')
    be_user(ready, 0)
    ready.program("c++", NO_LIBRARIES)
    assert ready.call("bench", "density").returncode == 0
    assert apt_calls(ready) == []
    done = ready.call("bench", experiment, "--yes")
    assert done.returncode == 0, done.stderr
    assert apt_calls(ready)[0].endswith("install -y --no-install-recommends libboost-container-dev")
    assert "will be skipped: the vectors that grow in place (libboost-container-dev)" in done.stderr


PACKAGES = {"jemalloc": "libjemalloc2", "mimalloc": "libmimalloc2.0", "tcmalloc": "libtcmalloc-minimal4"}


@pytest.mark.parametrize("malloc", sampled(*PACKAGES, default=1))
def test_installs_missing_malloc_with_privileges(ready, malloc):
    ready.native_tools()
    ready.libraries()
    ready.program("apt-get", 'echo "$*" >>"$HOME/apt-calls"')
    be_user(ready, 0)
    done = ready.call("bench", "density", "--malloc", malloc, "--yes")
    assert done.returncode == 0, done.stderr
    assert apt_calls(ready)[0].endswith(f"install -y --no-install-recommends {PACKAGES[malloc]}")


def test_survey_installs_every_malloc(ready):
    ready.native_tools()
    ready.libraries()
    ready.program("apt-get", 'echo "$*" >>"$HOME/apt-calls"')
    be_user(ready, 0)
    assert ready.call("bench", "--yes").returncode == 0
    assert apt_calls(ready)[0].endswith(" ".join(["--no-install-recommends", *PACKAGES.values()]))


# An archive of Debian 13, which has other names, once its lists are there.
APT_CACHE = """[ -e "$HOME/lists" ] || exit 0
for name in libjemalloc2 libmimalloc-dev libmimalloc2.0-old libmimalloc3 libmimalloc3.1 \\
    libtcmalloc-minimal4t64; do
    case $name in "$2"*) echo $name ;; esac
done"""
DEBIAN_13 = "libjemalloc2 libmimalloc3.1 libtcmalloc-minimal4t64"


def test_installs_packages_by_their_names_in_the_archive(ready):
    ready.native_tools()
    ready.libraries()
    ready.program("apt-cache", APT_CACHE)
    ready.program("apt-get", APT_GET)
    (ready.root.parent / "archive").mkdir()
    (ready.root.parent / "archive/file").touch()
    be_user(ready, 0)
    done = ready.call("bench", "--yes")
    installed = [call.partition("--no-install-recommends ")[2] for call in apt_calls(ready)]
    assert installed == [" ".join(PACKAGES.values()), "", DEBIAN_13]
    # Nothing is there even now; the lists are.
    assert "--malloc mimalloc (libmimalloc3.1)" in done.stderr
    be_user(ready, 1000)
    assert f"mallard: missing: {DEBIAN_13}\n" in ready.call("bench").stderr


@pytest.mark.parametrize("option", ["--malloc=jemalloc,mimalloc,tcmalloc,glibc", "--contenders"])
def test_skips_and_names_uninstallable_mallocs(ready, option):
    ready.native_tools()
    ready.libraries("libmimalloc.so.2")
    done = ready.call("bench", "density", option)
    assert done.returncode == 0, done.stderr
    assert "mallard: missing: libjemalloc2 libtcmalloc-minimal4\n" in done.stderr
    assert "will be skipped: --malloc jemalloc (libjemalloc2); --malloc tcmalloc" in done.stderr


def test_installed_malloc_prints_nothing(ready):
    ready.native_tools()
    ready.libraries("libjemalloc.so.2")
    ready.arguments("bench", "density")
    assert ready.call("bench", "density", "--malloc", "jemalloc").stderr == ""


def test_requests_missing_second_compiler(ready):
    ready.native_tools()
    ready.program("clang++", "exit 1")
    failed = ready.call("bench", "density", "--compiler", "g++,clang++")
    assert failed.returncode == 2
    assert "missing: clang-19 g++\n" in failed.stderr


@pytest.mark.parametrize("words", [["record", "cat"], ["advise", "--", "cat"]], ids=" ".join)
def test_the_advisor_refuses_another_architecture_first(archive, words):
    archive.program("apt-get", APT_GET)
    be_user(archive, 0)
    archive.program("uname", "echo riscv64")
    failed = archive.call(*words)
    assert failed.returncode == 2
    assert failed.stdout == ""
    (line,) = failed.stderr.splitlines()
    assert "programs on Linux for x86_64 and aarch64, and this machine is riscv64; " in line
    assert apt_calls(archive) == []
    assert archive.cmake_calls() == []
    assert archive.call("bench", "--yes").returncode == 0


def test_a_recording_names_the_packages_that_it_needs(ready):
    ready.native_tools()
    (ready.programs / "pkg-config").unlink()
    ready.program("c++", NO_HEADERS)
    failed = ready.call("record", "cat")
    assert failed.returncode == 2
    assert "mallard: missing: libzstd-dev libdw-dev pkg-config\n" in failed.stderr


def test_stage_of_releases_needs_git(ready):
    ready.native_tools()
    (ready.programs / "git").unlink()
    assert "missing: git;" in ready.call("test", "python", "--no-install").stderr


@pytest.mark.parametrize("stage", ["recording", "wheel"])
def test_advisor_stages_need_pkg_config(ready, stage):
    ready.native_tools()
    (ready.programs / "pkg-config").unlink()
    assert "pkg-config" in ready.call("test", stage, "--no-install").stderr.partition(";")[0]


def test_the_wheel_needs_static_libraries(ready):
    ready.native_tools()
    ready.program("c++", NO_LIBRARIES)
    failed = ready.call("package", "wheel")
    assert failed.returncode == 2
    libraries = "libdw-dev libelf-dev libzstd-dev liblzma-dev libbz2-dev zlib1g-dev"
    assert f"mallard: missing: {libraries}\n" in failed.stderr


def test_a_package_is_required_once(ready):
    ready.native_tools()
    ready.program("c++", NO_HEADERS)
    failed = ready.call("package", "deb", "wheel")
    assert failed.returncode == 2
    for package in ("libdw-dev", "libzstd-dev", "libbz2-dev", "dpkg-dev"):
        assert failed.stderr.partition("\n")[0].count(package) == 1
