/// The program that is recorded: the file that the kernel starts, and its arguments.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mallard::collector {

struct command {
    std::filesystem::path started;  ///< the executed file: a program or a script
    std::filesystem::path elf;      ///< the program that runs: a script's interpreter, or `started`
    std::vector<std::string> words; ///< argv, with argv[0]
};

/// Returns: the program that a shell would start for these words. A script that finds its interpreter with `env` is
/// started without `env`, which would not be recorded as the program.
/// Throws: failure if it does not exist or is not executable.
command find_command(const std::vector<std::string>& words);

} // namespace mallard::collector
