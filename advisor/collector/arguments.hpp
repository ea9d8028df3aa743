/// The command line of `mallard-record`.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mallard::collector {

struct arguments {
    std::filesystem::path file = "mallard.trace";
    std::string stacks = "unwind";         ///< unwind, fp or none; auto is unwind
    std::uint32_t sample = 1;              ///< one activation in N is recorded
    std::chrono::milliseconds duration{0}; ///< the recording ends after this time; 0 for no limit
    std::uint64_t most_bytes = UINT64_MAX; ///< and when the trace has this size
    int signal = 0;                        ///< the signal that begins and ends the recording; 0 for none
    bool follow = false;                   ///< forks and executed programs are recorded too
    bool until_end = false; ///< follows until the program ends, and not processes that outlive it
    bool redact = false;    ///< file names and the command are omitted
    bool recover = false;   ///< starts nothing: converts an interrupted recording to a trace
    bool help = false;
    std::uint32_t process = 0;        ///< a running process to record; 0 for a program
    std::vector<std::string> program; ///< and its arguments
};

/// Returns: the parsed command line.
/// Throws: failure if it is invalid.
arguments read_arguments(const std::vector<std::string>& words);

extern const char* const usage;

} // namespace mallard::collector
