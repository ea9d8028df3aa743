/// The report of a recording, on standard error.
#pragma once

#include "collector/arguments.hpp"
#include "collector/parts/collection.hpp"

#include <string>

namespace mallard::collector {

/// Effects: writes a line, with control characters escaped. Errors are ignored.
void print_line(const std::string& line);

/// Effects: moves the trace to its place, and reports its contents and what it lacks, or why there is no trace.
/// Returns: `status`; 2 if nothing was recorded, or if there is no trace of a process that the collector did not start.
int conclude(const arguments& args, parts_folder& folder, const collection::result& summary, int status);

} // namespace mallard::collector
