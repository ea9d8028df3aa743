/// Benchmark III: few blocks are in use at a time, of many that are allocated in total.
///
/// Blocks of one size are allocated until the active amount is in use. Then the oldest block is freed and
/// another one allocated, until the total was allocated; at the end the rest is freed. The first byte of every
/// block is incremented after its allocation.
///
/// Source: P0089R1, section 9; P0213R0, section 11.
#pragma once

#include "bench/harness/arguments.hpp"
#include "bench/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `given` describes.
/// Throws: usage_error.
[[nodiscard]] row run_utilization(arguments& given, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_utilization(json_writer& json);

} // namespace bench
