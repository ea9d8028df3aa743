"""The recipe for Conan 2. `./mallard package` adds conandata.yml, with the address and checksum of the source
archive, and the program of the test."""

from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, rmdir


class Mallard(ConanFile):
    name = "mallard"
    license = "BSL-1.0"
    description = "Local memory allocators for C++20"
    topics = ("allocator", "arena", "memory", "pmr", "pool")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"

    def set_version(self):
        (self.version,) = self.conan_data["sources"]

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self, src_folder="src")

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def generate(self):
        CMakeToolchain(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="mallard")

    def package(self):
        copy(self, "LICENSE", self.source_folder, str(Path(self.package_folder, "licenses")))
        CMake(self).install(component="library")
        rmdir(self, str(Path(self.package_folder, "lib/pkgconfig")))

    def package_info(self):
        # CMake finds the package's own files, by which a target chooses its checks.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/mallard"]
        self.cpp_info.libs = ["mallard"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]
        # As CMake's target does by default: a debug build of a program is checked.
        self.cpp_info.defines = [f"MALLARD_CHECKED={int(self.settings.build_type == 'Debug')}"]
