/// Prints the events of a process as text, for checks by other programs. Numbers are decimal, addresses hexadecimal.
/// Contexts 0 to 5 are the ends of stacks, in the order of `by_end`. The lines, in this order:
///
///     process NUMBER first_ticks last_ticks ticks_per_second threads timed_one_in stacks cpu_nanoseconds stamp_ticks
///     name NUMBER TEXT                                  of scopes and marks
///     context NUMBER PARENT ADDRESS FUNCTION NAME
///     ticks, thread, kind, address, bytes, ticks inside the allocator with a stamp, kept levels, context, pool    for each event
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
