/// Files of the system, such as those in /proc about a process that may exit at any time.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

namespace mallard::collector {

/// Returns: the file's text, or the part that could be read if the process exits meanwhile or is another user's. A stream
/// iterator would throw then.
inline std::string text_of_system_file(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return std::move(text).str();
}

} // namespace mallard::collector
