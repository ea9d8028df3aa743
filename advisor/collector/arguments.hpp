/// The command line of `mallard-record`, which `mallard` writes after it has checked the user's.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mallard::collector {

struct arguments {
    std::filesystem::path file = "mallard.trace"; ///< -o FILE
    int facts = 2;                                ///< --facts: the descriptor of the messages
    std::string stacks = "unwind";                ///< --stacks unwind, fp or none
    std::uint32_t sample = 1;                     ///< --sample: one activation in N is recorded
    std::chrono::milliseconds duration{0};        ///< --for: ends the recording after it; 0 for no limit
    std::uint64_t most_bytes = UINT64_MAX; ///< --limit: ends the recording when the trace has this size
    int signal = 0;      ///< --signal: its number; it begins and ends the recording; 0 for none
    bool follow = false; ///< --follow: forks and executed programs are recorded too
    bool until_end =
        false;            ///< --until-end: follows until the program ends, and not processes that outlive it
    bool redact = false;  ///< --redact: file names and the command are omitted
    bool recover = false; ///< --recover FILE: starts nothing, converts an interrupted recording to a trace
    std::uint32_t process = 0;        ///< --pid: a running process to record; 0 for a program
    std::filesystem::path started;    ///< --started: the executed file (default: the program)
    std::filesystem::path elf;        ///< --elf: the program that runs: a script's interpreter, or `started`
    std::vector<std::string> program; ///< -- PROGRAM ARGUMENTS
};

/// Returns: the parsed command line.
/// Throws: usage_error if it is invalid.
arguments read_arguments(const std::vector<std::string>& words);

} // namespace mallard::collector
