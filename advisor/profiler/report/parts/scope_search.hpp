/// The section on one scope, looked up by its name, with its sites, pairs and callers.
#pragma once

#include "profiler/report/parts/report_parts.hpp"

#include <string>

namespace mallard::advisor {

struct scope_match {
    bool is_marked = false;
    scope_id scope = 0;
};

/// Returns: the scope with that name, full or short, or else the only scope whose name contains it. Marked scopes
/// come first.
/// Throws: unknown_scope if there is none, or if there are several. `withheld` is the reason for which functions are
/// not scopes; empty if they are.
scope_match find_scope(const report_source& source, const std::string& name, const std::string& withheld);

/// Effects: writes the field `scope`.
/// Requires: a function is in `source.listed`.
void write_scope_in_depth(json_writer& to, const report_source& source, const scope_match& scope);

} // namespace mallard::advisor
