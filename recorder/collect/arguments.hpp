/// The command line of `mallard-record`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mallard::collect {

struct arguments {
    std::filesystem::path file = "mallard.trace";
    std::string stacks = "unwind"; ///< unwind, fp or none; auto is unwind
    std::uint32_t sample = 1;      ///< one activation in so many is recorded
    bool follow = false;           ///< forks and executed programs are recorded too
    bool redact = false;           ///< names of files and the command are left out
    bool recover = false;          ///< nothing is started: a recording that was cut off becomes a trace
    bool help = false;
    std::vector<std::string> program; ///< with its arguments
};

/// Returns: the meaning of the words behind the program's name.
/// Throws: failure if they have none.
arguments read_arguments(const std::vector<std::string>& words);

extern const char* const usage;

} // namespace mallard::collect
