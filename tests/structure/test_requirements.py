"""The oldest versions that each part works with are the same wherever they are stated."""

import json
import re

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
