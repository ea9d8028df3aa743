"""The oldest versions that each part works with are the same wherever they are stated."""

import json
import re

from packaging.requirements import Requirement
from source_tree import ROOT

from mallard.bench.doctor.toolchain import OLDEST_CMAKE


def versions(file, pattern):
    versions = re.findall(pattern, (ROOT / file).read_text(encoding="utf-8"))
    assert versions, (file, pattern)
    return {tuple(map(int, version.split("."))) for version in versions}


def test_one_version_of_cmake_for_the_library():
    oldest = versions("CMakeLists.txt", r"cmake_minimum_required\(VERSION ([\d.]+)\)")
    assert oldest == {(3, 20)}
    assert versions("pyproject.toml", r'cmake\.version = ">=([\d.]+)"') == oldest
    assert versions("README.md", r"CMake ([\d.]+) to\s+install") == oldest


def test_readme_installs_by_a_block_of_shell():
    """The consumer's tests type it."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.partition("\n## Install\n")[2].startswith("\n```sh\ncmake -S . ")


def test_one_version_of_cmake_for_the_presets():
    needed = json.loads((ROOT / "CMakePresets.json").read_text())["cmakeMinimumRequired"]
    oldest = {(needed["major"], needed["minor"])}
    assert oldest == {OLDEST_CMAKE}
    assert versions("mallard", r"put cmake ([\d.]+) or later") == oldest
    assert versions("mallard", r'"\$\{version%%\.\*\}" -eq (3) \].*-ge 21 \]') == {(3,)}
    assert versions("README.md", r"CMake ([\d.]+), ninja") == oldest


def test_the_wheel_is_built_by_the_advisors_preset():
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    (preset,) = (preset for preset in presets if preset["name"] == "advisor")
    project = (ROOT / "pyproject.toml").read_text()
    for name, value in preset["cacheVariables"].items():
        stated = "cmake.build-type" if name == "CMAKE_BUILD_TYPE" else name
        assert f'\n{stated} = "{value}"\n' in project


def test_one_version_of_python():
    oldest = versions("pyproject.toml", r'requires-python = ">=([\d.]+)"')
    assert versions("pyproject.toml", r'python_version = "([\d.]+)"') == oldest
    (version,) = oldest
    target = "py" + "".join(map(str, version))
    assert f'target-version = "{target}"' in (ROOT / "pyproject.toml").read_text()
    assert versions("mallard", r"Python ([\d.]+) or later is still missing") == oldest
    assert f"sys.version_info < {version}" in (ROOT / "mallard").read_text()
    assert versions("README.md", r"Python ([\d.]+),") == oldest


def test_ci_installs_the_packages_of_the_project():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lists = re.findall(r"^(?:dependencies|parquet|test) = \[(.*?)\]$", project, re.MULTILINE | re.DOTALL)
    assert len(lists) == 3
    required = {Requirement(text) for text in re.findall(r'"([^"]+)"', " ".join(lists))}
    lock = (ROOT / ".ci/requirements.txt").read_text(encoding="utf-8")
    entries = re.findall(
        r"^([\w-]+)==([\w.]+)(?: ; [^\\\n]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", lock, re.MULTILINE
    )
    versions = {name: version for name, version, _ in entries}
    assert len(entries) == len(re.findall(r"^\w", lock, re.MULTILINE))
    for requirement in required:
        assert requirement.specifier.contains(versions[requirement.name]), requirement


def test_the_workflow_has_few_rights_and_pinned_actions():
    for workflow in (ROOT / ".github/workflows").iterdir():
        text = workflow.read_text(encoding="utf-8")
        assert "\npermissions:\n  contents: read\n" in text
        assert text.count("timeout-minutes:") == text.count("runs-on:")
        actions = re.findall(r"uses: (.+)", text)
        assert actions
        assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", action) for action in actions)
