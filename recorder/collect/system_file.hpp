/// Files of the system, such as those in /proc about a process that may end at any time.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

namespace mallard::collect {

/// Returns: the file's text; what could be read of it if the process ends meanwhile, or is another user's. An iterator over the
/// stream would throw then.
inline std::string text_of_system_file(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return std::move(text).str();
}

} // namespace mallard::collect
