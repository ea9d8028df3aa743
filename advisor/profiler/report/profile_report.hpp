/// The document of a profile. docs/advisor/profile_format.md describes its fields, as columns of tables.
#pragma once

#include "profiler/analysis/analysis.hpp"
#include "profiler/report/code_names.hpp"
#include "trace/event.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace mallard::advisor {

/// The text has the requested name and the nearest ones.
class unknown_scope : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct report_request {
    std::string file;
    std::uint64_t file_bytes = 0;
    std::uint64_t torn_bytes = 0;
    std::vector<trace::process> processes;
    std::size_t chosen = 0;                   ///< in `processes`
    std::string build_id;                     ///< of its executable, in hexadecimal digits; empty if unknown
    std::vector<std::string> marked_names;    ///< of scopes, marks and pools, by number
    std::vector<trace::memory_sample> memory; ///< of the chosen process
    std::optional<std::string> scope;         ///< the scope to show in depth
    bool all_rows = false;                    ///< list all sites and scopes
    std::optional<std::vector<std::string>> suppressions; ///< patterns of leaks that are not listed
};

/// Returns: the document, a line of JSON.
/// Throws: unknown_scope if the requested name matches no scope, or several.
std::string profile_report(const analysis& results, code_names& names, const report_request& request);

} // namespace mallard::advisor
