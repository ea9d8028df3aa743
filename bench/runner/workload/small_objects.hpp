/// The Loki test: a million small objects are allocated, shuffled, and freed from the back. Further phases, which the
/// original lacks, are a second allocation, a traversal, and the return of memory to the system.
///
/// Phases: allocate all; shuffle the pointers (--order shuffled); free all from the back; allocate all again;
/// increment the first byte of each, in the order of the pointers; free all; return free memory; destroy the
/// allocator. The pointers lie in memory that is already touched.
///
/// Source: "small object allocation" (2012), a test of Loki's allocator.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `args` describes.
/// Throws: usage_error.
[[nodiscard]] row run_small_objects(arguments& args, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_small_objects(json_writer& json);

} // namespace bench
