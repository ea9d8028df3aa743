/// The command line of mallard-profile.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mallard::advisor {

/// A mistake of the caller. The text has the wrong value and the allowed values.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A moment of a recording.
struct moment {
    double value = 0;
    bool is_share = false; ///< of the recording; else seconds since its first event
};

struct arguments {
    std::string trace;
    std::optional<std::string> process; ///< its number, or the name of its executable
    std::optional<std::string> scope;
    std::optional<std::string> symbols;               ///< print the functions whose symbols have this text
    std::optional<std::string> rules;                 ///< print a decision tree for the scope with this code
    std::string except;                               ///< code that is excluded from that scope
    std::optional<std::pair<moment, moment>> between; ///< the part of the time to analyse
    std::optional<std::string> suppress;              ///< the file of leak suppressions
    bool all_rows = false;                            ///< list all sites and scopes
    bool events = false;                              ///< print the events as text
    bool stacks = false;                              ///< print the blocks by their stacks
    bool history = false;                             ///< print the requests for a replay
    bool help = false;
};

extern const char* const usage;

/// Throws: usage_error.
arguments read_arguments(const std::vector<std::string>& words);

} // namespace mallard::advisor
