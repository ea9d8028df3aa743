/// The libraries that a program loads at its start.
#pragma once

#include <filesystem>
#include <vector>

namespace mallard::collect {

/// Returns: the files that the loader would map for the program, including the user's preloaded ones. Empty if the loader
/// fails; a missing library is not listed.
/// Effects: starts the loader, which runs no code of the program.
/// Requires: `loader` belongs to the GNU C library.
std::vector<std::filesystem::path> loaded_libraries(const std::filesystem::path& program,
                                                    const std::filesystem::path& loader);

} // namespace mallard::collect
