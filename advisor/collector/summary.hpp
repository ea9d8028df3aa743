/// The end of a recording: the trace in its place, and the facts that `mallard` reports.
#pragma once

#include "collector/arguments.hpp"
#include "collector/parts/collection.hpp"

namespace mallard::collector {

/// Effects: moves the trace to its place, and writes its contents and what it lacks, or why there is no trace.
/// Returns: `status`; 2 if nothing was recorded, or if there is no trace of a process that the collector did not start.
int conclude(const arguments& args, parts_folder& folder, const collection::result& summary, int status);

} // namespace mallard::collector
