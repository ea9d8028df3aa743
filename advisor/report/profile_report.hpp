/// The whole document of a profile: docs/advisor/profile_format.md describes it.
#pragma once

#include "advisor/analysis/analysis.hpp"
#include "advisor/report/code_names.hpp"
#include "trace/event.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace mallard::advisor {

/// The text says which scope is meant, and which ones there are.
class unknown_scope : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct report_request {
    std::string file;
    std::uint64_t file_bytes = 0;
    std::uint64_t torn_bytes = 0;
    std::vector<trace::process> processes;
    std::size_t chosen = 0;                ///< in `processes`
    std::vector<std::string> marked_names; ///< of scopes, marks and pools, by number
    std::optional<std::string> scope;      ///< to be shown in depth
};

/// Returns: the document, a line of JSON.
/// Throws: unknown_scope if the request names one that is not there, or several.
std::string profile_report(const analysis& of, code_names& names, const report_request& request);

} // namespace mallard::advisor
