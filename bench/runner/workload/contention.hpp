/// Benchmark IV: threads that allocate concurrently.
///
/// Each thread repeats the life of an allocator: it constructs the allocator, many times allocates a block,
/// increments the first byte and frees the block, and destroys the allocator. The global allocator and shared
/// allocators live throughout. On request, the neighbouring thread frees each block.
///
/// Source: P0089R1, sections 10 and 11; P0213R0, section 12.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `args` describes.
/// Throws: usage_error.
[[nodiscard]] row run_contention(arguments& args, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_contention(json_writer& json);

} // namespace bench
