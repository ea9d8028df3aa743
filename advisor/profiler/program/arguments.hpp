/// The command line of `mallard-profile TRACE`, which `mallard` writes after it has checked the user's.
#pragma once

#include "trace/command_line.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mallard::advisor {

using trace::usage_error;

/// A moment of a recording.
struct moment {
    double value = 0;
    bool is_share = false; ///< of the recording; else seconds since its first event
};

struct arguments {
    std::string trace;
    /// --process P: its number, or the name of its executable; of several the one that allocates most often. Default: the
    /// one with the most CPU time.
    std::optional<std::string> process;
    std::optional<std::string> scope; ///< --scope F: show one function or marked scope in depth as well
    /// --between A,B: the part of the time to analyse; shares of the recording, as 0.2,0.5, or seconds, as 1.5s,3s.
    std::optional<std::pair<moment, moment>> between;
    std::optional<std::string> suppress; ///< --suppress FILE: leaks that are not listed; lines leak:PATTERN
    bool all_rows = false;               ///< --all: list all sites and scopes, not only the heaviest
    // Other texts than the profile:
    std::optional<std::string>
        symbols;         ///< --symbols TEXT: the functions whose symbols contain it, a line each
    bool events = false; ///< --events: the events, a line each
    /// --rules CODE: a decision tree that finds this code on stacks, for a trial: FILE:OFFSET,BEGIN-END;FILE:... in
    /// hexadecimal; 'code' of --scope has the offsets.
    std::optional<std::string> rules;
    std::string except;   ///< --except CODE: code that is excluded from that scope
    bool stacks = false;  ///< --stacks: the blocks by their stacks, for exports
    bool history = false; ///< --history: the requests in order, for a replay: a binary file
};

/// Returns: the parsed command line.
/// Throws: usage_error if it is invalid.
arguments read_arguments(const std::vector<std::string>& words);

} // namespace mallard::advisor
