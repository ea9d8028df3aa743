/// Benchmark III: few of the blocks that are allocated in total are in use at a time.
///
/// Blocks of one size are allocated until the active amount is in use. Then the oldest block is freed and a new one
/// allocated, until the total was allocated; at the end the remaining blocks are freed. The first byte of every block
/// is incremented after its allocation.
///
/// Source: P0089R1, section 9; P0213R0, section 11.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `args` describes.
/// Throws: usage_error.
[[nodiscard]] row run_utilization(arguments& args, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_utilization(json_writer& json);

} // namespace bench
