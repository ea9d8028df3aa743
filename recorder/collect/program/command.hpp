/// The program that is recorded: the file that the kernel starts, and its words.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mallard::collect {

struct command {
    std::filesystem::path started;  ///< the file that is executed: a program or a script
    std::filesystem::path elf;      ///< the program that runs then: a script's interpreter, or the same
    std::vector<std::string> words; ///< the first is the program's name for itself
};

/// Returns: the program that a shell would start for these words. A script that finds its interpreter with `env` is
/// started without `env`, which would not hand the recorder on.
/// Throws: failure if there is none, or if it cannot be executed.
command find_command(const std::vector<std::string>& words);

} // namespace mallard::collect
