/// One scope in depth: found by its name, with its sites, pairs and callers.
#pragma once

#include "advisor/report/parts/report_parts.hpp"

#include <string>

namespace mallard::advisor {

struct found_scope {
    bool is_marked = false;
    scope_id scope = 0;
};

/// Returns: the scope with that name, full or short, or the only one with that text in its name. Marked scopes come first.
/// Throws: unknown_scope if there is none, or if there are several. `withheld` is the reason for which functions are
/// no scopes; empty if they are.
found_scope find_scope(const report_source& from, const std::string& name, const std::string& withheld);

/// Effects: writes the field `scope`.
/// Requires: a function is one of `from.listed`.
void write_scope_in_depth(json_writer& to, const report_source& from, const found_scope& scope);

} // namespace mallard::advisor
