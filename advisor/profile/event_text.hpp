/// The events of a process as lines of text, for checks by other programs. docs/advisor/profile_format.md describes them.
#pragma once

#include "advisor/analysis/analysis.hpp"
#include "advisor/report/code_names.hpp"
#include "trace/reader.hpp"

#include <cstdio>

namespace mallard::advisor {

/// Effects: writes all events of that process.
/// Throws: trace_error if a part of the trace is damaged.
void write_event_text(std::FILE* to, trace::reader& from, std::size_t process, code_names& names);

} // namespace mallard::advisor
