/// Prints the events of a process as text, for checks by other programs. docs/advisor/profile_format.md describes the
/// lines.
#pragma once

#include "profiler/analysis/analysis.hpp"
#include "profiler/report/code_names.hpp"
#include "trace/reader.hpp"

#include <cstdio>

namespace mallard::advisor {

/// Effects: writes all events of the process.
/// Throws: trace_error if a part of the trace is damaged.
void write_event_text(std::FILE* to, trace::reader& reader, std::size_t process, code_names& names);

} // namespace mallard::advisor
