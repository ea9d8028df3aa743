/// The libraries that a program is started with.
#pragma once

#include <filesystem>
#include <vector>

namespace mallard::collect {

/// Returns: the files that the loader would map for the program, those that the user preloads included. Empty if the loader
/// does not answer; a library that is missing is not listed.
/// Effects: starts the loader, which runs nothing of the program.
/// Requires: `loader` is that of the C library of GNU.
std::vector<std::filesystem::path> loaded_libraries(const std::filesystem::path& program,
                                                    const std::filesystem::path& loader);

} // namespace mallard::collect
